#include "cli/manual.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text_lines.h"

namespace weft::cli {
namespace {

constexpr int kPageLevel = 2;
constexpr std::string_view kItemMark = "- ";
constexpr std::size_t kIndent = 4;

std::string upper(std::string_view text) {
  std::string made;
  for (const char c : text) {
    made += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return made;
}

std::string item_text(const Block& block, std::size_t columns) {
  const Item item = item_of(block);
  if (item.term.empty()) {
    const std::string mark = block.level > 0 ? fmt::format("{}. ", block.level) : std::string(kItemMark);
    return paragraph(mark + plain_text(item.text),
                     {.first = kIndent, .rest = kIndent + mark.size(), .columns = columns});
  }
  const std::string term = plain_text(item.term);
  const std::string said =
      paragraph(plain_text(item.text), {.first = 2 * kIndent, .rest = 2 * kIndent, .columns = columns});
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
std::string row_text(const Block& block, std::size_t columns) {
  std::string said;
  for (std::size_t i = 1; i < block.texts.size(); ++i) {
    said += (said.empty() ? "" : "; ") + plain_text(block.texts[i]);
  }
  return paragraph(plain_text(block), {.first = kIndent, .rest = kIndent, .columns = columns}) +
         paragraph(said, {.first = 2 * kIndent, .rest = 2 * kIndent, .columns = columns});
}

std::string block_text(const Block& block, std::size_t columns) {
  switch (block.kind) {
    case Block::Kind::kHeading:
      return upper(plain_text(block)) + '\n';
    case Block::Kind::kParagraph:
      return paragraph(plain_text(block), {.first = kIndent, .rest = kIndent, .columns = columns});
    case Block::Kind::kItem:
      return item_text(block, columns);
    case Block::Kind::kFenced:
      return fenced_text(block.fenced);
    case Block::Kind::kHeaderRow:
    case Block::Kind::kRow:
      return row_text(block, columns);
  }
  return {};
}

/// Whether an empty line parts two blocks: not below a section's title, and not between the items of a list that has no
/// terms.
bool parted(const Block& before, const Block& after) {
  if (before.kind == Block::Kind::kHeading) {
    return false;
  }
  const bool items = before.kind == Block::Kind::kItem && after.kind == Block::Kind::kItem;
  return !items;
}

}  // namespace

Manual parse_manual(std::string_view markdown) {
  Manual manual;
  for (Block& block : blocks_of(markdown)) {
    if (block.kind == Block::Kind::kHeading && block.level == kPageLevel) {
      manual.pages.push_back({.name = plain_text(block), .blocks = {}});
    } else if (!manual.pages.empty()) {
      manual.pages.back().blocks.push_back(std::move(block));
    } else if (block.kind != Block::Kind::kHeading || block.level > kPageLevel) {
      manual.shared.push_back(std::move(block));
    }
  }
  return manual;
}

const ManualPage* find_page(const std::vector<ManualPage>& pages, std::string_view name) {
  const std::string options = fmt::format("Options of weft {}", name);
  const auto has_options = [&options](const Block& block) {
    return block.kind == Block::Kind::kHeading && plain_text(block) == options;
  };
  for (const ManualPage& page : pages) {
    if (page.name == name || (name.starts_with(page.name + ' ') && std::ranges::any_of(page.blocks, has_options))) {
      return &page;
    }
  }
  return nullptr;
}

std::string page_text(const ManualPage& page, std::size_t columns) {
  std::string text;
  const Block* before = nullptr;
  for (const Block& block : page.blocks) {
    if (before == nullptr && block.kind == Block::Kind::kParagraph) {
      text += paragraph(fmt::format("weft {}: {}", page.name, plain_text(block)),
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
