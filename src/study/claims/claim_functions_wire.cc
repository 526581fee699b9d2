#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "study/claims/claim_functions.h"
#include "study/claims/over_seeds.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

/// What a switch and its cable add, of five in a chain, ns.
double hop_ns(Readings& runs, std::string_view case_name, std::string_view size) {
  constexpr double kHops = 4;
  const double near = runs.latency_us(case_name, fmt::format("near {}", size));
  const double far = runs.latency_us(case_name, fmt::format("far {}", size));
  return (far - near) / kHops * 1e3;
}

/// Of a case with three seeds.
struct Seeds {
  double least = 0;
  double most = 0;
  double mean = 0;
};

Seeds jitter_of(Readings& runs, std::string_view family) {
  Seeds seeds;
  for (int seed = 1; seed <= 3; ++seed) {
    const double jitter = runs.jitter_us(fmt::format("{} loaded {}", family, seed), "small");
    seeds.least = seed == 1 ? jitter : std::min(seeds.least, jitter);
    seeds.most = std::max(seeds.most, jitter);
    seeds.mean += jitter / 3;
  }
  return seeds;
}

}  // namespace

Finding cut_through(Readings& runs) {
  constexpr double kCable = 150;  // ns of 30 m
  const double ib_small = hop_ns(runs, "infiniband", "64 B");
  const double ib_large = hop_ns(runs, "infiniband", "4 KiB");
  const double ib_stored = hop_ns(runs, "infiniband-stored", "4 KiB");
  const double roce_large = hop_ns(runs, "rocev2", "4 KiB");
  const double roce_stored = hop_ns(runs, "rocev2-stored", "4 KiB");
  const double quantum = hop_ns(runs, "quantum-2", "4 KiB");
  const double tomahawk = hop_ns(runs, "tomahawk-5", "4 KiB");
  const double spectrum = hop_ns(runs, "spectrum-4", "4 KiB");
  Finding finding;
  // Forwarding before arrival: a long packet takes no longer per hop than a short one.
  finding.verdict = by(ib_large < ib_small + 10 && ib_large - kCable < 1000);
  finding.origin = origin_of({.equal = roce_large - ib_large, .as_sold = tomahawk - quantum});
  finding.figure = fmt::format("a hop of 4 KiB: Quantum-2 {:.0f} ns, Spectrum-4 {:.0f}, Tomahawk 5 {:.0f}", quantum,
                               spectrum, tomahawk);
  finding.text = fmt::format(
      "What a switch with 30 m of cable ({:.0f} ns) adds at 100 Gb/s. Equal hardware: InfiniBand {:.0f} ns with 64 "
      "bytes and {:.0f} ns with 4 KiB, so it does not wait for the packet's end; storing, it is {:.0f} ns. RoCEv2 on "
      "the same switch {:.0f} and {:.0f} ns: cutting through is a property of a switch, not of a family. As sold, "
      "with 4 KiB: Quantum-2 {:.0f} ns, Spectrum-4 (cuts through) {:.0f}, Tomahawk 5 (stores) {:.0f}; their "
      "latencies are vendors' claims.",
      kCable, ib_small, ib_large, ib_stored, roce_large, roce_stored, quantum, spectrum, tomahawk);
  finding.figures = {{"infiniband_64_bytes", ib_small, "ns"}, {"infiniband_4_kib", ib_large, "ns"},
                     {"infiniband_stored", ib_stored, "ns"},  {"rocev2_4_kib", roce_large, "ns"},
                     {"rocev2_stored", roce_stored, "ns"},    {"quantum_2", quantum, "ns"},
                     {"spectrum_4", spectrum, "ns"},          {"tomahawk_5", tomahawk, "ns"}};
  return finding;
}

