// The rates that flow/ keeps up to date, held against those that this folder solves from nothing, on random networks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "flow/fair_shares.h"
#include "study/world/max_min.h"

namespace weft::study::world {
namespace {

constexpr int kSeeds = 10'000;
constexpr int kChanges = 12;
constexpr double kRounding = 1e-9;

/// One random network whose flows come and go.
class RandomNetwork {
 public:
  explicit RandomNetwork(std::uint64_t seed, double tolerance = kRounding)
      : random_(seed, "fair shares"), capacities_(draw(1, 9)) {
    for (double& capacity : capacities_) {
      capacity = static_cast<double>(draw(1, 6)) * 10;
    }
    shares_ = flow::FairShares(capacities_);
    shares_.set_tolerance(tolerance);
  }

  /// A few changes at once: a class more, another number of flows, another capacity.
  void change(flow::FairShares::Reach reach = flow::FairShares::Reach::kWhatMoved) {
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
    shares_.update(reach);
  }

  /// The largest part of its fair rate that a flow is off by.
  [[nodiscard]] double farthest_off() const {
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
    double off = 0;
    for (std::size_t i = 0; i < solved.size(); ++i) {
      off = std::max(off, std::abs(kept[i] - solved[i]) / solved[i]);
    }
    return off;
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
  for (int seed = 1; seed <= kSeeds; ++seed) {
    RandomNetwork network(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < kChanges; ++i) {
      network.change();
      ASSERT_LT(network.farthest_off(), 1e-6) << "seed " << seed << ", change " << i;
    }
  }
}

/// In turn: what one kind of update leaves behind is what the other begins with.
TEST(FairSharesAgreement, ARowOfUpdatesOfBothKindsIsAsExact) {
  using Reach = flow::FairShares::Reach;
  for (int seed = 1; seed <= kSeeds / 4; ++seed) {
    RandomNetwork network(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < kChanges; ++i) {
      network.change(i % 3 == 1 ? Reach::kWhatMoved : Reach::kAll);
      ASSERT_LT(network.farthest_off(), 1e-6) << "seed " << seed << ", change " << i;
    }
  }
}

/// A link's tolerance is passed on along rows of links, by no more than a few times here.
TEST(FairSharesAgreement, AToleranceIsPassedOnButNotMultiplied) {
  constexpr double kTolerance = 1e-3;
  double farthest = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    RandomNetwork network(static_cast<std::uint64_t>(seed), kTolerance);
    for (int i = 0; i < kChanges; ++i) {
      network.change();
      farthest = std::max(farthest, network.farthest_off());
    }
  }
  RecordProperty("farthest", std::to_string(farthest));
  EXPECT_LT(farthest, 3 * kTolerance);
  EXPECT_GT(farthest, kRounding) << "the tolerance has been used";
}

}  // namespace
}  // namespace weft::study::world
