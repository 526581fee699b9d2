#include "study/results/results_steps.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/text_table.h"
#include "study/results/record_json.h"
#include "study/results/summary_text.h"

namespace weft::study::results {
namespace {

using Json = nlohmann::ordered_json;

double share_of(Duration part, Duration whole) {
  return whole > Duration::zero() ? static_cast<double>(part.picoseconds()) / static_cast<double>(whole.picoseconds())
                                  : 0;
}

std::string flow_text(const StepFlow& flow) {
  if (flow.operation == Bytes::zero()) {  // run as a whole: all operations between two GPUs are one flow
    return fmt::format("{} of the {}: {} flows of {}", flow.purpose, flow.kind, flow.flows, short_text(flow.size));
  }
  return fmt::format("{} {} of {}: {} flows of {}", flow.purpose, flow.kind, short_text(flow.operation), flow.flows,
                     short_text(flow.size));
}

template <class Row>
Json list_json(const RecordTable& table, const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const Row& row : rows) {
    json.push_back(record_json(table, &row));
  }
  return json;
}

/// "dp reduce-scatter of 243 MiB".
std::string collective_text(const StepCollective& own) {
  return fmt::format("{} {} of {}", own.purpose, own.kind, short_text(own.size));
}

class StepWriter {
 public:
  StepWriter(const StepRow& step, LineWidth width) : step_(step), width_(width) {}

  std::string text() {
    head();
    parts();
    collectives();
    lists();
    return std::move(text_);
  }

 private:
  void line(std::string_view name, const std::string& what) { text_ += labelled_line(name, what, width_); }

  void head() {
    text_ += fmt::format("{}: {}{}{} on {} x {}, {}\n", step_.job, step_.workload, step_.model.empty() ? "" : " ",
                         step_.model, step_.gpus, step_.gpu, step_.parallelism);
    const std::optional<double> known = step_.uncertainty();
    const std::string interval = known             ? fmt::format(" +- {:.1f} %", 100 * *known)
                                 : step_.settled() ? ""
                                                   : ", how exactly is not known";
    line("step", fmt::format("{}{}; computing {} of it; communication exposed {}", short_text(step_.time), interval,
                             percent(share_of(step_.compute, step_.time)),
                             percent(share_of(step_.exposed_communication(), step_.time))));
    if (step_.alone) {
      line("beside", fmt::format("{} without the other jobs, {:+.1f} % beside them", short_text(*step_.alone),
                                 100 * (step_.time.seconds() / step_.alone->seconds() - 1)));
    }
    line("rate", step_.tokens_per_second > 0 ? fmt::format("{:.0f} tokens/s, {} of the GPUs' peak (model FLOPs)",
                                                           step_.tokens_per_second, percent(step_.utilisation))
                                             : fmt::format("{:.0f} steps/s", step_.steps_per_second()));
    if (step_.composition_error) {
      line("composed", fmt::format("{:+.2f} % against packet-level simulation, on {}", 100 * *step_.composition_error,
                                   step_.composition_check));
    } else {
      const std::string why = step_.composition_check.empty() ? "" : ": " + step_.composition_check;
      line(step_.fidelity, step_.fidelity == "packet" ? "full packet-level simulation" : "error not measured" + why);
    }
  }

  /// A column as wide as its heading or `least`; what is longer moves the rest of its line.
  static TextTable::Column column(std::string heading, std::size_t least, std::uint8_t rank = 0) {
    return {.heading = std::move(heading),
            .align = TextTable::Align::kRight,
            .least = least,
            .spills = least,
            .gap = 1,
            .rank = rank};
  }

