// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable sample sort by any comparator, for large inputs. A pass takes samples of its input and
// sorts them. Some of these, the splitters, are the limits of buckets. It moves each item into its
// bucket, in the order in which items come. A second pass does the same within each bucket. Then
// each block sorts a bucket. So items move three times; in a merge sort of 2^28 items they would
// move 16 times. No block waits for another.
//
// If a value is frequent, several splitters are equivalent to it. Then its items get a bucket of
// their own, which nobody has to sort. Buckets that are too large for a block are rare: samples are
// few, or items are more than 2^29. A merge sort sorts these (large_buckets.cuh).
// Source: Leischner, Osipov, Sanders 2010, "GPU Sample Sort".
#pragma once

#include <hindsight/detail/cuda/block/digit_rank.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/large_buckets.cuh>
#include <hindsight/detail/cuda/merge_tiles.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/scan.cuh>
#include <hindsight/detail/tuning/merge_sort.h>
#include <hindsight/detail/workspace.h>

#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// The most buckets that a pass makes of a part of its input: a thread of a block for each.
inline constexpr int most_buckets = 256;

/// What a pass of a sample sort knows. Its input has `num_parts` parts one behind the other: the
/// first pass has one, the second the buckets of the first. It makes `num_buckets()` of each part.
template <class Key>
struct sample_pass {
  unsigned num_parts;
  int bits;                 ///< num_buckets() is a power of two
  unsigned* begins;         ///< [num_parts + 1], where parts begin
  unsigned* first_tiles;    ///< [num_parts + 1], each part's first tile
  Key* splitters;           ///< [num_parts * num_buckets()]; the last one of each part is not used
  std::uint8_t* one_value;  ///< as many: whether a bucket's items are all equivalent
  unsigned* counts;         ///< [tiles * num_buckets()], the items of each bucket and tile; then
                            ///< where these go. A part's tiles lie together, bucket by bucket.

  HINDSIGHT_HD unsigned num_buckets() const { return 1u << bits; }
  HINDSIGHT_DEVICE unsigned tiles_of(unsigned part) const {
    return first_tiles[part + 1] - first_tiles[part];
  }
  HINDSIGHT_DEVICE unsigned* count_of(unsigned part, unsigned bucket, unsigned tile) const {
    const std::size_t own = tile - first_tiles[part];
    return counts + (std::size_t{first_tiles[part]} << bits) +
           bucket * std::size_t{tiles_of(part)} + own;
  }
  /// Where a bucket begins, if counts are places already.
  HINDSIGHT_DEVICE unsigned begin_of(unsigned part, unsigned bucket) const {
    return tiles_of(part) > 0 ? *count_of(part, bucket, first_tiles[part]) : begins[part];
  }
};

/// The buckets of a pass, one behind the other, if counts are places already.
template <class Key>
struct all_buckets {
  sample_pass<Key> pass;
  unsigned n;
  HINDSIGHT_HD std::size_t count() const { return std::size_t{pass.num_parts} << pass.bits; }
  HINDSIGHT_DEVICE unsigned begin(std::size_t bucket) const {
    return bucket == count()
               ? n
               : pass.begin_of(static_cast<unsigned>(bucket >> pass.bits),
                               static_cast<unsigned>(bucket) & (pass.num_buckets() - 1));
  }
  HINDSIGHT_DEVICE bool has_one_value(std::size_t bucket) const {
    return pass.one_value[bucket] != 0;
  }
};

/// Cuts the parts of a pass into tiles. Called by one block.
///   before  the pass before; with no parts, there is none
template <int TileItems, int BlockThreads, class Key>
HINDSIGHT_BOUNDED_KERNEL(BlockThreads, 1)
void cut_parts_kernel(sample_pass<Key> before, sample_pass<Key> pass, unsigned n) {
  static_assert(BlockThreads >= most_buckets, "a thread for each part");
  struct storage {
    unsigned warp_tiles[BlockThreads / warp_lanes];
  };
  HINDSIGHT_SHARED(shared, storage);
  ptx::wait_for_launch_before();
  const unsigned part = threadIdx.x;
  const auto begin_of = [&](unsigned p) {
    if (p >= pass.num_parts) return n;
    return before.num_parts > 0 ? before.begin_of(0, p) : 0;
  };
  const unsigned begin = begin_of(part), size = begin_of(part + 1) - begin;
  const unsigned tiles = size / TileItems + (size % TileItems != 0);
  unsigned until = cuda::warp_inclusive_fold(tiles, ::cuda::std::plus<unsigned>{});
  if (lane_index() == warp_lanes - 1) shared.warp_tiles[warp_index()] = until;
  __syncthreads();
  for (int w = 0; w < warp_index(); ++w) until += shared.warp_tiles[w];
  if (part <= pass.num_parts) {
    pass.begins[part] = begin;
    pass.first_tiles[part] = until - tiles;
  }
  if (part + 1 == BlockThreads && part < pass.num_parts) {
    pass.begins[part + 1] = n;
    pass.first_tiles[part + 1] = until;
  }
}

