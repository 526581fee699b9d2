// Tables of training steps.
#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {
namespace {

template <auto own>
RowSource of_step() {
  return rows_within<&RunResults::steps, own>();
}

std::vector<PlaceColumn> of_step_places() {
  return {{"step", "Number of the row in `step`."}, {"number", "Order in the step."}};
}

std::vector<Field> step_fields() {
  return {{"job", member<&StepRow::job>, "Name of the job.", {.csv = "job", .json = "job"}},
          {"workload", member<&StepRow::workload>, "training, decode, halo.", {.csv = "workload", .json = "workload"}},
          {"model", member<&StepRow::model>, "Name of the model; of a halo: none.", {.csv = "model", .json = "model"}},
          {"gpu", member<&StepRow::gpu>, "Name of the GPU.", {.csv = "gpu", .json = "gpu"}},
          {"gpus", member<&StepRow::gpus>, "GPUs of the job.", {.unit = "GPUs", .csv = "gpus", .json = "gpus"}},
          {"parallelism",
           member<&StepRow::parallelism>,
           "How they divide the work: `tp 8, pp 4, dp 32`.",
           {.json = "parallelism"}},
          {"fidelity", member<&StepRow::fidelity>, "composed, packet.", {.json = "fidelity"}},
          {"steps", member<&StepRow::steps>, "Steps that were run.", {.unit = "steps", .json = "steps"}},
          {"time_ps", member<&StepRow::time>, "Of one step, mean.", {.csv = "step_ps", .json = "step_time_s"}},
          {"compute_ps",
           member<&StepRow::compute>,
           "Computing in one step, mean over ranks too.",
           {.csv = "compute_ps", .json = "compute_s"}},
          {"alone_ps",
           member<&StepRow::alone>,
           "Composed beside other jobs: what a step takes without them.",
           {.json = "alone_s", .json_empty = WhenEmpty::kLeftOut}},
          {"",
           derived<StepRow, &StepRow::exposed_communication>,
           "Waits for communication, of any kind.",
           {.json = "exposed_communication_s"}},
          {"",
           derived<StepRow, &StepRow::steps_per_second>,
           "One over the time of a step.",
           {.unit = "1/s", .json = "steps_per_second"}},
          {"tokens_per_second",
           member<&StepRow::tokens_per_second>,
           "0: it has no model.",
           {.unit = "1/s", .csv = "tokens_per_second", .json = "tokens_per_second"}},
          {"utilisation",
           member<&StepRow::utilisation>,
           "Of the GPUs' peak by the model's operations; 0: it has no model.",
           {.unit = "share", .csv = "utilisation", .json = "model_flops_utilisation"}},
          {"composition_error",
           member<&StepRow::composition_error>,
           "Relative, against a run of every packet, as measured on a smaller job; NULL: it was not.",
           {.unit = "share", .json = "composition_error"}},
          {"composition_check",
           member<&StepRow::composition_check>,
           "Which smaller job that was, or why there is none.",
           {.json = "composition_check", .json_empty = WhenEmpty::kLeftOut}},
          {"interval",
           member<&StepRow::interval>,
           "Composed: half of the 95 % confidence interval of the time, relative to it, from the batch means of its "
           "operations; one that has not converged counts with 15 % at least. NULL: none had to settle.",
           {.unit = "share", .json = "interval"}}};
}

}  // namespace

const RecordTable& step_table() {
  static const RecordTable kTable{.name = "step",
                                  .one_per = "job that runs steps",
                                  .places = {{"number", "Order of the jobs."}},
                                  .own_keys = 0,
                                  .fields = step_fields(),
                                  .rows = rows_of<&RunResults::steps>()};
  return kTable;
}

const RecordTable& step_part_table() {
  static const RecordTable kTable{
      .name = "step_part",
      .one_per = "use of a step's time",
      .places = of_step_places(),
      .own_keys = 0,
      .fields = {{"name",
                  member<&StepPart::name>,
                  "A kind of compute, the parallelism that communicates, or `end`, after a rank's last work.",
                  {.csv = "part", .json = "name"}},
                 {"communication",
                  member<&StepPart::communication>,
                  "It communicates.",
                  {.csv = "communication", .json = "communication"}},
                 {"exposed_ps",
                  member<&StepPart::exposed>,
                  "Mean over ranks; all parts add up to the step.",
                  {.csv = "exposed_ps", .json = "exposed_s"}},
                 {"waiting_ps",
                  member<&StepPart::waiting>,
                  "Of it, for other ranks to come.",
                  {.csv = "waiting_ps", .json = "waiting_s"}},
                 {"busy_ps",
                  member<&StepPart::busy>,
                  "Mean over ranks of what it took, hidden or not.",
                  {.csv = "busy_ps", .json = "busy_s"}},
                 {"sent",
                  member<&StepPart::sent>,
                  "Mean over ranks of the least that its operations must send.",
                  {.csv = "sent_bytes", .json = "sent_bytes"}},
                 {"operations",
                  member<&StepPart::operations>,
                  "Most of any rank.",
                  {.unit = "operations", .csv = "operations", .json = "operations"}}},
      .rows = of_step<&StepRow::parts>()};
  return kTable;
}

