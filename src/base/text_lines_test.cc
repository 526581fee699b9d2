#include "base/text_lines.h"

#include <gmock/gmock.h>

namespace weft {
namespace {

using ::testing::ElementsAre;

TEST(TextLines, ColumnsAreCharactersAndNotBytes) {
  EXPECT_EQ(columns_of(""), 0U);
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("\u00b5s"), 2U);
}

TEST(TextLines, BreaksAtSpacesAndCutsLongWords) {
  EXPECT_THAT(wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("abcdefgh ij", 3), ElementsAre("abc", "def", "gh", "ij"));
  EXPECT_THAT(wrapped("", 5), ElementsAre(""));
  EXPECT_THAT(wrapped("ab", 0), ElementsAre("a", "b"));
}

TEST(TextLines, NeverCutsThroughACharacter) {
  EXPECT_THAT(wrapped("\u00b5\u00b5\u00b5", 2), ElementsAre("\u00b5\u00b5", "\u00b5"));
  EXPECT_EQ(cut_to("\u00b5\u00b5\u00b5", 2), "\u00b5~");
}

TEST(TextLines, WhatIsCutEndsInAMark) {
  EXPECT_EQ(cut_to("abc", 3), "abc");
  EXPECT_EQ(cut_to("abcd", 3), "ab~");
  EXPECT_EQ(cut_to("abcd", 0), "");
}

TEST(TextLines, ParagraphsKeepTheirMargins) {
  EXPECT_EQ(paragraph("one two three", {.first = 2, .rest = 4, .columns = 9}), "  one two\n    three\n");
}

}  // namespace
}  // namespace weft
