#include "study/failures/failure_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/csv_writer.h"
#include "base/text_table.h"
#include "study/results/summary_text.h"

namespace weft::study::failures {
namespace {

TextTable::Column figure(std::string heading, std::uint8_t rank = 0) {
  return {.heading = std::move(heading), .align = TextTable::Align::kRight, .least = 6, .gap = 1, .rank = rank};
}

/// "4.29 s", "8.6 min", "3.1 h".
std::string span_text(double seconds) {
  struct Unit {
    double seconds;
    const char* name;
  };
  static constexpr Unit kUnits[] = {{3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.seconds * (unit.seconds >= 60 ? 2 : 1)) {
      return fmt::format("{:.3g} {}", seconds / unit.seconds, unit.name);
    }
  }
  return seconds > 0 ? fmt::format("{:.3g} ns", seconds * 1e9) : "0";
}

std::string percent_text(double share) { return results::percent(share); }

std::string outcome_table(const NetworkFailures& network, LineWidth width) {
  const bool has_own_delays = !network.reroute_delay;
  std::vector<TextTable::Column> columns{{.heading = "failure", .least = 14},
                                         figure("of", 2),
                                         figure("a month"),
                                         {.heading = "job", .gap = 2},
                                         figure("stall"),
                                         figure("speed"),
                                         figure("after", 3),
                                         figure("step"),
                                         {.heading = "component", .gap = 2, .wraps = true, .rank = 1}};
  if (has_own_delays) {
    columns.insert(columns.end() - 1, figure("routes"));
  }
  TextTable table(std::move(columns), width);
  for (const FailureOutcome& outcome : network.outcomes) {
    std::vector<std::string> cells{outcome.kind, fmt::format("{}", outcome.count),
                                   fmt::format("{:.3g}", outcome.per_month())};
    if (!outcome.known) {
      cells.insert(cells.end(), {"-", "", "", "", "", outcome.reason});
    } else if (outcome.lost) {
      const std::string when = outcome.lost_after > 0 ? " after " + span_text(outcome.lost_after) : "";
      cells.insert(cells.end(), {"lost" + when, "", "", "", "", outcome.component});
    } else {
      cells.insert(cells.end(),
                   {"lives", span_text(outcome.stall), percent_text(outcome.speed), percent_text(outcome.speed_after),
                    outcome.step_during ? span_text(*outcome.step_during) : "", outcome.component});
    }
    if (has_own_delays) {
      cells.insert(cells.end() - 1, outcome.reroute_delay ? span_text(*outcome.reroute_delay) : std::string());
    }
    table.add(std::move(cells));
  }
  return table.text();
}

std::string waits_text(const NetworkFailures& network) {
  std::string text = "library " + network.library;
  if (network.uses_queue_pairs && network.ack_timeout > 0) {
    const double timeout = 4.096e-6 * static_cast<double>(std::int64_t{1} << network.ack_timeout);
    text += fmt::format(": a queue pair gives up {} after its last acknowledgement ({} x {})",
                        span_text(timeout * static_cast<double>(network.retry_count + 1)), network.retry_count + 1,
                        span_text(timeout));
  }
  if (network.watchdog) {
    text += fmt::format("{} watchdog {}", network.uses_queue_pairs ? "," : ":", span_text(*network.watchdog));
  }
  return text + (network.reroute_delay
                     ? fmt::format("; routes follow {} after a failure", span_text(*network.reroute_delay))
                     : std::string("; routes follow when the subnet manager has swept, so long after each failure"));
}

std::string drawn_text(const NetworkFailures& network, const Margins& margins) {
  const RenewalResult& drawn = network.drawn;
  const std::string text = paragraph(
      fmt::format("a month, of {} drawn: goodput {} (+- {}), by formula {}; {:.3g} losses of the job (+- {:.2g})",
                  drawn.replicas, percent_text(drawn.goodput.mean), percent_text(drawn.goodput.half),
                  percent_text(network.formula), drawn.interruptions.mean, drawn.interruptions.half),
      margins);
  const TimeShares& shares = drawn.shares;
  return text +
         paragraph(fmt::format("its time: work {}, done again {}, checkpoints {}, restarts {}, slow {}, stalled {}",
                               percent_text(shares.kept), percent_text(shares.lost), percent_text(shares.checkpoints),
                               percent_text(shares.restarts), percent_text(shares.slow), percent_text(shares.stalled)),
                   margins);
}

std::string formula_text(const NetworkFailures& network, const Margins& margins) {
  return paragraph(
      fmt::format(
          "a month: goodput {} by formula alone, {:.3g} losses of the job; none was drawn, since each would have "
          "{:.2g} failures, repairs and checkpoints (at most {:.0e} are drawn)",
          percent_text(network.formula), network.drawn.interruptions.mean, network.drawn.events, kMostReplicaEvents),
      margins);
}

std::string month_text(const NetworkFailures& network, LineWidth width) {
  const Margins margins{.columns = width.value_or(80)};
  std::string text = network.drawn.replicas > 0 ? drawn_text(network, margins) : formula_text(network, margins);
  std::string saved = fmt::format("checkpoints: {}{} each, every {}", span_text(network.checkpoint_time),
                                  network.asynchronous ? " beside the steps" : "", span_text(network.interval));
  if (network.mean_between > 0 && !network.asynchronous) {
    saved += fmt::format(" (best {}, Daly {}, Young {})", span_text(network.best), span_text(network.daly),
                         span_text(network.young));
  }
  return text + paragraph(saved + fmt::format("; restart {}", span_text(network.restart)), margins);
}

std::string summary_table(const FailureReport& report, LineWidth width) {
  TextTable table({{.heading = "network", .least = 16, .wraps = true},
                   figure("goodput"),
                   figure("+-", 1),
                   figure("formula", 2),
                   figure("losses"),
                   {.heading = "lost to", .gap = 2, .wraps = true}},
                  width);
  for (const NetworkFailures& network : report.networks) {
    if (!network.possible) {
      table.add({network.name, "-", "", "", "", network.reason});
      continue;
    }
    std::string lost;
    for (const FailureOutcome& outcome : network.outcomes) {
      if (outcome.known && outcome.lost && outcome.lost_after > 0) {
        lost += (lost.empty() ? "" : ", ") + outcome.kind;
      }
    }
    table.add({network.name, percent_text(network.drawn.goodput.mean),
               network.drawn.replicas > 0 ? percent_text(network.drawn.goodput.half) : "not drawn",
               percent_text(network.formula), fmt::format("{:.3g}", network.drawn.interruptions.mean),
               lost.empty() ? "no failure of the network" : lost});
  }
  return table.text();
}

/// Lines of one table, each with its network in front.
class NetworkLines {
 public:
  explicit NetworkLines(std::initializer_list<std::string_view> columns) {
    out_.field("network");
    for (const std::string_view column : columns) {
      out_.field(column);
    }
    out_.end_line();
  }
  template <class... Fields>
  void add(const NetworkFailures& network, const Fields&... fields) {
    out_.field(network.name);
    (out_.field(fmt::format("{}", fields)), ...);
    out_.end_line();
  }
  [[nodiscard]] std::string take() { return out_.take(); }

