#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "study/claims/claim_functions.h"
#include "study/claims/link_load.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

constexpr double kLine = 100;  // Gb/s of every host in these scenarios
constexpr double kHosts = 32;

/// Throughput of all hosts together, until the slowest message ended, over what their lines carry.
double of_lines(Readings& runs, std::string_view case_name, double hosts = kHosts) {
  return runs.gbps(case_name) / (hosts * kLine);
}

/// Mean, and how far the seeds are apart.
struct OverSeeds {
  double mean = 0;
  double least = 0;
  double most = 0;
};

/// Of cases "NAME 1" to "NAME 3".
template <class Value>
OverSeeds over_seeds(std::string_view name, const Value& value) {
  OverSeeds seeds;
  for (int seed = 1; seed <= 3; ++seed) {
    const double one = value(fmt::format("{} {}", name, seed));
    seeds.mean += one / 3;
    seeds.least = seed == 1 ? one : std::min(seeds.least, one);
    seeds.most = std::max(seeds.most, one);
  }
  return seeds;
}

}  // namespace

Finding fat_tree_ecmp(Readings& runs) {
  constexpr double kFull = 0.9;  // of what the ideal gets
  const OverSeeds ecmp = over_seeds("ecmp", [&](const std::string& name) { return of_lines(runs, name); });
  const OverSeeds load = over_seeds("ecmp", [&](const std::string& name) {
    return link_load(runs.at(name).results, {.from = "leaf", .to = "spine"}).max_over_mean;
  });
  const double ideal = of_lines(runs, "ideal");
  Finding finding;
  finding.verdict = by(ecmp.least >= kFull * ideal);
  finding.figure = fmt::format("a permutation gets {:.0f} % of its lines with ECMP, {:.0f} % without a hash",
                               100 * ecmp.mean, 100 * ideal);
  finding.text = fmt::format(
      "32 hosts of 100 Gb/s under 8 leaf and 4 spine switches with as many uplinks as hosts, equal hardware; 2 MiB "
      "from each to another, until the slowest has ended. With ECMP over the hash of real headers {:.0f} to {:.0f} % "
      "of the lines' rate over three seeds, the busiest uplink at {:.1f} times the mean; each packet at random over "
      "the same cables, in any order and without congestion control, {:.0f} %, although {:.0f} % of its packets are "
      "repetitions that NICs take for lost. So it is the hash that blocks first. Non-blocking: {:.0f} % of what is "
      "had without it. DCQCN is slow to take back what a collision took; part of ECMP's loss is that (see "
      "`upper-layer-not-enough`).",
      100 * ecmp.least, 100 * ecmp.most, load.mean, 100 * ideal, 100 * runs.sent_again("ideal"), 100 * kFull);
  finding.figures = {{"ecmp", ecmp.mean, ""}, {"ideal", ideal, ""}, {"ecmp_busiest_over_mean", load.mean, ""}};
  return finding;
}

Finding hash_polarisation(Readings& runs) {
  constexpr double kWorse = 1.5;
  const auto load = [&runs](const char* name, const char* from, const char* to) {
    return link_load(runs.at(name).results, {.from = from, .to = to});
  };
  const LinkLoad own = load("own-seeds", "agg", "core");
  const LinkLoad polarised = load("polarised", "agg", "core");
  const LinkLoad adaptive = load("adaptive", "agg", "core");
  Finding finding;
  const bool worse = polarised.max_over_mean > kWorse * own.max_over_mean;
  finding.verdict = by(worse, own.max_over_mean > kWorse ? Verdict::kHolds : Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "all switches hash alike";
  }
  finding.figure = fmt::format("busiest link to the core over the mean: {:.1f} polarised, {:.1f} with own seeds",
                               polarised.max_over_mean, own.max_over_mean);
  finding.text = fmt::format(
      "54 hosts in a fat-tree of three tiers, each sends to every other, equal hardware. With a hash seed of its own "
      "for every switch the busiest of {} links to the core carries {:.1f} times the mean and {} carry nothing; with "
      "the same hash in all {:.1f} times, and {} carry nothing, because the second tier repeats the choice of the "
      "first. From the leaves upwards it is {:.1f} in both. All messages take {:.0f} us and {:.0f} us. Per packet to "
      "the shortest queue: {:.1f} times the mean, {:.0f} us. Uneven: {:.1f} times as much as with own seeds.",
      own.links, own.max_over_mean, own.unused, polarised.max_over_mean, polarised.unused,
      load("polarised", "leaf", "agg").max_over_mean, 1e3 * runs.ended_ms("own-seeds"),
      1e3 * runs.ended_ms("polarised"), adaptive.max_over_mean, 1e3 * runs.ended_ms("adaptive"), kWorse);
  finding.figures = {{"own_seeds", own.max_over_mean, ""},
                     {"polarised", polarised.max_over_mean, ""},
                     {"polarised_links_unused", static_cast<double>(polarised.unused), ""},
                     {"adaptive", adaptive.max_over_mean, ""}};
  return finding;
}

