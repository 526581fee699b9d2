#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "study/claims/claim_functions.h"
#include "study/claims/message_times.h"
#include "study/claims/over_seeds.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

double stalled_ms(Readings& runs, std::string_view name) {
  const auto& held = runs.network(name).held;
  return held ? held->seconds() * 1e3 : 0;
}

/// The share of their lines that the victims of an incast get, and what it is without the incast.
struct Victims {
  SteadyShares alone;
  SteadyShares beside;
  [[nodiscard]] double kept() const { return beside.mean.mean / alone.mean.mean; }
  [[nodiscard]] std::string text() const { return fmt::format("{} instead of {}", percent(beside), percent(alone)); }
};

Victims victims_of(Readings& runs, std::string_view how, std::size_t hosts) {
  // Neither every fourth host, which sends to the last, nor the host that sends to the last as a victim.
  const FlowChoice victims{.job = "victims", .flows = hosts - hosts / 4 - 1};
  return {.alone = steady_shares(runs, fmt::format("{} alone {}", how, hosts), victims),
          .beside = steady_shares(runs, fmt::format("{} {}", how, hosts), victims)};
}

/// Ports that were paused at least once, of all that are wired.
double paused_share(const results::RunResults& results) {
  double paused = 0;
  for (const results::PortRow& port : results.ports) {
    paused += std::ranges::any_of(port.lanes, [](const results::LaneRow& lane) { return lane.held > Duration::zero(); })
                  ? 1
                  : 0;
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
  const Victims pfc = victims_of(runs, "pfc", 64);
  const Victims dcqcn = victims_of(runs, "dcqcn", 64);
  const Victims ib = victims_of(runs, "infiniband", 64);
  const bool locked = runs.gbps("ring") == 0;
  const bool locked_ib = runs.gbps("ring-infiniband") == 0;
  const bool far = !runs.refusal("far").empty();
  const bool hurt = pfc.kept() < kHurt;
  const OverSeeds paused =
      over_seeds(runs, "pfc 64", [&runs](const std::string& one) { return paused_share(runs.at(one).results); });
  Finding finding;
  finding.verdict = !(hurt || locked || far)           ? Verdict::kDoesNotHold
                    : ib.kept() >= kHurt && !locked_ib ? Verdict::kHolds
                                                       : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "applies to every lossless network: credits have the same victims and deadlocks";
  }
  finding.figure = fmt::format(
      "victims of an incast on 64 hosts keep {:.0f} % with PFC, {:.0f} % with DCQCN, {:.0f} % with InfiniBand",
      100 * pfc.kept(), 100 * dcqcn.kept(), 100 * ib.kept());
  finding.text = fmt::format(
      "Equal hardware, 100 Gb/s, as many uplinks as hosts. A quarter of the hosts send to one; the flows of the others "
      "share no host's line with that. Their goodput in steady state, of the mean flow, of the 10th percentile and of "
      "the slowest as shares of the line, means over three seeds and from the least to the most. 16 hosts, PFC alone: "
      "{}. 64 hosts, PFC alone: {} ({:.0f} % of the ports are paused at some time); PFC with DCQCN tuned for the rate: "
      "{}; InfiniBand's credits on one lane: {}. On 16 hosts they keep {:.0f} % of their mean with PFC, {:.0f} % with "
      "DCQCN and {:.0f} % with InfiniBand, on 64 {:.0f}, {:.0f} and {:.0f} %. In a ring of switches pauses {}, and {}; "
      "a PFC watchdog, which drops, lets {:.0f} Gb/s through. A tree of leaves and spines has no such cycle. With 10 "
      "km between switches and eight lossless priorities {}. Hurt: below {:.0f} % of the mean.",
      victims_of(runs, "pfc", 16).text(), pfc.text(), 100 * paused.mean, dcqcn.text(), ib.text(),
      100 * victims_of(runs, "pfc", 16).kept(), 100 * victims_of(runs, "dcqcn", 16).kept(),
      100 * victims_of(runs, "infiniband", 16).kept(), 100 * pfc.kept(), 100 * dcqcn.kept(), 100 * ib.kept(),
      locked ? "end in a deadlock: no message arrives" : "do not lock", locked_ib ? "so do credits" : "credits do not",
      runs.gbps("ring-watchdog"),
      far ? "the buffer cannot hold the headroom, and the run is refused" : "there is still buffer enough",
      100 * kHurt);
  finding.figures = {{"victims_pfc_64", pfc.kept(), ""},
                     {"victims_dcqcn_64", dcqcn.kept(), ""},
                     {"victims_infiniband_64", ib.kept(), ""},
                     {"victims_pfc_16", victims_of(runs, "pfc", 16).kept(), ""},
                     {"ring", runs.gbps("ring"), "Gb/s"},
                     {"ring_infiniband", runs.gbps("ring-infiniband"), "Gb/s"},
                     {"ring_watchdog", runs.gbps("ring-watchdog"), "Gb/s"}};
  return finding;
}

