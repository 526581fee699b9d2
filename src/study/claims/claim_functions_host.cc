#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "study/claims/claim_functions.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

double stages_us(const ClaimCase& one) {
  double sum = 0;
  for (const results::StageRow& stage : one.results.stages) {
    sum += stage.time.seconds() * 1e6;
  }
  return sum;
}

double cores(Readings& runs, std::string_view name) {
  const auto& found = runs.network(name).cpu_per_gbps;
  if (!found) {
    runs.miss(fmt::format("case '{}' has no CPU time", name));
  }
  return found.value_or(0);
}

}  // namespace

Finding latency_ladder(Readings& runs) {
  constexpr double kNear = 0.25;
  const double tcp = stages_us(runs.at("component tcp"));
  const double roce = stages_us(runs.at("component rocev2"));
  const double ib = stages_us(runs.at("component infiniband"));
  const double quoted_tcp = stages_us(runs.at("as-quoted tcp"));
  const double quoted_roce = stages_us(runs.at("as-quoted rocev2"));
  const double quoted_ib = stages_us(runs.at("as-quoted infiniband"));
  const double equal_gap = stages_us(runs.at("equal rocev2")) - stages_us(runs.at("equal infiniband"));
  const auto near = [](double ours, double quoted) { return std::abs(ours - quoted) <= kNear * quoted; };
  const bool order = ib < roce && roce < tcp;
  const bool near_quoted = near(tcp, 50) && near(roce, 5) && near(ib, 2);
  const bool fits = near(quoted_tcp, 50) && near(quoted_roce, 5) && near(quoted_ib, 2);

  Finding finding;
  finding.verdict = !order ? Verdict::kDoesNotHold : near_quoted ? Verdict::kHolds : by(fits, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "the software around verbs and sockets is counted as in the quoted figures";
  }
  finding.origin = origin_of({.equal = equal_gap, .as_sold = roce - ib});
  finding.figure = fmt::format("TCP {:.1f} us, RoCEv2 {:.2f} us, InfiniBand {:.2f} us", tcp, roce, ib);
  finding.text = fmt::format(
      "64 bytes, one way through one switch, program to program. From published component budgets, nothing fitted: "
      "TCP {:.1f} us, RoCEv2 {:.2f} us, InfiniBand {:.2f} us; TCP takes {:.0f} and {:.0f} times as long, so \"tens "
      "of times\" is right. The quoted 50, 5 and 2 us come out ({:.1f}, {:.1f}, {:.1f}) only with software stages "
      "fitted to them: they are what libraries and benchmarks add, not the networks. The order is that of the "
      "figures; on equal hardware {:.2f} of the {:.2f} us between RoCEv2 and InfiniBand remain, the rest is switches "
      "and NICs. Quoted figures count as met within {:.0f} %.",
      tcp, roce, ib, tcp / roce, tcp / ib, quoted_tcp, quoted_roce, quoted_ib, equal_gap, roce - ib, 100 * kNear);
  finding.figures = {{"tcp", tcp, "us"},
                     {"rocev2", roce, "us"},
                     {"infiniband", ib, "us"},
                     {"as_quoted_tcp", quoted_tcp, "us"},
                     {"as_quoted_rocev2", quoted_roce, "us"},
                     {"as_quoted_infiniband", quoted_ib, "us"},
                     {"rocev2_over_infiniband_equal_hardware", equal_gap, "us"}};
  return finding;
}

Finding host_copies(Readings& runs) {
  const double sockets = runs.latency_us("sockets");
  const double bounce = runs.latency_us("bounce");
  const double direct = runs.latency_us("gpudirect");
  const auto stages = [&runs](const char* name) { return runs.at(name).results.stages.size(); };
  Finding finding;
  finding.verdict = by(direct < bounce && stages("gpudirect") < stages("bounce"));
  finding.origin = FigureOrigin::kCatalogue;
  finding.figure = fmt::format("64 KiB: {:.1f} us copied, {:.1f} us direct", bounce, direct);
  finding.text = fmt::format(
      "64 KiB from GPU to GPU: bounced off host memory on both sides {:.1f} us in {} stages, two of them copies by a "
      "GPU; with GPUDirect RDMA {:.1f} us in {}. Over sockets, from host memory to host memory alone, {:.1f} us, to "
      "which the copies from and to the GPUs would come. The stages' times are the catalogue's.",
      bounce, stages("bounce"), direct, stages("gpudirect"), sockets);
  finding.figures = {{"sockets", sockets, "us"}, {"bounce", bounce, "us"}, {"gpudirect", direct, "us"}};
  return finding;
}

