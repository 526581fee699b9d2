#include "study/plan/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "base/counted.h"
#include "base/text_table.h"
#include "study/cost/bill_text.h"
#include "study/sweep/measure.h"

namespace weft::study::plan {
namespace {

using Column = TextTable::Column;

Column right(std::string heading, std::uint8_t rank = 0) {
  return {.heading = std::move(heading), .align = TextTable::Align::kRight, .rank = rank};
}

std::string seconds(double value) { return sweep::value_text(sweep::Unit::kSeconds, value); }
std::string percent(double share) { return fmt::format("{:.2f} %", share * 100); }
std::string usd(double value) { return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value); }

// Reasons are sentences, too long for a cell: a table has their numbers, and they follow it.
class Notes {
 public:
  std::string number_of(const std::string& reason) {
    const auto found = std::ranges::find(reasons_, reason);
    const auto index = static_cast<std::size_t>(found - reasons_.begin());
    if (found == reasons_.end()) {
      reasons_.push_back(reason);
    }
    return fmt::format("({})", index + 1);
  }
  [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  std::vector<std::string> reasons_;
};

class Writer {
 public:
  Writer(const PlanResult& result, LineWidth width) : result_(result), width_(width) {}

  std::string take() {
    heading();
    counts();
    iterations();
    front();
    others();
    details();
    not_known();
    return std::move(text_);
  }

 private:
  void line(const std::string& text) {
    text_ += width_ ? paragraph(text, {.rest = 2, .columns = *width_}) : text + "\n";
  }

  void notes(const Notes& notes) {
    for (std::size_t i = 0; i < notes.reasons().size(); ++i) {
      line(fmt::format("({}) {}", i + 1, notes.reasons()[i]));
    }
  }

  void heading() {
    std::string limits;
    const Limits& own = result_.limits;
    limits += own.budget ? fmt::format(", at most {}", money_text(*own.budget)) : "";
    limits += own.power ? fmt::format(", at most {}", power_text(*own.power)) : "";
    if (own.deadline) {
      limits += own.tokens ? fmt::format(", {:.4g} tokens within {}", *own.tokens, seconds(*own.deadline))
                           : fmt::format(", a step within {}", seconds(*own.deadline));
    }
    line(fmt::format("{}: networks for {}{}{}; {}", result_.file, counted(result_.gpus, {"GPU", "GPUs"}),
                     result_.later ? fmt::format(", {} later", *result_.later) : "", limits,
                     counted(result_.runs, {"run", "runs"})));
    for (const std::string& key : result_.not_taken) {
      keys_ += (keys_.empty() ? "" : ", ") + key;
    }
    if (!keys_.empty()) {
      line(fmt::format("not taken from the file, as the plan decides them: {}", keys_));
    }
    if (result_.interrupted) {
      line("PARTIAL: interrupted before all runs were made");
    }
  }

  void counts() {
    text_ += '\n';
    TextTable table({{.heading = "designs", .wraps = true}, right("")}, width_);
    const auto row = [&table](const std::string& what, std::size_t count) {
      if (count > 0) {
        table.add({what, fmt::format("{}", count)});
      }
    };
    row("that the catalogue's devices allow", result_.enumerated);
    row("  too few ports, or hosts that do not divide into such a shape, not among them", result_.beyond_capacity);
    row("  one switch has ports for all, so there is no leaf-spine or fat-tree, not among them", result_.one_switch);
    for (const auto& [reason, count] : result_.refused) {
      row("  refused: " + reason, count);
    }
    row("  beyond the budget", result_.beyond_budget);
    row("  beyond the power", result_.beyond_power);
    row("  too slow for the deadline, by the lower bound of the step", result_.too_slow);
    row("  their lower bound is above what another one costs", result_.by_bound);
    row("  left out beyond --designs, dearest by bound", result_.not_run);
    for (const Round& round : result_.rounds) {
      row(fmt::format("run at level {}, {} left then", round.level, round.left), round.designs);
    }
    text_ += table.text();
  }

