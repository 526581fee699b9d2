// Tables of the run itself and of its jobs.
#include <nlohmann/json.hpp>

#include "base/format_quantity.h"
#include "base/parse_quantity.h"
#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {
namespace {

std::string percentiles_text(const RunResults& results) {
  std::string text;
  for (const Probability share : results.run.percentiles) {
    text += (text.empty() ? "" : " ") + to_string(share);
  }
  return text;
}

void set_percentiles(RunResults& results, std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (Result<Probability> share = parse_probability(std::string(text.substr(begin, end - begin))); share) {
      results.run.percentiles.push_back(*share);
    }
    begin = end + 1;
  }
}

std::string_view end_text(const RunResults& results) { return to_string(results.run.end); }

void set_end(RunResults& results, std::string_view word) {
  results.run.end = parse_run_end(word).value_or(RunEnd::kError);
}

bool is_partial(const RunResults& results) { return results.run.end == RunEnd::kInterrupted; }

// One column for all that depends on the machine, so that two runs of the same key differ in it alone.
std::string machine_text(const RunResults& results) {
  if (!results.machine) {
    return {};
  }
  nlohmann::ordered_json json;
  for (const Field& field : machine_table().fields) {
    const Cell cell = field.access.get(&*results.machine);
    json[std::string(field.column)] = field.access.kind == CellKind::kText ? nlohmann::ordered_json(text_of(cell))
                                                                           : nlohmann::ordered_json(integer_of(cell));
  }
  return json.dump();
}

void set_machine(RunResults& results, std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return;
  }
  MachineInfo& machine = results.machine.emplace();
  for (const Field& field : machine_table().fields) {
    const std::string name(field.column);
    field.access.set(&machine, field.access.kind == CellKind::kText ? Cell(json.value(name, std::string()))
                                                                    : Cell(json.value(name, std::int64_t{0})));
  }
}

constexpr RowSource kOneRun = {.row_type = &kRowType<RunResults>,
                               .each = [](const RunResults& results, const RowVisitor& visit) { visit({}, &results); },
                               .add = [](RunResults& results, const Place&) -> void* { return &results; }};

template <auto own>
constexpr Access kOfRun = member<&RunResults::run, own>;

/// In JSON where it is not empty.
constexpr Forms if_any(std::string_view json) { return {.json = json, .json_empty = WhenEmpty::kLeftOut}; }

}  // namespace

const RecordTable& run_table() {
  static const RecordTable kTable{
      .name = "run",
      .one_per = "run",
      .places = {},
      .own_keys = 0,
      .fields =
          {{"version", kOfRun<&RunInfo::version>, "Version of weft that ran it.", {.json = "weft"}},
           {"scenario", kOfRun<&RunInfo::scenario>, "Name of the scenario.", {.json = "scenario"}},
           {"case_name", kOfRun<&RunInfo::case_name>, "Name of the case; empty: none.", {.json = "case"}},
           {"seed", kOfRun<&RunInfo::seed>, "Seed of all random choices.", {.unit = "seed", .json = "seed"}},
           {"family", kOfRun<&RunInfo::family>, "Family of protocols.", {.json = "fabric"}},
           {"hardware", kOfRun<&RunInfo::hardware>, "`hardware` of the scenario.", {.json = "hardware"}},
           {"topology", kOfRun<&RunInfo::topology>, "Kind of topology.", {.json = "topology"}},
           {"congestion",
            kOfRun<&RunInfo::congestion>,
            "Algorithm of congestion control, or none.",
            {.json = "congestion_control"}},
           {"lossless", kOfRun<&RunInfo::lossless>, "0: the fabric may drop, 1: PFC, 2: credits.", {.unit = "0 to 2"}},
           {"marking", kOfRun<&RunInfo::marking>, "Switches mark packets when queues grow."},
           {"hosts", kOfRun<&RunInfo::hosts>, "Hosts of the topology.", {.unit = "hosts", .json = "hosts"}},
           {"endpoints",
            kOfRun<&RunInfo::endpoints>,
            "NIC ports of the hosts.",
            {.unit = "ports", .json = "endpoints"}},
           {"switches",
            kOfRun<&RunInfo::switches>,
            "Switches of the topology.",
            {.unit = "switches", .json = "switches"}},
           {"end",
            text_member<RunResults, end_text, set_end>,
            "Why it ended: finished, time-limit, interrupted, stuck, error, job-lost.",
            {.json = "end"}},
           {"", derived<RunResults, is_partial>, "Interrupted: messages under way are missing.", {.json = "partial"}},
           {"error",
            kOfRun<&RunInfo::error>,
            "Why it is stuck or failed, or a job was lost.",
            {.json = "error", .json_order = Order::kLast, .json_empty = WhenEmpty::kLeftOut}},
           {"ended_ps", kOfRun<&RunInfo::ended_at>, "Simulated time at the end.", {.json = "simulated_s"}},
           {"packet_hops",
            kOfRun<&RunInfo::packet_hops>,
            "Data packets, acknowledgements and CNPs, each counted on every link.",
            {.unit = "packet-hops", .json = "packet_hops"}},
           {"events", kOfRun<&RunInfo::events>, "Events of the simulation kernel.", {.unit = "events"}},
           {"sample_interval_ps", kOfRun<&RunInfo::sample_interval>, "Between sample instants; NULL: no samples."},
           {"sample_instants", kOfRun<&RunInfo::sample_instants>, "How many there were.", {.unit = "instants"}},
           {"percentiles", text_member<RunResults, percentiles_text, set_percentiles>,
            "Those that the summary shows, separated by spaces."},
           {"ladder", kOfRun<&RunInfo::ladder>, "Profile and fabric of a run on the latency ladder; else empty."},
           {"left_out", kOfRun<&RunInfo::left_out>, "Traffic that was not required and that the network cannot carry.",
            if_any("left_out")},
           {"fidelity", kOfRun<&RunInfo::fidelity>, "`flow`; empty: packets.", if_any("fidelity")},
           {"flow_error",
            kOfRun<&RunInfo::flow_error>,
            "Of the flow level, against packets; NULL: not measured.",
            {.unit = "share", .json = "flow_error", .json_empty = WhenEmpty::kLeftOut}},
           {"flow_check", kOfRun<&RunInfo::flow_check>, "What the flow level was compared with, or why not.",
            if_any("flow_check")},
           {"settings", kOfRun<&RunInfo::settings>, "The resolved scenario, as `weft show` prints it."},
           {"machine", text_member<RunResults, machine_text, set_machine>,
            "What depends on the machine and the moment, as JSON; empty: not recorded."}},
      .rows = kOneRun};
  return kTable;
}