/// A number that looks random.
HINDSIGHT_DEVICE unsigned scrambled(unsigned x) {
  x = (x ^ x >> 16) * 0x7feb'352du;
  x = (x ^ x >> 15) * 0x846c'a68bu;
  return x ^ x >> 16;
}

/// A tuning with half as many items of a thread.
template <class Tuning>
struct with_half_lanes : Tuning {
  static constexpr int lane_items = Tuning::lane_items / 2 | 1;
  static constexpr int tile_items = Tuning::block_threads * lane_items;
};
/// Sorts a tile in shared memory of which a part may be empty. Then threads have half as many
/// items, if that suffices: so more threads have some.
template <class Tuning, class Item, class Compare>
HINDSIGHT_DEVICE void sort_staged_part(Item* staged, int count, compare_items<Compare>& compare) {
  using half = with_half_lanes<Tuning>;
  if (count <= half::tile_items) {
    cuda::sort_staged<half>(staged, count, compare);
  } else {
    cuda::sort_staged<Tuning>(staged, count, compare);
  }
}

/// Finds splitters, a block for each part.
///   Samples  the tuning of the samples' sort
template <class Samples, class In, class Key, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Samples::block_threads, Samples::sort_blocks)
void find_splitters_kernel(In in, sample_pass<Key> pass, unsigned num_samples, Compare by_key) {
  ptx::wait_for_launch_before();
  constexpr int block_threads = Samples::block_threads;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  Key* const staged = reinterpret_cast<Key*>(shared_room);
  compare_items<Compare> compare{by_key};
  const unsigned part = blockIdx.x, begin = pass.begins[part];
  const unsigned long long size = pass.begins[part + 1] - begin;
  if (size == 0) return;
  for (unsigned i = threadIdx.x; i < num_samples; i += block_threads) {
    // one of each `num_samples`-th of the part
    const unsigned long long place = (i * size + scrambled(begin + i) % size) / num_samples;
    uninitialized<Key> sample;
    in.load_key(sample, begin + place);
    cuda::write_item(staged, i, sample.get());
  }
  __syncthreads();
  cuda::sort_staged_part<Samples>(staged, static_cast<int>(num_samples), compare);
  const unsigned num_buckets = pass.num_buckets(), first = part << pass.bits;
  const auto splitter = [&](unsigned bucket) -> Key& {
    return staged[(bucket + 1) * num_samples / num_buckets];
  };
  for (unsigned b = threadIdx.x; b < num_buckets; b += block_threads) {
    const bool is_last = b + 1 == num_buckets;
    if (!is_last) cuda::write_item(pass.splitters, first + b, splitter(b));
    pass.one_value[first + b] = b > 0 && !is_last && !compare(splitter(b - 1), splitter(b));
  }
}

/// The part that a tile lies in; num_parts behind the last tile. Called by a block with a thread
/// for each part.
template <class Key>
HINDSIGHT_DEVICE unsigned part_of_tile(const sample_pass<Key>& pass, unsigned tile) {
  const unsigned p = threadIdx.x;
  const bool begins_before = p < pass.num_parts && pass.first_tiles[p] <= tile;
  const auto count = static_cast<unsigned>(__syncthreads_count(begins_before));
  return tile < pass.first_tiles[pass.num_parts] ? count - 1 : pass.num_parts;
}

/// A part's splitters in shared memory, as a binary search tree: node i has the children 2 i and
/// 2 i + 1. So threads that are at the same level find their nodes in different banks.
template <class Key>
struct splitter_tree {
  uninitialized<Key> nodes[most_buckets];
  std::uint8_t one_value[most_buckets];

