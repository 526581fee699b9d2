#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "fabric/ethernet/options.h"
#include "study/claims/claim_functions.h"
#include "study/claims/mistake_losses.h"
#include "study/claims/over_seeds.h"
#include "study/claims/verdicts.h"
#include "study/claims/victims.h"

namespace weft::study::claims {
namespace {

constexpr std::string_view kVictims = "victims";
constexpr std::array<std::size_t, 3> kSizes{64, 512, 2048};

/// What an incast does on one network of one size.
struct AtSize {
  OverSeeds drops;
  OverSeeds time;
  OverSeeds lines;
  OverSeeds mean;
  OverSeeds slowest;
};

AtSize at_size(Readings& runs, std::string_view how, std::size_t hosts) {
  const std::string name = fmt::format("{} {}", how, hosts);
  const auto of_holds = [&](double BlockedTime::*figure) {
    return over_seeds(runs, name,
                      [&](const std::string& one) { return holds(runs.at(one).results, kVictims).*figure; });
  };
  const auto of_shares = [&](double VictimShares::*figure) {
    return over_seeds(runs, name,
                      [&](const std::string& one) { return victim_shares(runs.at(one).results, kVictims).*figure; });
  };
  return {.drops = over_seeds(runs, name,
                              [&](const std::string& one) { return static_cast<double>(runs.network(one).drops); }),
          .time = of_holds(&BlockedTime::time),
          .lines = of_holds(&BlockedTime::lines),
          .mean = of_shares(&VictimShares::mean),
          .slowest = of_shares(&VictimShares::slowest)};
}

std::string text_of(const AtSize& at, std::size_t hosts) {
  return fmt::format(
      "{} hosts: {:.0f} drops, ports held {:.1f} % of the time, {} % of the victims' lines, victims "
      "keep {} %, the slowest {} %",
      hosts, at.drops.mean, 100 * at.time.mean, percent(at.lines), percent(at.mean), percent(at.slowest));
}

struct Network {
  const char* name;
  const char* text;
  std::array<AtSize, kSizes.size()> sizes{};
  [[nodiscard]] bool loses() const {
    return std::ranges::any_of(sizes, [](const AtSize& at) { return at.drops.most > 0; });
  }
  [[nodiscard]] double kept() const { return sizes.back().mean.mean / sizes.front().mean.mean; }
};

/// Of a switch with as many ports, one lossless priority, by the formula of docs/tuning.md.
struct Headroom {
  Rate rate;
  Duration cable;
  std::int64_t ports = 0;
  [[nodiscard]] double port_kb() const {
    constexpr std::int64_t kResponse = 905 * 64;  // 802.3's limit above 100 Gb/s
    const Bytes frame(4096 + 82);
    return static_cast<double>(fabric::headroom_bytes({.rate = rate,
                                                       .propagation = cable,
                                                       .pipeline = 700_ns,
                                                       .response = rate.transmit_time(Bytes(kResponse)),
                                                       .peer_frame = frame,
                                                       .local_frame = frame})
                                   .count()) *
           1e-3;
  }
  [[nodiscard]] double switch_mb() const { return port_kb() * static_cast<double>(ports) * 1e-3; }
};

Headroom headroom_of(std::int64_t metres, std::int64_t ports) {
  return {.rate = 400_gbps, .cable = Duration::nanoseconds(5 * metres), .ports = ports};
}

/// "75 % of it: 0 and 0 packets dropped".
std::string short_headroom(Readings& runs, int part, std::initializer_list<std::size_t> sizes) {
  std::string text;
  for (const std::size_t hosts : sizes) {
    const AtSize at = at_size(runs, fmt::format("pfc, headroom {} %", part), hosts);
    text += fmt::format("{}{:.0f} ({:.0f} to {:.0f}) on {}", text.empty() ? "" : ", ", at.drops.mean, at.drops.least,
                        at.drops.most, hosts);
  }
  return fmt::format("{} % of it {}", part, text);
}

}  // namespace

Finding lossless_at_scale(Readings& runs) {
  constexpr double kHarder = 0.9;
  std::array<Network, 3> networks{{{.name = "pfc", .text = "PFC alone"},
                                   {.name = "dcqcn", .text = "PFC with DCQCN tuned for the rate"},
                                   {.name = "infiniband", .text = "InfiniBand's credits on one lane"}}};
  Finding finding;
  std::string list;
  double drift = 0;
  for (Network& network : networks) {
    list += fmt::format("{}.", network.text);
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      network.sizes.at(i) = at_size(runs, network.name, kSizes.at(i));
      list += fmt::format(" {}{}", text_of(network.sizes.at(i), kSizes.at(i)), i + 1 < kSizes.size() ? ";" : ". ");
      drift = std::max(
          drift, unsettled(runs, fmt::format("{} {}", network.name, kSizes.at(i)), {.job = kVictims, .flows = 0}));
    }
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      const AtSize& at = network.sizes.at(i);
      finding.figures.push_back({fmt::format("{}_drops_{}", network.name, kSizes.at(i)), at.drops.most, ""});
      finding.figures.push_back({fmt::format("{}_kept_{}", network.name, kSizes.at(i)), at.mean.mean, ""});
      finding.figures.push_back({fmt::format("{}_slowest_{}", network.name, kSizes.at(i)), at.slowest.mean, ""});
      finding.figures.push_back({fmt::format("{}_held_{}", network.name, kSizes.at(i)), at.time.mean, ""});
      finding.figures.push_back({fmt::format("{}_lines_{}", network.name, kSizes.at(i)), at.lines.mean, ""});
    }
  }
  const auto harder = [](const Network& network) { return network.loses() || network.kept() < kHarder; };
  const bool pfc = harder(networks[0]);
  const bool dcqcn = harder(networks[1]);
  const bool infiniband = harder(networks[2]);
  finding.verdict = pfc && dcqcn && !infiniband ? Verdict::kHolds : by(pfc || dcqcn, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = infiniband ? "for every lossless network, InfiniBand included"
                        : pfc      ? "PFC is alone; DCQCN keeps pauses from spreading"
                                   : "DCQCN slows senders; PFC alone does not get worse";
  }
  const AtSize few = at_size(runs, "pfc, 6 senders", 512);
  const AtSize alone = at_size(runs, "alone", 512);
  finding.figure = fmt::format(
      "no packet dropped: {}; victims of an incast keep on 64 and 2,048 hosts: PFC {:.0f} and {:.0f} %, DCQCN {:.0f} "
      "and {:.0f} %, InfiniBand {:.0f} and {:.0f} %",
      std::ranges::any_of(networks, &Network::loses) ? "no" : "yes", 100 * networks[0].sizes.front().mean.mean,
      100 * networks[0].sizes.back().mean.mean, 100 * networks[1].sizes.front().mean.mean,
      100 * networks[1].sizes.back().mean.mean, 100 * networks[2].sizes.front().mean.mean,
      100 * networks[2].sizes.back().mean.mean);
  const Headroom row = headroom_of(30, 128);
  const Headroom hall = headroom_of(100, 128);
  const Headroom building = headroom_of(300, 128);
  const Headroom campus = headroom_of(2000, 128);
  finding.text = fmt::format(
      "Fat-trees of switches with 32 ports of 100 Gb/s and 8 MiB, two tiers for 64 and 512 hosts and three for 2,048, "
      "equal hardware. Every tenth host sends to one without end (6, 51 and 204 senders); all others send messages of "
      "16 KiB, one at a time, to one another, and share no host with that. Three seeds, means and from the least to "
      "the most. Held: paused, or without credits while something waits; of the victims' lines those count that are "
      "held for more than 1 % of the time, and none of them leads to the incast. Kept: time of the same messages on an "
      "empty network over their time in steady state; without the incast {} % on 512 hosts. {}Goodput of the two "
      "halves of the window differs by at most {:.0f} %. With 6 senders on 512 hosts as on 64, PFC alone: victims keep "
      "{} %, the slowest {} %, {} % of their lines are held. Headroom of a port does not depend on the cluster but on "
      "rate, cable and switch: "
      "for 400 Gb/s {:.0f} kB with 30 m, {:.0f} with 100 m, {:.0f} with 300 m, {:.0f} with 2 km; in a switch of 128 "
      "ports, one lossless priority and 165 MB {:.0f}, {:.0f}, {:.0f} and {:.0f} MB, a half and a quarter of that with "
      "64 and 32 ports. Longer cables are how clusters reach it. PFC alone with too little of it, packets dropped in 2 "
      "ms: {}; {}; {}. Harder: a packet dropped, or victims keep less than {:.0f} % on 2,048 of what they keep on 64.",
      percent(alone.mean), list, 100 * drift, percent(few.mean), percent(few.slowest), percent(few.lines),
      row.port_kb(), hall.port_kb(), building.port_kb(), campus.port_kb(), row.switch_mb(), hall.switch_mb(),
      building.switch_mb(), campus.switch_mb(), short_headroom(runs, 75, {64, 512}),
      short_headroom(runs, 50, {64, 512}), short_headroom(runs, 25, {64, 512}), 100 * kHarder);
  finding.figures.push_back({"headroom_300_m_128_ports", building.switch_mb(), "MB"});
  finding.figures.push_back({"few_senders_kept_512", few.mean.mean, ""});
  return finding;
}

}  // namespace weft::study::claims
