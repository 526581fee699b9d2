#include "study/compare/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "study/compare/seconds_text.h"
#include "study/report/comparison_keys.h"

namespace weft::study::compare {
namespace {

using Json = nlohmann::ordered_json;

/// Weighed excesses that differ by less decide nothing: half a per cent of the step or the cost.
constexpr double kNothing = 0.005;

std::string name_of(const Json& fabric) { return fabric.at("name").get<std::string>(); }
double step_of(const Json& fabric) { return fabric.at(report::key::kStepTime).get<double>(); }

std::string interval_text(const Json& fabric) {
  const std::string mean = seconds_text(step_of(fabric));
  return fabric.contains(report::key::kStepTimeLow)
             ? fmt::format("{} (95 %: {} to {})", mean, seconds_text(fabric[report::key::kStepTimeLow].get<double>()),
                           seconds_text(fabric[report::key::kStepTimeHigh].get<double>()))
             : mean;
}

/// What mistakes can cost, as a share of the step; one that stops the job counts as all of it.
std::optional<double> worst_risk(const Json& fabric) {
  if (!fabric.contains(report::key::kTuningRisk)) {
    return std::nullopt;
  }
  const Json& risk = fabric[report::key::kTuningRisk];
  if (risk.contains("reason")) {
    return std::nullopt;
  }
  return risk.value(report::key::kWorstFails, false) ? 1.0 : std::clamp(risk.value("worst", 0.0), 0.0, 1.0);
}

/// Money for what is not there yet: with Ethernet in place, its NICs alone.
std::optional<double> budget_of(const Json& fabric, const BuyerWeights& weights) {
  if (!fabric.contains(report::key::kCost)) {
    return std::nullopt;
  }
  double cost = fabric[report::key::kCost].get<double>();
  if (weights.name == "existing-ethernet" && fabric.value("family", "") != "infiniband" && fabric.contains("bill")) {
    for (const Json& line : fabric["bill"]) {
      if (line.at("part") != "nic" && !line.value("owned", false)) {
        cost -= line.at("price_usd").get<double>();
      }
    }
  }
  return cost;
}

class Verdict {
 public:
  Verdict(const Json& fabrics, const BuyerWeights& weights) : weights_(weights) {
    for (const Json& fabric : fabrics) {
      (fabric.at("possible").get<bool>() ? possible_ : impossible_).push_back(&fabric);
    }
    std::ranges::stable_sort(possible_, {}, [](const Json* own) { return step_of(*own); });
  }

  Json all() {
    if (possible_.empty()) {
      return std::move(sentences_);
    }
    choice();
    speed();
    for (std::size_t i = 1; i < possible_.size(); ++i) {
      gap(*possible_[i]);
    }
    budget();
    risk();
    for (const Json* own : impossible_) {
      say(fmt::format("{} cannot serve this job as it is described.", name_of(*own)), own->value("reason", ""),
          "emerges");
    }
    return std::move(sentences_);
  }

 private:
  void say(const std::string& text, const std::string& evidence, const char* origin) {
    sentences_.push_back({{"text", text}, {"evidence", evidence}, {"origin", origin}, {"weights", weights_.name}});
  }

  struct Score {
    const Json* fabric = nullptr;
    double total = 0;
    std::string parts;
  };

