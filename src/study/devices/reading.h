// What readers of configurations share: texts with the name of their file, numbers within the ranges of a schema.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/devices/device_config.h"

namespace weft::study::devices {

struct ConfigText {
  std::string_view text;
  std::string_view name;  // of the file; errors begin with it
};

/// What a schema allows.
struct Span {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};

/// A whole number. Errors: "'abc' is not a whole number from 0 to 63".
[[nodiscard]] Result<std::uint64_t> number_of(std::string_view text, const Span& span);

/// A line of words between blanks, without its comment.
struct ConfigLine {
  std::vector<std::string_view> words;
  std::size_t number = 0;  // from 1
  std::size_t indent = 0;  // columns before its first word
};
/// Lines with words; from a character of `comments` on, at the begin of a word, a line is a comment.
[[nodiscard]] std::vector<ConfigLine> lines_of(std::string_view text, std::string_view comments);

/// "leaf0.eos:17".
[[nodiscard]] std::string place_of(std::string_view file, const ConfigLine& line);

/// "3" and "3-4" as classes. Errors: beyond `most`, ends in the wrong order.
[[nodiscard]] Result<std::vector<std::size_t>> classes_of(std::string_view range, std::size_t most);

/// The number of the plan's port for each name, from the last number in it, or the one before its lane: from 1 on, or
/// in SONiC from 0 on in even steps. Sets PortSetting::number and sorts.
void number_ports(std::vector<PortSetting>& ports, Syntax syntax);

}  // namespace weft::study::devices
