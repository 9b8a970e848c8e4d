// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least or the greatest item and its place, in one launch: each block finds one in its strip of
// the input, and the block that finishes last picks among them.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/cuda/clear.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/iterator.cuh>
#include <hindsight/detail/cuda/placed_item.cuh>
#include <hindsight/detail/cuda/reduce.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/loads.h>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// Items of a tile of a thread, and how many of them one load brings: 128 bytes of an array, or
/// what comparisons look at in eight of its items; of computed items 64 bytes.
template <class It, class T = value_of<It>>
HINDSIGHT_HD constexpr reduce_order extremum_order() {
  constexpr int bytes = static_cast<int>(sizeof(T));
  if (!std::is_pointer_v<It>) return {256, bytes < 16 ? 64 / bytes : 4, 1};
  constexpr bool has_vectors = std::is_trivially_copyable_v<T> && 16 % bytes == 0;
  return {256, bytes < 16 ? 128 / bytes : 8, has_vectors ? 16 / bytes : 1};
}

/// Where extrema are looked for. `Found` is placed, or placed_pair.
template <class Found, class It>
struct placed_input {
  using value = Found;
  using item = cuda::value_of<It>;
  static constexpr bool is_in_memory = Found::one_item::in_memory;
  HINDSIGHT_HD static constexpr reduce_order order() { return extremum_order<It>(); }
  static constexpr bool has_vectors = order().vector > 1;
  /// The smallest tile, of which each thread loads once.
  static constexpr std::size_t least_tile_items = order().block_threads * order().vector;
  It in;
  std::size_t n;
  std::size_t tile;  ///< items of one; fewer than order() says where more blocks then have some
  bool vectors;      ///< read `vector` neighbours at a time

  HINDSIGHT_HD std::size_t tile_items() const { return tile; }

  /// What this thread finds in a strip: tiles strip, strip + num_strips, and so on. A thread
  /// without items finds one that another thread has.
  template <class Pick>
  HINDSIGHT_DEVICE Found find(std::size_t strip, std::size_t num_strips, const Pick& pick) const {
    if constexpr (has_vectors) {
      if (vectors) return find_by<reads::vectors>(strip, num_strips, pick);
    }
    return find_by<reads::items>(strip, num_strips, pick);
  }

 private:
  HINDSIGHT_DEVICE Found at(std::size_t place) const {
    return Found(typename Found::one_item(read(place), place));
  }
  HINDSIGHT_DEVICE decltype(auto) read(std::size_t place) const {
    if constexpr (is_in_memory) {
      return (in[place]);
    } else {
      return cuda::as_item<item>(in[place]);
    }
  }

  /// Number i of this thread's items of a tile.
  template <int Vector>
  HINDSIGHT_DEVICE static int offset(int i) {
    return (i / Vector * order().block_threads + int(threadIdx.x)) * Vector + i % Vector;
  }

  template <reads Reads, class Pick>
  HINDSIGHT_DEVICE Found find_by(std::size_t strip, std::size_t num_strips,
                                 const Pick& pick) const {
    constexpr int vector = Reads == reads::vectors ? order().vector : 1;
    constexpr std::size_t full = order().tile_items();
    std::size_t begin = strip * tile;
    const std::size_t end = tile < full ? ::cuda::std::min<std::size_t>(n, begin + tile) : n;
    if (end - begin < full) return find_in_part<vector>(begin, int(end - begin), pick);
    const Found found = find_in_full_tiles<vector>(begin, num_strips * tile, pick);
    if (begin >= end) return found;
    return pick(found, find_in_part<vector>(begin, int(end - begin), pick));
  }

  /// What this thread finds in the full tiles at begin, begin + stride, and so on, of which there
  /// is at least one. Moves `begin` behind them.
  template <int Vector, class Pick>
  HINDSIGHT_DEVICE Found find_in_full_tiles(std::size_t& begin, std::size_t stride,
                                            const Pick& pick) const {
    constexpr reduce_order o = order();
    const auto place_of = [&](int i) { return begin + offset<Vector>(i); };
    best_item<Found> best(read(place_of(0)), place_of(0));
    int seen = 1;  // items of this tile
    for (; begin + o.tile_items() <= n; begin += stride) {
      if constexpr (is_in_memory) {
        HINDSIGHT_UNROLL
        for (int i = 0; i < o.items; ++i) {
          if (i >= seen) best.look_at(in[place_of(i)], i, pick);
        }
      } else {
        uninitialized<item> next[o.items];
        HINDSIGHT_UNROLL
        for (int i = 0; i < o.items; i += Vector) load<Vector>(place_of(i), next + i);
        HINDSIGHT_UNROLL
        for (int i = 0; i < o.items; ++i) best.look_at(next[i].get(), i, pick);
      }
      best.finish_tile(place_of);
      seen = 0;
    }
    return best.placed(*this);
  }

