#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "study/claims/claim_functions.h"
#include "study/claims/over_seeds.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

SteadyShares shares_of(Readings& runs, std::string_view name, std::size_t hosts = 32) {
  return steady_shares(runs, name, {.flows = hosts});  // each sends one flow
}

/// What all of these texts say of their figures.
constexpr std::string_view kFigures =
    "Goodput of the mean flow, of the 10th percentile and of the slowest as shares of the line, means over three seeds "
    "and from the least to the most.";

OverSeeds retransmitted_share(Readings& runs, std::string_view name) {
  return over_seeds(runs, name, [&runs](const std::string& one) { return runs.retransmitted_share(one); });
}

}  // namespace

Finding per_packet_adaptive(Readings& runs) {
  constexpr double kBetter = 1.2;
  const SteadyShares ecmp = shares_of(runs, "ecmp");
  const SteadyShares spray = shares_of(runs, "spray");
  const SteadyShares adaptive = shares_of(runs, "adaptive");
  const SteadyShares table = shares_of(runs, "infiniband table");
  const SteadyShares ib = shares_of(runs, "infiniband adaptive");
  const SteadyShares product = shares_of(runs, "product");
  const SteadyShares slow_ecmp = shares_of(runs, "slow link ecmp");
  const SteadyShares slow_spray = shares_of(runs, "slow link spray");
  const SteadyShares slow_adaptive = shares_of(runs, "slow link adaptive");
  Finding finding;
  const bool roce_gains = adaptive.mean.mean > kBetter * ecmp.mean.mean;
  const bool ib_gains = ib.mean.mean > kBetter * table.mean.mean;
  finding.verdict = roce_gains && ib_gains ? Verdict::kHolds : by(roce_gains || ib_gains, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = roce_gains ? "paths were chosen by hash before, not by InfiniBand's tables" : "on InfiniBand";
  }
  finding.figure =
      fmt::format("share of the lines: RoCEv2 {:.0f} % by hash, {:.0f} % adaptive; InfiniBand {:.0f} and {:.0f} %",
                  100 * ecmp.mean.mean, 100 * adaptive.mean.mean, 100 * table.mean.mean, 100 * ib.mean.mean);
  finding.text = fmt::format(
      "A permutation in steady state over 32 hosts of 100 Gb/s under 8 leaf and 4 spine switches, equal hardware, NICs "
      "that place packets in any order, no congestion control. {} RoCEv2 by hash {}, each packet at random {}, each by "
      "the depth of queues {}. InfiniBand by its tables {}, adaptive {}. With one link between switches at a quarter "
      "of its rate RoCEv2 gets {} by hash, {} at random, {} adaptive: a switch knows its own queues, not those behind "
      "the next hop. The product, adaptive with DCQCN: {}. Better: {:.1f} times the mean of the path that was fixed.",
      kFigures, percent(ecmp), percent(spray), percent(adaptive), percent(table), percent(ib), percent(slow_ecmp),
      percent(slow_spray), percent(slow_adaptive), percent(product), kBetter);
  finding.figures = {{"rocev2_ecmp", ecmp.mean.mean, ""},
                     {"rocev2_spray", spray.mean.mean, ""},
                     {"rocev2_adaptive", adaptive.mean.mean, ""},
                     {"rocev2_adaptive_slowest", adaptive.slowest.mean, ""},
                     {"infiniband_table", table.mean.mean, ""},
                     {"infiniband_adaptive", ib.mean.mean, ""},
                     {"infiniband_adaptive_slowest", ib.slowest.mean, ""},
                     {"product", product.mean.mean, ""},
                     {"slow_link_ecmp", slow_ecmp.mean.mean, ""},
                     {"slow_link_spray", slow_spray.mean.mean, ""},
                     {"slow_link_adaptive", slow_adaptive.mean.mean, ""}};
  return finding;
}

Finding nic_reorder(Readings& runs) {
  constexpr double kNeeds = 1.5;
  const SteadyShares in_order = shares_of(runs, "go-back-n");
  const SteadyShares by_count = shares_of(runs, "buffer, by count");
  const SteadyShares by_time = shares_of(runs, "buffer, by time");
  const SteadyShares any = shares_of(runs, "any order");
  const SteadyShares ecmp = shares_of(runs, "ecmp");
  const auto again = [&runs](std::string_view name) { return 100 * retransmitted_share(runs, name).mean; };
  Finding finding;
  finding.verdict = by(std::max(by_time.mean.mean, any.mean.mean) > kNeeds * in_order.mean.mean);
  finding.figure = fmt::format(
      "sprayed, share of the lines: {:.0f} % in order, {:.0f} % with a reorder buffer, {:.0f} % placed in any order",
      100 * in_order.mean.mean, 100 * by_time.mean.mean, 100 * any.mean.mean);
  finding.text = fmt::format(
      "A permutation in steady state over 32 hosts of 100 Gb/s, each packet over a random spine, nothing is lost, "
      "equal hardware, no congestion control. {} A NIC that takes packets in order alone asks again for what merely "
      "came late: {}, {:.0f} % of its packets are repetitions; ECMP, which keeps the order, {}. A NIC that keeps up to "
      "64 packets that came early, and takes a packet for lost when it has been overtaken for several round trips: {}, "
      "{:.1f} % repetitions; when three later ones have arrived: {}, {:.0f} %. A NIC that places packets where they "
      "belong, without a buffer: {}, {:.1f} %. Needed: {:.1f} times the mean of in order.",
      kFigures, percent(in_order), again("go-back-n"), percent(ecmp), percent(by_time), again("buffer, by time"),
      percent(by_count), again("buffer, by count"), percent(any), again("any order"), kNeeds);
  finding.figures = {{"in_order", in_order.mean.mean, ""},
                     {"buffer_by_time", by_time.mean.mean, ""},
                     {"buffer_by_count", by_count.mean.mean, ""},
                     {"any_order", any.mean.mean, ""},
                     {"any_order_slowest", any.slowest.mean, ""},
                     {"ecmp_in_order", ecmp.mean.mean, ""},
                     {"sent_again_in_order", retransmitted_share(runs, "go-back-n").mean, ""},
                     {"sent_again_any_order", retransmitted_share(runs, "any order").mean, ""}};
  return finding;
}