const RecordTable& step_tier_table() {
  static const RecordTable kTable{.name = "step_tier",
                                  .one_per = "kind of link",
                                  .places = of_step_places(),
                                  .own_keys = 0,
                                  .fields = {{"name", member<&StepTier::name>, "scale-up, network.", {.json = "name"}},
                                             {"sent", member<&StepTier::sent>, "By all ranks.", {.json = "sent_bytes"}},
                                             {"wire_ps",
                                              member<&StepTier::wire_time>,
                                              "Of the busiest rank's links at full rate.",
                                              {.json = "wire_time_s"}}},
                                  .rows = of_step<&StepRow::tiers>()};
  return kTable;
}

const RecordTable& step_flow_table() {
  static const RecordTable kTable{
      .name = "step_flow",
      .one_per = "size of flows",
      .places = of_step_places(),
      .own_keys = 0,
      .fields = {{"purpose", member<&StepFlow::purpose>, "What communicates: `dp`.", {.json = "purpose"}},
                 {"kind", member<&StepFlow::kind>, "Kind of operation: `all-reduce`.", {.json = "kind"}},
                 {"operation", member<&StepFlow::operation>, "Size of the operation.", {.json = "operation_bytes"}},
                 {"size",
                  member<&StepFlow::size>,
                  "Of a flow: all messages of one operation between the same two ranks through the network.",
                  {.json = "flow_bytes"}},
                 {"flows", member<&StepFlow::flows>, "In a step.", {.unit = "flows", .json = "flows"}}},
      .rows = of_step<&StepRow::flows>()};
  return kTable;
}

const RecordTable& step_path_table() {
  static const RecordTable kTable{
      .name = "step_path",
      .one_per = "thing that the step waited for",
      .places = of_step_places(),
      .own_keys = 0,
      .fields = {{"what", member<&StepPathPart::what>, "The work or operation.", {.json = "what"}},
                 {"time_ps",
                  member<&StepPathPart::time>,
                  "Along the critical path; all add up to the step.",
                  {.json = "time_s"}},
                 {"rank",
                  member<&StepPathPart::rank>,
                  "Where the longest such wait was.",
                  {.unit = "number", .json = "rank"}},
                 {"flow",
                  member<&StepPathPart::flow>,
                  "Between whom the last message of that wait went; empty: none, or not known.",
                  {.json = "flow"}}},
      .rows = of_step<&StepRow::path>()};
  return kTable;
}

const RecordTable& step_collective_table() {
  static const RecordTable kTable{
      .name = "step_collective",
      .one_per = "kind of operation of a training step that goes through the network",
      .places = of_step_places(),
      .own_keys = 0,
      .fields =
          {{"purpose", member<&StepCollective::purpose>, "What communicates: `dp`.", {.json = "purpose"}},
           {"kind", member<&StepCollective::kind>, "Kind of operation: `all-reduce`.", {.json = "kind"}},
           {"size", member<&StepCollective::size>, "Of the operation.", {.json = "bytes"}},
           {"time_ps",
            member<&StepCollective::time>,
            "Of the slowest communicator, behind others; of a step run whole: the longest.",
            {.json = "time_s"}},
           {"least_ps",
            member<&StepCollective::least_time>,
            "What the paths of its flows allow without any protocol, by the run's routes and hashes: the link "
            "with most to carry at its full rate.",
            {.json = "paths_allow_s"}},
           {"slowest_share",
            member<&StepCollective::slowest_share>,
            "Of its sender's line: the max-min rate of the slowest flow, by progressive filling over all its "
            "flows.",
            {.unit = "share", .json = "slowest_flow_share"}},
           {"mean_share",
            member<&StepCollective::mean_share>,
            "The same, mean over flows.",
            {.unit = "share", .json = "mean_flow_share"}},
           {"shares_links",
            member<&StepCollective::shares_links>,
            "Flows of two senders on a link's direction, or marks, pauses, losses.",
            {.json = "shares_links"}},
           {"sample", member<&StepCollective::sample>, "The largest size that was run.", {.json = "sample_bytes"}},
           {"repetitions",
            member<&StepCollective::repetitions>,
            "Of that sample, back to back.",
            {.unit = "times", .json = "repetitions"}},
           {"interval",
            member<&StepCollective::interval>,
            "Half of the 95 % confidence interval of the time, relative to it.",
            {.unit = "share", .json = "interval", .json_order = Order::kLast}},
           {"settled",
            member<&StepCollective::settled>,
            "Simulated long enough, with chunks large enough, for its paths.",
            {.json = "settled"}}},
      .rows = of_step<&StepRow::collectives>()};
  return kTable;
}

const RecordTable& step_memory_table() {
  static const RecordTable kTable{.name = "step_memory",
                                  .one_per = "part of the memory of the GPU that needs most",
                                  .places = of_step_places(),
                                  .own_keys = 0,
                                  .fields = {{"what", member<&StepMemory::what>, "What it holds.", {.json = "what"}},
                                             {"size", member<&StepMemory::size>, "How much.", {.json = "bytes"}}},
                                  .rows = of_step<&StepRow::memory>()};
  return kTable;
}

}  // namespace weft::study::results
