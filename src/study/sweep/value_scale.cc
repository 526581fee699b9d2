#include "study/sweep/value_scale.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

#include "base/parse_quantity.h"
#include "study/scenario/quantities.h"
#include "study/scenario/value_codec.h"

namespace weft::study::sweep {
namespace {

using scenario::QuantityText;

/// Longer texts are rounded: "370728 B" says no more than "370.7 kB".
constexpr std::size_t kShortText = 7;

template <class T>
Result<double> parse_as(std::string_view text) {
  Result<T> value = QuantityText<T>::parse(text);
  return value ? Result<double>(static_cast<double>(QuantityText<T>::count(*value))) : pass_on(value);
}

template <class T>
std::string text_as(double value) {
  const auto write = [](double count) { return to_string(QuantityText<T>::from_count(std::llround(count))); };
  std::string exact = write(value);
  return exact.size() <= kShortText ? exact : write(rounded_to_four_digits(value));
}

template <class T>
constexpr ValueScale quantity(std::string_view type) {
  return {.type = type, .example = QuantityText<T>::kExample, .parse = parse_as<T>, .text = text_as<T>};
}

Result<double> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fail("'{}' is no integer", scenario::printable(text));
  }
  return static_cast<double>(number);
}

Result<double> parse_share(std::string_view text) {
  Result<Probability> value = parse_probability(text);
  return value ? Result<double>(std::ldexp(static_cast<double>(value->raw()), -63)) : pass_on(value);
}

std::string share_text(double value) {
  const double percent = rounded_to_four_digits(value * 100);
  std::string text = fmt::format("{:.12f}", percent);
  text.erase(text.find_last_not_of('0') + 1);
  return (text.back() == '.' ? text.substr(0, text.size() - 1) : text) + '%';
}

Result<double> parse_power(std::string_view text) {
  Result<scenario::PowerOfTwo> value = scenario::parse_power_of_two(text);
  return value ? Result<double>(value->exponent) : pass_on(value);
}

std::string power_text(double value) {
  return to_string(scenario::PowerOfTwo{.exponent = static_cast<std::int8_t>(std::lround(value))});
}

constexpr std::array kScales = {
    ValueScale{.type = "integer",
               .example = "8",
               .steps_of_one = true,
               .parse = parse_integer,
               .text = [](double value) { return fmt::format("{}", std::llround(value)); }},
    ValueScale{.type = "probability", .example = "1%", .parse = parse_share, .text = share_text},
    ValueScale{
        .type = "power of two", .example = "1/8", .steps_of_one = true, .parse = parse_power, .text = power_text},
    quantity<Duration>("duration"),
    quantity<Bytes>("size"),
    quantity<Rate>("rate"),
    quantity<scenario::Length>("length"),
    quantity<scenario::Power>("power"),
    quantity<scenario::Money>("price"),
    quantity<scenario::EnergyPrice>("price of energy"),
};

/// "duration or 'auto'" and "duration, 'uniform A to B' or ..." are durations; "price of energy" is no price.
bool is_of_type(std::string_view written, std::string_view type) {
  if (!written.starts_with(type)) {
    return false;
  }
  const std::string_view rest = written.substr(type.size());
  return rest.empty() || rest.starts_with(',') || rest.starts_with(" or ") || rest.starts_with(" from ");
}

}  // namespace

const ValueScale* scale_of(const scenario::Key& key) {
  const std::string written = key.binding.type(key);
  for (const ValueScale& scale : kScales) {
    if (is_of_type(written, scale.type)) {
      return &scale;
    }
  }
  return nullptr;
}

double rounded_to_four_digits(double value) {
  if (value == 0) {
    return 0;
  }
  const double factor = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  return std::round(value * factor) / factor;
}

}  // namespace weft::study::sweep