  static HINDSIGHT_DEVICE unsigned node_of(unsigned splitter, int bits) {
    const int height = __ffs(static_cast<int>(splitter + 1)) - 1;
    return (1u << (bits - 1 - height)) + ((splitter + 1) >> (height + 1));
  }
  /// Returns whether a bucket has one value. Ends with a barrier.
  HINDSIGHT_DEVICE bool load(const sample_pass<Key>& pass, unsigned part) {
    const unsigned b = threadIdx.x, num_buckets = pass.num_buckets(), at = (part << pass.bits) + b;
    bool is_one = false;
    if (b < num_buckets) {
      if (b + 1 < num_buckets) nodes[node_of(b, pass.bits)].set(pass.splitters[at]);
      is_one = pass.one_value[at] != 0;
      one_value[b] = is_one;
    }
    return __syncthreads_or(is_one);
  }
  /// The bucket of an item that the search has led to `leaf`: as many splitters are not behind it.
  /// Splitters that it is equivalent to may have a bucket for their value.
  template <class Compare>
  HINDSIGHT_DEVICE unsigned bucket_of(unsigned leaf, int bits, bool any_one, Key& key,
                                      compare_items<Compare>& compare) {
    const unsigned bucket = leaf - (1u << bits);
    if (!any_one || bucket == 0 || one_value[bucket - 1] == 0) return bucket;
    return compare(nodes[node_of(bucket - 1, bits)].ref(), key) ? bucket : bucket - 1;
  }
};

/// A tile of a pass. Warps and lanes have items as in rank_digits().
template <class Tuning>
struct bucket_tile {
  static constexpr int lane_items = Tuning::lane_items, words = lane_items / 4;
  static_assert(lane_items % 4 == 0, "a word has the buckets of four items");
  std::size_t begin;  ///< its first item
  int count;          ///< its items
  std::size_t first_word;

  template <class Key>
  HINDSIGHT_DEVICE bucket_tile(const sample_pass<Key>& pass, unsigned part, unsigned tile)
      : begin{pass.begins[part] +
              std::size_t{tile - pass.first_tiles[part]} * unsigned(Tuning::tile_items)},
        count{static_cast<int>(
            ::cuda::std::min<std::size_t>(pass.begins[part + 1] - begin, Tuning::tile_items))},
        first_word{(std::size_t{tile} * unsigned(Tuning::block_threads / warp_lanes) +
                    unsigned(warp_index())) *
                       (words * warp_lanes) +
                   unsigned(lane_index())} {}
  HINDSIGHT_DEVICE int place(int i) const {
    return warp_index() * (warp_lanes * lane_items) + i * warp_lanes + lane_index();
  }
  /// Where the buckets of the thread's items 4 i to 4 i + 3 are noted.
  HINDSIGHT_DEVICE std::size_t word(int i) const { return first_word + i * warp_lanes; }
};

template <class Key>
struct find_buckets_storage {
  splitter_tree<Key> splitters;
  unsigned counts[most_buckets];
};

/// Finds and counts the buckets of items, a tile by each block.
///   words  [tiles * tile_items / 4], written: the bucket of each item, a byte
template <class Tuning, class In, class Key, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::find_blocks)
void find_buckets_kernel(In in, sample_pass<Key> pass, std::uint32_t* words, Compare by_key) {
  ptx::wait_for_launch_before();
  constexpr int lane_items = Tuning::lane_items;
  HINDSIGHT_SHARED(shared, find_buckets_storage<Key>);
  compare_items<Compare> compare{by_key};
  const unsigned tile = blockIdx.x, part = cuda::part_of_tile(pass, tile);
  const unsigned own_bucket = threadIdx.x;
  if (part == pass.num_parts) {  // a tile that does not exist
    if (own_bucket < pass.num_buckets())
      pass.counts[(std::size_t{tile} << pass.bits) + own_bucket] = 0;
    return;
  }
  const bucket_tile<Tuning> own{pass, part, tile};
  uninitialized<Key> keys[lane_items];
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i)
    in.load_key(keys[i], own.begin + ::cuda::std::min(own.place(i), own.count - 1));
  shared.counts[own_bucket] = 0;
  const bool any_one = shared.splitters.load(pass, part);

  unsigned nodes[lane_items];
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i) nodes[i] = 1;
  HINDSIGHT_ROLL
  for (int level = 0; level < pass.bits; ++level) {
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i)
      nodes[i] = 2 * nodes[i] + !compare(keys[i].ref(), shared.splitters.nodes[nodes[i]].ref());
  }
  HINDSIGHT_UNROLL
  for (int w = 0; w < lane_items / 4; ++w) {
    std::uint32_t word = 0;
    HINDSIGHT_UNROLL
    for (int i = 4 * w; i < 4 * w + 4; ++i) {
      const unsigned bucket =
          shared.splitters.bucket_of(nodes[i], pass.bits, any_one, keys[i].ref(), compare);
      if (own.place(i) < own.count) atomicAdd(&shared.counts[bucket], 1u);
      word |= bucket << i % 4 * 8;
    }
    words[own.word(w)] = word;
  }
  __syncthreads();
  if (own_bucket < pass.num_buckets())
    *pass.count_of(part, own_bucket, tile) = shared.counts[own_bucket];
}

