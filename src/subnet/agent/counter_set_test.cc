#include "subnet/agent/counter_set.h"

#include <gtest/gtest.h>

namespace weft::subnet {
namespace {

constexpr std::uint16_t kXmitData = 1U << 12;    // CounterSelect of PortCounters
constexpr std::uint16_t kExtendedXmitData = 1U;  // and of PortCountersExtended

TEST(CounterSet, ClearsWhatIsSelectedInOneFormAlone) {
  CounterSet counters;
  counters.counted().xmit_data = 100;
  counters.counted().xmit_packets = 7;
  counters.write(wire::PortCounters{.counter_select = kXmitData});
  counters.counted().xmit_data += 5;
  EXPECT_EQ(counters.shown().xmit_data, 5U);
  EXPECT_EQ(counters.shown().xmit_packets, 7U);
  EXPECT_EQ(counters.shown_extended().xmit_data, 105U);
  counters.write(wire::PortCountersExtended{.counter_select = kExtendedXmitData});
  EXPECT_EQ(counters.shown_extended().xmit_data, 0U);
  EXPECT_EQ(counters.shown_extended().unicast_xmit_packets, 7U);
  EXPECT_EQ(counters.shown().xmit_data, 5U);
}

TEST(CounterSet, TakesTheValueThatIsWritten) {
  CounterSet counters;
  counters.write(wire::PortCounters{.counter_select = kXmitData, .xmit_data = 40});
  counters.counted().xmit_data += 2;
  EXPECT_EQ(counters.shown().xmit_data, 42U);
}

TEST(CounterSet, SelectsWaitsInTheSecondByte) {
  CounterSet counters;
  counters.counted().xmit_wait = 9;
  counters.write(wire::PortCounters{.counter_select = 0xFFFF});
  EXPECT_EQ(counters.shown().xmit_wait, 9U);
  counters.write(wire::PortCounters{.counter_select2 = 1});
  EXPECT_EQ(counters.shown().xmit_wait, 0U);
}

}  // namespace
}  // namespace weft::subnet
