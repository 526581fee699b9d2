#include "study/plan/pods.h"

#include <gtest/gtest.h>

#include "fabric/topology/leaf_spine.h"
#include "fabric/topology/torus.h"

namespace weft::study::plan {
namespace {

// Four leaves of three hosts below two spines.
TEST(Pods, OfLeavesAndSpinesAreTheHostsOfALeaf) {
  const fabric::LeafSpineOptions options{.leaves = 4, .spines = 2, .hosts_per_leaf = 3};
  const Pods pods = pods_of(fabric::build_graph(options).value());
  EXPECT_EQ(pods.count, 4);
  EXPECT_EQ(pods.most_hosts, 3);
  const auto rate = static_cast<double>(options.fabric_link.rate.bits_per_second());
  EXPECT_EQ(pods.out, 4 * 2 * rate);
}

// Every cable of a ring leads out of two pods.
TEST(Pods, OfATorusAreItsSwitches) {
  const fabric::TorusOptions options{.sizes = {3, 3}, .hosts_per_switch = 2};
  const Pods pods = pods_of(fabric::build_graph(options).value());
  EXPECT_EQ(pods.count, 9);
  EXPECT_EQ(pods.most_hosts, 2);
  EXPECT_EQ(pods.out, 9 * 4 * static_cast<double>(options.ring_link.rate.bits_per_second()));
}

}  // namespace
}  // namespace weft::study::plan
