#include "base/text_style.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(TextStyle, ColoursEndWithTheText) { EXPECT_EQ(toned("best", Tone::kGood, Colour::kAnsi), "\033[32mbest\033[0m"); }

TEST(TextStyle, NothingIsAddedWithoutColourToneOrText) {
  EXPECT_EQ(toned("best", Tone::kGood, Colour::kNone), "best");
  EXPECT_EQ(toned("best", Tone::kPlain, Colour::kAnsi), "best");
  EXPECT_EQ(toned("", Tone::kBad, Colour::kAnsi), "");
}

}  // namespace
}  // namespace weft
