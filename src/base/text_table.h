// A table as lines of text that fits a terminal: the only writer of tables in weft.
//
// Without a width every column is as wide as its widest cell. Within one, columns that may wrap are made narrower
// first; then columns are dropped, those of the highest rank first, and a last line says which; then all cells wrap.
// Columns are counted as text_lines.h counts them; lines end without spaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_lines.h"
#include "base/text_style.h"

namespace weft {

class TextTable {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };
  struct Column {
    std::string heading{};
    Align align = Align::kLeft;
    std::size_t least = 0;                                       // width, whatever its cells need
    std::size_t most = std::numeric_limits<std::size_t>::max();  // cells wrap beyond it, also without a line width
    /// Without a line width, cells beyond it push the rest of their line to the right and do not widen the column.
    std::size_t spills = std::numeric_limits<std::size_t>::max();
    std::size_t gap = 2;    // spaces before it
    bool wraps = false;     // may be made narrower than its widest cell
    std::uint8_t rank = 0;  // the highest is dropped first; 0: never dropped
    std::string name{};     // when dropped; empty: its heading
  };

  explicit TextTable(std::vector<Column> columns, LineWidth width = {});

  /// Things side by side, a column each behind one of labels. All are of fixed widths, and cells wrap.
  struct SideBySide {
    std::size_t label = 22;
    std::size_t cell = 17;
    /// How many things fit into a line; at least one.
    [[nodiscard]] std::size_t fitting(std::size_t line) const;
  };
  [[nodiscard]] static TextTable side_by_side(const SideBySide& widths, std::size_t things, LineWidth width = {});

  /// One cell per column; missing ones are empty. A cell may have line breaks. `tones`: of the cells, plain where there
  /// is none.
  void add(std::vector<std::string> cells, std::vector<Tone> tones = {});
  /// Tones are drawn, and headings are bold. Without it the text is plain.
  void use_colour(Colour colour) { colour_ = colour; }
  /// A line of dashes across the table.
  void add_rule();
  /// A line for itself, which does not widen the table; it wraps within the line width.
  void add_span(std::string text);
  /// Headings, if any column has one, then all rows.
  [[nodiscard]] std::string text() const;

  /// For rows that come one at a time: the same with widths from `least` and headings alone. A longer cell of the last
  /// column goes on as far as it is long.
  [[nodiscard]] std::string head() const;
  [[nodiscard]] std::string row(const std::vector<std::string>& cells) const;
  /// "not shown at this width: peak, algorithm" with its line end; empty if everything is.
  [[nodiscard]] std::string note() const;

 private:
  struct Row {
    enum class Kind : std::uint8_t { kCells, kRule, kSpan };
    Kind kind = Kind::kCells;
    std::vector<std::string> cells{};
    std::vector<Tone> tones{};
  };
  struct Layout {
    std::vector<std::size_t> widths;
    std::vector<bool> shown;
  };
  [[nodiscard]] Layout layout_of(std::vector<std::size_t> natural) const;
  [[nodiscard]] std::vector<std::size_t> natural_widths() const;
  [[nodiscard]] std::size_t total(const Layout& layout) const;
  void narrow(Layout& layout) const;
  [[nodiscard]] std::size_t floor_of(std::size_t column, std::size_t natural) const;
  [[nodiscard]] std::string lines_of(const Row& row, const Layout& layout) const;
  [[nodiscard]] std::string headings_of(const Layout& layout) const;
  [[nodiscard]] std::string note_of(const Layout& layout) const;
  [[nodiscard]] Layout fixed_layout() const;

  std::vector<Column> columns_;
  LineWidth width_;
  Colour colour_ = Colour::kNone;
  std::vector<Row> rows_;
};

}  // namespace weft
