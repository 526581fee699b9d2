// Links that flows load which stand for others.
#include "study/world/stand_ins.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace weft::study::world {
namespace {

using flow::LinkUse;

/// A member that exchanges with others, by its NIC's link and one of some uplinks each.
struct Drawn {
  EndpointId sender{};
  std::vector<LinkUse> links{};
  Bytes bytes{};
  bool runs = false;
};

std::vector<double> loads_of(const std::vector<Drawn>& flows, std::uint32_t links, const StandIns* stand_ins) {
  std::vector<double> loads(links);
  for (const Drawn& one : flows) {
    std::vector<LinkUse> uses = one.links;
    if (stand_ins != nullptr) {
      stand_ins->apply(one.sender, uses);
    }
    for (const LinkUse& use : uses) {
      loads[use.link] += static_cast<double>(one.bytes.count()) * static_cast<double>(use.part);
    }
  }
  return loads;
}

// Whatever is drawn, also where many links are taken by none of the flows that are run.
TEST(StandIns, LoadEveryLinkAsAllFlowsDoForTheBytesThatAreRun) {
  RandomStream random(7, "links");
  for (int round = 0; round < 200; ++round) {
    const auto members = static_cast<std::uint32_t>(2 + random.uniform(20));
    const auto uplinks = static_cast<std::uint32_t>(1 + random.uniform(40));
    const std::uint32_t links = members + uplinks;
    std::vector<Drawn> all;
    for (std::uint32_t member = 0; member < members; ++member) {
      const std::uint64_t own = 1 + random.uniform(3);
      const std::uint64_t peers = own + random.uniform(30);
      for (std::uint64_t peer = 0; peer < peers; ++peer) {
        const auto uplink = static_cast<std::uint32_t>(members + random.uniform(uplinks));
        const float part = random.uniform(2) == 0 ? 1.0F : 0.25F;
        all.push_back({.sender = EndpointId(member),
                       .links = {{.link = member, .part = 1}, {.link = uplink, .part = part}},
                       .bytes = Bytes(static_cast<std::int64_t>(1 + random.uniform(1'000'000))),
                       .runs = peer < own});
      }
    }
    StandInLoads sums(links);
    std::vector<Drawn> run;
    double bytes_of_all = 0;
    double bytes_run = 0;
    for (const Drawn& one : all) {
      sums.add({.sender = one.sender, .links = one.links, .bytes = one.bytes});
      bytes_of_all += static_cast<double>(one.bytes.count());
      if (one.runs) {
        sums.add_run({.sender = one.sender, .links = one.links, .bytes = one.bytes});
        bytes_run += static_cast<double>(one.bytes.count());
        run.push_back(one);
      }
    }
    const StandIns stand_ins = sums.made();
    const std::vector<double> wanted = loads_of(all, links, nullptr);
    const std::vector<double> found = loads_of(run, links, &stand_ins);
    for (std::uint32_t link = 0; link < links; ++link) {
      EXPECT_NEAR(found[link], wanted[link] * bytes_run / bytes_of_all, 1e-5 * wanted[link]) << round << " " << link;
    }
  }
}

TEST(StandIns, FlowsThatStandForThemselvesAloneLoadLinksAsTheyDo) {
  StandInLoads sums(3);
  const std::vector<LinkUse> links{{.link = 0, .part = 1}, {.link = 2, .part = 0.5}};
  sums.add({.sender = EndpointId(0), .links = links, .bytes = Bytes(1'000)});
  sums.add_run({.sender = EndpointId(0), .links = links, .bytes = Bytes(1'000)});
  std::vector<LinkUse> applied = links;
  sums.made().apply(EndpointId(0), applied);
  EXPECT_EQ(applied, links);
}

}  // namespace
}  // namespace weft::study::world
