// Who may take part in the traffic of a scenario: NICs, GPUs with scale-up links, pools of memory, ranks of jobs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/rate.h"
#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/assembly/build_scale_up.h"
#include "study/scenario/scenario.h"
#include "study/world/world.h"

namespace weft::study::assembly {

/// One who may take part.
struct Participant {
  std::string name;  // "host3/nic0", or "rank3"
  std::string host;
  world::MachinePlan machine;
  Rate rate;
  bool is_pool = false;  // of memory: sends nothing by itself
};

class Participants {
 public:
  /// All must outlive this; `scale_up` may be null.
  Participants(const scenario::Scenario& scenario, const fabric::Graph& graph, const ScaleUpPlan* scale_up);

  /// Assigns the ranks of every [[job]] to GPUs; what one job has taken, the next one does not get. Call once, first.
  /// Errors: a job that does not fit, with its place in the scenario.
  [[nodiscard]] Result<void> place_jobs();

  /// The ranks of the traffic's job, or every port of the network that it goes over.
  [[nodiscard]] Result<std::vector<Participant>> of(const scenario::TrafficSettings& traffic) const;
  /// Of a job of the scenario.
  [[nodiscard]] const std::vector<Participant>& ranks_of(const scenario::JobSettings& job) const {
    return jobs_.at(job.name);
  }

 private:
  [[nodiscard]] std::vector<Participant> endpoints(const std::string& traffic) const;
  [[nodiscard]] std::vector<Participant> nics(const scenario::TrafficSettings& traffic) const;
  /// What a connection of the traffic has of the NIC's ports: some of them where it has fewer queue pairs.
  [[nodiscard]] Rate rate_of(const Participant& nic, const scenario::TrafficSettings& traffic) const;
  [[nodiscard]] const ScaleUpPlan::Gpu* gpu_at(const std::string& host, verbs::GpuIndex gpu) const;
  [[nodiscard]] std::vector<Participant> scale_up_ports(const scenario::TrafficSettings& traffic) const;

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  const ScaleUpPlan* scale_up_;
  std::vector<Rate> rates_;
  std::map<std::string, std::vector<Participant>> jobs_;
};

/// How many rails of a machine, its first and those behind it, are ports of one NIC.
[[nodiscard]] std::uint16_t ports_of_first_nic(const world::MachinePlan& machine, const fabric::Graph& graph);

/// An error about a traffic: "traffic 'NAME': what".
[[nodiscard]] tl::unexpected<Error> wrong(const scenario::TrafficSettings& traffic, std::string_view what);

}  // namespace weft::study::assembly
