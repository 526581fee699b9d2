#include <fmt/core.h>

#include <algorithm>

#include "study/claims/claim_functions.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

constexpr double kMib = 1024.0 * 1024.0;

double mib(Bytes size) { return static_cast<double>(size.count()) / kMib; }

/// The first clause of a refusal.
std::string short_of(const std::string& refusal) { return refusal.substr(0, refusal.find(';')); }

/// Of its throughput without loss.
double kept(Readings& runs, const char* with_loss, const char* without) {
  return runs.gbps(with_loss) / runs.gbps(without);
}

}  // namespace

Finding routable(Readings& runs) {
  const bool roce = runs.refusal("rocev2").empty();
  const bool rocev1 = runs.refusal("rocev1").empty();
  const bool ib = runs.refusal("infiniband").empty();
  const bool bridged = runs.refusal("rocev1-one-domain").empty();
  Finding finding;
  finding.verdict = by(roce && !rocev1 && !ib && bridged);
  finding.figure = "RoCEv2 and iWARP cross routers; RoCEv1 and InfiniBand are refused";
  finding.text = fmt::format(
      "Leaf and spine switches that are all routers. RoCEv2 {} and iWARP {}. RoCEv1: {}. InfiniBand: {}. In one "
      "layer-2 domain RoCEv1 {}. A gateway is not modelled.",
      roce ? "crosses them" : "does not", runs.refusal("iwarp").empty() ? "does as well" : "does not",
      rocev1 ? "crosses them" : short_of(runs.refusal("rocev1")),
      ib ? "crosses them" : short_of(runs.refusal("infiniband")), bridged ? "works" : "does not work either");
  finding.figures = {{"rocev2", roce ? 1.0 : 0.0, "possible"},
                     {"rocev1", rocev1 ? 1.0 : 0.0, "possible"},
                     {"infiniband", ib ? 1.0 : 0.0, "possible"}};
  return finding;
}

Finding roce_mixed(Readings& runs) {
  constexpr double kFair = 0.4;  // of the trunk that each has alone; the scheduler's share is a half
  const double rdma_alone = runs.gbps("rdma-alone", "rdma");
  const double tcp_alone = runs.gbps("tcp-alone", "tcp");
  const double rdma = runs.gbps("by-class", "rdma");
  const double tcp = runs.gbps("by-class", "tcp");
  const double rdma_mixed = runs.gbps("one-class", "rdma");
  const double tcp_mixed = runs.gbps("one-class", "tcp");
  Finding finding;
  const bool classes = rdma > kFair * rdma_alone && tcp > kFair * tcp_alone;
  const bool one = rdma_mixed > kFair * rdma_alone && tcp_mixed > kFair * tcp_alone;
  finding.verdict = !classes ? Verdict::kDoesNotHold : one ? Verdict::kHolds : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "each has a class of its own";
  }
  finding.figure = fmt::format("RoCEv2 / TCP: {:.0f} / {:.0f} Gb/s by class, {:.1f} / {:.0f} in one class", rdma, tcp,
                               rdma_mixed, tcp_mixed);
  finding.text = fmt::format(
      "Two flows of each over a trunk of 100 Gb/s. Alone RoCEv2 gets {:.0f} and TCP {:.0f} Gb/s. In classes of equal "
      "weight {:.0f} and {:.0f}, and TCP loses {} packets to itself. In one class without flow control TCP keeps "
      "{:.0f} Gb/s and RoCEv2 gets {:.1f}: go-back-N waits for timeouts. Sharing counts as met above {:.0f} % of "
      "what each has alone.",
      rdma_alone, tcp_alone, rdma, tcp, runs.network("by-class").drops, tcp_mixed, rdma_mixed, 100 * kFair);
  finding.figures = {{"rdma_by_class", rdma, "Gb/s"},
                     {"tcp_by_class", tcp, "Gb/s"},
                     {"rdma_in_one_class", rdma_mixed, "Gb/s"},
                     {"tcp_in_one_class", tcp_mixed, "Gb/s"}};
  return finding;
}

Finding rocev1_limits(Readings& runs) {
  constexpr double kBetter = 1.5;
  const double victim1 = runs.gbps("rocev1", "victim");
  const double victim2 = runs.gbps("rocev2", "victim");
  const auto pauses1 = runs.network("rocev1").pauses.value_or(0);
  const auto pauses2 = runs.network("rocev2").pauses.value_or(0);
  Finding finding;
  finding.verdict = by(pauses1 > pauses2 && victim2 > kBetter * victim1);
  finding.figure = fmt::format("victim of an incast: RoCEv1 {:.1f} Gb/s, RoCEv2 {:.1f} of 40", victim1, victim2);
  finding.text = fmt::format(
      "A flow whose own way is free shares a trunk with an incast of 4 to 1, on equal hardware. RoCEv1 has pauses "
      "alone ({}) and the victim gets {:.1f} Gb/s; RoCEv2 with DCQCN sends {} pauses and the victim gets {:.1f} (at "
      "least {:.1f} times as much was asked). RoCEv1 across a router is refused, see `routable`.",
      pauses1, victim1, pauses2, victim2, kBetter);
  finding.figures = {{"rocev1_victim", victim1, "Gb/s"},
                     {"rocev2_victim", victim2, "Gb/s"},
                     {"rocev1_pauses", static_cast<double>(pauses1), ""},
                     {"rocev2_pauses", static_cast<double>(pauses2), ""}};
  return finding;
}

