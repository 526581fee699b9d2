#include "study/results/results_store.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/format_quantity.h"
#include "study/results/results_database.h"
#include "study/results/results_scale_up.h"
#include "study/results/results_schema.h"
#include "study/results/results_steps.h"

namespace weft::study::results {
namespace {

std::string machine_text(const std::optional<MachineInfo>& machine) {
  if (!machine) {
    return {};
  }
  return nlohmann::ordered_json{{"setup_ps", machine->setup_time.picoseconds()},
                                {"run_ps", machine->run_time.picoseconds()},
                                {"peak_memory_bytes", machine->peak_memory},
                                {"finished_at", machine->finished_at}}
      .dump();
}

std::string percentiles_text(const std::vector<Probability>& shares) {
  std::string text;
  for (const Probability share : shares) {
    text += (text.empty() ? "" : " ") + to_string(share);
  }
  return text;
}

void write_run(Database& database, const RunResults& results) {
  const RunInfo& run = results.run;
  const std::optional<std::int64_t> interval =
      run.sample_interval ? std::optional(run.sample_interval->picoseconds()) : std::nullopt;
  database.prepare(insert_statement("run"))
      .run(run.key, run.version, run.scenario, run.case_name, run.seed, run.family, run.hardware, run.topology,
           run.congestion, static_cast<std::uint8_t>(run.lossless), run.marking, run.hosts, run.endpoints, run.switches,
           to_string(run.end), run.error, run.ended_at, run.packet_hops, run.events, interval, run.sample_instants,
           percentiles_text(run.percentiles), run.ladder, run.settings, machine_text(results.machine));
}

void write_jobs(Database& database, const RunResults& results) {
  const std::string& key = results.run.key;
  Statement job = database.prepare(insert_statement("job"));
  Statement rank = database.prepare(insert_statement("rank"));
  for (std::uint32_t i = 0; i < results.jobs.size(); ++i) {
    const std::optional<AllowedRates>& allowed = results.jobs[i].allowed;
    const auto rate = [&allowed](Rate AllowedRates::*member) {
      return allowed ? std::optional((*allowed.*member).bits_per_second()) : std::nullopt;
    };
    job.run(key, i, results.jobs[i].name, results.jobs[i].unfinished, rate(&AllowedRates::per_sender),
            rate(&AllowedRates::slowest));
    for (std::uint32_t r = 0; r < results.jobs[i].ranks.size(); ++r) {
      const RankRow& row = results.jobs[i].ranks[r];
      rank.run(key, i, r, row.name, row.endpoint, row.rate.bits_per_second());
    }
  }
}

void write_work(Database& database, const RunResults& results) {
  const std::string& key = results.run.key;
  Statement message = database.prepare(insert_statement("message"));
  for (const MessageRow& row : results.messages) {
    const workload::MessageRecord& record = row.record;
    message.run(key, record.flow.job.value(), record.flow.source.value(), record.flow.destination.value(),
                record.flow.index, record.number, record.size.count(), static_cast<std::uint8_t>(record.operation),
                static_cast<std::uint8_t>(record.status), record.posted, record.finished, record.delivered, row.ideal);
  }
  Statement collective = database.prepare(insert_statement("collective"));
  for (const workload::CollectiveRecord& record : results.collectives) {
    collective.run(key, record.job.value(), record.iteration, record.rank.value(), record.size.count(), record.started,
                   record.finished);
  }
}

void write_network(Database& database, const RunResults& results) {
  const std::string& key = results.run.key;
  Statement port = database.prepare(insert_statement("port"));
  Statement lane = database.prepare(insert_statement("lane"));
  for (std::uint32_t i = 0; i < results.ports.size(); ++i) {
    const PortRow& row = results.ports[i];
    port.run(key, i, row.name, row.peer, row.rate.bits_per_second(), row.of_switch, row.tx_packets, row.tx_bytes,
             row.rx_packets, row.rx_bytes, row.drops, row.receive_errors, row.credits_sent);
    for (const LaneRow& own : row.lanes) {
      lane.run(key, i, own.lane, own.tx_packets, own.tx_bytes, own.marked, own.queue_peak, own.ingress_peak,
               own.pauses_sent, own.pauses_received, own.storms, own.held);
    }
  }
  Statement choice = database.prepare(insert_statement("port_choice"));
  Statement grade = database.prepare(insert_statement("port_grade"));
  for (std::uint32_t i = 0; i < results.ports.size(); ++i) {
    const fabric::PortChoices& row = results.ports[i].choices;
    if (row == fabric::PortChoices{}) {
      continue;
    }
    choice.run(key, i, row.flowlets, row.notifications_sent, row.notifications_received);
    for (std::uint32_t g = 0; g < row.grades.size(); ++g) {
      grade.run(key, i, g, row.grades[g].chosen, row.grades[g].time);
    }
  }
  Statement nic = database.prepare(insert_statement("nic"));
  Statement late = database.prepare(insert_statement("late"));
  for (std::uint32_t i = 0; i < results.nics.size(); ++i) {
    const NicRow& row = results.nics[i];
    nic.run(key, i, row.name, row.data_sent, row.answers_sent, row.received, row.damaged, row.retransmitted,
            row.timeouts, row.sequence_naks, row.rnr_naks, row.out_of_sequence, row.duplicates, row.cnps_sent,
            row.cnps_handled, row.connections, row.state_bytes, row.host_drops, row.buffer_bytes, row.ordered);
    for (const host::ReorderMeter::Late& own : row.late) {
      late.run(key, i, own.distance, own.packets);
    }
  }
}

void write_course(Database& database, const RunResults& results) {
  const std::string& key = results.run.key;
  Statement dropped = database.prepare(insert_statement("dropped"));
  for (const DropCause& cause : drop_causes()) {
    dropped.run(key, cause.name, results.drops.*cause.count);
  }
  Statement sample = database.prepare(insert_statement("sample"));
  for (const SampleRow& row : results.samples) {
    sample.run(key, row.at, row.port, row.queue_bytes, row.tx_bytes, row.utilisation, row.held);
  }
  Statement cpu = database.prepare(insert_statement("cpu"));
  for (const CpuRow& row : results.cpu) {
    cpu.run(key, row.host, row.work, row.used);
  }
  Statement stage = database.prepare(insert_statement("stage"));
  for (std::uint32_t i = 0; i < results.stages.size(); ++i) {
    stage.run(key, i, results.stages[i].name, results.stages[i].time, results.stages[i].mark);
  }
  Statement event = database.prepare(insert_statement("event"));
  for (std::uint32_t i = 0; i < results.events.size(); ++i) {
    const EventRow& row = results.events[i];
    event.run(key, i, row.at, row.kind, row.place, row.text);
  }
}

Result<void> write_new(const std::string& path, const std::vector<RunResults>& runs) {
  Result<Database> database = Database::open(path, Database::Open::kCreate);
  if (!database) {
    return pass_on(database);
  }
  // Nobody sees the file before it is complete: it needs no journal.
  database->execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  database->execute(
      fmt::format("PRAGMA user_version = {}; PRAGMA application_id = {}", kResultsFormat, kResultsFileId));
  database->execute("BEGIN");
  for (const ResultsTable& table : results_tables()) {
    database->execute(create_statement(table));
  }
  for (const RunResults& results : runs) {
    write_run(*database, results);
    write_jobs(*database, results);
    write_work(*database, results);
    write_network(*database, results);
    write_course(*database, results);
    write_steps(*database, results);
    write_scale_up(*database, results);
  }
  database->execute("COMMIT");
  return database->close();
}

}  // namespace

Result<void> write_results(const std::string& path, const std::vector<RunResults>& runs) {
  const std::string temporary = fmt::format("{}.tmp{}", path, getpid());
  std::remove(temporary.c_str());
  Result<void> written = write_new(temporary, runs);
  if (written && std::rename(temporary.c_str(), path.c_str()) != 0) {
    written = fail("cannot write '{}'", path);
  }
  if (!written) {
    std::remove(temporary.c_str());
  }
  return written;
}

Result<void> merge_results(const MergeFiles& files) {
  // Reading checks that both are what they should be.
  for (const std::string& path : {files.into, files.from}) {
    Result<Database> opened = Database::open(path, Database::Open::kReadOnly);
    if (!opened) {
      return pass_on(opened);
    }
    Statement format = opened->prepare("SELECT user_version FROM pragma_user_version");
    if (!format.next() || format.integer() != kResultsFormat) {
      return fail("{}: not a results file of format {}", path, kResultsFormat);
    }
  }
  Result<Database> database = Database::open(files.into, Database::Open::kReadWrite);
  if (!database) {
    return pass_on(database);
  }
  database->prepare("ATTACH DATABASE ? AS other").run(files.from);
  database->execute("BEGIN");
  for (const ResultsTable& table : results_tables()) {
    database->execute(fmt::format("DELETE FROM main.{0} WHERE run IN (SELECT run FROM other.run)", table.name));
    database->execute(fmt::format("INSERT INTO main.{0} SELECT * FROM other.{0}", table.name));
  }
  database->execute("COMMIT");
  database->execute("DETACH DATABASE other");
  return database->close();
}

}  // namespace weft::study::results