  /// The same of the first `count` items of a tile, whole vectors first. A thread without items
  /// takes the last one. (Few items of an array are not worth a copy of the best one.)
  template <int Vector, class Pick>
  HINDSIGHT_DEVICE Found find_in_part(std::size_t begin, int count, const Pick& pick) const {
    constexpr int items = order().items;
    const int in_vectors = count - count % Vector;
    const int other = in_vectors + int(threadIdx.x);
    const int first = offset<Vector>(0) < in_vectors ? offset<Vector>(0) : min(other, count - 1);
    if constexpr (is_in_memory) {
      Found best = at(begin + first);
      HINDSIGHT_ROLL
      for (int i = first + order().block_threads; i < count; i += order().block_threads)
        best = pick(best, at(begin + i));
      return best;
    } else {
      const auto place_of = [&](int i) { return begin + (i < items ? offset<Vector>(i) : other); };
      best_item<Found> best(read(begin + first), begin + first);
      constexpr int ahead = Vector > 1 ? 4 * Vector : items_read_ahead<It>;
      HINDSIGHT_ROLL
      for (int i = 0; offset<Vector>(i) < in_vectors; i += ahead) {
        uninitialized<item> next[ahead];
        HINDSIGHT_UNROLL
        for (int k = 0; k < ahead; k += Vector) {
          if (offset<Vector>(i + k) < in_vectors) load<Vector>(place_of(i + k), next + k);
        }
        HINDSIGHT_UNROLL
        for (int k = 0; k < ahead; k += Vector) {
          if (offset<Vector>(i + k) >= in_vectors) break;
          HINDSIGHT_UNROLL
          for (int j = 0; j < Vector; ++j) best.look_at(next[k + j].get(), i + k + j, pick);
        }
      }
      if (other < count) best.look_at(read(begin + other), items, pick);
      best.finish_tile(place_of);
      return best.placed(*this);
    }
  }

  template <int Vector>
  HINDSIGHT_DEVICE void load(std::size_t place, uninitialized<item>* to) const {
    if constexpr (Vector > 1) {
      cuda::load_aligned<Vector>(in + place, to);
    } else {
      to->set(read(place));
    }
  }
};

/// What `pick` finds among the values of so many neighbouring lanes, in each of them. (Comparisons
/// in memory wait for memory, and may be long: one copy of the code is enough.)
template <int Lanes, class Found, class Pick>
HINDSIGHT_DEVICE Found pick_in_lanes(const Found& value, const Pick& pick) {
  if constexpr (Found::one_item::in_memory) {
    uninitialized<Found> best;
    best.set(value);
    HINDSIGHT_ROLL
    for (int distance = 1; distance < Lanes; distance *= 2)
      best.set(pick(best.get(), cuda::shuffle_from(best.get(), lane_index() ^ distance)));
    return best.get();
  } else {
    return cuda::warp_butterfly_fold<Lanes>(value, pick);
  }
}

/// What `pick` finds among the values of all threads, in each of them.
template <int BlockThreads, class Found, class Pick>
HINDSIGHT_DEVICE Found pick_in_block(const Found& value, const Pick& pick,
                                     uninitialized<Found>* shared_warps) {
  const Found best = cuda::pick_in_lanes<warp_lanes>(value, pick);
  if (lane_index() == 0) shared_warps[warp_index()].set(best);
  __syncthreads();
  constexpr int warps = BlockThreads / warp_lanes;
  return cuda::pick_in_lanes<warps>(shared_warps[lane_index() % warps].get(), pick);
}

/// *result = what `pick` finds in the input. Each block looks through a strip, and the one that
/// finishes last picks among what all have found.
///   found  [num_strips], unused for one strip
template <class Input, class Pick, class ResultIt, class Strips>
HINDSIGHT_BOUNDED_KERNEL((Input::order().block_threads), 0)
void extremum_kernel(Input input, Pick pick, ResultIt result, Strips strips,
                     typename Input::value* found, launch_state* state) {
  using Found = typename Input::value;
  constexpr int block_threads = Input::order().block_threads;
  const unsigned num_strips = cuda::count_strips(strips, input);
  if constexpr (!std::is_same_v<Strips, unsigned>) {
    if (num_strips == 0 && blockIdx.x == 0 && threadIdx.x == 0) *result = no_item{};
  }
  if (blockIdx.x >= num_strips) return;
  HINDSIGHT_SHARED(shared, reduce_storage<Found, block_threads / warp_lanes>);

  uninitialized<Found> best;
  best.set(cuda::pick_in_block<block_threads>(input.find(blockIdx.x, num_strips, pick), pick,
                                              shared.warps));
  if (num_strips > 1) {
    if (threadIdx.x == 0) {
      found[blockIdx.x] = best.get();
      shared.is_last = detail::count_finished(state) == num_strips;
    }
    __syncthreads();
    if (!shared.is_last) return;
    best.set(found[min(threadIdx.x, num_strips - 1)]);
    for (unsigned s = threadIdx.x + block_threads; s < num_strips; s += block_threads)
      best.set(pick(best.get(), found[s]));
    best.set(cuda::pick_in_block<block_threads>(best.get(), pick, shared.warps));
  }
  if (threadIdx.x == 0) *result = pick(no_item{}, best.get());
}