  void iterations() {
    if (result_.iterations.empty()) {
      return;
    }
    text_ += '\n';
    TextTable table({right("iteration"),
                     {.heading = "metric", .wraps = true},
                     {.heading = "change", .wraps = true},
                     {.heading = "level", .rank = 2},
                     right("USD per million tokens"),
                     right("gain"),
                     {.heading = ""}},
                    width_);
    Notes why;
    for (const Iteration& own : result_.iterations) {
      const std::optional<double> gain = own.gain();
      table.add({fmt::format("{}", own.number), own.metric, own.change, own.level,
                 own.before && own.after ? fmt::format("{} -> {}", usd(*own.before), usd(*own.after)) : "",
                 gain ? fmt::format("{:+.2f} %", *gain * 100) : "",
                 own.taken            ? "taken"
                 : own.reason.empty() ? "not taken"
                                      : fmt::format("{} {}", to_string(own.not_run), why.number_of(own.reason))});
    }
    text_ += table.text();
    notes(why);
  }

  [[nodiscard]] static std::string step_text(const PlannedDesign& own) {
    if (!own.measured) {
      return "";
    }
    const Measured& step = *own.measured;
    return step.low ? fmt::format("{} ({} to {})", seconds(step.step), seconds(*step.low), seconds(*step.high))
                    : seconds(step.step);
  }

  void front() {
    text_ += '\n';
    const auto count = std::ranges::count_if(result_.designs, &PlannedDesign::on_front);
    if (count == 0) {
      line(result_.interrupted ? "no design was run to the last before the interrupt" : why_no_front(result_));
      return;
    }
    line("The front: no other design that was run to the last is as good in everything and better in something.");
    TextTable table({{.heading = ""},
                     {.heading = "design", .wraps = true},
                     right("USD per million tokens"),
                     right("step"),
                     {.heading = "level", .rank = 5},
                     right("network"),
                     right("power"),
                     right("tuning risk", 3),
                     right("goodput", 3),
                     right("growth", 4)},
                    width_);
    char letter = 'A';
    for (const PlannedDesign& own : result_.designs) {
      if (own.on_front) {
        const std::string cost =
            own.cost.low ? fmt::format("{} ({} to {})", usd(own.cost.usd), usd(*own.cost.low), usd(*own.cost.high))
                         : usd(own.cost.usd);
        table.add({std::string(1, letter++), own.name, cost, step_text(own), own.measured->level,
                   money_text(own.bounds.bill.cost), power_text(own.bounds.total.power),
                   own.risk ? percent(own.risk->sum) : "not measured",
                   own.failures ? percent(own.failures->goodput) : "not measured", growth_text(own)});
      }
    }
    text_ += table.text();
  }

  [[nodiscard]] std::string growth_text(const PlannedDesign& own) const {
    if (!result_.later) {
      return "not asked";
    }
    return !own.growth || !own.growth->possible ? "not possible" : money_text(own.growth->cost);
  }

  void others() {
    std::size_t left = 0;
    constexpr std::size_t kListed = 12;
    TextTable table({{.heading = "also looked at", .wraps = true},
                     right("USD per million tokens"),
                     right("step"),
                     {.heading = "level"},
                     right("network", 1),
                     {.heading = ""}},
                    width_);
    Notes why;
    for (const PlannedDesign& own : result_.designs) {
      if (own.on_front) {
        continue;
      }
      if (++left <= kListed) {
        table.add({own.name, own.measured ? usd(own.cost.usd) : "", step_text(own),
                   own.measured ? own.measured->level : "", own.is_bounded() ? money_text(own.bounds.bill.cost) : "",
                   !own.reason.empty() ? fmt::format("{} {}", to_string(own.not_run), why.number_of(own.reason))
                   : !own.keeps_limits ? "beyond what was asked for"
                                       : ""});
      }
    }
    if (left > kListed) {
      table.add_span(fmt::format("and {} more; --json and --csv have all", left - kListed));
    }
    text_ += left > 0 ? "\n" + table.text() : "";
    notes(why);
  }

  void details() {
    char letter = 'A';
    for (const PlannedDesign& own : result_.designs) {
      if (own.on_front) {
        detail(own, letter++);
      }
    }
  }