Finding cnp_class(Readings& runs) {
  constexpr double kChange = 1.5;
  struct Load {
    const char* name;
    const char* text;
  };
  constexpr std::array<Load, 3> kLoads{
      {{.name = "moderate", .text = "FB_Hadoop's sizes at half of the lines, as many uplinks as hosts"},
       {.name = "crowded", .text = "The same sizes at 60 %, half as many uplinks"},
       {.name = "crowded, long", .text = "Sizes of the web search workload there"}}};
  const auto of = [&runs](const Load& load, const char* how, double MessageTimes::*figure) {
    return over_seeds(runs, fmt::format("{}, {}", load.name, how),
                      [&](const std::string& one) { return message_times(runs.at(one).results).*figure; });
  };
  const auto pauses = [&runs](const Load& load, const char* how) {
    return over_seeds(runs, fmt::format("{}, {}", load.name, how), [&runs](const std::string& one) {
      return static_cast<double>(runs.network(one).pauses.value_or(0));
    });
  };
  std::string list;
  std::string ratios;
  std::size_t changed = 0;
  Finding finding;
  for (const Load& load : kLoads) {
    const OverSeeds own = of(load, "own", &MessageTimes::p99_us);
    const OverSeeds data = of(load, "data", &MessageTimes::p99_us);
    const double ratio = data.mean / own.mean;
    changed += ratio >= kChange ? 1 : 0;
    ratios += fmt::format("{}{:.2f}", ratios.empty() ? "" : ", ", ratio);
    list += fmt::format(
        "{}{}: 99th percentile {:.2f} ({:.2f} to {:.2f}) ms in a class of their own, {:.2f} ({:.2f} to {:.2f}) ms in "
        "the data's, {:.0f} and {:.0f} times the idle time; median {:.0f} and {:.0f} us; {:.0f} and {:.0f} pauses",
        list.empty() ? "" : ". ", load.text, own.mean * 1e-3, own.least * 1e-3, own.most * 1e-3, data.mean * 1e-3,
        data.least * 1e-3, data.most * 1e-3, of(load, "own", &MessageTimes::p99_slowdown).mean,
        of(load, "data", &MessageTimes::p99_slowdown).mean, of(load, "own", &MessageTimes::median_us).mean,
        of(load, "data", &MessageTimes::median_us).mean, pauses(load, "own").mean, pauses(load, "data").mean);
    finding.figures.push_back({fmt::format("p99_ratio_{}", load.name), ratio, ""});
    finding.figures.push_back(
        {fmt::format("median_ratio_{}", load.name),
         of(load, "data", &MessageTimes::median_us).mean / of(load, "own", &MessageTimes::median_us).mean, ""});
    finding.figures.push_back(
        {fmt::format("pauses_ratio_{}", load.name), pauses(load, "data").mean / pauses(load, "own").mean, ""});
  }
  finding.verdict = by(changed > 0, changed == kLoads.size() ? Verdict::kHolds : Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "the network is crowded";
  }
  finding.figure = fmt::format("99th percentile of message times, in the data's class over in their own: {}", ratios);
  finding.text = fmt::format(
      "RoCEv2 with PFC and DCQCN tuned for its rate, 32 hosts of 100 Gb/s under 4 leaf switches, equal hardware; "
      "messages to random hosts at random times, means over three seeds and from the least to the most. {}. Needed: "
      "without a class of their own the 99th percentile is {:.1f} times as high.",
      list, kChange);
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
