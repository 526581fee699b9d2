// The rates that flow/ keeps up to date, held against those that this folder solves from nothing, on random networks.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "flow/fair_shares.h"
#include "study/world/max_min.h"

namespace weft::study::world {
namespace {

constexpr int kSeeds = 10'000;

/// One random network whose flows come and go.
class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint64_t seed) : random_(seed, "fair shares"), capacities_(draw(1, 9)) {
    for (double& capacity : capacities_) {
      capacity = static_cast<double>(draw(1, 6)) * 10;
    }
    shares_ = flow::FairShares(capacities_);
  }

  /// A few changes at once: a class more, another number of flows, another capacity.
  void change() {
    for (std::uint64_t i = 0, n = draw(1, 3); i < n; ++i) {
      const std::uint64_t what = draw(0, 9);
      if (what < 4 || classes_.empty()) {
        add();
      } else if (what < 9) {
        Flows& flows = classes_[draw(0, classes_.size() - 1)];
        flows.count = static_cast<std::uint32_t>(draw(0, 2) == 0 ? 0 : draw(1, 3));
        shares_.set_flows(flows.id, flows.count);
      } else {
        const auto link = static_cast<std::uint32_t>(draw(0, capacities_.size() - 1));
        capacities_[link] = static_cast<double>(draw(1, 6)) * 10;
        shares_.set_capacity(link, capacities_[link]);
      }
    }
    shares_.update();
  }

  void check() const {
    std::vector<FlowLinks> flows;
    std::vector<double> kept;
    std::vector<double> capacities = capacities_;
    for (const Flows& own : classes_) {
      for (std::uint32_t i = 0; i < own.count; ++i) {
        kept.push_back(shares_.rate(own.id));
        FlowLinks& links = flows.emplace_back(own.links);
        // A cap is a link of the flow's own.
        links.push_back({.link = static_cast<std::uint32_t>(capacities.size())});
        capacities.push_back(own.cap);
      }
    }
    const std::vector<double> solved = max_min_rates(flows, capacities);
    for (std::size_t i = 0; i < solved.size(); ++i) {
      ASSERT_NEAR(kept[i], solved[i], solved[i] * 1e-6) << "flow " << i << " of " << solved.size();
    }
  }

 private:
  struct Flows {
    flow::ClassId id{};
    FlowLinks links{};
    double cap = 0;
    std::uint32_t count = 1;
  };

  std::uint64_t draw(std::uint64_t low, std::uint64_t high) {
    return static_cast<std::uint64_t>(
        random_.uniform_between({.low = static_cast<std::int64_t>(low), .high = static_cast<std::int64_t>(high)}));
  }

  void add() {
    std::vector<flow::LinkUse> links;
    Flows made{.cap = draw(0, 3) == 0 ? static_cast<double>(draw(1, 30)) : 1e6};
    for (std::uint32_t link = 0; link < capacities_.size(); ++link) {
      if (draw(0, 2) == 0) {
        const float part = draw(0, 1) == 0 ? 1.0F : 0.25F;
        links.push_back({.link = link, .part = part});
        made.links.push_back({.link = link, .part = static_cast<double>(part)});
      }
    }
    made.id = shares_.add_class(links, {.cap = made.cap});
    shares_.set_flows(made.id, made.count);
    classes_.push_back(made);
  }

  RandomStream random_;
  std::vector<double> capacities_;
  flow::FairShares shares_{{}};
  std::vector<Flows> classes_;
};

TEST(FairSharesAgreement, RatesKeptUpToDateAreThoseSolvedFromNothing) {
  constexpr int kChanges = 12;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    RandomNetwork network(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < kChanges; ++i) {
      network.change();
      network.check();
      if (HasFatalFailure()) {
        return;
      }
    }
  }
}

}  // namespace
}  // namespace weft::study::world
