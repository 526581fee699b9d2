// Quantities as text: exact, in the most readable unit, and understood again by base/parse_quantity.h.
//
// "1.5 us", "4 KiB", "400 Gbps", "64 packets", "1%". A negative value has a leading '-' (which parsing refuses);
// Time::never() is "never". fmt prints every type here with the width and alignment of a string.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/probability.h"
#include "base/psn.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft {

/// In the largest unit that is not larger than the value.
[[nodiscard]] std::string to_string(Duration value);
/// As the span since the start of the run.
[[nodiscard]] std::string to_string(Time value);
/// In the unit that needs the fewest digits: 4096 B is "4 KiB", 1500 B is "1.5 kB", 4097 B is "4097 B".
[[nodiscard]] std::string to_string(Bytes value);
/// In the largest unit that is not larger than the value, always in bits.
[[nodiscard]] std::string to_string(Rate value);
[[nodiscard]] std::string to_string(Packets value);
/// As a percentage with the fewest digits that parse to the same value.
[[nodiscard]] std::string to_string(Probability value);
[[nodiscard]] std::string to_string(Psn value);

/// The number, or "invalid".
[[nodiscard]] std::string id_to_string(std::uint32_t value);
template <class Tag>
[[nodiscard]] std::string to_string(Id<Tag> value) {
  return id_to_string(value.value());
}

/// Base of the fmt formatters: prints weft::to_string(value) as a string.
template <class T>
struct ToStringFormatter : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return fmt::formatter<std::string_view>::format(to_string(value), context);
  }
};

}  // namespace weft

template <>
struct fmt::formatter<weft::Duration> : weft::ToStringFormatter<weft::Duration> {};
template <>
struct fmt::formatter<weft::Time> : weft::ToStringFormatter<weft::Time> {};
template <>
struct fmt::formatter<weft::Bytes> : weft::ToStringFormatter<weft::Bytes> {};
template <>
struct fmt::formatter<weft::Rate> : weft::ToStringFormatter<weft::Rate> {};
template <>
struct fmt::formatter<weft::Packets> : weft::ToStringFormatter<weft::Packets> {};
template <>
struct fmt::formatter<weft::Probability> : weft::ToStringFormatter<weft::Probability> {};
template <>
struct fmt::formatter<weft::Psn> : weft::ToStringFormatter<weft::Psn> {};
template <class Tag>
struct fmt::formatter<weft::Id<Tag>> : weft::ToStringFormatter<weft::Id<Tag>> {};
