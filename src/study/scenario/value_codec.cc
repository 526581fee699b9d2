#include "study/scenario/value_codec.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/parse_quantity.h"

namespace weft::study::scenario {
namespace {

// "2.5e-12" as "0.0000000000025": quantities have no exponents, but bit error rates are always written with one.
std::string without_exponent(std::string_view text) {
  const auto mark = text.find_first_of("eE");
  int exponent = 0;
  const auto digits = text.substr(std::min(mark, text.size()));
  if (digits.size() < 3 || digits[1] != '-') {
    return std::string(text);
  }
  const auto [end, error] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), exponent);
  if (error != std::errc() || end != digits.data() + digits.size() || exponent > 30) {
    return std::string(text);
  }
  std::string mantissa(text.substr(0, mark));
  const auto point = mantissa.find('.');
  const auto whole = point == std::string::npos ? mantissa.size() : point;
  if (whole != 1) {
    return std::string(text);
  }
  if (point != std::string::npos) {
    mantissa.erase(point, 1);
  }
  return exponent == 0 ? std::string(text) : "0." + std::string(static_cast<std::size_t>(exponent - 1), '0') + mantissa;
}

Result<std::int64_t> whole_number(std::string_view text, std::string_view what) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > 255) {
    return fail("'{}' is no {} from 0 to 255", printable(text), what);
  }
  return number;
}

}  // namespace

tl::unexpected<Error> wrong_type(const RawValue& value, std::string_view expected) {
  return fail("found {}; expected {}", describe(value), expected);
}

Result<std::string> Codec<std::string>::read(const RawValue& value, const Key&) {
  const auto* text = std::get_if<std::string>(&value.content);
  if (text == nullptr) {
    return wrong_type(value, "a text in quotes");
  }
  constexpr std::size_t kMost = 1'024;
  const bool plain = std::ranges::all_of(*text, [](char c) { return c >= ' ' && c <= '~'; });
  if (!plain || text->size() > kMost) {
    return fail("the text '{}' has other than printable ASCII characters, or more than {}", printable(*text), kMost);
  }
  return *text;
}

std::string Codec<std::string>::type(const Key& key) {
  return key.entry.empty() ? "text" : fmt::format("name of a {} of the catalogue", key.entry);
}

Result<bool> Codec<bool>::read(const RawValue& value, const Key&) {
  if (const auto* boolean = std::get_if<bool>(&value.content)) {
    return *boolean;
  }
  return wrong_type(value, "true or false");
}

Result<std::int64_t> Codec<std::int64_t>::read(const RawValue& value, const Key& key) {
  const auto* number = std::get_if<std::int64_t>(&value.content);
  if (number == nullptr) {
    return wrong_type(value, fmt::format("an integer from {} to {}", key.range.low, key.range.high));
  }
  if (*number < key.range.low || *number > key.range.high) {
    return fail("{} is out of range; {} to {}", *number, key.range.low, key.range.high);
  }
  return *number;
}

Result<Probability> Codec<Probability>::read(const RawValue& value, const Key&) {
  std::string text;
  if (const auto* written = std::get_if<std::string>(&value.content)) {
    text = printable(*written);
  } else if (const auto* number = std::get_if<double>(&value.content)) {
    if (!std::isfinite(*number)) {
      return fail("{} is no probability; from 0 to 1", *number);
    }
    text = fmt::format("{}", *number);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value.content)) {
    text = fmt::format("{}", *integer);
  } else {
    return wrong_type(value, "a probability such as '1%', 0.01 or 1e-12");
  }
  return parse_probability(without_exponent(text));
}

