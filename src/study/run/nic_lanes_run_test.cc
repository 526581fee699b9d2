// Classes and virtual lanes that meet at the port of a NIC: they share it as the weights of that port say.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

/// Host 1 sends 8 MiB each to hosts 0 and 2, in two classes; `settings` of its port or of all ports.
std::string two_classes(std::string_view family, std::pair<int, int> classes, std::string_view settings) {
  return fmt::format(R"([fabric]
family = "{}"
[congestion_control]
algorithm = "none"
[topology]
kind = "single-switch"
hosts = 3
{}
[[traffic]]
name = "first"
kind = "flows"
sources = ["host1"]
destinations = ["host0"]
size = "256 KiB"
count = 32
depth = 4
priority = {}
[[traffic]]
name = "second"
kind = "flows"
sources = ["host1"]
destinations = ["host2"]
size = "256 KiB"
count = 32
depth = 4
priority = {}
)",
                     family, settings, classes.first, classes.second);
}

/// The part of the second in what had come of both when the first of the two ended.
double part_of_second(const std::string& text) {
  const results::RunResults results = results_of(from_text(text));
  EXPECT_TRUE(all_succeeded(results));
  std::map<std::uint32_t, Time> ends;
  for (const results::MessageRow& row : results.messages) {
    Time& end = ends[row.record.flow.destination.value()];
    end = later(end, row.record.finished);
  }
  EXPECT_EQ(ends.size(), 2U);
  const Time first = std::min(ends.begin()->second, ends.rbegin()->second);
  double own = 0;
  double both = 0;
  for (const results::MessageRow& row : results.messages) {
    if (row.record.finished <= first) {
      both += 1;
      own += row.record.flow.destination.value() == ends.rbegin()->first ? 1 : 0;
    }
  }
  return own / both;
}

TEST(NicLanes, PrioritiesOfEqualWeightHaveHalfEach) {
  const std::string equal = "[ethernet.priority.3]\nweight = 50\n[ethernet.priority.4]\nweight = 50\n";
  EXPECT_NEAR(part_of_second(two_classes("rocev2", {3, 4}, equal)), 0.5, 0.03);
}

TEST(NicLanes, PrioritiesShareTheirNicByWeight) {
  const std::string weights = "[ethernet.priority.3]\nweight = 1\n[ethernet.priority.4]\nweight = 3\n";
  EXPECT_NEAR(part_of_second(two_classes("rocev2", {3, 4}, weights)), 0.75, 0.03);
}

TEST(NicLanes, AStrictPriorityOfOneNicComesFirst) {
  const std::string strict =
      "[[override]]\nselect = \"host1/nic0\"\nethernet.priority.3.weight = 1\nethernet.priority.4.weight = 0\n";
  EXPECT_GT(part_of_second(two_classes("rocev2", {3, 4}, strict)), 0.95);
}

TEST(NicLanes, VirtualLanesShareTheirNicByTheirTables) {
  const std::string lanes = "[infiniband]\nvls = 2\n[infiniband.vl.0]\nweight = 64\n[infiniband.vl.1]\nweight = 192\n";
  EXPECT_NEAR(part_of_second(two_classes("infiniband", {0, 1}, lanes)), 0.75, 0.03);
}

}  // namespace
}  // namespace weft::study::run
