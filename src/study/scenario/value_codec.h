// How each type that a settings struct may hold is read from a raw value and written as text, and `bind`, which makes a
// key's Binding of a member.
//
// What `write` returns, `read` understands again. Errors say what was found and what is allowed; the caller adds path
// and place. A new type needs a Codec here and nothing else.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/format_quantity.h"
#include "base/nearest_word.h"
#include "study/scenario/key.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {

template <class T>
struct Codec;

/// "found the integer 7; expected a duration such as '500 ns'".
[[nodiscard]] tl::unexpected<Error> wrong_type(const RawValue& value, std::string_view expected);

template <>
struct Codec<std::string> {
  static Result<std::string> read(const RawValue& value, const Key& key);
  static std::string write(const std::string& value) { return value; }
  static std::string type(const Key& key);
};

template <>
struct Codec<bool> {
  static Result<bool> read(const RawValue& value, const Key& key);
  static std::string write(bool value) { return value ? "true" : "false"; }
  static std::string type(const Key&) { return "true or false"; }
};

template <>
struct Codec<std::int64_t> {
  static Result<std::int64_t> read(const RawValue& value, const Key& key);
  static std::string write(std::int64_t value) { return fmt::format("{}", value); }
  static std::string type(const Key&) { return "integer"; }
};

template <>
struct Codec<Probability> {
  static Result<Probability> read(const RawValue& value, const Key& key);
  static std::string write(Probability value) { return to_string(value); }
  static std::string type(const Key&) { return "probability"; }
};

template <>
struct Codec<ServiceTime> {
  static Result<ServiceTime> read(const RawValue& value, const Key& key);
  static std::string write(const ServiceTime& value);
  static std::string type(const Key&) { return "duration, 'uniform A to B' or 'exponential MEAN'"; }
};

template <>
struct Codec<StragglerSetting> {
  static Result<StragglerSetting> read(const RawValue& value, const Key& key);
  static std::string write(const StragglerSetting& value);
  static std::string type(const Key&) { return "'none', 'uniform to P', 'exponential P' or 'P by P'"; }
};

template <>
struct Codec<WindowSize> {
  static Result<WindowSize> read(const RawValue& value, const Key& key);
  static std::string write(const WindowSize& value);
  static std::string type(const Key&) { return "size, 'N BDP' or 'auto'"; }
  static std::string range(const Key& key);
};

template <>
struct Codec<VlWeight> {
  static Result<VlWeight> read(const RawValue& value, const Key& key);
  static std::string write(VlWeight value) { return fmt::format("\"{}:{}\"", value.vl, value.weight); }
  static std::string type(const Key&) { return "'VL:WEIGHT'"; }
};

/// Types with one integer inside, a parser and a text.
template <class T>
struct QuantityText;

template <class T>
requires requires { QuantityText<T>::kName; }
struct Codec<T> {
  static Result<T> read(const RawValue& value, const Key& key) {
    using Text = QuantityText<T>;
    const auto* text = std::get_if<std::string>(&value.content);
    if (text == nullptr) {
      return wrong_type(value, fmt::format("{} with its unit, such as '{}'", Text::kName, Text::kExample));
    }
    auto parsed = Text::parse(printable(*text));
    if (!parsed) {
      return fail("{}", parsed.error().message);
    }
    const auto count = Text::count(*parsed);
    if (count < key.range.low || count > key.range.high) {
      return fail("{} is out of range; {}", write(*parsed), range(key));
    }
    return *parsed;
  }
  static std::string write(T value) { return to_string(value); }
  static std::string type(const Key&) { return std::string(QuantityText<T>::kName).substr(2); }
  static std::string range(const Key& key) {
    const auto text = [](std::int64_t count) { return write(QuantityText<T>::from_count(count)); };
    return fmt::format("{} to {}", text(key.range.low), text(key.range.high));
  }
};

