#include "fabric/any_fabric.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

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

/// Two leaves with a host each, joined by two links.
Graph two_leaves() {
  GraphBuilder builder(Domains::kOne);
  builder.add_hosts({.hosts = 2});
  const NodeIndex left = builder.add_switch({.name = "left"});
  const NodeIndex right = builder.add_switch({.name = "right"});
  builder.connect({.lower = NodeIndex(0), .upper = left}, {.rate = 100_gbps, .propagation = 500_ns});
  builder.connect({.lower = NodeIndex(1), .upper = right}, {.rate = 100_gbps, .propagation = 500_ns});
  builder.connect({.lower = left, .upper = right}, {.rate = 100_gbps, .propagation = 500_ns});
  builder.connect({.lower = left, .upper = right}, {.rate = 100_gbps, .propagation = 500_ns});
  return std::move(builder).finish();
}

class AnyFabricTest : public testing::Test {
 protected:
  [[nodiscard]] Result<AnyFabric> make(AnyFabricOptions options) {
    return AnyFabric::create(pair_on_a_switch(), std::move(options), {.kernel = kernel_, .packets = packets_});
  }
  [[nodiscard]] Result<AnyFabric> make_for_paths(AnyFabricOptions options, bool paths_alone) {
    return AnyFabric::create(two_leaves(), std::move(options),
                             {.kernel = kernel_, .packets = packets_, .paths_alone = paths_alone});
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

TEST_F(AnyFabricTest, HasTheSamePathsWithoutWhatPacketsNeed) {
  for (const AnyFabricOptions& options : {AnyFabricOptions(EthernetOptions{}), AnyFabricOptions(InfiniBandOptions{})}) {
    const Result<AnyFabric> whole = make_for_paths(options, false);
    const Result<AnyFabric> bare = make_for_paths(options, true);
    ASSERT_TRUE(whole && bare);
    EXPECT_LT(bare->heap_bytes(), whole->heap_bytes());
    ASSERT_EQ(bare->port_count(), whole->port_count());
    for (PortIndex port = 0; port < whole->port_count(); ++port) {
      const auto link_of = [port](const auto& fabric) {
        const auto& own = fabric.port(port);
        return std::tuple(own.peer, own.rate, own.delay, own.cut_through_bytes());
      };
      EXPECT_EQ(bare->visit(link_of), whole->visit(link_of));
    }
    for (std::uint32_t hash = 0; hash < 64; ++hash) {
      const auto hops_of = [hash](const auto& fabric) {
        const NextHops hops =
            fabric.ports_taken(0, {.source = EndpointId(0), .destination = EndpointId(1), .hash = hash}, 0);
        return std::vector<std::uint16_t>(hops.begin(), hops.end());
      };
      EXPECT_EQ(bare->visit(hops_of), whole->visit(hops_of));
    }
  }
}

TEST_F(AnyFabricTest, RefusesBuffersAlikeWithoutThem) {
  EthernetOptions options;
  options.switches.front().buffer = 10_kb;
  options.ports.front().priorities[3].reserve = 4_kb;
  options.ports.front().priorities[3].lossless = true;
  const Result<AnyFabric> whole = make_for_paths(options, false);
  const Result<AnyFabric> bare = make_for_paths(options, true);
  ASSERT_TRUE(!whole && !bare);
  EXPECT_EQ(bare.error().message, whole.error().message);
}

}  // namespace
}  // namespace weft::fabric
