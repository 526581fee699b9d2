// Flows that stand for others: of an exchange of each with all some flows are run, and put on every link what all of
// them put there, in proportion to the bytes that are run.
//
// A flow keeps its path and loads each link of it so many times as much as its own bytes. Links that none of the flows
// takes that are run are loaded by those of a sender whose other flows take them.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/data_size.h"
#include "base/ids.h"
#include "flow/fair_shares.h"

namespace weft::study::world {

class StandIns {
 public:
  /// Loads of links are multiplied by these; beyond the last by 1.
  StandIns(std::vector<float> scales, std::map<EndpointId, std::vector<flow::LinkUse>> others)
      : scales_(std::move(scales)), others_(std::move(others)) {}

  /// `links`: of a flow of that sender, as it takes them itself.
  void apply(EndpointId sender, std::vector<flow::LinkUse>& links) const;

 private:
  std::vector<float> scales_;  // by link
  std::map<EndpointId, std::vector<flow::LinkUse>> others_;
};

/// Adds up what flows put on links.
class StandInLoads {
 public:
  explicit StandInLoads(std::uint32_t links) : links_(links) {}

  struct Flow {
    EndpointId sender{};
    std::span<const flow::LinkUse> links{};
    Bytes bytes{};
  };
  /// One of all flows, and one of those that are run, which has been added as one of all as well.
  void add(const Flow& flow);
  void add_run(const Flow& flow);
  [[nodiscard]] StandIns made() const;

 private:
  struct Link {
    double all = 0;  // bytes
    double run = 0;
    EndpointId sender{};  // the first
  };
  std::vector<Link> links_;
  double all_ = 0;  // bytes
  double run_ = 0;
  std::map<EndpointId, double> run_by_sender_;
};

}  // namespace weft::study::world
