#include "wire/crc32.h"

#include <gtest/gtest.h>

#include <string_view>

#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

std::vector<std::byte> sample(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i * 131 + (i >> 8) * 17) & 0xFFU);
  return bytes;
}

TEST(Crc32, KnowsTheCheckValue) {
  const std::string_view digits = "123456789";
  EXPECT_EQ(crc32(0, std::as_bytes(std::span(digits))), 0xCBF43926U);
}

TEST(Crc32, EveryLengthAndAlignmentGivesWhatZlibGives) {
  const std::vector<std::byte> bytes = sample(700);
  for (std::size_t begin = 0; begin < 17; ++begin) {
    for (std::size_t size = 0; begin + size <= bytes.size(); size += 1 + size / 64) {
      const auto piece = std::span(bytes).subspan(begin, size);
      ASSERT_EQ(crc32(0x1234567, piece), detail::crc32_portable(0x1234567, piece)) << begin << ' ' << size;
    }
  }
}

TEST(Crc32, PiecesGiveWhatTheWholeGives) {
  const std::vector<std::byte> bytes = sample(4'096);
  for (const std::size_t cut : {0, 1, 64, 127, 128, 1'000, 4'095, 4'096}) {
    const std::uint32_t first = crc32(0, std::span(bytes).first(cut));
    EXPECT_EQ(crc32(first, std::span(bytes).subspan(cut)), crc32(0, bytes)) << cut;
  }
}

}  // namespace
}  // namespace weft::wire
