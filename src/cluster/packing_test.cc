#include "cluster/packing.h"

#include <gtest/gtest.h>

namespace weft::cluster {
namespace {

TEST(Packing, UnpacksWhatWasPacked) {
  const std::string bytes = Packer().number(7).text(std::string("a\0b", 3)).real(0.25).text("").take();
  Unpacker unpacker(bytes);
  EXPECT_EQ(unpacker.number(), 7U);
  EXPECT_EQ(unpacker.text(), std::string("a\0b", 3));
  EXPECT_EQ(unpacker.real(), 0.25);
  EXPECT_EQ(unpacker.text(), "");
  EXPECT_TRUE(unpacker.is_empty());
  EXPECT_TRUE(unpacker.is_whole());
}

TEST(Packing, SaysWhenSomethingIsMissing) {
  const std::string bytes = Packer().number(7).text("abc").take();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    Unpacker unpacker(std::string_view(bytes).substr(0, length));
    (void)unpacker.number();
    EXPECT_EQ(unpacker.text(), "");
    EXPECT_FALSE(unpacker.is_whole()) << length;
  }
}

TEST(Packing, ALengthBeyondTheEndIsNoText) {
  const std::string bytes = Packer().number(~std::uint64_t{0}).take();
  Unpacker unpacker(bytes);
  EXPECT_EQ(unpacker.text(), "");
  EXPECT_FALSE(unpacker.is_whole());
}

}  // namespace
}  // namespace weft::cluster
