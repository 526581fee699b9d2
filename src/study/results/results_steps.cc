#include "study/results/results_steps.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "study/results/results_schema.h"
#include "study/results/summary_text.h"

namespace weft::study::results {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

double share_of(Duration part, Duration whole) {
  return whole > Duration::zero() ? static_cast<double>(part.picoseconds()) / static_cast<double>(whole.picoseconds())
                                  : 0;
}

/// Rows of one table of steps, with the step that they belong to.
template <class Take>
void read_rows(Database& database, RunResults& results, std::string_view table, const Take& take) {
  Statement row = database.prepare(fmt::format("SELECT * FROM {} WHERE run = ? ORDER BY step, number", table));
  for (row.start(results.run.key); row.next();) {
    (void)row.text();
    const std::size_t step = row.count();
    (void)row.integer();
    if (step < results.steps.size()) {
      take(row, results.steps[step]);
    }
  }
}

void write_details(Database& database, const std::string& key, std::uint32_t number, const StepRow& step) {
  const auto write = [&](std::string_view table, const auto& rows, const auto& row_of) {
    Statement statement = database.prepare(insert_statement(table));
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      row_of(statement, i, rows[i]);
    }
  };
  write("step_part", step.parts, [&](Statement& to, std::uint32_t i, const StepPart& row) {
    to.run(key, number, i, row.name, row.communication, row.exposed, row.waiting, row.busy, row.sent.count(),
           row.operations);
  });
  write("step_tier", step.tiers, [&](Statement& to, std::uint32_t i, const StepTier& row) {
    to.run(key, number, i, row.name, row.sent.count(), row.wire_time);
  });
  write("step_flow", step.flows, [&](Statement& to, std::uint32_t i, const StepFlow& row) {
    to.run(key, number, i, row.purpose, row.kind, row.operation.count(), row.size.count(), row.flows);
  });
  write("step_path", step.path, [&](Statement& to, std::uint32_t i, const StepPathPart& row) {
    to.run(key, number, i, row.what, row.time, row.rank, row.flow);
  });
  write("step_collective", step.collectives, [&](Statement& to, std::uint32_t i, const StepCollective& row) {
    to.run(key, number, i, row.purpose, row.kind, row.size.count(), row.time, row.least_time, row.slowest_share,
           row.mean_share, row.shares_links, row.sample.count(), row.repetitions, row.interval, row.settled);
  });
  write("step_memory", step.memory, [&](Statement& to, std::uint32_t i, const StepMemory& row) {
    to.run(key, number, i, row.what, row.size.count());
  });
}

void read_step_rows(Database& database, RunResults& results) {
  Statement row = database.prepare("SELECT * FROM step WHERE run = ? ORDER BY number");
  for (row.start(results.run.key); row.next();) {
    (void)row.text();
    (void)row.integer();
    StepRow& step = results.steps.emplace_back();
    step.job = row.text();
    step.workload = row.text();
    step.model = row.text();
    step.gpu = row.text();
    step.gpus = row.count();
    step.parallelism = row.text();
    step.fidelity = row.text();
    step.steps = row.count();
    step.time = row.duration();
    step.compute = row.duration();
    step.tokens_per_second = row.real();
    step.utilisation = row.real();
    step.composition_error = row.maybe_real();
    step.composition_check = row.text();
    step.interval = row.maybe_real();
  }
}

std::string flow_text(const StepFlow& flow) {
  if (flow.operation == Bytes::zero()) {  // run as a whole: all operations between two GPUs are one flow
    return fmt::format("{} of the {}: {} flows of {}", flow.purpose, flow.kind, flow.flows, short_text(flow.size));
  }
  return fmt::format("{} {} of {}: {} flows of {}", flow.purpose, flow.kind, short_text(flow.operation), flow.flows,
                     short_text(flow.size));
}

Json collectives_json(const StepRow& step) {
  Json json = Json::array();
  for (const StepCollective& own : step.collectives) {
    json.push_back({{"purpose", own.purpose},
                    {"kind", own.kind},
                    {"bytes", own.size.count()},
                    {"time_s", own.time.seconds()},
                    {"paths_allow_s", own.least_time.seconds()},
                    {"slowest_flow_share", own.slowest_share},
                    {"mean_flow_share", own.mean_share},
                    {"shares_links", own.shares_links},
                    {"sample_bytes", own.sample.count()},
                    {"repetitions", own.repetitions},
                    {"settled", own.settled}});
    if (own.interval) {
      json.back()["interval"] = *own.interval;
    }
  }
  return json;
}

