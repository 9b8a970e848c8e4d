// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable merge sort by any comparator, for items that are cheap to copy: each thread sorts a chunk,
// then all threads merge pairs of chunks, cut into pieces of equal size.
// Source: Odeh, Green, Mwassi, Shmueli, Birk 2012, "Merge Path: Parallel Merging Made Simple".
#pragma once

#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/scratch.h>
#include <hindsight/detail/host/team.h>
#include <hindsight/detail/std_basics.h>
#include <hindsight/detail/tuning/host.h>

#include <cstddef>
#include <utility>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// to[0, n) = from[0, n), for types that need not be assignable.
template <class T>
void copy_cheap(const T* from, std::size_t n, T* to) {
  for (std::size_t i = 0; i < n; ++i) host::put(to + i, from[i]);
}

/// Sorts by insertion. If compare throws, no item is lost.
template <class T, class Compare>
void insertion_sort(T* items, std::size_t n, Compare& compare) {
  for (std::size_t i = 1; i < n; ++i) {
    std::size_t place = i;
    while (place > 0 && bool(compare(items[i], items[place - 1]))) --place;
    if (place == i) continue;
    const T item(std::as_const(items[i]));
    for (std::size_t j = i; j > place; --j) host::put(items + j, items[j - 1]);
    host::put(items + place, item);
  }
}

/// A merge in progress: what is left of two sorted runs, and of their place [out, out_end). Of
/// equivalent items those of a come first. The steps have no branches, which could not be
/// predicted.
template <class T>
struct merging {
  T *a, *a_end, *b, *b_end, *out, *out_end;

  template <class Compare>
  void take_first(Compare& compare) {
    const bool takes_b = bool(compare(*b, *a));
    T* const from = takes_b ? b : a;
    b += takes_b;
    a += !takes_b;
    host::put(out, *from);
    ++out;
  }
  template <class Compare>
  void take_last(Compare& compare) {
    const bool takes_a = bool(compare(b_end[-1], a_end[-1]));
    T* const from = takes_a ? a_end : b_end;
    a_end -= takes_a;
    b_end -= !takes_a;
    --out_end;
    host::put(out_end, from[-1]);
  }
  std::size_t shorter() const { return std::size_t(std::min(a_end - a, b_end - b)); }
};

/// out = the merge of a[0, a_size) and b[0, b_size).
template <class T, class Compare>
void merge_runs(T* a, std::size_t a_size, T* b, std::size_t b_size, T* out, Compare& compare) {
  merging<T> rest{a, a + a_size, b, b + b_size, out, out + a_size + b_size};
  // Merges from both ends at once, so that the processor overlaps the two, while neither run can
  // end.
  for (std::size_t steps = rest.shorter() / 2; steps > 0; steps = rest.shorter() / 2) {
    for (std::size_t i = 0; i < steps; ++i) {
      rest.take_first(compare);
      rest.take_last(compare);
    }
  }
  while (rest.shorter() > 0) rest.take_first(compare);
  const std::size_t a_left = std::size_t(rest.a_end - rest.a);
  host::copy_cheap(rest.a, a_left, rest.out);
  host::copy_cheap(rest.b, std::size_t(rest.b_end - rest.b), rest.out + a_left);
}

/// merge_runs() of two neighbours, items[0, half) and items[half, n). It is quick where they are in
/// order already, or where all of the second run comes before the first.
template <class T, class Compare>
void merge_halves(T* items, std::size_t half, std::size_t n, T* out, Compare& compare) {
  if (!bool(compare(items[half], items[half - 1]))) {
    host::copy_cheap(items, n, out);
  } else if (bool(compare(items[n - 1], items[0]))) {
    host::copy_cheap(items + half, n - half, out);
    host::copy_cheap(items, half, out + (n - half));
  } else {
    host::merge_runs(items, half, items + half, n - half, out, compare);
  }
}

template <class T, class Compare>
void sort_to_other(T* items, T* other, std::size_t n, Compare& compare);

/// Sorts items[0, n); `other` is for n items. If compare throws, the items are all in `items`.
template <class T, class Compare>
void sort_in_place(T* items, T* other, std::size_t n, Compare& compare) {
  if (n <= merge_tuning::insertion_items) return host::insertion_sort(items, n, compare);
  const std::size_t half = n / 2;
  host::sort_to_other(items, other, half, compare);
  host::sort_to_other(items + half, other + half, n - half, compare);
  try {
    host::merge_halves(other, half, n, items, compare);
  } catch (...) {
    host::copy_cheap(other, n, items);
    throw;
  }
}

/// Sorts items[0, n) into `other`. After it, and also if compare throws, `items` holds all the
/// items, in some order.
template <class T, class Compare>
void sort_to_other(T* items, T* other, std::size_t n, Compare& compare) {
  if (n <= merge_tuning::insertion_items) {
    host::insertion_sort(items, n, compare);
    return host::copy_cheap(items, n, other);
  }
  const std::size_t half = n / 2;
  host::sort_in_place(items, other, half, compare);
  host::sort_in_place(items + half, other + half, n - half, compare);
  host::merge_halves(items, half, n, other, compare);
}

