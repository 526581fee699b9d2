#include "study/claims/mistake_losses.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace weft::study::claims {
namespace {

double lost(double right, double wrong) { return right > 0 ? 1 - wrong / right : 0; }

FlowSpread spread_in(Readings& runs, const std::string& name, const FlowChoice& choice) {
  if (const std::string& refusal = runs.refusal(name); !refusal.empty()) {
    runs.miss(fmt::format("case '{}' was refused, which is no loss: {}", name, refusal));
  }
  const results::RunResults& results = runs.at(name).results;
  return spread_of_flows(flow_shares(results, choice, steady_window(results)));
}

}  // namespace

Loss loss_of(Readings& runs, const RightAndWrong& names, const FlowChoice& choice) {
  const auto of = [&](double FlowSpread::*figure) {
    return over_seeds(runs, names.wrong, [&](const std::string& one) {
      const std::string right = fmt::format("{}{}", names.right, std::string_view(one).substr(names.wrong.size()));
      return lost(spread_in(runs, right, choice).*figure, spread_in(runs, one, choice).*figure);
    });
  };
  const std::string prefix = fmt::format("{}, ", names.right);
  const std::string_view name = names.wrong.starts_with(prefix) ? names.wrong.substr(prefix.size()) : names.wrong;
  return {.name = std::string(name), .mean = of(&FlowSpread::mean), .slowest = of(&FlowSpread::slowest)};
}

MistakeLosses losses_of_misconfigurations(Readings& runs, std::string_view right, const FlowChoice& choice) {
  MistakeLosses losses;
  for (const std::string& mistake : runs.misconfigurations(right)) {
    const std::string wrong = fmt::format("{}, {}", right, mistake);
    const bool pair = mistake.find(", and ") != std::string::npos;
    (pair ? losses.pairs : losses.single).push_back(loss_of(runs, {.right = right, .wrong = wrong}, choice));
  }
  return losses;
}

double median_loss(std::span<const Loss> losses) {
  std::vector<double> means;
  for (const Loss& one : losses) {
    means.push_back(one.mean.mean);
  }
  std::ranges::sort(means);
  const std::size_t half = means.size() / 2;
  if (means.empty()) {
    return 0;
  }
  return means.size() % 2 == 1 ? means[half] : (means[half - 1] + means[half]) / 2;
}

Loss worst_loss(std::span<const Loss> losses) {
  const auto worst = std::ranges::max_element(losses, {}, [](const Loss& one) { return one.mean.mean; });
  return worst == losses.end() ? Loss{} : *worst;
}

std::string list_of(std::span<const Loss> losses, double least) {
  std::vector<Loss> listed(losses.begin(), losses.end());
  std::ranges::stable_sort(listed, std::ranges::greater{}, [](const Loss& one) { return one.mean.mean; });
  std::string text;
  for (const Loss& one : listed) {
    if (one.mean.mean >= least) {
      text += fmt::format("{}{} {} %", text.empty() ? "" : "; ", one.name, percent(one.mean));
    }
  }
  return text.empty() ? "none" : text;
}

double unsettled(Readings& runs, std::string_view name, const FlowChoice& choice) {
  const OverSeeds drift = over_seeds(runs, name, [&](const std::string& one) {
    const results::RunResults& results = runs.at(one).results;
    const Window window = steady_window(results);
    const Time half = window.from + (window.to - window.from) / 2;
    const double first = spread_of_flows(flow_shares(results, choice, {.from = window.from, .to = half})).mean;
    const double second = spread_of_flows(flow_shares(results, choice, {.from = half, .to = window.to})).mean;
    return first > 0 ? second / first - 1 : 1;
  });
  return std::abs(drift.mean);
}

}  // namespace weft::study::claims
