// A table as text whose cells may take several lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weft::study::results {

class WrappedTable {
 public:
  struct Widths {
    std::size_t label = 22;
    std::size_t cell = 17;
  };
  explicit WrappedTable(Widths widths) : widths_(widths) {}

  /// Cells are broken at spaces; a word that is longer than a cell is cut.
  void add(const std::string& label, const std::vector<std::string>& cells);
  void add_line();
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Widths widths_;
  std::size_t columns_ = 0;
  std::string text_;
};

/// At most `width` characters a line, broken at spaces.
[[nodiscard]] std::vector<std::string> wrapped(const std::string& text, std::size_t width);

}  // namespace weft::study::results
