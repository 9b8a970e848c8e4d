// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The k lowest of n numbers, digit by digit from the highest on. A round counts the next digit of
// all candidates. From the counts each block finds the digit of the k-th lowest number; numbers
// that have it stay candidates. All rounds are one launch.
//
// If k is a small part of n, the rounds look at a list only: of the numbers up to one that is a
// little higher than the k-th lowest, as a sample tells. If few numbers are left, no further digit
// is needed: their ranks are counted.
#pragma once

#include <hindsight/detail/board/phased_work.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/rank_selected.cuh>
#include <hindsight/detail/cuda/selection_round.cuh>
#include <hindsight/detail/cuda/selection_sample.cuh>
#include <hindsight/detail/ptx.cuh>
#include <hindsight/detail/reported.cuh>
#include <hindsight/detail/tuning/radix_select.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What a round does with a number.
template <class Tuning, class Number>
struct selection_step {
  selection_storage<Tuning, Number>& shared;
  warp_appender<Number> selected, listed;
  bool selects, counts, lists;
  /// Candidates are the numbers in [first, first + candidate_span].
  Number first, candidate_span;
  /// This round decides about numbers in [pending_first, pending_first + pending_span]: the
  /// candidates of the last round, up to the highest one of this round.
  Number pending_first, pending_span;
  digit_of_round<Tuning> digit;

  HINDSIGHT_DEVICE selection_step(const selection<Tuning, Number>& all,
                                  const selection_progress<Number>& now,
                                  selection_storage<Tuning, Number>& storage)
      : shared{storage},
        selected{storage.selected[warp_index()], all.selected, all.k, &all.state->num_selected},
        listed{storage.listed[warp_index()], all.list_of(now.round), all.list_room,
               &all.rounds[now.round + 1].num_listed},
        selects{all.selected != nullptr},
        counts{now.counts()},
        lists{counts && now.num_candidates <= all.list_room},
        first{now.first},
        candidate_span{cuda::lowest_bits<Number>(now.undecided)},
        pending_first{now.first_before},
        pending_span{static_cast<Number>((first | candidate_span) - pending_first)},
        digit{now.undecided} {}

  HINDSIGHT_DEVICE bool is_pending(Number number) const {
    return static_cast<Number>(number - pending_first) <= pending_span;
  }
  /// Takes one number of each lane, if this round decides about it; all lanes call it.
  HINDSIGHT_DEVICE void take(bool pending, Number number) {
    const bool is_candidate =
        counts && pending && static_cast<Number>(number - first) <= candidate_span;
    if (selects) selected.append(pending && !is_candidate, number);
    if (lists) listed.append(is_candidate, number);
    if (counts) cuda::count_in_warp(is_candidate, digit(number), shared.counts);
  }
  /// Writes what is left, behind the last number; all lanes call it.
  HINDSIGHT_DEVICE void finish() {
    selected.finish();
    listed.finish();
  }
};

/// Calls visit(exists, place, load(place)) for the places of [0, size) that are in one of as many
/// pieces as there are blocks. All lanes of a warp call it together; several loads of a thread are
/// under way at once. Rows in which no item matters are skipped.
template <class Tuning, class Load, class Matters, class Visit>
HINDSIGHT_DEVICE void for_each_loaded(std::size_t size, unsigned piece, Load load, Matters matters,
                                      Visit visit) {
  using item = decltype(load(size));
  constexpr int lane_items = Tuning::lane_items, block_threads = Tuning::block_threads;
  for (std::size_t begin = piece * Tuning::tile_items; begin < size;
       begin += gridDim.x * Tuning::tile_items) {
    const std::size_t first = begin + threadIdx.x;
    item items[lane_items];
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i)
      items[i] = first + i * block_threads < size ? load(first + i * block_threads) : item{0};
    bool any_matters = false;
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i) any_matters |= matters(items[i]);
    if (!__any_sync(all_lanes, any_matters)) continue;
    HINDSIGHT_UNROLL
    for (int i = 0; i < lane_items; ++i)
      visit(first + i * block_threads < size, first + i * block_threads, items[i]);
  }
}

/// Which items matter in a round: here all do.
struct all_matter {
  template <class Item>
  HINDSIGHT_DEVICE bool operator()(const Item&) const {
    return true;
  }
};

