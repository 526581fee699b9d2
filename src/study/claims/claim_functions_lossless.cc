#include <fmt/format.h>

#include <algorithm>

#include "study/claims/claim_functions.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

double stalled_ms(Readings& runs, std::string_view name) {
  const auto& held = runs.network(name).held;
  return held ? held->seconds() * 1e3 : 0;
}

/// What of its throughput without the incast a victim keeps.
double kept(Readings& runs, std::string_view how, int hosts) {
  return runs.gbps(fmt::format("{} {}", how, hosts), "victims") / runs.gbps(fmt::format("alone {}", hosts), "victims");
}

/// Ports that were paused at least once, of all that are wired.
double paused_share(const RunResults& results) {
  double paused = 0;
  for (const PortRow& port : results.ports) {
    paused += std::ranges::any_of(port.lanes, [](const LaneRow& lane) { return lane.held > Duration::zero(); }) ? 1 : 0;
  }
  return results.ports.empty() ? 0 : paused / static_cast<double>(results.ports.size());
}

std::uint64_t failed(Readings& runs, std::string_view name) { return runs.job(name).failed; }

}  // namespace

Finding credit_lossless(Readings& runs) {
  std::uint64_t drops = 0;
  for (const char* const load : {"incast", "small-buffers", "oversubscribed"}) {
    drops += runs.network(load).drops;
  }
  const std::uint64_t expired = runs.network("head-of-queue-lifetime").drops;
  const std::uint64_t ethernet = runs.network("rocev2-untuned").drops;
  Finding finding;
  finding.verdict = drops > 0 ? Verdict::kDoesNotHold : expired == 0 ? Verdict::kHolds : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "no packet outlives its lifetime at the head of a queue";
  }
  finding.figure = fmt::format("{} drops; {:.1f} ms of credit stalls; with a short lifetime {} drops", drops,
                               stalled_ms(runs, "incast"), expired);
  finding.text = fmt::format(
      "31 hosts to one, the same with input buffers of 8 KiB, and an incast beside all-to-all traffic with four "
      "hosts to an uplink: {} packets dropped; senders waited {:.1f}, {:.1f} and {:.1f} ms for credits, summed over "
      "ports. Small buffers cost throughput instead ({:.0f} of {:.0f} Gb/s). Ethernet without flow control drops {} "
      "in the first. A lifetime at the head of a queue, which subnet managers set so that a jam cannot last for "
      "ever, discards packets after all: {} with 20 us.",
      drops, stalled_ms(runs, "incast"), stalled_ms(runs, "small-buffers"), stalled_ms(runs, "oversubscribed"),
      runs.gbps("small-buffers"), runs.gbps("incast"), ethernet, expired);
  finding.figures = {{"drops", static_cast<double>(drops), ""},
                     {"drops_with_lifetime", static_cast<double>(expired), ""},
                     {"drops_of_untuned_ethernet", static_cast<double>(ethernet), ""},
                     {"credit_stall", stalled_ms(runs, "incast"), "ms"}};
  return finding;
}

Finding pfc_ecn_dcqcn(Readings& runs) {
  const std::uint64_t nothing = runs.network("nothing").drops;
  const std::uint64_t ecn = runs.network("ecn-dcqcn").drops;
  const std::uint64_t pfc = runs.network("pfc").drops;
  const std::uint64_t all = runs.network("pfc-ecn-dcqcn").drops;
  Finding finding;
  finding.verdict = by(all == 0 && nothing > 0);
  finding.figure =
      fmt::format("drops of an incast: nothing {}, ECN+DCQCN {}, PFC {}, all three {}", nothing, ecn, pfc, all);
  finding.text = fmt::format(
      "15 hosts send 4 MiB each to one over 100 Gb/s, 4 MiB of buffer, equal hardware. With nothing {} packets are "
      "dropped and the receiver gets {:.1f} Gb/s; ECN with DCQCN alone drops {} ({:.1f} Gb/s). PFC alone drops {} "
      "({:.1f} Gb/s) with {} pauses; all three drop {} with {} pauses, {:.0f} % fewer, and the receiver gets {:.1f} "
      "Gb/s. So PFC is what loses nothing, and marks with DCQCN are what spares others the pauses, at a price in an "
      "incast as short as this. InfiniBand: {} drops, {:.1f} Gb/s.",
      nothing, runs.gbps("nothing"), ecn, runs.gbps("ecn-dcqcn"), pfc, runs.gbps("pfc"),
      runs.network("pfc").pauses.value_or(0), all, runs.network("pfc-ecn-dcqcn").pauses.value_or(0),
      100 - 100.0 * static_cast<double>(runs.network("pfc-ecn-dcqcn").pauses.value_or(0)) /
                static_cast<double>(std::max<std::uint64_t>(runs.network("pfc").pauses.value_or(0), 1)),
      runs.gbps("pfc-ecn-dcqcn"), runs.network("infiniband").drops, runs.gbps("infiniband"));
  finding.figures = {
      {"drops_nothing", static_cast<double>(nothing), ""}, {"drops_ecn_dcqcn", static_cast<double>(ecn), ""},
      {"drops_pfc", static_cast<double>(pfc), ""},         {"drops_all", static_cast<double>(all), ""},
      {"goodput_pfc", runs.gbps("pfc"), "Gb/s"},           {"goodput_all", runs.gbps("pfc-ecn-dcqcn"), "Gb/s"}};
  return finding;
}