/// The result of a reduction to a placed item: *item_out and *place_out; for an empty range nothing
/// is written.
template <class ItemOut, class PlaceOut>
struct write_placed {
  ItemOut item_out;
  PlaceOut place_out;
  HINDSIGHT_HD const write_placed& operator*() const { return *this; }
  template <class T, bool InMemory>
  HINDSIGHT_DEVICE const write_placed& operator=(const placed<T, InMemory>& found) const {
    *item_out = found.item();
    if constexpr (only_writes<PlaceOut>) {
      *place_out = found.place;
    } else {
      *place_out = static_cast<value_of<PlaceOut>>(found.place);
    }
    return *this;
  }
  HINDSIGHT_DEVICE const write_placed& operator=(no_item) const { return *this; }
};

/// The place alone, or both places of a pair: out[0] and out[1].
struct write_place {
  std::size_t* out;
  HINDSIGHT_HD const write_place& operator*() const { return *this; }
  template <class T, bool InMemory>
  HINDSIGHT_DEVICE const write_place& operator=(const placed<T, InMemory>& found) const {
    out[0] = found.place;
    return *this;
  }
  template <class Placed>
  HINDSIGHT_DEVICE const write_place& operator=(const placed_pair<Placed>& found) const {
    out[0] = found.least.place;
    out[1] = found.greatest.place;
    return *this;
  }
  HINDSIGHT_DEVICE const write_place& operator=(no_item) const { return *this; }
};

/// Items of a tile: as many as order() says, or fewer where that leaves multiprocessors without
/// work. A few items are all in one.
template <class Input>
std::size_t extremum_tile_items(std::size_t n, std::size_t multiprocessors) {
  using tuning = extremum_tuning;
  constexpr std::size_t full = Input::order().tile_items(), least = Input::least_tile_items;
  if (n <= ::cuda::std::min(full, tuning::block_alone_bytes / sizeof(typename Input::item)))
    return full;
  const std::size_t share = (n - 1) / multiprocessors + 1;
  return ::cuda::std::min(full, (share + least - 1) / least * least);
}

/// Host side, in CUB's two phases. `Found` is what `pick` picks.
template <class Found, class It, class Size, class Pick, class Write>
cudaError_t extremum(temporary_memory temp, std::size_t& temp_bytes, It in, Size num_items,
                     Pick pick, Write write, cudaStream_t stream) {
  const auto items = cuda::unwrap(in);
  using input_t = placed_input<Found, unwrapped<It>>;
  using strips_t = decltype(cuda::strips_of(num_items, 0));
  constexpr auto kernel = extremum_kernel<input_t, Pick, Write, strips_t>;
  constexpr int block_threads = input_t::order().block_threads;
  std::size_t most_strips = 0;
  int multiprocessors = 0;
  HINDSIGHT_TRY(resident_blocks<kernel>(block_threads, most_strips));
  HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
  const std::size_t n = detail::most_items(num_items);
  const std::size_t tile = extremum_tile_items<input_t>(n, std::size_t(multiprocessors));
  const std::size_t num_strips = ::cuda::std::min(n > 0 ? (n - 1) / tile + 1 : 0, most_strips);

  carver space{temp};  // enough for fewer items, too: they may have more strips
  launch_state* state = num_strips > 1 ? space.take<launch_state>(1) : nullptr;
  Found* const found = num_strips > 1 ? space.take<Found>(most_strips) : nullptr;
  if (cudaError_t status; !cuda::has_room(space, temp_bytes, status)) return status;

  if (n == 0) return cuda::store(no_item{}, write, stream);
  if (state) HINDSIGHT_TRY(cuda::provide_zeroed(space, state, 1, stream));
  bool vectors = false;
  if constexpr (input_t::has_vectors) vectors = reinterpret_cast<std::size_t>(items) % 16 == 0;
  HINDSIGHT_LAUNCH(static_cast<unsigned>(num_strips), block_threads, 0, stream, kernel)
  (input_t{items, n, tile, vectors}, pick, write, cuda::strips_of(num_items, num_strips), found,
   state);
  return detail::reported(cudaPeekAtLastError());
}

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
