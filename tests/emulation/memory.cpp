// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.h"

#include "grid.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <iterator>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unordered_map>
#include <utility>
#include <vector>

namespace emulation {
namespace {

// --- what is ordered where -----------------------------------------------------------------------

std::set<ordering> known_orderings;
ordering weakened;
bool is_weakened = false;

bool acquires(order o, place at) {
  return (o == order::acquire || o == order::acquire_release) && orders_at(at, "acquire");
}
bool releases(order o, place at) {
  return (o == order::release || o == order::acquire_release) && orders_at(at, "release");
}

// --- atomic words --------------------------------------------------------------------------------

/// A value that a word had, from the oldest on that anyone may still see.
struct stored {
  std::uint64_t value;
  moment when;
  const block* by = nullptr;  ///< null: it was there before the launch
  scope at = scope::device;
  knowledge told;  ///< what an acquire learns
  scope told_to = scope::device;
};

struct word_history {
  unsigned bytes = 0;
  std::size_t forgotten = 0;  ///< how many values came before values[0]
  std::vector<stored> values;
  struct read {
    moment when;
    std::size_t index;
  };
  std::vector<read> reads;  ///< the last of each thread

  std::size_t newest() const { return forgotten + values.size() - 1; }
  const stored& at(std::size_t index) const { return values[index - forgotten]; }

  /// Nobody may see an older value than one that he knows of: one whose store, or whose load by
  /// somebody else, happened before.
  std::size_t oldest_for(const thread_clock& reader) const {
    std::size_t i = newest();
    while (i > forgotten && !reader.knows(at(i).when)) --i;
    for (const read& r : reads)
      if (r.index > i && reader.knows(r.when)) i = r.index;
    return i;
  }
  void note_read(moment when, std::size_t index) {
    for (read& r : reads) {
      if (r.when.thread != when.thread) continue;
      r = {when, index};
      return;
    }
    reads.push_back({when, index});
  }
  void add(const stored& value) {
    values.push_back(value);
    if (values.size() < 16) return;
    values.erase(values.begin(), values.begin() + 8);
    forgotten += 8;
  }
};

std::unordered_map<const void*, word_history> words;

/// The newest value of a word. (memcpy() would be taken for a plain access.)
std::uint64_t read_memory(const void* word, unsigned bytes) {
  switch (bytes) {
    case 1:
      return *static_cast<const std::uint8_t*>(word);
    case 2:
      return *static_cast<const std::uint16_t*>(word);
    case 4:
      return *static_cast<const std::uint32_t*>(word);
    default:
      return *static_cast<const std::uint64_t*>(word);
  }
}
void write_memory(void* word, unsigned bytes, std::uint64_t value) {
  switch (bytes) {
    case 1:
      *static_cast<std::uint8_t*>(word) = static_cast<std::uint8_t>(value);
      break;
    case 2:
      *static_cast<std::uint16_t*>(word) = static_cast<std::uint16_t>(value);
      break;
    case 4:
      *static_cast<std::uint32_t*>(word) = static_cast<std::uint32_t>(value);
      break;
    default:
      *static_cast<std::uint64_t*>(word) = value;
  }
}

/// Memory holds the newest value; if not, somebody wrote to it plainly.
word_history& history_of(const void* word, unsigned bytes) {
  word_history& history = words[word];
  const std::uint64_t value = read_memory(word, bytes);
  if (history.bytes != bytes || history.at(history.newest()).value != value) {
    history = {};
    history.bytes = bytes;
    stored first{};
    first.value = value;
    history.values.push_back(first);
  }
  return history;
}

/// Accesses of a block's scope are for words that no other block touches.
void check_scope(const word_history& history, scope s) {
  for (const stored& value : history.values) {
    if (!value.by || value.by == &current()->home) continue;
    if (s == scope::block || value.at == scope::block)
      fail("an access at the scope of a block to a word that another block has written");
  }
}

void learn(const stored& value, order o, scope s, place at) {
  const bool is_acquire = acquires(o, at);
  if (!value.told) return;
  lane& self = *current();
  const bool reaches =
      value.by == &self.home || (value.told_to == scope::device && s == scope::device);
  if (!reaches) return;
  if (is_acquire) {
    self.clock.learn(value.told);
  } else {
    self.read_relaxed.join(value.told);
  }
}

stored value_to_store(std::uint64_t value, order o, scope s, place at) {
  lane& self = *current();
  stored made{};
  made.value = value;
  made.when = self.clock.now();
  made.by = &self.home;
  made.at = made.told_to = s;
  made.told = releases(o, at) ? self.clock.tell() : self.fenced;
  return made;
}

/// Whether this is what the thread found when it last looked.
bool found_before(const void* word, std::size_t index) {
  const lane& self = *current();
  for (unsigned i = 0; i < self.num_loads; ++i)
    if (self.loads[i].word == word) return self.loads[i].index == index;
  return false;
}

/// Remembers what the thread found; waits if that was nothing new for as many loads as it has words
/// to look at.
void note_found(const void* word, std::size_t index, bool is_newest) {
  lane& self = *current();
  for (unsigned i = 0; i < self.num_loads; ++i) {
    lane::load& known = self.loads[i];
    if (known.word != word) continue;
    const bool is_news = known.index != index;
    known.index = index;
    if (is_news || !is_newest) {
      self.loads_without_news = 0;
    } else if (++self.loads_without_news > self.num_loads) {
      self.loads_without_news = 0;
      wait_for_news();
    }
    return;
  }
  self.loads[self.next_load] = {word, index};
  self.next_load = (self.next_load + 1) % lane::remembered;
  self.num_loads = std::min(self.num_loads + 1, lane::remembered);
  self.loads_without_news = 0;
}

// --- plain accesses ------------------------------------------------------------------------------

/// Who touched a byte last.
struct byte_history {
  std::uint32_t launch = 0;
  moment written, read, atomically_written, atomically_read;
  std::uint32_t written_in = 0, touched_in = 0;  ///< the last launches that did
};

/// Device and shared memory of all tests.
class arena {
 public:
  static constexpr std::size_t bytes = std::size_t{32} << 20;

