// Numbers that child processes set and their parent reads: how far each piece of its work has come.
#pragma once

#include <atomic>
#include <cstddef>

namespace weft::live {

class SharedNumbers {
 public:
  /// All are 0. Children are forked later. Without memory for it every number stays 0.
  explicit SharedNumbers(std::size_t count);
  SharedNumbers(const SharedNumbers&) = delete;
  SharedNumbers& operator=(const SharedNumbers&) = delete;
  ~SharedNumbers();

  /// `i` is less than the count.
  void set(std::size_t i, double value);
  [[nodiscard]] double get(std::size_t i) const;

 private:
  std::size_t count_;
  std::atomic<double>* numbers_ = nullptr;
};

}  // namespace weft::live
