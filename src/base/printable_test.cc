#include "base/printable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/random.h"

namespace weft {
namespace {

TEST(TerminalText, KeepsLettersOfEveryScript) {
  for (const char* text : {"", "plain ~ text", "Größe µs", "名前", "\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(terminal_text(text), text);
  }
}

TEST(TerminalText, ReplacesWhatATerminalObeys) {
  EXPECT_EQ(terminal_text("\x1B[31mred\x07"), "?[31mred?");
  EXPECT_EQ(terminal_text(std::string_view("a\0b\r\tc\x7F", 7)), "a?b??c?");
  EXPECT_EQ(terminal_text("\xC2\x9B"
                          "31m"),
            "?31m")
      << "the control sequence introducer of C1";
  EXPECT_EQ(terminal_text("\xE2\x80\xAE"
                          "exe"),
            "?exe")
      << "right-to-left override";
  EXPECT_EQ(terminal_text("one\ntwo"), "one?two");
  EXPECT_EQ(terminal_text("one\ntwo\r", LineBreaks::kKept), "one\ntwo?");
}

TEST(TerminalText, ReplacesEachByteThatIsNotUtf8) {
  EXPECT_EQ(terminal_text("Gr\xF6\xDF"
                          "e"),
            "Gr??e")
      << "Latin-1";
  EXPECT_EQ(terminal_text("\xC0\xAF"), "??") << "overlong";
  EXPECT_EQ(terminal_text("\xED\xA0\x80"), "???") << "half of a surrogate pair";
  EXPECT_EQ(terminal_text("\xF4\x90\x80\x80"), "????") << "beyond the last character";
  EXPECT_EQ(terminal_text("\xE2\x82"), "??") << "cut off";
}

TEST(TerminalText, OfAnyBytesIsStableAndWithoutControls) {
  SplitMix64 random(1);
  for (int i = 0; i < 2'000; ++i) {
    std::string junk(random.next() % 40, '\0');
    std::ranges::generate(junk, [&] { return static_cast<char>(random.next() & 0xFF); });
    const std::string shown = terminal_text(junk);
    EXPECT_EQ(terminal_text(shown), shown);
    EXPECT_TRUE(std::ranges::none_of(shown, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }));
  }
}

TEST(Excerpt, IsShortWhateverTheTextIs) {
  EXPECT_EQ(excerpt("leaf0"), "leaf0");
  EXPECT_EQ(excerpt(std::string(1'000'000, 'x')), std::string(60, 'x') + "...");
  EXPECT_EQ(excerpt(std::string(59, 'x') + "\xC3\xA4 and more"), std::string(59, 'x') + "?...");
}

}  // namespace
}  // namespace weft