template <class Enum>
requires std::is_enum_v<Enum>
struct Codec<Enum> {
  using Words = WordsOf<Enum>;
  static Result<Enum> read(const RawValue& value, const Key&) {
    const auto* text = std::get_if<std::string>(&value.content);
    if (text == nullptr) {
      return wrong_type(value, fmt::format("one of {}", fmt::join(Words::kWords, ", ")));
    }
    for (std::size_t i = 0; i < Words::kWords.size(); ++i) {
      if (Words::kWords[i] == *text) {
        return static_cast<Enum>(i);
      }
    }
    for (const auto planned : Words::kPlanned) {
      if (planned == *text) {
        return fail("'{}' is not implemented; one of {}", planned, fmt::join(Words::kWords, ", "));
      }
    }
    const std::string shown = printable(*text);
    return tl::unexpected<Error>(unknown_word({.kind = "word", .word = shown, .valid = Words::kWords}));
  }
  static std::string write(Enum value) { return std::string(word_of(value)); }
  static std::string type(const Key&) { return fmt::format("one of {}", fmt::join(Words::kWords, ", ")); }
};

template <class T>
struct Codec<std::optional<T>> {
  static Result<std::optional<T>> read(const RawValue& value, const Key& key) {
    const auto* text = std::get_if<std::string>(&value.content);
    if (text != nullptr && *text == key.empty_word) {
      return std::optional<T>();
    }
    auto inner = Codec<T>::read(value, key);
    if (!inner) {
      return fail("{}; or '{}'", inner.error().message, key.empty_word);
    }
    return std::optional<T>(*inner);
  }
  static std::string write_with(const std::optional<T>& value, const Key& key) {
    return value ? Codec<T>::write(*value) : std::string(key.empty_word);
  }
  static std::string type(const Key& key) { return fmt::format("{} or '{}'", Codec<T>::type(key), key.empty_word); }
};

