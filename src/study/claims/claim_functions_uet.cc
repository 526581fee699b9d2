#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "study/claims/claim_functions.h"
#include "study/claims/mistake_losses.h"
#include "study/claims/over_seeds.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

constexpr std::size_t kPermutation = 32;    // hosts, each of which sends one flow
constexpr std::size_t kRingAndIncast = 46;  // flows of uet-tuning.toml

SteadyShares permutation_of(Readings& runs, const std::string& name) {
  return steady_shares(runs, name, {.flows = kPermutation});
}

OverSeeds longest_of(Readings& runs, const std::string& name) {
  return over_seeds(runs, name, [&runs](const std::string& one) { return runs.longest_ms(one); });
}

/// Sent again, of all packets with data.
double again_of(Readings& runs, const std::string& name) {
  return over_seeds(runs, name, [&runs](const std::string& one) { return runs.retransmitted_share(one); }).mean;
}

}  // namespace

Finding uet_multipath(Readings& runs) {
  constexpr double kFull = 0.9;    // of the lines
  constexpr double kIncast = 1.1;  // of what the receiver's line needs
  constexpr double kIdealMs = 16 * 4.0 * (1 << 20) * 8 / 100e9 * 1e3;
  const SteadyShares uet = permutation_of(runs, "permutation, uet");
  const SteadyShares one_path = permutation_of(runs, "permutation, uet one path");
  const SteadyShares slow = permutation_of(runs, "slow link, uet");
  const OverSeeds incast = longest_of(runs, "incast, uet");
  const auto listed = [](std::string_view load, auto names, auto text) {
    std::string list;
    for (const char* const name : names) {
      list += fmt::format("{}{} {}", list.empty() ? "" : "; ", name, text(fmt::format("{}, {}", load, name)));
    }
    return list;
  };
  const auto shares = [&runs](const std::string& name) { return percent(permutation_of(runs, name)); };
  const auto times = [&runs](const std::string& name) {
    const OverSeeds time = longest_of(runs, name);
    return fmt::format("{:.2f} ({:.2f} to {:.2f}) ms, {:.1f} % sent again", time.mean, time.least, time.most,
                       100 * again_of(runs, name));
  };
  const SteadyShares wide = permutation_of(runs, "permutation, uet wide window");
  const bool sprays = uet.mean.mean >= kFull;
  const bool sprays_wide = wide.mean.mean >= kFull;
  const bool manages = incast.mean <= kIncast * kIdealMs;
  Finding finding;
  finding.verdict = by(manages && (sprays || sprays_wide), sprays ? Verdict::kHolds : Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "NSCC's largest window is wider than published, where a round trip takes a few microseconds";
  }
  finding.figure = fmt::format(
      "a permutation gets {:.0f} % of its lines, {:.0f} % with a window of 2 products (one path per flow {:.0f} %); 16 "
      "to "
      "1 takes {:.2f} times the line's time",
      100 * uet.mean.mean, 100 * wide.mean.mean, 100 * one_path.mean.mean, incast.mean / kIdealMs);
  finding.text = fmt::format(
      "32 hosts of 100 Gb/s under 8 leaf and 4 spine switches with as many uplinks as hosts, equal hardware, three "
      "seeds. A permutation in steady state, goodput of the mean flow, of the 10th percentile and of the slowest as "
      "shares of the line: {}. With one link of a spine at a quarter of its rate: {}. 16 hosts send 4 MiB each to one, "
      "which its line alone needs {:.2f} ms for: {}. So spraying needs paths for each packet and an endpoint that "
      "takes "
      "them in any order; whether paths are chosen by what acknowledgements tell decides where links differ. The round "
      "trip of "
      "this network takes some 4 us; NSCC's published window of 1.5 bandwidth-delay products then leaves little room "
      "for "
      "packets of others ahead in a queue (wide window: 2 products). Sprays: "
      "at least {:.0f} % of the lines; manages incast: at most {:.0f} % above the line's time.",
      listed("permutation",
             std::array{"uet", "uet oblivious", "uet one path", "uet wide window", "rocev2", "rocev2-spray",
                        "infiniband", "infiniband-ar"},
             shares),
      listed("slow link", std::array{"uet", "uet oblivious", "rocev2-spray", "infiniband-ar"}, shares), kIdealMs,
      listed("incast", std::array{"uet", "rocev2", "rocev2-spray", "infiniband"}, times), 100 * kFull,
      100 * (kIncast - 1));
  finding.figures = {{"permutation", uet.mean.mean, ""},
                     {"permutation_slowest", uet.slowest.mean, ""},
                     {"permutation_wide_window", wide.mean.mean, ""},
                     {"permutation_one_path", one_path.mean.mean, ""},
                     {"slow_link", slow.mean.mean, ""},
                     {"incast", incast.mean, "ms"},
                     {"incast_of_the_line", kIdealMs, "ms"}};
  return finding;
}