  /// Excess over the best in each respect, weighed and added up.
  [[nodiscard]] std::vector<Score> scores() const {
    double best_step = step_of(*possible_.front());
    std::optional<double> cheapest;
    std::optional<double> calmest;
    bool all_priced = true;
    bool all_tried = true;
    for (const Json* own : possible_) {
      const auto cost = budget_of(*own, weights_);
      const auto risk = worst_risk(*own);
      all_priced = all_priced && cost.has_value();
      all_tried = all_tried && risk.has_value();
      cheapest = cost ? std::min(cheapest.value_or(*cost), *cost) : cheapest;
      calmest = risk ? std::min(calmest.value_or(*risk), *risk) : calmest;
    }
    std::vector<Score> made;
    for (const Json* own : possible_) {
      Score score{.fabric = own, .total = 0, .parts = {}};
      const double slower = step_of(*own) / best_step - 1;
      score.total += weights_.speed * slower;
      score.parts = fmt::format("step {:+.1f} %", slower * 100);
      if (all_priced && *cheapest > 0) {
        const double dearer = *budget_of(*own, weights_) / *cheapest - 1;
        score.total += weights_.budget * dearer;
        score.parts += fmt::format(", cost {:+.1f} %", dearer * 100);
      }
      if (all_tried) {
        const double riskier = *worst_risk(*own) - *calmest;
        score.total += weights_.tuning * riskier;
        score.parts += fmt::format(", worst misconfiguration {:+.1f} %", riskier * 100);
      }
      made.push_back(std::move(score));
    }
    std::ranges::stable_sort(made, {}, &Score::total);
    return made;
  }

  void choice() {
    const std::vector<Score> ranked = scores();
    if (ranked.size() < 2) {
      say(fmt::format("{} is the only fabric that can serve this job.", name_of(*ranked.front().fabric)),
          fmt::format("step {}", interval_text(*ranked.front().fabric)), "emerges");
      return;
    }
    std::string evidence;
    for (const Score& score : ranked) {
      evidence += fmt::format("{}{} {:.3f} ({})", evidence.empty() ? "" : "; ", name_of(*score.fabric), score.total,
                              score.parts);
    }
    const auto describe_choice = [&](const std::string& text) {
      say(text,
          fmt::format("excess over the best in each criterion, weighted {:g} : {:g} : {:g}: {}", weights_.speed,
                      weights_.budget, weights_.tuning, evidence),
          "catalogue");
    };
    const std::string weighed = fmt::format("with the weights {} (speed {:g}, budget {:g}, tuning {:g})", weights_.name,
                                            weights_.speed, weights_.budget, weights_.tuning);
    std::vector<std::string> alike;
    for (const Score& score : ranked) {
      if (score.total - ranked.front().total < kNothing) {
        alike.push_back(name_of(*score.fabric));
      }
    }
    if (alike.size() > 1) {
      describe_choice(fmt::format("No difference between {} {}.", fmt::join(alike, ", "), weighed));
    } else {
      describe_choice(fmt::format("{} ranks first {}.", name_of(*ranked[0].fabric), weighed));
    }
  }

  void speed() {
    const Json& best = *possible_.front();
    std::vector<std::string> alike;
    for (std::size_t i = 1; i < possible_.size(); ++i) {
      if (!possible_[i]->value(report::key::kDiffersFromBest, true)) {
        alike.push_back(name_of(*possible_[i]));
      }
    }
    if (alike.empty()) {
      say(fmt::format("{} is the fastest.", name_of(best)), fmt::format("step {}", interval_text(best)), "emerges");
    } else {
      say(fmt::format("Between {} and {} there is no difference in step time: their confidence intervals overlap.",
                      name_of(best), fmt::join(alike, ", ")),
          fmt::format("step of {} {}", name_of(best), interval_text(best)), "emerges");
    }
  }

  [[nodiscard]] static double lost_to(const Json& fabric, const std::string& cause) {
    for (const Json& lost : fabric.value(report::key::kLostTime, Json::array())) {
      if (lost.at("cause") == cause) {
        return lost.at("s").get<double>();
      }
    }
    return 0;
  }

