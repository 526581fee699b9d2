// CRC-32C (Castagnoli): the check of iWARP's MPA and of Ultra Ethernet. Eight bytes per step from tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::wire {

/// Takes bytes in any number of pieces; "123456789" has the value 0xE3069283.
//= rfc3720 B.4
class Crc32c {
 public:
  Crc32c& add(std::span<const std::byte> bytes);
  [[nodiscard]] std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = 0xFFFFFFFF;
};

}  // namespace weft::wire
