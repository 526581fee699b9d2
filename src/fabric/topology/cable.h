// What topologies say of a kind of cable: its rate, and its length or the time that light takes along it.
#pragma once

#include <compare>
#include <cstdint>

#include "base/rate.h"
#include "base/time.h"

namespace weft::fabric {

/// A length of cable in whole millimetres, >= 0.
class Length {
 public:
  constexpr Length() = default;
  static constexpr Length millimetres(std::int64_t count) { return Length(count); }
  static constexpr Length metres(std::int64_t count) { return Length(count * 1'000); }

  [[nodiscard]] constexpr std::int64_t millimetres() const { return millimetres_; }
  /// One way, at 5 ns per metre: the speed in fibre, and nearly that in copper.
  [[nodiscard]] constexpr Duration propagation() const { return Duration::picoseconds(5 * millimetres_); }

  friend constexpr auto operator<=>(Length, Length) = default;

 private:
  explicit constexpr Length(std::int64_t count) : millimetres_(count) {}
  std::int64_t millimetres_ = 0;
};

/// Both > 0.
struct Cable {
  Rate rate = 400_gbps;
  Duration propagation = Length::metres(3).propagation();  // one way
};

/// The usual cables inside a rack and between racks.
inline constexpr Cable kRackCable{400_gbps, Length::metres(3).propagation()};
inline constexpr Cable kRowCable{400_gbps, Length::metres(30).propagation()};

}  // namespace weft::fabric
