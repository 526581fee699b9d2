// Text broken into lines of a terminal: columns are counted in characters, of which each takes one.
//
// Wide characters (of East Asian scripts) are counted as one, and escape sequences as what they are made of: style text
// after it is broken.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Columns of a terminal; none: any number, as in files and pipes.
using LineWidth = std::optional<std::size_t>;

/// Columns that UTF-8 text takes: its code points.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// The text without what stands beyond `columns`; the last character is then "~" if `columns` is not 0.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns);

/// Lines of at most `columns` (0 counts as 1), broken at spaces; a longer word is cut. At least one line, perhaps
/// empty.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

struct Margins {
  std::size_t first = 0;  // columns before the first line
  std::size_t rest = 0;   // and before the others
  std::size_t columns = 80;
};
/// A paragraph of lines, each with its line end, broken at spaces; a word that is longer than a line has one for
/// itself.
[[nodiscard]] std::string paragraph(std::string_view text, const Margins& margins);

/// "  name          text" with the text from column 16 on, and its further lines below it if the width asks for some.
[[nodiscard]] std::string labelled_line(std::string_view name, std::string_view text, LineWidth width);

}  // namespace weft
