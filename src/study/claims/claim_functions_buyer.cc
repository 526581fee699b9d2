#include <fmt/format.h>

#include <algorithm>

#include "study/claims/claim_functions.h"
#include "study/claims/comparison_reading.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

constexpr std::string_view kIb = "infiniband";
constexpr std::string_view kRoce = "rocev2";

/// The comparison was given, without what the claim needs.
Finding lacking(std::string_view what) {
  Finding finding;
  finding.condition = fmt::format("the comparison does not say {}", what);
  return finding;
}

ComparisonReading document_of(const Readings& runs) { return ComparisonReading(*runs.comparison()); }

double percent(double share) { return 100 * share; }

}  // namespace

Finding tuning_collapse(Readings& runs) {
  constexpr double kCollapse = 0.5;
  constexpr double kHurts = 0.1;
  const ComparisonReading document = document_of(runs);
  const auto risk = document.tuning_risk(kRoce);
  if (!risk) {
    return lacking("the tuning risk of rocev2");
  }
  Finding finding;
  finding.verdict = risk->median > kCollapse ? Verdict::kHolds : by(risk->worst > kHurts, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = fmt::format("the wrong setting is the worst one ({}){}", risk->worst_setting,
                                    risk->worst > kCollapse ? "" : ", and then it is a loss, not a collapse");
  }
  finding.figure = fmt::format("step time lost by a wrong setting: {:.1f} % in the median, {:.0f} % at worst",
                               percent(risk->median), percent(risk->worst));
  finding.text = fmt::format(
      "{}: of the plausible wrong settings of RoCEv2 the median costs {:.1f} % of the step time and the worst, {}, "
      "{:.0f} %.",
      document.job(), percent(risk->median), risk->worst_setting, percent(risk->worst));
  const auto tuned = document.step_time(kRoce);
  const auto untuned = document.step_time("rocev2-untuned");
  if (tuned && untuned) {
    finding.text += fmt::format(" With all as devices leave the factory a step takes {:.2f} times as long.",
                                untuned->mean / tuned->mean);
    finding.figures.push_back({"untuned_over_tuned", untuned->mean / tuned->mean, ""});
  }
  finding.text += fmt::format(" Collapse: {:.0f} % lost in the median; a loss counts from {:.0f} %.",
                              percent(kCollapse), percent(kHurts));
  finding.figures.push_back({"median", risk->median, ""});
  finding.figures.push_back({"worst", risk->worst, ""});
  return finding;
}

Finding lossless_at_scale(Readings& runs) {
  constexpr double kHarder = 1.1;
  const ComparisonReading document = document_of(runs);
  const auto sizes = document.tuning_risk_by_size(kRoce);
  if (sizes.empty()) {
    return lacking("the tuning risk of rocev2 at several sizes: weft compare --sizes 64,512");
  }
  const TuningRiskAt& small = sizes.front();
  const TuningRiskAt& large = sizes.back();
  Finding finding;
  finding.verdict = by(large.risk.worst > kHarder * small.risk.worst);
  finding.figure = fmt::format("worst setting costs {:.0f} % on {} GPUs, {:.0f} % on {}", percent(small.risk.worst),
                               small.gpus, percent(large.risk.worst), large.gpus);
  finding.text = fmt::format("RoCEv2, wrong settings one at a time; median and worst loss of step time:");
  for (const TuningRiskAt& one : sizes) {
    finding.text += fmt::format(" {:.1f} and {:.0f} % ({}) on {} GPUs;", percent(one.risk.median),
                                percent(one.risk.worst), one.risk.worst_setting, one.gpus);
    finding.figures.push_back({fmt::format("worst_{}", one.gpus), one.risk.worst, ""});
  }
  finding.text += fmt::format(" harder: the worst loss grows {:.1f} times.", kHarder);
  return finding;
}

