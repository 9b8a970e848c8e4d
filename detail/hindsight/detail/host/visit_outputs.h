// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs of items, on host threads: a thread's part of them.
#pragma once

#include <hindsight/detail/copy_to_output.h>
#include <hindsight/detail/host/iterators.h>
#include <hindsight/detail/host/segments.h>
#include <hindsight/detail/merged_segments.h>

#include <cstddef>
#include <type_traits>

namespace hindsight::detail::host {
inline namespace HINDSIGHT_HOST_ABI {

/// Calls visit(s, begin, end) for each segment s that has outputs [begin, end) in the part.
template <class OffsetIt, class Visit>
void visit_segments(const merged_segments<OffsetIt>& merged, const segment_part& part,
                    Visit visit) {
  const std::size_t last = part.item + std::size_t(part.num_items);
  std::size_t begin = part.item;
  for (std::size_t s = part.segment; begin < last; ++s) {
    const std::size_t ends = merged.end(s), end = ends < last ? ends : last;
    visit(s, begin, end);
    begin = end;
  }
}

/// f(s, j - offsets[s], j) for each output j of the part.
template <class OffsetIt, class F>
void visit_outputs(const merged_segments<OffsetIt>& merged, const segment_part& part, F& f) {
  host::visit_segments(merged, part, [&](std::size_t s, std::size_t begin, std::size_t end) {
    const std::size_t segment_begin = merged.begin(s);
    for (std::size_t j = begin; j < end; ++j) f(s, j - segment_begin, merged.first() + j);
  });
}

/// The same for all outputs, on one thread; segments may end before they begin.
template <class OffsetIt, class F>
void visit_outputs_alone(const merged_segments<OffsetIt>& merged, F& f) {
  for (std::size_t s = 0; s < merged.num_segments(); ++s) {
    const std::size_t begin = merged.first() + merged.begin(s);
    const std::size_t size = host::size_of_segment(merged, s);
    for (std::size_t k = 0; k < size; ++k) f(s, k, begin + k);
  }
}

/// The same for copies. Small items of an array are written in groups: the first few outputs of a
/// segment together, also where it has fewer. What is too much belongs to the segments behind it,
/// which are written later. So no branch depends on how short a segment is.
template <class OffsetIt, class InputIt, class OutputIt>
void visit_outputs(const merged_segments<OffsetIt>& merged, const segment_part& part,
                   function::copy_to_output<InputIt, OutputIt>& copy) {
  using copies = function::copy_to_output<InputIt, OutputIt>;
  using item = typename copies::item_type;
  if constexpr (!std::is_same_v<decltype(host::plain(copy.out)), item*> ||
                !std::is_trivially_copyable_v<item> || sizeof(item) > 8) {
    host::visit_outputs<OffsetIt, copies>(merged, part, copy);
  } else {
    if (part.num_items == 0) return;
    constexpr std::size_t group = 8;
    const auto items = host::plain(copy.items);
    item* const out = host::plain(copy.out) + merged.first();
    const std::size_t last = part.item + std::size_t(part.num_items);
    host::visit_segments(merged, part, [&](std::size_t s, std::size_t begin, std::size_t end) {
      const auto& given = items[static_cast<typename copies::template distance_t<InputIt>>(s)];
      const item one = static_cast<item>(given);
      std::size_t j = begin;
      if (last - begin >= group) {
        for (; j < begin + group; ++j) out[j] = one;
      }
      for (; j < end; ++j) out[j] = one;
    });
  }
}

}  // namespace HINDSIGHT_HOST_ABI
}  // namespace hindsight::detail::host
