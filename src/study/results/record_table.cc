#include "study/results/record_table.h"

namespace weft::study::results {

std::string_view Field::unit() const {
  if (!forms.unit.empty()) {
    return forms.unit;
  }
  switch (access.kind) {
    case CellKind::kFlag:
      return "0, 1";
    case CellKind::kMillionths:
      return "millionths";
    case CellKind::kText:
      return "text";
    case CellKind::kTime:
    case CellKind::kDuration:
      return "ps";
    case CellKind::kBytes:
      return "bytes";
    case CellKind::kRate:
      return "bit/s";
    case CellKind::kNumber:
    case CellKind::kReal:
      break;
  }
  return "";
}

std::span<const RecordTable* const> record_tables() {
  static const std::array kTables = {&run_table(),
                                     &job_table(),
                                     &rank_table(),
                                     &collective_table(),
                                     &message_table(),
                                     &silent_flow_table(),
                                     &port_table(),
                                     &lane_table(),
                                     &nic_table(),
                                     &late_table(),
                                     &port_choice_table(),
                                     &port_grade_table(),
                                     &dropped_table(),
                                     &sample_table(),
                                     &decision_table(),
                                     &cpu_table(),
                                     &stage_table(),
                                     &step_table(),
                                     &step_part_table(),
                                     &step_tier_table(),
                                     &step_flow_table(),
                                     &step_path_table(),
                                     &step_collective_table(),
                                     &step_memory_table(),
                                     &tier_table(),
                                     &scale_up_table(),
                                     &memory_access_table(),
                                     &event_table(),
                                     &controller_table(),
                                     &control_table(),
                                     &control_event_table(),
                                     &control_destination_table(),
                                     &cabling_table(),
                                     &security_table(),
                                     &attack_table(),
                                     &subnet_table(),
                                     &multicast_table(),
                                     &multicast_member_table()};
  return kTables;
}

}  // namespace weft::study::results
