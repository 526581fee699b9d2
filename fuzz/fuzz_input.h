// What fuzzers that drive a pair of engines take their choices from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft {

/// The fuzzer's bytes; zeros when they have run out.
class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  std::uint8_t u8() {
    if (bytes_.empty()) {
      return 0;
    }
    const std::uint8_t value = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return value;
  }
  std::uint16_t u16() { return static_cast<std::uint16_t>(u8() << 8 | u8()); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(u16()) << 16 | u16(); }
  std::uint64_t u64() {
    const std::uint64_t high = u32();
    return high << 32 | u32();
  }
  std::uint32_t below(std::uint32_t limit) { return (limit > 256 ? u16() : u8()) % limit; }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::span<const std::uint8_t> bytes_;
};

}  // namespace weft
