#include "fabric/routing/table_schedule.h"

#include <gtest/gtest.h>

namespace weft::fabric {
namespace {

constexpr ForwardingTable::Target kTo{.destination = EndpointId(1)};
constexpr PathLevels::Path kPath{.source = EndpointId(0), .destination = EndpointId(1)};

LinearTables tables_with(std::uint16_t port) {
  LinearTables tables({.switches = 2, .endpoints = 2});
  tables.set(0, {.destination = EndpointId(0)}, 0);
  tables.set(1, kTo, port);
  return tables;
}

PathLevels levels_with(std::uint8_t level) {
  PathLevels levels(2, 0);
  levels.set(kPath, level);
  return levels;
}

Time at(std::int64_t microseconds) { return Time::zero() + Duration::microseconds(microseconds); }

TEST(LinearTables, ChangesMakeOneOfTheOtherAndBack) {
  LinearTables one = tables_with(3);
  const LinearTables other = tables_with(5);
  std::vector<ByteChange> changes = one.changes_to(other);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(one.switch_of(changes[0]), 1U);
  one.exchange(changes);
  EXPECT_TRUE(one.changes_to(other).empty());
  EXPECT_EQ(one.next_hop(1, kTo)[0], 5);
  one.exchange(changes);
  EXPECT_TRUE(one.changes_to(tables_with(3)).empty());
}

// A link that fails, returns and fails again: the same two states in turn, of which the first is empty.
TEST(TableSchedule, ShowsTheStateOfTheLastUpdateThatIsDue) {
  LinearTables tables = tables_with(3);
  PathLevels levels = levels_with(2);
  TableSchedule schedule;
  const auto whole = schedule.add_state({});
  const auto mended =
      schedule.add_state({.entries = tables.changes_to(tables_with(5)), .levels = levels.changes_to(levels_with(4))});
  const auto other =
      schedule.add_state({.entries = tables.changes_to(tables_with(7)), .levels = levels.changes_to(levels_with(2))});
  schedule.add_update(at(10), mended);
  schedule.add_update(at(20), whole);
  schedule.add_update(at(30), mended);
  schedule.add_update(at(40), other);
  EXPECT_TRUE(schedule.changes_levels());
  struct Expected {
    std::int64_t now = 0;
    std::uint16_t port = 0;
    std::uint8_t level = 0;
  };
  for (const Expected& expected : {Expected{9, 3, 2}, {10, 5, 4}, {15, 5, 4}, {20, 3, 2}, {35, 5, 4}, {40, 7, 2}}) {
    schedule.take_due(at(expected.now), tables, levels);
    EXPECT_EQ(tables.next_hop(1, kTo)[0], expected.port) << expected.now;
    EXPECT_EQ(levels.of(kPath), expected.level) << expected.now;
    EXPECT_EQ(tables.next_hop(0, {.destination = EndpointId(0)})[0], 0) << expected.now;
  }
}

TEST(TableSchedule, TakesSeveralThatAreDueAtOnce) {
  LinearTables tables = tables_with(3);
  PathLevels levels;
  TableSchedule schedule;
  EXPECT_TRUE(schedule.empty());
  schedule.add_update(at(1), schedule.add_state({.entries = tables.changes_to(tables_with(5))}));
  schedule.add_update(at(2), schedule.add_state({.entries = tables.changes_to(tables_with(6))}));
  EXPECT_FALSE(schedule.empty());
  EXPECT_FALSE(schedule.changes_levels());
  schedule.take_due(at(2), tables, levels);
  EXPECT_EQ(tables.next_hop(1, kTo)[0], 6);
}

}  // namespace
}  // namespace weft::fabric