Finding uet_tuning(Readings& runs) {
  constexpr double kLess = 0.5;  // of what RoCEv2 loses
  const FlowChoice all{.flows = kRingAndIncast};
  const MistakeLosses uet = losses_of_misconfigurations(runs, "uet", all);
  const MistakeLosses roce = losses_of_misconfigurations(runs, "rocev2", all);
  const Loss uet_worst = worst_loss(uet.single);
  const Loss roce_worst = worst_loss(roce.single);
  const Loss uet_untuned = loss_of(runs, {.right = "uet", .wrong = "uet-untuned"}, all);
  const Loss roce_untuned = loss_of(runs, {.right = "rocev2", .wrong = "rocev2-untuned"}, all);
  const double uet_median = median_loss(uet.single);
  const double roce_median = median_loss(roce.single);
  const bool less_at_worst = uet_worst.mean.mean <= kLess * roce_worst.mean.mean;
  const bool less_untuned = uet_untuned.mean.mean <= kLess * roce_untuned.mean.mean;
  Finding finding;
  finding.verdict =
      by(less_at_worst || less_untuned, less_at_worst && less_untuned ? Verdict::kHolds : Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = less_untuned ? fmt::format("nothing is configured; one wrong setting, {}, still costs {:.0f} %",
                                                   uet_worst.name, 100 * uet_worst.mean.mean)
                                     : "one setting is wrong, not where nothing is configured";
  }
  finding.figure = fmt::format("goodput lost by one wrong setting, at worst: UET {:.0f} % ({}), RoCEv2 {:.0f} % ({})",
                               100 * uet_worst.mean.mean, uet_worst.name, 100 * roce_worst.mean.mean, roce_worst.name);
  finding.text = fmt::format(
      "32 hosts of 400 Gb/s under 8 leaf switches with half as many uplinks and 8 MiB of buffer, equal hardware. Each "
      "sends to one behind another leaf, 14 of them to one host besides, 4 MiB of each flow in flight; goodput of all "
      "flows in steady state, three seeds, each against itself set up right. Ultra Ethernet gets {}, RoCEv2 {}. Lost "
      "by one of {} mistakes with Ultra Ethernet: {:.1f} % in the median; at least 5 %: {}. By one of {} with RoCEv2: "
      "{:.1f} % in the median; at least 5 %: {}. With nothing configured: Ultra Ethernet loses {:.0f} %, RoCEv2 {:.0f} "
      "%. Less: at most {:.0f} % of RoCEv2's loss.",
      percent(steady_shares(runs, "uet", all)), percent(steady_shares(runs, "rocev2", all)), uet.single.size(),
      100 * uet_median, list_of(uet.single, 0.05), roce.single.size(), 100 * roce_median, list_of(roce.single, 0.05),
      100 * uet_untuned.mean.mean, 100 * roce_untuned.mean.mean, 100 * kLess);
  finding.figures = {{"uet_median", uet_median, ""},
                     {"uet_worst", uet_worst.mean.mean, ""},
                     {"uet_untuned", uet_untuned.mean.mean, ""},
                     {"rocev2_median", roce_median, ""},
                     {"rocev2_worst", roce_worst.mean.mean, ""},
                     {"rocev2_untuned", roce_untuned.mean.mean, ""}};
  return finding;
}

}  // namespace weft::study::claims
