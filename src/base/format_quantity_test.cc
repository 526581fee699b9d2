#include "base/format_quantity.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "base/parse_quantity.h"
#include "base/random.h"

namespace weft {
namespace {

TEST(FormatQuantity, DurationIsInTheLargestFittingUnit) {
  EXPECT_EQ(to_string(0_ps), "0 ps");
  EXPECT_EQ(to_string(999_ps), "999 ps");
  EXPECT_EQ(to_string(1500_ns), "1.5 us");
  EXPECT_EQ(to_string(81'920_ps), "81.92 ns");
  EXPECT_EQ(to_string(60_s), "60 s");
  EXPECT_EQ(to_string(-1500_ps), "-1.5 ns");
  EXPECT_EQ(to_string(Duration::picoseconds(std::numeric_limits<std::int64_t>::min())), "-9223372.036854775808 s");
}

TEST(FormatQuantity, TimeIsTheSpanSinceTheStart) {
  EXPECT_EQ(to_string(Time::zero() + 1500_ns), "1.5 us");
  EXPECT_EQ(to_string(Time::never()), "never");
}

TEST(FormatQuantity, BytesAreInTheUnitOfFewestDigits) {
  EXPECT_EQ(to_string(0_bytes), "0 B");
  EXPECT_EQ(to_string(64_bytes), "64 B");
  EXPECT_EQ(to_string(1_kb), "1 kB");
  EXPECT_EQ(to_string(1500_bytes), "1.5 kB");
  EXPECT_EQ(to_string(1024_bytes), "1 KiB");
  EXPECT_EQ(to_string(4_kib), "4 KiB");
  EXPECT_EQ(to_string(4097_bytes), "4097 B");
  EXPECT_EQ(to_string(1536_kib), "1.5 MiB");
  EXPECT_EQ(to_string(-4_kib), "-4 KiB");
}

TEST(FormatQuantity, RateIsInBits) {
  EXPECT_EQ(to_string(400_gbps), "400 Gbps");
  EXPECT_EQ(to_string(1'600_gbps), "1.6 Tbps");
  EXPECT_EQ(to_string(Rate::zero()), "0 bps");
}

TEST(FormatQuantity, ProbabilityIsAPercentageOfFewestDigits) {
  EXPECT_EQ(to_string(Probability::zero()), "0%");
  EXPECT_EQ(to_string(Probability::one()), "100%");
  EXPECT_EQ(to_string(Probability::from_ratio({.numerator = 1, .denominator = 100})), "1%");
  EXPECT_EQ(to_string(Probability::from_ratio({.numerator = 1, .denominator = 16})), "6.25%");
  EXPECT_EQ(to_string(Probability::from_ratio({.numerator = 1, .denominator = 1'000'000})), "0.0001%");
}

// A value with a random number of significant bits, so that every unit and every number of digits occurs.
std::int64_t random_count(RandomStream& random) {
  const auto bits = static_cast<int>(random.uniform(64));
  return static_cast<std::int64_t>(random.next() >> 1 >> bits);
}

TEST(FormatQuantity, ParsingReturnsTheValue) {
  RandomStream random(1, "format");
  for (int i = 0; i < 50'000; ++i) {
    const std::int64_t count = random_count(random);
    const auto duration = Duration::picoseconds(count);
    ASSERT_EQ(parse_duration(to_string(duration)), duration);
    ASSERT_EQ(parse_bytes(to_string(Bytes(count))), Bytes(count));
    ASSERT_EQ(parse_rate(to_string(Rate::bits_per_second(count))), Rate::bits_per_second(count));
    ASSERT_EQ(parse_packets(to_string(Packets(count))), Packets(count));
    const auto probability = Probability::from_raw(static_cast<std::uint64_t>(count));
    ASSERT_EQ(parse_probability(to_string(probability)), probability);
  }
}

TEST(FormatQuantity, ParsingReturnsMultiplesOfEveryUnit) {
  for (std::int64_t factor = 1; factor <= 2'000; ++factor) {
    for (const Bytes unit : {1_bytes, 1_kb, 1_kib, 1_mb, 1_mib, 1_gb, 1_gib, 1_tb, 1_tib}) {
      ASSERT_EQ(parse_bytes(to_string(factor * unit)), factor * unit);
    }
  }
}

TEST(FormatQuantity, FmtAlignsLikeAString) {
  EXPECT_EQ(fmt::format("[{:>8}]", 4_kib), "[   4 KiB]");
  EXPECT_EQ(fmt::format("{} {} {} {}", 1_ns, Time::zero() + 2_ns, 400_gbps, 3_packets), "1 ns 2 ns 400 Gbps 3 packets");
  EXPECT_EQ(fmt::format("{} {} {} {}", Psn(5), Qpn(17), Qpn(), Probability::one()), "5 17 invalid 100%");
}

TEST(FormatQuantity, StreamsPrintTheSameText) {
  std::ostringstream out;
  out << 1500_ns << ' ' << Time::never() << ' ' << 4_kib << ' ' << 2_packets << ' ' << 400_gbps << ' ' << Psn(5) << ' '
      << Probability::one();
  EXPECT_EQ(out.str(), "1.5 us never 4 KiB 2 packets 400 Gbps 5 100%");
}

}  // namespace
}  // namespace weft
