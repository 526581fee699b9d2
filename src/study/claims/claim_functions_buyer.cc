#include <fmt/core.h>

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
  finding.condition = fmt::format("the comparison has no {}", what);
  return finding;
}

ComparisonReading document_of(const Readings& runs) { return ComparisonReading(*runs.comparison()); }

}  // namespace

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
