#include "cli/markdown_blocks.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm-extension_api.h>
#include <cmark-gfm.h>

#include <algorithm>
#include <memory>

namespace weft::cli {
namespace {

constexpr std::string_view kTermEnd = ": ";

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
using Document = std::unique_ptr<cmark_node, FreeNode>;

struct FreeParser {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};

Document document_of(std::string_view markdown) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, FreeParser> parser(cmark_parser_new(CMARK_OPT_DEFAULT));
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  return Document(cmark_parser_finish(parser.get()));
}

/// Types of the table extension have names alone that its public headers give.
bool is(cmark_node* node, std::string_view type) { return type == cmark_node_get_type_string(node); }

std::string literal_of(cmark_node* node) {
  const char* text = cmark_node_get_literal(node);
  return text == nullptr ? std::string() : std::string(text);
}

void add_text(Spans& spans, Span::Style style, const std::string& text) {
  if (text.empty()) {
    return;
  }
  if (spans.empty() || spans.back().style != style) {
    spans.push_back({.style = style, .text = {}});
  }
  spans.back().text += text;
}

/// What stands in `parent`, marks of links and emphasis left off.
void add_inlines(Spans& spans, cmark_node* parent, Span::Style style) {
  for (cmark_node* node = cmark_node_first_child(parent); node != nullptr; node = cmark_node_next(node)) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) {
      add_text(spans, style, " ");
    } else if (type == CMARK_NODE_CODE) {
      add_text(spans, Span::Style::kCode, literal_of(node));
    } else if (type == CMARK_NODE_TEXT || type == CMARK_NODE_HTML_INLINE) {
      add_text(spans, style, literal_of(node));
    } else {
      add_inlines(spans, node, type == CMARK_NODE_STRONG ? Span::Style::kBold : style);
    }
  }
}

Spans spans_of(cmark_node* node) {
  Spans spans;
  add_inlines(spans, node, Span::Style::kPlain);
  return spans;
}

Block row_of(cmark_node* row, Block::Kind kind) {
  Block block{.kind = kind, .level = 0, .texts = {}, .fenced = {}};
  for (cmark_node* cell = cmark_node_first_child(row); cell != nullptr; cell = cmark_node_next(cell)) {
    block.texts.push_back(spans_of(cell));
  }
  return block;
}

void add_blocks(std::vector<Block>& blocks, cmark_node* parent);

/// What `parent` holds: the first paragraph of an item is of kind kItem.
void add_item(std::vector<Block>& blocks, cmark_node* item, int number) {
  const std::size_t before = blocks.size();
  add_blocks(blocks, item);
  if (blocks.size() > before && blocks[before].kind == Block::Kind::kParagraph) {
    blocks[before].kind = Block::Kind::kItem;
    blocks[before].level = number;
  }
}

void add_list(std::vector<Block>& blocks, cmark_node* list) {
  const bool numbered = cmark_node_get_list_type(list) == CMARK_ORDERED_LIST;
  int number = numbered ? cmark_node_get_list_start(list) : 0;
  for (cmark_node* item = cmark_node_first_child(list); item != nullptr; item = cmark_node_next(item)) {
    add_item(blocks, item, number);
    number += numbered ? 1 : 0;
  }
}

void add_blocks(std::vector<Block>& blocks, cmark_node* parent) {
  const auto add = [&blocks](Block::Kind kind, int level, cmark_node* node) {
    blocks.push_back({.kind = kind, .level = level, .texts = {spans_of(node)}, .fenced = {}});
  };
  for (cmark_node* node = cmark_node_first_child(parent); node != nullptr; node = cmark_node_next(node)) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_PARAGRAPH) {
      add(Block::Kind::kParagraph, 0, node);
    } else if (type == CMARK_NODE_HEADING) {
      add(Block::Kind::kHeading, cmark_node_get_heading_level(node), node);
    } else if (type == CMARK_NODE_CODE_BLOCK) {
      blocks.push_back({.kind = Block::Kind::kFenced, .level = 0, .texts = {}, .fenced = literal_of(node)});
    } else if (type == CMARK_NODE_LIST) {
      add_list(blocks, node);
    } else if (is(node, "table_header")) {
      blocks.push_back(row_of(node, Block::Kind::kHeaderRow));
    } else if (is(node, "table_row")) {
      blocks.push_back(row_of(node, Block::Kind::kRow));
    } else {  // quotations, tables; comments and rules hold nothing
      add_blocks(blocks, node);
    }
  }
}

}  // namespace

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::vector<Block> blocks_of(std::string_view markdown) {
  std::vector<Block> blocks;
  add_blocks(blocks, document_of(markdown).get());
  return blocks;
}

Item item_of(const Block& block) {
  Item item;
  item.text = block.texts.empty() ? Spans() : block.texts.front();
  const auto colon = std::ranges::find_if(item.text, [](const Span& span) {
    return span.style == Span::Style::kPlain && span.text.find(kTermEnd) != std::string::npos;
  });
  if (colon != item.text.end() && colon->text.starts_with(kTermEnd) && item.text.front().style == Span::Style::kCode) {
    item.term.assign(item.text.begin(), colon);
    colon->text.erase(0, kTermEnd.size());
    item.text.erase(item.text.begin(), colon->text.empty() ? colon + 1 : colon);
  }
  return item;
}

std::string plain_text(const Spans& spans) {
  std::string plain;
  for (const Span& span : spans) {
    plain += span.text;
  }
  return plain;
}

std::string plain_text(const Block& block) {
  return block.texts.empty() ? std::string() : plain_text(block.texts.front());
}

}  // namespace weft::cli
