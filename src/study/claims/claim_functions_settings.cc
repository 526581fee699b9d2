#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "study/claims/claim_functions.h"
#include "study/claims/mistake_losses.h"
#include "study/claims/over_seeds.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

/// Of the goodput, by which one loss is less than another: seeds differ by as much.
constexpr double kClear = 0.05;

constexpr double kCollapse = 0.5;
constexpr double kHurts = 0.1;
constexpr double kSettled = 0.05;
/// 32 hosts send one flow each, 14 of them one more to a host that they share.
constexpr FlowChoice kAllFlows{.flows = 46};

/// A loss says nothing against a network that is still on its way somewhere.
Finding not_settled(std::string_view name, double drift) {
  Finding finding;
  finding.condition = fmt::format("{} has not converged: goodput of the two halves of the window differs by {:.0f} %",
                                  name, 100 * drift);
  return finding;
}

std::string text_of(const Loss& loss) {
  return fmt::format("{} % in the mean, {:.0f} % of the slowest flow", percent(loss.mean), 100 * loss.slowest.mean);
}

OverSeeds negated(const OverSeeds& seeds) { return {.mean = -seeds.mean, .least = -seeds.most, .most = -seeds.least}; }

void add_losses(const std::vector<Loss>& losses, std::string_view network, Finding& finding) {
  for (const Loss& one : losses) {
    finding.figures.push_back({fmt::format("{}, {}", network, one.name), one.mean.mean, ""});
  }
}

/// "a, b or c".
std::string names_of(const std::vector<Loss>& losses) {
  std::string text;
  for (const Loss& one : losses) {
    text += fmt::format("{}{}", text.empty() ? "" : &one == &losses.back() ? " or " : ", ", one.name);
  }
  return text;
}

std::vector<Loss> above(std::vector<Loss> losses, double least) {
  std::erase_if(losses, [least](const Loss& one) { return one.mean.mean <= least; });
  std::ranges::stable_sort(losses, std::ranges::greater{}, [](const Loss& one) { return one.mean.mean; });
  return losses;
}

}  // namespace

