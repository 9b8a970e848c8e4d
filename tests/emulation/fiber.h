// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function with a stack of its own, which runs whenever it is resumed and until it gives way. One
// that is not needed any more is just forgotten: nothing on its stack is destroyed.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <vector>
#if defined(__SANITIZE_ADDRESS__)
#  include <sanitizer/asan_interface.h>
#endif

namespace emulation {

class fiber {
 public:
  fiber() = default;
  fiber(const fiber&) = delete;
  ~fiber() {
    if (stack_) pool().push_back(stack_);
  }

  bool has_started() const { return stack_ != nullptr; }

  /// Runs `function(argument)`, which must not return, until it gives way for the first time.
  void start(void (*function)(void*), void* argument) {
    stack_ = take_stack();
    function_ = function;
    argument_ = argument;
    inside_ = make_fcontext(stack_ + stack_bytes, stack_bytes, [](transfer_t from) {
      fiber* const self = static_cast<fiber*>(from.data);
      self->outside_ = from.fctx;
      self->function_(self->argument_);
    });
    resume();
  }
  void resume() { inside_ = jump_fcontext(inside_, this).fctx; }
  /// Called inside: resume() returns.
  void give_way() { outside_ = jump_fcontext(outside_, nullptr).fctx; }

 private:
  using transfer_t = boost::context::detail::transfer_t;
  using fcontext_t = boost::context::detail::fcontext_t;
  static fcontext_t make_fcontext(void* top, std::size_t bytes, void (*run)(transfer_t)) {
    return boost::context::detail::make_fcontext(top, bytes, run);
  }
  static transfer_t jump_fcontext(fcontext_t to, void* data) {
    return boost::context::detail::jump_fcontext(to, data);
  }

  static constexpr std::size_t stack_bytes = 64 * 1024;
  static std::vector<char*>& pool() {
    static auto* const stacks = new std::vector<char*>;  // outlives every fiber
    return *stacks;
  }
  static char* take_stack() {
    if (pool().empty()) return static_cast<char*>(::operator new(stack_bytes));
    char* const stack = pool().back();
    pool().pop_back();
#if defined(__SANITIZE_ADDRESS__)
    ASAN_UNPOISON_MEMORY_REGION(stack, stack_bytes);  // what the last fiber left there
#endif
    return stack;
  }

  char* stack_ = nullptr;
  fcontext_t inside_ = nullptr, outside_ = nullptr;
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
};

}  // namespace emulation