Finding in_order_hampers(Readings& runs) {
  constexpr double kHampers = 1.2;
  struct Way {
    const char* name;
    const char* text;
    SteadyShares in_order{};
    SteadyShares any{};
  };
  std::array<Way, 4> ways{{{.name = "ecmp", .text = "by hash"},
                           {.name = "flowlet", .text = "by flowlet"},
                           {.name = "spray", .text = "per packet at random"},
                           {.name = "adaptive", .text = "per packet by the depth of queues"}}};
  double best_in_order = 0;
  double best_any = 0;
  std::string in_order;
  std::string any;
  Finding finding;
  for (Way& way : ways) {
    way.in_order = shares_of(runs, fmt::format("{}, in order", way.name));
    way.any = shares_of(runs, fmt::format("{}, any order", way.name));
    best_in_order = std::max(best_in_order, way.in_order.mean.mean);
    best_any = std::max(best_any, way.any.mean.mean);
    in_order += fmt::format("{}{} {}", in_order.empty() ? "" : "; ", way.text, percent(way.in_order));
    any += fmt::format("{}{} {}", any.empty() ? "" : "; ", way.text, percent(way.any));
    finding.figures.push_back({fmt::format("{}_in_order", way.name), way.in_order.mean.mean, ""});
    finding.figures.push_back({fmt::format("{}_any_order", way.name), way.any.mean.mean, ""});
  }
  finding.verdict = by(best_any > kHampers * best_in_order);
  finding.figure = fmt::format("best way to balance, share of the lines: {:.0f} % in order, {:.0f} % in any order",
                               100 * best_in_order, 100 * best_any);
  finding.text = fmt::format(
      "A permutation in steady state over 32 hosts of 100 Gb/s under 8 leaf and 4 spine switches, equal hardware, no "
      "congestion control. {} With NICs that want order: {}. With NICs that take any order: {}. A flow that always "
      "sends has no flowlets: it keeps the port that it took first. Hampers: the best without order has {:.1f} times "
      "the mean of the best with it.",
      kFigures, in_order, any, kHampers);
  finding.figures.push_back({"best_in_order", best_in_order, ""});
  finding.figures.push_back({"best_any_order", best_any, ""});
  return finding;
}

Finding adaptive_routing_scale(Readings& runs) {
  constexpr double kNear = 0.8;
  constexpr std::array<std::size_t, 3> kSizes{32, 64, 256};
  struct Network {
    const char* name;
    const char* text;
    SteadyShares largest{};
  };
  std::array<Network, 4> networks{{{.name = "infiniband", .text = "InfiniBand by tables"},
                                   {.name = "infiniband-ar", .text = "InfiniBand adaptive"},
                                   {.name = "rocev2", .text = "RoCEv2 with ECMP and DCQCN"},
                                   {.name = "rocev2-spray", .text = "RoCEv2 as sold for AI"}}};
  std::string list;
  Finding finding;
  for (Network& network : networks) {
    list += fmt::format("{}{}", list.empty() ? "" : ". ", network.text);
    for (const std::size_t hosts : kSizes) {
      network.largest = shares_of(runs, fmt::format("{} {}", network.name, hosts), hosts);
      list += fmt::format("{} {}", hosts == kSizes.front() ? ":" : ";", percent(network.largest));
    }
    finding.figures.push_back({network.name, network.largest.mean.mean, ""});
    finding.figures.push_back({fmt::format("{}_slowest", network.name), network.largest.slowest.mean, ""});
  }
  const auto mean = [&networks](std::size_t which) { return networks.at(which).largest.mean.mean; };
  const bool helps = mean(1) * kNear > mean(0);
  finding.verdict = !helps ? Verdict::kDoesNotHold : mean(3) < kNear * mean(1) ? Verdict::kHolds : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "RoCE is left with ECMP; with paths chosen per packet it keeps up";
  }
  finding.figure = fmt::format(
      "256 hosts, share of the lines: InfiniBand {:.0f} % by tables, {:.0f} % adaptive; RoCEv2 {:.0f} % by hash, "
      "{:.0f} % per packet",
      100 * mean(0), 100 * mean(1), 100 * mean(2), 100 * mean(3));
  finding.text = fmt::format(
      "A permutation in steady state over 32, 64 and 256 hosts of 100 Gb/s, as many uplinks as hosts, equal hardware. "
      "{} {}. Tens of thousands of hosts are beyond these runs. Helps: InfiniBand's tables have less than {:.0f} % of "
      "the adaptive mean on 256 hosts; keeps up: RoCEv2 has at least as much of it.",
      kFigures, list, 100 * kNear);
  return finding;
}

}  // namespace weft::study::claims
