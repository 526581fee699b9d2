// Numbers and texts as bytes and back: what ranks of one build tell each other.
//
// Numbers are eight bytes in the machine's own order: all ranks run the same build on the same kind of machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace weft::cluster {

class Packer {
 public:
  Packer& number(std::uint64_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Packer& real(double value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Packer& text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
    return *this;
  }
  template <class Record>
  Packer& record(const Record& value) {
    static_assert(std::is_trivially_copyable_v<Record>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// The bytes must outlive it. Behind their end everything is zero or empty, and `is_whole` false.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::uint64_t number() { return record<std::uint64_t>(); }
  [[nodiscard]] double real() { return record<double>(); }
  [[nodiscard]] std::string text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      return fail<std::string>();
    }
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  template <class Record>
  [[nodiscard]] Record record() {
    static_assert(std::is_trivially_copyable_v<Record>);
    if (sizeof(Record) > rest_.size()) {
      return fail<Record>();
    }
    Record value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  [[nodiscard]] bool is_empty() const { return rest_.empty(); }
  /// Nothing was asked for that was not there.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  template <class T>
  T fail() {
    is_whole_ = false;
    rest_ = {};
    return T{};
  }

  std::string_view rest_;
  bool is_whole_ = true;
};

}  // namespace weft::cluster
