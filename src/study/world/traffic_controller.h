// A traffic controller of an Ethernet fabric whose switches have tables of pinned flows (PathPolicy::kCentral).
//
// Measuring algorithms read counters of flows and ports and the states of links at multiples of a period, place the
// flows that send much, and install the entries a delay later: what takes effect is as old as the delay. With
// kCommunicators it knows the flows of each job before the job begins, installs their entries as it begins, and places
// anew when a job ends or the state of a link has changed. A flow that finds a table full has no entries at all. Its
// times are those of the simulation, and it sees what switches count; what computing takes is part of the delay.
//
// Sources: Gangidi et al., "RDMA over Ethernet for Distributed AI Training at Meta Scale", SIGCOMM 2024, section 5.2
// (counters, CSPF, exact-match entries); Al-Fares et al., "Hedera", NSDI 2010 (large flows, estimated demands). What
// vendors say of network-level balancing is the model of kCommunicators.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/time.h"
#include "fabric/ethernet/ethernet_fabric.h"
#include "fabric/flow_controller.h"
#include "fabric/routing/routes.h"
#include "study/world/network_view.h"

namespace weft::study::world {

struct ControllerOptions {
  /// What a flow is taken to send: as much as it was seen to, or as its hosts would let it (host_limited_rates).
  enum class Demand : std::uint8_t { kMeasured, kHostLimited };

  PlacementAlgorithm algorithm = PlacementAlgorithm::kCspf;
  Duration period = 1_ms;  // > 0
  Duration delay{};        // from reading counters until entries are in the tables
  double threshold = 0.1;  // of its sender's line: flows below it stay with their hash
  Demand demand = Demand::kMeasured;
  std::uint32_t most_paths = 64;  // candidates between two switches, above 0
};

struct ControllerCounters {
  std::uint64_t rounds = 0;        // plans that took effect
  std::uint64_t placed = 0;        // flows in them
  std::uint64_t entries = 0;       // written, new or changed; those of answers too
  std::uint64_t peak_entries = 0;  // most in one table
  std::uint64_t overflows = 0;     // flows, answers too, of a plan that found a table full
  std::uint64_t moved = 0;         // flows, answers too, that had another path before
  std::uint64_t stale = 0;         // plans with a path whose link had failed before they took effect
  std::uint64_t conflicts = 0;     // kCommunicators: flows of the plans that share a link with one before them
  double planned = 0;              // highest utilisation of a link by plan, sum over rounds
  double measured = 0;             // highest utilisation of a link between two readings, sum over readings
  std::uint64_t readings = 0;
};

/// A plan that took effect and changed entries.
struct InstalledPlan {
  Time at;
  std::uint64_t entries = 0;  // written, new or changed
};

class TrafficController final : public fabric::FlowController {
 public:
  /// The fabric outlives the events, and this too.
  TrafficController(fabric::EthernetFabric& fabric, const ControllerOptions& options);

  /// kCommunicators: what sends from a time on. Flows of one phase of a job send together, phases one after another;
  /// of jobs, the phases of one number are placed together.
  struct KnownJob {
    Time starts;
    std::vector<std::vector<fabric::LeafFlow>> phases{};
    /// Flows, and what their receivers send back: acknowledgements go back over the cables of the flow.
    std::map<fabric::LeafFlow, fabric::LeafFlow> answers{};
  };
  /// Before any packet, at time zero; what begins then is installed at once.
  void know(std::vector<KnownJob> jobs);
  void on_job_end(std::size_t job, Time now);

  [[nodiscard]] Time next() const override;
  void act(Time now) override;
  void on_traffic(Time now) override;

  [[nodiscard]] const ControllerCounters& counters() const { return counters_; }
  /// In the order of time.
  [[nodiscard]] const std::vector<InstalledPlan>& installed() const { return installed_; }

 private:
  using Paths = std::map<fabric::LeafFlow, control::Path>;

  struct Plan {
    Time at;  // when it takes effect
    FlowPlacement placement;
    FlowPlacement answers{};  // without a rate
    std::uint32_t conflicts = 0;
    std::vector<control::ArcState> states;  // of the links of the view, as they were known
  };
  struct JobState {
    KnownJob job;
    bool begun = false;
    bool ended = false;
  };

  void install_due(Time now);
  [[nodiscard]] fabric::PortIndex port_of(control::ArcIndex arc) const;
  [[nodiscard]] control::View look() const;
  [[nodiscard]] std::vector<double> read_ports(Time now);
  void collect(Time now);
  [[nodiscard]] FlowPlacement place_measured(control::View& view);
  void add_background(const fabric::LeafFlow& flow, Rate rate, control::View& view) const;
  [[nodiscard]] FlowPlacement place_around(const control::View& view, const std::vector<DemandedFlow>& flows) const;
  void plan_jobs(Time at);
  [[nodiscard]] FlowPlacement place_phase(const control::View& view, const std::vector<fabric::LeafFlow>& flows) const;
  void add_answers(Plan& plan, const std::set<fabric::LeafFlow>& known) const;
  void install(const Plan& plan);
  void remove_entries(const fabric::LeafFlow& flow);
  [[nodiscard]] bool add_entries(const fabric::LeafFlow& flow, const control::Path& path);
  [[nodiscard]] std::vector<control::ArcState> states_of(const control::View& view) const;
  [[nodiscard]] Time next_start() const;

  fabric::EthernetFabric& fabric_;
  ControllerOptions options_;
  NetworkView network_;
  fabric::Routes wired_;  // entries are needed where these leave a choice
  Time collect_at_ = Time::never();
  std::deque<Plan> plans_;           // that have not taken effect yet
  std::vector<std::uint64_t> read_;  // bytes that each link of the view had sent at the last reading
  Time read_at_;
  std::map<fabric::LeafFlow, FlowHops> entries_;  // in tables now
  Paths paths_;                                   // of the last plan that took effect
  std::vector<JobState> jobs_;
  std::vector<control::ArcState> known_;  // kCommunicators: of the last plan
  ControllerCounters counters_;
  std::vector<InstalledPlan> installed_;
};

}  // namespace weft::study::world