Finding entropy(Readings& runs) {
  constexpr double kSpreads = 0.8;
  const auto time = [&runs](std::string_view name) { return runs.longest_ms(name); };
  const auto load = [&runs](std::string_view name) {
    return link_load(runs.at(name).results, {.from = "leaf", .to = "spine"}).max_over_mean;
  };
  const double one = (time("1 qp") + time("1 qp, seed 2") + time("1 qp, seed 3")) / 3;
  const double sixteen = (time("16 qp") + time("16 qp, seed 2") + time("16 qp, seed 3")) / 3;
  const double ideal = time("ideal");
  Finding finding;
  finding.verdict = by(load("16 qp") < kSpreads * load("1 qp") && sixteen < kSpreads * one);
  finding.figure =
      fmt::format("all-reduce: {:.2f} ms with 1 queue pair, {:.2f} ms with 16, {:.2f} ms ideal", one, sixteen, ideal);
  finding.text = fmt::format(
      "An all-reduce of 8 MiB in a ring over 16 hosts, every neighbour behind another leaf, 100 Gb/s, equal "
      "hardware, RoCEv2 with ECMP. With 1, 2, 4, 8 and 16 queue pairs for each connection it takes {:.2f}, {:.2f}, "
      "{:.2f}, {:.2f} and {:.2f} ms; the means over three seeds are {:.2f} ms for 1 and {:.2f} ms for 16. The "
      "busiest uplink carries {:.1f} times the mean with 1, {:.1f} with 16. Per packet to the shortest queue {:.2f} "
      "ms. PLB does not exist yet. Spreads: {:.0f} % of the load and of the time with one.",
      time("1 qp"), time("2 qp"), time("4 qp"), time("8 qp"), time("16 qp"), one, sixteen, load("1 qp"), load("16 qp"),
      ideal, 100 * kSpreads);
  finding.figures = {{"one_queue_pair", one, "ms"},
                     {"sixteen_queue_pairs", sixteen, "ms"},
                     {"ideal", ideal, "ms"},
                     {"busiest_over_mean_1", load("1 qp"), ""},
                     {"busiest_over_mean_16", load("16 qp"), ""}};
  return finding;
}

Finding per_packet_adaptive(Readings& runs) {
  constexpr double kBetter = 1.2;
  const double ecmp = of_lines(runs, "ecmp");
  const double spray = of_lines(runs, "spray");
  const double adaptive = of_lines(runs, "adaptive");
  const double table = of_lines(runs, "infiniband-table");
  const double ib = of_lines(runs, "infiniband-adaptive");
  const double slow_ecmp = of_lines(runs, "slow-link ecmp");
  const double slow_spray = of_lines(runs, "slow-link spray");
  const double slow_adaptive = of_lines(runs, "slow-link adaptive");
  Finding finding;
  const bool roce_gains = adaptive > kBetter * ecmp;
  const bool ib_gains = ib > kBetter * table;
  finding.verdict = roce_gains && ib_gains ? Verdict::kHolds : by(roce_gains || ib_gains, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = roce_gains ? "paths were chosen by hash before, not by InfiniBand's tables" : "on InfiniBand";
  }
  finding.figure =
      fmt::format("share of the lines: RoCEv2 {:.0f} % by hash, {:.0f} % adaptive; InfiniBand {:.0f} and {:.0f} %",
                  100 * ecmp, 100 * adaptive, 100 * table, 100 * ib);
  finding.text = fmt::format(
      "A permutation of 2 MiB messages over 32 hosts of 100 Gb/s, equal hardware, NICs that take any order. RoCEv2 "
      "gets {:.0f} % of the lines' rate by hash, {:.0f} % with each packet at random, {:.0f} % with each to the "
      "shortest queue; InfiniBand {:.0f} % by its tables, {:.0f} % adaptive. With one link at a quarter of its rate "
      "RoCEv2 gets {:.0f}, {:.0f} and {:.0f} %. Between queues that are equally short each packet takes one at random; "
      "a switch knows its own queues, not those behind the next hop. The median message of RoCEv2 takes {:.0f} us at "
      "random and {:.0f} us adaptive; the slowest is one that DCQCN cut, and ends a run. Better: {:.1f} times the "
      "throughput.",
      100 * ecmp, 100 * spray, 100 * adaptive, 100 * table, 100 * ib, 100 * slow_ecmp, 100 * slow_spray,
      100 * slow_adaptive, runs.latency_us("spray"), runs.latency_us("adaptive"), kBetter);
  finding.figures = {{"rocev2_ecmp", ecmp, ""},           {"rocev2_spray", spray, ""},
                     {"rocev2_adaptive", adaptive, ""},   {"infiniband_table", table, ""},
                     {"infiniband_adaptive", ib, ""},     {"slow_link_ecmp", slow_ecmp, ""},
                     {"slow_link_spray", slow_spray, ""}, {"slow_link_adaptive", slow_adaptive, ""}};
  return finding;
}

