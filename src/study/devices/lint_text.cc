#include "study/devices/lint_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/printable.h"

namespace weft::study::devices {
namespace {

/// "+1.0 to +3.0 over 3 seeds"; one seed has no interval.
std::string seeds_text(const MistakeCost& cost) {
  return cost.seeds == 1
             ? "one seed"
             : fmt::format("{:+.1f} to {:+.1f} over {} seeds", 100 * cost.least, 100 * cost.most, cost.seeds);
}

std::string cost_text(const Finding& finding) {
  const MistakeCost& cost = *finding.cost;
  if (!cost.end.empty()) {
    return fmt::format("costs  the job: {}", cost.end);
  }
  constexpr double kMicroseconds = 1e6;
  return fmt::format("costs  {:+.1f} % ({}): {:.4g} us instead of {:.4g} us; {} packets dropped instead of {}{}",
                     100 * (cost.wrong / cost.right - 1), seeds_text(cost), cost.wrong * kMicroseconds,
                     cost.right * kMicroseconds, cost.drops_wrong, cost.drops_right,
                     finding.cost_only.empty() ? "" : ", " + finding.cost_only);
}

/// "3 lines not read: leaf0.eos:17 'mtuu 1500', ...".
std::string unread_text(const std::vector<DeviceConfig>& devices) {
  constexpr std::size_t kShown = 8;
  std::size_t count = 0;
  std::string shown;
  for (const DeviceConfig& device : devices) {
    for (const UnreadLine& line : device.unread) {
      if (count++ < kShown) {
        shown += shown.empty() ? "" : ", ";
        shown += line.text.empty() ? line.place : fmt::format("{} '{}'", line.place, excerpt(line.text));
      }
    }
  }
  if (count == 0) {
    return "";
  }
  return fmt::format("{} line{} not read: {}{}", count, count == 1 ? "" : "s", shown,
                     count > kShown ? fmt::format(" and {} more (--json lists all)", count - kShown) : "");
}

}  // namespace

std::string lint_text(const std::vector<Finding>& findings, const std::vector<DeviceConfig>& devices, LineWidth width) {
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
      add(cost_text(one));
    } else if (!one.no_cost.empty()) {
      add("costs  not simulated: " + one.no_cost);
    }
    text += '\n';
  }
  if (const std::string unread = unread_text(devices); !unread.empty()) {
    text += paragraph(unread, {.first = 0, .rest = 2, .columns = columns});
  }
  const std::string count = fmt::format("{} configuration{}", devices.size(), devices.size() == 1 ? "" : "s");
  text += findings.empty() ? fmt::format("{}, nothing found\n", count)
                           : fmt::format("{}, {} finding{}\n", count, findings.size(), findings.size() == 1 ? "" : "s");
  return text;
}

nlohmann::ordered_json lint_json(const std::vector<Finding>& findings, const std::vector<DeviceConfig>& devices) {
  nlohmann::ordered_json json{{"devices", devices.size()}, {"findings", nlohmann::ordered_json::array()}};
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
      if (!one.cost_only.empty()) {
        row["cost"]["only"] = one.cost_only;
      }
    } else if (!one.no_cost.empty()) {
      row["no_cost"] = one.no_cost;
    }
    json["findings"].push_back(std::move(row));
  }
  json["unread"] = nlohmann::ordered_json::array();
  for (const DeviceConfig& device : devices) {
    for (const UnreadLine& line : device.unread) {
      json["unread"].push_back({{"place", line.place}, {"text", line.text}});
    }
  }
  return json;
}

}  // namespace weft::study::devices
