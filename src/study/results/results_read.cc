// The reading half of study/results_store.h.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/parse_quantity.h"
#include "study/results/results_database.h"
#include "study/results/results_scale_up.h"
#include "study/results/results_schema.h"
#include "study/results/results_steps.h"
#include "study/results/results_store.h"

namespace weft::study::results {
namespace {

using workload::CollectiveRecord;
using workload::JobId;
using workload::MessageRecord;
using workload::RankId;

std::optional<MachineInfo> parse_machine(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return std::nullopt;
  }
  return MachineInfo{.setup_time = Duration::picoseconds(json.value("setup_ps", std::int64_t{0})),
                     .run_time = Duration::picoseconds(json.value("run_ps", std::int64_t{0})),
                     .peak_memory = json.value("peak_memory_bytes", std::uint64_t{0}),
                     .finished_at = json.value("finished_at", std::string())};
}

std::vector<Probability> parse_percentiles(const std::string& text) {
  std::vector<Probability> shares;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (Result<Probability> share = parse_probability(text.substr(begin, end - begin)); share) {
      shares.push_back(*share);
    }
    begin = end + 1;
  }
  return shares;
}

std::vector<RunResults> read_runs(Database& database) {
  std::vector<RunResults> runs;
  Statement row = database.prepare("SELECT * FROM run ORDER BY scenario, case_name, family, seed, run");
  while (row.next()) {
    RunInfo& run = runs.emplace_back().run;
    run.key = row.text();
    run.version = row.text();
    run.scenario = row.text();
    run.case_name = row.text();
    run.seed = row.integer();
    run.family = row.text();
    run.hardware = row.text();
    run.topology = row.text();
    run.congestion = row.text();
    run.lossless = static_cast<Lossless>(row.integer());
    run.marking = row.integer() != 0;
    run.hosts = row.number();
    run.endpoints = row.number();
    run.switches = row.number();
    run.end = parse_run_end(row.text()).value_or(RunEnd::kError);
    run.error = row.text();
    run.ended_at = row.time();
    run.packet_hops = row.count();
    run.events = row.count();
    const std::optional<std::int64_t> interval = row.maybe_integer();
    run.sample_interval = interval ? std::optional(Duration::picoseconds(*interval)) : std::nullopt;
    run.sample_instants = row.count();
    run.percentiles = parse_percentiles(row.text());
    run.ladder = row.text();
    run.settings = row.text();
    runs.back().machine = parse_machine(row.text());
  }
  return runs;
}

/// All rows of a table that belong to the run, in the order of its key.
Statement rows_of(Database& database, std::string_view table, const RunResults& results) {
  Statement statement = [&] {
    for (const ResultsTable& known : results_tables()) {
      if (known.name == table) {
        return database.prepare(fmt::format("SELECT * FROM {} WHERE run = ? ORDER BY {}", table, known.key));
      }
    }
    return database.prepare("");
  }();
  statement.start(results.run.key);
  return statement;
}

void read_jobs(Database& database, RunResults& results) {
  for (Statement row = rows_of(database, "job", results); row.next();) {
    (void)row.text();
    (void)row.integer();
    JobRow& job = results.jobs.emplace_back();
    job.name = row.text();
    job.unfinished = static_cast<std::uint64_t>(row.integer());
    const std::optional<std::int64_t> allowed = row.maybe_integer();
    const std::optional<std::int64_t> slowest = row.maybe_integer();
    if (allowed && slowest) {
      job.allowed = {.per_sender = Rate::bits_per_second(*allowed), .slowest = Rate::bits_per_second(*slowest)};
    }
  }
  for (Statement row = rows_of(database, "rank", results); row.next();) {
    (void)row.text();
    const std::size_t job = row.count();
    (void)row.integer();
    if (job < results.jobs.size()) {
      RankRow& rank = results.jobs[job].ranks.emplace_back();
      rank.name = row.text();
      rank.endpoint = row.text();
      rank.rate = Rate::bits_per_second(row.integer());
    }
  }
}

void read_work(Database& database, RunResults& results) {
  for (Statement row = rows_of(database, "message", results); row.next();) {
    (void)row.text();
    MessageRow& message = results.messages.emplace_back();
    MessageRecord& record = message.record;
    record.flow.job = JobId(row.number());
    record.flow.source = RankId(row.number());
    record.flow.destination = RankId(row.number());
    record.flow.index = row.number();
    record.number = row.count();
    record.size = Bytes(row.integer());
    record.operation = static_cast<workload::Operation>(row.integer());
    record.status = static_cast<verbs::WcStatus>(row.integer());
    record.posted = row.time();
    record.finished = row.time();
    record.delivered = row.time();
    message.ideal = row.duration();
  }
  for (Statement row = rows_of(database, "collective", results); row.next();) {
    (void)row.text();
    CollectiveRecord& record = results.collectives.emplace_back();
    record.job = JobId(row.number());
    record.iteration = row.number();
    record.rank = RankId(row.number());
    record.size = Bytes(row.integer());
    record.started = row.time();
    record.finished = row.time();
  }
}