/// How many of the first `diagonal` items of the merged runs are a's.
template <class T, class Compare>
std::size_t split_merge(T* a, std::size_t a_size, T* b, std::size_t b_size, std::size_t diagonal,
                        Compare& compare) {
  std::size_t low = diagonal > b_size ? diagonal - b_size : 0;
  std::size_t high = std::min(diagonal, a_size);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (bool(compare(b[diagonal - 1 - middle], a[middle]))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Sorts n items by a team. Each of its threads has its own copy of the comparator.
template <class T, class Compare>
class merge_sorter {
 public:
  merge_sorter(std::size_t n, Compare compare, cut wanted)
      : n_{n},
        compare_{compare},
        num_threads_{host::worthwhile_threads(n, 1, wanted, engine_tuning::sort_thread_items)} {}

  void carve(carver& space) {
    if (n_ <= merge_tuning::insertion_items) return;
    room_ = host::take_room<T>(space, n_);
    if (num_threads_ > 1) pieces_ = space.take<piece>(most_pieces());
  }

  /// If compare throws, `items` holds all the items, in some order.
  void sort(T* items) {
    bool ends_in_room = false;  // if the chunks are sorted in place
    for (std::size_t run = 1; run < num_threads_; run *= 2) ends_in_room = !ends_in_room;
    sort_chunks(items, ends_in_room);
    T *from = ends_in_room ? room_ : items, *to = ends_in_room ? items : room_;
    for (std::size_t run = 1; run < num_threads_; run *= 2) {
      try {
        merge_pass(from, to, run);
      } catch (...) {
        if (from != items) host::copy_cheap(from, n_, items);
        throw;
      }
      std::swap(from, to);
    }
  }

 private:
  /// What one thread merges at a time: [a, a_end) and [b, b_end), to `out` and the places after it.
  struct piece {
    std::size_t a, a_end, b, b_end, out;
  };

  std::size_t most_pieces() const { return (merge_tuning::pieces_per_thread + 1) * num_threads_; }
  std::size_t chunk_begin(std::size_t chunk) const {
    return host::share_begin(n_, num_threads_, chunk);
  }
  template <class F>
  void for_each(std::size_t count, F f) const {
    const std::size_t weight = n_ * sizeof(T) * engine_tuning::weight_of_merge_sort;
    const tiling one_by_one{count, weight / count + 1, cut{num_threads_, 1}};
    host::for_each_tile(one_by_one, [&](std::size_t i) {
      Compare own = compare_;
      f(i, own);
    });
  }

  void sort_chunks(T* items, bool into_room) const {
    for_each(num_threads_, [&](std::size_t chunk, Compare& compare) {
      const std::size_t begin = chunk_begin(chunk), size = chunk_begin(chunk + 1) - begin;
      if (into_room) return host::sort_to_other(items + begin, room_ + begin, size, compare);
      host::sort_in_place(items + begin, room_ + begin, size, compare);
    });
  }

  /// Merges pairs of runs, each of `run` chunks.
  void merge_pass(T* from, T* to, std::size_t run) const {
    const std::size_t num_pairs = (num_threads_ + 2 * run - 1) / (2 * run);
    const std::size_t pair_pieces =
        std::max(merge_tuning::pieces_per_thread * num_threads_ / num_pairs, std::size_t{1});
    Compare compare = compare_;
    piece* next = pieces_;
    for (std::size_t pair = 0; pair < num_pairs; ++pair)
      next = plan_pair(from, chunk_begin(2 * run * pair), chunk_begin(2 * run * pair + run),
                       chunk_begin(2 * run * (pair + 1)), pair_pieces, next, compare);
    for_each(std::size_t(next - pieces_), [&](std::size_t i, Compare& own) {
      const piece& p = pieces_[i];
      host::merge_runs(from + p.a, p.a_end - p.a, from + p.b, p.b_end - p.b, to + p.out, own);
    });
  }

  /// Cuts the merge of [begin, middle) and [middle, end) into pieces, from `next` on. Returns the
  /// place after them. Together they have each item once, even if compare is no order.
  piece* plan_pair(T* from, std::size_t begin, std::size_t middle, std::size_t end,
                   std::size_t num_pieces, piece* next, Compare& compare) const {
    const std::size_t a_size = middle - begin, b_size = end - middle, size = end - begin;
    std::size_t place = 0, of_a = 0;
    for (std::size_t i = 1; i <= num_pieces; ++i) {
      const std::size_t to = host::share_begin(size, num_pieces, i);
      const std::size_t found =
          i == num_pieces
              ? a_size
              : host::split_merge(from + begin, a_size, from + middle, b_size, to, compare);
      const std::size_t to_of_a = std::min(std::max(found, of_a), of_a + (to - place));
      *next++ = {begin + of_a, begin + to_of_a, middle + (place - of_a), middle + (to - to_of_a),
                 begin + place};
      place = to;
      of_a = to_of_a;
    }
    return next;
  }

  std::size_t n_;
  Compare compare_;
  unsigned num_threads_;
  T* room_ = nullptr;
  piece* pieces_ = nullptr;
};

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
