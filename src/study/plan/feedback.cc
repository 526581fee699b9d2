#include "study/plan/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "study/compare/fabric_choice.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::plan {
namespace {

/// Of the step: less is not worth a change, and a network that is waited for less than that may be cheaper.
constexpr double kWorthwhile = 0.02;
/// Flows that get less of their line meet others.
constexpr double kShares = 0.9;

std::string share_text(double share) { return fmt::format("{:.1f} %", share * 100); }

/// Everything but what may differ is the same.
bool is_neighbour(const Design& a, const Design& b) {
  return a.network.name == b.network.name && a.hosts == b.hosts && a.spares == b.spares && a.domain == b.domain;
}

class MoveFinder {
 public:
  MoveFinder(const Metrics& metrics, const Setting& setting)
      : metrics_(metrics), setting_(setting), training_(setting.scenario.jobs.front().training) {}

  std::vector<Move> take() {
    parallelism();
    if (metrics_.slowest_flow < kShares && metrics_.exposed > kWorthwhile) {
      sharing();
    }
    if (metrics_.exposed > kWorthwhile) {
      faster();
    }
    cheaper();
    return std::move(moves_);
  }

 private:
  void put(std::string metric, std::string change, Design design) {
    moves_.push_back({.metric = std::move(metric), .change = std::move(change), .design = std::move(design)});
  }

  /// The job with other values of its keys; dp follows from the GPUs.
  void change_job(const std::string& metric, const std::string& change,
                  const std::vector<std::pair<const char*, std::int64_t>>& values) {
    Design design = setting_.design;
    for (const auto& [key, value] : values) {
      set_job(design, fmt::format("job[0].{}", key), fmt::format("{}", value));
    }
    set_job(design, "job[0].dp", "0");
    put(metric, change, std::move(design));
  }

  static void set_job(Design& design, const std::string& key, const std::string& value) {
    const std::string setting = key + "=" + value;
    for (std::string& own : design.job) {
      if (own.starts_with(key + "=")) {
        own = setting;
        return;
      }
    }
    design.job.push_back(setting);
  }

  void parallelism() {
    const std::string& part = metrics_.worst_part;
    const std::string waited = fmt::format("{} is waited for during {} of the step", part, share_text(metrics_.worst));
    if (metrics_.bubbles > kWorthwhile && training_.pipeline > 1) {
      const std::string idle = fmt::format("ranks wait for others during {} of the step", share_text(metrics_.bubbles));
      change_job(idle, fmt::format("pp {} -> {}", training_.pipeline, training_.pipeline / 2),
                 {{"pp", training_.pipeline / 2}, {"interleave", 1}});
      change_job(idle, fmt::format("interleave {} -> {}", training_.interleave, training_.interleave * 2),
                 {{"interleave", training_.interleave * 2}});
    }
    if (metrics_.worst < kWorthwhile) {
      return;
    }
    if (part == "tp" && training_.tensor > 1) {
      change_job(waited, fmt::format("tp {} -> {}", training_.tensor, training_.tensor / 2),
                 {{"tp", training_.tensor / 2}});
      change_job(waited,
                 fmt::format("tp {} -> {}, pp {} -> {}", training_.tensor, training_.tensor / 2, training_.pipeline,
                             training_.pipeline * 2),
                 {{"tp", training_.tensor / 2}, {"pp", training_.pipeline * 2}});
    } else if (part == "ep" && training_.expert > 1) {
      change_job(waited, fmt::format("ep {} -> {}", training_.expert, training_.expert / 2),
                 {{"ep", training_.expert / 2}});
    } else if (part == "cp" && training_.context > 1) {
      change_job(waited, fmt::format("cp {} -> {}", training_.context, training_.context / 2),
                 {{"cp", training_.context / 2}});
    } else if (part == "dp" || part == "zero") {
      change_job(waited, fmt::format("pp {} -> {}", training_.pipeline, training_.pipeline * 2),
                 {{"pp", training_.pipeline * 2}});
    }
  }

  void sharing() {
    const std::string metric = fmt::format("a flow of {} gets {} of its line, as others share its links",
                                           metrics_.slowest_kind, share_text(metrics_.slowest_flow));
    const scenario::Family family = setting_.scenario.fabric.family;
    for (const char* const scheme : {"adaptive", "spray"}) {
      const std::string name = setting_.design.network.name.substr(0, setting_.design.network.name.find('+'));
      const std::vector<std::string> fabrics{name};
      const std::vector<std::string> schemes{scheme};
      const auto named = compare::with_schemes(fabrics, schemes, family, setting_.catalogue);
      const auto choices = named ? compare::choose_fabrics(*named, {}, setting_.catalogue)
                                 : Result<std::vector<compare::FabricChoice>>(fail("no such scheme"));
      if (choices && choices->size() == 1 && choices->front().name != setting_.design.network.name) {
        Design design = setting_.design;
        design.network = choices->front();
        put(metric, fmt::format("routing scheme {}", scheme), std::move(design));
      }
    }
    neighbour(metric, [this](const Design& other) {
      return is_same_but_oversubscription(other) && capacity(other) > capacity(setting_.design);
    });
    if (setting_.scenario.jobs.front().placement == scenario::Placement::kPacked) {
      Design design = setting_.design;
      set_job(design, "job[0].placement", "spread");
      put(metric, "placement packed -> spread", std::move(design));
    }
  }

