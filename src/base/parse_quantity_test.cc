#include "base/parse_quantity.h"

#include <gtest/gtest.h>

#include <string>

#include "base/random.h"

namespace weft {
namespace {

std::string duration_error(std::string_view text) {
  const auto result = parse_duration(text);
  return result ? "no error" : result.error().message;
}

TEST(ParseDuration, UnderstandsEveryUnit) {
  EXPECT_EQ(parse_duration("7ps"), 7_ps);
  EXPECT_EQ(parse_duration("7ns"), 7_ns);
  EXPECT_EQ(parse_duration("7us"), 7_us);
  EXPECT_EQ(parse_duration("7\u00B5s"), 7_us) << "the micro sign";
  EXPECT_EQ(parse_duration("7\u03BCs"), 7_us) << "the Greek letter";
  EXPECT_EQ(parse_duration("7ms"), 7_ms);
  EXPECT_EQ(parse_duration("7s"), 7_s);
}

TEST(ParseDuration, AllowsSpacesBetweenAndAround) {
  EXPECT_EQ(parse_duration("500 ns"), 500_ns);
  EXPECT_EQ(parse_duration(" \t500  ns "), 500_ns);
}

TEST(ParseDuration, DecimalsAreExact) {
  EXPECT_EQ(parse_duration("1.5us"), 1500_ns);
  EXPECT_EQ(parse_duration("0.001 ns"), 1_ps);
  EXPECT_EQ(parse_duration("1.000000000001 s"), 1_s + 1_ps);
  EXPECT_EQ(parse_duration("2.00000000000000000000 ps"), 2_ps);
}

TEST(ParseDuration, RefusesPartsOfAPicosecond) {
  EXPECT_EQ(duration_error("1.5 ps"), "'1.5 ps' is not a whole number of picoseconds");
  EXPECT_EQ(duration_error("0.0001ns"), "'0.0001ns' is not a whole number of picoseconds");
}

TEST(ParseDuration, RequiresAUnit) { EXPECT_EQ(duration_error("500"), "missing unit; one of ps, ns, us, ms, s"); }

TEST(ParseDuration, SuggestsTheNearestUnit) {
  EXPECT_EQ(duration_error("5 msec"), "unknown unit 'msec'; did you mean 'ms'? one of ps, ns, us, ms, s");
  EXPECT_EQ(duration_error("5 NS"), "unknown unit 'NS'; did you mean 'ns'? one of ps, ns, us, ms, s");
  EXPECT_EQ(duration_error("5 fortnights"), "unknown unit 'fortnights'; one of ps, ns, us, ms, s");
}

TEST(ParseDuration, RefusesNegativeEmptyAndJunk) {
  EXPECT_EQ(duration_error("-5ns"), "'-5ns' is negative; expected a quantity such as '500 ns'");
  EXPECT_EQ(duration_error(" "), "empty; expected a quantity such as '500 ns'");
  for (const auto* junk : {"ns", "fast", ".5ns", "+5ns", "5.ns", "1.2.3 ns", ".", "\xff"}) {
    EXPECT_NE(duration_error(junk).find("does not start with a number"), std::string::npos) << junk;
  }
  for (const auto* junk : {"5ns5", "5 n s", "1e3ns", "1,5 ns", "1'000 ns"}) {
    EXPECT_NE(duration_error(junk).find("unknown unit"), std::string::npos) << junk;
  }
}

TEST(ParseDuration, RangeEndsAtTheLargestDuration) {
  EXPECT_EQ(parse_duration("9223372036854775807 ps"), Duration::max());
  EXPECT_EQ(parse_duration("9223372.036854775807 s"), Duration::max());
  EXPECT_EQ(duration_error("9223372036854775808 ps"),
            "'9223372036854775808 ps' is out of range; at most 9223372.036854775807 s");
  EXPECT_NE(duration_error("340282366920938463463374607431768212 s").find("out of range"), std::string::npos);
  EXPECT_NE(duration_error("3402823669209384634633746074317682120000 s").find("too many digits"), std::string::npos);
}

TEST(ParseBytes, TellsDecimalFromBinaryPrefixes) {
  EXPECT_EQ(parse_bytes("64 B"), 64_bytes);
  EXPECT_EQ(parse_bytes("4KiB"), 4_kib);
  EXPECT_EQ(parse_bytes("4 kB"), 4_kb);
  EXPECT_EQ(parse_bytes("1.5 MiB"), 1536_kib);
  EXPECT_EQ(parse_bytes("2 GB"), 2_gb);
  EXPECT_EQ(parse_bytes("2 TiB"), 2_tib);
}

TEST(ParseBytes, RefusesPartsOfAByteAndAmbiguousPrefixes) {
  EXPECT_EQ(parse_bytes("0.0001 kB").error().message, "'0.0001 kB' is not a whole number of bytes");
  EXPECT_EQ(parse_bytes("4KB").error().message,
            "unknown unit 'KB'; did you mean 'kB'? one of B, kB, KiB, MB, MiB, GB, GiB, TB, TiB");
  EXPECT_EQ(parse_bytes("0.0009765625 KiB"), 1_bytes);
}

TEST(ParseRate, UnderstandsBitsAndBytesPerSecond) {
  for (const auto* text : {"400Gbps", "400 Gb/s", "400 Gbit/s", "0.4 Tbps", "400000 Mbps", "50 GB/s"}) {
    EXPECT_EQ(parse_rate(text), 400_gbps) << text;
  }
  EXPECT_EQ(parse_rate("1 B/s"), 8_bps);
}

TEST(ParseRate, ListsOnlyCanonicalUnits) {
  EXPECT_EQ(parse_rate("400").error().message, "missing unit; one of bps, kbps, Mbps, Gbps, Tbps");
  EXPECT_EQ(parse_rate("400 gbps").error().message,
            "unknown unit 'gbps'; did you mean 'Gbps'? one of bps, kbps, Mbps, Gbps, Tbps");
  EXPECT_EQ(parse_rate("0.5 bps").error().message, "'0.5 bps' is not a whole number of bits per second");
}

TEST(ParsePackets, WantsWholePackets) {
  EXPECT_EQ(parse_packets("64 packets"), 64_packets);
  EXPECT_EQ(parse_packets("1 packet"), 1_packets);
  EXPECT_EQ(parse_packets("1.5 packets").error().message, "'1.5 packets' is not a whole number of packets");
  EXPECT_EQ(parse_packets("64").error().message, "missing unit; one of packets");
}

TEST(ParseProbability, TakesPercentOrFraction) {
  const auto one_percent = Probability::from_ratio({.numerator = 1, .denominator = 100});
  EXPECT_EQ(parse_probability("1%"), one_percent);
  EXPECT_EQ(parse_probability("1 %"), one_percent);
  EXPECT_EQ(parse_probability("0.01"), one_percent);
  EXPECT_EQ(parse_probability("0"), Probability::zero());
  EXPECT_EQ(parse_probability("100%"), Probability::one());
  EXPECT_EQ(parse_probability("1"), Probability::one());
}

TEST(ParseProbability, RoundsToTheNearestUnit) {
  EXPECT_EQ(parse_probability("0.0000000000000000001")->raw(), 1U);   // 0.92 units
  EXPECT_EQ(parse_probability("0.00000000000000000005")->raw(), 0U);  // 0.46 units
  EXPECT_EQ(parse_probability("0.99999999999999999999"), Probability::one());
}

TEST(ParseProbability, RefusesMoreThanOne) {
  EXPECT_EQ(parse_probability("101%").error().message, "'101%' is out of range; a probability is at most 1 (100%)");
  EXPECT_EQ(parse_probability("1.1").error().message, "'1.1' is out of range; a probability is at most 1 (100%)");
  EXPECT_EQ(parse_probability("1 percent").error().message,
            "unknown unit 'percent' of a probability; write '1%' or '0.01'");
  EXPECT_FALSE(parse_probability("-1%").has_value());
}

TEST(ParseQuantity, RandomTextGivesAnErrorOrANonNegativeValue) {
  constexpr std::string_view kAlphabet = "0123456789.. -+nsumpkKMGTiBb/%e\t\xff";
  RandomStream random(1, "parse");
  int understood = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text(random.uniform(12), ' ');
    for (char& c : text) {
      c = kAlphabet[random.uniform(kAlphabet.size())];
    }
    const auto duration = parse_duration(text);
    ASSERT_TRUE(duration ? *duration >= Duration::zero() : !duration.error().message.empty()) << text;
    const auto bytes = parse_bytes(text);
    ASSERT_TRUE(bytes ? *bytes >= Bytes::zero() : !bytes.error().message.empty()) << text;
    const auto rate = parse_rate(text);
    ASSERT_TRUE(rate ? *rate >= Rate::zero() : !rate.error().message.empty()) << text;
    const auto probability = parse_probability(text);
    ASSERT_TRUE(probability ? *probability <= Probability::one() : !probability.error().message.empty()) << text;
    understood += duration || bytes || rate || probability ? 1 : 0;
  }
  EXPECT_GT(understood, 100);
}

}  // namespace
}  // namespace weft