  arena() : memory_{map(bytes)}, histories_{map(bytes * sizeof(byte_history))} {}

  const char* begin() const { return memory_; }
  bool contains(const void* p) const {
    return static_cast<std::size_t>(static_cast<const char*>(p) - memory_) < bytes;
  }
  byte_history& history(const void* p, std::uint32_t launch) {
    auto& h = reinterpret_cast<byte_history*>(
        histories_)[static_cast<std::size_t>(static_cast<const char*>(p) - memory_)];
    if (h.launch != launch) {
      const auto [written_in, touched_in] = std::pair{h.written_in, h.touched_in};
      h = {};
      h.launch = launch;
      h.written_in = written_in, h.touched_in = touched_in;
    }
    return h;
  }
  void* allocate(std::size_t count) {
    const std::size_t begin = used_;
    used_ = place_after(begin + count);
    if (used_ > bytes) throw std::bad_alloc{};
    live_[begin] = begin + count;
    poison(memory_ + begin, count);
    return memory_ + begin;
  }
  void free(void* memory) {
    live_.erase(std::size_t(static_cast<char*>(memory) - memory_));
    if (live_.empty()) used_ = 0;
  }
  /// Between launches: in a launch, no block gets the memory of another one.
  void reuse_freed() { used_ = live_.empty() ? 0 : place_after(live_.rbegin()->second); }
  /// The array that a byte belongs to; there must be one.
  const void* array_of(const void* p) const {
    const auto place = static_cast<std::size_t>(static_cast<const char*>(p) - memory_);
    return memory_ + std::prev(live_.upper_bound(place))->first;
  }
  /// Whether all these bytes belong to one array.
  bool has_array(const void* p, std::size_t count) const {
    const auto begin = static_cast<std::size_t>(static_cast<const char*>(p) - memory_);
    const auto next = live_.upper_bound(begin);
    return next != live_.begin() && begin + count <= std::prev(next)->second;
  }

