// The document, its scenario, its verdict and its fabrics.
#include "study/report/comparison_tables.h"

#include <algorithm>
#include <iterator>

namespace weft::study::report {
namespace {

std::vector<MemberField> head_fields() {
  return {
      {"name", member<&ComparedFabric::name>, "Name, of no other fabric of the document.", "", kMust},
      {"family", member<&ComparedFabric::family>, "Family of protocols."},
      {"possible", member<&ComparedFabric::possible>, "Whether the scenario runs on it.", "", kMust},
      {"stands_for", member<&ComparedFabric::stands_for>,
       "What the fabric stands for, of those that need other hardware."},
      {"needs", member<&ComparedFabric::needs>, "What that hardware must do."},
      {"reason", member<&ComparedFabric::reason>, "Why it is not possible."},
      {"left_out", member<&ComparedFabric::left_out>, "Traffic that was not required and that it cannot carry."},
      {"link_rate_bps", member<&ComparedFabric::link_rate>, "Of the hosts' links.", "bit/s"},
      {"step_time_s", member<&ComparedFabric::step, &StepTimes::mean>,
       "Time of a step, mean over the seeds; of a run without steps, from start to end.", "s"},
      {"step_time_low_s", member<&ComparedFabric::step, &StepTimes::low>,
       "Lower end of its 95 % confidence interval over the seeds.", "s"},
      {"step_time_high_s", member<&ComparedFabric::step, &StepTimes::high>, "Upper end.", "s"},
      {"step_times_s", member<&ComparedFabric::step, &StepTimes::each>, "Of each seed.", "s"},
  };
}

std::vector<MemberField> comparison_fields() {
  return {
      {"lost_time_reason", member<&ComparedFabric::lost_time_reason>, "Why there is no `lost_time`."},
      {"lost_time", member<&ComparedFabric::lost_time>, "What each cause adds to computing; all add up to the step."},
      {"small_message", member<&ComparedFabric::small_message>,
       "Latency of a small message: `bytes`, `idle_us`, and under load `loaded_p50_us`, "
       "`loaded_p99_us`, `loaded_p999_us`."},
      {"jitter_us", member<&ComparedFabric::jitter_us>, "Latency of a small message under load, p99.9 - p50.", "us"},
      {"fault", member<&ComparedFabric::fault>, "What a failed link costs."},
      {"failures", member<&ComparedFabric::failures>, "What failures leave of a month (`--failures`)."},
      {"tuning_risk", member<&ComparedFabric::tuning_risk>, "What misconfigurations cost, in shares of the step time."},
      {"settings", member<&ComparedFabric::settings>,
       "Settings to get right: `count`, on how many `devices`, and a list."},
      {"cost_usd", member<&ComparedFabric::cost_usd>, "Network, to buy.", "USD"},
      {"power_w", member<&ComparedFabric::power>, "Of the network.", "W"},
      {"cost_per_unit", member<&ComparedFabric::cost_per_unit>,
       "Cost for a thousand tokens a second (`usd_per_ktoken_s`), or for a run a second."},
      {"bill", member<&ComparedFabric::bill>,
       "Bill of materials: for each part `part`, `name`, `count`, prices, power, `mark` and `source`."},
      {"running_cost", member<&ComparedFabric::running_cost>,
       "Over `years`: `energy_usd`, `upkeep_usd`, `staff_usd`; and what is `not_counted`."},
      {"work_cost", member<&ComparedFabric::work_cost>,
       "What the work done costs, hosts and GPUs included: for each `unit`, and all that it is made of."},
      {"vendors", member<&ComparedFabric::vendors>, "Vendors in the catalogue."},
      {"rows", member<&ComparedFabric::rows>, "What buyers compare, in words."},
      {"settings_text", member<&ComparedFabric::settings_text>, "The resolved scenario, as `weft show` prints it."},
      {"ratio_to_best", member<&ComparedFabric::ratio_to_best>, "Step time over that of the fastest fabric.", "ratio"},
      {"differs_from_best", member<&ComparedFabric::differs_from_best>,
       "Neither mean is within the confidence interval of the other."},
  };
}

std::vector<MemberField> fabric_fields() {
  std::vector<MemberField> fields = head_fields();
  for (const std::vector<MemberField>& more : {run_fields_of_fabric(), comparison_fields()}) {
    std::ranges::copy(more, std::back_inserter(fields));
  }
  return fields;
}

}  // namespace

template <>
const RecordTable& record_table<Comparison>() {
  static const RecordTable kTable = table_of<Comparison>({
      {"format", member<&Comparison::format>},
      {"format_version", member<&Comparison::format_version>},
      {"version", member<&Comparison::version>, "Version of weft that wrote it."},
      {"scenario", member<&Comparison::scenario>,
       "What all fabrics have in common: `name`, `file`, `seed`, `seeds`, `hardware`, and more."},
      {"fabrics", member<&Comparison::fabrics>, "The fabrics, in the order in which they were asked for.", "", kMust},
      {"recommendation", member<&Comparison::recommendation>, "What a buyer should do, by how much, and how sure."},
      {"verdict", member<&Comparison::verdict>, "Sentences that follow from the figures."},
      {"reproduce", member<&Comparison::reproduce>, "The command that gives the same numbers again."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<ComparedScenario>() {
  static const RecordTable kTable = table_of<ComparedScenario>({
      {"name", member<&ComparedScenario::name>, "Name of the scenario."},
      {"file", member<&ComparedScenario::file>},
      {"seed", member<&ComparedScenario::seed>},
      {"seeds", member<&ComparedScenario::seeds>},
      {"hardware", member<&ComparedScenario::hardware>},
      {"topology", member<&ComparedScenario::topology>, "The topology, in words."},
      {"weights", member<&ComparedScenario::weights>},
      {"start_jitter_s", member<&ComparedScenario::start_jitter>},
      {"job", member<&ComparedScenario::job>, "The job that trains a model, in words."},
      {"stragglers", member<&ComparedScenario::stragglers>},
  });
  return kTable;
}

template <>
const RecordTable& record_table<VerdictSentence>() {
  static const RecordTable kTable = table_of<VerdictSentence>({
      {"text", member<&VerdictSentence::text>, "The sentence.", "", kMust},
      {"evidence", member<&VerdictSentence::evidence>, "The figure that it rests on."},
      {"origin", member<&VerdictSentence::origin>, "emerges, catalogue."},
      {"weights", member<&VerdictSentence::weights>, "Name of the buyer's weights, where they chose."},
  });
  return kTable;
}

template <>
const RecordTable& record_table<ComparedFabric>() {
  static const RecordTable kTable = table_of<ComparedFabric>(fabric_fields());
  return kTable;
}

}  // namespace weft::study::report