template <class Tuning, class Item>
struct move_to_buckets_storage {
  uninitialized<Item> staged[Tuning::tile_items];
  rank_storage<most_buckets, Tuning::block_threads / warp_lanes> ranking;
  unsigned places[most_buckets];  ///< staged item j of bucket b goes to places[b] + j
  std::uint8_t buckets[Tuning::tile_items];
};

/// Moves items to their buckets, a tile by each block. In its bucket each one stays behind those
/// that come before it.
///   words  as find_buckets_kernel wrote them; pass.counts are places
template <class Tuning, class In, class Out, class Key>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::move_blocks)
void move_to_buckets_kernel(In in, Out out, sample_pass<Key> pass, const std::uint32_t* words) {
  ptx::wait_for_launch_before();
  using item = typename Out::item;
  constexpr int lane_items = Tuning::lane_items, block_threads = Tuning::block_threads;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  auto& shared = *reinterpret_cast<move_to_buckets_storage<Tuning, item>*>(shared_room);
  const unsigned tile = blockIdx.x, part = cuda::part_of_tile(pass, tile);
  if (part == pass.num_parts) return;
  const bucket_tile<Tuning> own{pass, part, tile};
  uninitialized<item> items[lane_items];
  HINDSIGHT_UNROLL
  for (int i = 0; i < lane_items; ++i)
    if (own.place(i) < own.count) in.load(items[i], own.begin + own.place(i));
  // Places without an item are ranked as the last bucket's last items.
  unsigned buckets[lane_items];
  HINDSIGHT_UNROLL
  for (int w = 0; w < lane_items / 4; ++w) {
    const std::uint32_t word = words[own.word(w)];
    HINDSIGHT_UNROLL
    for (int i = 4 * w; i < 4 * w + 4; ++i)
      buckets[i] = own.place(i) < own.count ? word >> i % 4 * 8 & 0xff : most_buckets - 1;
  }
  const auto as_it_is = [](unsigned bucket) { return bucket; };
  const unsigned own_bucket = threadIdx.x;
  const unsigned place =
      own_bucket < pass.num_buckets() ? *pass.count_of(part, own_bucket, tile) : 0;
  cuda::count_digits(buckets, as_it_is, shared.ranking);
  __syncthreads();
  unsigned count;
  shared.places[own_bucket] = place - cuda::offset_digits(shared.ranking, count);
  __syncthreads();
  item* const staged = reinterpret_cast<item*>(shared.staged);
  cuda::rank_digits(buckets, as_it_is, shared.ranking, [&](int i, unsigned rank) {
    if (own.place(i) < own.count) cuda::write_item(staged, rank, items[i].get());
    shared.buckets[rank] = static_cast<std::uint8_t>(buckets[i]);
  });
  __syncthreads();
  cuda::for_each_place<block_threads, lane_items>(own.count, [&](int thread, int row) {
    const int j = thread + row;
    out.store(shared.places[shared.buckets[j]] + static_cast<unsigned>(j), staged[j]);
  });
}

