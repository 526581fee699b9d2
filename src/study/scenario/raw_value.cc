#include "study/scenario/raw_value.h"

#include <fmt/core.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/printable.h"

namespace weft::study::scenario {
namespace {

constexpr std::size_t kMaxText = std::size_t{1} << 20;
// Tables nest by dots without a limit of the library's; each level costs stack.
constexpr std::ptrdiff_t kMaxDots = 100;

Place place_of(const toml::source_region& region) {
  return {.line = static_cast<std::uint32_t>(region.begin.line),
          .column = static_cast<std::uint32_t>(region.begin.column)};
}

RawValue convert(const toml::node& node);

RawTable convert_table(const toml::table& table) {
  RawTable raw;
  for (const auto& [key, value] : table) {
    raw.push_back({.key = std::string(key.str()), .place = place_of(key.source()), .value = convert(value)});
  }
  std::ranges::stable_sort(raw, {}, &RawEntry::place);
  return raw;
}

RawArray convert_array(const toml::array& array) {
  RawArray raw;
  for (const auto& element : array) {
    raw.push_back(convert(element));
  }
  return raw;
}

RawValue convert(const toml::node& node) {
  RawValue value{.place = place_of(node.source()), .content = RawDate{}};
  if (const auto* text = node.as_string()) {
    value.content = text->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.content = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    value.content = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.content = number->get();
  } else if (const auto* array = node.as_array()) {
    value.content = convert_array(*array);
  } else if (const auto* table = node.as_table()) {
    value.content = convert_table(*table);
  }
  return value;
}

Result<void> check_text(std::string_view text) {
  if (text.size() > kMaxText) {
    return fail("1:1: the text has {} bytes; at most {}", text.size(), kMaxText);
  }
  std::uint32_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const auto row = text.substr(begin, end - begin);
    if (const auto zero = row.find('\0'); zero != std::string_view::npos) {
      return fail("{}:{}: a zero byte; this is no TOML text", line, zero + 1);
    }
    if (std::ranges::count(row, '.') > kMaxDots) {
      return fail("{}:1: more than {} dots in one line", line, kMaxDots);
    }
    begin = end + 1;
  }
  return {};
}

// The library's exceptions end here.
Result<toml::table> parse(std::string_view text) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const auto place = place_of(error.source());
    return fail("{}:{}: not valid TOML: {}", place.line, place.column, printable(error.description()));
  }
}

}  // namespace

std::string toml_text(const RawValue& value) {
  const auto joined = [](const auto& parts, const auto& text_of) {
    std::string all;
    for (const auto& part : parts) {
      all += (all.empty() ? "" : ", ") + text_of(part);
    }
    return all;
  };
  if (const auto* text = std::get_if<std::string>(&value.content)) {
    std::string escaped;
    for (const char c : *text) {
      escaped += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return fmt::format("\"{}\"", terminal_text(escaped));
  }
  if (const auto* flag = std::get_if<bool>(&value.content)) {
    return *flag ? "true" : "false";
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value.content)) {
    return fmt::format("{}", *integer);
  }
  if (const auto* number = std::get_if<double>(&value.content)) {
    return fmt::format("{}", *number);
  }
  if (const auto* array = std::get_if<RawArray>(&value.content)) {
    return fmt::format("[{}]", joined(*array, [](const RawValue& element) { return toml_text(element); }));
  }
  if (const auto* table = std::get_if<RawTable>(&value.content)) {
    return fmt::format("{{ {} }}", joined(*table, [](const RawEntry& entry) {
                         return fmt::format("{} = {}", terminal_text(entry.key), toml_text(entry.value));
                       }));
  }
  return "?";
}

std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 60;
  constexpr std::size_t kMaxMessage = 200;
  const bool long_text = text.size() > kMaxMessage;
  std::string shown(text.substr(0, long_text ? kMost : kMaxMessage));
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F; }, '?');
  return long_text ? shown + "..." : shown;
}

std::string describe(const RawValue& value) {
  struct Words {
    std::string operator()(const std::string& text) const { return fmt::format("the text '{}'", printable(text)); }
    std::string operator()(bool boolean) const { return fmt::format("{}", boolean); }
    std::string operator()(std::int64_t number) const { return fmt::format("the integer {}", number); }
    std::string operator()(double number) const { return fmt::format("the number {}", number); }
    std::string operator()(RawDate) const { return "a date or time"; }
    std::string operator()(const RawArray& array) const { return fmt::format("a list of {}", array.size()); }
    std::string operator()(const RawTable&) const { return "a table"; }
  };
  return std::visit(Words{}, value.content);
}

Result<RawTable> read_toml(std::string_view text, std::string_view file) {
  if (auto checked = check_text(text); !checked) {
    return fail("{}:{}", file, checked.error().message);
  }
  auto table = parse(text);
  if (!table) {
    return fail("{}:{}", file, table.error().message);
  }
  return convert_table(*table);
}

RawValue read_value(std::string_view text) {
  const auto as_text = RawValue{.place = {}, .content = std::string(text)};
  const bool one_line = text.find('\n') == std::string_view::npos && text.find('#') == std::string_view::npos;
  if (!one_line || !check_text(text)) {
    return as_text;
  }
  const auto table = parse(fmt::format("value = {}", text));
  if (!table || table->size() != 1) {
    return as_text;
  }
  auto value = convert(table->begin()->second);
  value.place = {};
  return value;
}

}  // namespace weft::study::scenario