Finding nic_reorder(Readings& runs) {
  constexpr double kNeeds = 1.5;
  const double in_order = runs.ended_ms("go-back-n");
  const double selective = runs.ended_ms("selective-repeat");
  const double any = runs.ended_ms("out-of-order-placement");
  const double ecmp = runs.ended_ms("ecmp");
  Finding finding;
  finding.verdict = by(in_order > kNeeds * std::min(selective, any));
  finding.figure =
      fmt::format("sprayed: {:.2f} ms in order, {:.2f} ms with a reorder buffer, {:.2f} ms placed in any order",
                  in_order, selective, any);
  finding.text = fmt::format(
      "A permutation of 2 MiB messages over 32 hosts, each packet over a random spine, nothing is lost, equal "
      "hardware. A NIC that takes packets in order alone asks for what merely came late: {:.0f} % of its packets are "
      "repetitions, and it takes {:.2f} ms (ECMP, which keeps the order, {:.2f} ms). A NIC that keeps up to 127 "
      "packets that came early sends {:.0f} % again and takes {:.2f} ms; one that places packets where they belong, "
      "without a buffer, {:.0f} % and {:.2f} ms: what is still repeated is taken for lost after a fixed number of "
      "later packets. Needed: {:.1f} times as long without.",
      100 * runs.sent_again("go-back-n"), in_order, ecmp, 100 * runs.sent_again("selective-repeat"), selective,
      100 * runs.sent_again("out-of-order-placement"), any, kNeeds);
  finding.figures = {{"in_order", in_order, "ms"},
                     {"reorder_buffer", selective, "ms"},
                     {"any_order", any, "ms"},
                     {"ecmp_in_order", ecmp, "ms"},
                     {"sent_again_in_order", runs.sent_again("go-back-n"), ""},
                     {"sent_again_any_order", runs.sent_again("out-of-order-placement"), ""}};
  return finding;
}

Finding in_order_hampers(Readings& runs) {
  constexpr double kHampers = 1.2;
  const auto time = [&runs](const char* how, const char* order) {
    return runs.ended_ms(fmt::format("{}, {}", how, order));
  };
  const std::array ways{"ecmp", "spray", "adaptive"};
  double best_in_order = 1e9;
  double best_any = 1e9;
  for (const char* const way : ways) {
    best_in_order = std::min(best_in_order, time(way, "in order"));
    best_any = std::min(best_any, time(way, "any order"));
  }
  Finding finding;
  finding.verdict = by(best_in_order > kHampers * best_any);
  finding.figure =
      fmt::format("best way to balance: {:.2f} ms in order, {:.2f} ms in any order", best_in_order, best_any);
  finding.text = fmt::format(
      "A permutation of 2 MiB messages over 32 hosts, equal hardware. With NICs that want order: by hash {:.2f} ms, "
      "per packet at random {:.2f} ms, per packet to the shortest queue {:.2f} ms. With NICs that take any order "
      "{:.2f}, {:.2f} and {:.2f} ms. What balances best needs any order; with order the hash is left. Hampers: the "
      "best with order takes {:.1f} times as long.",
      time("ecmp", "in order"), time("spray", "in order"), time("adaptive", "in order"), time("ecmp", "any order"),
      time("spray", "any order"), time("adaptive", "any order"), kHampers);
  finding.figures = {{"best_in_order", best_in_order, "ms"}, {"best_any_order", best_any, "ms"}};
  for (const char* const way : ways) {
    finding.figures.push_back({fmt::format("{}_in_order", way), time(way, "in order"), "ms"});
    finding.figures.push_back({fmt::format("{}_any_order", way), time(way, "any order"), "ms"});
  }
  return finding;
}