Finding rdma_no_cpu(Readings& runs) {
  constexpr double kFewer = 50;
  const double tcp = cores(runs, "tcp");
  const double roce = cores(runs, "rocev2");
  const double ib = cores(runs, "infiniband");
  const double most = std::max({roce, ib, cores(runs, "iwarp")});
  Finding finding;
  finding.verdict = by(most * kFewer < tcp);
  finding.origin = FigureOrigin::kCatalogue;
  finding.figure = fmt::format("at 100 Gb/s TCP {:.1f} cores, RDMA {:.3f}; one flow {:.0f} and {:.0f} Gb/s", 100 * tcp,
                               100 * most, runs.gbps("tcp"), runs.gbps("rocev2"));
  finding.text = fmt::format(
      "One flow of 1 MiB messages over 100 Gb/s. Kernel TCP uses {:.1f} core-ms per Gb of payload at both ends and "
      "gets {:.1f} Gb/s, as much as one core copies and processes. RoCEv2 gets {:.1f}, InfiniBand {:.1f}, iWARP "
      "{:.1f} Gb/s with {:.3f} core-ms per Gb: {:.0f} times less (at least {:.0f} times was asked). What a core "
      "needs for a byte is the catalogue's.",
      1e3 * tcp, runs.gbps("tcp"), runs.gbps("rocev2"), runs.gbps("infiniband"), runs.gbps("iwarp"), 1e3 * most,
      tcp / most, kFewer);
  finding.figures = {{"tcp", tcp, "cores per Gb/s"},
                     {"rdma", most, "cores per Gb/s"},
                     {"tcp_goodput", runs.gbps("tcp"), "Gb/s"},
                     {"rocev2_goodput", runs.gbps("rocev2"), "Gb/s"}};
  return finding;
}

Finding gpudirect(Readings& runs) {
  const double direct = runs.latency_us("gpudirect", "short");
  const double bounce = runs.latency_us("bounce", "short");
  const double direct_rate = runs.gbps("gpudirect", "long");
  const double bounce_rate = runs.gbps("bounce", "long");
  const double far_rate = runs.gbps("gpudirect-far", "long");
  Finding finding;
  const bool better = direct < bounce && direct_rate > bounce_rate;
  finding.verdict = !better ? Verdict::kDoesNotHold : far_rate >= bounce_rate ? Verdict::kHolds : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "GPU and NIC are on the same PCI Express switch or root complex";
  }
  finding.origin = FigureOrigin::kCatalogue;
  finding.figure = fmt::format("64 B: {:.1f} against {:.1f} us; 256 MiB: {:.0f} against {:.0f} Gb/s", direct, bounce,
                               direct_rate, bounce_rate);
  finding.text = fmt::format(
      "Between GPUs of two hosts with 400 Gb/s: 64 bytes take {:.1f} us with GPUDirect RDMA and {:.1f} us through "
      "host memory, mostly two launches of copies; 256 MiB go at {:.0f} and {:.0f} Gb/s. Over PCI Express 3.0 it is "
      "{:.0f} and {:.0f} Gb/s: there the bus limits both. Behind another root complex GPUDirect gets {:.0f} Gb/s, "
      "less than the bounce. Rates and launch times of PCI Express and GPUs are the catalogue's.",
      direct, bounce, direct_rate, bounce_rate, runs.gbps("gpudirect-gen3", "long"), runs.gbps("bounce-gen3", "long"),
      far_rate);
  finding.figures = {{"gpudirect_short", direct, "us"},
                     {"bounce_short", bounce, "us"},
                     {"gpudirect_long", direct_rate, "Gb/s"},
                     {"bounce_long", bounce_rate, "Gb/s"},
                     {"gpudirect_other_root_complex", far_rate, "Gb/s"}};
  return finding;
}

