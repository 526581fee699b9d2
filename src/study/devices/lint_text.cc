#include "study/devices/lint_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace weft::study::devices {
namespace {

std::string cost_text(const MistakeCost& cost) {
  if (!cost.end.empty()) {
    return fmt::format("costs  the job: {}", cost.end);
  }
  constexpr double kMicroseconds = 1e6;
  return fmt::format(
      "costs  {:+.1f} % ({:+.1f} to {:+.1f} over {} seeds): {:.4g} us instead of {:.4g} us; {} packets "
      "dropped instead of {}",
      100 * (cost.wrong / cost.right - 1), 100 * cost.least, 100 * cost.most, cost.seeds, cost.wrong * kMicroseconds,
      cost.right * kMicroseconds, cost.drops_wrong, cost.drops_right);
}

}  // namespace

std::string lint_text(const std::vector<Finding>& findings, std::size_t devices, LineWidth width) {
  std::string text;
  const std::size_t columns = width.value_or(120);
  const auto add = [&](const std::string& line) {
    text += paragraph(line, {.first = 4, .rest = 11, .columns = columns});
  };
  for (const Finding& one : findings) {
    text += fmt::format("{}: {}\n", one.device, one.rule);
    add("at     " + one.place);
    add("found  " + one.what);
    add("right  " + one.right);
    if (one.cost) {
      add(cost_text(*one.cost));
    } else if (!one.no_cost.empty()) {
      add("costs  not simulated: " + one.no_cost);
    }
    text += '\n';
  }
  text += findings.empty() ? fmt::format("{} configurations, nothing found\n", devices)
                           : fmt::format("{} configurations, {} finding{}\n", devices, findings.size(),
                                         findings.size() == 1 ? "" : "s");
  return text;
}

nlohmann::ordered_json lint_json(const std::vector<Finding>& findings, std::size_t devices) {
  nlohmann::ordered_json json{{"devices", devices}, {"findings", nlohmann::ordered_json::array()}};
  for (const Finding& one : findings) {
    nlohmann::ordered_json row{
        {"rule", one.rule}, {"device", one.device}, {"place", one.place}, {"what", one.what}, {"right", one.right}};
    if (one.cost) {
      row["cost"] = {{"right_s", one.cost->right},
                     {"wrong_s", one.cost->wrong},
                     {"share_least", one.cost->least},
                     {"share_most", one.cost->most},
                     {"drops_right", one.cost->drops_right},
                     {"drops_wrong", one.cost->drops_wrong},
                     {"seeds", one.cost->seeds},
                     {"end", one.cost->end}};
    } else if (!one.no_cost.empty()) {
      row["no_cost"] = one.no_cost;
    }
    json["findings"].push_back(std::move(row));
  }
  return json;
}

}  // namespace weft::study::devices
