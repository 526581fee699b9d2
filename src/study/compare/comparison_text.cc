#include "study/compare/comparison_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_table.h"
#include "study/compare/bill_marks.h"
#include "study/compare/estimate.h"
#include "study/compare/lost_time.h"
#include "study/compare/money_text.h"
#include "study/compare/recommendation_words.h"
#include "study/compare/seconds_text.h"
#include "study/compare/work_cost.h"
#include "study/report/figure_labels.h"

namespace weft::study::compare {
namespace {

using report::figure_label;
using Fabric = report::ComparedFabric;

constexpr const char* kAbsent = "not measured";
constexpr const char* kNothing = "-";  // where there is nothing to say
constexpr std::size_t kLineWidth = 100;
constexpr TextTable::SideBySide kWidths{};

std::string percent_text(double share) { return fmt::format("{:.1f} %", share * 100); }

/// "+0.00 %" of what rounds to nothing, whatever its sign.
std::string signed_percent(double share) {
  return fmt::format("{:+.2f} %", std::abs(share) < 5e-5 ? 0.0 : share * 100);
}

class Text {
 public:
  struct Look {
    LineWidth width;
    Colour colour = Colour::kNone;
  };
  Text(const report::Comparison& comparison, const Look& look)
      : comparison_(comparison),
        width_(look.width),
        colour_(look.colour),
        line_(std::min(look.width.value_or(kLineWidth), kLineWidth)) {
    for (const Fabric& fabric : comparison.fabrics) {
      (fabric.possible ? possible_ : impossible_).push_back(&fabric);
    }
    for (const Fabric* fabric : possible_) {
      cautions_.add(fabric->name, fabric->run.slice_caution.value_or(""));
    }
  }

  std::string all() {
    heading();
    recommendation();
    networks();
    if (!possible_.empty()) {
      if (possible_.size() > kMostBeside) {
        headline();
      } else {
        in_parts([this] { table(); });
        shared_cautions();
      }
      in_parts([this] { lost_time(); });
      risk();
      bills();
    }
    for (const Fabric* fabric : impossible_) {
      paragraph(fmt::format("{}: {}", fabric->name, fabric->reason.value_or("")), "");
    }
    verdict();
    return std::move(text_);
  }

 private:
  using Cell = std::function<std::string(const Fabric&)>;
  static constexpr std::size_t kMaxColumns = 6;
  static constexpr std::size_t kMostBeside = 10;  // more are schemes of load balancing, of which few figures differ

  /// Tables of more fabrics than a terminal is wide are printed one below the other, with as many columns each.
  void in_parts(const std::function<void()>& print) {
    const std::vector<const Fabric*> all = std::exchange(possible_, {});
    const std::size_t most = width_ ? kWidths.fitting(*width_) : kMaxColumns;
    const std::size_t parts = (all.size() + most - 1) / most;
    for (std::size_t part = 0; part < parts; ++part) {
      const auto place = [&](std::size_t i) {
        return all.begin() + static_cast<std::ptrdiff_t>(all.size() * i / parts);
      };
      possible_.assign(place(part), place(part + 1));
      print();
    }
    possible_ = all;
  }

  [[nodiscard]] std::string title(std::string_view text) const { return toned(text, Tone::kHeading, colour_) + "\n"; }

  void paragraph(const std::string& text, const std::string& indent) {
    for (const std::string& line : wrapped(text, line_ - indent.size())) {
      text_ += indent + line + "\n";
    }
  }

  void heading() {
    const report::ComparedScenario scenario = comparison_.scenario.value_or(report::ComparedScenario{});
    text_ += fmt::format("{}{}\n", scenario.name.value_or(""), scenario.job ? ", " + *scenario.job : "");
    std::string below =
        fmt::format("{}; hardware {}; seeds", scenario.topology.value_or(""), scenario.hardware.value_or(""));
    for (const std::int64_t seed : scenario.seeds.value_or(std::vector<std::int64_t>())) {
      below += fmt::format(" {}", seed);
    }
    if (scenario.stragglers) {
      below += "; ranks compute more slowly " + *scenario.stragglers;
    }
    if (const double jitter = scenario.start_jitter.value_or(0); jitter > 0) {
      below += fmt::format("; senders start up to {} later, by name and seed (an assumption)", seconds_text(jitter));
    }
    paragraph(below, "");
    text_ += "\n";
  }