  void parts() {
    TextTable table({{.heading = "  time for", .least = 15, .spills = 15},
                     column("exposed", 11),
                     column("of step", 8),
                     column("waiting", 11, 1),
                     column("in all", 11),
                     column("sent", 11, 2),
                     column("ops", 7, 3)},
                    width_);
    for (const StepPart& part : step_.parts) {
      table.add({"  " + part.name, short_text(part.exposed), percent(share_of(part.exposed, step_.time)),
                 part.communication ? short_text(part.waiting) : "", short_text(part.busy),
                 part.communication ? short_text(part.sent) : "", fmt::format("{}", part.operations)});
    }
    text_ += table.text();
  }

  // What is left to the protocol is the difference between the last two columns of time.
  void collectives() {
    if (step_.collectives.empty()) {
      return;
    }
    TextTable table({{.heading = "  operations in the network", .least = 38, .spills = 38, .wraps = true},
                     column("takes", 10),
                     column("+-", 8, 1),
                     column("paths allow", 11),
                     column("slowest", 8, 3),
                     column("mean", 8, 4),
                     {.heading = "run", .wraps = true, .rank = 2}},
                    width_);
    for (const StepCollective& own : step_.collectives) {
      const std::string run = own.shares_links ? fmt::format("{} x {}{}", own.repetitions, short_text(own.sample),
                                                             own.settled ? "" : ", not converged")
                                               : "no shared links";
      table.add({"  " + collective_text(own), short_text(own.time), own.interval ? percent(*own.interval) : "",
                 short_text(own.least_time), percent(own.slowest_share), percent(own.mean_share), run});
    }
    text_ += table.text();
  }

  void lists() {
    for (const StepTier& tier : step_.tiers) {
      line(tier.name, fmt::format("{} sent by all GPUs; {} of the busiest one's links", short_text(tier.sent),
                                  short_text(tier.wire_time)));
    }
    list("flows", step_.flows, [](const StepFlow& flow) { return flow_text(flow); });
    list("critical path", step_.path, [this](const StepPathPart& part) {
      return fmt::format("{:>7} {:>9}  {:<31} {}", percent(share_of(part.time, step_.time)), short_text(part.time),
                         part.what, part.flow.empty() ? fmt::format("rank {}", part.rank) : part.flow);
    });
    memory();
  }

  void memory() {
    constexpr std::size_t kWidth = 64;  // beside the name
    std::string text;
    std::string_view name = "GPU memory";
    for (const StepMemory& part : step_.memory) {
      const std::string next = fmt::format("{} {}", part.what, short_text(part.size));
      if (text.size() + 3 + next.size() > kWidth) {
        line(std::exchange(name, ""), text + ",");
        text.clear();
      }
      text += text.empty() ? next : ", " + next;
    }
    if (!text.empty()) {
      line(name, text);
    }
  }

  template <class Rows, class TextOf>
  void list(std::string_view name, const Rows& rows, const TextOf& text_of) {
    constexpr std::size_t kShown = 8;
    for (std::size_t i = 0; i < rows.size() && i < kShown; ++i) {
      line(i == 0 ? name : "", text_of(rows[i]));
    }
    if (rows.size() > kShown) {
      line("", fmt::format("and {} more in the results", rows.size() - kShown));
    }
  }

  const StepRow& step_;
  LineWidth width_;
  std::string text_;
};

}  // namespace

nlohmann::ordered_json to_json(const StepRow& step) {
  Json json = record_json(step_table(), &step);
  if (!step.collectives.empty()) {
    json["settled"] = step.settled();
    json["collectives"] = list_json(step_collective_table(), step.collectives);
  }
  json["parts"] = list_json(step_part_table(), step.parts);
  json["tiers"] = list_json(step_tier_table(), step.tiers);
  json["flows"] = list_json(step_flow_table(), step.flows);
  json["critical_path"] = list_json(step_path_table(), step.path);
  json["memory"] = list_json(step_memory_table(), step.memory);
  return json;
}

std::string steps_text(const RunResults& results, LineWidth width) {
  std::string text;
  for (const StepRow& step : results.steps) {
    text += (text.empty() ? "" : "\n") + StepWriter(step, width).text();
  }
  return text;
}

}  // namespace weft::study::results
