#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "study/claims/claim_functions.h"
#include "study/claims/hash_bound.h"
#include "study/claims/link_load.h"
#include "study/claims/over_seeds.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

constexpr std::size_t kHosts = 32;  // each sends one flow

SteadyShares shares_of_hosts(Readings& runs, std::string_view name) {
  return steady_shares(runs, name, {.flows = kHosts});
}

/// The busiest link from a leaf to a spine over the mean.
OverSeeds busiest_uplink(Readings& runs, std::string_view name) {
  return over_seeds(runs, name, [&runs](const std::string& one) {
    return link_load(runs.at(one).results, {.from = "leaf", .to = "spine"}).max_over_mean;
  });
}

}  // namespace

Finding fat_tree_ecmp(Readings& runs) {
  constexpr double kFull = 0.9;  // of what one switch gives
  const SteadyShares ecmp = shares_of_hosts(runs, "ecmp");
  const SteadyShares dcqcn = shares_of_hosts(runs, "ecmp, dcqcn");
  const SteadyShares any = shares_of_hosts(runs, "ecmp, any order");
  const SteadyShares spray = shares_of_hosts(runs, "spray, any order");
  const SteadyShares one = shares_of_hosts(runs, "one switch");
  const FlowSpread bound = hash_bound({.leaves = 8, .hosts_per_leaf = 4, .spines = 4});
  Finding finding;
  finding.verdict = by(ecmp.mean.mean >= kFull * one.mean.mean);
  finding.figure = fmt::format(
      "flows of a permutation get {:.0f} % of their lines with ECMP (slowest {:.0f} %), {:.0f} % sprayed, {:.0f} % on "
      "one switch",
      100 * ecmp.mean.mean, 100 * ecmp.slowest.mean, 100 * spray.mean.mean, 100 * one.mean.mean);
  finding.text = fmt::format(
      "A permutation in steady state over 32 hosts of 100 Gb/s under 8 leaf and 4 spine switches with as many uplinks "
      "as hosts, equal hardware. Goodput of the mean flow, of the 10th percentile and of the slowest as shares of the "
      "line, means over {} seeds and from the least to the most. On one switch, where no flow shares a link with "
      "another: {}. With ECMP by the hash of real headers, without congestion control: {}; the busiest uplink carries "
      "{:.1f} times the mean. Max-min sharing of links that are drawn at random, without any protocol or header, gives "
      "{:.0f}, {:.0f} and {:.0f} %. One change at a time: DCQCN for this rate {}; NICs that place packets in any order "
      "{}; on these, each packet over a random spine {}. Non-blocking: {:.0f} % of the mean on one switch.",
      seeds_of(runs, "ecmp").size(), percent(one), percent(ecmp), busiest_uplink(runs, "ecmp").mean, 100 * bound.mean,
      100 * bound.p10, 100 * bound.slowest, percent(dcqcn), percent(any), percent(spray), 100 * kFull);
  finding.figures = {{"ecmp", ecmp.mean.mean, ""},
                     {"ecmp_slowest", ecmp.slowest.mean, ""},
                     {"ecmp_dcqcn", dcqcn.mean.mean, ""},
                     {"ecmp_any_order", any.mean.mean, ""},
                     {"spray_any_order", spray.mean.mean, ""},
                     {"spray_any_order_slowest", spray.slowest.mean, ""},
                     {"one_switch", one.mean.mean, ""},
                     {"max_min_of_random_hashes", bound.mean, ""},
                     {"max_min_of_random_hashes_slowest", bound.slowest, ""},
                     {"ecmp_busiest_over_mean", busiest_uplink(runs, "ecmp").mean, ""}};
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
  const auto time = [&runs](std::string_view name) {
    return over_seeds(runs, name, [&runs](const std::string& one) { return runs.operation_ms(one); });
  };
  const OverSeeds one = time("1 qp");
  const OverSeeds sixteen = time("16 qp");
  const OverSeeds plain_one = time("no control, 1 qp");
  const OverSeeds plain_sixteen = time("no control, 16 qp");
  const OverSeeds plb = time("plb");
  const OverSeeds spray = time("rocev2-spray");
  const OverSeeds idle = time("one switch");
  const double load_one = busiest_uplink(runs, "1 qp").mean;
  const double load_sixteen = busiest_uplink(runs, "16 qp").mean;
  const auto range = [](const OverSeeds& seeds) {
    return fmt::format("{:.2f} ({:.2f} to {:.2f}) ms", seeds.mean, seeds.least, seeds.most);
  };
  Finding finding;
  finding.verdict = by(load_sixteen < kSpreads * load_one && sixteen.mean < kSpreads * one.mean);
  finding.figure = fmt::format("all-reduce: {:.2f} ms with 1 queue pair, {:.2f} ms with 16, {:.2f} ms on one switch",
                               one.mean, sixteen.mean, idle.mean);
  finding.text = fmt::format(
      "All-reduces of 32 MiB one after another in a ring over 16 hosts, every neighbour behind another leaf, 100 Gb/s, "
      "equal hardware, means over {} seeds and from the least to the most. On one switch an operation takes {}. RoCEv2 "
      "tuned for its rate, ECMP: {} with 1 queue pair for each connection, {} with 2, {} with 4, {} with 8, {} with "
      "16; the busiest uplink carries {:.1f} times the mean with 1, {:.1f} with 16. Without congestion control {} with "
      "1 and {} with 16. One queue pair that leaves a congested path (PLB): {}; the busiest uplink carries {:.1f} "
      "times "
      "the mean. The network as sold for AI, adaptive per packet: {}. Spreads: at most {:.0f} % of the load and of the "
      "time with one.",
      seeds_of(runs, "1 qp").size(), range(idle), range(one), range(time("2 qp")), range(time("4 qp")),
      range(time("8 qp")), range(sixteen), load_one, load_sixteen, range(plain_one), range(plain_sixteen), range(plb),
      busiest_uplink(runs, "plb").mean, range(spray), 100 * kSpreads);
  finding.figures = {{"one_queue_pair", one.mean, "ms"},
                     {"sixteen_queue_pairs", sixteen.mean, "ms"},
                     {"no_control_one_queue_pair", plain_one.mean, "ms"},
                     {"no_control_sixteen_queue_pairs", plain_sixteen.mean, "ms"},
                     {"plb", plb.mean, "ms"},
                     {"spray", spray.mean, "ms"},
                     {"one_switch", idle.mean, "ms"},
                     {"busiest_over_mean_1", load_one, ""},
                     {"busiest_over_mean_16", load_sixteen, ""}};
  return finding;
}