Result<ServiceTime> Codec<ServiceTime>::read(const RawValue& value, const Key& key) {
  const auto* text = std::get_if<std::string>(&value.content);
  if (text == nullptr) {
    return wrong_type(value, type(key));
  }
  const auto part = [&key](std::string_view words) {
    return Codec<Duration>::read(RawValue{.place = {}, .content = std::string(words)}, key);
  };
  const std::string_view all = *text;
  ServiceTime time;
  std::string_view first = all;
  if (all.starts_with("exponential ")) {
    time.kind = ServiceTimeKind::kExponential;
    first = all.substr(12);
  } else if (const auto to = all.find(" to "); all.starts_with("uniform ") && to != std::string_view::npos) {
    time.kind = ServiceTimeKind::kUniform;
    first = all.substr(8, to - 8);
    auto high = part(all.substr(to + 4));
    if (!high) {
      return pass_on(high);
    }
    time.high = *high;
  }
  auto low = part(first);
  if (!low) {
    return fail("{}; expected {}", low.error().message, type(key));
  }
  time.low = *low;
  if (time.kind == ServiceTimeKind::kUniform && time.high < time.low) {
    return fail("uniform from {} to {}: the first must not be larger", time.low, time.high);
  }
  return time;
}

std::string Codec<ServiceTime>::write(const ServiceTime& value) {
  switch (value.kind) {
    case ServiceTimeKind::kConstant:
      return to_string(value.low);
    case ServiceTimeKind::kUniform:
      return fmt::format("uniform {} to {}", value.low, value.high);
    case ServiceTimeKind::kExponential:
      return fmt::format("exponential {}", value.low);
  }
  return "";
}

Result<StragglerSetting> Codec<StragglerSetting>::read(const RawValue& value, const Key& key) {
  const auto* text = std::get_if<std::string>(&value.content);
  if (text == nullptr) {
    return wrong_type(value, type(key));
  }
  const auto share = [&key](std::string_view words) {
    return Codec<Probability>::read(RawValue{.place = {}, .content = std::string(words)}, key);
  };
  const std::string_view all = *text;
  if (all == "none") {
    return StragglerSetting{};
  }
  const auto by = all.find(" by ");
  const bool uniform = all.starts_with("uniform to ");
  const bool exponential = all.starts_with("exponential ");
  const std::string_view last = uniform                        ? all.substr(11)
                                : exponential                  ? all.substr(12)
                                : by != std::string_view::npos ? all.substr(by + 4)
                                                               : std::string_view();
  const auto amount = share(last);
  const auto often = by == std::string_view::npos ? Result<Probability>(Probability::zero()) : share(all.substr(0, by));
  if (!amount || !often) {
    return fail("'{}'; expected {}", printable(all), type(key));
  }
  const workload::Slowdown slowdown{static_cast<std::int64_t>(
      (static_cast<Uint128>(amount->raw()) * 1'000'000 + Probability::kOne / 2) / Probability::kOne)};
  if (uniform) {
    return StragglerSetting{workload::UniformlySlow{.most = slowdown}};
  }
  if (exponential) {
    return StragglerSetting{workload::ExponentiallySlow{.mean = slowdown}};
  }
  return StragglerSetting{workload::SometimesSlow{.probability = *often, .slowdown = slowdown}};
}

std::string Codec<StragglerSetting>::write(const StragglerSetting& value) {
  const auto percent = [](workload::Slowdown slowdown) {
    return fmt::format("{}%", static_cast<double>(slowdown.millionths) / 1e4);
  };
  if (const auto* uniform = std::get_if<workload::UniformlySlow>(&value.distribution)) {
    return "uniform to " + percent(uniform->most);
  }
  if (const auto* exponential = std::get_if<workload::ExponentiallySlow>(&value.distribution)) {
    return "exponential " + percent(exponential->mean);
  }
  if (const auto* sometimes = std::get_if<workload::SometimesSlow>(&value.distribution)) {
    return fmt::format("{} by {}", to_string(sometimes->probability), percent(sometimes->slowdown));
  }
  return "none";
}

