// The table of subnets that their managers brought up.
#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {
namespace {

constexpr RowSource kSubnetRows = {
    .row_type = &kRowType<SubnetRow>,
    .each =
        [](const RunResults& results, const RowVisitor& visit) {
          if (results.subnet) {
            visit({}, &*results.subnet);
          }
        },
    .add = [](RunResults& results, const Place&) -> void* { return &results.subnet.emplace(); }};

}  // namespace

const RecordTable& subnet_table() {
  static const RecordTable kTable{
      .name = "subnet",
      .one_per = "run whose subnet starts cold (`[subnet]`)",
      .places = {},
      .own_keys = 0,
      .fields =
          {{"engine", member<&SubnetRow::engine>, "Routing engine of the manager.", {.json = "engine"}},
           {"subnets",
            member<&SubnetRow::subnets>,
            "With a manager each, which come up beside one another.",
            {.unit = "subnets", .json = "subnets"}},
           {"switches", member<&SubnetRow::switches>, "Of all of them.", {.unit = "switches", .json = "switches"}},
           {"adapters", member<&SubnetRow::adapters>, "Of all of them.", {.unit = "adapters", .json = "adapters"}},
           {"bring_up_ps",
            member<&SubnetRow::bring_up>,
            "Before the run, until the last port was active; of several subnets the longest.",
            {.json = "bring_up_s"}},
           {"discovery_ps",
            member<&SubnetRow::discovery>,
            "Of that, until every node was known.",
            {.json = "discovery_s"}},
           {"tables_ps", member<&SubnetRow::tables>, "Of that, for forwarding tables.", {.json = "tables_s"}},
           {"requests",
            member<&SubnetRow::requests>,
            "Of the managers, without those sent again.",
            {.unit = "MADs", .json = "requests"}},
           {"retried", member<&SubnetRow::retried>, "Sent again.", {.unit = "MADs", .json = "retried"}},
           {"failed",
            member<&SubnetRow::failed>,
            "Without an answer after all retries.",
            {.unit = "MADs", .json = "failed"}},
           {"blocks",
            member<&SubnetRow::blocks>,
            "Of forwarding tables, 64 LIDs each, that were written.",
            {.unit = "blocks", .json = "blocks"}},
           {"as_routed",
            member<&SubnetRow::as_routed>,
            "Tables in the agents are those that the engine makes for the network.",
            {.json = "as_routed"}},
           {"error", member<&SubnetRow::error>, "Why a subnet did not come up; empty: all did.", {.json = "error"}}},
      .rows = kSubnetRows};
  return kTable;
}

}  // namespace weft::study::results
