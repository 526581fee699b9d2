#include "base/parse_quantity.h"

#include <fmt/format.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/format_quantity.h"
#include "base/int128.h"
#include "base/nearest_word.h"
#include "base/printable.h"
#include "base/quantity_units.h"

namespace weft {
namespace {

// What the messages of one quantity need to know.
struct Grammar {
  std::string_view example;
  std::string_view smallest_step;
  std::span<const Unit> units;
  std::size_t canonical_units;
};

// mantissa / 10^fraction_digits, with no trailing zeros in the fraction.
struct Decimal {
  Uint128 mantissa = 0;
  unsigned fraction_digits = 0;
};

struct SplitText {
  std::string_view number;
  std::string_view unit;
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

SplitText split(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [](char c) { return is_digit(c) || c == '.'; });
  const auto length = static_cast<std::size_t>(end - text.begin());
  return {.number = text.substr(0, length), .unit = trimmed(text.substr(length))};
}

// Empty for "", ".", "1.", ".5" and "1.2.3".
std::optional<Decimal> read_decimal(std::string_view number) {
  const auto point = number.find('.');
  const auto whole = number.substr(0, point);
  auto fraction = point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
  const bool fraction_missing = point != std::string_view::npos && fraction.empty();
  if (whole.empty() || fraction_missing || fraction.find('.') != std::string_view::npos) {
    return std::nullopt;
  }
  while (!fraction.empty() && fraction.back() == '0') {
    fraction.remove_suffix(1);
  }
  Decimal decimal{.mantissa = 0, .fraction_digits = static_cast<unsigned>(fraction.size())};
  for (const auto digits : {whole, fraction}) {
    for (const char c : digits) {
      decimal.mantissa = decimal.mantissa * 10 + static_cast<unsigned>(c - '0');
    }
  }
  return decimal;
}

// A mantissa or power of ten of this many digits, times 200, stays below 2^128.
constexpr std::size_t kMaxDigits = 36;

constexpr Uint128 power_of_ten(unsigned exponent) {
  Uint128 power = 1;
  for (unsigned i = 0; i < exponent; ++i) {
    power *= 10;
  }
  return power;
}

constexpr Uint128 greatest_common_divisor(Uint128 a, Uint128 b) {
  while (b != 0) {
    a = std::exchange(b, a % b);
  }
  return a;
}

tl::unexpected<Error> unit_error(const Grammar& grammar, std::string_view unit) {
  std::vector<std::string_view> names(grammar.units.size());
  std::ranges::transform(grammar.units, names.begin(), &Unit::name);
  const auto listed = std::span<const std::string_view>(names).first(grammar.canonical_units);
  if (unit.empty()) {
    return fail("missing unit; one of {}", fmt::join(listed, ", "));
  }
  return tl::unexpected<Error>(unknown_word({.kind = "unit", .word = unit, .valid = names, .listed = listed}));
}

// The number that `text` starts with, or why there is none.
Result<Decimal> parse_number(std::string_view text, std::string_view example) {
  if (text.empty()) {
    return fail("empty; expected a quantity such as '{}'", example);
  }
  if (text.front() == '-') {
    return fail("'{}' is negative; expected a quantity such as '{}'", excerpt(text), example);
  }
  const auto number = split(text).number;
  if (number.size() > kMaxDigits) {
    return fail("'{}' has too many digits; at most {}", excerpt(text), kMaxDigits);
  }
  const auto decimal = read_decimal(number);
  if (!decimal) {
    return fail("'{}' does not start with a number; expected a quantity such as '{}'", excerpt(text), example);
  }
  return *decimal;
}

template <class Quantity>
Result<std::int64_t> parse_steps(std::string_view raw_text, const Grammar& grammar) {
  const auto text = trimmed(raw_text);
  const auto decimal = parse_number(text, grammar.example);
  if (!decimal) {
    return tl::unexpected<Error>(decimal.error());
  }
  const auto unit_name = split(text).unit;
  const auto unit = std::ranges::find(grammar.units, unit_name, &Unit::name);
  if (unit == grammar.units.end()) {
    return unit_error(grammar, unit_name);
  }
  const Uint128 divisor = power_of_ten(decimal->fraction_digits);
  const Uint128 common = greatest_common_divisor(unit->scale, divisor);
  if (decimal->mantissa % (divisor / common) != 0) {
    return fail("'{}' is not a whole number of {}", excerpt(text), grammar.smallest_step);
  }
  const Uint128 quotient = decimal->mantissa / (divisor / common);
  const Uint128 factor = unit->scale / common;
  constexpr auto kLimit = static_cast<Uint128>(std::numeric_limits<std::int64_t>::max());
  if (quotient > kLimit / factor) {
    return fail("'{}' is out of range; at most {}", excerpt(text), to_string(Quantity::max()));
  }
  return static_cast<std::int64_t>(quotient * factor);
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  constexpr Grammar kGrammar = {"500 ns", "picoseconds", kDurationUnits, kCanonicalDurationUnits};
  return parse_steps<Duration>(text, kGrammar).map([](std::int64_t count) { return Duration::picoseconds(count); });
}

Result<Bytes> parse_bytes(std::string_view text) {
  constexpr Grammar kGrammar = {"4 KiB", "bytes", kBytesUnits, kBytesUnits.size()};
  return parse_steps<Bytes>(text, kGrammar).map([](std::int64_t count) { return Bytes(count); });
}

Result<Rate> parse_rate(std::string_view text) {
  constexpr Grammar kGrammar = {"400 Gbps", "bits per second", kRateUnits, kCanonicalRateUnits};
  return parse_steps<Rate>(text, kGrammar).map([](std::int64_t count) { return Rate::bits_per_second(count); });
}

Result<Packets> parse_packets(std::string_view text) {
  constexpr Grammar kGrammar = {"64 packets", "packets", kPacketsUnits, kCanonicalPacketsUnits};
  return parse_steps<Packets>(text, kGrammar).map([](std::int64_t count) { return Packets(count); });
}

Result<Probability> parse_probability(std::string_view raw_text) {
  const auto text = trimmed(raw_text);
  auto decimal = parse_number(text, "1%");
  if (!decimal) {
    return tl::unexpected<Error>(decimal.error());
  }
  const auto unit = split(text).unit;
  if (!unit.empty() && unit != "%") {
    return fail("unknown unit '{}' of a probability; write '1%' or '0.01'", excerpt(unit));
  }
  const Uint128 one = power_of_ten(decimal->fraction_digits) * (unit.empty() ? 1 : 100);
  if (decimal->mantissa > one) {
    return fail("'{}' is out of range; a probability is at most 1 (100%)", excerpt(text));
  }
  // Long division, bit by bit: the product with 2^63 need not fit into 128 bits.
  std::uint64_t raw = 0;
  Uint128 remainder = decimal->mantissa;
  for (int bit = 0; bit <= 63; ++bit) {
    raw = (raw << 1) | (remainder >= one ? 1U : 0U);
    remainder = (remainder >= one ? remainder - one : remainder) * 2;
  }
  return Probability::from_raw(raw + (remainder >= one ? 1U : 0U));
}

}  // namespace weft