namespace {

constexpr std::string_view kBdpUnit = "BDP";
constexpr std::int64_t kMaxBdpMillis = 1'000'000;

/// "1.5" of "1.5 BDP" as 1500.
Result<std::int64_t> read_bdp_millis(std::string_view number) {
  const auto error = [&] {
    return fail("'{} BDP'; expected 0.001 BDP to 1000 BDP, with three decimals at most", printable(number));
  };
  while (number.ends_with(' ')) {
    number.remove_suffix(1);
  }
  const auto point = number.find('.');
  const auto whole = number.substr(0, point);
  const auto decimals = point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
  std::string digits(whole);
  digits += decimals;
  digits.append(3 - std::min<std::size_t>(decimals.size(), 3), '0');
  std::int64_t millis = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), millis);
  const bool numeric = code == std::errc() && end == digits.data() + digits.size() && !whole.empty();
  if (!numeric || decimals.size() > 3 || millis < 1 || millis > kMaxBdpMillis) {
    return error();
  }
  return millis;
}

}  // namespace

Result<WindowSize> Codec<WindowSize>::read(const RawValue& value, const Key& key) {
  const auto* text = std::get_if<std::string>(&value.content);
  if (text == nullptr) {
    return wrong_type(value, "a size such as '128 KiB', '1.5 BDP' or 'auto'");
  }
  if (*text == "auto") {
    return WindowSize{.bytes = {}, .bdp_millis = 1'000};
  }
  if (text->ends_with(kBdpUnit)) {
    return read_bdp_millis(std::string_view(*text).substr(0, text->size() - kBdpUnit.size())).map([](std::int64_t own) {
      return WindowSize{.bytes = {}, .bdp_millis = own};
    });
  }
  return Codec<Bytes>::read(value, key).map([](Bytes own) { return WindowSize{.bytes = own}; });
}

std::string Codec<WindowSize>::write(const WindowSize& value) {
  return value.bdp_millis == 0 ? to_string(value.bytes)
                               : fmt::format("{} {}", static_cast<double>(value.bdp_millis) / 1'000, kBdpUnit);
}

std::string Codec<WindowSize>::range(const Key& key) { return Codec<Bytes>::range(key) + ", or 0.001 BDP to 1000 BDP"; }

Result<VlWeight> Codec<VlWeight>::read(const RawValue& value, const Key&) {
  const auto* text = std::get_if<std::string>(&value.content);
  const auto colon = text == nullptr ? std::string::npos : text->find(':');
  if (colon == std::string::npos) {
    return wrong_type(value, "'VL:WEIGHT' such as '1:4'");
  }
  auto vl = whole_number(std::string_view(*text).substr(0, colon), "VL");
  if (!vl) {
    return pass_on(vl);
  }
  if (*vl > 14) {
    return fail("VL {} is out of range; 0 to 14", *vl);
  }
  auto weight = whole_number(std::string_view(*text).substr(colon + 1), "weight");
  if (!weight) {
    return pass_on(weight);
  }
  return VlWeight{.vl = static_cast<std::uint8_t>(*vl), .weight = static_cast<std::uint8_t>(*weight)};
}

namespace {

// Ratios may be written as text, and whole ones as integers.
Result<std::string> ratio_text(const RawValue& value, std::string_view expected) {
  if (const auto* text = std::get_if<std::string>(&value.content)) {
    return printable(*text);
  }
  if (const auto* number = std::get_if<std::int64_t>(&value.content)) {
    return fmt::format("{}", *number);
  }
  return wrong_type(value, expected);
}

}  // namespace

Result<PowerOfTwo> Codec<PowerOfTwo>::read(const RawValue& value, const Key& key) {
  return ratio_text(value, type(key)).and_then([](const std::string& text) { return parse_power_of_two(text); });
}

Result<Oversubscription> Codec<Oversubscription>::read(const RawValue& value, const Key& key) {
  return ratio_text(value, type(key)).and_then([](const std::string& text) { return parse_oversubscription(text); });
}

Result<Duration> QuantityText<Duration>::parse(std::string_view text) { return parse_duration(text); }
Result<Bytes> QuantityText<Bytes>::parse(std::string_view text) { return parse_bytes(text); }
Result<Rate> QuantityText<Rate>::parse(std::string_view text) { return parse_rate(text); }

}  // namespace weft::study::scenario
