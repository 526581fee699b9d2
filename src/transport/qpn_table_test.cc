#include "transport/qpn_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace weft::transport {
namespace {

TEST(QpnTable, AnEmptyTableFindsNothing) {
  const QpnTable table;
  EXPECT_FALSE(table.find(Qpn(5)).exists());
  EXPECT_FALSE(table.find(Qpn::invalid()).exists());
}

TEST(QpnTable, NumberZeroIsNeverFound) {
  QpnTable table;
  table.insert(Qpn(1), {.index = 0});
  EXPECT_FALSE(table.find(Qpn(0)).exists());
}

TEST(QpnTable, AgreesWithAMapThroughRandomInsertionsAndErasures) {
  RandomStream random(1, "qpn table");
  QpnTable table;
  std::map<std::uint32_t, QpSlot> reference;
  for (int step = 0; step < 20'000; ++step) {
    // Few numbers over a wide range, so that homes collide and numbers come back.
    const auto number = static_cast<std::uint32_t>(1 + random.uniform(40) * 0x10'001 + random.uniform(8));
    if (reference.contains(number)) {
      table.erase(Qpn(number));
      reference.erase(number);
    } else {
      const QpSlot slot{.index = static_cast<std::uint32_t>(step),
                        .kind = static_cast<EngineKind>(random.uniform(kEngineKinds))};
      table.insert(Qpn(number), slot);
      reference.emplace(number, slot);
    }
    const auto probe = static_cast<std::uint32_t>(1 + random.uniform(40) * 0x10'001 + random.uniform(8));
    const auto found = reference.find(probe);
    ASSERT_EQ(table.find(Qpn(probe)), found == reference.end() ? QpSlot{} : found->second) << "step " << step;
    ASSERT_EQ(table.size(), reference.size());
  }
  for (const auto& [number, slot] : reference)
    EXPECT_EQ(table.find(Qpn(number)), slot);
}

TEST(QpnTable, PlacesShowEveryNumberOnce) {
  QpnTable table;
  for (std::uint32_t number = 1; number <= 100; ++number)
    table.insert(Qpn(number * 3), {.index = number});
  std::map<std::uint32_t, int> seen;
  for (std::size_t place = 0; place < table.places(); ++place) {
    if (table.at(place).is_valid())
      ++seen[table.at(place).value()];
  }
  EXPECT_EQ(seen.size(), table.size());
  for (const auto& [number, times] : seen)
    EXPECT_EQ(times, 1) << number;
}

}  // namespace
}  // namespace weft::transport
