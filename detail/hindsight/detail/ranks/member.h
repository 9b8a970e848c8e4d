// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank's part in a call: what it tells the others, and how all learn that one has failed.
//
// All algorithms over several ranks are written once, over a Communicator:
//   rank(), size()                     this rank's number, and how many there are
//   place()                            a reference to where its shard lies and its work runs
//                                      (place.h)
//   all_gather(mine, all, bytes)       host memory; all [size][bytes]; returns when it is done
//   all_to_all(send, receive)          pieces [k][size] in the place's memory, any k: the i-th goes
//                                      to, or comes from, rank i % size. No work on these pieces is
//                                      pending at the place when it is called; other work may be.
//                                      Returns when done
//   abort()                            ends what ranks of this process wait for; noexcept
// and, if it can, all_to_all_beside(send, receive, work), which calls work() while bytes move.
// all_gather and all_to_all throw where the machine fails. The group is then over. Where another
// rank has ended, they may instead return with bytes that no rank sent. The checksums of messages
// (message.h) show this.
#pragma once

#include <hindsight/detail/ranks/message.h>
#include <hindsight/detail/ranks/place.h>
#include <hindsight/errors.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hindsight::detail::ranks {

/// Bytes that one rank sends to another, or receives.
struct piece {
  void* data = nullptr;
  std::size_t bytes = 0;
};

/// n items as the bytes that they are.
template <class T>
piece piece_of(T* items, std::size_t n) {
  static_assert(std::is_trivially_copyable_v<T>,
                "hindsight: ranks exchange items that are trivially copyable");
  return {items, n * sizeof(T)};
}

/// Whether a communicator has all_to_all_beside().
template <class Communicator, class = void>
inline constexpr bool works_beside = false;
template <class Communicator>
inline constexpr bool works_beside<
    Communicator, std::void_t<decltype(std::declval<Communicator&>().all_to_all_beside(
                      std::declval<const std::vector<piece>&>(),
                      std::declval<const std::vector<piece>&>(), std::declval<void (*)()>()))>> =
    true;

template <class Communicator>
class member {
 public:
  /// num_messages  how many messages this rank has sent, in all calls; the same on all ranks
  member(Communicator& communicator, const char* algorithm, std::uint64_t& num_messages)
      : communicator_{communicator}, algorithm_{algorithm}, num_messages_{num_messages} {}
  member(const member&) = delete;
  member& operator=(const member&) = delete;

  using place_t = std::decay_t<decltype(std::declval<Communicator&>().place())>;
  static_assert(std::is_reference_v<decltype(std::declval<Communicator&>().place())>,
                "hindsight: place() of a communicator has to return a reference to its member");

  int rank() const { return communicator_.rank(); }
  int size() const { return communicator_.size(); }
  const auto& place() const { return communicator_.place(); }
  const auto& policy() const { return place().policy(); }

  /// Runs this rank's part of a call. Returns or throws on all ranks alike.
  template <class Part>
  void take_part(Part part) {
    try {
      part();
      if (state_ != state::active) return;
      communicator_.place().wait();
      post(message{});
    } catch (const std::exception& error) {
      tell(error.what());
      throw;
    } catch (...) {
      tell("an exception that is no std::exception");
      throw;
    }
  }

  /// values[r] = what rank r passed.
  template <class T>
  std::vector<T> gather(const T& mine) {
    return gather_rows(&mine, 1);
  }

  /// gather() as the last step of a call: nothing that can fail may follow.
  template <class T>
  std::vector<T> gather_at_end(const T& mine) {
    auto values = gather(mine);
    state_ = state::ended;
    return values;
  }

  /// values[r * n + i] = mine[i] of rank r; n is the same on all ranks.
  template <class T>
  std::vector<T> gather_rows(const T* mine, std::size_t n) {
    static_assert(std::is_trivially_copyable_v<T>,
                  "hindsight: ranks exchange items that are trivially copyable");
    const std::size_t bytes = n * sizeof(T);
    std::vector<char> all(std::size_t(size()) * bytes);
    std::vector<T> items;
    items.reserve(std::size_t(size()) * n);  // now: after the last step of a call nothing may fail
    if (bytes <= sizeof message::content) {
      gather_in_messages(mine, all.data(), bytes);
    } else {
      gather_beside_messages(mine, all.data(), bytes);
    }
    add_items(all, items);
    return items;
  }

  /// Sends pieces to all ranks and receives theirs, in the place's memory: all_to_all.
  void exchange(const std::vector<piece>& send, const std::vector<piece>& receive) {
    communicator_.place().wait();
    post(message{});  // from here on nothing but the machine can fail
    communicate([&] { communicator_.all_to_all(send, receive); });
  }

  /// Returns only if no rank has failed. Then what the last exchange received is what was sent.
  void confirm() { post(message{}); }

  /// Exchanges in steps, the same number on all ranks. add_pieces(step, send, receive) adds a
  /// step's pieces. use(step) works on what the step received. On a GPU it only launches the work,
  /// which then runs beside the next step. If `use` throws, this rank still takes part in the steps
  /// that are left, and throws then.
  template <class AddPieces, class Use>
  void exchange_in_steps(std::size_t num_steps, AddPieces add_pieces, Use use) {
    std::vector<std::vector<piece>> send(num_steps), receive(num_steps);
    for (std::size_t step = 0; step < num_steps; ++step)
      add_pieces(step, send[step], receive[step]);
    communicator_.place().wait();
    post(message{});
    std::exception_ptr failure;
    const auto use_those_before = [&](std::size_t step) noexcept {
      try {
        if (step > 0 && !failure) use(step - 1);
      } catch (...) {
        failure = std::current_exception();
      }
    };
    for (std::size_t step = 0; step < num_steps; ++step)
      communicate(
          [&] { all_to_all_beside(send[step], receive[step], [&] { use_those_before(step); }); });
    use_those_before(num_steps);
    if (failure) std::rethrow_exception(failure);
  }

