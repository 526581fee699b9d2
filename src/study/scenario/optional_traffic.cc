#include "study/scenario/optional_traffic.h"

#include <fmt/core.h>

#include <map>
#include <string>
#include <string_view>

#include "study/scenario/scenario_validate.h"

namespace weft::study::scenario {
namespace {

std::string prefix_of_traffic(std::size_t index) { return fmt::format("traffic[{}].", index); }

void remove_traffic(Scenario& scenario, std::size_t index) {
  const std::size_t all = scenario.traffic.size();
  scenario.traffic.erase(scenario.traffic.begin() + static_cast<std::ptrdiff_t>(index));
  std::map<std::string, ValueSource> sources;
  for (auto& [path, source] : scenario.sources) {
    std::string moved = path;
    for (std::size_t i = index; i < all; ++i) {
      const std::string prefix = prefix_of_traffic(i);
      if (path.starts_with(prefix)) {
        moved = i == index ? std::string() : prefix_of_traffic(i - 1) + path.substr(prefix.size());
        break;
      }
    }
    if (!moved.empty()) {
      sources.emplace(std::move(moved), std::move(source));
    }
  }
  scenario.sources = std::move(sources);
}

}  // namespace

void leave_out_traffic(Scenario& scenario) {
  for (std::size_t i = 0; i < scenario.traffic.size();) {
    const TrafficSettings& traffic = scenario.traffic[i];
    const std::optional<CarrierFault> fault = traffic.required ? std::nullopt : carrier_fault(scenario, traffic);
    if (!fault) {
      ++i;
      continue;
    }
    scenario.left_out.push_back({.name = traffic.name, .reason = fault->reason});
    remove_traffic(scenario, i);
  }
}

std::string left_out_text(const Scenario& scenario) {
  std::string text;
  for (const TrafficLeftOut& traffic : scenario.left_out) {
    text += fmt::format("{}traffic '{}' is left out: {}", text.empty() ? "" : "; ", traffic.name, traffic.reason);
  }
  return text;
}

}  // namespace weft::study::scenario
