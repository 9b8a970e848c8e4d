// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Speed of the host engine: sizes of caches and what follows from them. No number here changes a
// result. Numbers that do, such as the tile of a reduction, are in order.h.
#pragma once

#include <hindsight/detail/config.h>

#include <cstddef>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_VERSION_ABI {

struct engine_tuning {
  /// Bytes of a tile: what stays in a core's own cache between two passes over it.
  static constexpr std::size_t tile_bytes = std::size_t{1} << 15;
  /// Bytes for each thread of a team. A team starts within 4 us, or 50 if it slept. With fewer
  /// threads than fewest_threads it does not save that time.
  static constexpr std::size_t thread_bytes = std::size_t{1} << 15;
  static constexpr std::size_t fewest_threads = 4;
  /// A caller who asks for more threads than this gets as many, or the machine's if it has more.
  static constexpr unsigned most_asked_threads = 1024;
  /// An item that is handled by itself counts as at least so many bytes: a byte takes no less time.
  static constexpr std::size_t least_item_weight = 4;
  /// While other programs contend for the processors, only calls of at least so many bytes start a
  /// team. The bytes of a sort count several times.
  static constexpr std::size_t contended_bytes = std::size_t{1} << 26;
  static constexpr std::size_t weight_of_sort = 8;
  static constexpr std::size_t weight_of_merge_sort = 16;
  /// A tile has at least so many items, however large they are.
  static constexpr std::size_t fewest_tile_items = 64;
  /// Tiles hand values of up to so many bytes to each other: the look-back keeps a window of them
  /// on the stack.
  static constexpr std::size_t most_carried_bytes = std::size_t{1} << 13;
  /// The least or greatest item so far is copied up to so many bytes, so that it stays in
  /// registers.
  static constexpr std::size_t most_bytes_of_best = 64;
  /// A waiting thread looks this often before it yields.
  static constexpr int spins = 1 << 10;
  /// Segments, or runs, of fewer items on average are scanned and reduced without a branch for
  /// each. Where the order does not matter, runs of fewer than short_run are: so many keys of a
  /// tile tell how long they are.
  static constexpr std::size_t short_segment = 12, short_run = 48;
  static constexpr std::size_t keys_asked_for_runs = 256;
  /// Sums by key and by segment: the folds of two lanes of structs of up to so many bytes stay in
  /// registers.
  static constexpr std::size_t most_bytes_of_pair = 64;
  /// Reductions of segments: a thread takes neighbouring chunks at a time, about so many times.
  static constexpr std::size_t chunk_shares_per_thread = 16;
  /// A thread has at most so many counters of its own, and at least so many samples for each.
  static constexpr std::size_t most_private_bins = std::size_t{1} << 17;
  static constexpr std::size_t fewest_samples_per_bin = 4;
  /// Histograms: a thread is started for each so many samples.
  static constexpr std::size_t samples_per_thread = 1 << 12;
  /// Counters have owners if that lets so many times more threads count.
  static constexpr std::size_t owners_per_counting_thread = 4;
  /// So many samples tell whether one owner would count most of them.
  static constexpr std::size_t owner_sample = 256;
  /// A bin that has so many of them or more has no owner: each thread counts it by itself. Fewer
  /// threads than fewest_keeping_threads take longer for that than one that counts all.
  static constexpr std::size_t frequent_of_sample = 32, fewest_keeping_threads = 8;
  /// Counters have owners only where so many threads or more own some.
  static constexpr std::size_t fewest_owners = 4;
  /// 2^owned_line_bins neighbours, which share a line of memory, have one owner. It is chosen by
  /// owner_bits bits of their number.
  static constexpr unsigned owned_line_bins = 4, owner_bits = 10;
  static constexpr std::size_t sent_items = std::size_t{1} << 15;  ///< in a round, by a thread
  /// Scans down columns take so many columns at a time: their folds stay in a core's cache.
  static constexpr std::size_t columns_at_once = 512;
  /// The heaps of all threads of a top_k together hold at most one item in so many of the input.
  static constexpr std::size_t items_per_heap_place = 64;
  /// Keys that are compared by a loop without branches, where a sort looks whether they are in
  /// order: of keys in random order it reads few more.
  static constexpr std::size_t compared_keys = 256;
  /// Values that move with their keys in every pass of a sort by digits. Larger ones move once.
  static constexpr std::size_t most_light_bytes = 16;
  /// Items that move through the passes of a merge sort. In place of larger ones indices do.
  static constexpr std::size_t most_merged_bytes = 32;
  /// Scans by key and of segments fold items of so many bytes where they stay, not in registers.
  static constexpr std::size_t least_large_bytes = 64;
  /// Sorts: items for each thread.
  static constexpr std::size_t sort_thread_items = 1 << 12;
  /// Sorts of segments are shared out in so many chunks for each thread.
  static constexpr std::size_t chunks_per_thread = 16;
};

