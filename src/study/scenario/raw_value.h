// A TOML document without the library that read it: values with the place they stand at, tables in file order.
//
// Dates and times are kept as an unusable kind of value: no key of weft takes one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace weft::study::scenario {

/// Counted from 1; 0:0 is "no place in a file".
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

struct RawValue;
struct RawEntry;
using RawArray = std::vector<RawValue>;
using RawTable = std::vector<RawEntry>;
struct RawDate {};

struct RawValue {
  Place place;
  std::variant<std::string, bool, std::int64_t, double, RawDate, RawArray, RawTable> content;
};

struct RawEntry {
  std::string key;
  Place place;  // of the key
  RawValue value;
};

/// "the integer 12", "the text 'abc'", "a table"; for messages, shortened.
[[nodiscard]] std::string describe(const RawValue& value);

/// As TOML has it, in one line: "\"400 Gbps\"", "[1, 2]", "{ count = 8 }"; control characters shown as '?'.
[[nodiscard]] std::string toml_text(const RawValue& value);

/// `text` as it could stand in a message: control characters shown as '?', at most 60 bytes.
[[nodiscard]] std::string printable(std::string_view text);

/// A whole document. `file` names it in messages: "incast.toml:3:7: ...". At most 1 MiB.
[[nodiscard]] Result<RawTable> read_toml(std::string_view text, std::string_view file);

/// A value from a command line: TOML where it is TOML ("7", "true", "[1, 2]"), otherwise the text itself ("8 MiB").
[[nodiscard]] RawValue read_value(std::string_view text);

}  // namespace weft::study::scenario