Finding tuning_collapse(Readings& runs) {
  for (const char* const name : {"rocev2", "bounded, rocev2"}) {
    if (const double drift = unsettled(runs, name, kAllFlows); drift > kSettled) {
      return not_settled(name, drift);
    }
  }
  const MistakeLosses misconfigurations = losses_of_misconfigurations(runs, "rocev2", kAllFlows);
  const MistakeLosses bounded = losses_of_misconfigurations(runs, "bounded, rocev2", kAllFlows);
  std::vector<Loss> single = misconfigurations.single;
  const auto against_tuned = [&runs](std::string_view wrong) {
    return loss_of(runs, {.right = "rocev2", .wrong = wrong}, kAllFlows);
  };
  single.push_back(against_tuned("rocev2, ECN off"));
  const Loss no_control = against_tuned("rocev2, congestion control off");
  const Loss no_pauses = against_tuned("rocev2, PFC off");
  const Loss defaults = against_tuned("rocev2-defaults");
  const Loss untuned = against_tuned("rocev2-untuned");
  const Loss bounded_untuned =
      loss_of(runs, {.right = "bounded, rocev2", .wrong = "bounded, rocev2-untuned"}, kAllFlows);
  const double median = median_loss(single);
  const Loss worst = worst_loss(single);
  const Loss worst_bounded = worst_loss(bounded.single);
  Finding finding;
  finding.verdict = median > kCollapse ? Verdict::kHolds : by(worst.mean.mean > kHurts, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    const std::vector<Loss> collapsed = above(single, kCollapse);
    finding.condition =
        collapsed.empty()
            ? fmt::format("\"precise tuning\" means {}, and then it is a loss, not a collapse", worst.name)
            : fmt::format("\"precise tuning\" means {}, and senders keep more in flight than buffers hold",
                          names_of(collapsed));
  }
  finding.figure = fmt::format(
      "goodput lost by one wrong setting: {:.1f} % in the median, {:.0f} % at worst ({}); with 512 KiB in flight "
      "{:.0f} %",
      100 * median, 100 * worst.mean.mean, worst.name, 100 * worst_bounded.mean.mean);
  finding.text = fmt::format(
      "RoCEv2 over 32 hosts of 400 Gb/s under 8 leaf switches with half as many uplinks and 8 MiB of buffer, equal "
      "hardware. Each sends to one behind another leaf, 14 of them to one host besides, 4 MiB of each flow in flight. "
      "Goodput of all flows in steady state, of the mean flow, of the 10th percentile and of the slowest as shares of "
      "the line, means over three seeds and from the least to the most: {} set up right. Lost by one mistake, each "
      "seed against its own: {:.1f} % in the median of {}; at least 5 % of the mean: {}. Pairs of mistakes: {}. "
      "Congestion control off: {}; PFC off: {}; nothing configured, ECMP alone: {}. Firmware and switch defaults "
      "(`rocev2-defaults`), "
      "whatever "
      "the rate: {}. The case against: the same with 512 KiB of each flow in flight, as a collective library bounds "
      "it. There {} set up right, the median mistake costs {:.1f} % and the worst, {}, {:.0f} %; nothing configured "
      "{}. "
      "So what decides is whether senders can fill buffers: then marks have to come before pauses, and pauses and the "
      "room behind them have to work on every switch. Timers are 1 ms instead of 67 ms, so that what waits for "
      "one is part of the steady state. Collapse: {:.0f} % lost in the median; a loss counts from {:.0f} %.",
      percent(steady_shares(runs, "rocev2", kAllFlows)), 100 * median, single.size(), list_of(single, 0.05),
      list_of(misconfigurations.pairs, -1), text_of(no_control), text_of(no_pauses), text_of(untuned),
      text_of(defaults), percent(steady_shares(runs, "bounded, rocev2", kAllFlows)), 100 * median_loss(bounded.single),
      worst_bounded.name, 100 * worst_bounded.mean.mean, text_of(bounded_untuned), 100 * kCollapse, 100 * kHurts);
  finding.figures = {{"median", median, ""},
                     {"worst", worst.mean.mean, ""},
                     {"defaults", defaults.mean.mean, ""},
                     {"untuned", untuned.mean.mean, ""},
                     {"bounded_median", median_loss(bounded.single), ""},
                     {"bounded_worst", worst_bounded.mean.mean, ""},
                     {"bounded_untuned", bounded_untuned.mean.mean, ""}};
  add_losses(single, "rocev2", finding);
  add_losses(misconfigurations.pairs, "rocev2", finding);
  return finding;
}