  void detail(const PlannedDesign& own, char letter) {
    text_ += '\n';
    line(fmt::format("{}: {}", letter, own.name));
    line(fmt::format("  job: {}; lower bound of the step {}", own.parallelism, seconds(own.bounds.step)));
    line(fmt::format("  step: level {}, {}", own.measured->level, own.measured->interval));
    if (own.metrics) {
      const Metrics& seen = *own.metrics;
      line(fmt::format(
          "  communication exposed {}, NICs busy {}, slowest flow {} of its line{}; {} marks, {} pauses, {} "
          "drops in what was run",
          percent(seen.exposed), percent(seen.nic_busy), percent(seen.slowest_flow),
          seen.slowest_kind.empty() ? "" : " (" + seen.slowest_kind + ")", seen.marks, seen.pauses, seen.drops));
    }
    if (own.risk) {
      line(fmt::format(
          "  tuning risk: {} of {} mistakes tried, each alone: {} of the step for one in each setting together, at "
          "worst "
          "{} ({})",
          own.risk->tried, own.risk->of, percent(own.risk->sum), percent(own.risk->worst), own.risk->worst_name));
    }
    if (own.failures) {
      line(fmt::format(
          "  failures: goodput {} +- {}, {:.2f} losses of the job a month; {} enough in {} of months, if no host is "
          "repaired within one",
          percent(own.failures->goodput), percent(own.failures->half), own.failures->losses,
          counted(own.design.spares, {"spare host is", "spare hosts are"}), percent(own.failures->spares_suffice)));
    }
    growth(own);
    line(fmt::format("  to buy: {} with hosts and GPUs, {} of it the network; {}", money_text(own.bounds.to_buy()),
                     money_text(own.bounds.total.network), power_text(own.bounds.total.power)));
    if (!own.file.empty()) {
      line(fmt::format("  scenario: {}", own.file));
    }
    text_ += '\n' + cost::bill_text(own.bounds.bill, width_);
  }

  void growth(const PlannedDesign& own) {
    if (!own.growth) {
      return;
    }
    const Growth& later = *own.growth;
    const std::string gpus =
        fmt::format("{} GPUs{}", later.gpus, result_.later && later.gpus != *result_.later ? " (whole hosts)" : "");
    if (!later.possible) {
      line(fmt::format("  {}: {}", gpus, later.reason));
      return;
    }
    line(fmt::format(
        "  {}: as {}{}, {} more for the network{}{}", gpus, later.shape,
        later.switch_.empty() ? "" : fmt::format(" with {} in place of {}", later.switch_, own.design.switch_.name),
        money_text(later.cost),
        later.left_over.count > 0 ? fmt::format(", {} of parts left over", money_text(later.left_over)) : "",
        later.rewired ? "; leaves and spines are cabled anew" : ""));
    for (const GrowthLine& part : later.lines) {
      line(fmt::format("    {}: {} kept, {} added, {} left over", part.name, part.kept, part.added, part.left_over));
    }
  }

  void not_known() {
    std::set<std::string> told;
    for (const PlannedDesign& own : result_.designs) {
      if (own.on_front) {
        told.insert(own.cost.not_counted.begin(), own.cost.not_counted.end());
      }
    }
    text_ += told.empty() && result_.assumed.empty() ? "" : "\n";
    for (const std::string& one : told) {
      line("not included: " + one);
    }
    for (const std::string& one : result_.assumed) {
      line("assumed: " + one);
    }
    for (const PlannedDesign& own : result_.designs) {
      if (own.on_front && own.cost.years_assumed) {
        line(fmt::format("assumed: the cluster runs for {} years (cost.years)", own.cost.years));
        break;
      }
    }
  }

  const PlanResult& result_;
  LineWidth width_;
  std::string text_;
  std::string keys_;
};

}  // namespace

std::string money_text(scenario::Money money) {
  const double value = static_cast<double>(money.count) / 1e3;
  return value >= 1e6 ? fmt::format("{:.2f} million USD", value / 1e6) : fmt::format("{:.0f} USD", value);
}

std::string power_text(scenario::Power power) {
  return fmt::format("{:.1f} kW", static_cast<double>(power.count) / 1e6);
}

std::string plan_text(const PlanResult& result, LineWidth width) { return Writer(result, width).take(); }

}  // namespace weft::study::plan