/// The first round: counts the highest digits of all numbers, or of those on the list. If this
/// digit is all key bits, places are not looked at.
template <class Tuning, class Number, class Input>
HINDSIGHT_DEVICE void count_all(const Input& input, std::size_t n, unsigned piece, int num_bits,
                                selection_storage<Tuning, Number>& shared) {
  using key_bits_t = typename Input::key_bits_t;
  constexpr int place_bits = Input::place_bits;
  constexpr bool by_key_bits = place_bits == 0 || int(sizeof(key_bits_t)) * 8 >= Tuning::digit_bits;
  using digits_t = std::conditional_t<by_key_bits, key_bits_t, Number>;
  const digit_of_round<Tuning> digit{by_key_bits ? num_bits - place_bits : num_bits};
  thread_seen_bits<digits_t> seen;
  const auto load = [&](std::size_t i) -> digits_t {
    if constexpr (by_key_bits) {
      return input.key_bits(i);
    } else {
      return input.number_of(input.key_bits(i), i);
    }
  };
  const auto count = [&](bool exists, std::size_t, digits_t number) {
    if (exists) seen.see(number);
    cuda::count_in_warp(exists, digit(number), shared.counts);
  };
  cuda::for_each_loaded<Tuning>(n, piece, load, all_matter{}, count);
  const auto as_number = [](digits_t bits) {
    if constexpr (by_key_bits && place_bits > 0) {  // all bits of the places vary
      return static_cast<Number>(static_cast<Number>(bits) << place_bits) |
             cuda::lowest_bits<Number>(place_bits);
    } else {
      return static_cast<Number>(bits);
    }
  };
  const thread_seen_bits<Number> all_seen{as_number(seen.ones), as_number(seen.zeros)};
  all_seen.gather(shared.seen);
}

/// A later round. It selects those candidates of the last round that are lower than all present
/// ones, and counts the next digit of the present ones. If these are all among the k, it selects
/// them, too.
template <class Tuning, class Number, class Input>
HINDSIGHT_DEVICE void narrow_down(const Input& input, const selection<Tuning, Number>& all,
                                  const selection_progress<Number>& now, unsigned piece,
                                  selection_step<Tuning, Number>& step) {
  using key_bits_t = typename Input::key_bits_t;
  constexpr int place_bits = Input::place_bits;
  if (now.list_size > 0) {
    const Number* const list = all.list_for(now.round);
    const auto load = [&](std::size_t i) { return list[i]; };
    const auto take = [&](bool exists, std::size_t, Number number) {
      step.take(exists && step.is_pending(number), number);
    };
    return cuda::for_each_loaded<Tuning>(now.list_size, piece, load, all_matter{}, take);
  }
  // Before bits of places are decided, the key bits alone tell whether a number is pending.
  const bool by_key_bits = now.undecided >= place_bits;
  const auto pending_first = static_cast<key_bits_t>(step.pending_first >> place_bits);
  const auto pending_span = static_cast<key_bits_t>(step.pending_span >> place_bits);
  const auto may_be_pending = [=](key_bits_t key_bits) {
    return !by_key_bits || static_cast<key_bits_t>(key_bits - pending_first) <= pending_span;
  };
  const auto load = [&](std::size_t i) { return input.key_bits(i); };
  const auto take = [&](bool exists, std::size_t place, key_bits_t key_bits) {
    const bool is_asked = exists && may_be_pending(key_bits);
    if (!__any_sync(all_lanes, is_asked)) return;
    const Number number = input.number_of(key_bits, place);
    step.take(is_asked && step.is_pending(number), number);
  };
  cuda::for_each_loaded<Tuning>(all.n, piece, load, may_be_pending, take);
}

/// A list, as an input of which all bits count.
template <class Number>
struct numbers_on_list {
  using key_bits_t = Number;
  static constexpr int place_bits = 0;
  const Number* list;
  HINDSIGHT_DEVICE Number key_bits(std::size_t i) const { return list[i]; }
  HINDSIGHT_DEVICE Number number_of(Number number, std::size_t) const { return number; }
};

