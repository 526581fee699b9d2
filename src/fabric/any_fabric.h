// A fabric of any discipline, for those who assemble, run and report one without asking which it is.
//
// A discipline is a folder with a class on FabricCore and its name in the list below: nothing else outside the folder
// names it, but for what reads counters that it alone has, and the scenario that makes its options. Every fabric offers
// what AnyFabric forwards, and what generic code reaches by visit(): events, prefetching, ports and their counters.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "fabric/ethernet/ethernet_fabric.h"
#include "fabric/infiniband/infiniband_fabric.h"
#include "fabric/scheduled/scheduled_fabric.h"

namespace weft::fabric {

template <class... Fabrics>
struct FabricList {
  using Options = std::variant<typename Fabrics::Options...>;
  using Pointer = std::variant<std::unique_ptr<Fabrics>...>;
};

/// The disciplines. Another one is a folder, an include above, and its class here.
using FabricDisciplines = FabricList<EthernetFabric, InfiniBandFabric, ScheduledFabric>;

/// Options of the discipline that the fabric is to have.
using AnyFabricOptions = FabricDisciplines::Options;

class AnyFabric {
 public:
  /// Errors: what the discipline refuses.
  [[nodiscard]] static Result<AnyFabric> create(const Graph& graph, AnyFabricOptions options,
                                                const FabricContext& context);
  /// To be assigned to; nothing else.
  AnyFabric() = default;

  /// Calls function(fabric) with the fabric as what it is. Once per run, not per event.
  template <class Function>
  decltype(auto) visit(Function&& function) {
    return std::visit([&](auto& fabric) -> decltype(auto) { return function(*fabric); }, fabric_);
  }
  template <class Function>
  decltype(auto) visit(Function&& function) const {
    return std::visit([&](const auto& fabric) -> decltype(auto) { return function(std::as_const(*fabric)); }, fabric_);
  }
  /// Null if the fabric is of another discipline: for what only one has.
  template <class Fabric>
  [[nodiscard]] const Fabric* get_if() const {
    const auto* const held = std::get_if<std::unique_ptr<Fabric>>(&fabric_);
    return held == nullptr ? nullptr : held->get();
  }
  template <class Fabric>
  [[nodiscard]] Fabric* get_if() {
    return const_cast<Fabric*>(std::as_const(*this).get_if<Fabric>());
  }

  // Assembly.
  [[nodiscard]] EndpointPort& endpoint_port();
  void attach(EndpointId endpoint, Endpoint& nic);
  void register_actors(sim::ActorOrder& ranks, std::span<const sim::PartitionIndex> partitions);
  void start();
  void set_workers(std::uint32_t workers);
  void set_tap(Tap* tap, std::span<const PortIndex> ports);
  void set_filter(PacketFilter& filter, std::span<const PortIndex> ports);

  // Reports and tests.
  [[nodiscard]] const Graph& graph() const;
  [[nodiscard]] wire::LinkType link_type() const;
  [[nodiscard]] std::uint32_t port_count() const;
  [[nodiscard]] LinkEnd end_of(PortIndex port) const;
  [[nodiscard]] PortIndex peer_of(PortIndex port) const;
  /// "leaf1/port3", or "host3/nic0" for the only port of an endpoint.
  [[nodiscard]] std::string port_name(PortIndex port) const;
  [[nodiscard]] FabricDrops drops() const;
  /// Packets marked and PFC frames sent so far.
  [[nodiscard]] std::uint64_t congestion_signals(Time now) const;
  [[nodiscard]] std::uint64_t packets_sent() const;
  [[nodiscard]] std::uint64_t packets_inside() const;
  [[nodiscard]] std::size_t heap_bytes() const;
  [[nodiscard]] std::string check_invariants() const;

 private:
  explicit AnyFabric(FabricDisciplines::Pointer fabric) : fabric_(std::move(fabric)) {}

  FabricDisciplines::Pointer fabric_;
};

}  // namespace weft::fabric