/// "dp reduce-scatter of 243 MiB".
std::string collective_text(const StepCollective& own) {
  return fmt::format("{} {} of {}", own.purpose, own.kind, short_text(own.size));
}

class StepWriter {
 public:
  explicit StepWriter(const StepRow& step) : step_(step) {}

  std::string text() {
    head();
    parts();
    collectives();
    lists();
    return std::move(text_);
  }

 private:
  void line(std::string_view name, const std::string& what) { text_ += fmt::format("  {:<13} {}\n", name, what); }

  void head() {
    text_ += fmt::format("{}: {}{}{} on {} x {}, {}\n", step_.job, step_.workload, step_.model.empty() ? "" : " ",
                         step_.model, step_.gpus, step_.gpu, step_.parallelism);
    const std::string interval = step_.interval ? fmt::format(" +- {:.1f} %", 100 * *step_.interval) : "";
    line("step", fmt::format("{}{}; computing {} of it; communication exposed {}", short_text(step_.time), interval,
                             percent(share_of(step_.compute, step_.time)),
                             percent(share_of(step_.exposed_communication(), step_.time))));
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

  void parts() {
    text_ += fmt::format("  {:<13} {:>11} {:>8} {:>11} {:>11} {:>11} {:>7}\n", "time for", "exposed", "of step",
                         "waiting", "in all", "sent", "ops");
    for (const StepPart& part : step_.parts) {
      text_ +=
          fmt::format("  {:<13} {:>11} {:>8} {:>11} {:>11} {:>11} {:>7}\n", part.name, short_text(part.exposed),
                      percent(share_of(part.exposed, step_.time)), part.communication ? short_text(part.waiting) : "",
                      short_text(part.busy), part.communication ? short_text(part.sent) : "", part.operations);
    }
  }

  // What is left to the protocol is the difference between the last two columns of time.
  void collectives() {
    if (step_.collectives.empty()) {
      return;
    }
    text_ += fmt::format("  {:<36} {:>10} {:>8} {:>11} {:>8} {:>8}  {}\n", "operations in the network", "takes", "+-",
                         "paths allow", "slowest", "mean", "run");
    for (const StepCollective& own : step_.collectives) {
      const std::string run = own.shares_links ? fmt::format("{} x {}{}", own.repetitions, short_text(own.sample),
                                                             own.settled ? "" : ", not converged")
                                               : "no shared links";
      text_ += fmt::format("  {:<36} {:>10} {:>8} {:>11} {:>8} {:>8}  {}\n", collective_text(own), short_text(own.time),
                           own.interval ? percent(*own.interval) : "", short_text(own.least_time),
                           percent(own.slowest_share), percent(own.mean_share), run);
    }
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
  std::string text_;
};

}  // namespace

void write_steps(Database& database, const RunResults& results) {
  const std::string& key = results.run.key;
  Statement row = database.prepare(insert_statement("step"));
  for (std::uint32_t i = 0; i < results.steps.size(); ++i) {
    const StepRow& step = results.steps[i];
    row.run(key, i, step.job, step.workload, step.model, step.gpu, step.gpus, step.parallelism, step.fidelity,
            step.steps, step.time, step.compute, step.tokens_per_second, step.utilisation, step.composition_error,
            step.composition_check, step.interval);
    write_details(database, key, i, step);
  }
}

void read_steps(Database& database, RunResults& results) {
  read_step_rows(database, results);
  read_rows(database, results, "step_part", [](Statement& row, StepRow& step) {
    StepPart& part = step.parts.emplace_back();
    part.name = row.text();
    part.communication = row.integer() != 0;
    part.exposed = row.duration();
    part.waiting = row.duration();
    part.busy = row.duration();
    part.sent = Bytes(row.integer());
    part.operations = row.count();
  });
  read_rows(database, results, "step_tier", [](Statement& row, StepRow& step) {
    StepTier& tier = step.tiers.emplace_back();
    tier.name = row.text();
    tier.sent = Bytes(row.integer());
    tier.wire_time = row.duration();
  });
  read_rows(database, results, "step_flow", [](Statement& row, StepRow& step) {
    StepFlow& flow = step.flows.emplace_back();
    flow.purpose = row.text();
    flow.kind = row.text();
    flow.operation = Bytes(row.integer());
    flow.size = Bytes(row.integer());
    flow.flows = row.count();
  });
  read_rows(database, results, "step_path", [](Statement& row, StepRow& step) {
    StepPathPart& part = step.path.emplace_back();
    part.what = row.text();
    part.time = row.duration();
    part.rank = static_cast<std::uint32_t>(row.count());
    part.flow = row.text();
  });
  read_rows(database, results, "step_collective", [](Statement& row, StepRow& step) {
    StepCollective& own = step.collectives.emplace_back();
    own.purpose = row.text();
    own.kind = row.text();
    own.size = Bytes(row.integer());
    own.time = row.duration();
    own.least_time = row.duration();
    own.slowest_share = row.real();
    own.mean_share = row.real();
    own.shares_links = row.integer() != 0;
    own.sample = Bytes(row.integer());
    own.repetitions = row.count();
    own.interval = row.maybe_real();
    own.settled = row.integer() != 0;
  });
  read_rows(database, results, "step_memory", [](Statement& row, StepRow& step) {
    StepMemory& part = step.memory.emplace_back();
    part.what = row.text();
    part.size = Bytes(row.integer());
  });
}

nlohmann::ordered_json to_json(const StepRow& step) {
  Json json{{"job", step.job},
            {"workload", step.workload},
            {"model", step.model},
            {"gpu", step.gpu},
            {"gpus", step.gpus},
            {"parallelism", step.parallelism},
            {"fidelity", step.fidelity},
            {"steps", step.steps},
            {"step_time_s", step.time.seconds()},
            {"compute_s", step.compute.seconds()},
            {"exposed_communication_s", step.exposed_communication().seconds()},
            {"steps_per_second", step.steps_per_second()},
            {"tokens_per_second", step.tokens_per_second},
            {"model_flops_utilisation", step.utilisation}};
  if (step.composition_error) {
    json["composition_error"] = *step.composition_error;
  }
  if (!step.composition_check.empty()) {
    json["composition_check"] = step.composition_check;
  }
  if (step.interval) {
    json["interval"] = *step.interval;
  }
  if (!step.collectives.empty()) {
    json["settled"] = step.settled();
    json["collectives"] = collectives_json(step);
  }
  json["parts"] = Json::array();
  for (const StepPart& part : step.parts) {
    json["parts"].push_back({{"name", part.name},
                             {"communication", part.communication},
                             {"exposed_s", part.exposed.seconds()},
                             {"waiting_s", part.waiting.seconds()},
                             {"busy_s", part.busy.seconds()},
                             {"sent_bytes", part.sent.count()},
                             {"operations", part.operations}});
  }
  json["tiers"] = Json::array();
  for (const StepTier& tier : step.tiers) {
    json["tiers"].push_back(
        {{"name", tier.name}, {"sent_bytes", tier.sent.count()}, {"wire_time_s", tier.wire_time.seconds()}});
  }
  json["flows"] = Json::array();
  for (const StepFlow& flow : step.flows) {
    json["flows"].push_back({{"purpose", flow.purpose},
                             {"kind", flow.kind},
                             {"operation_bytes", flow.operation.count()},
                             {"flow_bytes", flow.size.count()},
                             {"flows", flow.flows}});
  }
  json["critical_path"] = Json::array();
  for (const StepPathPart& part : step.path) {
    json["critical_path"].push_back(
        {{"what", part.what}, {"time_s", part.time.seconds()}, {"rank", part.rank}, {"flow", part.flow}});
  }
  json["memory"] = Json::array();
  for (const StepMemory& part : step.memory) {
    json["memory"].push_back({{"what", part.what}, {"bytes", part.size.count()}});
  }
  return json;
}

std::string steps_text(const RunResults& results) {
  std::string text;
  for (const StepRow& step : results.steps) {
    text += (text.empty() ? "" : "\n") + StepWriter(step).text();
  }
  return text;
}

}  // namespace weft::study::results
