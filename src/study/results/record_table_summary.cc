// Columns of jobs.csv: figures of the summary. The summary's JSON has percentiles as objects, see results_json.cc.
#include "study/results/record_access.h"
#include "study/results/summary.h"

namespace weft::study::results {

const RecordTable& job_summary_table() {
  using Times = Spread<Duration>;
  using Ratios = Spread<double>;
  static const RecordTable kTable{
      .name = "jobs.csv",
      .one_per = "job",
      .places = {},
      .own_keys = 0,
      .fields =
          {{"", member<&JobSummary::name>, "Name of the job.", {.csv = "job", .json = "name"}},
           {"", member<&JobSummary::ranks>, "Ranks of the job.", {.unit = "ranks", .csv = "ranks", .json = "ranks"}},
           {"",
            member<&JobSummary::messages>,
            "That ended well.",
            {.unit = "messages", .csv = "messages", .json = "messages"}},
           {"",
            member<&JobSummary::failed>,
            "That ended with an error.",
            {.unit = "messages", .csv = "failed", .json = "failed"}},
           {"",
            member<&JobSummary::unfinished>,
            "Still under way when the run ended.",
            {.unit = "messages", .json = "unfinished"}},
           {"", member<&JobSummary::senders>, "Ranks that had data to send.", {.unit = "ranks", .json = "senders"}},
           {"",
            member<&JobSummary::payload>,
            "Of the messages that ended well.",
            {.csv = "payload_bytes", .json = "payload_bytes"}},
           {"",
            member<&JobSummary::goodput>,
            "Of all together, from the first posting to the last completion.",
            {.csv = "goodput_bps"}},
           {"",
            member<&JobSummary::completion, &Times::median>,
            "Completion time, median.",
            {.csv = "completion_median_ps"}},
           {"",
            member<&JobSummary::completion, &Times::p999>,
            "Completion time, 99.9th percentile.",
            {.csv = "completion_p99.9_ps"}},
           {"",
            member<&JobSummary::completion, &Times::max>,
            "Completion time, largest.",
            {.csv = "completion_max_ps"}},
           {"", member<&JobSummary::latency, &Times::median>, "Latency, median.", {.csv = "latency_median_ps"}},
           {"", member<&JobSummary::latency, &Times::p999>, "Latency, 99.9th percentile.", {.csv = "latency_p99.9_ps"}},
           {"", member<&JobSummary::jitter>, "p99.9 - p50 of latency.", {.csv = "jitter_ps"}},
           {"",
            member<&JobSummary::slowdown, &Ratios::median>,
            "Completion time over ideal time, median.",
            {.unit = "ratio", .csv = "slowdown_median"}},
           {"",
            member<&JobSummary::slowdown, &Ratios::p999>,
            "Completion time over ideal time, 99.9th percentile.",
            {.unit = "ratio", .csv = "slowdown_p99.9"}},
           {"",
            member<&JobSummary::jain>,
            "Jain's index of the flows' goodput.",
            {.unit = "0 to 1", .csv = "jain_index"}},
           {"",
            member<&JobSummary::allowed, &AllowedRates::per_sender>,
            "`allowed_bps` of the job.",
            {.csv = "paths_allow_bps"}},
           {"",
            member<&JobSummary::allowed, &AllowedRates::slowest>,
            "`allowed_slowest_bps` of the job.",
            {.csv = "paths_allow_slowest_bps"}}},
      .rows = {.row_type = &kRowType<JobSummary>}};
  return kTable;
}

}  // namespace weft::study::results