 private:
  CsvWriter out_;
};

}  // namespace

std::string failure_text(const FailureReport& report, LineWidth width) {
  std::string text = fmt::format("{}: failures with the rates '{}'\n\n", report.scenario, report.rates);
  text += summary_table(report, width);
  for (const NetworkFailures& network : report.networks) {
    if (!network.possible) {
      continue;
    }
    text += fmt::format("\n{}{}\n", network.name,
                        network.step ? fmt::format(": a step takes {}", span_text(*network.step)) : std::string());
    text += paragraph(waits_text(network), {.columns = width.value_or(80)});
    text += outcome_table(network, width) + month_text(network, width);
  }
  return text + "\n" +
         paragraph(
             "of: components under the job; a month: failures of all of them in 730 h. stall: what the failure adds to "
             "an operation under way; speed: of a ring all-reduce against a healthy one until it is repaired, and "
             "after; step: of the job with such a failure. losses: of the job in a month. Every component is taken to "
             "be under the job's traffic.",
             {.columns = width.value_or(80)});
}

nlohmann::ordered_json failure_json(const FailureReport& report) {
  nlohmann::ordered_json made{{"format", "weft-failures"}, {"format_version", 1},         {"weft", report.version},
                              {"command", report.command}, {"scenario", report.scenario}, {"rates", report.rates}};
  made["networks"] = nlohmann::ordered_json::array();
  for (const NetworkFailures& network : report.networks) {
    made["networks"].push_back(to_json(network));
  }
  return made;
}

std::vector<results::CsvFile> failure_csv(const FailureReport& report) {
  NetworkLines networks({"family", "possible", "goodput", "goodput_half_interval", "goodput_formula", "losses",
                         "losses_half_interval", "interval_s", "checkpoint_s", "restart_s", "step_s"});
  NetworkLines outcomes({"kind", "component", "count", "fit", "per_month", "known", "lost", "lost_after_s", "stall_s",
                         "speed", "speed_after", "step_during_s", "why", "reroute_delay_s"});
  NetworkLines timeline({"kind", "at_s", "speed"});
  NetworkLines rates({"factor", "goodput"});
  for (const NetworkFailures& network : report.networks) {
    networks.add(network, network.family, network.possible ? 1 : 0, network.drawn.goodput.mean,
                 network.drawn.goodput.half, network.formula, network.drawn.interruptions.mean,
                 network.drawn.interruptions.half, network.interval, network.checkpoint_time, network.restart,
                 network.step ? fmt::format("{}", *network.step) : std::string());
    for (const FailureOutcome& outcome : network.outcomes) {
      // GPUs and hosts that fail have no routes around them.
      const std::optional<double> delay = outcome.component.empty() || !outcome.known ? std::nullopt
                                          : network.reroute_delay                     ? network.reroute_delay
                                                                                      : outcome.reroute_delay;
      outcomes.add(network, outcome.kind, outcome.component, outcome.count, outcome.fit, outcome.per_month(),
                   outcome.known ? 1 : 0, outcome.lost ? 1 : 0, outcome.lost_after, outcome.stall, outcome.speed,
                   outcome.speed_after, outcome.step_during ? fmt::format("{}", *outcome.step_during) : std::string(),
                   outcome.known ? outcome.why : outcome.reason, delay ? fmt::format("{}", *delay) : std::string());
      for (const TimelinePoint& point : outcome.timeline) {
        timeline.add(network, outcome.kind, point.at, point.speed);
      }
    }
    for (const RatePoint& point : network.by_rate) {
      rates.add(network, point.factor, point.goodput);
    }
  }
  return {{"networks.csv", networks.take()},
          {"failures.csv", outcomes.take()},
          {"timeline.csv", timeline.take()},
          {"rates.csv", rates.take()}};
}

}  // namespace weft::study::failures
