#include "study/scenario/quantities.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <vector>

#include "base/nearest_word.h"
#include "base/quantity_units.h"

namespace weft::study::scenario {
namespace {

constexpr std::array kLengthUnits = {Unit{"m", 1'000}, Unit{"km", 1'000'000}};
constexpr std::array kPowerUnits = {Unit{"W", 1'000}, Unit{"kW", 1'000'000}};
constexpr std::array kMoneyUnits = {Unit{"USD", 1'000}};
constexpr std::array kEnergyPriceUnits = {Unit{"USD/kWh", 1'000}};

// Enough for a building, a data centre, or its price; keeps every sum far from overflow.
constexpr std::int64_t kMaxWhole = 1'000'000'000;

struct SplitNumber {
  std::int64_t whole = 0;
  std::int64_t thousandths = 0;
  std::string_view rest;
};

bool read_fraction(std::string_view digits, std::int64_t& thousandths) {
  if (digits.empty() || digits.size() > 3) {
    return false;
  }
  std::int64_t weight = 100;
  for (const char digit : digits) {
    thousandths += (digit - '0') * weight;
    weight /= 10;
  }
  return true;
}

Result<SplitNumber> split_number(std::string_view text, std::string_view example) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  SplitNumber number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.whole);
  if (error != std::errc() || number.whole < 0 || text.front() == '-') {
    return fail("'{}' does not start with a number from 0; expected a quantity such as '{}'", text, example);
  }
  number.rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (number.rest.starts_with('.')) {
    const auto digits_end = std::find_if_not(number.rest.begin() + 1, number.rest.end(), is_digit);
    const auto length = static_cast<std::size_t>(digits_end - number.rest.begin());
    if (!read_fraction(number.rest.substr(1, length - 1), number.thousandths)) {
      return fail("'{}' has a fraction that is not 1 to 3 digits", text);
    }
    number.rest.remove_prefix(length);
  }
  while (number.rest.starts_with(' ')) {
    number.rest.remove_prefix(1);
  }
  return number;
}

Result<std::int64_t> parse_milli(std::string_view text, std::span<const Unit> units, std::string_view example) {
  auto number = split_number(text, example);
  if (!number) {
    return pass_on(number);
  }
  const auto unit = std::ranges::find(units, number->rest, &Unit::name);
  if (unit == units.end()) {
    std::vector<std::string_view> names(units.size());
    std::ranges::transform(units, names.begin(), &Unit::name);
    if (number->rest.empty()) {
      return fail("missing unit; one of {}", fmt::join(names, ", "));
    }
    return tl::unexpected<Error>(unknown_word({.kind = "unit", .word = number->rest, .valid = names}));
  }
  const auto scale = static_cast<std::int64_t>(unit->scale);
  if (number->whole > kMaxWhole / (scale / 1'000)) {
    return fail("'{}' is out of range; at most {} {}", text, kMaxWhole, units.front().name);
  }
  return number->whole * scale + number->thousandths * (scale / 1'000);
}

std::string milli_text(std::int64_t count, std::string_view unit) {
  auto number = fmt::format("{}.{:03}", count / 1'000, count % 1'000);
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') {
    number.pop_back();
  }
  return fmt::format("{} {}", number, unit);
}

bool read_whole(std::string_view text, std::int32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<Length> parse_length(std::string_view text) {
  return parse_milli(text, kLengthUnits, "5 m").map([](std::int64_t count) { return Length{count}; });
}

Result<Power> parse_power(std::string_view text) {
  return parse_milli(text, kPowerUnits, "450 W").map([](std::int64_t count) { return Power{count}; });
}

Result<Money> parse_money(std::string_view text) {
  return parse_milli(text, kMoneyUnits, "1500 USD").map([](std::int64_t count) { return Money{count}; });
}

Result<EnergyPrice> parse_energy_price(std::string_view text) {
  return parse_milli(text, kEnergyPriceUnits, "0.12 USD/kWh").map([](std::int64_t count) {
    return EnergyPrice{count};
  });
}

Result<PowerOfTwo> parse_power_of_two(std::string_view text) {
  for (int exponent = -7; exponent <= 7; ++exponent) {
    const PowerOfTwo value{static_cast<std::int8_t>(exponent)};
    if (to_string(value) == text) {
      return value;
    }
  }
  return fail("'{}' is not a power of two; one of 1/128, 1/64, 1/32, ... 1/2, 1, 2, ... 64, 128", text);
}

Result<Oversubscription> parse_oversubscription(std::string_view text) {
  const auto colon = text.find(':');
  Oversubscription value;
  const bool well_formed = colon != std::string_view::npos && read_whole(text.substr(0, colon), value.down) &&
                           read_whole(text.substr(colon + 1), value.up);
  constexpr std::int32_t kMost = 1'024;
  if (!well_formed || value.down < 1 || value.up < 1 || value.down > kMost || value.up > kMost) {
    return fail("'{}' is not a ratio such as '2:1', with both numbers from 1 to {}", text, kMost);
  }
  return value;
}

std::string to_string(Length value) { return milli_text(value.count, "m"); }
std::string to_string(Power value) { return milli_text(value.count, "W"); }
std::string to_string(Money value) { return milli_text(value.count, "USD"); }
std::string to_string(EnergyPrice value) { return milli_text(value.count, "USD/kWh"); }

std::string to_string(PowerOfTwo value) {
  return value.exponent < 0 ? fmt::format("1/{}", 1 << -value.exponent) : fmt::format("{}", 1 << value.exponent);
}

std::string to_string(Oversubscription value) { return fmt::format("{}:{}", value.down, value.up); }

}  // namespace weft::study::scenario
