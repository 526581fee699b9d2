#include "study/run/resweep.h"

namespace weft::study::run {
namespace {

constexpr std::uint64_t kLidsPerBlock = 64;

}  // namespace

ResweepEstimate estimate_resweep(const fabric::Graph& graph, const scenario::ControlSettings& settings) {
  std::uint64_t ports = 0;  // of switches, with a cable
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    ports += graph.nodes[i].ports;
  }
  const std::uint64_t switches = graph.switches();
  const std::uint64_t nodes = graph.nodes.size();
  const std::uint64_t lids = nodes + 1;  // LID 0 is in the first block as well
  ResweepEstimate sum;
  // NodeInfo through every port of every switch; NodeDescription of every node; SwitchInfo; PortInfo of every port,
  // port 0 of switches included.
  sum.discovery = ports + nodes + switches + (ports + switches + graph.endpoints);
  sum.blocks = switches * ((lids + kLidsPerBlock - 1) / kLidsPerBlock);
  sum.entries = switches * nodes;
  const auto taking = [&](std::uint64_t requests) {
    const auto rounds = static_cast<std::int64_t>(requests) + settings.smps_on_wire - 1;
    return settings.smp_time * (rounds / settings.smps_on_wire);
  };
  sum.asking = taking(sum.discovery);
  sum.writing = taking(sum.blocks);
  sum.routing = settings.route_time * static_cast<std::int64_t>(sum.entries);
  const Duration sweep = sum.asking + sum.routing + sum.writing;
  sum.with_trap = settings.trap_time + sweep;
  sum.without_trap = settings.sweep_interval + sweep;
  return sum;
}

}  // namespace weft::study::run
