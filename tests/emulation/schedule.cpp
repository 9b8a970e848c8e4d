// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "schedule.h"

#include <sstream>

namespace emulation {
namespace {

const char* name(preference p) {
  switch (p) {
    case preference::first_started:
      return "first started";
    case preference::last_started:
      return "last started";
    case preference::random:
      return "random";
    case preference::fixed:
      return "fixed";
  }
  return "";
}

/// Machines that everyone would think of.
habits named_machine(unsigned i) {
  habits m;
  switch (i) {
    case 0:
      break;  // in order
    case 1:   // all in reverse: the lowest ticket runs when nobody else can
      m.blocks = m.warps = m.lanes = preference::last_started;
      break;
    case 2:  // one block after the other
      m.resident_blocks = 1;
      break;
    case 3:  // two at a time, in no order
      m.resident_blocks = 2;
      m.starts_in_order = false;
      m.blocks = m.warps = preference::random;
      break;
    case 4:  // a block stops when it has published, and others see it late
      m.stall_one_in = 2;
      m.stale_one_in = 2;
      break;
    case 5:  // the same in reverse
      m.blocks = m.warps = preference::last_started;
      m.stall_one_in = 2;
      m.stale_one_in = 2;
      break;
    case 6:  // one warp runs far ahead
      m.blocks = m.warps = preference::fixed;
      m.stale_one_in = 4;
      break;
    case 7:  // the clock runs so fast that whoever waits gives up at once
      m.cycles_per_step = 5'000'000;
      m.blocks = preference::random;
      break;
    case 8:  // ... or soon
      m.cycles_per_step = 20'000;
      m.blocks = m.warps = m.lanes = preference::random;
      m.preempt_one_in = 3;
      m.stale_one_in = 3;
      break;
    default:  // everybody between everybody
      m.blocks = m.warps = m.lanes = preference::random;
      m.preempt_one_in = 1;
      m.stale_one_in = 2;
      break;
  }
  return m;
}

}  // namespace

habits machine_of_seed(std::uint64_t seed) {
  constexpr unsigned named = 10;
  if (seed < named) return named_machine(static_cast<unsigned>(seed));
  random_decisions draw{seed};
  const auto one_of = [&](auto first, auto... others) {
    const decltype(first) all[] = {first, others...};
    return all[draw.choose(1 + sizeof...(others))];
  };
  const auto any = [&] {
    return one_of(preference::first_started, preference::last_started, preference::random,
                  preference::fixed);
  };
  habits m;
  m.blocks = any();
  m.warps = any();
  m.lanes = any();
  m.resident_blocks = one_of(1u, 2u, 3u, 5u, 8u, 1000u, 1000u, 1000u);
  m.starts_in_order = draw.choose(2) == 0;
  m.preempt_one_in = one_of(0u, 1u, 2u, 10u, 100u);
  m.stall_one_in = one_of(0u, 0u, 2u, 10u);
  m.stall_steps = one_of(10u, 200u, 5000u);
  m.stale_one_in = one_of(0u, 2u, 3u, 10u);
  m.cycles_per_step = one_of(10u, 100u, 100u, 20'000u, 1'000'000u);
  m.late_copy_one_in = one_of(0u, 1u, 2u);
  return m;
}

std::string describe(const habits& m) {
  std::ostringstream text;
  text << "blocks: " << name(m.blocks) << ", warps: " << name(m.warps)
       << ", lanes: " << name(m.lanes) << ", resident: " << m.resident_blocks << ", starts "
       << (m.starts_in_order ? "in order" : "in no order") << ", one in: preempt "
       << m.preempt_one_in << ", stall " << m.stall_one_in << " (" << m.stall_steps
       << " steps), stale " << m.stale_one_in << ", late copy " << m.late_copy_one_in
       << ", cycles per step: " << m.cycles_per_step;
  return text.str();
}

}  // namespace emulation
