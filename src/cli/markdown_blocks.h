// A page of our documents in blocks, for printing it on a terminal or as a manual page.
//
// Of Markdown it knows sections ("### "), paragraphs, lists ("- "), fenced blocks, tables, `code`, **bold** and
// [links](target).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// Lines that belong together.
struct Block {
  enum class Kind : std::uint8_t { kSection, kParagraph, kItem, kFenced, kRow };
  Kind kind;
  std::string text;  // fenced: with its line ends; a row of a table: as it is written; else one line
};

/// Comments ("<!--") are left out, and so is the line below a table's heading.
[[nodiscard]] std::vector<Block> blocks_of(std::string_view body);

/// Where the term of an item ends: at the colon after its code. npos: it is an ordinary item.
[[nodiscard]] std::size_t end_of_term(std::string_view item);

/// The cells of a row, without the spaces around them.
[[nodiscard]] std::vector<std::string> cells_of(std::string_view row);

/// A piece of a line in one style.
struct Span {
  enum class Style : std::uint8_t { kPlain, kCode, kBold };
  Style style = Style::kPlain;
  std::string text;
};
/// `code`, **bold** and [text](target) without their marks. What stands in code is left as it is.
[[nodiscard]] std::vector<Span> spans_of(std::string_view line);

/// The same without styles.
[[nodiscard]] std::string without_marks(std::string_view line);

/// Takes the first line off `text`.
[[nodiscard]] std::string_view next_line(std::string_view& text);

}  // namespace weft::cli
