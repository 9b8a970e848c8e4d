// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linear bounding volume hierarchy of points: Morton codes, a sort, the tree that the codes are
// (Karras 2012, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees"), and
// boxes from the leaves up; then nearest points, checked against all. nvcc builds this for the GPU,
// g++ for host threads (see ten_calls.cpp). The tree is built twice, with ours and with stock: one
// word of difference, the policy. An argument is the number of points.
#include <hindsight/hindsight.h>
#include <hindsight/morton.h>

#include <cuda/atomic>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

struct point {
  float x, y, z;
};
struct box {
  point low, high;
};
/// Children: a node i < n - 1, or leaf i - (n - 1).
struct node {
  int left, right;
};

HINDSIGHT_HD inline float smaller(float a, float b) {
  return a < b ? a : b;
}
HINDSIGHT_HD inline float larger(float a, float b) {
  return a < b ? b : a;
}
HINDSIGHT_HD inline box around(const box& a, const box& b) {
  return {{smaller(a.low.x, b.low.x), smaller(a.low.y, b.low.y), smaller(a.low.z, b.low.z)},
          {larger(a.high.x, b.high.x), larger(a.high.y, b.high.y), larger(a.high.z, b.high.z)}};
}
HINDSIGHT_HD inline float outside(float low, float high, float at) {
  return larger(0, larger(low - at, at - high));
}
HINDSIGHT_HD inline float squared_distance(const box& b, const point& p) {
  const float x = outside(b.low.x, b.high.x, p.x), y = outside(b.low.y, b.high.y, p.y),
              z = outside(b.low.z, b.high.z, p.z);
  return x * x + y * y + z * z;
}

struct code_of {
  HINDSIGHT_HD std::uint64_t operator()(const point& p) const {
    return hindsight::morton_code_of_point<std::uint64_t>(p.x, p.y, p.z);
  }
};

/// Makes inner node i, whose leaves share the longest prefix of codes around leaf i.
struct make_node {
  const std::uint64_t* codes;
  int n;
  node* nodes;
  int* parents;  // of nodes, then of leaves

  /// How many leading bits leaves i and j share; equal codes are told apart by their places.
  HINDSIGHT_HD int shared_bits(int i, int j) const {
    if (j < 0 || j >= n) return -1;
    std::uint64_t differ = codes[i] ^ codes[j];
    int equal = 0;
    if (differ == 0) {
      differ = std::uint64_t(i ^ j) << 32;
      equal = 64;
    }
    while (!(differ >> 63)) {
      differ <<= 1;
      ++equal;
    }
    return equal;
  }

  HINDSIGHT_HD void operator()(int i) const {
    const int step = shared_bits(i, i + 1) > shared_bits(i, i - 1) ? 1 : -1;
    const int least = shared_bits(i, i - step);
    int most = 2;
    while (shared_bits(i, i + most * step) > least) most *= 2;
    int length = 0;
    for (int t = most / 2; t > 0; t /= 2)
      if (shared_bits(i, i + (length + t) * step) > least) length += t;
    const int end = i + length * step, common = shared_bits(i, end);
    int split = 0;
    for (int t = (length + 1) / 2;; t = (t + 1) / 2) {
      if (shared_bits(i, i + (split + t) * step) > common) split += t;
      if (t <= 1) break;
    }
    const int middle = i + split * step + (step < 0 ? -1 : 0);
    const int first = step < 0 ? end : i, last = step < 0 ? i : end;
    nodes[i].left = first == middle ? middle + n - 1 : middle;
    nodes[i].right = last == middle + 1 ? middle + 1 + n - 1 : middle + 1;
    parents[nodes[i].left] = parents[nodes[i].right] = i;
  }
};

/// From leaf i up: who comes to a node second finds both boxes below it.
struct make_boxes {
  const node* nodes;
  const int* parents;
  int n;
  int* visits;
  box* boxes;

  HINDSIGHT_HD void operator()(int i) const {
    for (int at = i + n - 1; at != 0;) {
      at = parents[at];
      cuda::atomic_ref<int, cuda::thread_scope_device> visit(visits[at]);
      if (visit.fetch_add(1, cuda::memory_order_acq_rel) == 0) return;
      boxes[at] = around(boxes[nodes[at].left], boxes[nodes[at].right]);
    }
  }
};