/// Sorts the buckets of more than Tuning::skipped_items that fit a tile, a block each.
///   large  those that do not fit are added, if it is not null
template <class Tuning, class Range, class Key, class Compare>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::sort_blocks)
void sort_buckets_kernel(Range items, all_buckets<Key> buckets, large_buckets large,
                         Compare by_key) {
  ptx::wait_for_launch_before();
  using item = typename Range::item;
  HINDSIGHT_DYNAMIC_SHARED(shared_room);
  item* const staged = reinterpret_cast<item*>(shared_room);
  compare_items<Compare> compare{by_key};
  const unsigned begin = buckets.begin(blockIdx.x), size = buckets.begin(blockIdx.x + 1) - begin;
  if (size <= unsigned{Tuning::skipped_items} || buckets.has_one_value(blockIdx.x)) return;
  if (size > unsigned{Tuning::tile_items}) {
    if (threadIdx.x == 0 && large.parts != nullptr)
      large.add<unsigned{Tuning::tile_items}>(begin, begin + size);
    return;
  }
  const int count = static_cast<int>(size);
  const Range own = items + begin;
  cuda::load_tile<Tuning::block_threads, Tuning::lane_items>(staged, count,
                                                             [&](int) { return own; });
  if constexpr (2 * Tuning::skipped_items < Tuning::tile_items) {
    cuda::sort_staged_part<Tuning>(staged, count, compare);
  } else {
    cuda::sort_staged<Tuning>(staged, count, compare);
  }
  cuda::for_each_place<Tuning::block_threads, Tuning::lane_items>(
      count, [&](int thread, int row) { (own + thread).store(row, staged[thread + row]); });
}

/// How a sample sort splits n items: into 2^bits[0] parts, and each of these into 2^bits[1]
/// buckets.
template <class Tuning>
struct sample_sort_plan {
  std::size_t n;
  int bits[2] = {1, 1};
  explicit sample_sort_plan(std::size_t num_items) : n{num_items} {
    for (int i = 0; n >> (bits[0] + bits[1]) > Tuning::bucket_items; i = 1 - i) {
      if (1 << bits[i] == most_buckets) break;
      ++bits[i];
    }
  }
  std::size_t num_parts(int pass) const { return pass == 0 ? 1 : std::size_t{1} << bits[0]; }
  std::size_t num_splitters(int pass) const { return num_parts(pass) << bits[pass]; }
  /// At least so many tiles have items.
  std::size_t most_tiles(int pass) const { return n / Tuning::tile_items + num_parts(pass); }
  std::size_t num_counts(int pass) const { return most_tiles(pass) << bits[pass]; }
};

/// A sample sort's temporary memory.
template <class Tuning, class Key, class Value>
struct sample_sort_memory {
  item_range<Key, Value> buffer{nullptr, nullptr};
  std::uint32_t* words;
  large_buckets large;
  sample_pass<Key> passes[2];

  sample_sort_memory(carver& space, const sample_sort_plan<Tuning>& plan) {
    buffer.keys = space.take<Key>(plan.n);
    if (buffer.has_values) buffer.values = space.take<Value>(plan.n);
    words = space.take<std::uint32_t>(plan.most_tiles(1) * (Tuning::tile_items / 4));
    large = {space.take<bucket_part>(
                 large_buckets::most_parts(plan.n, Tuning::medium_buckets::tile_items)),
             space.take<large_buckets::totals>(1)};
    auto* const counts =
        space.take<unsigned>(::cuda::std::max(plan.num_counts(0), plan.num_counts(1)));
    for (int p = 0; p < 2; ++p) {
      const auto num_parts = static_cast<unsigned>(plan.num_parts(p));
      passes[p] = {num_parts,
                   plan.bits[p],
                   space.take<unsigned>(num_parts + 1),
                   space.take<unsigned>(num_parts + 1),
                   space.take<Key>(plan.num_splitters(p)),
                   space.take<std::uint8_t>(plan.num_splitters(p)),
                   counts};
    }
  }
};