template <class T>
struct Codec<std::vector<T>> {
  static constexpr std::size_t kMost = 65'536;
  static Result<std::vector<T>> read(const RawValue& value, const Key& key) {
    const auto* array = std::get_if<RawArray>(&value.content);
    if (array == nullptr) {
      return wrong_type(value, fmt::format("a list of {}", Codec<T>::type(key)));
    }
    if (array->size() > kMost) {
      return fail("a list of {}; at most {}", array->size(), kMost);
    }
    std::vector<T> list;
    for (const auto& element : *array) {
      auto read = Codec<T>::read(element, key);
      if (!read) {
        return fail("element {}: {}", list.size() + 1, read.error().message);
      }
      list.push_back(*std::move(read));
    }
    return list;
  }
  static std::string write(const std::vector<T>& list) {
    std::vector<std::string> texts;
    for (const auto& element : list) {
      const auto text = Codec<T>::write(element);
      constexpr bool kIsText =
          std::is_same_v<T, std::string> || std::is_same_v<T, Probability> || std::is_enum_v<T> || requires {
        QuantityText<T>::kName;
      };
      texts.push_back(kIsText ? fmt::format("\"{}\"", text) : text);
    }
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
  static std::string type(const Key& key) { return fmt::format("list of {}", Codec<T>::type(key)); }
};

template <>
struct QuantityText<Duration> {
  static constexpr std::string_view kName = "a duration";
  static constexpr std::string_view kExample = "500 ns";
  static Result<Duration> parse(std::string_view text);
  static std::int64_t count(Duration value) { return value.picoseconds(); }
  static Duration from_count(std::int64_t count) { return Duration::picoseconds(count); }
};
template <>
struct QuantityText<Bytes> {
  static constexpr std::string_view kName = "a size";
  static constexpr std::string_view kExample = "4 KiB";
  static Result<Bytes> parse(std::string_view text);
  static std::int64_t count(Bytes value) { return value.count(); }
  static Bytes from_count(std::int64_t count) { return Bytes(count); }
};
template <>
struct QuantityText<Rate> {
  static constexpr std::string_view kName = "a rate";
  static constexpr std::string_view kExample = "400 Gbps";
  static Result<Rate> parse(std::string_view text);
  static std::int64_t count(Rate value) { return value.bits_per_second(); }
  static Rate from_count(std::int64_t count) { return Rate::bits_per_second(count); }
};
template <>
struct QuantityText<Length> {
  static constexpr std::string_view kName = "a length";
  static constexpr std::string_view kExample = "5 m";
  static Result<Length> parse(std::string_view text) { return parse_length(text); }
  static std::int64_t count(Length value) { return value.count; }
  static Length from_count(std::int64_t count) { return {count}; }
};
template <>
struct QuantityText<Power> {
  static constexpr std::string_view kName = "a power";
  static constexpr std::string_view kExample = "450 W";
  static Result<Power> parse(std::string_view text) { return parse_power(text); }
  static std::int64_t count(Power value) { return value.count; }
  static Power from_count(std::int64_t count) { return {count}; }
};
template <>
struct QuantityText<Money> {
  static constexpr std::string_view kName = "a price";
  static constexpr std::string_view kExample = "1500 USD";
  static Result<Money> parse(std::string_view text) { return parse_money(text); }
  static std::int64_t count(Money value) { return value.count; }
  static Money from_count(std::int64_t count) { return {count}; }
};

template <>
struct QuantityText<EnergyPrice> {
  static constexpr std::string_view kName = "a price of energy";
  static constexpr std::string_view kExample = "0.12 USD/kWh";
  static Result<EnergyPrice> parse(std::string_view text) { return parse_energy_price(text); }
  static std::int64_t count(EnergyPrice value) { return value.count; }
  static EnergyPrice from_count(std::int64_t count) { return {count}; }
};

/// Ratios: text without a unit and without a range of its own.
template <>
struct Codec<PowerOfTwo> {
  static Result<PowerOfTwo> read(const RawValue& value, const Key& key);
  static std::string write(PowerOfTwo value) { return to_string(value); }
  static std::string type(const Key&) { return "power of two from 1/128 to 128"; }
};
template <>
struct Codec<Oversubscription> {
  static Result<Oversubscription> read(const RawValue& value, const Key& key);
  static std::string write(Oversubscription value) { return to_string(value); }
  static std::string type(const Key&) { return "ratio 'DOWN:UP'"; }
};

namespace detail {

template <class T>
struct MemberOf;
template <class Class, class Type>
struct MemberOf<Type Class::*> {
  using Settings = Class;
  using Value = Type;
};

template <class First, class... Rest>
struct LastOf : LastOf<Rest...> {};
template <class Only>
struct LastOf<Only> {
  using Type = Only;
};

/// A member of a member.
template <auto... Inner, class Settings>
constexpr auto& reach(Settings& settings) {
  return (settings.*....*Inner);
}

template <class T>
std::string range_text(const Key& key) {
  if constexpr (requires { Codec<T>::range(key); }) {
    return Codec<T>::range(key);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return fmt::format("{} to {}", key.range.low, key.range.high);
  } else if constexpr (std::is_same_v<T, Probability>) {
    return "0 to 1";
  } else if constexpr (requires { typename T::value_type; } && !std::is_same_v<T, std::string>) {
    return range_text<typename T::value_type>(key);
  } else {
    return "";
  }
}

}  // namespace detail

/// The Binding of a key to a member of its section's settings, or to a member of a struct that these hold.
template <auto Member, auto... Inner>
[[nodiscard]] constexpr Binding bind() {
  using Settings = typename detail::MemberOf<decltype(Member)>::Settings;
  using Value = typename detail::MemberOf<typename detail::LastOf<decltype(Member), decltype(Inner)...>::Type>::Value;
  return {.set = [](void* settings, const RawValue& raw, const Key& key) -> Result<void> {
            auto value = Codec<Value>::read(raw, key);
            if (!value) {
              return fail("{}", value.error().message);
            }
            detail::reach<Inner...>(static_cast<Settings*>(settings)->*Member) = *std::move(value);
            return {};
          },
          .text =
              [](const void* settings, const Key& key) {
                const auto& value = detail::reach<Inner...>(static_cast<const Settings*>(settings)->*Member);
                if constexpr (requires { Codec<Value>::write_with(value, key); }) {
                  return Codec<Value>::write_with(value, key);
                } else {
                  return Codec<Value>::write(value);
                }
              },
          .type = &Codec<Value>::type,
          .range = &detail::range_text<Value>};
}

}  // namespace weft::study::scenario
