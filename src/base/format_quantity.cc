#include "base/format_quantity.h"

#include <ostream>
#include <span>

#include "base/int128.h"
#include "base/quantity_units.h"

namespace weft {
namespace {

// INT64_MIN has a magnitude too.
constexpr std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

// value / scale, exactly. Every scale is a product of twos and fives, so the decimals end: at most 40 for TiB.
std::string exact_quotient(std::uint64_t value, std::uint64_t scale) {
  std::string text = fmt::format("{}", value / scale);
  auto remainder = static_cast<Uint128>(value % scale);
  if (remainder != 0) {
    text += '.';
  }
  while (remainder != 0) {
    remainder *= 10;
    text += static_cast<char>('0' + static_cast<int>(remainder / scale));
    remainder %= scale;
  }
  return text;
}

std::string in_largest_unit(std::int64_t value, std::span<const Unit> units) {
  const std::uint64_t size = magnitude(value);
  const Unit* chosen = &units.front();
  for (const Unit& unit : units) {
    if (unit.scale <= size) {
      chosen = &unit;
    }
  }
  return fmt::format("{}{} {}", value < 0 ? "-" : "", exact_quotient(size, chosen->scale), chosen->name);
}

std::string in_shortest_unit(std::int64_t value, std::span<const Unit> units) {
  const std::uint64_t size = magnitude(value);
  std::string number = exact_quotient(size, units.front().scale);
  const Unit* chosen = &units.front();
  for (const Unit& unit : units.subspan(1)) {
    if (unit.scale > size) {
      break;
    }
    auto candidate = exact_quotient(size, unit.scale);
    if (candidate.size() < number.size()) {
      number = std::move(candidate);
      chosen = &unit;
    }
  }
  return fmt::format("{}{} {}", value < 0 ? "-" : "", number, chosen->name);
}

}  // namespace

std::string to_string(Duration value) { return in_largest_unit(value.picoseconds(), kCanonicalDurations); }

std::string to_string(Time value) { return value.is_never() ? "never" : to_string(value.since_start()); }

std::string to_string(Bytes value) { return in_shortest_unit(value.count(), kBytesUnits); }

std::string to_string(Rate value) { return in_largest_unit(value.bits_per_second(), kCanonicalRates); }

std::string to_string(Packets value) { return fmt::format("{} packets", value.count()); }

std::string to_string(Probability value) {
  // 17 decimals of a percentage are steps of 1e-19, finer than 2^-63: the nearest one parses back, so the loop ends.
  Uint128 hundred = 100;
  Uint128 units = 0;
  unsigned decimals = 0;
  for (;; ++decimals, hundred *= 10) {
    units = (static_cast<Uint128>(value.raw()) * hundred + Probability::kOne / 2) >> 63;
    const Uint128 back = ((units << 63) + hundred / 2) / hundred;
    if (back == value.raw()) {
      break;
    }
  }
  const Uint128 scale = hundred / 100;
  auto text = fmt::format("{}", static_cast<std::uint64_t>(units / scale));
  if (decimals > 0) {
    text += fmt::format(".{:0{}}", static_cast<std::uint64_t>(units % scale), decimals);
  }
  return text + '%';
}

std::string to_string(Psn value) { return fmt::format("{}", value.value()); }

std::string id_to_string(std::uint32_t value) {
  return value == Id<struct AnyTag>::kInvalidValue ? "invalid" : fmt::format("{}", value);
}

void print_id(std::ostream& out, std::uint32_t value) { out << id_to_string(value); }

std::ostream& operator<<(std::ostream& out, Duration value) { return out << to_string(value); }
std::ostream& operator<<(std::ostream& out, Time value) { return out << to_string(value); }
std::ostream& operator<<(std::ostream& out, Bytes value) { return out << to_string(value); }
std::ostream& operator<<(std::ostream& out, Packets value) { return out << to_string(value); }
std::ostream& operator<<(std::ostream& out, Rate value) { return out << to_string(value); }
std::ostream& operator<<(std::ostream& out, Probability value) { return out << to_string(value); }
std::ostream& operator<<(std::ostream& out, Psn value) { return out << to_string(value); }

}  // namespace weft