const RecordTable& machine_table() {
  static const RecordTable kTable{
      .name = "machine",
      .one_per = "run, within its column `machine`",
      .places = {},
      .own_keys = 0,
      .fields =
          {{"setup_ps", member<&MachineInfo::setup_time>, "Real time before the event loop.", {.json = "setup_s"}},
           {"run_ps", member<&MachineInfo::run_time>, "Real time of the event loop.", {.json = "run_s"}},
           {"peak_memory_bytes",
            member<&MachineInfo::peak_memory>,
            "Most memory of the process.",
            {.unit = "bytes", .json = "peak_memory_bytes"}},
           {"threads",
            member<&MachineInfo::threads>,
            "Of the event loop; 0: not recorded.",
            {.unit = "threads", .json = "threads"}},
           {"finished_at", member<&MachineInfo::finished_at>, "UTC.", {.json = "finished_at"}}},
      .rows = {.row_type = &kRowType<MachineInfo>}};
  return kTable;
}

const RecordTable& job_table() {
  static const RecordTable kTable{
      .name = "job",
      .one_per = "traffic or job of the scenario",
      .places = {{"job", "Number of the job."}},
      .own_keys = 0,
      .fields =
          {{"name", member<&JobRow::name>, "Name of the job."},
           {"unfinished",
            member<&JobRow::unfinished>,
            "Messages posted that had not ended with the run.",
            {.unit = "messages"}},
           {"allowed_bps", member<&JobRow::allowed, &AllowedRates::per_sender>,
            "What the paths of its flows allow a sender, mean (max-min rates of payload, without any protocol); "
            "NULL: flows that come and go, or too many of them."},
           {"allowed_slowest_bps", member<&JobRow::allowed, &AllowedRates::slowest>,
            "The same of the sender with least."},
           {"reconnections",
            member<&JobRow::reconnections>,
            "Queue pairs that were connected anew after they had used up their retries.",
            {.unit = "times"}},
           {"disconnected_ps", member<&JobRow::disconnected>,
            "How long at least one queue pair was in error, or connected anew without a message that had ended."}},
      .rows = rows_of<&RunResults::jobs>()};
  return kTable;
}

const RecordTable& rank_table() {
  static const RecordTable kTable{
      .name = "rank",
      .one_per = "rank of a job",
      .places = {{"job", "Number of the job."}, {"rank", "Number of the rank in its job."}},
      .own_keys = 0,
      .fields = {{"name", member<&RankRow::name>, "Host and NIC or GPU, or the rank's number."},
                 {"endpoint", member<&RankRow::endpoint>, "Its first NIC port."},
                 {"rate_bps", member<&RankRow::rate>, "Rate of that port's cable."}},
      .rows = rows_within<&RunResults::jobs, &JobRow::ranks>()};
  return kTable;
}

}  // namespace weft::study::results