  /// What a buyer should do, before everything that it rests on.
  void recommendation() {
    if (!comparison_.recommendation) {
      return;
    }
    const report::Recommendation& own = *comparison_.recommendation;
    text_ += title("Recommendation");
    paragraph(own.text, "  ");
    for (const std::string& difference : own.choose_by) {
      paragraph("- " + difference, "    ");
    }
    paragraph(own.sure, "  ");
    if (!own.turning_points.empty()) {
      paragraph("What would turn it round:", "  ");
      for (const report::TurningPoint& point : own.turning_points) {
        paragraph("- " + point.text, "    ");
      }
    }
    text_ += "\n";
  }

  /// What each name stands for.
  void networks() {
    std::size_t widest = 0;
    for (const Fabric& fabric : comparison_.fabrics) {
      widest = std::max(widest, fabric.name.size());
    }
    TextTable names({{.least = widest}, {.wraps = true}}, line_);
    bool any = false;
    for (const Fabric& fabric : comparison_.fabrics) {
      if (!fabric.stands_for) {
        continue;
      }
      any = true;
      names.add({fabric.name, *fabric.stands_for});
    }
    text_ += any ? names.text() + "\n" : "";
  }

  /// `empty`: of a fabric that has nothing there while another has.
  void row(TextTable& table, std::string_view label, const Cell& cell, const char* empty = kAbsent) {
    std::vector<std::string> cells;
    bool any = false;
    for (const Fabric* fabric : possible_) {
      cells.push_back(cell(*fabric));
      any = any || !cells.back().empty();
      cells.back() = cells.back().empty() ? empty : cells.back();
    }
    if (any) {
      cells.insert(cells.begin(), std::string(label));
      table.add(std::move(cells), label == figure_label("ratio_to_best") ? ranks() : std::vector<Tone>());
    }
  }

  /// The best steps of those that are printed, and the worst of all.
  [[nodiscard]] std::vector<Tone> ranks() const {
    double worst = 1;
    for (const Fabric& fabric : comparison_.fabrics) {
      worst = std::max(worst, fabric.possible ? fabric.ratio_to_best.value_or(1) : 1);
    }
    std::vector<Tone> tones = {Tone::kPlain};
    for (const Fabric* fabric : possible_) {
      const double ratio = fabric->ratio_to_best.value_or(1);
      const bool behind = ratio > 1 && fabric->differs_from_best.value_or(true);
      tones.push_back(!behind ? Tone::kGood : ratio >= worst ? Tone::kBad : Tone::kPlain);
    }
    return tones;
  }

  /// A figure that a fabric may not have.
  template <class Figure, class Words>
  void add(TextTable& table, std::string_view label, const Figure& figure, const Words& words) {
    row(table, label, [&](const Fabric& own) {
      const auto value = figure(own);
      return value ? words(*value) : std::string();
    });
  }

  void table() {
    TextTable table = TextTable::side_by_side(kWidths, possible_.size(), width_);
    table.use_colour(colour_);
    row(table, "", [](const Fabric& own) { return own.name; });
    table.add_rule();
    for (std::size_t i = 0; i < possible_.front()->rows->size(); ++i) {
      std::vector<std::string> cells = {possible_.front()->rows->at(i).label};
      for (const Fabric* fabric : possible_) {
        const report::BuyerRow& own = fabric->rows->at(i);
        cells.push_back(own.origin == "not measured" ? kAbsent + (own.value.empty() ? "" : ": " + own.value)
                                                     : own.value);
      }
      table.add(std::move(cells));
    }
    table.add_rule();
    figures(table);
    text_ += table.text() + "\n";
  }

  /// A figure of the headline: what a fabric has of it, or nothing.
  struct Headline {
    std::string heading;
    Cell cell;
    std::uint8_t rank = 0;  // of its column
  };
  [[nodiscard]] std::vector<Headline> headlines() const {
    const auto words = [](const auto& figure, const auto& write) -> Cell {
      return [=](const Fabric& own) {
        const auto value = figure(own);
        return value ? write(*value) : std::string();
      };
    };
    const auto count = [](std::uint64_t value) { return fmt::format("{}", value); };
    const bool job = comparison_.scenario && comparison_.scenario->job;
    return {
        {.heading = job ? "step" : "time",
         .cell = words([](const Fabric& own) { return own.step.mean; }, seconds_text)},
        {.heading = "95 % interval",
         .cell =
             [](const Fabric& own) {
               return own.step.low ? fmt::format("{} .. {}", seconds_text(*own.step.low), seconds_text(*own.step.high))
                                   : std::string();
             }},
        {.heading = "to the best", .cell = ratio_mark},
        {.heading = "FCT p99",
         .cell = words([](const Fabric& own) { return own.run.fct ? own.run.fct->p99 : std::nullopt; },
                       [](double value) { return fmt::format("{:.1f} us", value); }),
         .rank = 3},
        {.heading = "sent again",
         .cell = words([](const Fabric& own) { return own.run.retransmissions; }, count),
         .rank = 1},
        {.heading = "drops", .cell = words([](const Fabric& own) { return own.run.drops; }, count), .rank = 2},
    };
  }