/// A piece of a round.
///   input  key_bits(i) of item i of [n], and number_of(key_bits, i)
template <class Tuning, class Number, class Input>
HINDSIGHT_DEVICE void do_piece(const Input& input, const selection<Tuning, Number>& all,
                               const selection_progress<Number>& now, unsigned piece,
                               selection_storage<Tuning, Number>& shared) {
  for (int i = threadIdx.x; i < Tuning::num_digits; i += Tuning::block_threads)
    shared.counts[i] = 0;
  if (threadIdx.x == 0) shared.seen = {};
  __syncthreads();
  if (now.round > 0) {
    selection_step<Tuning, Number> step{all, now, shared};
    cuda::narrow_down(input, all, now, piece, step);
    step.finish();
  } else if (now.list_size > 0) {
    const numbers_on_list<Number> list{all.list_for(0)};
    cuda::count_all<Tuning>(list, now.list_size, piece, now.undecided, shared);
  } else {
    cuda::count_all<Tuning>(input, all.n, piece, now.undecided, shared);
  }
  __syncthreads();
  if (!now.counts()) return;
  const bool is_all = now.round == 0 && now.list_size == 0;  // else those of the list are known
  if (is_all) cuda::gather_bits(shared.seen, all.state->seen);
  auto* const counts = all.rounds[now.round].counts;
  for (int i = threadIdx.x; i < Tuning::num_digits; i += Tuning::block_threads)
    if (shared.counts[i] > 0) atomicAdd(counts + i, 1ull * shared.counts[i]);
}

/// All rounds. Each has as many pieces as there are blocks, which claim them. So a round ends when
/// the blocks that run have done all pieces, and no block waits for one that has not started.
template <class Tuning, class Number, class Input>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::blocks)
void select_rounds_kernel(Input input, selection<Tuning, Number> all) {
  HINDSIGHT_SHARED(shared, selection_storage<Tuning, Number>);
  ptx::wait_for_launch_before();
  if (threadIdx.x == 0) shared.now = cuda::at_first_round(all);
  __syncthreads();
  if (shared.now.is_over) {
    if (blockIdx.x == 0 && threadIdx.x == 0) all.state->result = shared.now;
    return;
  }
  const phased_work work{&all.state->work, gridDim.x};
  work.for_own_pieces(all.most_rounds() + 1, shared.ticket, [&](unsigned round, unsigned piece) {
    while (shared.now.round < round) cuda::choose_digit(all, shared);
    const selection_progress<Number>& now = shared.now;
    if (now.is_over && piece == 0 && threadIdx.x == 0) all.state->result = now;
    const std::size_t size = now.list_size > 0 ? now.list_size : all.n;
    if (!now.is_over && piece * Tuning::tile_items < size)
      cuda::do_piece(input, all, now, piece, shared);
    return !now.is_over;
  });
}

/// Lists the numbers whose key bits are at most the bound, for the first round. If the list does
/// not have the k lowest, or has no room for all, the rounds read all numbers. They do so, too, if
/// many samples are equal to the bound: then no list is written.
template <class Tuning, class Number, class Input>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::blocks)
void list_lowest_kernel(Input input, selection<Tuning, Number> all,
                        const sampled_bound<typename Input::key_bits_t>* sampled) {
  using key_bits_t = typename Input::key_bits_t;
  HINDSIGHT_SHARED(shared, selection_storage<Tuning, Number>);
  ptx::wait_for_launch_before();
  if (sampled->num_samples > Tuning::num_samples / (2 * Tuning::list_part)) return;
  const key_bits_t bound = sampled->key_bits;
  warp_appender<Number> listed{shared.listed[warp_index()], all.lists[0], all.list_room,
                               &all.rounds[0].num_listed};
  if (threadIdx.x == 0) shared.seen = {};
  __syncthreads();
  thread_seen_bits<Number> seen;
  const auto load = [&](std::size_t i) { return input.key_bits(i); };
  const auto matters = [=](key_bits_t key_bits) { return key_bits <= bound; };
  const auto list = [&](bool exists, std::size_t place, key_bits_t key_bits) {
    const Number number = input.number_of(key_bits, place);
    const bool is_listed = exists && matters(key_bits);
    if (is_listed) seen.see(number);
    listed.append(is_listed, number);
  };
  cuda::for_each_loaded<Tuning>(all.n, blockIdx.x, load, matters, list);
  listed.finish();
  seen.gather(shared.seen);
  __syncthreads();
  cuda::gather_bits(shared.seen, all.state->seen);
}