Finding ib_easy_or_hard(Readings& runs) {
  for (const char* const name : {"infiniband", "infiniband-cc", "rocev2"}) {
    if (const double drift = unsettled(runs, name, kAllFlows); drift > kSettled) {
      return not_settled(name, drift);
    }
  }
  const MistakeLosses ib = losses_of_misconfigurations(runs, "infiniband", kAllFlows);
  const MistakeLosses roce = losses_of_misconfigurations(runs, "rocev2", kAllFlows);
  std::vector<Loss> single = ib.single;
  single.push_back(
      loss_of(runs, {.right = "infiniband", .wrong = "infiniband, lane of the data changed on one switch"}, kAllFlows));
  std::vector<Loss> control;
  for (const char* const wrong : {"marks rare", "recovers slowly", "recovers fast"}) {
    const std::string name = fmt::format("infiniband-cc, {}", wrong);
    control.push_back(loss_of(runs, {.right = "infiniband-cc", .wrong = name}, kAllFlows));
    control.back().name = fmt::format("congestion control {}", wrong);
  }
  single.insert(single.end(), control.begin(), control.end());
  const Loss with_control = loss_of(runs, {.right = "infiniband", .wrong = "infiniband-cc"}, kAllFlows);
  const Loss worst_ib = worst_loss(single);
  const Loss worst_roce = worst_loss(roce.single);
  const SettingsToMake& ib_settings = runs.at("infiniband 1").settings;
  const SettingsToMake& roce_settings = runs.at("rocev2 1").settings;
  const bool fewer = ib_settings.count < roce_settings.count;
  const bool safer =
      median_loss(single) <= median_loss(roce.single) && worst_ib.mean.mean + kClear < worst_roce.mean.mean;
  Finding finding;
  finding.verdict = Verdict::kHoldsWhen;
  finding.condition = fewer && safer ? "said as \"simpler to run\": fewer settings, and less is lost by a wrong one"
                      : !fewer && !safer
                          ? "said as \"needs special skills\": more settings, and more is lost by a wrong one"
                      : fewer ? "\"simpler\" means fewer settings; a wrong one can cost as much as with RoCEv2"
                              : "\"simpler\" means that wrong settings cost less; there are not fewer";
  finding.figure = fmt::format(
      "settings: InfiniBand {}, RoCEv2 {}; goodput lost by a wrong one {:.1f} and {:.1f} % in the median, {:.0f} and "
      "{:.0f} % at worst",
      ib_settings.count, roce_settings.count, 100 * median_loss(single), 100 * median_loss(roce.single),
      100 * worst_ib.mean.mean, 100 * worst_roce.mean.mean);
  finding.text = fmt::format(
      "32 hosts of 400 Gb/s under 8 leaf switches with half as many uplinks, equal hardware. Each sends to one behind "
      "another leaf, 14 of them to one host besides, 4 MiB of each flow in flight, as in tuning-collapse. Goodput of "
      "all flows in steady state, of the mean flow, of the 10th percentile and of the slowest as shares of the line, "
      "means over three seeds and from the least to the most: InfiniBand {} set up right, RoCEv2 {}. Settings that "
      "have to be right and are not the factory's: {} on InfiniBand, on {} device (the subnet manager), {} on RoCEv2, "
      "on {} devices. Lost by one mistake, each seed against its own: InfiniBand {:.1f} % in the median of {}; at "
      "least 1 % of the mean: {}; pairs: {}. RoCEv2 {:.1f} % in the median of {}; at least 1 %: {}; pairs: {}. The "
      "case "
      "against \"plug-and-play\": InfiniBand's congestion control is off unless somebody sets it. With published "
      "parameters: {}, the mean is {} % higher; lost of that by other ones (less than nothing: gained): {}. Without it "
      "full buffers hold up flows that do not go to the incast, as pauses do where RoCEv2's notifications are off; "
      "with it there are parameters to tune, for which a subnet manager has no rule. Credits need no thresholds, and "
      "are wrong only where buffers are short for the cable. An arbitration table that does not name the data's lane "
      "is refused before the run. Routing engines of a subnet manager other than the fat-tree's are not modelled, nor "
      "is what people know. Simpler: fewer settings, and less lost in the median and, by 5 points, at worst.",
      percent(steady_shares(runs, "infiniband", kAllFlows)), percent(steady_shares(runs, "rocev2", kAllFlows)),
      ib_settings.count, ib_settings.devices, roce_settings.count, roce_settings.devices, 100 * median_loss(single),
      single.size(), list_of(single, 0.01), list_of(ib.pairs, -1), 100 * median_loss(roce.single), roce.single.size(),
      list_of(roce.single, 0.01), list_of(roce.pairs, -1), percent(steady_shares(runs, "infiniband-cc", kAllFlows)),
      percent(negated(with_control.mean)), list_of(control, -10));
  finding.figures = {{"settings_infiniband", static_cast<double>(ib_settings.count), ""},
                     {"settings_rocev2", static_cast<double>(roce_settings.count), ""},
                     {"median_infiniband", median_loss(single), ""},
                     {"median_rocev2", median_loss(roce.single), ""},
                     {"worst_infiniband", worst_ib.mean.mean, ""},
                     {"worst_rocev2", worst_roce.mean.mean, ""},
                     {"loss by congestion control", with_control.mean.mean, ""}};
  add_losses(single, "infiniband", finding);
  add_losses(roce.single, "rocev2", finding);
  return finding;
}

}  // namespace weft::study::claims
