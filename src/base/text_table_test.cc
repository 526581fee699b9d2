#include "base/text_table.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>

#include "base/text_lines.h"

namespace weft {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Align = TextTable::Align;

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    most = std::max(most, columns_of(line));
  }
  return most;
}

TextTable sample(LineWidth width) {
  TextTable table({{.heading = "key"},
                   {.heading = "value", .align = Align::kRight, .least = 8},
                   {.heading = "mark", .rank = 1},
                   {.heading = "source", .wraps = true, .rank = 2}},
                  width);
  table.add({"switch.buffer", "64 MB", "guess", "commonly quoted for this chip; from memory and from nowhere else"});
  table.add({"switch.ports", "32", "specified", "vendor"});
  return table;
}

TEST(TextTable, WithoutAWidthColumnsAreAsWideAsTheirCells) {
  EXPECT_EQ(sample({}).text(),
            "key               value  mark       source\n"
            "switch.buffer     64 MB  guess      commonly quoted for this chip; from memory and from nowhere else\n"
            "switch.ports         32  specified  vendor\n");
}

TEST(TextTable, WrapsTheColumnThatMayWrapFirst) {
  const std::string text = sample(60).text();
  EXPECT_LE(widest(text), 60U);
  EXPECT_THAT(text, HasSubstr("specified"));
  EXPECT_THAT(text, HasSubstr("nowhere"));
  EXPECT_THAT(text, Not(HasSubstr("not shown")));
}

TEST(TextTable, DropsTheHighestRankAndSaysWhich) {
  const std::string text = sample(40).text();
  EXPECT_LE(widest(text), 40U);
  EXPECT_THAT(text, HasSubstr("specified"));
  EXPECT_THAT(text, Not(HasSubstr("commonly")));
  EXPECT_THAT(text, HasSubstr("(not shown at this width: source)\n"));
}

TEST(TextTable, FitsEveryWidth) {
  for (std::size_t width = 12; width <= 120; ++width) {
    EXPECT_LE(widest(sample(width).text()), std::max<std::size_t>(width, 20)) << width;
  }
}

TEST(TextTable, WhatIsNotShownIsSaidAtEveryWidth) {
  for (std::size_t width = 24; width <= 120; ++width) {
    const std::string text = sample(width).text();
    const bool shown = text.find("quoted") != std::string::npos;
    EXPECT_NE(shown, text.find("not shown") != std::string::npos) << width << "\n" << text;
  }
}

TEST(TextTable, LinesEndWithoutSpaces) {
  TextTable table({{.heading = "a", .least = 10}, {.heading = "b", .least = 10}});
  table.add({"x"});
  EXPECT_EQ(table.text(), "a           b\nx\n");
}

TEST(TextTable, CellsBeyondTheirMostWrapAnywhere) {
  TextTable table({{.least = 6, .most = 6}, {.least = 5, .most = 5}});
  table.add({"", "wide words"});
  table.add_rule();
  EXPECT_EQ(table.text(), "        wide\n        words\n-------------\n");
}

TEST(TextTable, IndentedCellsKeepTheirIndentWhenTheyWrap) {
  TextTable table(std::vector<TextTable::Column>{{.most = 8}});
  table.add({"  one two three"});
  EXPECT_EQ(table.text(), "  one\n  two\n  three\n");
}

TEST(TextTable, RowsThatComeOneByOneHaveTheWidthsOfTheHeadings) {
  const TextTable table({{.heading = "size", .align = Align::kRight, .least = 8}, {.heading = "time"}});
  EXPECT_EQ(table.head(), "    size  time\n");
  EXPECT_EQ(table.row({"1", "2 us and more"}), "       1  2 us and more\n");
}

TEST(TextTable, RowsThatComeOneByOneFitToo) {
  const TextTable table({{.heading = "size", .align = Align::kRight, .least = 8},
                         {.heading = "time", .least = 8},
                         {.heading = "busbw", .least = 20, .rank = 1},
                         {.heading = "remark"}},
                        LineWidth(30));
  EXPECT_EQ(table.note(), "(not shown at this width:\n busbw)\n");
  const std::string row = table.row({"1", "2 us", "7 GB/s", "a remark that is longer than the line"});
  EXPECT_LE(widest(row), 30U);
  EXPECT_THAT(row, Not(HasSubstr("7 GB/s")));
}

TEST(TextTable, ASpillingCellMovesItsOwnLineAlone) {
  TextTable table({{}, {.spills = 4}, {}});
  table.add({"a", "longer than four", "x"});
  table.add({"b", "c", "y"});
  EXPECT_EQ(table.text(), "a  longer than four  x\nb  c     y\n");
}

TEST(TextTable, SpansDoNotWidenTheTable) {
  TextTable table(std::vector<TextTable::Column>(2));
  table.add({"a", "b"});
  table.add_span("a line for itself");
  table.add_rule();
  EXPECT_EQ(table.text(), "a  b\na line for itself\n----\n");
}

}  // namespace
}  // namespace weft
