#include "fabric/any_fabric.h"

#include <gtest/gtest.h>

#include "fabric/topology/graph_builder.h"

namespace weft::fabric {
namespace {

Graph pair_on_a_switch() {
  GraphBuilder builder(Domains::kOne);
  builder.add_hosts({.hosts = 2});
  const NodeIndex node = builder.add_switch({.name = "switch"});
  builder.connect({.lower = NodeIndex(0), .upper = node}, {.rate = 100_gbps, .propagation = 500_ns});
  builder.connect({.lower = NodeIndex(1), .upper = node}, {.rate = 100_gbps, .propagation = 500_ns});
  return std::move(builder).finish();
}

class AnyFabricTest : public testing::Test {
 protected:
  [[nodiscard]] Result<AnyFabric> make(AnyFabricOptions options) {
    return AnyFabric::create(pair_on_a_switch(), std::move(options), {.kernel = kernel_, .packets = packets_});
  }

 private:
  sim::Kernel kernel_;
  PacketPool packets_;
};

TEST_F(AnyFabricTest, IsOfTheDisciplineWhoseOptionsItWasGiven) {
  const Result<AnyFabric> ethernet = make(EthernetOptions{});
  ASSERT_TRUE(ethernet);
  EXPECT_NE(ethernet->get_if<EthernetFabric>(), nullptr);
  EXPECT_EQ(ethernet->get_if<InfiniBandFabric>(), nullptr);
  EXPECT_EQ(ethernet->link_type(), wire::LinkType::kEthernet);
  const Result<AnyFabric> infiniband = make(InfiniBandOptions{});
  ASSERT_TRUE(infiniband);
  EXPECT_EQ(infiniband->get_if<EthernetFabric>(), nullptr);
  EXPECT_NE(infiniband->get_if<InfiniBandFabric>(), nullptr);
  EXPECT_EQ(infiniband->link_type(), wire::LinkType::kInfiniBand);
}

TEST_F(AnyFabricTest, NamesPortsAlikeInEveryDiscipline) {
  for (const AnyFabricOptions& options : {AnyFabricOptions(EthernetOptions{}), AnyFabricOptions(InfiniBandOptions{})}) {
    const Result<AnyFabric> fabric = make(options);
    ASSERT_TRUE(fabric);
    ASSERT_EQ(fabric->port_count(), 4U);
    EXPECT_EQ(fabric->port_name(0), "host0/nic0");
    EXPECT_EQ(fabric->port_name(fabric->peer_of(1)), "switch/port1");
    EXPECT_EQ(fabric->check_invariants(), "");
    EXPECT_EQ(fabric->packets_inside(), 0U);
    EXPECT_EQ(fabric->drops().total(), 0U);
  }
}

TEST_F(AnyFabricTest, PassesOnWhatTheDisciplineRefuses) {
  InfiniBandOptions options;
  options.data_lanes = 16;
  const Result<AnyFabric> fabric = make(options);
  ASSERT_FALSE(fabric);
  EXPECT_EQ(fabric.error().message, "16 data lanes, must be 1 to 15");
}

}  // namespace
}  // namespace weft::fabric