Finding pfc_limits(Readings& runs) {
  constexpr double kHurt = 0.9;
  const double pfc = kept(runs, "pfc", 64);
  const double dcqcn = kept(runs, "dcqcn", 64);
  const double ib = kept(runs, "infiniband", 64);
  const bool locked = runs.gbps("ring") == 0;
  const bool locked_ib = runs.gbps("ring-infiniband") == 0;
  const bool far = !runs.refusal("far").empty();
  const bool victims = pfc < kHurt;
  Finding finding;
  finding.verdict = !(victims || locked || far) ? Verdict::kDoesNotHold
                    : ib >= kHurt && !locked_ib ? Verdict::kHolds
                                                : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "said of every lossless network: credits have the same victims and deadlocks";
  }
  finding.figure = fmt::format(
      "victims of an incast on 64 hosts keep {:.0f} % with PFC, {:.0f} % with DCQCN, {:.0f} % with InfiniBand",
      100 * pfc, 100 * dcqcn, 100 * ib);
  finding.text = fmt::format(
      "Equal hardware, 100 Gb/s. A quarter of the hosts send to one; all others' traffic keeps {:.0f} % of its "
      "throughput on 16 hosts and {:.0f} % on 64 with pauses alone ({:.0f} % of the ports are paused at some time), "
      "{:.0f} and {:.0f} % with DCQCN (which eases their own collisions too), {:.0f} and {:.0f} % with InfiniBand's "
      "credits on one lane. In a ring of switches pauses {}, and so do credits{}; a PFC watchdog, which drops, lets "
      "{:.0f} Gb/s through. A tree of leaves and spines has no such cycle. With 10 km between switches and eight "
      "lossless priorities {}. Hurt: below {:.0f} %.",
      100 * kept(runs, "pfc", 16), 100 * pfc, 100 * paused_share(runs.at("pfc 64").results),
      100 * kept(runs, "dcqcn", 16), 100 * dcqcn, 100 * kept(runs, "infiniband", 16), 100 * ib,
      locked ? "end in a deadlock: no message arrives" : "do not lock", locked_ib ? "" : " not",
      runs.gbps("ring-watchdog"),
      far ? "the buffer cannot hold the headroom, and the run is refused" : "there is still buffer enough",
      100 * kHurt);
  finding.figures = {{"victims_pfc_64", pfc, ""},
                     {"victims_dcqcn_64", dcqcn, ""},
                     {"victims_infiniband_64", ib, ""},
                     {"ring", runs.gbps("ring"), "Gb/s"},
                     {"ring_infiniband", runs.gbps("ring-infiniband"), "Gb/s"},
                     {"ring_watchdog", runs.gbps("ring-watchdog"), "Gb/s"}};
  return finding;
}

Finding fault_recovery(Readings& runs) {
  const auto longest = [&runs](const char* name) { return runs.longest_ms(name); };
  const std::uint64_t ib_failed = failed(runs, "infiniband");
  const std::uint64_t roce_failed = failed(runs, "rocev2");
  const double equal_ib = longest("equal infiniband");
  const double equal_roce = longest("equal rocev2");
  const double fast_ib = longest("fast infiniband");
  const double fast_roce = longest("fast rocev2");
  const bool as_sold =
      ib_failed < roce_failed || (ib_failed == roce_failed && longest("infiniband") < longest("rocev2"));
  const bool repaired = fast_ib < fast_roce;
  Finding finding;
  finding.verdict = as_sold ? Verdict::kHolds : by(repaired, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "switches repair paths among themselves; not when a subnet manager sweeps first";
  }
  finding.origin = FigureOrigin::kCatalogue;
  finding.figure = fmt::format(
      "as catalogued {} of 8 flows fail on InfiniBand, {} on RoCEv2; repaired in 1 ms: {:.1f} and {:.1f} ms", ib_failed,
      roce_failed, fast_ib, fast_roce);
  finding.text = fmt::format(
      "One of two cables from a leaf fails under eight flows. As catalogued a subnet manager needs 5 s to sweep and "
      "Ethernet 50 ms to converge, both guesses from vendors' claims: on InfiniBand {} flows fail for good, because "
      "queue pairs give up after seven retries of 67 ms; on RoCEv2 {} do, and the longest message takes {:.0f} ms. "
      "With equal hardware and 10 ms for both it is {:.0f} and {:.0f} ms: the timeout, not the routes. With 1 ms for "
      "routes and timeouts {:.1f} and {:.1f} ms. Local repair by InfiniBand switches (adaptive routing, fast "
      "recovery) is not modelled beyond that delay.",
      ib_failed, roce_failed, longest("rocev2"), equal_ib, equal_roce, fast_ib, fast_roce);
  finding.figures = {{"infiniband_failed", static_cast<double>(ib_failed), "flows"},
                     {"rocev2_failed", static_cast<double>(roce_failed), "flows"},
                     {"equal_infiniband", equal_ib, "ms"},
                     {"equal_rocev2", equal_roce, "ms"},
                     {"fast_infiniband", fast_ib, "ms"},
                     {"fast_rocev2", fast_roce, "ms"}};
  return finding;
}

}  // namespace weft::study::claims
