#include "study/results/wrapped_table.h"

#include <fmt/core.h>

#include <algorithm>

namespace weft::study::results {

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    while (word.size() > width) {
      lines.push_back(word.substr(0, width));
      word.erase(0, width);
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty() || lines.empty()) {
    lines.push_back(std::move(line));
  }
  return lines;
}

void WrappedTable::add(const std::string& label, const std::vector<std::string>& cells) {
  columns_ = std::max(columns_, cells.size());
  std::vector<std::vector<std::string>> parts = {wrapped(label, widths_.label)};
  std::size_t height = parts.front().size();
  for (const std::string& cell : cells) {
    parts.push_back(wrapped(cell, widths_.cell));
    height = std::max(height, parts.back().size());
  }
  for (std::size_t row = 0; row < height; ++row) {
    std::string line;
    for (std::size_t column = 0; column < parts.size(); ++column) {
      const std::string own = row < parts[column].size() ? parts[column][row] : "";
      line += fmt::format("{:<{}}  ", own, column == 0 ? widths_.label : widths_.cell);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + "\n";
  }
}

void WrappedTable::add_line() { text_ += std::string(widths_.label + columns_ * (widths_.cell + 2), '-') + "\n"; }

}  // namespace weft::study::results