Finding encapsulation(Readings& runs) {
  const auto lost = [&runs](int mtu) {
    return 1 - runs.gbps(fmt::format("rocev2 {}", mtu), "long") / runs.gbps(fmt::format("infiniband {}", mtu), "long");
  };
  const double at_256 = lost(256);
  const double at_1024 = lost(1024);
  const double at_4096 = lost(4096);
  const double roce = runs.latency_us("rocev2 4096", "short");
  const double ib = runs.latency_us("infiniband 4096", "short");
  Finding finding;
  finding.verdict = by(at_4096 > 0 && roce > ib);
  finding.figure = fmt::format("RoCEv2 has {:.1f} % less payload than InfiniBand at MTU 4096, {:.0f} % at 256",
                               100 * at_4096, 100 * at_256);
  finding.text = fmt::format(
      "One flow at 100 Gb/s, equal hardware. With an MTU of 4096 bytes RoCEv2 carries {:.1f} and InfiniBand {:.1f} "
      "Gb/s of payload, with 1024 {:.1f} and {:.1f}, with 256 {:.1f} and {:.1f}: {:.1f} %, {:.1f} % and {:.1f} % "
      "less. RoCEv1, without IP and UDP, has {:.1f} at 4096. A message of 256 bytes takes {:.0f} ns longer, of "
      "{:.2f} us. Small with large packets, and always there.",
      runs.gbps("rocev2 4096", "long"), runs.gbps("infiniband 4096", "long"), runs.gbps("rocev2 1024", "long"),
      runs.gbps("infiniband 1024", "long"), runs.gbps("rocev2 256", "long"), runs.gbps("infiniband 256", "long"),
      100 * at_4096, 100 * at_1024, 100 * at_256, runs.gbps("rocev1 4096", "long"), 1e3 * (roce - ib), ib);
  finding.figures = {{"lost_at_4096", at_4096, ""},
                     {"lost_at_1024", at_1024, ""},
                     {"lost_at_256", at_256, ""},
                     {"latency_rocev2", roce, "us"},
                     {"latency_infiniband", ib, "us"}};
  return finding;
}

Finding jitter(Readings& runs) {
  const Seeds ib = jitter_of(runs, "infiniband");
  const Seeds roce = jitter_of(runs, "rocev2");
  const double ib_idle = runs.jitter_us("infiniband idle", "small");
  const double roce_idle = runs.jitter_us("rocev2 idle", "small");
  const double ib_host = runs.jitter_us("infiniband host", "small");
  const double roce_host = runs.jitter_us("rocev2 host", "small");
  Finding finding;
  const bool apart = roce.least > ib.most;
  finding.verdict = apart ? Verdict::kHolds : by(roce.mean > ib.mean, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "the network is loaded, and only on average: seeds overlap";
  }
  finding.figure = fmt::format("p99.9 - p50 under load: InfiniBand {:.0f} to {:.0f} us, RoCEv2 {:.0f} to {:.0f} us",
                               ib.least, ib.most, roce.least, roce.most);
  finding.text = fmt::format(
      "64-byte messages beside a permutation of 1 MiB messages over 16 hosts, equal hardware, one class. p99.9 - p50 "
      "over three seeds: InfiniBand {:.1f} to {:.1f} us (mean {:.1f}), RoCEv2 with DCQCN {:.1f} to {:.1f} us (mean "
      "{:.1f}), whose shared buffers hold longer queues. Idle, both are at {:.2f} and {:.2f} us: the spread is made "
      "by queues. Hosts that take a random 200 ns more on average add {:.1f} us for either ({:.1f}): the host's part "
      "does not tell families apart. Firmware is not modelled. It holds without condition if no seed overlaps.",
      ib.least, ib.most, ib.mean, roce.least, roce.most, roce.mean, ib_idle, roce_idle, ib_host, roce_host);
  finding.figures = {{"infiniband_mean", ib.mean, "us"}, {"infiniband_most", ib.most, "us"},
                     {"rocev2_least", roce.least, "us"}, {"rocev2_mean", roce.mean, "us"},
                     {"infiniband_idle", ib_idle, "us"}, {"infiniband_host", ib_host, "us"},
                     {"rocev2_host", roce_host, "us"}};
  return finding;
}