Finding one_api(Readings& runs) {
  const auto time = [&runs](const char* name) { return runs.longest_ms(name); };
  bool all = true;
  for (const ClaimCase& one : runs.cases()) {
    all = all && one.refusal.empty() && one.results.run.end == results::RunEnd::kFinished;
  }
  Finding finding;
  finding.verdict = by(all && runs.cases().size() >= 3);
  finding.figure = fmt::format("one program on {} families, one word changed", runs.cases().size());
  finding.text = fmt::format(
      "An all-reduce of 8 MiB over 8 hosts of equal hardware, the same program over verbs: InfiniBand {:.3f} ms, "
      "RoCEv2 {:.3f} ms, RoCEv1 {:.3f} ms, iWARP {:.3f} ms, and framed over kernel TCP (without the cost of its "
      "software) {:.3f} ms. All came to their end with the same calls; atomics and SEND with immediate data are "
      "refused over iWARP, READ and atomics over TCP.",
      time("infiniband"), time("rocev2"), time("rocev1"), time("iwarp"), time("tcp"));
  finding.figures = {{"infiniband", time("infiniband"), "ms"},
                     {"rocev2", time("rocev2"), "ms"},
                     {"rocev1", time("rocev1"), "ms"},
                     {"iwarp", time("iwarp"), "ms"},
                     {"tcp", time("tcp"), "ms"}};
  return finding;
}

Finding memory_pooling(Readings& runs) {
  std::uint64_t copies = 0;
  double pool_gained = 0;
  if (const auto& shared = runs.at("nvlink4").results.scale_up) {
    for (const results::MemoryAccessRow& access : shared->accesses) {
      copies += access.copies_avoided();
    }
    pool_gained = shared->share_gained();
  }
  const double peer = runs.latency_us("nvlink4", "peer-short");
  const double pool = runs.latency_us("nvlink4", "pool-short");
  const double copied = runs.latency_us("nvlink4", "copied-short");
  const double peer_rate = runs.gbps("nvlink4", "peer-long") / 8;
  const double pool_rate = runs.gbps("nvlink4", "pool-long") / 8;
  const double copied_rate = runs.gbps("nvlink4", "copied-long") / 8;
  Finding finding;
  const bool peers = copies > 0 && peer < copied && peer_rate > copied_rate;
  finding.verdict = !peers ? Verdict::kDoesNotHold : pool_rate >= peer_rate / 2 ? Verdict::kHolds : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "what lies in the pool is seldom touched";
  }
  finding.origin = FigureOrigin::kCatalogue;
  finding.figure = fmt::format("a load of 64 B: peer {:.1f} us, pool {:.1f} us, copied {:.1f} us", peer, pool, copied);
  finding.text = fmt::format(
      "NVLink 4. A load of 64 bytes from a peer takes {:.1f} us and 64 MiB go at {:.0f} GB/s; over the network with "
      "copies through host memory {:.1f} us and {:.0f} GB/s. {} copies were avoided. A pool adds {:.1f} times the "
      "GPUs' own memory, at {:.1f} us and {:.0f} GB/s: less than half of a peer's rate, so it is for what is seldom "
      "touched. Rate and latency of the pool are assumptions of the scenario.",
      peer, peer_rate, copied, copied_rate, copies, pool_gained, pool, pool_rate);
  finding.figures = {{"peer_load", peer, "us"},        {"pool_load", pool, "us"},
                     {"copied", copied, "us"},         {"peer_rate", peer_rate, "GB/s"},
                     {"pool_rate", pool_rate, "GB/s"}, {"copied_rate", copied_rate, "GB/s"}};
  return finding;
}

}  // namespace weft::study::claims
