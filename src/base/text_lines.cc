#include "base/text_lines.h"

#include <algorithm>

namespace weft {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// Bytes of the first `columns` characters.
std::size_t bytes_of(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    if (begins_character(text[end]) && columns-- == 0) {
      break;
    }
    ++end;
  }
  return end;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string cut_to(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) {
    return std::string(text);
  }
  return columns == 0 ? std::string() : std::string(text.substr(0, bytes_of(text, columns - 1))) + "~";
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  columns = std::max<std::size_t>(columns, 1);
  std::vector<std::string> lines;
  std::string line;
  std::size_t taken = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty() && taken + 1 + columns_of(word) > columns) {
      lines.push_back(std::move(line));
      line.clear();
    }
    while (columns_of(word) > columns) {
      const std::size_t cut = bytes_of(word, columns);
      lines.emplace_back(word.substr(0, cut));
      word.remove_prefix(cut);
    }
    line += line.empty() ? "" : " ";
    line += word;
    taken = columns_of(line);
  }
  if (!line.empty() || lines.empty()) {
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string paragraph(std::string_view text, const Margins& margins) {
  std::string made;
  std::string line(margins.first, ' ');
  bool fresh = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (!fresh && columns_of(line) + 1 + columns_of(word) > margins.columns) {
      made += line + '\n';
      line = std::string(margins.rest, ' ');
      fresh = true;
    }
    line += fresh ? "" : " ";
    line += word;
    fresh = fresh && word.empty();
    begin = end + 1;
  }
  return made + line + '\n';
}

std::string labelled_line(std::string_view name, std::string_view text, LineWidth width) {
  constexpr std::size_t kNameColumns = 16;
  constexpr std::size_t kLeast = 12;  // of a text beside its name
  std::string made = "  " + std::string(name);
  made += std::string(kNameColumns - std::min(kNameColumns - 1, columns_of(made)), ' ');
  if (!width || columns_of(made) + columns_of(text) <= *width) {
    return made + std::string(text) + '\n';
  }
  const std::size_t margin = *width < kNameColumns + kLeast ? 4 : kNameColumns;
  bool first = true;
  for (const std::string& line : wrapped(text, *width - std::min(margin, *width - 1))) {
    if (!first || margin < kNameColumns) {
      made += first ? "\n" : "";
      made += std::string(margin, ' ');
    }
    made += line + '\n';
    first = false;
  }
  return made;
}

}  // namespace weft
