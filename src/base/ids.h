// Typed identifiers: 32-bit numbers that cannot be mixed up with one another.
//
// An id is a name, not a quantity: it compares and prints, nothing else. The default value is invalid.
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <limits>

namespace weft {

/// Writes the number, or "invalid".
void print_id(std::ostream& out, std::uint32_t value);

/// A 32-bit identifier of the kind named by `Tag`.
template <class Tag>
class Id {
 public:
  static constexpr std::uint32_t kInvalidValue = std::numeric_limits<std::uint32_t>::max();

  constexpr Id() = default;
  explicit constexpr Id(std::uint32_t value) : value_(value) {}
  static constexpr Id invalid() { return Id(); }

  [[nodiscard]] constexpr std::uint32_t value() const { return value_; }
  [[nodiscard]] constexpr bool is_valid() const { return value_ != kInvalidValue; }

  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::uint32_t value_ = kInvalidValue;
};

template <class Tag>
std::ostream& operator<<(std::ostream& out, Id<Tag> id) {
  print_id(out, id.value());
  return out;
}

/// Something that has an address on a fabric: one port of one NIC (or a switch's management port).
using EndpointId = Id<struct EndpointTag>;
/// Queue pair number, 24 bits on the wire; unique within one endpoint's device.
using Qpn = Id<struct QpnTag>;

}  // namespace weft