void read_ports(Database& database, RunResults& results) {
  for (Statement row = rows_of(database, "port", results); row.next();) {
    (void)row.text();
    (void)row.integer();
    PortRow& port = results.ports.emplace_back();
    port.name = row.text();
    port.peer = row.text();
    port.rate = Rate::bits_per_second(row.integer());
    port.of_switch = row.integer() != 0;
    port.tx_packets = row.count();
    port.tx_bytes = row.count();
    port.rx_packets = row.count();
    port.rx_bytes = row.count();
    port.drops = row.count();
    port.receive_errors = row.count();
    port.credits_sent = row.count();
  }
  for (Statement row = rows_of(database, "lane", results); row.next();) {
    (void)row.text();
    const std::size_t port = row.count();
    if (port >= results.ports.size()) {
      continue;
    }
    LaneRow& lane = results.ports[port].lanes.emplace_back();
    lane.lane = static_cast<std::uint8_t>(row.integer());
    lane.tx_packets = row.count();
    lane.tx_bytes = row.count();
    lane.marked = row.count();
    lane.queue_peak = row.count();
    lane.ingress_peak = row.count();
    lane.pauses_sent = row.count();
    lane.pauses_received = row.count();
    lane.storms = row.count();
    lane.held = row.duration();
  }
}

void read_choices(Database& database, RunResults& results) {
  for (Statement row = rows_of(database, "port_choice", results); row.next();) {
    (void)row.text();
    const std::size_t port = row.count();
    if (port < results.ports.size()) {
      fabric::PortChoices& choices = results.ports[port].choices;
      choices.flowlets = row.count();
      choices.notifications_sent = row.count();
      choices.notifications_received = row.count();
    }
  }
  for (Statement row = rows_of(database, "port_grade", results); row.next();) {
    (void)row.text();
    const std::size_t port = row.count();
    (void)row.integer();
    if (port < results.ports.size()) {
      fabric::GradeCounters& grade = results.ports[port].choices.grades.emplace_back();
      grade.chosen = row.count();
      grade.time = row.duration();
    }
  }
}

void read_nics(Database& database, RunResults& results) {
  for (Statement row = rows_of(database, "nic", results); row.next();) {
    (void)row.text();
    (void)row.integer();
    NicRow& nic = results.nics.emplace_back();
    nic.name = row.text();
    nic.data_sent = row.count();
    nic.answers_sent = row.count();
    nic.received = row.count();
    nic.damaged = row.count();
    nic.retransmitted = row.count();
    nic.timeouts = row.count();
    nic.sequence_naks = row.count();
    nic.rnr_naks = row.count();
    nic.out_of_sequence = row.count();
    nic.duplicates = row.count();
    nic.cnps_sent = row.count();
    nic.cnps_handled = row.count();
    nic.connections = row.count();
    nic.state_bytes = row.count();
    nic.host_drops = row.count();
    nic.buffer_bytes = row.count();
    nic.ordered = row.count();
  }
  for (Statement row = rows_of(database, "late", results); row.next();) {
    (void)row.text();
    const std::size_t nic = row.count();
    if (nic < results.nics.size()) {
      host::ReorderMeter::Late& late = results.nics[nic].late.emplace_back();
      late.distance = row.number();
      late.packets = row.count();
    }
  }
}

void read_course(Database& database, RunResults& results) {
  for (Statement row = rows_of(database, "dropped", results); row.next();) {
    (void)row.text();
    const std::string name = row.text();
    for (const DropCause& cause : drop_causes()) {
      if (cause.name == name) {
        results.drops.*cause.count = row.count();
      }
    }
  }
  for (Statement row = rows_of(database, "sample", results); row.next();) {
    (void)row.text();
    SampleRow& sample = results.samples.emplace_back();
    sample.at = row.time();
    sample.port = row.number();
    sample.queue_bytes = row.count();
    sample.tx_bytes = row.count();
    sample.utilisation = row.number();
    sample.held = row.duration();
  }
  for (Statement row = rows_of(database, "cpu", results); row.next();) {
    (void)row.text();
    CpuRow& cpu = results.cpu.emplace_back();
    cpu.host = row.text();
    cpu.work = row.text();
    cpu.used = row.duration();
  }
  for (Statement row = rows_of(database, "stage", results); row.next();) {
    (void)row.text();
    (void)row.integer();
    StageRow& stage = results.stages.emplace_back();
    stage.name = row.text();
    stage.time = row.duration();
    stage.mark = row.text();
  }
  for (Statement row = rows_of(database, "event", results); row.next();) {
    (void)row.text();
    (void)row.integer();
    EventRow& event = results.events.emplace_back();
    event.at = row.time();
    event.kind = row.text();
    event.place = row.text();
    event.text = row.text();
  }
}

}  // namespace

Result<std::vector<RunResults>> read_results(const std::string& path) {
  Result<Database> database = Database::open(path, Database::Open::kReadOnly);
  if (!database) {
    return pass_on(database);
  }
  {
    Statement format = database->prepare("SELECT user_version FROM pragma_user_version");
    if (!format.next() || format.integer() != kResultsFormat) {
      Result<void> readable = database->check();
      return readable ? fail("{}: not a results file of format {}", path, kResultsFormat) : pass_on(readable);
    }
  }
  std::vector<RunResults> runs = read_runs(*database);
  for (RunResults& results : runs) {
    read_jobs(*database, results);
    read_work(*database, results);
    read_ports(*database, results);
    read_choices(*database, results);
    read_nics(*database, results);
    read_course(*database, results);
    read_steps(*database, results);
    read_scale_up(*database, results);
  }
  if (Result<void> right = database->close(); !right) {
    return pass_on(right);
  }
  return runs;
}

}  // namespace weft::study::results