Finding ib_easy_or_hard(Readings& runs) {
  const ComparisonReading document = document_of(runs);
  const auto ib = document.settings(kIb);
  const auto roce = document.settings(kRoce);
  const auto ib_risk = document.tuning_risk(kIb);
  const auto roce_risk = document.tuning_risk(kRoce);
  if (!ib || !roce || !ib_risk || !roce_risk) {
    return lacking("settings and tuning risk of infiniband and rocev2");
  }
  const bool fewer = *ib < *roce;
  const bool safer = ib_risk->worst < roce_risk->worst;
  Finding finding;
  finding.verdict = Verdict::kHoldsWhen;
  finding.condition = fewer && safer ? "said as \"simpler to run\": fewer settings, and less is lost by a wrong one"
                      : !fewer && !safer
                          ? "said as \"needs special skills\": more settings, and more is lost by a wrong one"
                      : fewer ? "\"simpler\" means fewer settings; a wrong one costs more than with RoCEv2"
                              : "\"simpler\" means that wrong settings cost less; there are not fewer";
  finding.figure = fmt::format("settings: InfiniBand {:.0f}, RoCEv2 {:.0f}; worst loss {:.0f} and {:.0f} %", *ib, *roce,
                               percent(ib_risk->worst), percent(roce_risk->worst));
  finding.text = fmt::format(
      "{}. Settings that have to be right: {:.0f} on InfiniBand ({:.0f} devices), {:.0f} on RoCEv2 ({:.0f} devices). "
      "Loss of step time by plausible wrong settings: InfiniBand {:.1f} % in the median and {:.0f} % at worst ({}), "
      "RoCEv2 {:.1f} and {:.0f} % ({}). What people know is not measured.",
      document.job(), *ib, document.devices(kIb).value_or(0), *roce, document.devices(kRoce).value_or(0),
      percent(ib_risk->median), percent(ib_risk->worst), ib_risk->worst_setting, percent(roce_risk->median),
      percent(roce_risk->worst), roce_risk->worst_setting);
  finding.figures = {{"settings_infiniband", *ib, ""},
                     {"settings_rocev2", *roce, ""},
                     {"worst_infiniband", ib_risk->worst, ""},
                     {"worst_rocev2", roce_risk->worst, ""}};
  return finding;
}

Finding roce_cost(Readings& runs) {
  constexpr double kSlightly = 1.1;
  const ComparisonReading document = document_of(runs);
  const auto ib = document.cost_usd(kIb);
  const auto roce = document.cost_usd(kRoce);
  if (!ib || !roce || *ib <= 0) {
    return lacking("the cost of infiniband and rocev2");
  }
  const double ratio = *roce / *ib;
  Finding finding;
  finding.verdict = by(ratio <= kSlightly, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = ratio < 1 ? "said as \"costs less\"" : "said as \"costs slightly more\"";
  }
  finding.origin = FigureOrigin::kCatalogue;
  finding.figure = fmt::format("RoCEv2 costs {:.2f} times InfiniBand: {:.2f} and {:.2f} million USD", ratio,
                               *roce * 1e-6, *ib * 1e-6);
  finding.text = fmt::format(
      "{}. Switches, NICs, optics and cables: RoCEv2 {:.0f} thousand USD, InfiniBand {:.0f}, at indicative prices of "
      "the catalogue, most of them guesses; upkeep and staff only as given. Power {:.1f} and {:.1f} kW. Slightly: up "
      "to {:.0f} % more.",
      document.job(), *roce * 1e-3, *ib * 1e-3, document.power_w(kRoce).value_or(0) * 1e-3,
      document.power_w(kIb).value_or(0) * 1e-3, 100 * (kSlightly - 1));
  finding.figures = {{"rocev2", *roce, "USD"}, {"infiniband", *ib, "USD"}};
  return finding;
}

Finding buyers(Readings& runs) {
  const ComparisonReading document = document_of(runs);
  const auto ib = document.step_time(kIb);
  const auto roce = document.step_time(kRoce);
  const auto ib_cost = document.cost_usd(kIb);
  const auto roce_cost = document.cost_usd(kRoce);
  if (!ib || !roce || !ib_cost || !roce_cost) {
    return lacking("step time and cost of infiniband and rocev2");
  }
  const bool faster = ib->high < roce->low;
  const bool cheaper = *roce_cost < *ib_cost;
  Finding finding;
  finding.verdict = faster && cheaper ? Verdict::kHolds : by(faster || cheaper, Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = faster ? "it is about speed; RoCEv2 is not cheaper here"
                               : "it is about cost; InfiniBand is not faster beyond the confidence interval";
  }
  finding.origin = FigureOrigin::kCatalogue;
  finding.figure = fmt::format("InfiniBand's step takes {:.4f} of RoCEv2's, RoCEv2 costs {:.2f} times InfiniBand",
                               ib->mean / roce->mean, *roce_cost / *ib_cost);
  finding.text = fmt::format(
      "{}. A step takes {:.4f} s on InfiniBand ({:.4f} to {:.4f}) and {:.4f} s on tuned RoCEv2 ({:.4f} to {:.4f}); "
      "the network costs {:.0f} and {:.0f} thousand USD at indicative prices. With switches and cables that are "
      "owned already, give them in `[cost] owned` and compare again.",
      document.job(), ib->mean, ib->low, ib->high, roce->mean, roce->low, roce->high, *ib_cost * 1e-3,
      *roce_cost * 1e-3);
  finding.figures = {{"infiniband", ib->mean, "s"},
                     {"rocev2", roce->mean, "s"},
                     {"infiniband_cost", *ib_cost, "USD"},
                     {"rocev2_cost", *roce_cost, "USD"}};
  return finding;
}

}  // namespace weft::study::claims
