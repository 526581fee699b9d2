// The tables of the comparison's records: name, member, meaning and unit of each member, in the order in which a
// comparison writes them.
//
// A member without a sentence is neither in the reference nor checked. The page's JavaScript takes its names from the
// files that define the tables, study/report/comparison_tables*.cc (web/build.mjs).
#pragma once

#include <vector>

#include "study/report/comparison.h"
#include "study/report/member_access.h"

namespace weft::study::report {

inline constexpr Need kMust = Need::kMust;

template <>
const RecordTable& record_table<Comparison>();
template <>
const RecordTable& record_table<ComparedScenario>();
template <>
const RecordTable& record_table<VerdictSentence>();
template <>
const RecordTable& record_table<ComparedFabric>();

// Of a run.
template <>
const RecordTable& record_table<RunFigures>();
template <>
const RecordTable& record_table<StepCollective>();
template <>
const RecordTable& record_table<StepPart>();
template <>
const RecordTable& record_table<JobStep>();
template <>
const RecordTable& record_table<StepTier>();
template <>
const RecordTable& record_table<StepFlow>();
template <>
const RecordTable& record_table<PathPart>();
template <>
const RecordTable& record_table<FlowTimes>();
template <>
const RecordTable& record_table<NicCounter>();
template <>
const RecordTable& record_table<Distributions>();
template <>
const RecordTable& record_table<NetworkNode>();
template <>
const RecordTable& record_table<NetworkLink>();
template <>
const RecordTable& record_table<NetworkMap>();
template <>
const RecordTable& record_table<PortQueue>();
template <>
const RecordTable& record_table<DecisionCourse>();
template <>
const RecordTable& record_table<HeldPort>();
template <>
const RecordTable& record_table<PauseTree>();
template <>
const RecordTable& record_table<TimelineSpan>();
/// The same members as those of a fabric.
[[nodiscard]] std::vector<MemberField> run_fields_of_fabric();

// Of what only a comparison asks.
template <>
const RecordTable& record_table<HardwareNeeds>();
template <>
const RecordTable& record_table<LostTimeCause>();
template <>
const RecordTable& record_table<SmallMessage>();
template <>
const RecordTable& record_table<LinkFault>();
template <>
const RecordTable& record_table<FailureFigures>();
template <>
const RecordTable& record_table<MisconfigurationCase>();
template <>
const RecordTable& record_table<TuningRiskOfSize>();
template <>
const RecordTable& record_table<TuningRisk>();
template <>
const RecordTable& record_table<ListedSetting>();
template <>
const RecordTable& record_table<SettingsToGetRight>();
template <>
const RecordTable& record_table<CostPerUnit>();
template <>
const RecordTable& record_table<BillLine>();
template <>
const RecordTable& record_table<RunningCost>();
template <>
const RecordTable& record_table<WorkCostAtSize>();
template <>
const RecordTable& record_table<WorkCost>();
template <>
const RecordTable& record_table<TurningPoint>();
template <>
const RecordTable& record_table<Recommendation>();
template <>
const RecordTable& record_table<BuyerRow>();

/// Moves a member behind another in the order in which `record` is written.
template <class Record>
void write_behind(Record& record, std::string_view name, std::string_view other) {
  record.form = form_with_moved(record_table<Record>(), std::move(record.form), name, other);
}

}  // namespace weft::study::report
