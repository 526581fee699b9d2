#include "fabric/any_fabric.h"

#include <optional>
#include <type_traits>

namespace weft::fabric {
namespace {

/// The pointer of a list to the fabric that its options make.
template <class... Fabrics>
Result<typename FabricList<Fabrics...>::Pointer> make_one_of(FabricList<Fabrics...>, const Graph& graph,
                                                             AnyFabricOptions options, const FabricContext& context) {
  std::optional<Result<typename FabricList<Fabrics...>::Pointer>> made;
  const auto make_if = [&]<class Fabric>(std::type_identity<Fabric>) {
    if (auto* const own = std::get_if<typename Fabric::Options>(&options); own != nullptr) {
      made.emplace(Fabric::create(graph, std::move(*own), context));
    }
  };
  (make_if(std::type_identity<Fabrics>{}), ...);
  return std::move(*made);
}

}  // namespace

Result<AnyFabric> AnyFabric::create(const Graph& graph, AnyFabricOptions options, const FabricContext& context) {
  auto made = make_one_of(FabricDisciplines{}, graph, std::move(options), context);
  if (!made) {
    return pass_on(made);
  }
  return AnyFabric(std::move(*made));
}

EndpointPort& AnyFabric::endpoint_port() {
  return visit([](auto& fabric) -> EndpointPort& { return fabric; });
}

void AnyFabric::attach(EndpointId endpoint, Endpoint& nic) {
  visit([&](auto& fabric) { fabric.attach(endpoint, nic); });
}

void AnyFabric::register_actors(sim::ActorOrder& ranks, std::span<const sim::PartitionIndex> partitions) {
  visit([&](auto& fabric) { fabric.register_actors(ranks, partitions); });
}

void AnyFabric::start() {
  visit([](auto& fabric) { fabric.start(); });
}

void AnyFabric::set_workers(std::uint32_t workers) {
  visit([workers](auto& fabric) { fabric.set_workers(workers); });
}

void AnyFabric::set_tap(Tap* tap, std::span<const PortIndex> ports) {
  visit([&](auto& fabric) { fabric.set_tap(tap, ports); });
}

void AnyFabric::set_filter(PacketFilter& filter, std::span<const PortIndex> ports) {
  visit([&](auto& fabric) { fabric.set_filter(filter, ports); });
}

const Graph& AnyFabric::graph() const {
  return visit([](const auto& fabric) -> const Graph& { return fabric.graph(); });
}

wire::LinkType AnyFabric::link_type() const {
  return visit([](const auto& fabric) { return fabric.kLinkType; });
}

std::uint32_t AnyFabric::port_count() const {
  return visit([](const auto& fabric) { return fabric.port_count(); });
}

LinkEnd AnyFabric::end_of(PortIndex port) const {
  return visit([port](const auto& fabric) { return fabric.end_of(port); });
}

PortIndex AnyFabric::peer_of(PortIndex port) const {
  return visit([port](const auto& fabric) { return fabric.port(port).peer; });
}

std::string AnyFabric::port_name(PortIndex port) const {
  const LinkEnd end = end_of(port);
  return end.node.value() < graph().endpoints ? graph()[end.node].name : fabric::port_name(graph(), end);
}

FabricDrops AnyFabric::drops() const {
  return visit([](const auto& fabric) { return fabric.drops(); });
}

std::uint64_t AnyFabric::congestion_signals(Time now) const {
  return visit([now](const auto& fabric) {
    std::uint64_t signals = 0;
    for (PortIndex port = 0; port < fabric.port_count(); ++port) {
      for (std::uint32_t lane = 0; lane < fabric.lanes(); ++lane) {
        const LaneCounters counters = fabric.lane_counters(port, lane, now);
        signals += counters.marked + counters.pauses_sent;
      }
    }
    return signals;
  });
}

std::uint64_t AnyFabric::packets_sent() const {
  return visit([](const auto& fabric) { return fabric.packets_sent(); });
}

std::uint64_t AnyFabric::packets_inside() const {
  return visit([](const auto& fabric) { return fabric.packets_inside(); });
}

std::size_t AnyFabric::heap_bytes() const {
  return visit([](const auto& fabric) { return fabric.heap_bytes(); });
}

std::string AnyFabric::check_invariants() const {
  return visit([](const auto& fabric) { return fabric.check_invariants(); });
}

}  // namespace weft::fabric
