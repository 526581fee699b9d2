#include "base/text_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text_lines.h"

namespace weft {
namespace {

// Of a column that wraps: below it, text is hard to read, and it is better to drop another column.
constexpr std::size_t kReadable = 16;
constexpr std::size_t kGap = 2;
// What is left of a column when nothing else helps.
constexpr std::size_t kNarrowest = 4;

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  for (const std::string& line : split_lines(text)) {
    widest = std::max(widest, columns_of(line));
  }
  return widest;
}

/// Leading spaces are an indent: every line of a broken cell has it.
std::vector<std::string> cell_lines(std::string_view cell, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& line : split_lines(cell)) {
    if (columns_of(line) <= width) {
      lines.push_back(line);
      continue;
    }
    const std::size_t indent = std::min(line.find_first_not_of(' '), width - std::min<std::size_t>(width, 1));
    for (const std::string& part : wrapped(std::string_view(line).substr(indent), width - indent)) {
      lines.push_back(std::string(indent, ' ') + part);
    }
  }
  return lines;
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

TextTable::TextTable(std::vector<Column> columns, LineWidth width) : columns_(std::move(columns)), width_(width) {
  for (Column& column : columns_) {
    column.name = column.name.empty() ? column.heading : std::move(column.name);
  }
}

std::size_t TextTable::SideBySide::fitting(std::size_t line) const {
  return std::max<std::size_t>((std::max(line, label) - label) / (cell + kGap), 1);
}

TextTable TextTable::side_by_side(const SideBySide& widths, std::size_t things, LineWidth width) {
  const auto column = [](std::size_t columns) {
    return Column{.least = columns, .most = columns, .gap = kGap, .wraps = true};
  };
  std::vector<Column> columns(things, column(widths.cell));
  columns.insert(columns.begin(), column(widths.label));
  return TextTable(std::move(columns), width);
}

void TextTable::add(std::vector<std::string> cells, std::vector<Tone> tones) {
  cells.resize(columns_.size());
  tones.resize(columns_.size());
  rows_.push_back({.kind = Row::Kind::kCells, .cells = std::move(cells), .tones = std::move(tones)});
}

void TextTable::add_rule() { rows_.push_back({.kind = Row::Kind::kRule}); }

void TextTable::add_span(std::string text) {
  rows_.push_back({.kind = Row::Kind::kSpan, .cells = {std::move(text)}, .tones = {}});
}

std::vector<std::size_t> TextTable::natural_widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = std::max(columns_[i].least, widest_line(columns_[i].heading));
    for (const Row& row : rows_) {
      width = row.kind == Row::Kind::kCells ? std::max(width, widest_line(row.cells[i])) : width;
    }
    widths.push_back(std::min({width, columns_[i].most, width_ ? width : columns_[i].spills}));
  }
  return widths;
}

std::size_t TextTable::total(const Layout& layout) const {
  std::size_t sum = 0;
  bool first = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (layout.shown[i]) {
      sum += layout.widths[i] + (first ? 0 : columns_[i].gap);
      first = false;
    }
  }
  return sum;
}

std::size_t TextTable::floor_of(std::size_t column, std::size_t natural) const {
  return columns_[column].wraps ? std::min(natural, kReadable) : natural;
}

/// The widest columns that may wrap give way, each no further than it is readable.
void TextTable::narrow(Layout& layout) const {
  while (total(layout) > *width_) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (layout.shown[i] && columns_[i].wraps && layout.widths[i] > floor_of(i, layout.widths[i]) &&
          (widest == columns_.size() || layout.widths[i] > layout.widths[widest])) {
        widest = i;
      }
    }
    if (widest == columns_.size()) {
      return;
    }
    const std::size_t excess = total(layout) - *width_;
    layout.widths[widest] -= std::clamp<std::size_t>(excess / 4, 1, layout.widths[widest] - kReadable);
  }
}

