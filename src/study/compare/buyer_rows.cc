#include "study/compare/buyer_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <array>
#include <functional>
#include <set>

#include "study/report/comparison_keys.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEmerges = "emerges";
constexpr const char* kCatalogue = "catalogue";
constexpr const char* kNotMeasured = "not measured";
constexpr const char* kPrimaryStrength = "Primary strength";

class Rows {
 public:
  Rows(const Json& fabric, const scenario::Scenario& scenario, const scenario::Catalogue& catalogue)
      : fabric_(fabric), scenario_(scenario), catalogue_(catalogue) {}

  Json all() {
    add(kPrimaryStrength, "", kNotMeasured);
    latency();
    throughput();
    losses();
    recovery();
    const bool central = scenario::is_infiniband(scenario_.fabric.family);
    add("Control", central ? "central: a subnet manager" : "distributed: each switch and NIC separately", kCatalogue);
    settings();
    parts();
    cost();
    return std::move(rows_);
  }

 private:
  void add(const char* label, const std::string& value, const char* origin) {
    rows_.push_back({{"label", label}, {"value", value}, {"origin", origin}});
  }

  void latency() {
    const bool equal = scenario_.hardware == scenario::Hardware::kEqual;
    const Json small = fabric_.value(report::key::kSmallMessage, Json::object());
    if (!small.contains(report::key::kIdle)) {
      add("Small-message latency", "", kNotMeasured);
    } else {
      add("Small-message latency",
          fmt::format("{:.2f} us for {} B", small[report::key::kIdle].get<double>(), small["bytes"].get<int>()),
          equal ? kEmerges : kCatalogue);
    }
    if (!fabric_.contains(report::key::kJitter)) {
      add("Jitter", small.value("loaded_failed", ""), kNotMeasured);
    } else {
      add("Jitter", fmt::format("{:.2f} us (p99.9 - p50 under load)", fabric_[report::key::kJitter].get<double>()),
          kEmerges);
    }
  }

  void throughput() {
    if (fabric_.contains(report::key::kBusBandwidth)) {
      add("Throughput at this scale",
          fmt::format("{:.1f} GB/s bus bandwidth per rank ({})", fabric_[report::key::kBusBandwidth].get<double>(),
                      fabric_[report::key::kBusBandwidthOf].get<std::string>()),
          kEmerges);
    } else if (fabric_.contains(report::key::kGoodput)) {
      add("Throughput at this scale",
          fmt::format("{:.1f} Gb/s in all", fabric_[report::key::kGoodput].get<double>() / 1e9), kEmerges);
    } else {
      add("Throughput at this scale", "", kNotMeasured);
    }
  }

  void losses() {
    const auto drops = fabric_.value("drops", std::uint64_t{0});
    const auto again = fabric_.value("retransmissions", std::uint64_t{0});
    const std::string lost = fmt::format("{} dropped, {} retransmitted", drops, again);
    if (fabric_.contains(report::key::kCreditStall)) {
      add("Loss handling", "credits: " + lost, kEmerges);
    } else if (fabric_.contains(report::key::kPause)) {
      add("Loss handling",
          fmt::format("pauses ({}): {}", fabric_.value(report::key::kPauseFrames, std::uint64_t{0}), lost), kEmerges);
    } else {
      const bool tcp = !scenario::has_ib_transport(scenario_.fabric.family);
      const bool selective = scenario_.transport.loss_recovery == scenario::LossRecoveryKind::kSelectiveRepeat;
      const std::string who = tcp ? "TCP" : selective ? "selective repeat" : "go-back-N";
      add("Loss handling", fmt::format("{} recovers: {}", who, lost), kEmerges);
    }
  }

  void recovery() {
    const Json fault = fabric_.value("fault", Json::object());
    if (const auto broken = fault.value(report::key::kMessagesFailed, 0); broken > 0) {
      add("Fault recovery",
          fmt::format("connections of {} messages fail with a failed link; rerouting takes {:.3g} s", broken,
                      fault[report::key::kRerouteDelay].get<double>()),
          kCatalogue);
    } else if (fault.contains(report::key::kFaultLost)) {
      add("Fault recovery", fmt::format("{:.3g} s lost to a failed link", fault[report::key::kFaultLost].get<double>()),
          kCatalogue);
    } else if (fault.contains(report::key::kConnectionsLost)) {
      add("Fault recovery",
          fmt::format("connections fail: rerouting takes {:.3g} s", fault[report::key::kRerouteDelay].get<double>()),
          kCatalogue);
    } else {
      add("Fault recovery", fault.value("reason", ""), kNotMeasured);
    }
  }

