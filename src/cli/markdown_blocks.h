// A page of our documents in blocks, for printing it on a terminal or as a manual page.
//
// cmark-gfm reads the Markdown (CommonMark with tables); what comes out here is a flat list without its marks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// A piece of text in one style.
struct Span {
  enum class Style : std::uint8_t { kPlain, kCode, kBold };
  Style style = Style::kPlain;
  std::string text;
};
/// Text of one line: what was broken into lines is joined by spaces. Neighbours differ in style; none is empty.
using Spans = std::vector<Span>;

/// What stands apart from its neighbours.
struct Block {
  enum class Kind : std::uint8_t { kHeading, kParagraph, kItem, kFenced, kHeaderRow, kRow };
  Kind kind = Kind::kParagraph;
  int level = 0;             // of a heading: 1 to 6; of an item: its number, 0 without one
  std::vector<Spans> texts;  // of a row its cells, of other blocks one
  std::string fenced;        // of a fenced block its lines, with their ends
};

/// All blocks in the document's order, those of lists and tables one by one. Comments and rules are left out.
[[nodiscard]] std::vector<Block> blocks_of(std::string_view markdown);

/// An item that begins with `code` and a colon is a term and what is said of it; the term of another item is empty.
struct Item {
  Spans term;
  Spans text;
};
[[nodiscard]] Item item_of(const Block& block);

/// The text without its styles.
[[nodiscard]] std::string plain_text(const Spans& spans);
/// The same of a block's first text; empty if it has none.
[[nodiscard]] std::string plain_text(const Block& block);

/// Takes the first line off `text`.
[[nodiscard]] std::string_view next_line(std::string_view& text);

}  // namespace weft::cli
