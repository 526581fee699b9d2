#include "study/assembly/congestion/rccc.h"

#include <algorithm>

#include "base/int128.h"
#include "fabric/topology/graph_query.h"
#include "study/assembly/congestion/nscc.h"
#include "study/scenario/packet_sizes.h"

namespace weft::study::assembly {

CongestionControls make_rccc(const CongestionContext& context) {
  return context.scenario.rccc.with_nscc ? make_nscc(context) : CongestionControls{};
}

bool follows_core(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  if (!scenario::uses_rccc(scenario)) {
    return false;
  }
  if (scenario.rccc.follow_core) {
    return *scenario.rccc.follow_core;
  }
  if (scenario.rccc.with_nscc) {
    return false;
  }
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    const fabric::SwitchRates rates = fabric::switch_rates(graph, fabric::NodeIndex(i));
    if (rates.up > Rate::zero() && rates.down > rates.up) {
      return true;
    }
  }
  return false;
}

transport::UetCredits uet_credits(const scenario::Scenario& scenario, const CreditSite& site) {
  const scenario::RcccSettings& from = scenario.rccc;
  const Duration round_trip = from.round_trip.value_or(site.round_trip);
  const Bytes payload(scenario.fabric.mtu);
  const Bytes packet = scenario::data_packet(scenario, payload).frame;
  const Bytes between(scenario::protection_of(scenario).gap);
  // Credit counts frames, and a line carries what is between them as well.
  const Rate of_frames = Rate::bits_per_second(static_cast<std::int64_t>(
      static_cast<Uint128>(site.line.bits_per_second()) * static_cast<std::uint64_t>(packet.count()) /
      static_cast<std::uint64_t>((packet + scenario.fabric.frame_gap + between).count())));
  const Bytes window = std::max(site.line.bytes_in(round_trip) * from.window_percent / 100, packet);
  transport::UetCredits credits{
      .receiver = {.line = of_frames, .payload = payload, .window = window, .part = from.part_of_line},
      .sender = {.packet = packet, .window = window, .round_trip = round_trip}};
  if (site.follow_core) {
    credits.core = transport::CreditRate::Parameters{.round_trip = round_trip,
                                                     .target = from.core_target,
                                                     .gain = from.core_gain,
                                                     .decrease = from.core_decrease,
                                                     .increase = from.core_increase,
                                                     .least = from.core_least};
  }
  return credits;
}

}  // namespace weft::study::assembly
