// What the stream that a command writes to is: a terminal with so many columns and with colour, or a file or a pipe.
//
// Off a terminal there are neither colours nor a width: what is written is the same wherever it goes.
#pragma once

#include <cstdio>

#include "base/text_lines.h"
#include "base/text_style.h"

namespace weft::cli {

[[nodiscard]] bool is_terminal(std::FILE* stream);

/// Columns of the terminal: as it says itself, else the environment variable COLUMNS, else 80; at least 20. None off a
/// terminal.
[[nodiscard]] LineWidth terminal_columns(std::FILE* stream);

/// Colours on a terminal, unless NO_COLOR is set and not empty (https://no-color.org) or TERM is "dumb" or not set.
[[nodiscard]] Colour colour_of(std::FILE* stream);

}  // namespace weft::cli