  void faster() {
    const std::string metric = fmt::format("communication is waited for during {} of the step, NICs are busy {}",
                                           share_text(metrics_.exposed), share_text(metrics_.nic_busy));
    neighbour(metric, [this](const Design& other) {
      return is_like(other) && other.oversubscription == setting_.design.oversubscription &&
             rate(other) > rate(setting_.design);
    });
    neighbour(metric, [this](const Design& other) {
      return is_like(other) && same_devices(other) && other.oversubscription == setting_.design.oversubscription &&
             other.rails > setting_.design.rails;
    });
  }

  void cheaper() {
    const std::string metric = fmt::format("NICs are busy during {} of the step", share_text(metrics_.nic_busy));
    neighbour(metric, [this](const Design& other) {
      return is_same_but_oversubscription(other) && capacity(other) < capacity(setting_.design);
    });
    neighbour(metric, [this](const Design& other) {
      return is_like(other) && same_devices(other) && other.oversubscription == setting_.design.oversubscription &&
             other.rails < setting_.design.rails;
    });
  }

  /// The nearest that is one: of those with the least difference of rate, rails and oversubscription the first.
  void neighbour(const std::string& metric, const std::function<bool(const Design&)>& is_one) {
    const Design* best = nullptr;
    for (const Design& other : setting_.space) {
      if (is_neighbour(other, setting_.design) && is_one(other) &&
          (best == nullptr || distance(other) < distance(*best))) {
        best = &other;
      }
    }
    if (best != nullptr) {
      Design design = *best;
      design.job = setting_.design.job;
      std::string change = difference(design);
      put(metric, std::move(change), std::move(design));
    }
  }

  static std::int64_t rate(const Design& design) { return design.nic.rate.bits_per_second() * design.rails; }
  static double capacity(const Design& design) {
    return static_cast<double>(design.oversubscription.up) / design.oversubscription.down;
  }
  [[nodiscard]] std::tuple<double, double, double> distance(const Design& other) const {
    const auto apart = [](double a, double b) { return a > b ? a / b : b / a; };
    return {apart(static_cast<double>(rate(other)), static_cast<double>(rate(setting_.design))),
            apart(capacity(other), capacity(setting_.design)),
            apart(static_cast<double>(other.switch_.ports), static_cast<double>(setting_.design.switch_.ports))};
  }
  [[nodiscard]] bool same_devices(const Design& other) const {
    return other.switch_.name == setting_.design.switch_.name &&
           other.switch_.breakout == setting_.design.switch_.breakout && other.nic.name == setting_.design.nic.name;
  }
  [[nodiscard]] bool is_like(const Design& other) const {
    const Design& own = setting_.design;
    return other.shape == own.shape && other.planes == own.planes && other.tors == own.tors;
  }
  [[nodiscard]] bool is_same_but_oversubscription(const Design& other) const {
    return is_like(other) && same_devices(other) && other.rails == setting_.design.rails;
  }
  [[nodiscard]] std::string difference(const Design& other) const {
    const Design& own = setting_.design;
    std::vector<std::string> parts;
    if (own.nic.name != other.nic.name) {
      parts.push_back(fmt::format("{} -> {}", own.nic.name, other.nic.name));
    }
    if (own.switch_.name != other.switch_.name) {
      parts.push_back(fmt::format("{} -> {}", own.switch_.name, other.switch_.name));
    }
    if (own.switch_.breakout != other.switch_.breakout) {
      parts.push_back(fmt::format("ports split in {} -> {}", own.switch_.breakout, other.switch_.breakout));
    }
    if (own.rails != other.rails) {
      parts.push_back(fmt::format("{} -> {} NICs per host", own.rails, other.rails));
    }
    if (!(own.oversubscription == other.oversubscription)) {
      parts.push_back(fmt::format("{} -> {}", scenario::to_string(own.oversubscription),
                                  scenario::to_string(other.oversubscription)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  const Metrics& metrics_;
  const Setting& setting_;
  const scenario::TrainingSettings& training_;
  std::vector<Move> moves_;
};

}  // namespace

Metrics metrics_of(const results::RunResults& results) {
  const results::StepRow& step = results.steps.front();
  Metrics made{.step = step.time.seconds()};
  const double whole = std::max(made.step, 1e-12);
  for (const results::StepPart& part : step.parts) {
    if (!part.communication) {
      continue;
    }
    made.exposed += part.exposed.seconds() / whole;
    made.bubbles += part.waiting.seconds() / whole;
    const double own = (part.exposed - part.waiting).seconds() / whole;
    if (own > made.worst) {
      made.worst = own;
      made.worst_part = part.name;
    }
  }
  for (const results::StepTier& tier : step.tiers) {
    made.nic_busy = tier.name == "network" ? tier.wire_time.seconds() / whole : made.nic_busy;
  }
  for (const results::StepCollective& own : step.collectives) {
    if (own.shares_links && own.slowest_share < made.slowest_flow) {
      made.slowest_flow = own.slowest_share;
      made.slowest_kind = own.purpose + " " + own.kind;
    }
  }
  for (const results::PortRow& port : results.ports) {
    made.drops += port.drops;
    for (const results::LaneRow& lane : port.lanes) {
      made.pauses += lane.pauses_sent;
      made.marks += lane.marked;
    }
  }
  return made;
}

std::vector<Move> next_moves(const Metrics& metrics, const Setting& setting) {
  return MoveFinder(metrics, setting).take();
}

}  // namespace weft::study::plan
