#include "cli/markdown_blocks.h"

#include <algorithm>

namespace weft::cli {
namespace {

constexpr std::string_view kSectionMark = "### ";
constexpr std::string_view kListMark = "- ";
constexpr std::string_view kFenceMark = "```";
constexpr std::string_view kCommentMark = "<!--";
constexpr std::string_view kRuleMark = "|---";

bool goes_on(const std::vector<Block>& blocks, bool after_gap) {
  return !blocks.empty() && !after_gap &&
         (blocks.back().kind == Block::Kind::kParagraph || blocks.back().kind == Block::Kind::kItem);
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

}  // namespace

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::vector<Block> blocks_of(std::string_view body) {
  std::vector<Block> blocks;
  bool fenced = false;
  bool after_gap = true;
  const auto add = [&](Block::Kind kind, std::string_view text) {
    blocks.push_back({.kind = kind, .text = std::string(text)});
  };
  while (!body.empty()) {
    const std::string_view line = next_line(body);
    if (line.starts_with(kFenceMark)) {
      fenced = !fenced;
      if (fenced) {
        add(Block::Kind::kFenced, "");
      }
      after_gap = true;
    } else if (fenced) {
      blocks.back().text.append(line).append("\n");
    } else if (line.empty() || line.starts_with(kCommentMark) || line.starts_with(kRuleMark)) {
      after_gap = true;
    } else if (line.starts_with(kSectionMark)) {
      add(Block::Kind::kSection, line.substr(kSectionMark.size()));
      after_gap = true;
    } else if (line.starts_with('|')) {
      add(Block::Kind::kRow, line);
      after_gap = true;
    } else if (line.starts_with(kListMark)) {
      add(Block::Kind::kItem, line.substr(kListMark.size()));
      after_gap = false;
    } else if (goes_on(blocks, after_gap)) {
      blocks.back().text.append(" ").append(without_indent(line));
    } else {
      add(Block::Kind::kParagraph, line);
      after_gap = false;
    }
  }
  return blocks;
}

std::size_t end_of_term(std::string_view item) {
  if (!item.starts_with('`')) {
    return std::string_view::npos;
  }
  const std::size_t end = item.find(": ");
  return end != std::string_view::npos && item[end - 1] == '`' ? end : std::string_view::npos;
}

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  row.remove_prefix(std::min<std::size_t>(1, row.size()));
  while (!row.empty()) {
    const std::size_t end = std::min(row.find('|'), row.size());
    const std::string_view cell = without_indent(row.substr(0, end));
    cells.emplace_back(cell.substr(0, cell.find_last_not_of(' ') + 1));
    row.remove_prefix(std::min(end + 1, row.size()));
  }
  return cells;
}

std::vector<Span> spans_of(std::string_view text) {
  std::vector<Span> spans(1);
  const auto turn = [&spans](Span::Style style) {
    const bool same = spans.back().style == style;
    spans.push_back({.style = same ? Span::Style::kPlain : style, .text = {}});
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool in_code = spans.back().style == Span::Style::kCode;
    if (text[i] == '`') {
      turn(Span::Style::kCode);
    } else if (!in_code && text.substr(i).starts_with("**")) {
      ++i;
      turn(Span::Style::kBold);
    } else if (!in_code && text.substr(i).starts_with("](")) {
      i = std::min(text.find(')', i), text.size());
    } else if (in_code || text[i] != '[') {
      spans.back().text += text[i];
    }
  }
  std::erase_if(spans, [](const Span& span) { return span.text.empty(); });
  return spans;
}

std::string without_marks(std::string_view text) {
  std::string plain;
  for (const Span& span : spans_of(text)) {
    plain += span.text;
  }
  return plain;
}

}  // namespace weft::cli
