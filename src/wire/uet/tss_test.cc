#include "wire/uet/tss.h"

#include <gtest/gtest.h>

#include <set>

#include "wire/test_bytes.h"
#include "wire/uet/tss_replay_window.h"

namespace weft::wire::uet {
namespace {

//= uet-1.0 3.7
TEST(UetTss, HeaderSaysDomainEpochAndCounter) {
  const ByteVector bytes = bytes_of("09123456 ABCD 0102030405FF");
  const TssHeader header{.association = true, .domain = 0x123456, .epoch = 0xABCD, .counter = 0x0102030405FF};
  EXPECT_EQ(TssHeader::parse(bytes).value(), header);
  EXPECT_EQ(emitted(header, header.size()), bytes);
  EXPECT_EQ(tss_overhead(header), 24U);
}

//= uet-1.0 3.7
TEST(UetTss, SourceIdentifierMakesItFourBytesLonger) {
  const ByteVector bytes = bytes_of("0E123456 DEADBEEF 0000 000000000007");
  const TssHeader header{.has_source = true, .reserved = true, .domain = 0x123456, .source = 0xDEADBEEF, .counter = 7};
  EXPECT_EQ(TssHeader::parse(bytes).value(), header);
  EXPECT_EQ(emitted(header, header.size()), bytes);
}

TEST(UetTss, RefusesOtherTypes) {
  EXPECT_EQ(TssHeader::parse(ByteVector(12)).error().message, "TSS has type 0, must be 1");
}

//= rfc4303 3.4.3
TEST(UetTssReplayWindow, TakesEachCounterOnce) {
  TssReplayWindow window;
  for (const std::uint64_t counter : {0, 5, 3, 4, 1000}) {
    EXPECT_TRUE(window.accept(counter)) << counter;
    EXPECT_FALSE(window.is_new(counter)) << counter;
    EXPECT_FALSE(window.accept(counter)) << counter;
  }
  EXPECT_TRUE(window.accept(1));
}

//= rfc4303 3.4.3
TEST(UetTssReplayWindow, RefusesWhatIsTooOldToKnow) {
  TssReplayWindow window;
  EXPECT_TRUE(window.accept(TssReplayWindow::kWindow + 9));
  EXPECT_FALSE(window.accept(9));
  EXPECT_TRUE(window.accept(10));
  EXPECT_TRUE(window.accept((std::uint64_t{1} << 48) - 1));
  EXPECT_FALSE(window.accept(10));
}

/// Against a set of all counters ever taken.
TEST(UetTssReplayWindow, AgreesWithAListOfAllCounters) {
  RandomStream random(4, "replay");
  TssReplayWindow window;
  std::set<std::uint64_t> taken;
  std::uint64_t largest = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t step = random.uniform(random.uniform(200) == 0 ? 3000 : 5);
    const std::uint64_t back = random.uniform(2) == 0 ? random.uniform(1200) : 0;
    const std::uint64_t counter = largest + step >= back ? largest + step - back : 0;
    const bool in_window = taken.empty() || counter > largest || largest - counter < TssReplayWindow::kWindow;
    const bool expected = in_window && !taken.contains(counter);
    ASSERT_EQ(window.accept(counter), expected) << counter;
    if (expected) {
      taken.insert(counter);
      largest = std::max(largest, counter);
    }
  }
}

}  // namespace
}  // namespace weft::wire::uet