  /// Behind the ratio, where it is alike with the best: "=" of a tie, "?" where too little is known.
  static std::string ratio_mark(const Fabric& own) {
    const double ratio = own.ratio_to_best.value_or(1);
    const bool alike = ratio > 1 && !own.differs_from_best.value_or(true);
    return fmt::format("{:.3f}x {}", ratio, !alike ? " " : is_not_known(known_step(own)) ? "?" : "=");
  }

  /// Of very many fabrics a line each, with what one looks at first: three tables below one another cannot be read.
  void headline() {
    std::vector<Headline> shown = headlines();
    std::erase_if(shown, [&](const Headline& figure) {
      return std::ranges::all_of(possible_, [&](const Fabric* own) { return figure.cell(*own).empty(); });
    });
    std::vector<TextTable::Column> columns = {{.wraps = true}};
    for (const Headline& figure : shown) {
      columns.push_back({.heading = figure.heading, .align = TextTable::Align::kRight, .rank = figure.rank});
    }
    TextTable table(std::move(columns), line_);
    table.use_colour(colour_);
    const std::vector<Tone> tones = ranks();
    for (std::size_t i = 0; i < possible_.size(); ++i) {
      std::vector<std::string> cells = {possible_[i]->name};
      std::vector<Tone> of_cells = {Tone::kPlain};
      for (const Headline& figure : shown) {
        cells.push_back(figure.cell(*possible_[i]));
        cells.back() = cells.back().empty() ? kNothing : cells.back();
        of_cells.push_back(figure.heading == "to the best" ? tones[i + 1] : Tone::kPlain);
      }
      table.add(std::move(cells), std::move(of_cells));
    }
    text_ += table.text();
    paragraph(
        "=: no difference to the best with these seeds; ?: too few to know. All other figures: --json, --csv, or the "
        "report.",
        "");
    cautions();
    text_ += "\n";
  }

  /// What must not be overlooked, once for all fabrics of which it is said.
  void cautions() {
    Cautions said;
    for (const Fabric* fabric : possible_) {
      said.add(fabric->name, fabric->left_out.value_or(""));
      said.add(fabric->name, fabric->run.slice_caution.value_or(""));
    }
    for (const Cautions::Said& own : said.all()) {
      caution(own);
    }
  }

  void caution(const Cautions::Said& own) {
    paragraph(
        fmt::format("{}: {}", is_shared(own) ? "all of them" : fmt::format("{}", fmt::join(own.names, ", ")), own.text),
        "");
  }

  /// Said of every fabric there is a figure of, in whichever part of the table it stands.
  [[nodiscard]] bool is_shared(const Cautions::Said& own) const {
    const auto all = std::ranges::count_if(comparison_.fabrics, &Fabric::possible);
    return all > 1 && own.names.size() == static_cast<std::size_t>(all);
  }

  /// Below the table what would stand in each of its columns.
  void shared_cautions() {
    bool any = false;
    for (const Cautions::Said& own : cautions_.all()) {
      if (is_shared(own)) {
        caution(own);
        any = true;
      }
    }
    text_ += any ? "\n" : "";
  }

  [[nodiscard]] std::string own_caution(const Fabric& fabric) const {
    std::string text;
    for (const std::string& part : parts_of_caution(fabric.run.slice_caution.value_or(""))) {
      const auto said = std::ranges::find(cautions_.all(), part, &Cautions::Said::text);
      if (said == cautions_.all().end() || !is_shared(*said)) {
        text += (text.empty() ? "" : "; ") + part;
      }
    }
    return text;
  }

