#include "fabric/control/fib_installer.h"

#include <gtest/gtest.h>

namespace weft::fabric {
namespace {

using Ports = FibInstaller::Ports;

FibInstaller with(FibUnit unit, std::uint32_t prefixes = 4) {
  FibInstaller fib({.unit = unit, .write_time = 10_us, .prefixes = prefixes, .ports = 4});
  for (std::uint32_t prefix = 0; prefix < prefixes; ++prefix) {
    fib.preset(static_cast<PrefixId>(prefix), {0, 1});
  }
  return fib;
}

TEST(FibInstaller, WritesOneEntryAfterAnother) {
  FibInstaller fib = with(FibUnit::kPrefix);
  for (const PrefixId prefix : {0, 1, 2}) {
    fib.want(prefix, {1}, Time::zero());
  }
  for (const PrefixId prefix : {0, 1, 2}) {
    EXPECT_EQ(fib.next_write(), Time::zero() + 10_us * (prefix + 1));
    EXPECT_EQ(fib.write(fib.next_write()), std::vector<PrefixId>{prefix});
    EXPECT_EQ(fib.entry(prefix), Ports({1}));
  }
  EXPECT_TRUE(fib.is_idle());
  EXPECT_EQ(fib.entry(3), Ports({0, 1}));
}

TEST(FibInstaller, AGroupOfNextHopsChangesAtOnce) {
  FibInstaller fib = with(FibUnit::kGroup);
  fib.want(0, {1}, Time::zero());
  fib.want(1, {2}, Time::zero());
  fib.want(2, {1}, Time::zero());
  EXPECT_EQ(fib.write(fib.next_write()), (std::vector<PrefixId>{0, 2}));
  EXPECT_EQ(fib.write(fib.next_write()), std::vector<PrefixId>{1});
  EXPECT_TRUE(fib.is_idle());
  EXPECT_EQ(fib.writes(), 2U);
}

TEST(FibInstaller, LocalRepairTakesADeadNextHopOutOfAllEntriesAtOnce) {
  FibInstaller fib = with(FibUnit::kPrefix);
  EXPECT_EQ(fib.repair(0).size(), 4U);
  EXPECT_EQ(fib.entry(2), Ports({1}));
  fib.want(2, {1}, Time::zero());  // what routes find is what is there
  EXPECT_TRUE(fib.is_idle());
  fib.restore(0, Time::zero());
  EXPECT_FALSE(fib.is_idle());  // the other prefixes still want it
  while (!fib.is_idle()) {
    (void)fib.write(fib.next_write());
  }
  EXPECT_EQ(fib.entry(0), Ports({0, 1}));
  EXPECT_EQ(fib.entry(2), Ports({1}));
}

TEST(FibInstaller, AnEntryThatWasRightBeforeItsTurnCostsNothing) {
  FibInstaller fib = with(FibUnit::kPrefix);
  fib.want(0, {1}, Time::zero());
  fib.want(1, {1}, Time::zero());
  fib.want(0, {0, 1}, Time::zero());
  EXPECT_EQ(fib.write(fib.next_write()), std::vector<PrefixId>{1});
  EXPECT_TRUE(fib.is_idle());
}

}  // namespace
}  // namespace weft::fabric