Finding upper_layer_not_enough(Readings& runs) {
  constexpr double kCeiling = 0.9;
  const auto time = [&runs](std::string_view name) {
    return over_seeds(name, [&runs](const std::string& one) { return runs.ended_ms(one); });
  };
  const double dcqcn = time("dcqcn").mean;
  const double none = time("no-control").mean;
  const double window = time("window").mean;
  const double selective = time("selective-repeat").mean;
  const double entropy = time("entropy").mean;
  const double spray = time("spray").mean;
  const double adaptive = time("adaptive").mean;
  const double protocols = std::min({dcqcn, none, window, selective});
  const double forwarding = std::min(spray, adaptive);
  Finding finding;
  const bool ceiling = forwarding < kCeiling * protocols;
  finding.verdict = by(ceiling, forwarding < kCeiling * entropy ? Verdict::kHolds : Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "a connection keeps to one path; queue pairs enough do as much as forwarding per packet";
  }
  finding.figure = fmt::format("best protocol {:.2f} ms, 8 queue pairs {:.2f} ms, forwarding per packet {:.2f} ms",
                               protocols, entropy, forwarding);
  finding.text = fmt::format(
      "2 MiB from each of 32 hosts to one behind another leaf, equal hardware, means over three seeds; 0.17 ms is "
      "what the lines need. On paths by hash: DCQCN {:.2f} ms, selective repeat {:.2f} ms, a fixed window {:.2f} ms, "
      "no congestion control at all {:.2f} ms: two flows on one link stay two flows on one link. Each packet at "
      "random {:.2f} ms, to the shortest queue {:.2f} ms. Eight queue pairs for each connection, still by hash, "
      "{:.2f} ms. A scheduled fabric does not exist yet. The ceiling counts as broken within {:.0f} % of forwarding.",
      dcqcn, selective, window, none, spray, adaptive, entropy, 100 * (1 / kCeiling - 1));
  finding.figures = {{"dcqcn", dcqcn, "ms"},      {"selective_repeat", selective, "ms"},
                     {"window", window, "ms"},    {"no_control", none, "ms"},
                     {"entropy", entropy, "ms"},  {"spray", spray, "ms"},
                     {"adaptive", adaptive, "ms"}};
  return finding;
}

Finding adaptive_routing_scale(Readings& runs) {
  constexpr double kNear = 0.8;
  const auto share = [&runs](std::string_view how, int hosts) {
    return of_lines(runs, fmt::format("{} {}", how, hosts), hosts);
  };
  const double table = share("infiniband table", 256);
  const double ib = share("infiniband adaptive", 256);
  const double ecmp = share("rocev2 ecmp", 256);
  const double spray = share("rocev2 spray", 256);
  const double roce = share("rocev2 adaptive", 256);
  const double best_roce = std::max(spray, roce);
  Finding finding;
  const bool helps = ib * kNear > table;
  finding.verdict = !helps ? Verdict::kDoesNotHold : best_roce < kNear * ib ? Verdict::kHolds : Verdict::kHoldsWhen;
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "RoCE is left with ECMP; with paths chosen per packet it keeps up";
  }
  finding.figure = fmt::format(
      "256 hosts, share of the lines: InfiniBand {:.0f} % by tables, {:.0f} % adaptive; RoCEv2 {:.0f} % by hash, "
      "{:.0f} % per packet",
      100 * table, 100 * ib, 100 * ecmp, 100 * best_roce);
  finding.text = fmt::format(
      "A permutation over 16, 64 and 256 hosts of 100 Gb/s, as many uplinks as hosts, equal hardware; throughput "
      "until the slowest message has ended, of the lines' rate. InfiniBand by tables {:.0f}, {:.0f} and {:.0f} %, "
      "adaptive {:.0f}, {:.0f} and {:.0f} %; RoCEv2 by hash {:.0f}, {:.0f} and {:.0f} %, at random per packet "
      "{:.0f}, {:.0f} and {:.0f} %, adaptive {:.0f}, {:.0f} and {:.0f} %. The way paths are chosen decides, not the "
      "family: the articles that give RoCE thousands of GPUs and those that give it more differ in that. Tens of "
      "thousands are beyond these runs. Keeps up: {:.0f} % of the other.",
      100 * share("infiniband table", 16), 100 * share("infiniband table", 64), 100 * table,
      100 * share("infiniband adaptive", 16), 100 * share("infiniband adaptive", 64), 100 * ib,
      100 * share("rocev2 ecmp", 16), 100 * share("rocev2 ecmp", 64), 100 * ecmp, 100 * share("rocev2 spray", 16),
      100 * share("rocev2 spray", 64), 100 * spray, 100 * share("rocev2 adaptive", 16),
      100 * share("rocev2 adaptive", 64), 100 * roce, 100 * kNear);
  finding.figures = {{"infiniband_table", table, ""},
                     {"infiniband_adaptive", ib, ""},
                     {"rocev2_ecmp", ecmp, ""},
                     {"rocev2_spray", spray, ""},
                     {"rocev2_adaptive", roce, ""}};
  return finding;
}

}  // namespace weft::study::claims