  void figures(TextTable& table) {
    const auto seconds = [](double value) { return seconds_text(value); };
    const bool job = comparison_.scenario && comparison_.scenario->job;
    add(
        table, job ? std::string(figure_label("step_time_s")) : "Time", [](const Fabric& own) { return own.step.mean; },
        seconds);
    row(table, figure_label("step_time_interval"), [](const Fabric& own) {
      return own.step.low ? fmt::format("{} .. {}", seconds_text(*own.step.low), seconds_text(*own.step.high))
                          : std::string();
    });
    row(table, figure_label("ratio_to_best"), [](const Fabric& own) {
      const double ratio = own.ratio_to_best.value_or(1);
      const bool alike = ratio > 1 && !own.differs_from_best.value_or(true);
      const char* const remark = is_not_known(known_step(own)) ? " (not known)" : " (no difference)";
      return fmt::format("{:.3f}x{}", ratio, alike ? remark : "");
    });
    add(
        table, figure_label("exposed_communication_s"), [](const Fabric& own) { return own.run.exposed_communication; },
        seconds);
    add(
        table, figure_label("bus_bandwidth_gbytes_per_s"), [](const Fabric& own) { return own.run.bus_bandwidth; },
        [](double v) { return fmt::format("{:.1f} GB/s", v); });
    job_steps(table);
    work_cost(table);
    network_figures(table);
    cost_figures(table);
    row(
        table, figure_label("left_out"), [](const Fabric& own) { return own.left_out.value_or(""); }, kNothing);
    row(
        table, figure_label("slice_caution"), [this](const Fabric& own) { return own_caution(own); }, kNothing);
    row(table, figure_label("longest_operation"), [](const Fabric& own) { return longest_operation(own); });
    add(
        table, figure_label("interval"), [](const Fabric& own) { return own.run.interval; },
        [](double v) { return fmt::format("+- {:.1f} %", v * 100); });
    add(
        table, figure_label("composition_error"), [](const Fabric& own) { return own.run.composition_error; },
        [](double v) { return fmt::format("{:+.2f} %", v * 100); });
  }

  /// Of several jobs on one network, each.
  void job_steps(TextTable& table) {
    const auto any = std::ranges::find_if(possible_, [](const Fabric* own) { return own->run.jobs.has_value(); });
    for (std::size_t i = 0; any != possible_.end() && i < (*any)->run.jobs->size(); ++i) {
      row(table, "Step of " + (*(*any)->run.jobs)[i].name, [i](const Fabric& own) {
        if (!own.run.jobs || i >= own.run.jobs->size()) {
          return std::string();
        }
        const report::JobStep& step = (*own.run.jobs)[i];
        return step.alone ? fmt::format("{} ({} alone)", seconds_text(step.time), seconds_text(*step.alone))
                          : seconds_text(step.time);
      });
    }
  }

  /// GPUs and hosts included.
  void work_cost(TextTable& table) {
    const auto unit = std::ranges::find_if(possible_, [](const Fabric* own) { return own->work_cost.has_value(); });
    if (unit == possible_.end()) {
      return;
    }
    row(table, "Cost of a " + (*unit)->work_cost->unit,
        [](const Fabric& own) { return own.work_cost ? money_text(own.work_cost->usd) : std::string(); });
    row(table, figure_label("step_time_interval"), [](const Fabric& own) {
      return own.work_cost && own.work_cost->low
                 ? fmt::format("{} .. {}", money_text(*own.work_cost->low), money_text(*own.work_cost->high))
                 : std::string();
    });
    row(table, figure_label("work_cost.to_recommended"), [](const Fabric& own) {
      return own.work_cost && own.work_cost->to_recommended ? signed_percent(*own.work_cost->to_recommended - 1)
                                                            : std::string();
    });
    row(table, figure_label("work_cost.total_usd"), [](const Fabric& own) {
      return own.work_cost ? fmt::format("{}, {} years", money_text(own.work_cost->total_usd), own.work_cost->years)
                           : std::string();
    });
  }

  void network_figures(TextTable& table) {
    const auto micro = [](double value) { return fmt::format("{:.1f} us", value); };
    const auto count = [](std::uint64_t value) { return fmt::format("{}", value); };
    const auto seconds = [](double value) { return seconds_text(value); };
    const auto of_flows = [](std::optional<double> report::FlowTimes::*figure) {
      return [figure](const Fabric& own) { return own.run.fct ? (*own.run.fct).*figure : std::nullopt; };
    };
    add(table, figure_label("fct_us.p50"), of_flows(&report::FlowTimes::p50), micro);
    add(table, figure_label("fct_us.p99"), of_flows(&report::FlowTimes::p99), micro);
    add(table, figure_label("fct_us.p999"), of_flows(&report::FlowTimes::p999), micro);
    add(
        table, figure_label("drops"), [](const Fabric& own) { return own.run.drops; }, count);
    add(
        table, figure_label("retransmissions"), [](const Fabric& own) { return own.run.retransmissions; }, count);
    add(
        table, figure_label("pause_s"), [](const Fabric& own) { return own.run.pause; }, seconds);
    add(
        table, figure_label("credit_stall_s"), [](const Fabric& own) { return own.run.credit_stall; }, seconds);
    add(
        table, figure_label("cpu_cores_per_host"), [](const Fabric& own) { return own.run.cpu_cores_per_host; },
        [](double v) { return fmt::format("{:.2f} cores", v); });
  }

