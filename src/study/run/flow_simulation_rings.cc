// Rings through hosts that are alike: a few of these stand for all.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "study/run/flow_simulation_parts.h"

namespace weft::study::run {
namespace {

using Planned = workload::CollectiveEngine::PlannedSend;

/// Every second host is gone through backwards.
constexpr std::uint32_t kHostsOfCell = 2;

/// Every host has as many ranks as the first, one host after the other, and its ring goes through all of them.
bool has_hosts_in_order(const workload::MemberLayout& layout) {
  if (!layout.is_regular() || !layout.has_scale_up() || layout.groups() % kHostsOfCell != 0) {
    return false;
  }
  const std::uint32_t each = layout.largest_group();
  for (std::uint32_t position = 0; position < layout.size(); ++position) {
    const std::uint32_t place = position % each;
    const std::uint32_t turned = position / each % 2 == 0 ? place : each - 1 - place;
    if (layout.at(0, position).value() != position - place + turned) {
      return false;
    }
  }
  return true;
}

/// The same connection, seen from its sender on.
bool is_alike(const Planned& a, const Planned& b, std::uint32_t ranks) {
  const auto distance = [ranks](const Planned& send) {
    return (send.connection.to.value() + ranks - send.connection.from.value()) % ranks;
  };
  return distance(a) == distance(b) && a.connection.rail == b.connection.rail &&
         a.connection.remote_rail == b.connection.remote_rail && a.bytes == b.bytes;
}

/// The switch that each endpoint is attached to.
std::vector<fabric::NodeIndex> leaves_of(const fabric::Graph& graph) {
  std::vector<fabric::NodeIndex> leaves(graph.endpoints);
  for (const fabric::Link& link : graph.links) {
    for (const auto& [one, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      if (one.node.value() < graph.endpoints) {
        leaves[one.node.value()] = other.node;
      }
    }
  }
  return leaves;
}

/// Ways between hosts that ring steps take, and how much longer some of them are than those of the first hosts.
class HostHops {
 public:
  HostHops(world::FlowMedium& medium, Bytes chunk, verbs::PathMtu path_mtu)
      : medium_(medium), chunk_(chunk), path_mtu_(path_mtu), leaves_(leaves_of(medium.graph())) {}

  /// Whether a flow on the way takes what one of the first hosts would, up to a delay; notes that. Those have to be
  /// under one leaf, where each flow has its links to itself.
  [[nodiscard]] bool add(EndpointId from, EndpointId to, const std::vector<flow::Hop>& first) {
    const Result<flow::Route> route = medium_.route({.from = from, .to = to, .path_mtu = path_mtu_});
    if (!route) {
      return false;
    }
    if (route->hops == first && leaves_[from.value()].value() == leaves_[to.value()].value()) {
      return true;
    }
    // Two leaves and what is between them: as long as nobody else leaves the one or comes to the other that way, no
    // link is shared.
    constexpr std::size_t kMoreHops = 2;
    const bool alone =
        leaving_.insert(leaves_[from.value()].value()).second && coming_.insert(leaves_[to.value()].value()).second;
    const double line = medium_.capacity_of(route->links.front().link);
    const bool fast = std::ranges::all_of(
        route->links, [&](const flow::LinkUse& use) { return medium_.capacity_of(use.link) >= line; });
    const flow::MessagePackets packets = medium_.packets_of(
        {.from = from, .to = to, .opcode = verbs::WrOpcode::kRdmaWriteWithImm, .size = chunk_, .path_mtu = path_mtu_});
    longer_ += flow::tail_time(route->hops, packets) - flow::tail_time(first, packets);
    return alone && fast && route->hops.size() == first.size() + kMoreHops;
  }
  [[nodiscard]] Duration longer() const { return longer_; }

 private:
  world::FlowMedium& medium_;
  Bytes chunk_;
  verbs::PathMtu path_mtu_;
  std::vector<fabric::NodeIndex> leaves_;
  std::set<std::uint32_t> leaving_;
  std::set<std::uint32_t> coming_;
  Duration longer_;
};

}  // namespace

FlowSimulation::RingCell FlowSimulation::ring_cell(std::size_t number) {
  const Job& job = *parts_->jobs[number];
  if (!job.plan.collective || job.plan.start_jitter > Duration::zero() || !scenario_.overrides.empty() ||
      options_.corrections != flow::Corrections{} || scenario::is_over_tcp(scenario_.fabric.family) ||
      rounds_alike(number) == 0) {
    return {};
  }
  const workload::MemberLayout& layout = *job.directory->at(workload::CommunicatorId(0)).layout;
  const std::uint32_t cell = kHostsOfCell * layout.largest_group();
  if (!has_hosts_in_order(layout) || layout.size() <= cell) {
    return {};
  }
  std::vector<std::vector<Planned>> sends;
  for (const workload::CollectiveProgram* const rank : job.collectives) {
    sends.push_back(rank->engine()
                        .planned_sends({.communicator = workload::CommunicatorId(0),
                                        .kind = job.plan.collective->program.kind,
                                        .size = job.plan.collective->program.size,
                                        .algorithm = workload::CollectiveAlgorithm::kRing,
                                        .ring_steps = 1})
                        .value_or(std::vector<Planned>()));
  }
  const auto end = [&job](workload::RankId rank, std::uint16_t rail) {
    return job.connector.endpoint_of(rank, rail).value();
  };
  const verbs::PathMtu path_mtu =
      verbs::ethernet_path_mtu_from(Bytes(scenario_.fabric.mtu)).value_or(verbs::PathMtu::k4096);
  HostHops hops(*parts_->medium, job.plan.collective->program.engine.collectives.chunk, path_mtu);
  std::size_t all = 0;
  for (std::uint32_t rank = 0; rank < layout.size(); ++rank) {
    const std::vector<Planned>& first = sends[rank % cell];
    if (sends[rank].size() != first.size()) {
      return {};
    }
    for (std::size_t i = 0; i < first.size(); ++i, ++all) {
      const workload::ConnectionRequest& own = sends[rank][i].connection;
      const workload::ConnectionRequest& shown = first[i].connection;
      // In the ring of the cell alone its last host sends to its first.
      const workload::RankId to(shown.to.value() % cell);
      const auto way = parts_->medium->route(
          {.from = end(shown.from, shown.rail), .to = end(to, shown.remote_rail), .path_mtu = path_mtu});
      if (!way || !is_alike(sends[rank][i], first[i], layout.size()) ||
          !hops.add(end(own.from, own.rail), end(own.to, own.remote_rail), way->hops)) {
        return {};
      }
    }
  }
  // Every channel's ring goes through all ranks, and has its part of the longer ways.
  const std::size_t channels = all / layout.groups();
  return {.ranks = cell,
          .of = layout.size(),
          .longer = channels == 0 ? Duration::zero() : hops.longer() / static_cast<std::int64_t>(channels)};
}

void FlowSimulation::keep_ring_cell(assembly::TrafficPlan& plan) const {
  const std::size_t all = plan.machines.size();
  const RingCell& cell = options_.ring_cell;
  plan.machines.resize(cell.ranks);
  plan.rank_names.resize(cell.ranks);
  plan.collective->layout.resize(cell.ranks);
  plan.collective->program.algorithm = workload::CollectiveAlgorithm::kRing;
  plan.collective->program.size =
      plan.collective->program.size / static_cast<std::int64_t>(all) * static_cast<std::int64_t>(cell.ranks);
  plan.expected_bytes = 0;
}

}  // namespace weft::study::run