Finding throughput_at_scale(Readings& runs) {
  constexpr double kSlightly = 0.05;
  const auto bus = [&runs](std::string_view family, int gpus, std::string_view where) {
    const double bytes = (gpus - 1.0) / gpus * (32 << 20);
    return over_seeds(runs, fmt::format("{} {}{}", family, gpus, where),
                      [&](const std::string& one) { return bytes / runs.operation_ms(one) * 1e-6; });
  };
  const auto lower = [](const OverSeeds& ib, const OverSeeds& roce) { return 1 - roce.mean / ib.mean; };
  const auto range = [](const OverSeeds& seeds) {
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", seeds.mean, seeds.least, seeds.most);
  };
  const auto both = [&](int gpus, std::string_view where) {
    const OverSeeds ib = bus("infiniband", gpus, where);
    const OverSeeds roce = bus("rocev2", gpus, where);
    return fmt::format("{:.1f} % on {} hosts, {} against {} GB/s", 100 * lower(ib, roce), gpus, range(roce), range(ib));
  };
  const auto per_packet = [&](int gpus) {
    return fmt::format("{} and {} GB/s on {}", range(bus("rocev2-spray", gpus, " scattered")),
                       range(bus("infiniband-ar", gpus, " scattered")), gpus);
  };
  const auto lower_on = [&](int gpus, std::string_view where) {
    return lower(bus("infiniband", gpus, where), bus("rocev2", gpus, where));
  };
  const double racks = lower_on(64, "");
  const double scattered = lower_on(64, " scattered");
  const double sprayed = lower(bus("infiniband-ar", 64, " scattered"), bus("rocev2-spray", 64, " scattered"));
  const auto slight_on_both = [&](std::string_view where) {
    return std::ranges::all_of(std::array{lower_on(32, where), lower_on(64, where)},
                               [](double share) { return share > 0 && share <= kSlightly; });
  };
  const bool in_racks = slight_on_both("");
  const bool anywhere = slight_on_both(" scattered");
  Finding finding;
  finding.verdict = in_racks && anywhere ? Verdict::kHolds : by(in_racks || anywhere, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = in_racks ? "neighbours of a ring share racks" : "ranks are scattered";
  }
  finding.figure = fmt::format(
      "RoCEv2 {:.1f} % lower in rack order on 64 hosts; scattered {:.0f} % on 32 and {:.0f} % on 64; {:.1f} % there "
      "per "
      "packet",
      100 * racks, 100 * lower_on(32, " scattered"), 100 * scattered, 100 * sprayed);
  finding.text = fmt::format(
      "Bus bandwidth of reduce-scatters of 32 MiB in a ring, one after another, 100 Gb/s, equal hardware, means over "
      "three seeds and from the least to the most. On one leaf, where nothing is shared, RoCEv2 is lower by {}, which "
      "is what its headers take, of data and of acknowledgements. Ranks in the order of racks: {}; {}. Ranks at random "
      "over racks, with one queue pair each, RoCEv2 by "
      "hash and InfiniBand by tables: {}; {}. The same with paths per packet, RoCEv2 as sold for AI and adaptive "
      "InfiniBand: {}; {}. Slightly: up to {:.0f} %, on 32 and on 64 hosts, and not met where RoCEv2 is higher.",
      both(8, ""), both(32, ""), both(64, ""), both(32, " scattered"), both(64, " scattered"), per_packet(32),
      per_packet(64), 100 * kSlightly);
  finding.figures = {{"lower_8", lower_on(8, ""), ""},
                     {"lower_64", racks, ""},
                     {"lower_64_scattered", scattered, ""},
                     {"lower_32_scattered", lower_on(32, " scattered"), ""},
                     {"lower_64_per_packet", sprayed, ""},
                     {"infiniband_64", bus("infiniband", 64, "").mean, "GB/s"},
                     {"rocev2_64", bus("rocev2", 64, "").mean, "GB/s"},
                     {"infiniband_64_scattered", bus("infiniband", 64, " scattered").mean, "GB/s"},
                     {"rocev2_64_scattered", bus("rocev2", 64, " scattered").mean, "GB/s"},
                     {"infiniband_ar_64_scattered", bus("infiniband-ar", 64, " scattered").mean, "GB/s"},
                     {"rocev2_spray_64_scattered", bus("rocev2-spray", 64, " scattered").mean, "GB/s"}};
  return finding;
}

}  // namespace weft::study::claims