 private:
  /// Where the next array begins: between two of them lies memory that is nobody's.
  static std::size_t place_after(std::size_t end) { return (end + 511) / 256 * 256; }
  static char* map(std::size_t count) {
    void* const m = mmap(nullptr, count, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED) throw std::bad_alloc{};
    return static_cast<char*>(m);
  }
  char* memory_;
  char* histories_;
  std::size_t used_ = 0;
  std::map<std::size_t, std::size_t> live_;  ///< where arrays begin and end
};

arena& device_memory() {
  static arena one;
  return one;
}
#if !defined(__SANITIZE_ADDRESS__)
const char* device_begin = nullptr;
#endif
std::uint32_t launch_number = 0;
random_decisions noise{0};
unsigned reads = 0;

bool is_watched(const void* p) {
#if defined(__SANITIZE_ADDRESS__)
  return static_cast<void>(p), false;  // the compiler reports nothing, and memory is the heap's
#else
  return static_cast<std::size_t>(static_cast<const char*>(p) - device_begin) < arena::bytes;
#endif
}

std::string name_of(moment m) {
  const auto threads = static_cast<std::uint32_t>(current()->home.lanes.size());
  return "thread " + std::to_string(m.thread % threads) + " of the block that started as number " +
         std::to_string(m.thread / threads);
}

std::string describe_code(const void* code) {
  char** const symbols = backtrace_symbols(const_cast<void* const*>(&code), 1);
  const std::string text = symbols ? symbols[0] : "?";
  std::free(symbols);
  return "\n  code: " + text;
}

[[noreturn]] void report_race(const char* now, const char* before, moment who, const void* byte,
                              const void* code) {
  std::ostringstream text;
  text << "data race: " << now << " of byte " << byte << ", after " << before << " by "
       << name_of(who);
  if (code) text << describe_code(code);
  fail(text.str());
}

bool is_shared(const void* byte) {
  const void* const array = device_memory().array_of(byte);
  const block& home = current()->home;
  const auto is_array = [&](const auto& variable) { return variable.second == array; };
  return home.dynamic_shared == array ||
         std::any_of(home.shared.begin(), home.shared.end(), is_array);
}

/// Notes the launch. A thread that has yet to wait for the launch before must not get in its way.
void note_launch_of_access(byte_history& h, bool writes, const void* byte, const void* code) {
  const std::uint32_t in_way = writes ? h.touched_in : h.written_in;
  if (current()->waits_for_launch && in_way != 0 && in_way + 1 == launch_number && !is_shared(byte))
    fail(std::string{writes ? "a write" : "a read"} +
         " before the wait for the launch before, which touched the same byte" +
         (code ? describe_code(code) : ""));
  h.touched_in = launch_number;
  if (writes) h.written_in = launch_number;
}

void check_place(const char* what, const void* bytes, std::size_t count, const void* code) {
  if (device_memory().has_array(bytes, count)) return;
  fail(what + std::to_string(count) + " bytes that are not all in one array" + describe_code(code));
}

void check_alignment(const void* word, std::size_t count, std::size_t alignment, const void* code) {
  if (!is_watched(word) || !current()) return;
  if (reinterpret_cast<std::uintptr_t>(word) % alignment == 0) return;
  fail("an access of " + std::to_string(count) + " bytes, not at a multiple of " +
       std::to_string(alignment) + describe_code(code));
}

void check_atomic(const void* word, unsigned bytes, bool writes) {
  if (!is_watched(word)) return;
  const thread_clock& clock = current()->clock;
  for (unsigned i = 0; i < bytes; ++i) {
    const char* const byte = static_cast<const char*>(word) + i;
    byte_history& h = device_memory().history(byte, launch_number);
    if (!clock.knows(h.written))
      report_race("an atomic access", "a write", h.written, byte, nullptr);
    if (writes && !clock.knows(h.read))
      report_race("an atomic write", "a read", h.read, byte, nullptr);
    note_launch_of_access(h, writes, byte, nullptr);
    (writes ? h.atomically_written : h.atomically_read) = clock.now();
  }
}

}  // namespace

namespace {
bool is_watching = false;
}
bool watches_memory() {
  return is_watching;
}
void start_watching() {
  is_watching = true;
}

std::uint64_t atomic_load(const void* word, unsigned bytes, order o, scope s, place at) {
  at = at.in(__builtin_return_address(0));
  if (!current()) return read_memory(word, bytes);
  may_switch(at);
  check_atomic(word, bytes, false);
  lane& self = *current();
  word_history& history = history_of(word, bytes);
  check_scope(history, s);
  const std::size_t newest = history.newest();
  // Who found an old value and looks again finds a newer one: once is as good as many times.
  std::size_t oldest = history.oldest_for(self.clock);
  if (found_before(word, oldest)) ++oldest;
  std::size_t index = newest;
  if (oldest < newest && !self.takes_newest && deciding().happens(machine().stale_one_in))
    index = newest - 1 - deciding().choose(static_cast<unsigned>(newest - oldest));
  self.takes_newest = false;
  const stored found = history.at(index);
  history.note_read(self.clock.now(), index);
  learn(found, o, s, at);
  note_found(word, index, index == newest);
  return found.value;
}

void atomic_store(void* word, unsigned bytes, std::uint64_t value, order o, scope s, place at) {
  at = at.in(__builtin_return_address(0));
  if (!current()) {
    write_memory(word, bytes, value);
    return;
  }
  may_switch(at);
  check_atomic(word, bytes, true);
  word_history& history = history_of(word, bytes);
  check_scope(history, s);
  history.add(value_to_store(value, o, s, at));
  write_memory(word, bytes, value);
  wake_pollers(word);
  if (s == scope::device) may_stall();
}

std::uint64_t begin_update(void* word, unsigned bytes, order o, scope s, place at) {
  at = at.in(__builtin_return_address(0));
  if (!current()) return read_memory(word, bytes);
  may_switch(at);
  check_atomic(word, bytes, true);
  word_history& history = history_of(word, bytes);
  check_scope(history, s);
  const stored& newest = history.values.back();
  learn(newest, o, s, at);
  return newest.value;
}

void end_update(void* word, unsigned bytes, std::uint64_t value, order o, scope s, place at) {
  at = at.in(__builtin_return_address(0));
  if (current()) {
    word_history& history = words[word];
    const stored before = history.values.back();
    stored made = value_to_store(value, o, s, at);
    made.told.join(before.told);  // a release goes on through read-modify-writes
    if (value != before.value) wake_pollers(word);
    history.add(made);
  }
  write_memory(word, bytes, value);
}

void fence(scope s, place at) {
  at = at.in(__builtin_return_address(0));
  lane& self = *current();
  may_switch(at);
  if (!orders_at(at, s == scope::device ? "__threadfence()" : "__threadfence_block()")) return;
  self.clock.learn(self.read_relaxed);
  self.fenced = self.clock.tell();
}

void plain_read(const void* bytes, std::size_t count, const void* code) {
  if (!is_watched(bytes) || !current() || count == 0) return;
  check_place("a read of ", bytes, count, code);
  const thread_clock& clock = current()->clock;
  for (std::size_t i = 0; i < count; ++i) {
    const char* const byte = static_cast<const char*>(bytes) + i;
    byte_history& h = device_memory().history(byte, launch_number);
    if (!clock.knows(h.written)) report_race("a read", "a write", h.written, byte, code);
    if (!clock.knows(h.atomically_written))
      report_race("a read", "an atomic write", h.atomically_written, byte, code);
    note_launch_of_access(h, false, byte, code);
    // Of several readers one is kept: one of whom this thread knows has nothing to add.
    if (clock.knows(h.read) || ++reads % 2 == 0) h.read = clock.now();
  }
}

void plain_write(const void* bytes, std::size_t count, const void* code) {
  if (!is_watched(bytes) || !current() || count == 0) return;
  check_place("a write of ", bytes, count, code);
  const thread_clock& clock = current()->clock;
  for (std::size_t i = 0; i < count; ++i) {
    const char* const byte = static_cast<const char*>(bytes) + i;
    byte_history& h = device_memory().history(byte, launch_number);
    if (!clock.knows(h.written)) report_race("a write", "a write", h.written, byte, code);
    if (!clock.knows(h.read)) report_race("a write", "a read", h.read, byte, code);
    if (!clock.knows(h.atomically_written))
      report_race("a write", "an atomic write", h.atomically_written, byte, code);
    if (!clock.knows(h.atomically_read))
      report_race("a write", "an atomic read", h.atomically_read, byte, code);
    note_launch_of_access(h, true, byte, code);
    h.written = clock.now();
  }
}

void read_word(const void* word, std::size_t count, std::size_t alignment, const void* code) {
  check_alignment(word, count, alignment, code);
  plain_read(word, count, code);
}

void write_word(const void* word, std::size_t count, std::size_t alignment, const void* code) {
  check_alignment(word, count, alignment, code);
  plain_write(word, count, code);
}

void start_poison(std::uint64_t seed) {
  noise = random_decisions{seed};
}
void poison(void* memory, std::size_t bytes) {
  const unsigned kind = noise.choose(4);
  if (kind < 2) {
    std::memset(memory, kind == 0 ? 0 : 0xff, bytes);
    return;
  }
  char* const begin = static_cast<char*>(memory);
  for (std::size_t i = 0; i < bytes; i += sizeof(unsigned)) {
    const unsigned word = noise.choose(~0u);
    std::memcpy(begin + i, &word, std::min(sizeof word, bytes - i));
  }
}

void* allocate(std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  void* const memory = ::operator new (bytes ? bytes : 1, std::align_val_t{256});
  poison(memory, bytes);
  return memory;
#else
  void* const memory = device_memory().allocate(bytes);
  device_begin = static_cast<const char*>(device_memory().begin());
  return memory;
#endif
}

void free(void* memory) {
#if defined(__SANITIZE_ADDRESS__)
  ::operator delete (memory, std::align_val_t{256});
#else
  device_memory().free(memory);
#endif
}

std::string ordering::name() const {
  return file.substr(file.rfind('/') + 1) + " " + what;
}

const std::set<ordering>& orderings() {
  return known_orderings;
}
void forget_orderings() {
  known_orderings.clear();
}
void weaken(const ordering* o) {
  is_weakened = o != nullptr;
  if (o) weakened = *o;
}

bool orders_at(place at, const char* what) {
  if (is_weakened && (!weakened.code || at.code == weakened.code) && at.line == weakened.line &&
      weakened.what == what && weakened.file == at.file)
    return false;
  if (!is_weakened && at.line > 0) known_orderings.insert({at.file, at.line, what, at.code});
  return true;
}

void begin_launch() {
  words.clear();
  ++launch_number;
}
void end_launch() {
  words.clear();
#if !defined(__SANITIZE_ADDRESS__)
  device_memory().reuse_freed();
#endif
}

std::string describe_atomics() {
  std::vector<std::pair<const void*, std::uint64_t>> newest;
  for (const auto& [word, history] : words) newest.emplace_back(word, history.values.back().value);
  std::sort(newest.begin(), newest.end());
  std::ostringstream text;
  text << "words that were accessed atomically:\n" << std::hex;
  for (const auto& [word, value] : newest) text << "  " << word << ": 0x" << value << "\n";
  return text.str();
}

}  // namespace emulation
