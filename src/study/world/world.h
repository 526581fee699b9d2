// One simulated system: a kernel, a fabric, NICs and machines. It owns them all and dispatches events.
//
// A world is assembled from plain options (study/assemble.h makes those of a scenario) and then run in slices. The same
// options and seed give the same events, whatever the slices are.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/worker.h"
#include "fabric/any_fabric.h"
#include "fabric/scale_up/scale_up_fabric.h"
#include "host/aggregation_manager.h"
#include "host/attack/attacks.h"
#include "host/bump_in_the_wire.h"
#include "host/nic.h"
#include "host/nic_prefetch.h"
#include "host/port_groups.h"
#include "host/sim_machine.h"
#include "sim/kernel.h"
#include "study/world/partition_ports.h"
#include "study/world/world_division.h"

namespace weft::study::world {

/// Walks along a path end here at the latest, whatever the routes say.
inline constexpr int kMaxHops = 64;

struct MachinePlan {
  std::string name;  // stable
  std::vector<EndpointId> rails;
  std::uint32_t lent_rails = 0;  // the last so many of them: NICs of other GPUs of its host, which relay for it
  host::MachineOptions options;
  /// The port of its GPU in its scale-up domain: the rail behind all others.
  std::optional<EndpointId> scale_up{};
  verbs::GpuIndex gpu{};  // of the host, that the machine runs on; invalid: none in particular
};

struct WorldOptions {
  std::uint64_t seed = 1;
  fabric::Graph graph;
  fabric::AnyFabricOptions fabric;
  /// Where routes let ports of a NIC stand in for one another (fabric::FabricOptions): how soon a NIC sends through
  /// another port when the link of one fails, and through its own again when that returns. Of other NICs' ports it
  /// hears when routes do.
  Duration port_failover_delay{};
  /// What the NIC of an endpoint is like; endpoint, seeds and address are filled in by the world.
  std::function<host::NicOptions(EndpointId)> nic;
  std::vector<MachinePlan> machines;
  /// What the reducers of the graph are like, if it has any; rails then have groups. Their ports have NICs as `nic`
  /// gives them, without delays and congestion control.
  host::ReductionOptions reduction;
  /// Memory regions that have bytes behind them are really read and written. Costs time and memory; changes no result.
  bool carries_bytes = false;
  /// A second fabric beside the first; its first endpoint is the one behind those of the graph.
  std::optional<fabric::ScaleUpOptions> scale_up;
  /// As `nic`, for its endpoints.
  std::function<host::NicOptions(EndpointId)> scale_up_nic;
  /// Reducers of the second fabric: domains as a graph with reducers, whose endpoints have these numbers in the world.
  /// No nodes: there are none.
  fabric::Graph scale_up_graph{};
  std::vector<EndpointId> scale_up_endpoints{};
  host::ReductionOptions scale_up_reduction{};
  /// Of a world that is not divided: with fewer endpoints it lies in the caches of the processor, and prefetching costs
  /// more instructions than it saves waiting. Changes no result.
  std::uint32_t prefetch_from = 257;
  /// What hosts do that are not their owners' any more, and what is checked against it. Only in a world that is not
  /// divided, where ports do not stand in for one another.
  std::vector<host::AttackOptions> attacks{};
  host::Defences defences{};
  /// Whether the world may be divided: programs then touch nothing but their own host, but for opening connections.
  Division division = Division::kNever;
  /// That lay out a large world together. Changes no result.
  std::uint32_t threads = 1;
};

class World {
 public:
  /// Errors: what the fabrics refuse, a machine without rails.
  [[nodiscard]] static Result<std::unique_ptr<World>> create(WorldOptions options);

  /// Calls every machine's program for the first time, at time zero.
  void start();

