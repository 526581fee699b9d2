// Generator<T>: a sequence made one value at a time by a coroutine that says `co_yield value`.
//
// `next` runs the coroutine up to its next value and gives it, or nothing once the coroutine has ended. Move-only. The
// coroutine's parameters are copied into its frame, so they should be values, or references that outlive it.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace weft {

template <class T>
class Generator {
 public:
  struct promise_type {
    std::optional<T> value;

    Generator get_return_object() { return Generator(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T yielded) {
      value = std::move(yielded);
      return {};
    }
    void return_void() { value.reset(); }
    [[noreturn]] void unhandled_exception() { std::terminate(); }
  };

  Generator(Generator&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Generator& operator=(Generator&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  ~Generator() {
    if (handle_)
      handle_.destroy();
  }

  [[nodiscard]] std::optional<T> next() {
    if (handle_.done())
      return std::nullopt;
    handle_.resume();
    return std::exchange(handle_.promise().value, std::nullopt);
  }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Generator(Handle handle) : handle_(handle) {}
  Handle handle_;
};

}  // namespace weft