Finding upper_layer_not_enough(Readings& runs) {
  constexpr double kCeiling = 0.9;
  const std::array protocols{"no-control", "dcqcn", "swift", "hpcc", "window", "selective-repeat", "uet one path"};
  std::string best_name;
  SteadyShares best;
  std::string list;
  Finding finding;
  for (const char* const name : protocols) {
    const SteadyShares shares = shares_of_hosts(runs, name);
    if (best_name.empty() || shares.mean.mean > best.mean.mean) {
      best_name = name;
      best = shares;
    }
    list += fmt::format("{}{} {}", list.empty() ? "" : "; ", name, percent(shares));
    finding.figures.push_back({name, shares.mean.mean, ""});
  }
  const SteadyShares entropy = shares_of_hosts(runs, "entropy");
  const SteadyShares any = shares_of_hosts(runs, "ecmp, any order");
  const SteadyShares spray = shares_of_hosts(runs, "spray");
  const SteadyShares adaptive = shares_of_hosts(runs, "adaptive");
  const SteadyShares letflow = shares_of_hosts(runs, "letflow");
  const SteadyShares conweave = shares_of_hosts(runs, "conweave");
  const SteadyShares unordered = shares_of_hosts(runs, "spray in order");
  const SteadyShares leaf = shares_of_hosts(runs, "spray, leaf reorders");
  const SteadyShares scheduled = shares_of_hosts(runs, "scheduled");
  const SteadyShares uet = shares_of_hosts(runs, "uet");
  const FlowSpread bound = hash_bound({.leaves = 8, .hosts_per_leaf = 4, .spines = 4, .shift = 9});
  const double forwarding = std::max({spray.mean.mean, adaptive.mean.mean, leaf.mean.mean, scheduled.mean.mean});
  const bool ceiling = best.mean.mean < kCeiling * forwarding;
  finding.verdict = by(ceiling, entropy.mean.mean < kCeiling * forwarding ? Verdict::kHolds : Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "a connection keeps to one path; queue pairs enough do as much as forwarding per packet";
  }
  finding.figure = fmt::format(
      "share of the lines: best protocol ({}) {:.0f} %, 8 queue pairs {:.0f} %, forwarding per packet {:.0f} %",
      best_name, 100 * best.mean.mean, 100 * entropy.mean.mean, 100 * forwarding);
  finding.text = fmt::format(
      "Each of 32 hosts sends to one behind another leaf in steady state, equal hardware. Goodput of the mean flow, of "
      "the 10th percentile and of the slowest as shares of the line, means over {} seeds and from the least to the "
      "most. Paths by hash, one protocol changed at a time: {}. Max-min sharing of hashes drawn at random gives "
      "{:.0f}, {:.0f} and {:.0f} %. Eight queue pairs for each flow, still by hash and without congestion control: {}. "
      "Forwarding for NICs that want order: flowlets {}, since a busy NIC leaves no gaps; ConWeave {}; each packet at "
      "random with the last leaf restoring the order {}, with nobody restoring it {}; a scheduled fabric, whose cells "
      "have headers of their own, {}. NICs that take any order, by hash {}, each packet at random {}, by the depth of "
      "queues {}. Ultra Ethernet, whose endpoints choose a path for each packet while switches only hash: {}. The "
      "ceiling stands where all protocols stay below {:.0f} % of the best forwarding, in the mean; queue pairs do as "
      "much above that.",
      seeds_of(runs, "no-control").size(), list, 100 * bound.mean, 100 * bound.p10, 100 * bound.slowest,
      percent(entropy), percent(letflow), percent(conweave), percent(leaf), percent(unordered), percent(scheduled),
      percent(any), percent(spray), percent(adaptive), percent(uet), 100 * kCeiling);
  finding.figures.push_back({"entropy", entropy.mean.mean, ""});
  finding.figures.push_back({"ecmp_any_order", any.mean.mean, ""});
  finding.figures.push_back({"spray", spray.mean.mean, ""});
  finding.figures.push_back({"adaptive", adaptive.mean.mean, ""});
  finding.figures.push_back({"letflow", letflow.mean.mean, ""});
  finding.figures.push_back({"conweave", conweave.mean.mean, ""});
  finding.figures.push_back({"spray_leaf_reorders", leaf.mean.mean, ""});
  finding.figures.push_back({"spray_in_order", unordered.mean.mean, ""});
  finding.figures.push_back({"scheduled", scheduled.mean.mean, ""});
  finding.figures.push_back({"uet", uet.mean.mean, ""});
  finding.figures.push_back({"max_min_of_random_hashes", bound.mean, ""});
  return finding;
}

}  // namespace weft::study::claims