  /// Before the first run: partitions of a divided world are dealt among so many threads, or as many as there are
  /// partitions. Results are the same whatever their number.
  void set_threads(std::uint32_t threads);
  [[nodiscard]] std::uint32_t threads() const { return kernel_.workers(); }
  /// In place of set_threads: partitions are dealt among these processes, each of which has made the same world and
  /// started the same programs, and has so many threads. False: there is less than one partition for each, and the
  /// world is as it was. `peers` must outlive the world.
  [[nodiscard]] bool set_peers(sim::Peers& peers, std::uint32_t threads);
  [[nodiscard]] sim::Peers* peers() const { return kernel_.peers(); }
  /// Whether another process simulates it; what this one knows of it is of the first instant.
  [[nodiscard]] bool is_foreign(EndpointId endpoint) const { return kernel_.is_foreign(partition_of(endpoint)); }
  [[nodiscard]] bool is_foreign_port(fabric::PortIndex port) const { return peer_of_port(port).has_value(); }
  /// Which peer simulates it; none: this process does.
  [[nodiscard]] std::optional<std::uint32_t> peer_of_port(fabric::PortIndex port) const;
  /// What several partitions share outside of this: whether a worker has anything that all must see at the end of a
  /// window, and what is done with it then, while all others wait; false stops the run.
  struct News {
    std::function<bool(WorkerIndex)> exist = [](WorkerIndex) { return false; };
    std::function<bool()> take = [] { return true; };
  };
  void set_news(News news) { news_ = std::move(news); }
  /// Partitions run windows of their own, rather than all in one order.
  [[nodiscard]] bool runs_in_windows() const { return kernel_.is_divided() && !total_order_; }
  /// Whether the present event is one of a window, in which other partitions must not be touched.
  [[nodiscard]] bool in_window() const { return kernel_.in_window(); }

  enum class Stop : std::uint8_t { kIdle, kLimit, kBudget, kError };
  /// Runs until nothing is left to happen, or the next event is after `limit`, or `budget` events were taken, or a
  /// program failed (error()).
  Stop run(Time limit, std::uint64_t budget);
  /// What happens at time zero, in one order even with partitions: what programs do at their start may concern several.
  Stop run_first_instant();
  /// After stop(): what is left of the window in which that was, up to `limit`. Nothing if the world is not divided.
  void finish_window(Time limit);
  /// The same as run, telling `observe(ActorId, Time)` of every event before it is handled.
  Stop run_observed(Time limit, std::uint64_t budget, const std::function<void(sim::ActorId, Time)>& observe);
  /// Stops run() after the current event.
  void stop() { stopping_ = true; }

  /// Forces the total order of events even with partitions: for observers of several partitions.
  void force_total_order() { total_order_ = true; }

  [[nodiscard]] Time now() const { return kernel_.now(); }
  [[nodiscard]] std::uint64_t events() const { return kernel_.events(); }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  /// When that was.
  [[nodiscard]] Time error_at() const { return error_at_; }
  [[nodiscard]] std::uint64_t packet_hops() const;
  [[nodiscard]] std::size_t heap_bytes() const;
  /// Empty if every count of the fabric agrees with what it holds, and no packet is lost or invented.
  [[nodiscard]] std::string check_invariants() const;

