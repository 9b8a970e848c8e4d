// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The k lowest of n numbers, digit by digit from the highest on. A round counts the next digit of
// all candidates. The device then chooses the digit of the k-th lowest number; numbers that have it
// stay candidates. If k is a small part of n, the rounds look at a list only: of the numbers up to
// one that is a little higher than the k-th lowest, as a sample tells.
#pragma once

#include <hindsight/detail/board/launch_state.cuh>
#include <hindsight/detail/cuda/block/warp.cuh>
#include <hindsight/detail/cuda/device.cuh>
#include <hindsight/detail/cuda/next_launch.cuh>
#include <hindsight/detail/cuda/selection_round.cuh>
#include <hindsight/detail/ptx.cuh>
#include <hindsight/detail/tuning/radix_select.h>
#include <hindsight/detail/workspace.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hindsight::detail::cuda {
inline namespace HINDSIGHT_ARCH_ABI {

/// What a round knows when it starts, and does with a number.
template <class Tuning, class Number>
struct selection_step {
  const selection_round<Tuning, Number>& at;
  selection_storage<Tuning, Number>& shared;
  warp_appender<Number> selected, listed;
  bool counts, lists;
  /// Candidates are the numbers in [first, first + candidate_span].
  Number first, candidate_span;
  /// This round decides about numbers in [pending_first, pending_first + pending_span]: the
  /// candidates of the last round, up to the highest one of this round.
  Number pending_first, pending_span;
  digit_of_round<Tuning> digit;

  HINDSIGHT_DEVICE selection_step(const selection_round<Tuning, Number>& round, int undecided,
                                  selection_storage<Tuning, Number>& storage)
      : at{round},
        shared{storage},
        selected{storage.selected[warp_index()], at.selected, at.k, &at.state->num_selected},
        listed{storage.listed[warp_index()], at.lists[at.round % 2], at.list_room,
               &at.state->num_listed},
        counts{undecided > 0 && !at.state->takes_all},
        lists{counts && at.state->num_candidates <= at.list_room},
        first{at.state->first},
        candidate_span{cuda::lowest_bits<Number>(undecided)},
        pending_first{at.state->first_before},
        pending_span{static_cast<Number>((first | candidate_span) - pending_first)},
        digit{undecided} {}

  HINDSIGHT_DEVICE bool is_pending(Number number) const {
    return static_cast<Number>(number - pending_first) <= pending_span;
  }
  /// Takes one number of each lane, if this round decides about it; all lanes call it.
  HINDSIGHT_DEVICE void take(bool pending, Number number) {
    const bool is_candidate =
        counts && pending && static_cast<Number>(number - first) <= candidate_span;
    if (at.selected != nullptr) selected.append(pending && !is_candidate, number);
    if (lists) listed.append(is_candidate, number);
    if (counts) cuda::count_in_warp(is_candidate, digit(number), shared.counts);
  }
  /// Writes what is left, behind the last number; all lanes call it.
  HINDSIGHT_DEVICE void finish() {
    selected.finish();
    listed.finish();
  }
};

/// Calls visit(exists, place, load(place)) for places [0, size). All lanes of a warp call it
/// together; several loads of a thread are under way at once. Rows in which no item matters are
/// skipped.
template <class Tuning, class Load, class Matters, class Visit>
HINDSIGHT_DEVICE void for_each_loaded(std::size_t size, Load load, Matters matters, Visit visit) {
  using item = decltype(load(size));
  constexpr int lane_items = Tuning::lane_items, block_threads = Tuning::block_threads;
  for (std::size_t begin = blockIdx.x * Tuning::tile_items; begin < size;
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
HINDSIGHT_DEVICE void count_all(const Input& input, std::size_t n, int num_bits,
                                selection_state<Number>& state,
                                selection_storage<Tuning, Number>& shared) {
  using key_bits_t = typename Input::key_bits_t;
  constexpr int place_bits = Input::place_bits;
  constexpr bool by_key_bits = place_bits == 0 || int(sizeof(key_bits_t)) * 8 >= Tuning::digit_bits;
  using digits_t = std::conditional_t<by_key_bits, key_bits_t, Number>;
  const digit_of_round<Tuning> digit{by_key_bits ? num_bits - place_bits : num_bits};
  digits_t ones{0}, zeros{0};
  const auto load = [&](std::size_t i) -> digits_t {
    if constexpr (by_key_bits) {
      return input.key_bits(i);
    } else {
      return input.number_of(input.key_bits(i), i);
    }
  };
  const auto count = [&](bool exists, std::size_t, digits_t number) {
    if (exists) ones |= number, zeros |= static_cast<digits_t>(~number);
    cuda::count_in_warp(exists, digit(number), shared.counts);
  };
  cuda::for_each_loaded<Tuning>(n, load, all_matter{}, count);
  const auto as_number = [](digits_t bits) {
    if constexpr (by_key_bits && place_bits > 0) {  // all bits of the places vary
      return static_cast<Number>(static_cast<Number>(bits) << place_bits) |
             cuda::lowest_bits<Number>(place_bits);
    } else {
      return static_cast<Number>(bits);
    }
  };
  cuda::gather_bits(as_number(ones), state.ones);
  cuda::gather_bits(as_number(zeros), state.zeros);
}

/// A later round. It selects those candidates of the last round that are lower than all present
/// ones, and counts the next digit of the present ones. If these are all among the k, it selects
/// them, too.
template <class Tuning, class Number, class Input>
HINDSIGHT_DEVICE void narrow_down(const Input& input, std::size_t n,
                                  selection_step<Tuning, Number>& step, int undecided,
                                  std::size_t list_size) {
  using key_bits_t = typename Input::key_bits_t;
  constexpr int place_bits = Input::place_bits;
  if (list_size > 0) {
    const Number* const list = step.at.lists[(step.at.round + 1) % 2];
    const auto load = [&](std::size_t i) { return list[i]; };
    const auto take = [&](bool exists, std::size_t, Number number) {
      step.take(exists && step.is_pending(number), number);
    };
    return cuda::for_each_loaded<Tuning>(list_size, load, all_matter{}, take);
  }
  // Before bits of places are decided, the key bits alone tell whether a number is pending.
  const bool by_key_bits = undecided >= place_bits;
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
  cuda::for_each_loaded<Tuning>(n, load, may_be_pending, take);
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

/// How many of the launch's blocks have an item of `size`: the others need not take part.
template <class Tuning>
HINDSIGHT_DEVICE unsigned blocks_with_items(std::size_t size) {
  return static_cast<unsigned>(::cuda::std::min<std::size_t>(
      gridDim.x, (size + Tuning::tile_items - 1) / Tuning::tile_items));
}

/// One round.
///   input  key_bits(i) of item i of [n], and number_of(key_bits, i)
template <class Tuning, class Number, class Input>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::blocks)
void select_round_kernel(Input input, std::size_t n, selection_round<Tuning, Number> at) {
  HINDSIGHT_SHARED(shared, selection_storage<Tuning, Number>);
  ptx::wait_for_launch_before();
  auto& state = *at.state;
  const bool is_first = at.round == 0;
  const int own = at.round % 2, next = 1 - own;
  if (state.is_over[own]) {
    if (blockIdx.x == 0 && threadIdx.x == 0) state.is_over[next] = true;
    return;
  }
  const std::size_t list_size = state.list_size[own];
  const unsigned num_workers = cuda::blocks_with_items<Tuning>(list_size > 0 ? list_size : n);
  if (blockIdx.x >= num_workers) return;
  for (int i = threadIdx.x; i < Tuning::num_digits; i += Tuning::block_threads)
    shared.counts[i] = 0;
  __syncthreads();

  bool counts = true;
  if (is_first && list_size > 0) {
    const numbers_on_list<Number> list{at.lists[0]};
    cuda::count_all<Tuning>(list, list_size, at.num_bits, state, shared);
  } else if (is_first) {
    cuda::count_all<Tuning>(input, n, at.num_bits, state, shared);
  } else {
    const int undecided = state.undecided;
    selection_step<Tuning, Number> step{at, undecided, shared};
    cuda::narrow_down(input, n, step, undecided, list_size);
    step.finish();
    counts = step.counts;
  }
  __syncthreads();
  if (counts) {
    for (int i = threadIdx.x; i < Tuning::num_digits; i += Tuning::block_threads)
      if (shared.counts[i] > 0) atomicAdd(at.counts + i, 1ull * shared.counts[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) shared.is_last = detail::count_finished(at.launch) == num_workers;
  __syncthreads();
  if (!shared.is_last) return;
  if (counts) {
    cuda::choose_digit(at, is_first && list_size > 0 ? list_size : n, shared);
  } else if (threadIdx.x == 0) {
    state.is_over[next] = true;
  }
}

/// Key bits that hardly any but the k lowest numbers are below, as a sample tells.
template <class KeyBits>
struct sampled_bound {
  KeyBits key_bits;
  unsigned num_samples;  ///< samples up to it
};

/// Where sample i is: one of each `stride` neighbours, at no regular distance.
HINDSIGHT_HD inline std::size_t sample_place(std::size_t i, std::size_t stride) {
  constexpr std::size_t golden_ratio = 0x9E3779B97F4A7C15u;
  return i * stride + (i * golden_ratio >> 32) % stride;
}

struct sample_storage {
  static constexpr int digit_bits = 8, num_digits = 1 << digit_bits;
  unsigned counts[num_digits];
  unsigned digit, num_before;
};

/// Finds the `rank`-th lowest, from 1 on, of samples that are spread over all n keys. One block
/// holds them in registers, and goes on from digit to digit as the rounds do.
template <class Tuning, class Input>
HINDSIGHT_BOUNDED_KERNEL(Tuning::sample_threads, 1)
void sample_kernel(Input input, std::size_t n, unsigned rank,
                   sampled_bound<typename Input::key_bits_t>* bound) {
  using key_bits_t = typename Input::key_bits_t;
  constexpr int count = Tuning::num_samples / Tuning::sample_threads;
  constexpr int digit_bits = sample_storage::digit_bits, num_digits = sample_storage::num_digits;
  HINDSIGHT_SHARED(shared, sample_storage);
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t stride = n / Tuning::num_samples;
  key_bits_t own[count];
  HINDSIGHT_UNROLL
  for (int s = 0; s < count; ++s) {
    const std::size_t i = std::size_t(s) * Tuning::sample_threads + thread;
    own[s] = input.key_bits(cuda::sample_place(i, stride));
  }
  key_bits_t first{0};
  unsigned num_lower = 0, num_equal = 0;
  for (int behind = int(sizeof(key_bits_t)) * 8 - digit_bits; behind >= 0; behind -= digit_bits) {
    for (int d = thread; d < num_digits; d += Tuning::sample_threads) shared.counts[d] = 0;
    __syncthreads();
    HINDSIGHT_UNROLL
    for (int s = 0; s < count; ++s) {
      const auto bits_that_differ = static_cast<key_bits_t>(own[s] ^ first);
      if (bits_that_differ >> behind >> digit_bits == 0)
        atomicAdd(shared.counts + (own[s] >> behind & (num_digits - 1)), 1u);
    }
    __syncthreads();
    if (warp_index() == 0) {
      constexpr int lane_digits = num_digits / warp_lanes;
      unsigned counts[lane_digits], sum = 0;
      HINDSIGHT_UNROLL
      for (int d = 0; d < lane_digits; ++d)
        sum += counts[d] = shared.counts[lane_index() * lane_digits + d];
      unsigned before =
          cuda::warp_inclusive_fold(sum, ::cuda::std::plus<unsigned>{}) - sum + num_lower;
      HINDSIGHT_UNROLL
      for (int d = 0; d < lane_digits; ++d) {
        if (before < rank && rank <= before + counts[d]) {  // in one lane, for one digit
          shared.digit = lane_index() * lane_digits + d;
          shared.num_before = before;
        }
        before += counts[d];
      }
    }
    __syncthreads();
    first |= static_cast<key_bits_t>(static_cast<key_bits_t>(shared.digit) << behind);
    num_lower = shared.num_before;
    num_equal = shared.counts[shared.digit];
    __syncthreads();
  }
  if (thread == 0) *bound = {first, num_lower + num_equal};
}

/// Lists the numbers whose key bits are at most the bound. The list is for the first round. If it
/// does not have the k lowest, or has no room for all, the first round reads all numbers. It does
/// so, too, if many samples are equal to the bound: then no list is written.
template <class Tuning, class Number, class Input>
HINDSIGHT_BOUNDED_KERNEL(Tuning::block_threads, Tuning::blocks)
void list_lowest_kernel(Input input, std::size_t n, selection_round<Tuning, Number> at,
                        const sampled_bound<typename Input::key_bits_t>* sampled) {
  using key_bits_t = typename Input::key_bits_t;
  HINDSIGHT_SHARED(shared, selection_storage<Tuning, Number>);
  ptx::wait_for_launch_before();
  if (sampled->num_samples > Tuning::num_samples / (2 * Tuning::list_part)) return;
  const key_bits_t bound = sampled->key_bits;
  warp_appender<Number> listed{shared.listed[warp_index()], at.lists[0], at.list_room,
                               &at.state->num_listed};
  const auto load = [&](std::size_t i) { return input.key_bits(i); };
  const auto matters = [=](key_bits_t key_bits) { return key_bits <= bound; };
  const auto list = [&](bool exists, std::size_t place, key_bits_t key_bits) {
    listed.append(exists && matters(key_bits), input.number_of(key_bits, place));
  };
  cuda::for_each_loaded<Tuning>(n, load, matters, list);
  listed.finish();
  __syncthreads();
  if (threadIdx.x != 0 || detail::count_finished(at.launch) != gridDim.x) return;
  const std::size_t size =
      ptx::load_relaxed(reinterpret_cast<const std::uint64_t*>(&at.state->num_listed));
  at.state->num_listed = 0;
  if (at.k <= size && size <= at.list_room) at.state->list_size[0] = size;
}

/// Finds the k lowest of n numbers of `num_bits` bits, or only the k-th, in CUB's two phases: the
/// caller carves, and clears. No round waits for the host.
template <class Number, class Input, class Tuning = radix_select_tuning>
class radix_selection {
 public:
  /// Requires 0 < k <= n.
  radix_selection(Input input, std::size_t n, std::size_t k, int num_bits)
      : input_{input}, n_{n}, k_{k}, num_bits_{num_bits} {}

  void carve(carver& space) {
    const std::size_t room = list_room();
    bound_ = space.take<bound>(1);
    state_ = space.take<selection_state<Number>>(1);
    launches_ = space.take<launch_state>(num_rounds() + 2);
    counts_ = space.take<unsigned long long>(num_rounds() * std::size_t{Tuning::num_digits});
    for (Number*& list : lists_) list = space.take<Number>(room);
  }
  cudaError_t clear(cudaStream_t stream) const {
    const auto begin = reinterpret_cast<char*>(state_);
    const auto end =
        reinterpret_cast<char*>(counts_ + num_rounds() * std::size_t{Tuning::num_digits});
    return cudaMemsetAsync(begin, 0, static_cast<std::size_t>(end - begin), stream);
  }
  /// Makes a list of the lowest numbers, so that the rounds read no others. Two launches.
  ///   sample_rank  what sample_rank() says
  cudaError_t list_lowest(std::size_t sample_rank, cudaStream_t stream) const {
    unsigned blocks = 0;
    HINDSIGHT_TRY(num_blocks(blocks));
    HINDSIGHT_LAUNCH(1, Tuning::sample_threads, 0, stream, sample_kernel<Tuning>)
    (input_, n_, static_cast<unsigned>(sample_rank), bound_);
    HINDSIGHT_TRY(cudaPeekAtLastError());
    constexpr auto kernel = list_lowest_kernel<Tuning, Number, Input>;
    return HINDSIGHT_LAUNCH_NEXT(blocks, Tuning::block_threads, 0, stream, kernel)(
        input_, n_, round(0, nullptr, launches_ + num_rounds() + 1), bound_);
  }
  /// Writes the k lowest to `selected`, in no order, if it is not null.
  cudaError_t operator()(Number* selected, cudaStream_t stream) const {
    unsigned blocks = 0;
    HINDSIGHT_TRY(num_blocks(blocks));
    const int last_round = selected != nullptr ? num_rounds() : num_rounds() - 1;
    for (int r = 0; r <= last_round; ++r) {
      constexpr auto kernel = select_round_kernel<Tuning, Number, Input>;
      HINDSIGHT_TRY(HINDSIGHT_LAUNCH_NEXT(blocks, Tuning::block_threads, 0, stream, kernel)(
          input_, n_, round(r, selected, launches_ + r)));
    }
    return cudaSuccess;
  }
  /// The k-th lowest number, in device memory, if only it was asked for.
  const Number* last() const { return &state_->first; }
  /// What the rounds know, in device memory.
  const selection_state<Number>* state() const { return state_; }

 private:
  using bound = sampled_bound<typename Input::key_bits_t>;

  selection_round<Tuning, Number> round(int r, Number* selected, launch_state* launch) const {
    return {r,
            num_bits_,
            k_,
            list_room(),
            {lists_[0], lists_[1]},
            selected,
            state_,
            counts_ + r * std::size_t{Tuning::num_digits},
            launch};
  }
  cudaError_t num_blocks(unsigned& blocks) const {
    int multiprocessors = 0;
    HINDSIGHT_TRY(multiprocessors_of_current_device(multiprocessors));
    blocks = static_cast<unsigned>(
        ::cuda::std::min<std::size_t>((n_ + Tuning::tile_items - 1) / Tuning::tile_items,
                                      std::size_t(multiprocessors) * Tuning::blocks));
    return cudaSuccess;
  }
  int num_rounds() const { return (num_bits_ + Tuning::digit_bits - 1) / Tuning::digit_bits; }
  /// More candidates than that are read anew from the input.
  std::size_t list_room() const {
    const std::size_t part = n_ / Tuning::list_part;
    return ::cuda::std::min<std::size_t>(
        n_, part > Tuning::always_listed ? part : Tuning::always_listed);
  }

  Input input_;
  std::size_t n_, k_;
  int num_bits_;
  bound* bound_ = nullptr;
  selection_state<Number>* state_ = nullptr;
  launch_state* launches_ = nullptr;
  unsigned long long* counts_ = nullptr;
  Number* lists_[2] = {};
};

}  // namespace HINDSIGHT_ARCH_ABI
}  // namespace hindsight::detail::cuda
