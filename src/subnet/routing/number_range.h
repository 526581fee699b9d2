// Numbers that follow one another, to loop over. Clang cannot use the iota_view of libstdc++ 12.
#pragma once

#include <cstdint>

namespace weft::subnet {

/// From `first` to the one before `last`.
class NumberRange {
 public:
  class Iterator {
   public:
    using value_type = std::uint32_t;
    using difference_type = std::int64_t;

    Iterator() = default;
    explicit Iterator(std::uint32_t number) : number_(number) {}
    [[nodiscard]] std::uint32_t operator*() const { return number_; }
    Iterator& operator++() {
      ++number_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++number_;
      return before;
    }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    std::uint32_t number_ = 0;
  };

  NumberRange(std::uint32_t first, std::uint32_t last) : first_(first), last_(last) {}
  [[nodiscard]] Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] Iterator end() const { return Iterator(last_); }
  [[nodiscard]] std::uint32_t size() const { return last_ - first_; }
  [[nodiscard]] bool empty() const { return first_ == last_; }
  /// Of one that is not empty.
  [[nodiscard]] std::uint32_t front() const { return first_; }

 private:
  std::uint32_t first_;
  std::uint32_t last_;
};

}  // namespace weft::subnet