  [[nodiscard]] fabric::AnyFabric& fabric() { return fabric_; }
  [[nodiscard]] const fabric::AnyFabric& fabric() const { return fabric_; }
  [[nodiscard]] const fabric::Graph& graph() const { return fabric_.graph(); }
  /// Null without scale-up links.
  [[nodiscard]] fabric::ScaleUpFabric* scale_up() { return scale_up_.get(); }
  [[nodiscard]] const fabric::ScaleUpFabric* scale_up() const { return scale_up_.get(); }
  /// Whether an endpoint is one of the scale-up fabric.
  [[nodiscard]] bool is_scale_up(EndpointId endpoint) const { return endpoint.value() >= graph().endpoints; }
  /// "host3/nic0", or "host3/gpu2" in a scale-up domain; and the rate of its port.
  [[nodiscard]] const std::string& endpoint_name(EndpointId endpoint) const;
  [[nodiscard]] Rate endpoint_rate(EndpointId endpoint) const { return rates_[endpoint.value()]; }
  [[nodiscard]] host::Nic& nic(EndpointId endpoint) { return nics_[endpoint.value()]; }
  [[nodiscard]] const host::Nic& nic(EndpointId endpoint) const { return nics_[endpoint.value()]; }
  [[nodiscard]] host::SimMachine& machine(std::size_t index) { return *machines_[index]; }
  [[nodiscard]] std::size_t machines() const { return machines_.size(); }
  /// What stands between a NIC port and its wire; null: nothing.
  [[nodiscard]] const host::BumpInTheWire* bump(EndpointId endpoint) const {
    return endpoint.value() < bumps_.size() ? bumps_[endpoint.value()].get() : nullptr;
  }
  /// Null if the graph has no reducers.
  [[nodiscard]] const host::AggregationManager* aggregation() const { return aggregation_.get(); }
  /// Null without attacks, and without limits that NICs set.
  [[nodiscard]] const host::Attacks* attacks() const { return attacks_.get(); }
  [[nodiscard]] const fabric::PacketPool& packets() const { return packets_; }
  [[nodiscard]] sim::Kernel& kernel() { return kernel_; }

 private:
  template <class Fabric>
  struct Dispatch;
  template <class Fabric>
  struct ObservedDispatch;

  explicit World(const WorldOptions& options);
  void make_scale_up_groups(const WorldOptions& options);
  void wake_reduction(std::uint32_t actor, Time now);
  void make_hosts(const WorldOptions& options);
  void make_nics(const WorldOptions& options);
  void make_attacks(const WorldOptions& options);
  void make_nic(EndpointId endpoint, const host::NicOptions& nic);
  /// `events`: of links, all that are scheduled.
  void make_port_groups(const std::vector<fabric::LinkEvent>& events, Duration failover_delay);
  void make_scale_up_nics(const WorldOptions& options);
  void assign_ranks(const WorldOptions& options);
  [[nodiscard]] sim::PartitionIndex partition_of(EndpointId endpoint) const;
  void give_workers_their_own();
  [[nodiscard]] bool gather_errors();
  [[nodiscard]] Stop stop_of(sim::Kernel::Stop stop) const;
  void fail_at(Time now, const Error& error);
  [[nodiscard]] bool take_news();

  std::uint64_t seed_;
  WorldDivision division_;
  PartitionPorts partition_ports_;
  sim::Kernel kernel_;
  fabric::PacketPool packets_;
  std::unique_ptr<host::PayloadStore> payloads_;  // null: lengths only
  fabric::AnyFabric fabric_;
  std::unique_ptr<fabric::ScaleUpFabric> scale_up_;
  std::vector<std::uint64_t> addresses_;
  std::vector<wire::EndAddresses> header_addresses_;         // empty: no NIC hashes headers
  std::vector<Rate> rates_;                                  // by endpoint, of all fabrics
  std::unique_ptr<host::PortGroups> port_groups_;            // null: every port sends through its own link alone
  std::vector<std::unique_ptr<host::BumpInTheWire>> bumps_;  // by endpoint; empty: no NIC port has one
  std::unique_ptr<host::Attacks> attacks_;                   // null: there are none
  std::deque<host::Nic> nics_;
  std::vector<host::NicHint> nic_hints_;  // by endpoint, without scale-up
  bool prefetches_ = false;
  std::vector<std::unique_ptr<host::SimMachine>> machines_;
  std::unique_ptr<host::AggregationManager> aggregation_;
  fabric::Graph scale_up_graph_;
  std::unique_ptr<host::AggregationManager> scale_up_aggregation_;
  std::optional<Error> error_;
  Time error_at_ = Time::never();
  bool stopping_ = false;
  bool total_order_ = false;
  News news_;
  /// A program that failed in a window.
  struct alignas(64) WorkersOwn {
    std::optional<Error> error;
    Time error_at = Time::never();
  };
  std::vector<WorkersOwn> own_;
};

}  // namespace weft::study::world
