#include "fabric/marking/red.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::fabric {
namespace {

/// The profile of the DCQCN paper.
constexpr RedOptions kPaper{Bytes(5'000), Bytes(200'000), Probability::from_ratio({1, 100})};

int marks_of(Red& red, std::uint32_t depth, int draws) {
  int marks = 0;
  for (int i = 0; i < draws; ++i) {
    marks += red.marks(depth) ? 1 : 0;
  }
  return marks;
}

TEST(Red, NeverMarksUpToKmin) {
  Red red(kPaper, 1);
  EXPECT_EQ(marks_of(red, 0, 1'000), 0);
  EXPECT_EQ(marks_of(red, 5'000, 100'000), 0);
}

TEST(Red, AlwaysMarksAboveKmax) {
  Red red(kPaper, 1);
  EXPECT_EQ(marks_of(red, 200'001, 1'000), 1'000);
}

TEST(Red, TheProbabilityRisesLinearlyFromKminToPmaxAtKmax) {
  constexpr int kDraws = 400'000;
  for (const double pmax : {0.01, 0.2, 1.0}) {
    for (const double part : {0.05, 0.25, 0.5, 0.75, 1.0}) {
      const RedOptions options{Bytes(5'000), Bytes(205'000),
                               Probability::from_ratio({static_cast<std::uint64_t>(pmax * 100), 100})};
      Red red(options, static_cast<std::uint64_t>(part * 100 + pmax * 1'000));
      const double expected = pmax * part;
      const int marks = marks_of(red, static_cast<std::uint32_t>(5'000 + part * 200'000), kDraws);
      // Five standard deviations of a binomial count.
      const double tolerance = 5 * std::sqrt(kDraws * expected * (1 - expected)) + 1;
      EXPECT_NEAR(marks, kDraws * expected, tolerance) << pmax << " at " << part;
    }
  }
}

TEST(Red, KminEqualToKmaxIsAStep) {
  Red red({Bytes(30'000), Bytes(30'000), Probability::one()}, 1);
  EXPECT_EQ(marks_of(red, 30'000, 1'000), 0);
  EXPECT_EQ(marks_of(red, 30'001, 1'000), 1'000);
}

TEST(Red, WithoutOptionsItMarksNothing) {
  Red red;
  EXPECT_EQ(marks_of(red, 4'000'000, 1'000), 0);
}

TEST(Red, TheSameSeedMarksTheSamePackets) {
  Red first(kPaper, 7);
  Red second(kPaper, 7);
  Red other(kPaper, 8);
  int differences = 0;
  for (int i = 0; i < 100'000; ++i) {
    const bool marked = first.marks(150'000);
    ASSERT_EQ(marked, second.marks(150'000));
    differences += marked != other.marks(150'000) ? 1 : 0;
  }
  EXPECT_GT(differences, 0);
}

}  // namespace
}  // namespace weft::fabric