  void settings() {
    const Json settings = fabric_.value("settings", Json::object());
    if (!settings.contains("count")) {
      add("Settings to get right", "", kNotMeasured);
    } else if (settings["count"].get<int>() == 0 && scenario_.fabric.tuning_entry == "untuned") {
      add("Settings to get right", "none: factory defaults", kCatalogue);
    } else {
      add("Settings to get right",
          fmt::format("{} on {} device{}", settings["count"].get<int>(), settings["devices"].get<int>(),
                      settings["devices"].get<int>() == 1 ? "" : "s"),
          kCatalogue);
    }
  }

  /// First words of what the catalogue's entries are about, as far as those are names.
  [[nodiscard]] std::set<std::string> vendors(std::string_view kind) const {
    std::set<std::string> found;
    for (const scenario::CatalogueEntry& entry : catalogue_.entries()) {
      const std::string vendor = entry.about.substr(0, entry.about.find(' '));
      if (entry.kind == kind && entry.serves(scenario_.fabric.family) && vendor != "A" && vendor != "The") {
        found.insert(vendor);
      }
    }
    return found;
  }

  void parts() {
    const std::set<std::string> switches = vendors("switch");
    const std::set<std::string> nics = vendors("nic");
    const bool ethernet = !scenario::is_infiniband(scenario_.fabric.family);
    add("Interoperability",
        ethernet ? "Ethernet of any vendor; shares it with ordinary traffic" : "its own network; a gateway to Ethernet",
        kCatalogue);
    add("Vendors in the catalogue",
        fmt::format("switches: {}; NICs: {}{}", fmt::join(switches, ", "), fmt::join(nics, ", "),
                    ethernet && nics.empty() ? "any" : ""),
        kCatalogue);
  }

  void cost() {
    if (fabric_.contains(report::key::kCost)) {
      add("Cost", fmt::format("{:.2f} M USD (indicative)", fabric_[report::key::kCost].get<double>() / 1e6),
          kCatalogue);
    } else {
      add("Cost", "", kNotMeasured);
    }
  }

  const Json& fabric_;
  const scenario::Scenario& scenario_;
  const scenario::Catalogue& catalogue_;
  Json rows_ = Json::array();
};

/// A figure of a fabric of which less, or more, is better.
struct Strength {
  const char* text;
  std::function<std::optional<double>(const Json&)> figure;
  double direction = 1;  // -1: more is better
};

std::optional<double> number(const Json& json, const char* key) {
  return json.contains(key) && json.at(key).is_number() ? std::optional(json.at(key).get<double>()) : std::nullopt;
}

const std::array<Strength, 6>& strengths() {
  static const std::array<Strength, 6> all = {{
      {"the shortest step", [](const Json& own) { return number(own, report::key::kStepTime); }},
      {"the lowest small-message latency",
       [](const Json& own) {
         return number(own.value(report::key::kSmallMessage, Json::object()), report::key::kIdle);
       }},
      {"the least jitter", [](const Json& own) { return number(own, report::key::kJitter); }},
      {"the least loss by misconfiguration",
       [](const Json& own) { return number(own.value(report::key::kTuningRisk, Json::object()), "worst"); }},
      {"the lowest cost", [](const Json& own) { return number(own, report::key::kCost); }},
      {"the least power", [](const Json& own) { return number(own, report::key::kPower); }},
  }};
  return all;
}

}  // namespace

Json buyer_rows(const Json& fabric, const scenario::Scenario& scenario, const scenario::Catalogue& catalogue) {
  return Rows(fabric, scenario, catalogue).all();
}

void add_primary_strengths(Json& fabrics) {
  std::vector<std::vector<std::string>> of(fabrics.size());
  for (const Strength& strength : strengths()) {
    std::optional<std::size_t> best;
    bool tie = false;
    for (std::size_t i = 0; i < fabrics.size(); ++i) {
      const auto own = fabrics[i].at("possible").get<bool>() ? strength.figure(fabrics[i]) : std::nullopt;
      if (!own) {
        continue;
      }
      const auto other = best ? strength.figure(fabrics[*best]) : std::nullopt;
      tie =
          other && std::abs(*own - *other) <= 1e-9 * std::abs(*other) ? true : (!other || *own < *other ? false : tie);
      best = !other || *own < *other ? i : *best;
    }
    const bool interval_overlaps = &strength == &strengths().front() && best && [&] {
      for (std::size_t i = 0; i < fabrics.size(); ++i) {
        if (i != *best && fabrics[i].at("possible").get<bool>() &&
            !fabrics[i].value(report::key::kDiffersFromBest, true)) {
          return true;
        }
      }
      return false;
    }();
    if (best && !tie && !interval_overlaps) {
      of[*best].push_back(strength.text);
    }
  }
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    if (!fabrics[i].contains("rows")) {
      continue;
    }
    for (Json& row : fabrics[i]["rows"]) {
      if (row.at("label") == kPrimaryStrength) {
        row["value"] = of[i].empty() ? "best in no measured figure" : fmt::format("{}", fmt::join(of[i], "; "));
        row["origin"] = kEmerges;
      }
    }
  }
}

}  // namespace weft::study::compare