/// A pass: out = in, moved to the buckets.
///   scan(counts, n)  counts = where they go
template <class Tuning, class Scan, class In, class Key, class Value, class Compare>
cudaError_t move_to_buckets(const Scan& scan, In in, item_range<Key, Value> out,
                            const sample_pass<Key>& before, const sample_pass<Key>& pass,
                            std::size_t n, std::uint32_t* words, Compare compare,
                            cudaStream_t stream) {
  using samples = typename Tuning::samples;
  constexpr auto cut_parts = cut_parts_kernel<Tuning::tile_items, most_buckets, Key>;
  constexpr auto find_splitters = find_splitters_kernel<samples, In, Key, Compare>;
  constexpr auto find_buckets = find_buckets_kernel<Tuning, In, Key, Compare>;
  const auto num_samples = static_cast<unsigned>(::cuda::std::min<std::size_t>(
      pass.num_buckets() * Tuning::samples_of_bucket, samples::tile_items));
  const std::size_t sample_bytes = samples::tile_items * sizeof(Key);
  constexpr auto move = move_to_buckets_kernel<Tuning, In, item_range<Key, Value>, Key>;
  constexpr std::size_t move_bytes =
      sizeof(move_to_buckets_storage<Tuning, typename item_range<Key, Value>::item>);
  HINDSIGHT_TRY(allow_shared_bytes(find_splitters, sample_bytes));
  HINDSIGHT_TRY(allow_shared_bytes(move, move_bytes));
  const std::size_t num_tiles = n / Tuning::tile_items + pass.num_parts;
  const auto blocks = static_cast<unsigned>(num_tiles);
  HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(1, int(most_buckets), 0, stream, cut_parts)(
      before, pass, static_cast<unsigned>(n)));
  HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(pass.num_parts, samples::block_threads, sample_bytes, stream,
                                      find_splitters)(in, pass, num_samples, compare));
  HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(blocks, Tuning::block_threads, 0, stream, find_buckets)(
      in, pass, words, compare));
  HINDSIGHT_TRY(scan(pass.counts, num_tiles << pass.bits));
  return HINDSIGHT_LAUNCH_NEXT(blocks, Tuning::block_threads, move_bytes, stream, move)(
      in, out, pass, words);
}

/// Sorts the buckets of more than Tuning::skipped_items that fit a tile.
template <class Tuning, class Range, class Key, class Compare>
cudaError_t sort_buckets(Range items, const all_buckets<Key>& buckets, const large_buckets& large,
                         Compare compare, cudaStream_t stream) {
  constexpr auto sort = sort_buckets_kernel<Tuning, Range, Key, Compare>;
  constexpr std::size_t shared_bytes = Tuning::tile_items * sizeof(typename Range::item);
  HINDSIGHT_TRY(allow_shared_bytes(sort, shared_bytes));
  return HINDSIGHT_LAUNCH_NEXT(static_cast<unsigned>(buckets.count()), Tuning::block_threads,
                               shared_bytes, stream, sort)(items, buckets, large, compare);
}

/// out = in, stably sorted, in CUB's two phases. `out` are arrays, and may be `in`.
///   n  from 1 to most_items
///   Memory  room for n keys and values, and 1.7 bytes or fewer for each
template <class Tuning, class In, class Key, class Value, class Compare>
cudaError_t sample_sort(void* temp, std::size_t& temp_bytes, In in, item_range<Key, Value> out,
                        std::size_t n, Compare compare, cudaStream_t stream) {
  const sample_sort_plan<Tuning> plan{n};
  carver space{temp};
  const sample_sort_memory<Tuning, Key, Value> memory{space, plan};
  const auto& [first, second] = memory.passes;
  const item_range<Key, Value> buffer = memory.buffer;
  // counts = where they go. Not by a pipeline: they are few.
  cuda::nested_call scan{
      [=](void* buffer, std::size_t& bytes, unsigned* counts, std::size_t count) {
        return cuda::scan<unsigned, exclusive, false>(buffer, bytes, counts, counts, count,
                                                      ::cuda::std::plus<unsigned>{}, 0u, stream);
      }};
  const std::size_t most_counts = ::cuda::std::max(plan.num_counts(0), plan.num_counts(1));
  HINDSIGHT_TRY(scan.take_memory(space, second.counts, most_counts));
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;
  HINDSIGHT_TRY(cudaMemsetAsync(memory.large.all, 0, sizeof(large_buckets::totals), stream));
  const sample_pass<Key> none{};
  HINDSIGHT_TRY(cuda::move_to_buckets<Tuning>(scan, in, buffer, none, first, n, memory.words,
                                              compare, stream));
  HINDSIGHT_TRY(cuda::move_to_buckets<Tuning>(scan, buffer, out, first, second, n, memory.words,
                                              compare, stream));
  const all_buckets<Key> buckets{second, static_cast<unsigned>(n)};
  const large_buckets no_list{};
  HINDSIGHT_TRY(
      (cuda::sort_buckets<typename Tuning::small_buckets>(out, buckets, no_list, compare, stream)));
  HINDSIGHT_TRY((cuda::sort_buckets<typename Tuning::medium_buckets>(out, buckets, memory.large,
                                                                     compare, stream)));
  return cuda::sort_large_buckets<typename Tuning::medium_buckets>(out, buffer, memory.large, n,
                                                                   compare, stream);
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