Finding iwarp_loss(Readings& runs) {
  constexpr double kTolerates = 0.5;  // of its rate without loss
  const double iwarp_low = kept(runs, "iwarp 0.01%", "iwarp 0");
  const double iwarp_mid = kept(runs, "iwarp 0.1%", "iwarp 0");
  const double iwarp = kept(runs, "iwarp 1%", "iwarp 0");
  const double back = kept(runs, "rocev2 1%", "rocev2 0");
  const double selective = kept(runs, "rocev2-selective 1%", "rocev2-selective 0");
  const double iwarp_short = runs.gbps("iwarp short 1%");
  const double back_short = runs.gbps("rocev2 short 1%");
  Finding finding;
  finding.verdict = iwarp >= kTolerates       ? Verdict::kHolds
                    : iwarp_mid >= kTolerates ? Verdict::kHoldsWhen
                                              : Verdict::kDoesNotHold;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "at most a thousandth of the packets is lost";
  }
  finding.figure =
      fmt::format("with 1 % loss iWARP keeps {:.0f} %, go-back-N RoCEv2 {:.0f} %, selective repeat {:.0f} %",
                  100 * iwarp, 100 * back, 100 * selective);
  finding.text = fmt::format(
      "One flow at 100 Gb/s over 2 km. Of its rate without loss iWARP keeps {:.0f} % when a ten-thousandth of the "
      "packets is lost, {:.0f} % at a thousandth, {:.0f} % at a hundredth: its congestion control takes loss for "
      "congestion. RoCEv2 keeps {:.0f} % with go-back-N (and a timeout of 262 us) and {:.0f} % with selective "
      "repeat, so that iWARP is no longer the family that tolerates most. Where each message waits for the one "
      "before, 64 KiB at a time, it is: {:.1f} Gb/s against {:.1f} of go-back-N with its usual timeout of 67 ms. "
      "Tolerated: half of the rate is kept.",
      100 * iwarp_low, 100 * iwarp_mid, 100 * iwarp, 100 * back, 100 * selective, iwarp_short, back_short);
  finding.figures = {
      {"iwarp_kept_at_0.1_percent", iwarp_mid, ""}, {"iwarp_kept_at_1_percent", iwarp, ""},
      {"rocev2_kept_at_1_percent", back, ""},       {"selective_repeat_kept_at_1_percent", selective, ""},
      {"iwarp_short", iwarp_short, "Gb/s"},         {"rocev2_short", back_short, "Gb/s"}};
  return finding;
}

Finding iwarp_memory(Readings& runs) {
  constexpr double kMuch = 2;
  const results::NetworkSummary& iwarp = runs.network("iwarp-1000");
  const results::NetworkSummary& rc = runs.network("rocev2-1000");
  const double ends = static_cast<double>(std::max<std::uint64_t>(iwarp.connection_ends, 1));
  const double state = static_cast<double>(iwarp.connection_state.count()) / ends;
  const double rc_state = static_cast<double>(rc.connection_state.count()) /
                          static_cast<double>(std::max<std::uint64_t>(rc.connection_ends, 1));
  const double buffers = mib(iwarp.connection_buffers) / ends;
  Finding finding;
  finding.verdict = by(state + buffers * kMib > kMuch * rc_state);
  finding.figure = fmt::format("per connection end {:.0f} B of state and {:.0f} MiB of buffers; RC {:.0f} B", state,
                               buffers, rc_state);
  finding.text = fmt::format(
      "1,000 connections into one host. iWARP's engines hold {:.0f} bytes per end, RC's {:.0f}. A TCP stack sets "
      "aside up to {:.0f} MiB of send and receive buffers for each besides (the limits of `[tcp]`, Linux's defaults; "
      "an offload engine has less), so 10,000 connections may ask for {:.0f} GiB; RC has none. State is that of "
      "weft's engines, not of a chip. Asked: {:.0f} times RC's.",
      state, rc_state, buffers, 10'000 * buffers / 1024, kMuch);
  finding.figures = {{"iwarp_state", state, "B"}, {"iwarp_buffers", buffers, "MiB"}, {"rc_state", rc_state, "B"}};
  return finding;
}

Finding iwarp_tcp_flow_control(Readings& runs) {
  constexpr double kWorse = 0.8;
  const double iwarp = runs.gbps("iwarp");
  const double dctcp = runs.gbps("iwarp-dctcp");
  const double roce = runs.gbps("rocev2");
  const double ib = runs.gbps("infiniband");
  Finding finding;
  const bool suffers = iwarp < kWorse * roce;
  finding.verdict = !suffers ? Verdict::kDoesNotHold : dctcp < kWorse * roce ? Verdict::kHolds : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "its congestion control reacts to loss only";
  }
  finding.figure = fmt::format("31 to 1: iWARP {:.0f} Gb/s, with DCTCP {:.0f}, RoCEv2 {:.0f}, InfiniBand {:.0f}", iwarp,
                               dctcp, roce, ib);
  finding.text = fmt::format(
      "31 hosts send 4 MiB each to one over 100 Gb/s, equal hardware. iWARP with CUBIC loses {} packets and gets "
      "{:.0f} Gb/s; with DCTCP and marks it loses {} and gets {:.0f}. RoCEv2, which is paused and told by DCQCN, "
      "gets {:.0f}, InfiniBand {:.0f}, neither with a loss. Degraded: below {:.0f} % of RoCEv2.",
      runs.network("iwarp").drops, iwarp, runs.network("iwarp-dctcp").drops, dctcp, roce, ib, 100 * kWorse);
  finding.figures = {
      {"iwarp", iwarp, "Gb/s"}, {"iwarp_dctcp", dctcp, "Gb/s"}, {"rocev2", roce, "Gb/s"}, {"infiniband", ib, "Gb/s"}};
  return finding;
}

}  // namespace weft::study::claims
