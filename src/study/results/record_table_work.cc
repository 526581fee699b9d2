// Tables of what programs did: messages, collectives, work of cores, stages of a message, events.
#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {
namespace {

using workload::CollectiveRecord;
using workload::FlowId;
using workload::MessageRecord;

template <auto... path>
constexpr Access kOfRecord = member<&MessageRow::record, path...>;

const JobRow& job_of(const RunResults& results, const void* row) {
  return results.jobs.at(static_cast<const MessageRow*>(row)->record.flow.job.value());
}

// Names of ranks, in place of their numbers.
template <auto end>
std::string_view rank_name(const RunResults& results, const void* row) {
  const FlowId& flow = static_cast<const MessageRow*>(row)->record.flow;
  return job_of(results, row).ranks.at((flow.*end).value()).name;
}

std::string_view job_name(const RunResults& results, const void* row) { return job_of(results, row).name; }

}  // namespace

const RecordTable& message_table() {
  static const RecordTable kTable{
      .name = "message",
      .one_per = "message that has ended",
      .places = {},
      .own_keys = 5,
      .fields = {{"job",
                  kOfRecord<&MessageRecord::flow, &FlowId::job>,
                  "Its job.",
                  {.unit = "number", .csv = "job", .json = "job", .name_of = job_name}},
                 {"source",
                  kOfRecord<&MessageRecord::flow, &FlowId::source>,
                  "Rank that posts the request.",
                  {.unit = "number", .csv = "source", .json = "source", .name_of = rank_name<&FlowId::source>}},
                 {"destination",
                  kOfRecord<&MessageRecord::flow, &FlowId::destination>,
                  "Rank at the other end.",
                  {.unit = "number",
                   .csv = "destination",
                   .json = "destination",
                   .name_of = rank_name<&FlowId::destination>}},
                 {"flow",
                  kOfRecord<&MessageRecord::flow, &FlowId::index>,
                  "Tells apart the flows between the same two ranks.",
                  {.unit = "number", .csv = "flow", .json = "flow"}},
                 {"number",
                  kOfRecord<&MessageRecord::number>,
                  "Of the message in its flow.",
                  {.unit = "number", .csv = "number", .json = "number"}},
                 {"size", kOfRecord<&MessageRecord::size>, "Payload.", {.csv = "bytes", .json = "bytes"}},
                 {"operation",
                  worded<&MessageRow::record, &MessageRecord::operation>,
                  "0 write, 1 write with immediate, 2 read, 3 send; a word in CSV and JSON.",
                  {.unit = "0 to 3", .csv = "operation", .json = "operation"}},
                 {"status",
                  worded<&MessageRow::record, &MessageRecord::status>,
                  "0 success; else as libibverbs counts them; words in CSV and JSON.",
                  {.unit = "number", .csv = "status", .json = "status"}},
                 {"posted_ps",
                  kOfRecord<&MessageRecord::posted>,
                  "When the program wanted to send it.",
                  {.csv = "posted_ps", .json = "posted_s"}},
                 {"finished_ps",
                  kOfRecord<&MessageRecord::finished>,
                  "When the requester's program saw its completion.",
                  {.csv = "finished_ps", .json = "finished_s"}},
                 {"delivered_ps",
                  kOfRecord<&MessageRecord::delivered>,
                  "When the receiver's program did; NULL: the operation does not tell it.",
                  {.csv = "delivered_ps", .json = "delivered_s"}},
                 {"ideal_ps",
                  member<&MessageRow::ideal>,
                  "From posting to completion on an empty network.",
                  {.csv = "ideal_ps", .json = "ideal_s"}}},
      .rows = rows_of<&RunResults::messages>()};
  return kTable;
}

const RecordTable& silent_flow_table() {
  static const RecordTable kTable{
      .name = "silent_flow",
      .one_per = "flow of which messages were posted and none had ended when the run did",
      .places = {},
      .own_keys = 4,
      .fields = {{"job", member<&SilentFlowRow::flow, &FlowId::job>, "Its job.", {.unit = "number"}},
                 {"source",
                  member<&SilentFlowRow::flow, &FlowId::source>,
                  "Rank that posts the requests.",
                  {.unit = "number"}},
                 {"destination",
                  member<&SilentFlowRow::flow, &FlowId::destination>,
                  "Rank at the other end.",
                  {.unit = "number"}},
                 {"flow",
                  member<&SilentFlowRow::flow, &FlowId::index>,
                  "Tells apart the flows between the same two ranks.",
                  {.unit = "number"}},
                 {"operation",
                  worded<&SilentFlowRow::operation>,
                  "0 write, 1 write with immediate, 2 read, 3 send.",
                  {.unit = "0 to 3"}}},
      .rows = rows_of<&RunResults::silent_flows>()};
  return kTable;
}

const RecordTable& collective_table() {
  static const RecordTable kTable{
      .name = "collective",
      .one_per = "rank and collective operation",
      .places = {},
      .own_keys = 3,
      .fields = {{"job", member<&CollectiveRecord::job>, "Its job.", {.unit = "number"}},
                 {"iteration", member<&CollectiveRecord::iteration>, "Number of the operation.", {.unit = "number"}},
                 {"rank", member<&CollectiveRecord::rank>, "The rank.", {.unit = "number"}},
                 {"size", member<&CollectiveRecord::size>, "The whole buffer."},
                 {"started_ps", member<&CollectiveRecord::started>, "When the rank began."},
                 {"finished_ps", member<&CollectiveRecord::finished>, "When the rank had its result."}},
      .rows = rows_of<&RunResults::collectives>()};
  return kTable;
}

const RecordTable& cpu_table() {
  static const RecordTable kTable{.name = "cpu",
                                  .one_per = "host with stages and kind of work; what is zero is left out",
                                  .places = {},
                                  .own_keys = 2,
                                  .fields = {{"host", member<&CpuRow::host>, "Name of the host."},
                                             {"work", member<&CpuRow::work>, "Kind of work."},
                                             {"used_ps", member<&CpuRow::used>, "Time of its cores, together."}},
                                  .rows = rows_of<&RunResults::cpu>()};
  return kTable;
}

const RecordTable& stage_table() {
  static const RecordTable kTable{
      .name = "stage",
      .one_per = "stage of the last message, of a run on the latency ladder",
      .places = {{"number", "Order of the stages."}},
      .own_keys = 0,
      .fields = {{"name", member<&StageRow::name>, "Name of the stage."},
                 {"time_ps", member<&StageRow::time>, "What it takes; the stages add up to the message's latency."},
                 {"mark", member<&StageRow::mark>,
                  "Where it comes from: emerges, given, specified, measured, calibrated, guess."}},
      .rows = rows_of<&RunResults::stages>()};
  return kTable;
}

const RecordTable& event_table() {
  static const RecordTable kTable{
      .name = "event",
      .one_per = "event",
      .places = {{"number", "Order of the events."}},
      .own_keys = 0,
      .fields = {{"at_ps",
                  member<&EventRow::at>,
                  "NULL: some time in the run.",
                  {.json = "at_s", .json_order = Order::kLast}},
                 {"kind",
                  member<&EventRow::kind>,
                  "fail, degrade, restore, a kind of [[failure]], resweep, job-lost, deadlock, watchdog, leaf order.",
                  {.json = "kind"}},
                 {"place", member<&EventRow::place>, "Links, ports or priorities that it is about.", {.json = "place"}},
                 {"text", member<&EventRow::text>, "Details.", {.json = "text"}}},
      .rows = rows_of<&RunResults::events>()};
  return kTable;
}

}  // namespace weft::study::results
