#include "study/compare/comparison_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "study/compare/lost_time.h"
#include "study/compare/seconds_text.h"
#include "study/report/comparison_keys.h"
#include "study/results/wrapped_table.h"

namespace weft::study::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAbsent = "not measured";
constexpr std::size_t kLineWidth = 100;

std::string percent_text(double share) { return fmt::format("{:.1f} %", share * 100); }

/// "+0.00 %" of what rounds to nothing, whatever its sign.
std::string signed_percent(double share) {
  return fmt::format("{:+.2f} %", std::abs(share) < 5e-5 ? 0.0 : share * 100);
}

class Text {
 public:
  explicit Text(const Json& document) : document_(document) {
    for (const Json& fabric : document.at("fabrics")) {
      (fabric.at("possible").get<bool>() ? possible_ : impossible_).push_back(&fabric);
    }
  }

  std::string all() {
    heading();
    networks();
    if (!possible_.empty()) {
      in_parts([this] { table(); });
      in_parts([this] { lost_time(); });
      risk();
      bills();
    }
    for (const Json* fabric : impossible_) {
      paragraph(fmt::format("{}: {}", fabric->at("name").get<std::string>(), fabric->at("reason").get<std::string>()),
                "");
    }
    verdict();
    return std::move(text_);
  }

 private:
  using Cell = std::function<std::string(const Json&)>;
  static constexpr std::size_t kMaxColumns = 6;

  /// Tables of more fabrics than a terminal is wide are printed one below the other, with as many columns each.
  void in_parts(const std::function<void()>& print) {
    const std::vector<const Json*> all = std::exchange(possible_, {});
    const std::size_t parts = (all.size() + kMaxColumns - 1) / kMaxColumns;
    for (std::size_t part = 0; part < parts; ++part) {
      const auto place = [&](std::size_t i) {
        return all.begin() + static_cast<std::ptrdiff_t>(all.size() * i / parts);
      };
      possible_.assign(place(part), place(part + 1));
      print();
    }
    possible_ = all;
  }

  void paragraph(const std::string& text, const std::string& indent) {
    for (const std::string& line : results::wrapped(text, kLineWidth - indent.size())) {
      text_ += indent + line + "\n";
    }
  }

  void heading() {
    const Json& scenario = document_.at("scenario");
    text_ += fmt::format("{}{}\n", scenario.value("name", ""),
                         scenario.contains("job") ? ", " + scenario["job"].get<std::string>() : "");
    std::string below =
        fmt::format("{}; hardware {}; seeds", scenario.value("topology", ""), scenario.value("hardware", ""));
    for (const Json& seed : scenario.at("seeds")) {
      below += fmt::format(" {}", seed.get<std::int64_t>());
    }
    if (scenario.contains("stragglers")) {
      below += "; ranks compute more slowly " + scenario["stragglers"].get<std::string>();
    }
    if (const double jitter = scenario.value("start_jitter_s", 0.0); jitter > 0) {
      below += fmt::format("; senders start up to {} later, by name and seed (an assumption)", seconds_text(jitter));
    }
    paragraph(below, "");
    text_ += "\n";
  }

  /// What each name stands for.
  void networks() {
    std::size_t width = 0;
    for (const Json& fabric : document_.at("fabrics")) {
      width = std::max(width, fabric.at("name").get<std::string>().size());
    }
    bool any = false;
    for (const Json& fabric : document_.at("fabrics")) {
      if (!fabric.contains("stands_for")) {
        continue;
      }
      any = true;
      std::string name = fabric.at("name").get<std::string>();
      for (const std::string& line :
           results::wrapped(fabric.at("stands_for").get<std::string>(), kLineWidth - width - 2)) {
        text_ += fmt::format("{:<{}}  {}\n", std::exchange(name, ""), width, line);
      }
    }
    if (any) {
      text_ += "\n";
    }
  }

  void row(results::WrappedTable& table, const std::string& label, const Cell& cell) {
    std::vector<std::string> cells;
    bool any = false;
    for (const Json* fabric : possible_) {
      cells.push_back(cell(*fabric));
      any = any || !cells.back().empty();
      cells.back() = !cells.back().empty() ? cells.back() : label == "Caution" ? "-" : kAbsent;
    }
    if (any) {
      table.add(label, cells);
    }
  }

  void table() {
    results::WrappedTable table({});
    row(table, "", [](const Json& own) { return own.at("name").get<std::string>(); });
    table.add_line();
    for (std::size_t i = 0; i < possible_.front()->at("rows").size(); ++i) {
      std::vector<std::string> cells;
      for (const Json* fabric : possible_) {
        const Json& own = fabric->at("rows").at(i);
        const std::string value = own.at("value").get<std::string>();
        cells.push_back(own.at("origin") == "not measured" ? kAbsent + (value.empty() ? "" : ": " + value) : value);
      }
      table.add(possible_.front()->at("rows").at(i).at("label").get<std::string>(), cells);
    }
    table.add_line();
    figures(table);
    text_ += table.text() + "\n";
  }

