// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan by a balanced tree: sums go up to the root, then what lies before each node comes down. As
// few additions as a loop needs, times two, but the tree is walked through memory twice.
// Source: Blelloch 1990, "Prefix Sums and Their Applications".
#pragma once

#include "../host.h"
#include "../tile.h"

namespace methods {

inline std::size_t leaves_of(std::size_t n) {
  std::size_t leaves = 1;
  while (leaves < n) leaves *= 2;
  return leaves;
}

inline cost blelloch_cost(double n, const shape&) {
  const double leaves = std::exp2(levels(n));
  double tree_bytes = 0;
  for (double width = 1; width < leaves; width *= 2) {
    const double nodes = leaves / (2 * width);
    tree_bytes += 2 * 2 * strided_bytes(2 * nodes, width);  // up and down, read and write
  }
  const double copies = (n + leaves + 3 * n) * sizeof(item);  // into the tree, and out of it
  return {2 * (leaves - 1) + n, 2 * levels(n) + 1, 4, copies + tree_bytes};
}

/// A node `width` wide on either side: its left child's sum, and its own, which is the right one's.
struct tree_node {
  std::size_t left, right;
};
HINDSIGHT_HD inline tree_node node_at(std::size_t i, std::size_t width) {
  return {(2 * i + 1) * width - 1, (2 * i + 2) * width - 1};
}

/// tree[i] = item i, or 0 beyond n: any n is then a power of two.
HINDSIGHT_HD inline void plant(const item* in, std::size_t n, item* tree, std::size_t i) {
  tree[i] = i < n ? in[i] : 0;
}
HINDSIGHT_HD inline void sum_up(item* tree, tree_node node) {
  tree[node.right] += tree[node.left];
}
/// The right child follows the left one's sum; the left child has what the parent has before it.
HINDSIGHT_HD inline void hand_down(item* tree, tree_node node) {
  const item left_sum = tree[node.left];
  tree[node.left] = tree[node.right];
  tree[node.right] += left_sum;
}
HINDSIGHT_HD inline void harvest(const item* tree, const item* in, scan_kind kind, item* out,
                                 std::size_t i) {
  out[i] = kind == scan_kind::inclusive ? tree[i] + in[i] : tree[i];
}

namespace host {

inline void blelloch(const task& t) {
  const std::size_t leaves = leaves_of(t.n);
  item* const tree = t.memory.take<item>(leaves);
  launch(leaves, [&](std::size_t i) { plant(t.in, t.n, tree, i); });
  for (std::size_t width = 1; width < leaves; width *= 2)
    launch(leaves / (2 * width), [=](std::size_t i) { sum_up(tree, node_at(i, width)); });
  tree[leaves - 1] = 0;  // nothing lies before the root
  for (std::size_t width = leaves / 2; width > 0; width /= 2)
    launch(leaves / (2 * width), [=](std::size_t i) { hand_down(tree, node_at(i, width)); });
  launch(t.n, [&](std::size_t i) { harvest(tree, t.in, t.kind, t.out, i); });
}

}  // namespace host

#if HINDSIGHT_CUDA
namespace cuda {

__global__ void plant_kernel(const item* in, std::size_t n, item* tree, std::size_t leaves) {
  if (global_index() < leaves) plant(in, n, tree, global_index());
}
__global__ void up_sweep_kernel(item* tree, std::size_t nodes, std::size_t width) {
  if (global_index() < nodes) sum_up(tree, node_at(global_index(), width));
}
__global__ void down_sweep_kernel(item* tree, std::size_t nodes, std::size_t width) {
  if (global_index() < nodes) hand_down(tree, node_at(global_index(), width));
}
__global__ void harvest_kernel(const item* tree, const item* in, std::size_t n, scan_kind kind,
                               item* out) {
  if (global_index() < n) harvest(tree, in, kind, out, global_index());
}

inline void blelloch(const task& t) {
  const std::size_t leaves = leaves_of(t.n);
  item* const tree = t.memory.take<item>(leaves);
  launch(t, leaves, plant_kernel, t.in, t.n, tree, leaves);
  for (std::size_t width = 1; width < leaves; width *= 2)
    launch(t, leaves / (2 * width), up_sweep_kernel, tree, leaves / (2 * width), width);
  clear(t, tree + leaves - 1, 1);  // nothing lies before the root
  for (std::size_t width = leaves / 2; width > 0; width /= 2)
    launch(t, leaves / (2 * width), down_sweep_kernel, tree, leaves / (2 * width), width);
  launch(t, t.n, harvest_kernel, tree, t.in, t.n, t.kind, t.out);
}

}  // namespace cuda
#endif

}  // namespace methods
