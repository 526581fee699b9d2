#include "transport/qpn_sequence.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::transport {
namespace {

TEST(QpnSequence, GivesEveryNumberForProgramsOnceBeforeAnyComesAgain) {
  constexpr std::uint32_t kCount = QpnSequence::kLast - QpnSequence::kFirst + 1;
  QpnSequence sequence(7);
  const Qpn first = sequence.next();
  std::vector<bool> seen(QpnSequence::kLast + 1);
  seen[first.value()] = true;
  for (std::uint32_t i = 1; i < kCount; ++i) {
    const std::uint32_t number = sequence.next().value();
    ASSERT_GE(number, QpnSequence::kFirst);
    ASSERT_LE(number, QpnSequence::kLast);
    ASSERT_FALSE(seen[number]);
    seen[number] = true;
  }
  EXPECT_EQ(sequence.next(), first);
}

TEST(QpnSequence, NeighboursAreNotSequential) {
  QpnSequence sequence(7);
  std::uint32_t last = sequence.next().value();
  int close = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t number = sequence.next().value();
    close += number - last + 16 < 32 ? 1 : 0;
    last = number;
  }
  EXPECT_LE(close, 2);
}

TEST(QpnSequence, IsAFunctionOfTheSeed) {
  QpnSequence one(1);
  QpnSequence same(1);
  QpnSequence other(2);
  int equal_to_other = 0;
  for (int i = 0; i < 100; ++i) {
    const Qpn number = one.next();
    EXPECT_EQ(number, same.next());
    equal_to_other += number == other.next() ? 1 : 0;
  }
  EXPECT_LE(equal_to_other, 1);
}

}  // namespace
}  // namespace weft::transport