TextTable::Layout TextTable::layout_of(std::vector<std::size_t> natural) const {
  Layout layout{.widths = natural, .shown = std::vector<bool>(columns_.size(), true)};
  if (!width_) {
    return layout;
  }
  narrow(layout);
  while (total(layout) > *width_) {
    std::size_t last = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (layout.shown[i] && columns_[i].rank > 0 &&
          (last == columns_.size() || columns_[i].rank >= columns_[last].rank)) {
        last = i;
      }
    }
    if (last == columns_.size()) {
      break;
    }
    layout.shown[last] = false;
    layout.widths = natural;
    narrow(layout);
  }
  while (total(layout) > *width_) {  // nothing else helps
    const auto widest = std::ranges::max_element(layout.widths);
    if (*widest <= kNarrowest) {
      break;
    }
    const auto i = static_cast<std::size_t>(widest - layout.widths.begin());
    *widest = layout.shown[i] ? *widest - 1 : 0;
  }
  return layout;
}

std::string TextTable::lines_of(const Row& row, const Layout& layout) const {
  const std::vector<std::string>& cells = row.cells;
  std::vector<std::vector<std::string>> parts;
  std::size_t height = 1;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string_view cell = i < cells.size() ? std::string_view(cells[i]) : std::string_view();
    const bool spills = !width_ && layout.widths[i] >= columns_[i].spills;
    parts.push_back(!layout.shown[i] ? std::vector<std::string>()
                    : spills         ? split_lines(cell)
                                     : cell_lines(cell, layout.widths[i]));
    height = std::max(height, parts.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string made;
    bool first = true;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!layout.shown[i]) {
        continue;
      }
      const std::string own = line < parts[i].size() ? parts[i][line] : std::string();
      const std::size_t taken = columns_of(own);
      const std::string fill(layout.widths[i] - std::min(layout.widths[i], taken), ' ');
      made += std::string(first ? 0 : columns_[i].gap, ' ');
      const std::string drawn = toned(own, i < row.tones.size() ? row.tones[i] : Tone::kPlain, colour_);
      made += columns_[i].align == Align::kRight ? fill + drawn : drawn + fill;
      first = false;
    }
    text += without_end(std::move(made)) + '\n';
  }
  return text;
}

std::string TextTable::headings_of(const Layout& layout) const {
  std::vector<std::string> headings;
  bool any = false;
  for (const Column& column : columns_) {
    headings.push_back(column.heading);
    any = any || !column.heading.empty();
  }
  const std::vector<Tone> tones(headings.size(), Tone::kHeading);
  return any ? lines_of({.cells = std::move(headings), .tones = tones}, layout) : std::string();
}

std::string TextTable::note_of(const Layout& layout) const {
  std::string names;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!layout.shown[i]) {
      names += (names.empty() ? "" : ", ") + columns_[i].name;
    }
  }
  return names.empty() ? names
                       : paragraph("(not shown at this width: " + names + ")",
                                   {.first = 0, .rest = 1, .columns = width_.value_or(80)});
}

std::string TextTable::text() const {
  const Layout layout = layout_of(natural_widths());
  std::string text = headings_of(layout);
  for (const Row& row : rows_) {
    switch (row.kind) {
      case Row::Kind::kCells:
        text += lines_of(row, layout);
        break;
      case Row::Kind::kRule:
        text += std::string(total(layout), '-') + '\n';
        break;
      case Row::Kind::kSpan:
        for (const std::string& line : cell_lines(row.cells.front(), width_.value_or(row.cells.front().size()))) {
          text += line + '\n';
        }
        break;
    }
  }
  return text + note_of(layout);
}

TextTable::Layout TextTable::fixed_layout() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    widths.push_back(std::max(column.least, widest_line(column.heading)));
  }
  return layout_of(std::move(widths));
}

std::string TextTable::head() const { return headings_of(fixed_layout()); }

std::string TextTable::row(const std::vector<std::string>& cells) const {
  Layout layout = fixed_layout();
  std::size_t last = 0;
  for (std::size_t i = 0; i < columns_.size() && i < cells.size(); ++i) {
    if (layout.shown[i]) {
      last = i;
      layout.widths[i] = width_ ? layout.widths[i] : std::max(layout.widths[i], widest_line(cells[i]));
    }
  }
  if (width_ && last < cells.size()) {  // what is left of the line
    const std::size_t before = total(layout) - layout.widths[last];
    layout.widths[last] = std::max(layout.widths[last], *width_ > before ? *width_ - before : 0);
  }
  return lines_of({.cells = cells}, layout);
}

std::string TextTable::note() const { return note_of(fixed_layout()); }

}  // namespace weft