  void cost_figures(TextTable& table) {
    add(
        table, figure_label("power_w"), [](const Fabric& own) { return own.power; },
        [](double v) { return fmt::format("{:.1f} kW", v / 1e3); });
    add(
        table, figure_label("cost_usd"), [](const Fabric& own) { return own.cost_usd; },
        [](double v) { return fmt::format("{:.3f} M USD", v / 1e6); });
    add(
        table, figure_label("tuning_risk.sum"),
        [](const Fabric& own) { return own.tuning_risk ? own.tuning_risk->figures.sum : std::nullopt; }, percent_text);
    row(table, figure_label("tuning_risk.worst"), [](const Fabric& own) {
      const report::RiskFigures risk = own.tuning_risk ? own.tuning_risk->figures : report::RiskFigures{};
      const std::string loss = risk.worst_fails.value_or(false) ? "does not end"
                               : risk.worst                     ? percent_text(*risk.worst)
                                                                : std::string();
      return loss.empty() ? loss : fmt::format("{}: {}", loss, risk.worst_setting.value_or(""));
    });
  }

  void lost_time() {
    if (!possible_.front()->lost_time) {
      return;
    }
    text_ += title("Where the time goes");
    TextTable table = TextTable::side_by_side(kWidths, possible_.size(), width_);
    table.use_colour(colour_);
    row(table, "", [](const Fabric& own) { return own.name; });
    table.add_rule();
    add(
        table, "computing", [](const Fabric& own) { return own.run.compute; }, seconds_text);
    for (const std::string_view cause : kCauses) {
      const bool any =
          std::ranges::any_of(possible_, [&](const Fabric* own) { return find_cause(*own, cause) != nullptr; });
      if (!any) {
        continue;
      }
      row(table, std::string(cause), [&](const Fabric& own) {
        const report::LostTimeCause* lost = find_cause(own, cause);
        return lost != nullptr ? seconds_text(lost->time) : std::string("-");
      });
    }
    table.add_rule();
    add(
        table, "together", [](const Fabric& own) { return own.step.mean; }, seconds_text);
    text_ += table.text() + "\n";
  }

  /// Which operation in the network takes longest, and what its paths allow without any protocol.
  static std::string longest_operation(const Fabric& fabric) {
    const std::vector<report::StepCollective> all =
        fabric.run.collectives.value_or(std::vector<report::StepCollective>());
    const auto longest = std::ranges::max_element(all, {}, &report::StepCollective::time);
    return longest == all.end() ? std::string()
                                : fmt::format("{} {}: {}, paths allow {}", longest->purpose, longest->kind,
                                              seconds_text(longest->time), seconds_text(longest->paths_allow));
  }

  /// Null: no time was lost to it.
  static const report::LostTimeCause* find_cause(const Fabric& fabric, std::string_view cause) {
    if (!fabric.lost_time) {
      return nullptr;
    }
    const auto found = std::ranges::find(*fabric.lost_time, cause, &report::LostTimeCause::cause);
    return found == fabric.lost_time->end() ? nullptr : &*found;
  }

  void risk() {
    bool any = false;
    for (const Fabric* fabric : possible_) {
      if (!fabric->tuning_risk) {
        continue;
      }
      text_ += any ? "" : title("Tuning risk: cost of one misconfiguration, relative to the step time");
      any = true;
      text_ += fmt::format("  {}\n", fabric->name);
      TextTable changes({{.align = TextTable::Align::kRight, .least = 13, .spills = 13}, {.wraps = true}}, width_);
      for (const report::MisconfigurationCase& own : fabric->tuning_risk->cases) {
        const std::string loss = own.loss ? signed_percent(*own.loss) : own.unmeasured ? "-" : "fails";
        const char* const kind = own.fault.value_or(false) ? "fault, no setting: " : "";
        changes.add({loss, fmt::format("{}{}: {}", kind, own.setting, own.change)});
        if (own.reason) {
          changes.add({"", fmt::format("({})", *own.reason)});
        }
      }
      text_ += changes.text();
      for (const report::TuningRiskOfSize& own :
           fabric->tuning_risk->by_size.value_or(std::vector<report::TuningRiskOfSize>())) {
        risk_of_size(own);
      }
    }
    if (any) {
      paragraph(
          fmt::format("{}: one mistake in each setting, losses added up; of several mistakes in one setting, which "
                      "exclude each other, their mean. Faults and two at once are not in it.",
                      figure_label("tuning_risk.sum")),
          "  ");
      text_ += "\n";
    }
  }

