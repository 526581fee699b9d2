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
  return fabric::oversubscription(graph) > 1;
}

// As the simulator of the protocol's authors has it: nine tenths of what the core leaves each of its hosts.
Probability least_of_core(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  constexpr std::uint64_t kScale = 1'000'000;
  constexpr double kPart = 0.9;
  constexpr double kLeast = 0.01;
  const double part = std::max(kPart / fabric::oversubscription(graph), kLeast);
  return scenario.rccc.core_least.value_or(
      Probability::from_ratio({.numerator = static_cast<std::uint64_t>(part * kScale), .denominator = kScale}));
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
  if (site.core_least) {
    credits.core = transport::CreditRate::Parameters{.round_trip = round_trip,
                                                     .target = from.core_target,
                                                     .gain = from.core_gain,
                                                     .decrease = from.core_decrease,
                                                     .increase = from.core_increase,
                                                     .least = *site.core_least};
  }
  return credits;
}

}  // namespace weft::study::assembly
