#include "study/tuning/tuning_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/format_quantity.h"
#include "base/text_table.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::tuning {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kWide = 100;
constexpr TextTable::SideBySide kWidths = {.label = 52, .cell = 22};
// Formulas beside one kind of ports.
constexpr TextTable::SideBySide kNarrowWidths = {.label = 30, .cell = 22};

double ratio(Bytes part, Bytes whole) {
  return whole == Bytes::zero() ? 0 : static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

/// With three significant digits: "208 kB".
std::string size_text(Bytes size) {
  const double count = static_cast<double>(size.count());
  if (count < 1e4) {
    return fmt::format("{} B", size.count());
  }
  return count < 1e6 ? fmt::format("{:.0f} kB", count / 1e3) : fmt::format("{:.2f} MB", count / 1e6);
}

std::string time_text(Duration time) {
  const double seconds = time.seconds();
  if (seconds < 1e-6) {
    return fmt::format("{:.0f} ns", seconds * 1e9);
  }
  if (seconds < 1e-3) {
    return fmt::format("{:.1f} us", seconds * 1e6);
  }
  return seconds < 1 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.1f} s", seconds);
}

class Text {
 public:
  Text(const TuningReport& report, LineWidth width)
      : report_(report),
        width_(width),
        line_(std::min(width.value_or(kLineWidth), kLineWidth)),
        widths_(width && *width < kWide ? kNarrowWidths : kWidths) {}

  std::string all() {
    text_ =
        fmt::format("{}: {}; longest idle round trip {} over {} switches\n\n", report_.name,
                    scenario::word_of(report_.family), time_text(report_.round_trip.time), report_.round_trip.switches);
    in_parts(report_.ports, [this](const std::vector<PortTuning>& own) { ports(own); });
    in_parts(report_.senders, [this](const std::vector<SenderTuning>& own) { senders(own); });
    for (const std::string& warning : report_.warnings) {
      std::string mark = "! ";
      for (const std::string& line : wrapped(warning, line_ - 2)) {
        text_ += std::exchange(mark, "  ") + line + "\n";
      }
    }
    if (report_.warnings.empty()) {
      text_ += "No setting conflicts with rate, cable or buffer.\n";
    }
    return std::move(text_);
  }

 private:
  using PortCell = std::function<std::string(const PortTuning&)>;
  using SenderCell = std::function<std::string(const SenderTuning&)>;

  template <class Rows, class Cell>
  static void row(TextTable& table, const Rows& rows, const std::string& label, const Cell& cell) {
    std::vector<std::string> cells;
    for (const auto& own : rows) {
      cells.push_back(cell(own));
    }
    if (std::ranges::any_of(cells, [](const std::string& text) { return !text.empty(); })) {
      cells.insert(cells.begin(), label);
      table.add(std::move(cells));
    }
  }

  void ports(const std::vector<PortTuning>& rows) {
    TextTable table = TextTable::side_by_side(widths_, rows.size(), width_);
    const auto add = [&](const std::string& label, const PortCell& cell) { row(table, rows, label, cell); };
    add("Switch ports", [](const PortTuning& own) {
      return fmt::format("{} x {}, {}", own.ports, scenario::word_of(own.tier), to_string(own.rate));
    });
    table.add_rule();
    add("BDP = C x round trip, C the rate", [](const PortTuning& own) { return size_text(own.bdp); });
    add("cable, one way", [](const PortTuning& own) { return time_text(own.propagation); });
    pauses(add);
    marks(add);
    add("credits of a VL", [](const PortTuning& own) { return own.credits ? size_text(*own.credits) : ""; });
    add("needed = C (2 cable + pipeline) + 2 frames",
        [](const PortTuning& own) { return own.credits_needed ? size_text(*own.credits_needed) : ""; });
    text_ += table.text() + "\n";
  }

  template <class Add>
  static void pauses(const Add& add) {
    const auto pause = [&](const std::string& label, Bytes PauseTuning::*member) {
      add(label, [member](const PortTuning& own) { return own.pause ? size_text((*own.pause).*member) : ""; });
    };
    pause("headroom", &PauseTuning::headroom);
    pause("needed = C (2 cable + pipeline + response) + 2 frames", &PauseTuning::headroom_needed);
    pause("pause above alpha pool / (1 + alpha)", &PauseTuning::threshold);
    pause("with N ports congested alpha pool / (1 + N alpha)", &PauseTuning::threshold_crowded);
  }

  template <class Add>
  static void marks(const Add& add) {
    add("Kmin (in BDP)", [](const PortTuning& own) {
      return own.mark ? fmt::format("{} ({:.1f})", size_text(own.mark->kmin), ratio(own.mark->kmin, own.bdp)) : "";
    });
    add("Kmax (in BDP)", [](const PortTuning& own) {
      return own.mark ? fmt::format("{} ({:.1f})", size_text(own.mark->kmax), ratio(own.mark->kmax, own.bdp)) : "";
    });
    add("Pmax", [](const PortTuning& own) { return own.mark ? to_string(own.mark->pmax) : ""; });
    add("always before a pause: alpha pool / (N (1 + alpha))", [](const PortTuning& own) {
      return own.mark && own.mark->before_pause ? size_text(*own.mark->before_pause) : "";
    });
  }