  void figures(results::WrappedTable& table) {
    const auto number = [](const char* key, const std::function<std::string(double)>& text) {
      return
          [key, text](const Json& own) { return own.contains(key) ? text(own.at(key).get<double>()) : std::string(); };
    };
    const auto nested = [](const char* outer, const char* key, const std::function<std::string(double)>& text) {
      return [=](const Json& own) {
        return own.contains(outer) && own.at(outer).contains(key) ? text(own.at(outer).at(key).get<double>())
                                                                  : std::string();
      };
    };
    const auto micro = [](double value) { return fmt::format("{:.1f} us", value); };
    const auto count = [](double value) { return fmt::format("{:.0f}", value); };
    row(table, document_.at("scenario").contains("job") ? "Step time" : "Time",
        number(report::key::kStepTime, seconds_text));
    row(table, "  95 % interval", [](const Json& own) {
      return own.contains(report::key::kStepTimeLow)
                 ? fmt::format("{} .. {}", seconds_text(own[report::key::kStepTimeLow].get<double>()),
                               seconds_text(own[report::key::kStepTimeHigh].get<double>()))
                 : std::string();
    });
    row(table, "  to the best", [](const Json& own) {
      return fmt::format(
          "{:.3f}x{}", own.value(report::key::kRatioToBest, 1.0),
          own.value(report::key::kRatioToBest, 1.0) > 1 && !own.value(report::key::kDiffersFromBest, true)
              ? " (no difference)"
              : "");
    });
    row(table, "Exposed communication", number(report::key::kExposedCommunication, seconds_text));
    row(table, "Bus bandwidth",
        number(report::key::kBusBandwidth, [](double v) { return fmt::format("{:.1f} GB/s", v); }));
    row(table, "FCT p50", nested(report::key::kFct, "p50", micro));
    row(table, "FCT p99", nested(report::key::kFct, "p99", micro));
    row(table, "FCT p99.9", nested(report::key::kFct, "p999", micro));
    row(table, "Dropped packets", number("drops", count));
    row(table, "Sent again", number("retransmissions", count));
    row(table, "Paused (ports, sum)", number(report::key::kPause, seconds_text));
    row(table, "Credit stalls (sum)", number(report::key::kCreditStall, seconds_text));
    row(table, "CPU per host",
        number(report::key::kCpuCoresPerHost, [](double v) { return fmt::format("{:.2f} cores", v); }));
    row(table, "Power", number(report::key::kPower, [](double v) { return fmt::format("{:.1f} kW", v / 1e3); }));
    row(table, "Cost", number(report::key::kCost, [](double v) { return fmt::format("{:.3f} M USD", v / 1e6); }));
    row(table, "Cost per unit of work", [](const Json& own) {
      const Json unit = own.value(report::key::kCostPerUnit, Json::object());
      return unit.contains(report::key::kUsdPerKtoken)
                 ? fmt::format("{:.0f} USD per 1000 tokens/s", unit[report::key::kUsdPerKtoken].get<double>())
             : unit.contains(report::key::kUsdPerRun)
                 ? fmt::format("{:.3g} USD per run/s", unit[report::key::kUsdPerRun].get<double>())
                 : std::string();
    });
    row(table, "Tuning risk, median", nested(report::key::kTuningRisk, "median", percent_text));
    row(table, "Tuning risk, worst", [](const Json& own) {
      const Json risk = own.value(report::key::kTuningRisk, Json::object());
      const std::string loss = risk.value(report::key::kWorstFails, false) ? "does not end"
                               : risk.contains("worst")                    ? percent_text(risk["worst"].get<double>())
                                                                           : std::string();
      return loss.empty() ? loss : fmt::format("{}: {}", loss, risk[report::key::kWorstSetting].get<std::string>());
    });
    row(table, "Caution", [](const Json& own) { return own.value(report::key::kSliceCaution, std::string()); });
    row(table, "Longest operation", [](const Json& own) { return longest_operation(own); });
    row(table, "Confidence interval of slices",
        number("interval", [](double v) { return fmt::format("+- {:.1f} %", v * 100); }));
    row(table, "Composition error",
        number(report::key::kCompositionError, [](double v) { return fmt::format("{:+.2f} %", v * 100); }));
  }

