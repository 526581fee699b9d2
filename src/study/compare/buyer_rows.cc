#include "study/compare/buyer_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "study/compare/bill_marks.h"
#include "study/compare/work_cost.h"
#include "study/report/figure_labels.h"
#include "study/report/interval.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::compare {
namespace {

constexpr const char* kEmerges = "emerges";
constexpr const char* kCatalogue = "catalogue";
constexpr const char* kNotMeasured = "not measured";
constexpr const char* kPrimaryStrength = "Primary strength";

class Rows {
 public:
  Rows(const report::ComparedFabric& fabric, const scenario::Scenario& scenario, const scenario::Catalogue& catalogue)
      : fabric_(fabric), scenario_(scenario), catalogue_(catalogue) {}

  std::vector<report::BuyerRow> all() {
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
  void add(std::string_view label, const std::string& value, const char* origin) {
    rows_.push_back({.label = std::string(label), .value = value, .origin = origin});
  }

  void latency() {
    const bool equal = scenario_.hardware == scenario::Hardware::kEqual;
    const report::SmallMessage small = fabric_.small_message.value_or(report::SmallMessage{});
    if (!small.idle) {
      add("Small-message latency", "", kNotMeasured);
    } else {
      add("Small-message latency", fmt::format("{:.2f} us for {} B", *small.idle, *small.bytes),
          equal ? kEmerges : kCatalogue);
    }
    if (!fabric_.jitter_us) {
      add("Jitter", small.loaded_failed.value_or(""), kNotMeasured);
    } else {
      add("Jitter", fmt::format("{:.2f} us (p99.9 - p50 under load)", *fabric_.jitter_us), kEmerges);
    }
  }

  void throughput() {
    // A step time is the mean of all seeds; what a run was like is that of one.
    const char* const of = fabric_.step.each && fabric_.step.each->size() > 1 ? ", first seed" : "";
    if (fabric_.run.bus_bandwidth) {
      add("Throughput at this scale",
          fmt::format("{:.1f} GB/s bus bandwidth per rank ({}{})", *fabric_.run.bus_bandwidth,
                      *fabric_.run.bus_bandwidth_of, of),
          kEmerges);
    } else if (fabric_.run.goodput) {
      add("Throughput at this scale",
          fmt::format("{:.1f} Gb/s in all{}", static_cast<double>(*fabric_.run.goodput) / 1e9, of), kEmerges);
    } else {
      add("Throughput at this scale", "", kNotMeasured);
    }
  }

  void losses() {
    const std::string lost = fmt::format("{} dropped, {} retransmitted", fabric_.run.drops.value_or(0),
                                         fabric_.run.retransmissions.value_or(0));
    if (fabric_.run.credit_stall) {
      add("Loss handling", "credits: " + lost, kEmerges);
    } else if (fabric_.run.pause) {
      add("Loss handling", fmt::format("pauses ({}): {}", fabric_.run.pause_frames.value_or(0), lost), kEmerges);
    } else {
      const bool tcp = scenario::is_over_tcp(scenario_.fabric.family);
      const bool selective = scenario_.transport.loss_recovery == scenario::LossRecoveryKind::kSelectiveRepeat;
      const bool uet = scenario::engine_of(scenario_.fabric.family) == scenario::FamilyEngine::kUet;
      const std::string who = tcp ? "TCP" : uet ? "the delivery context" : selective ? "selective repeat" : "go-back-N";
      add("Loss handling", fmt::format("{} recovers: {}", who, lost), kEmerges);
    }
  }

  void recovery() {
    if (fabric_.failures && fabric_.failures->goodput) {
      add("Goodput of a month",
          fmt::format("{:.1f} % with the failure rates {}{}", 100 * *fabric_.failures->goodput,
                      fabric_.failures->rates.value_or(""),
                      fabric_.failures->lost_to ? "; lost to " + *fabric_.failures->lost_to : std::string()),
          kCatalogue);
    }
    const report::LinkFault fault = fabric_.fault.value_or(report::LinkFault{});
    if (const std::uint64_t broken = fault.messages_failed.value_or(0); broken > 0) {
      add("Fault recovery",
          fmt::format("connections of {} messages fail with a failed link; rerouting takes {:.3g} s", broken,
                      *fault.reroute_delay),
          kCatalogue);
    } else if (fault.lost) {
      add("Fault recovery", fmt::format("{:.3g} s lost to a failed link", *fault.lost), kCatalogue);
    } else if (fault.connections_lost) {
      add("Fault recovery", fmt::format("connections fail: rerouting takes {:.3g} s", *fault.reroute_delay),
          kCatalogue);
    } else {
      add("Fault recovery", fault.reason.value_or(""), kNotMeasured);
    }
  }

  void settings() {
    if (!fabric_.settings) {
      add("Settings to get right", "", kNotMeasured);
    } else if (fabric_.settings->count == 0 && scenario_.fabric.tuning_entry == "untuned") {
      add("Settings to get right", "none: factory defaults", kCatalogue);
    } else {
      add("Settings to get right",
          fmt::format("{} on {} device{}", fabric_.settings->count, fabric_.settings->devices,
                      fabric_.settings->devices == 1 ? "" : "s"),
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
    if (fabric_.cost_usd) {
      add(report::figure_label("cost_usd"),
          fmt::format("{:.2f} M USD{}", *fabric_.cost_usd / 1e6, indicative_mark(fabric_)), kCatalogue);
    } else {
      add(report::figure_label("cost_usd"), "", kNotMeasured);
    }
  }

  const report::ComparedFabric& fabric_;
  const scenario::Scenario& scenario_;
  const scenario::Catalogue& catalogue_;
  std::vector<report::BuyerRow> rows_;
};

/// A figure of a fabric of which less, or more, is better.
struct Strength {
  const char* text;
  std::function<std::optional<double>(const report::ComparedFabric&)> figure;
};

const std::array<Strength, 6>& strengths() {
  using Fabric = report::ComparedFabric;
  static const std::array<Strength, 6> all = {{
      {"the shortest step", [](const Fabric& own) { return own.step.mean; }},
      {"the lowest small-message latency",
       [](const Fabric& own) { return own.small_message ? own.small_message->idle : std::nullopt; }},
      {"the least jitter", [](const Fabric& own) { return own.jitter_us; }},
      {"the least loss by misconfiguration",
       [](const Fabric& own) { return own.tuning_risk ? own.tuning_risk->figures.worst : std::nullopt; }},
      {"the lowest price", [](const Fabric& own) { return own.cost_usd; }},
      {"the least power", [](const Fabric& own) { return own.power; }},
  }};
  return all;
}

/// A step that is not known is no strength, and like no other.
bool step_is_open(const report::ComparedFabric& own) { return report::is_not_known(known_step(own)); }

/// All that are best in it: by the same figure, and in the step by what is known of both.
std::vector<std::size_t> best_of(const std::vector<report::ComparedFabric>& fabrics, const Strength& strength,
                                 bool is_step) {
  std::optional<double> least;
  for (const report::ComparedFabric& own : fabrics) {
    const auto figure = own.possible ? strength.figure(own) : std::nullopt;
    if (figure && (!least || *figure < *least)) {
      least = figure;
    }
  }
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    const auto figure = fabrics[i].possible ? strength.figure(fabrics[i]) : std::nullopt;
    const bool alike = figure && std::abs(*figure - *least) <= 1e-9 * std::abs(*least);
    if (is_step && figure && step_is_open(fabrics[i])) {
      if (alike) {
        return {};  // what is the shortest as it seems is not known, so nobody is known to be
      }
      continue;
    }
    if (alike || (figure && is_step && !fabrics[i].differs_from_best.value_or(true))) {
      best.push_back(i);
    }
  }
  return best;
}

}  // namespace

std::vector<report::BuyerRow> buyer_rows(const report::ComparedFabric& fabric, const scenario::Scenario& scenario,
                                         const scenario::Catalogue& catalogue) {
  return Rows(fabric, scenario, catalogue).all();
}

void add_primary_strengths(std::vector<report::ComparedFabric>& fabrics) {
  std::vector<std::vector<std::string>> of(fabrics.size());
  for (const Strength& strength : strengths()) {
    const std::vector<std::size_t> best = best_of(fabrics, strength, &strength == &strengths().front());
    std::size_t possible = 0;
    for (const report::ComparedFabric& own : fabrics) {
      possible += own.possible ? 1 : 0;
    }
    if (best.size() == possible && possible > 1) {
      continue;  // no strength of one against another
    }
    for (const std::size_t i : best) {
      std::vector<std::string> others;
      for (const std::size_t j : best) {
        if (j != i) {
          others.push_back(fabrics[j].name);
        }
      }
      std::ranges::sort(others);
      of[i].push_back(others.empty() ? strength.text
                                     : fmt::format("{}, as {}", strength.text, fmt::join(others, ", ")));
    }
  }
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    if (!fabrics[i].rows) {
      continue;
    }
    for (report::BuyerRow& row : *fabrics[i].rows) {
      if (row.label == kPrimaryStrength) {
        row.value = of[i].empty() ? "best in no measured figure" : fmt::format("{}", fmt::join(of[i], "; "));
        row.origin = kEmerges;
      }
    }
  }
}

}  // namespace weft::study::compare