  void senders(const std::vector<SenderTuning>& rows) {
    TextTable table = TextTable::side_by_side(widths_, rows.size(), width_);
    const auto add = [&](const std::string& label, const SenderCell& cell) { row(table, rows, label, cell); };
    add("NICs", [](const SenderTuning& own) { return to_string(own.line); });
    table.add_rule();
    add("BDP", [](const SenderTuning& own) { return size_text(own.bdp); });
    add("window (in BDP)", [](const SenderTuning& own) {
      return own.window ? fmt::format("{} ({:.1f})", size_text(*own.window), ratio(*own.window, own.bdp))
                        : std::string("unlimited");
    });
    const auto dcqcn = [&](const std::string& label, const std::function<std::string(const DcqcnFormula&)>& cell) {
      add(label, [cell](const SenderTuning& own) { return own.dcqcn ? cell(*own.dcqcn) : std::string(); });
    };
    dcqcn("DCQCN: timer T", [](const DcqcnFormula& own) { return time_text(own.increase_timer); });
    dcqcn("additive step RAI", [](const DcqcnFormula& own) { return to_string(own.additive_increase); });
    dcqcn("recovery to 99 % of C after halving: T log2(50)",
          [](const DcqcnFormula& own) { return time_text(recovery_time(own)); });
    dcqcn("half of C by additive steps only: T C / (2 RAI)",
          [](const DcqcnFormula& own) { return time_text(additive_climb(own)); });
    if (!report_.senders.empty()) {
      for (std::size_t i = 0; i < report_.senders.front().queues.size(); ++i) {
        add(fmt::format("queue of {} senders to one", report_.senders.front().queues[i].senders),
            [i](const SenderTuning& own) { return i < own.queues.size() ? queue_text(own.queues[i].point) : ""; });
      }
    }
    text_ += table.text() + "\n";
  }

  static std::string queue_text(const FixedPoint& point) {
    return point.queue ? fmt::format("{}, p {:.2f} %", size_text(*point.queue), point.probability * 100)
                       : fmt::format("over Kmax, p {:.1f} %", point.probability * 100);
  }

  /// Prints `table` for as many of `all` at a time as fit.
  template <class Rows, class Table>
  void in_parts(const Rows& all, const Table& table) {
    const std::size_t most = width_ ? widths_.fitting(*width_) : std::max<std::size_t>(all.size(), 1);
    std::size_t first = 0;
    do {
      const std::size_t count = std::min(most, all.size() - first);
      table(Rows(all.begin() + static_cast<std::ptrdiff_t>(first),
                 all.begin() + static_cast<std::ptrdiff_t>(first + count)));
      first += count;
    } while (first < all.size());
  }

  const TuningReport& report_;
  LineWidth width_;
  std::size_t line_;  // of paragraphs
  TextTable::SideBySide widths_;
  std::string text_;
};

Json port_json(const PortTuning& own) {
  Json json = {{"tier", scenario::word_of(own.tier)},
               {"rate_bps", own.rate.bits_per_second()},
               {"ports", own.ports},
               {"propagation_s", own.propagation.seconds()},
               {"bdp_bytes", own.bdp.count()}};
  if (own.pause) {
    json["pause"] = {{"headroom_bytes", own.pause->headroom.count()},
                     {"headroom_needed_bytes", own.pause->headroom_needed.count()},
                     {"threshold_bytes", own.pause->threshold.count()},
                     {"threshold_all_ports_bytes", own.pause->threshold_crowded.count()}};
  }
  if (own.mark) {
    json["mark"] = {{"kmin_bytes", own.mark->kmin.count()},
                    {"kmax_bytes", own.mark->kmax.count()},
                    {"pmax", to_string(own.mark->pmax)}};
    if (own.mark->before_pause) {
      json["mark"]["kmin_before_pause_bytes"] = own.mark->before_pause->count();
    }
  }
  if (own.credits) {
    json["credits_bytes"] = own.credits->count();
    json["credits_needed_bytes"] = own.credits_needed->count();
  }
  return json;
}

Json sender_json(const SenderTuning& own) {
  Json json = {{"rate_bps", own.line.bits_per_second()}, {"bdp_bytes", own.bdp.count()}};
  if (own.window) {
    json["window_bytes"] = own.window->count();
  }
  if (own.dcqcn) {
    json["dcqcn"] = {{"increase_timer_s", own.dcqcn->increase_timer.seconds()},
                     {"additive_increase_bps", own.dcqcn->additive_increase.bits_per_second()},
                     {"recovery_s", recovery_time(*own.dcqcn).seconds()},
                     {"additive_climb_s", additive_climb(*own.dcqcn).seconds()}};
  }
  for (const QueueAt& queue : own.queues) {
    Json row = {{"senders", queue.senders}, {"probability", queue.point.probability}};
    if (queue.point.queue) {
      row["queue_bytes"] = queue.point.queue->count();
    }
    json["queues"].push_back(std::move(row));
  }
  return json;
}

}  // namespace

std::string tuning_text(const TuningReport& report, LineWidth width) { return Text(report, width).all(); }

Json tuning_json(const TuningReport& report) {
  Json json = {{"name", report.name},
               {"family", scenario::word_of(report.family)},
               {"round_trip_s", report.round_trip.time.seconds()},
               {"switches", report.round_trip.switches},
               {"ports", Json::array()},
               {"senders", Json::array()},
               {"warnings", report.warnings}};
  std::ranges::transform(report.ports, std::back_inserter(json["ports"]), port_json);
  std::ranges::transform(report.senders, std::back_inserter(json["senders"]), sender_json);
  return json;
}

}  // namespace weft::study::tuning