  void lost_time() {
    if (!possible_.front()->contains(report::key::kLostTime)) {
      return;
    }
    text_ += "Where the time goes\n";
    results::WrappedTable table({});
    row(table, "", [](const Json& own) { return own.at("name").get<std::string>(); });
    table.add_line();
    row(table, "computing", [](const Json& own) {
      return own.contains(report::key::kCompute) ? seconds_text(own[report::key::kCompute].get<double>())
                                                 : std::string();
    });
    for (const std::string_view cause : kCauses) {
      const bool any = std::ranges::any_of(possible_, [&](const Json* own) { return has_cause(*own, cause); });
      if (!any) {
        continue;
      }
      row(table, std::string(cause), [&](const Json& own) {
        for (const Json& lost : own.value(report::key::kLostTime, Json::array())) {
          if (lost.at("cause") == cause) {
            return seconds_text(lost.at("s").get<double>());
          }
        }
        return std::string("-");
      });
    }
    table.add_line();
    row(table, "together", [](const Json& own) { return seconds_text(own.at(report::key::kStepTime).get<double>()); });
    text_ += table.text() + "\n";
  }

  /// Which operation in the network takes longest, and what its paths allow without any protocol.
  static std::string longest_operation(const Json& fabric) {
    const Json all = fabric.value("collectives", Json::array());
    const auto longest =
        std::ranges::max_element(all, {}, [](const Json& own) { return own.at("time_s").get<double>(); });
    return longest == all.end()
               ? std::string()
               : fmt::format("{} {}: {}, paths allow {}", longest->at("purpose").get<std::string>(),
                             longest->at("kind").get<std::string>(), seconds_text(longest->at("time_s").get<double>()),
                             seconds_text(longest->at("paths_allow_s").get<double>()));
  }

  static bool has_cause(const Json& fabric, std::string_view cause) {
    const Json lost = fabric.value(report::key::kLostTime, Json::array());
    return std::ranges::any_of(lost, [&](const Json& own) { return own.at("cause") == cause; });
  }

  void risk() {
    bool any = false;
    for (const Json* fabric : possible_) {
      if (!fabric->contains(report::key::kTuningRisk)) {
        continue;
      }
      text_ += any ? "" : "Tuning risk: cost of one misconfiguration, relative to the step time\n";
      any = true;
      text_ += fmt::format("  {}\n", fabric->at("name").get<std::string>());
      for (const Json& own : fabric->at(report::key::kTuningRisk).at("cases")) {
        text_ += fmt::format("    {:>9}  {}: {}\n",
                             own.contains("loss")         ? signed_percent(own["loss"].get<double>())
                             : own.contains("unmeasured") ? "-"
                                                          : "fails",
                             own.at("setting").get<std::string>(), own.at("change").get<std::string>());
        if (own.contains("reason")) {
          text_ += fmt::format("    {:>9}  ({})\n", "", own["reason"].get<std::string>());
        }
      }
      for (const Json& own : fabric->at(report::key::kTuningRisk).value(report::key::kBySize, Json::array())) {
        if (own.contains("reason")) {
          text_ +=
              fmt::format("    on {} GPUs: {}\n", own.at("gpus").get<std::int64_t>(), own["reason"].get<std::string>());
          continue;
        }
        text_ += fmt::format("    on {} GPUs: median {}, worst {} ({})\n", own.at("gpus").get<std::int64_t>(),
                             own.contains("median") ? percent_text(own["median"].get<double>()) : "-",
                             own.contains("worst") ? percent_text(own["worst"].get<double>()) : "fails",
                             own.at(report::key::kWorstSetting).get<std::string>());
      }
    }
    text_ += any ? "\n" : "";
  }

  void bills() {
    bool any = false;
    for (const Json* fabric : possible_) {
      if (!fabric->contains("bill")) {
        continue;
      }
      text_ += any ? "" : "Bill of materials (indicative prices; hosts and GPUs are not part of it)\n";
      any = true;
      text_ += fmt::format("  {}\n", fabric->at("name").get<std::string>());
      for (const Json& line : fabric->at("bill")) {
        text_ += fmt::format("    {:>6} x {:<34} {:>10.0f} USD {:>12.0f} USD {:>9.1f} kW  {}{}\n",
                             line.at("count").get<std::int64_t>(), line.at("name").get<std::string>(),
                             line.at("unit_price_usd").get<double>(), line.at("price_usd").get<double>(),
                             line.at(report::key::kPower).get<double>() / 1e3, line.at("mark").get<std::string>(),
                             line.value("owned", false) ? ", owned" : "");
      }
    }
    text_ += any ? "\n" : "";
  }

  void verdict() {
    text_ += fmt::format("Verdict, with the weights {}\n", document_.at("scenario").value("weights", ""));
    for (const Json& own : document_.at("verdict")) {
      paragraph(own.at("text").get<std::string>(), "  ");
      paragraph(fmt::format("[{}: {}]", own.at("origin") == "emerges" ? "emerges" : "from the catalogue",
                            own.at("evidence").get<std::string>()),
                "    ");
    }
  }

  const Json& document_;
  std::vector<const Json*> possible_;
  std::vector<const Json*> impossible_;
  std::string text_;
};

}  // namespace

std::string comparison_text(const Json& document) { return Text(document).all(); }

}  // namespace weft::study::compare
