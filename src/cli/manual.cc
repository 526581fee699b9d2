#include "cli/manual.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "base/text_lines.h"

namespace weft::cli {
namespace {

constexpr std::string_view kPageMark = "## ";
constexpr std::string_view kSectionMark = "### ";
constexpr std::string_view kItemMark = "- ";
constexpr std::string_view kFenceMark = "```";
constexpr std::size_t kIndent = 4;

/// Takes the first line off `text`.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// `code`, **bold** and [text](target) lose their marks. What stands in code is left as it is.
std::string without_marks(std::string_view text) {
  std::string plain;
  bool in_code = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`') {
      in_code = !in_code;
    } else if (!in_code && text.substr(i).starts_with("**")) {
      ++i;
    } else if (!in_code && text.substr(i).starts_with("](")) {
      i = std::min(text.find(')', i), text.size());
    } else if (in_code || text[i] != '[') {
      plain += text[i];
    }
  }
  return plain;
}

std::string upper(std::string_view text) {
  std::string made;
  for (const char c : text) {
    made += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return made;
}

/// One block of a page's body: lines that belong together.
struct Block {
  enum class Kind : std::uint8_t { kSection, kParagraph, kItem, kFenced };
  Kind kind;
  std::string text;  // fenced: with its line ends; else one line
};

bool goes_on(const std::vector<Block>& blocks, bool after_gap) {
  return !blocks.empty() && !after_gap &&
         (blocks.back().kind == Block::Kind::kParagraph || blocks.back().kind == Block::Kind::kItem);
}

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

std::vector<Block> blocks_of(std::string_view body) {
  std::vector<Block> blocks;
  bool fenced = false;
  bool after_gap = true;
  while (!body.empty()) {
    const std::string_view line = next_line(body);
    if (line.starts_with(kFenceMark)) {
      fenced = !fenced;
      if (fenced) {
        blocks.push_back({.kind = Block::Kind::kFenced, .text = {}});
      }
      after_gap = true;
    } else if (fenced) {
      blocks.back().text.append(line).append("\n");
    } else if (line.empty()) {
      after_gap = true;
    } else if (line.starts_with(kSectionMark)) {
      blocks.push_back({.kind = Block::Kind::kSection, .text = std::string(line.substr(kSectionMark.size()))});
      after_gap = true;
    } else if (line.starts_with(kItemMark)) {
      blocks.push_back({.kind = Block::Kind::kItem, .text = std::string(line.substr(kItemMark.size()))});
      after_gap = false;
    } else if (goes_on(blocks, after_gap)) {
      blocks.back().text.append(" ").append(without_indent(line));
    } else {
      blocks.push_back({.kind = Block::Kind::kParagraph, .text = std::string(line)});
      after_gap = false;
    }
  }
  return blocks;
}

/// Where the term of an item ends: at the colon after its code. npos: it is an ordinary item.
std::size_t end_of_term(std::string_view item) {
  if (!item.starts_with('`')) {
    return std::string_view::npos;
  }
  const std::size_t end = item.find(": ");
  return end != std::string_view::npos && item[end - 1] == '`' ? end : std::string_view::npos;
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