  void gap(const Json& fabric) {
    const Json& best = *possible_.front();
    if (!fabric.value(report::key::kDiffersFromBest, true)) {
      return;
    }
    std::string cause;
    std::string origin = "emerges";
    double most = 0;
    for (const Json& lost : fabric.value(report::key::kLostTime, Json::array())) {
      const double more = lost.at("s").get<double>() - lost_to(best, lost.at("cause").get<std::string>());
      if (more > most) {
        most = more;
        cause = lost.at("cause").get<std::string>();
        origin = lost.at("origin").get<std::string>();
      }
    }
    const double slower = step_of(fabric) - step_of(best);
    std::string text =
        fmt::format("{} takes {:.1f} % longer than {}", name_of(fabric), slower / step_of(best) * 100, name_of(best));
    text += cause.empty() ? "." : fmt::format(", most of it for {}.", cause);
    std::string evidence = fmt::format("step {} against {}", interval_text(fabric), seconds_text(step_of(best)));
    if (cause == "serialisation at line rate" && fabric.contains("link_rate_bps") &&
        fabric["link_rate_bps"] != best["link_rate_bps"]) {
      origin = "catalogue";
      evidence += fmt::format("; links of NICs at {:g} against {:g} Gb/s", fabric["link_rate_bps"].get<double>() / 1e9,
                              best["link_rate_bps"].get<double>() / 1e9);
    }
    if (!cause.empty()) {
      evidence += fmt::format("; {} more for {}", seconds_text(most), cause);
    }
    if (fabric.contains(report::key::kSliceCaution)) {
      text += " Its step is uncertain.";
      evidence += "; " + fabric[report::key::kSliceCaution].get<std::string>();
    }
    say(text, evidence, origin.c_str());
  }

  void budget() {
    const Json* cheapest = nullptr;
    const Json* dearest = nullptr;
    for (const Json* own : possible_) {
      const auto cost = budget_of(*own, weights_);
      if (!cost) {
        return;
      }
      cheapest = cheapest == nullptr || *cost < *budget_of(*cheapest, weights_) ? own : cheapest;
      dearest = dearest == nullptr || *cost > *budget_of(*dearest, weights_) ? own : dearest;
    }
    const double low = *budget_of(*cheapest, weights_);
    const double high = *budget_of(*dearest, weights_);
    const std::string owned =
        weights_.name == "existing-ethernet" ? ", with Ethernet switches, optics and cables already owned" : "";
    if (high <= low * 1.001) {
      say(fmt::format("All of them cost the same{}.", owned), fmt::format("{:.2f} M USD (indicative)", low / 1e6),
          "catalogue");
      return;
    }
    say(fmt::format("{} costs least and {} most, {:.2f} times as much{}.", name_of(*cheapest), name_of(*dearest),
                    low > 0 ? high / low : 0.0, owned),
        fmt::format("{:.2f} against {:.2f} M USD (indicative prices)", low / 1e6, high / 1e6), "catalogue");
  }

  void risk() {
    for (const Json* own : possible_) {
      if (!own->contains(report::key::kTuningRisk)) {
        continue;
      }
      const Json& risk = own->at(report::key::kTuningRisk);
      if (risk.contains("reason")) {
        say(fmt::format("The cost of misconfiguring {} was not measured.", name_of(*own)), risk["reason"], "emerges");
        continue;
      }
      const std::string worst = risk.at(report::key::kWorstSetting).get<std::string>();
      const std::string tried = fmt::format("{} misconfigurations tried", risk.at("cases").size());
      if (risk.value(report::key::kWorstFails, false)) {
        say(fmt::format("With {}, the job does not finish under '{}'.", name_of(*own), worst), tried, "emerges");
      } else if (const double loss = risk.value("worst", 0.0); loss < 0.005) {
        say(fmt::format("No tested misconfiguration of {} costs half a per cent.", name_of(*own)),
            fmt::format("{}, worst {:.2f} % ({})", tried, loss * 100, worst), "emerges");
      } else {
        say(fmt::format("{} loses up to {:.1f} % when misconfigured, worst with '{}'.", name_of(*own), loss * 100,
                        worst),
            fmt::format("{}, median loss {:.1f} %", tried, risk.value("median", 0.0) * 100), "emerges");
      }
    }
  }

  const BuyerWeights& weights_;
  std::vector<const Json*> possible_;
  std::vector<const Json*> impossible_;
  Json sentences_ = Json::array();
};

}  // namespace

Json verdict_of(const Json& fabrics, const BuyerWeights& weights) { return Verdict(fabrics, weights).all(); }

}  // namespace weft::study::compare
