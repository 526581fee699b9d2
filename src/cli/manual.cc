#include "cli/manual.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "base/text_lines.h"
#include "cli/markdown_blocks.h"

namespace weft::cli {
namespace {

constexpr std::string_view kPageMark = "## ";
constexpr std::string_view kItemMark = "- ";
constexpr std::size_t kIndent = 4;

std::string upper(std::string_view text) {
  std::string made;
  for (const char c : text) {
    made += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return made;
}

std::string item_text(std::string_view item, std::size_t columns) {
  const std::size_t end = end_of_term(item);
  if (end == std::string_view::npos) {
    return paragraph("- " + without_marks(item),
                     {.first = kIndent, .rest = kIndent + kItemMark.size(), .columns = columns});
  }
  const std::string term = without_marks(item.substr(0, end));
  const std::string said =
      paragraph(without_marks(item.substr(end + 2)), {.first = 2 * kIndent, .rest = 2 * kIndent, .columns = columns});
  if (term.size() < kIndent) {  // room on the same line
    return fmt::format("{:{}}{:{}}{}", "", kIndent, term, kIndent, said.substr(2 * kIndent));
  }
  return paragraph(term, {.first = kIndent, .rest = kIndent, .columns = columns}) + said;
}

std::string fenced_text(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    made += line.empty() ? "\n" : fmt::format("{:{}}{}\n", "", kIndent, line);
  }
  return made;
}

/// The first cell is a term, and the others are said of it.
std::string row_block_text(std::string_view row, std::size_t columns) {
  const std::vector<std::string> cells = cells_of(row);
  std::string said;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    said += (said.empty() ? "" : "; ") + without_marks(cells[i]);
  }
  return paragraph(without_marks(cells.empty() ? "" : cells.front()),
                   {.first = kIndent, .rest = kIndent, .columns = columns}) +
         paragraph(said, {.first = 2 * kIndent, .rest = 2 * kIndent, .columns = columns});
}

std::string block_text(const Block& block, std::size_t columns) {
  switch (block.kind) {
    case Block::Kind::kSection:
      return upper(block.text) + '\n';
    case Block::Kind::kParagraph:
      return paragraph(without_marks(block.text), {.first = kIndent, .rest = kIndent, .columns = columns});
    case Block::Kind::kItem:
      return item_text(block.text, columns);
    case Block::Kind::kFenced:
      return fenced_text(block.text);
    case Block::Kind::kRow:
      return row_block_text(block.text, columns);
  }
  return {};
}

/// Whether an empty line parts two blocks: not below a section's title, and not between the items of a list that has no
/// terms.
bool parted(const Block& before, const Block& after) {
  if (before.kind == Block::Kind::kSection) {
    return false;
  }
  const bool items = before.kind == Block::Kind::kItem && after.kind == Block::Kind::kItem;
  return !items;
}

}  // namespace

std::string_view shared_text(std::string_view markdown) {
  markdown = markdown.substr(0, markdown.find(fmt::format("\n{}", kPageMark)));
  return markdown.starts_with("# ") ? markdown.substr(std::min(markdown.find('\n'), markdown.size())) : markdown;
}

std::vector<ManualPage> parse_manual(std::string_view markdown) {
  std::vector<ManualPage> pages;
  while (!markdown.empty()) {
    const std::string_view line = next_line(markdown);
    if (line.starts_with(kPageMark)) {
      pages.push_back({.name = std::string(line.substr(kPageMark.size())), .body = {}});
    } else if (!pages.empty()) {
      pages.back().body.append(line).append("\n");
    }
  }
  return pages;
}

const ManualPage* find_page(const std::vector<ManualPage>& pages, std::string_view name) {
  for (const ManualPage& page : pages) {
    const bool part = name.starts_with(page.name + ' ') &&
                      page.body.find(fmt::format("\n### Options of weft {}\n", name)) != std::string::npos;
    if (page.name == name || part) {
      return &page;
    }
  }
  return nullptr;
}

std::string page_text(const ManualPage& page, std::size_t columns) {
  const std::vector<Block> blocks = blocks_of(page.body);
  std::string text;
  const Block* before = nullptr;
  for (const Block& block : blocks) {
    if (before == nullptr && block.kind == Block::Kind::kParagraph) {
      text += paragraph(fmt::format("weft {}: {}", page.name, without_marks(block.text)),
                        {.first = 0, .rest = 0, .columns = columns});
    } else {
      text += before != nullptr && parted(*before, block) ? "\n" : "";
      text += block_text(block, columns);
    }
    before = &block;
  }
  return text;
}

}  // namespace weft::cli