  /// One item of the place's memory.
  template <class T>
  std::remove_const_t<T> read(T* from) const {
    const auto items = read(from, 1);
    return items.front();
  }
  template <class T>
  std::vector<std::remove_const_t<T>> read(T* from, std::size_t n) const {
    std::vector<char> bytes(n * sizeof(T));
    communicator_.place().copy(bytes.data(), from, bytes.size());
    std::vector<std::remove_const_t<T>> items;
    items.reserve(n);
    add_items(bytes, items);
    return items;
  }
  template <class T>
  void write(T* to, const T* items, std::size_t n) const {
    communicator_.place().copy(to, items, n * sizeof(T));
  }

 private:
  enum class state { active, ended, broken };

  /// all[r * bytes ...] = what rank r passed as mine; it fits a message.
  void gather_in_messages(const void* mine, char* all, std::size_t bytes) {
    message sent;
    std::memcpy(sent.content, mine, bytes);
    const auto messages = post(sent);
    for (std::size_t r = 0; r < messages.size(); ++r)
      std::memcpy(all + r * bytes, messages[r].content, bytes);
  }

  /// The same of any number of bytes: messages carry their checksums.
  void gather_beside_messages(const void* mine, char* all, std::size_t bytes) {
    const auto checksum_of_rows = [&, number = num_messages_](const void* rows, std::size_t r) {
      return ranks::checksum_of(rows, bytes, r, number);
    };
    message sent;
    const std::uint64_t checksum = checksum_of_rows(mine, std::size_t(rank()));
    std::memcpy(sent.content, &checksum, sizeof checksum);
    const auto messages = post(sent);
    communicate([&] {
      communicator_.all_gather(mine, all, bytes);
      for (std::size_t r = 0; r < messages.size(); ++r) {
        const std::uint64_t received = checksum_of_rows(all + r * bytes, r);
        if (std::memcmp(messages[r].content, &received, sizeof received) != 0) refuse_message(r);
      }
    });
  }

  /// work() runs while bytes are on the way if the communicator can do that, else before.
  template <class Work>
  void all_to_all_beside(const std::vector<piece>& send, const std::vector<piece>& receive,
                         Work work) {
    if constexpr (works_beside<Communicator>) {
      communicator_.all_to_all_beside(send, receive, work);
    } else {
      work();
      communicator_.all_to_all(send, receive);
    }
  }

  /// Of any trivially copyable T, also without a default constructor.
  template <class T>
  static void add_items(const std::vector<char>& bytes, std::vector<T>& items) {
    static_assert(std::is_trivially_copyable_v<T>);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      alignas(T) char item[sizeof(T)];
      std::memcpy(item, bytes.data() + at, sizeof(T));
      items.push_back(*std::launder(reinterpret_cast<const T*>(item)));
    }
  }

  /// Where work() throws, the communicator is ended first. Otherwise a destructor that frees memory
  /// could wait for a stream in which a kernel waits for a rank that has gone.
  template <class Work>
  void communicate(Work work) {
    state_ = state::broken;
    try {
      work();
    } catch (...) {
      communicator_.abort();
      throw;
    }
    state_ = state::active;
  }

  /// Sends `mine` to all ranks. Returns the messages of all, or throws if one is of a failure.
  std::vector<message> post(message mine) {
    const auto ranks = std::size_t(size());
    std::vector<message> messages(ranks);
    const std::uint64_t number = num_messages_++;
    mine.checksum = mine.expected_checksum(std::size_t(rank()), number);
    communicate([&] {
      communicator_.all_gather(&mine, messages.data(), sizeof(message));
      for (std::size_t r = 0; r < ranks; ++r)
        if (messages[r].checksum != messages[r].expected_checksum(r, number)) refuse_message(r);
    });
    for (std::size_t r = 0; r < ranks; ++r) {
      if (!messages[r].is_failure || mine.is_failure) continue;
      state_ = state::ended;
      throw rank_failed(std::string{algorithm_} + ": rank " + std::to_string(r) +
                            " failed: " + messages[r].content,
                        int(r));
    }
    return messages;
  }

  [[noreturn]] void refuse_message(std::size_t rank) const {
    throw std::runtime_error(std::string{algorithm_} + ": what came from rank " +
                             std::to_string(rank) + " is not what it sends: a rank has left");
  }

  /// Tells the other ranks why this one leaves, if they do not know yet.
  void tell(const char* what) noexcept {
    try {
      if (state_ == state::active) {
        message last;
        last.is_failure = true;
        std::strncpy(last.content, what, sizeof last.content - 1);
        post(last);
        state_ = state::ended;
      }
    } catch (...) {  // the first error is the one to report
      // There was no memory for a message: others must not wait for it.
      if (state_ == state::active) communicator_.abort();
    }
  }

  Communicator& communicator_;
  const char* algorithm_;
  std::uint64_t& num_messages_;
  state state_ = state::active;
};

}  // namespace hindsight::detail::ranks