/// The squared distance of the nearest point.
struct nearest {
  const node* nodes;
  const box* boxes;
  int n;

  HINDSIGHT_HD float operator()(const point& p) const {
    int stack[128], size = 0;  // a path has at most 63 bits of code and 32 of place
    float best = 1e30f;
    stack[size++] = 0;
    while (size > 0) {
      const int at = stack[--size];
      const float distance = squared_distance(boxes[at], p);
      if (distance >= best) continue;
      if (at >= n - 1) {
        best = distance;
      } else {
        const int left = nodes[at].left, right = nodes[at].right;
        const bool left_first =
            squared_distance(boxes[left], p) < squared_distance(boxes[right], p);
        stack[size++] = left_first ? right : left;
        stack[size++] = left_first ? left : right;
      }
    }
    return best;
  }
};

struct to_box {
  HINDSIGHT_HD box operator()(const point& p) const { return {p, p}; }
};

template <class T>
T* address(thrust::device_vector<T>& items) {
  return thrust::raw_pointer_cast(items.data());
}

struct hierarchy {
  int n;
  thrust::device_vector<point> points;
  thrust::device_vector<std::uint64_t> codes;
  thrust::device_vector<node> nodes;
  thrust::device_vector<int> parents, visits;
  thrust::device_vector<box> boxes;

  explicit hierarchy(int num_points)
      : n{num_points},
        codes(n),
        nodes(n - 1),
        parents(2 * n - 1),
        visits(n - 1),
        boxes(2 * n - 1) {}

  template <class Policy>
  void build(const Policy& par, const thrust::device_vector<point>& cloud) {
    points = cloud;
    thrust::fill(par, visits.begin(), visits.end(), 0);
    // Points in the order of their codes.
    thrust::transform(par, points.begin(), points.end(), codes.begin(), code_of{});
    thrust::sort_by_key(par, codes.begin(), codes.end(), points.begin());
    // The tree over them, and its boxes.
    const thrust::counting_iterator<int> index(0);
    thrust::for_each(par, index, index + (n - 1),
                     make_node{address(codes), n, address(nodes), address(parents)});
    thrust::transform(par, points.begin(), points.end(), boxes.begin() + (n - 1), to_box{});
    thrust::for_each(
        par, index, index + n,
        make_boxes{address(nodes), address(parents), n, address(visits), address(boxes)});
  }
};

/// The least milliseconds of three builds.
template <class Policy>
double time_of(hierarchy& tree, const Policy& policy, const thrust::device_vector<point>& cloud) {
  double least = 1e30;
  for (int run = 0; run < 3; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    tree.build(policy, cloud);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  return least;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 16, num_queries = 64;
  if (n < 2) return std::puts("usage: lbvh [number of points, at least 2]"), 1;
  std::mt19937 random{1};
  std::uniform_real_distribution<float> number{0, 1};
  std::vector<point> cloud(n), asked(num_queries);
  for (point& p : cloud) p = {number(random), number(random) * number(random), number(random)};
  for (int i = 0; i < n / 8; ++i) cloud[std::size_t(i)] = cloud[0];  // equal codes, too
  for (point& p : asked) p = {number(random), number(random), number(random)};

  const thrust::device_vector<point> points = cloud;
  hierarchy tree(n);
  const double stock_ms = time_of(tree, thrust::device, points);
  const double our_ms = time_of(tree, hindsight::par, points);
  std::printf("%d points: %.2f ms, with stock %.2f ms\n", n, our_ms, stock_ms);

  const thrust::device_vector<point> queries = asked;
  thrust::device_vector<float> found(num_queries);
  thrust::transform(hindsight::par, queries.begin(), queries.end(), found.begin(),
                    nearest{address(tree.nodes), address(tree.boxes), n});

  int wrong = 0;
  for (int q = 0; q < num_queries; ++q) {
    float best = 1e30f;
    for (const point& p : cloud)
      best = smaller(best, squared_distance({p, p}, asked[std::size_t(q)]));
    const float error =
        float(found[std::size_t(q)]) - best;  // compilers may round sums of products once
    wrong += !(larger(error, -error) <= 1e-6f * best);
  }
  std::printf("nearest points of %d places: %d wrong\n", num_queries, wrong);
  std::puts(wrong == 0 ? "as expected" : "WRONG");
  return wrong == 0 ? 0 : 1;
}