/// Finds the k lowest of n numbers of `num_bits` bits, or only the k-th, in CUB's two phases: the
/// caller carves, and clears. The device does not wait for the host.
template <class Number, class Input, class Tuning = radix_select_tuning>
class radix_selection {
 public:
  /// Requires 0 < k <= n.
  radix_selection(Input input, std::size_t n, std::size_t k, int num_bits) : input_{input} {
    all_.n = n;
    all_.k = k;
    all_.num_bits = num_bits;
    const std::size_t part = n / Tuning::list_part;
    all_.list_room = ::cuda::std::min<std::size_t>(
        n, part > Tuning::always_listed ? part : Tuning::always_listed);
  }
  void carve(carver& space) {
    samples_ = space.take<key_bits_t>(Tuning::num_samples);
    bound_ = space.take<bound>(1);
    all_.state = space.take<selection_state<Number>>(1);
    all_.rounds = space.take<selection_sums<Tuning>>(all_.most_rounds() + 1);
    for (Number*& list : all_.lists) list = space.take<Number>(all_.list_room);
  }
  cudaError_t clear(cudaStream_t stream) const {
    const auto begin = reinterpret_cast<char*>(all_.state);
    const auto end = reinterpret_cast<char*>(all_.rounds + all_.most_rounds() + 1);
    return detail::reported(
        cudaMemsetAsync(begin, 0, static_cast<std::size_t>(end - begin), stream));
  }
  /// Makes a list of the lowest numbers, so that the rounds read no others. Two launches.
  ///   sample_rank  what sample_rank() says
  cudaError_t list_lowest(std::size_t sample_rank, cudaStream_t stream) const {
    constexpr auto sample = sample_kernel<Tuning, Number, Input>;
    HINDSIGHT_TRY(
        HINDSIGHT_LAUNCH_NEXT(Tuning::sample_blocks, Tuning::sample_threads, 0, stream, sample)(
            input_, all_.n, static_cast<unsigned>(sample_rank), samples_, bound_, all_.state));
    unsigned blocks = 0;
    HINDSIGHT_TRY(num_blocks(blocks));
    constexpr auto list_lowest = list_lowest_kernel<Tuning, Number, Input>;
    return HINDSIGHT_LAUNCH_NEXT(blocks, Tuning::block_threads, 0, stream, list_lowest)(
        input_, all_, bound_);
  }
  /// Writes the k lowest to `selected`, in no order, if it is not null.
  ///   few  at least k, or 0. If so many numbers are left at most, a list has them: result() tells
  ///        which. They include the k lowest.
  cudaError_t operator()(Number* selected, std::size_t few, cudaStream_t stream) const {
    auto all = all_;
    all.selected = selected;
    all.few = few;
    unsigned blocks = 0;
    HINDSIGHT_TRY(num_blocks(blocks));
    constexpr auto select_rounds = select_rounds_kernel<Tuning, Number, Input>;
    return HINDSIGHT_LAUNCH_NEXT(blocks, Tuning::block_threads, 0, stream, select_rounds)(input_,
                                                                                          all);
  }
  /// write(rank, number) for the k lowest, after a selection that was told of `few`:
  /// Tuning::most_ranked.
  template <class Write>
  cudaError_t rank(Number* selected, Write write, cudaStream_t stream) const {
    auto all = all_;
    all.selected = selected;
    constexpr auto kernel = rank_kernel<Tuning, Number, Write>;
    return HINDSIGHT_LAUNCH_NEXT(Tuning::most_ranked / warp_lanes, Tuning::rank_threads, 0, stream,
                                 kernel)(all, write);
  }
  /// What is known at the end, in device memory. `first` is the k-th lowest number, if only it was
  /// asked for.
  const selection_progress<Number>* result() const { return &all_.state->result; }
  const selection<Tuning, Number>& memory() const { return all_; }

 private:
  using key_bits_t = typename Input::key_bits_t;
  using bound = sampled_bound<key_bits_t>;

  cudaError_t num_blocks(unsigned& blocks) const {
    int multiprocessors = 0;
    HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
    const std::size_t tiles = (all_.n + Tuning::tile_items - 1) / Tuning::tile_items;
    const std::size_t wave = std::size_t(multiprocessors) * Tuning::blocks;
    blocks = static_cast<unsigned>(::cuda::std::min(tiles, wave));
    return cudaSuccess;
  }

  Input input_;
  selection<Tuning, Number> all_{};
  key_bits_t* samples_ = nullptr;
  bound* bound_ = nullptr;
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
