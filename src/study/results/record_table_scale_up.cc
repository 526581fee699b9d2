// Tables of runs with scale-up links.
#include "study/results/record_access.h"
#include "study/results/results.h"

namespace weft::study::results {
namespace {

constexpr RowSource kScaleUp = {
    .row_type = &kRowType<ScaleUpRow>,
    .each =
        [](const RunResults& results, const RowVisitor& visit) {
          if (results.scale_up) {
            visit({}, &*results.scale_up);
          }
        },
    .add = [](RunResults& results, const Place&) -> void* { return &results.scale_up.emplace(); }};

constexpr RowSource kAccesses = {.row_type = &kRowType<MemoryAccessRow>,
                                 .each =
                                     [](const RunResults& results, const RowVisitor& visit) {
                                       for (std::uint32_t i = 0;
                                            results.scale_up && i < results.scale_up->accesses.size(); ++i) {
                                         visit({i, 0}, &results.scale_up->accesses[i]);
                                       }
                                     },
                                 .add = [](RunResults& results, const Place&) -> void* {
                                   return results.scale_up ? &results.scale_up->accesses.emplace_back() : nullptr;
                                 }};

/// Of nothing to gain, zero.
Bytes gained(const ScaleUpRow& row) { return row.pools > 0 ? row.capacity_gained() : Bytes::zero(); }

std::optional<double> share_gained(const ScaleUpRow& row) {
  return row.gpu_memory > Bytes::zero() ? std::optional(row.share_gained()) : std::nullopt;
}

}  // namespace

const RecordTable& tier_table() {
  static const RecordTable kTable{
      .name = "tier",
      .one_per = "kind of link, of runs with scale-up links",
      .places = {{"number", "Order of the kinds."}},
      .own_keys = 0,
      .fields =
          {{"name", member<&TierRow::name>, "scale-up, scale-out.", {.json = "name"}},
           {"sent", member<&TierRow::sent>, "On the links, headers included, by all ports.", {.json = "sent_bytes"}},
           {"busiest", member<&TierRow::busiest>, "Port that sent longest; empty: nobody sent.", {.json = "busiest"}},
           {"wire_ps", member<&TierRow::wire_time>, "How long that port was sending.", {.json = "wire_time_s"}},
           {"stalled_ps",
            member<&TierRow::stalled>,
            "All ports together: something to send, and no credits or a pause.",
            {.json = "stalled_s"}}},
      .rows = rows_of<&RunResults::tiers>()};
  return kTable;
}

const RecordTable& scale_up_table() {
  static const RecordTable kTable{
      .name = "scale_up",
      .one_per = "run with scale-up links",
      .places = {},
      .own_keys = 0,
      .fields =
          {{"domains", member<&ScaleUpRow::domains>, "Scale-up domains.", {.unit = "domains", .json = "domains"}},
           {"gpus", member<&ScaleUpRow::gpus>, "Of all domains.", {.unit = "GPUs", .json = "gpus"}},
           {"pools", member<&ScaleUpRow::pools>, "Memory pools of all domains.", {.unit = "pools", .json = "pools"}},
           {"", derived<ScaleUpRow, &gained>, "Capacity of all pools.", {.json = "capacity_gained_bytes"}},
           {"gpu_memory",
            member<&ScaleUpRow::gpu_memory>,
            "Memory of each GPU; 0: not given.",
            {.json = "gpu_memory_bytes", .json_empty = WhenEmpty::kLeftOut}},
           {"",
            derived<ScaleUpRow, &share_gained>,
            "Capacity of all pools over the memory of all GPUs.",
            {.unit = "share", .json = "capacity_gained_share"}},
           {"pool_capacity", member<&ScaleUpRow::pool_capacity>, "Of each pool."},
           {"gpu_memory_bps", member<&ScaleUpRow::gpu_memory_rate>,
            "What each GPU gets from its own memory; 0: not given."}},
      .rows = kScaleUp};
  return kTable;
}

const RecordTable& memory_access_table() {
  static const RecordTable kTable{
      .name = "memory_access",
      .one_per = "whose memory, and operation",
      .places = {{"number", "Order of the rows."}},
      .own_keys = 0,
      .fields =
          {{"memory", member<&MemoryAccessRow::memory>, "peer, pool.", {.json = "memory"}},
           {"operation", member<&MemoryAccessRow::operation>, "load, store, send.", {.json = "operation"}},
           {"messages", member<&MemoryAccessRow::messages>, "How many.", {.unit = "messages", .json = "messages"}},
           {"size", member<&MemoryAccessRow::bytes>, "Payload of all.", {.json = "sent_bytes"}},
           {"smallest", member<&MemoryAccessRow::smallest>, "Payload of the smallest.", {.json = "smallest_bytes"}},
           {"fastest_ps",
            member<&MemoryAccessRow::fastest>,
            "Of the messages of that size, from posting to completion.",
            {.json = "fastest_s"}},
           {"best_flow_bps",
            member<&MemoryAccessRow::best_flow>,
            "Payload of the flow that got most, from its first posting to its last completion.",
            {.json = "best_flow_bps"}},
           {"",
            derived<MemoryAccessRow, &MemoryAccessRow::copies_avoided>,
            "Through host memory each message would be copied into it and out of it.",
            {.unit = "copies", .json = "copies_avoided"}}},
      .rows = kAccesses};
  return kTable;
}

}  // namespace weft::study::results
