// The table of the traffic controller.
#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {
namespace {

constexpr RowSource kController = {
    .row_type = &kRowType<ControllerRow>,
    .each =
        [](const RunResults& results, const RowVisitor& visit) {
          if (results.controller) {
            visit({}, &*results.controller);
          }
        },
    .add = [](RunResults& results, const Place&) -> void* { return &results.controller.emplace(); }};

}  // namespace

const RecordTable& controller_table() {
  static const RecordTable kTable{
      .name = "controller",
      .one_per = "run whose flows have paths from a traffic controller",
      .places = {},
      .own_keys = 0,
      .fields =
          {{"algorithm", member<&ControllerRow::algorithm>, "How it places flows.", {.json = "algorithm"}},
           {"rounds", member<&ControllerRow::rounds>, "Plans that took effect.", {.unit = "plans", .json = "rounds"}},
           {"placed", member<&ControllerRow::placed>, "Flows in them.", {.unit = "flows", .json = "placed"}},
           {"entries",
            member<&ControllerRow::entries>,
            "Written into tables of switches, new or changed.",
            {.unit = "entries", .json = "entries"}},
           {"peak_entries",
            member<&ControllerRow::peak_entries>,
            "Most in the table of one switch.",
            {.unit = "entries", .json = "peak_entries"}},
           {"overflows",
            member<&ControllerRow::overflows>,
            "Of a plan that found a table full, and stayed with their hash.",
            {.unit = "flows", .json = "overflows"}},
           {"moved",
            member<&ControllerRow::moved>,
            "That had another path before.",
            {.unit = "flows", .json = "moved"}},
           {"stale",
            member<&ControllerRow::stale>,
            "With a path whose link had failed before they took effect.",
            {.unit = "plans", .json = "stale"}},
           {"conflicts",
            member<&ControllerRow::conflicts>,
            "Of plans by communicators that share a link with a flow before them.",
            {.unit = "flows", .json = "conflicts"}},
           {"planned_load_ppm",
            millionths<&ControllerRow::planned_load>,
            "Of the fullest link by plan, mean over plans.",
            {.json = "planned_load"}},
           {"measured_load_ppm",
            millionths<&ControllerRow::measured_load>,
            "Of the fullest link between two readings of counters, mean over readings.",
            {.json = "measured_load"}},
           {"pinned_packets",
            member<&ControllerRow::pinned_packets>,
            "Sent where their entry said, at switches with a choice.",
            {.unit = "packet-hops", .json = "pinned_packets"}},
           {"hashed_packets",
            member<&ControllerRow::hashed_packets>,
            "Sent by their hash there, for want of an entry.",
            {.unit = "packet-hops", .json = "hashed_packets"}},
           {"fallback_packets",
            member<&ControllerRow::fallback_packets>,
            "Sent by their hash because the port of their entry led nowhere.",
            {.unit = "packet-hops", .json = "fallback_packets"}}},
      .rows = kController};
  return kTable;
}

}  // namespace weft::study::results