  void risk_of_size(const report::TuningRiskOfSize& own) {
    const report::RiskFigures& risk = own.figures;
    if (risk.reason) {
      text_ += fmt::format("    on {} GPUs: {}\n", own.gpus, *risk.reason);
      return;
    }
    text_ += fmt::format("    on {} GPUs: all settings {}, worst {} ({})\n", own.gpus,
                         risk.sum ? percent_text(*risk.sum) : "-", risk.worst ? percent_text(*risk.worst) : "fails",
                         risk.worst_setting.value_or(""));
  }

  [[nodiscard]] std::string bill_table(const std::vector<report::BillLine>& bill) const {
    const auto right = [](std::size_t least, std::uint8_t rank, std::string name) {
      return TextTable::Column{.align = TextTable::Align::kRight,
                               .least = least,
                               .spills = least,
                               .gap = 1,
                               .rank = rank,
                               .name = std::move(name)};
    };
    TextTable table({right(10, 0, "count"),
                     {.gap = 1},
                     {.least = 34, .spills = 34, .gap = 1, .wraps = true},
                     right(14, 2, "unit price"),
                     right(16, 0, "price"),
                     right(12, 1, "power"),
                     {.wraps = true, .rank = 3, .name = "mark"}},
                    width_);
    for (const report::BillLine& line : bill) {
      table.add({fmt::format("{}", line.count), "x", line.name, fmt::format("{:.0f} USD", line.unit_price_usd),
                 fmt::format("{:.0f} USD", line.price_usd), fmt::format("{:.1f} kW", line.power / 1e3),
                 line.mark + (line.owned ? ", owned" : "")});
    }
    return table.text();
  }

  /// Networks that are made of the same parts have one bill.
  void bills() {
    std::vector<std::pair<std::string, std::vector<std::string>>> tables;
    for (const Fabric* fabric : possible_) {
      if (fabric->bill) {
        std::string table = bill_table(*fabric->bill);
        const auto same = std::ranges::find(tables, table, [](const auto& own) { return own.first; });
        if (same != tables.end()) {
          same->second.push_back(fabric->name);
        } else {
          tables.emplace_back(std::move(table), std::vector{fabric->name});
        }
      }
    }
    if (!tables.empty()) {
      const bool any = std::ranges::any_of(possible_, [](const Fabric* own) { return has_indicative_price(*own); });
      text_ += title(
          fmt::format("Bill of materials ({}hosts and GPUs are not part of it)", any ? "indicative prices; " : ""));
    }
    for (const auto& [table, fabrics] : tables) {
      paragraph(fmt::format("{}", fmt::join(fabrics, ", ")), "  ");
      text_ += table;
    }
    text_ += tables.empty() ? "" : "\n";
  }

  void verdict() {
    const std::string weights = comparison_.scenario ? comparison_.scenario->weights.value_or("") : "";
    text_ += title(weights == "money" ? "What the figures say" : fmt::format("Verdict, with the weights {}", weights));
    for (const report::VerdictSentence& own : comparison_.verdict.value_or(std::vector<report::VerdictSentence>())) {
      paragraph(own.text, "  ");
      paragraph(fmt::format("[{}: {}]", own.origin == "emerges" ? "emerges" : "from the catalogue", own.evidence),
                "    ");
    }
  }

  const report::Comparison& comparison_;
  LineWidth width_;
  Colour colour_;
  std::size_t line_;  // of paragraphs
  std::vector<const Fabric*> possible_;
  std::vector<const Fabric*> impossible_;
  Cautions cautions_;  // of slices
  std::string text_;
};

}  // namespace

std::string comparison_text(const report::Comparison& comparison, LineWidth width, Colour colour) {
  return Text(comparison, {.width = width, .colour = colour}).all();
}

}  // namespace weft::study::compare