/// Lanes of a tile that are folded at a time, so that a processor overlaps them. Of items that do
/// not fit registers one: the others would only be copied more often.
template <class T>
inline constexpr std::size_t lanes_at_once = sizeof(T) <= 8 ? 8 : 1;

/// Whether other programs contend for the processors (contention.h). A team is late if a thread of
/// it began more than late_ms late. A late team adds late_weight to the evidence, any other team
/// takes 1 away. So the evidence grows where more than one team in four is late.
struct contention_tuning {
  static constexpr int late_ms = 2;
  static constexpr int late_weight = 3, enough_evidence = 6;
  /// How long contention is assumed to last. Each time it soon comes back: twice as long.
  static constexpr int first_period_ms = 32, longest_period_ms = 1000;
};

/// Selections, partitions and run-length encodings find flags by a loop of their own, 64 at a time.
struct flag_tuning {
  /// Of items of up to so many bytes. Of wider ones a processor compares one or two at a time.
  static constexpr std::size_t most_bytes = 4;
  /// As long as up to `few` of the 64 flags differ from the others, or, where only the items whose
  /// flags are set are copied, up to few_kept are set.
  static constexpr std::size_t few = 4, few_kept = 16;
};

/// Merge sort.
struct merge_tuning {
  static constexpr std::size_t insertion_items = 8;  ///< so many or fewer are sorted by insertion
  static constexpr std::size_t pieces_per_thread = 4;
};

/// Radix sort.
struct radix_tuning {
  /// Fewer keys of one or two bytes for each of their values are not worth counting.
  static constexpr std::size_t keys_per_counted_value = 64;
  static constexpr std::size_t insertion_items = 32;  ///< so many or fewer are sorted by insertion
  static constexpr std::size_t bucket_items = 8;      ///< wanted on average after the last split
  /// In a core's cache: fewer items than narrow_items are split, unless one pass sorts them; from
  /// wide_items on, digits have wide_digit_bits.
  static constexpr std::size_t narrow_items = 1 << 9;
  static constexpr std::size_t wide_items = 1 << 12;
  static constexpr std::size_t most_wide_items = 1 << 15;  ///< beyond: too many places at once
  static constexpr std::size_t most_small_ranges = std::size_t{1} << 13;  ///< then they are sorted
  static constexpr int digit_bits = 8;
  static constexpr int wide_digit_bits = 11;
  static constexpr int large_digit_bits = 11;
  static constexpr int least_split_bits = 6;  ///< of a split, however few parts are wanted
  /// So few threads sort more keys each rather than split them: a split costs what it saves.
  static constexpr unsigned few_threads = 2;
  static constexpr int most_passes = 8;
  static constexpr std::size_t most_chunked_bytes = std::size_t{1} << 21;  ///< beyond: splits
  static constexpr std::size_t most_skewed_bytes = std::size_t{1}
                                                   << 25;  ///< if most are in one part
  /// If a split would leave a part that is too large for one thread, up to so many bytes are sorted
  /// from the lowest digit instead: with most keys in that part in up to so many passes, else if
  /// all passes together move up to so many bytes of a record. (Passes over larger arrays miss
  /// caches.)
  /// Few threads have few chunks to merge, and need no passes.
  static constexpr std::size_t most_passed_bytes = std::size_t{3} << 22, fewest_passing_threads = 8;
  static constexpr std::size_t most_skewed_passes = 6, most_moved_bytes = 12;
  /// Arrays of so many bytes, of wide keys or records, are split by a sample where a digit would
  /// leave more than one of so many parts together. Such a split has 2 to the power of sampled_bits
  /// parts at most, and takes so many samples for each.
  static constexpr std::size_t least_sampled_bytes = std::size_t{3} << 24, least_uneven_part = 8;
  static constexpr int sampled_bits = 8;
  static constexpr std::size_t samples_per_part = 8;
  static constexpr std::size_t cached_bytes = std::size_t{1} << 17;  ///< not worth a split
  static constexpr std::size_t shared_bytes = std::size_t{1} << 19;  ///< nor a thread's fair share
};

}  // namespace HINDSIGHT_VERSION_ABI
}  // namespace hindsight::detail::host
