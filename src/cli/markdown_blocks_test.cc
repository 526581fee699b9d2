#include "cli/markdown_blocks.h"

#include <gmock/gmock.h>

namespace weft::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Kind = Block::Kind;
using Style = Span::Style;

std::vector<Kind> kinds_of(const std::vector<Block>& blocks) {
  std::vector<Kind> kinds;
  for (const Block& block : blocks) {
    kinds.push_back(block.kind);
  }
  return kinds;
}

std::vector<std::string> cells_of(const Block& block) {
  std::vector<std::string> cells;
  for (const Spans& cell : block.texts) {
    cells.push_back(plain_text(cell));
  }
  return cells;
}

TEST(MarkdownBlocks, EachPartOfADocumentIsABlockInItsOrder) {
  const auto blocks =
      blocks_of("## A\n\nText\nof two lines.\n\n- one\n- two\n\n```sh\ncode  x\n\ny\n```\n<!-- not this -->\n");
  EXPECT_THAT(kinds_of(blocks), ElementsAre(Kind::kHeading, Kind::kParagraph, Kind::kItem, Kind::kItem, Kind::kFenced));
  EXPECT_EQ(blocks[0].level, 2);
  EXPECT_EQ(plain_text(blocks[1]), "Text of two lines.");
  EXPECT_EQ(blocks[4].fenced, "code  x\n\ny\n");
  EXPECT_THAT(blocks_of(""), IsEmpty());
}

TEST(MarkdownBlocks, ARowHasItsCellsAndABarInThemIsText) {
  const auto blocks = blocks_of("| key | means |\n|---|---|\n| `a \\| b` | [first](x.md) |\n| c | |\n");
  ASSERT_THAT(kinds_of(blocks), ElementsAre(Kind::kHeaderRow, Kind::kRow, Kind::kRow));
  EXPECT_THAT(cells_of(blocks[0]), ElementsAre("key", "means"));
  EXPECT_THAT(cells_of(blocks[1]), ElementsAre("a | b", "first"));
  EXPECT_THAT(cells_of(blocks[2]), ElementsAre("c", ""));
}

TEST(MarkdownBlocks, ItemsOfAnOrderedListKeepTheirNumbers) {
  const auto blocks = blocks_of("3. c\n4. d\n\n   more\n\n- e\n");
  ASSERT_THAT(kinds_of(blocks), ElementsAre(Kind::kItem, Kind::kItem, Kind::kParagraph, Kind::kItem));
  EXPECT_EQ(blocks[0].level, 3);
  EXPECT_EQ(blocks[1].level, 4);
  EXPECT_EQ(blocks[3].level, 0);
}

TEST(MarkdownBlocks, StylesAreThoseOfCodeAndBold) {
  const auto blocks = blocks_of("a `b` **c** [d `e`](f) g_h_i <x>\n");
  ASSERT_THAT(blocks, SizeIs(1));
  const Spans& spans = blocks[0].texts.at(0);
  EXPECT_EQ(plain_text(spans), "a b c d e g_h_i <x>");
  ASSERT_THAT(spans, SizeIs(7));
  EXPECT_EQ(spans[1].style, Style::kCode);
  EXPECT_EQ(spans[3].style, Style::kBold);
  EXPECT_EQ(spans[5].text, "e");
  EXPECT_EQ(spans[6].text, " g_h_i <x>");
}

TEST(MarkdownBlocks, AnItemThatBeginsWithCodeAndAColonIsATerm) {
  const auto item = [](std::string_view markdown) { return item_of(blocks_of(markdown).at(0)); };
  EXPECT_EQ(plain_text(item("- `-a`, `--all`: All: of `it`").term), "-a, --all");
  EXPECT_EQ(plain_text(item("- `-a`, `--all`: All: of `it`").text), "All: of it");
  EXPECT_EQ(plain_text(item("- `-a`:\n  `it`").text), "it");
  EXPECT_EQ(plain_text(item("- `a: b`: c").term), "a: b");
  for (const char* ordinary : {"- plain: `x`", "- `x` is this: `y`: z", "- `x`"}) {
    EXPECT_THAT(item(ordinary).term, IsEmpty()) << ordinary;
  }
}

}  // namespace
}  // namespace weft::cli
