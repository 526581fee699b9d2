#include "study/results/results_scale_up.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "study/results/results_schema.h"
#include "study/results/summary_text.h"

namespace weft::study::results {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const MemoryAccessRow& row, const ScaleUpRow& all) {
  Json json{{"memory", row.memory},
            {"operation", row.operation},
            {"messages", row.messages},
            {"sent_bytes", row.bytes.count()},
            {"smallest_bytes", row.smallest.count()},
            {"fastest_s", row.fastest.seconds()},
            {"best_flow_bps", row.best_flow.bits_per_second()},
            {"copies_avoided", row.copies_avoided()}};
  if (all.gpu_memory_rate > Rate::zero()) {
    json["share_of_own_memory"] = static_cast<double>(row.best_flow.bits_per_second()) /
                                  static_cast<double>(all.gpu_memory_rate.bits_per_second());
  }
  return json;
}

std::string line(std::string_view name, const std::string& text) { return fmt::format("  {:<13} {}\n", name, text); }

std::string domains_text(const ScaleUpRow& row) {
  std::string text = fmt::format("{} of {} GPUs", row.domains, row.gpus / std::max(row.domains, 1U));
  if (row.pools > 0) {
    text += fmt::format(", {} pool{} of memory each", row.pools / row.domains, row.pools == row.domains ? "" : "s");
  }
  return text;
}

std::string capacity_text(const ScaleUpRow& row) {
  std::string text = fmt::format("{} in pools, {} a GPU", short_text(row.capacity_gained()),
                                 short_text(row.capacity_gained() / std::int64_t{row.gpus}));
  if (row.gpu_memory > Bytes::zero()) {
    text += fmt::format(", {:.2f} x its own {}", row.share_gained(), short_text(row.gpu_memory));
  }
  return text;
}

std::string access_text(const MemoryAccessRow& access, const ScaleUpRow& row) {
  std::string text = fmt::format("{}, {}; fastest {} ({}); best flow {}", access.messages, short_text(access.bytes),
                                 short_text(access.fastest), short_text(access.smallest), short_text(access.best_flow));
  if (row.gpu_memory_rate > Rate::zero()) {
    text += fmt::format(", {:.1f}% of own", 100 * static_cast<double>(access.best_flow.bits_per_second()) /
                                                static_cast<double>(row.gpu_memory_rate.bits_per_second()));
  }
  return text;
}

}  // namespace

void write_scale_up(Database& database, const RunResults& results) {
  const std::string& key = results.run.key;
  Statement tier = database.prepare(insert_statement("tier"));
  for (std::uint32_t i = 0; i < results.tiers.size(); ++i) {
    const TierRow& row = results.tiers[i];
    tier.run(key, i, row.name, row.sent.count(), row.busiest, row.wire_time, row.stalled);
  }
  if (!results.scale_up) {
    return;
  }
  const ScaleUpRow& own = *results.scale_up;
  database.prepare(insert_statement("scale_up"))
      .run(key, own.domains, own.gpus, own.pools, own.gpu_memory.count(), own.pool_capacity.count(),
           own.gpu_memory_rate.bits_per_second());
  Statement access = database.prepare(insert_statement("memory_access"));
  for (std::uint32_t i = 0; i < own.accesses.size(); ++i) {
    const MemoryAccessRow& row = own.accesses[i];
    access.run(key, i, row.memory, row.operation, row.messages, row.bytes.count(), row.smallest.count(), row.fastest,
               row.best_flow.bits_per_second());
  }
}

void read_scale_up(Database& database, RunResults& results) {
  Statement tier = database.prepare("SELECT * FROM tier WHERE run = ? ORDER BY number");
  for (tier.start(results.run.key); tier.next();) {
    (void)tier.text();
    (void)tier.integer();
    TierRow& row = results.tiers.emplace_back();
    row.name = tier.text();
    row.sent = Bytes(tier.integer());
    row.busiest = tier.text();
    row.wire_time = tier.duration();
    row.stalled = tier.duration();
  }
  Statement own = database.prepare("SELECT * FROM scale_up WHERE run = ?");
  for (own.start(results.run.key); own.next();) {
    (void)own.text();
    ScaleUpRow& row = results.scale_up.emplace();
    row.domains = own.number();
    row.gpus = own.number();
    row.pools = own.number();
    row.gpu_memory = Bytes(own.integer());
    row.pool_capacity = Bytes(own.integer());
    row.gpu_memory_rate = Rate::bits_per_second(own.integer());
  }
  Statement access = database.prepare("SELECT * FROM memory_access WHERE run = ? ORDER BY number");
  for (access.start(results.run.key); access.next() && results.scale_up;) {
    (void)access.text();
    (void)access.integer();
    MemoryAccessRow& row = results.scale_up->accesses.emplace_back();
    row.memory = access.text();
    row.operation = access.text();
    row.messages = access.count();
    row.bytes = Bytes(access.integer());
    row.smallest = Bytes(access.integer());
    row.fastest = access.duration();
    row.best_flow = Rate::bits_per_second(access.integer());
  }
}

void add_scale_up(Json& json, const RunResults& results) {
  if (!results.scale_up) {
    return;
  }
  json["tiers"] = Json::array();
  for (const TierRow& row : results.tiers) {
    json["tiers"].push_back({{"name", row.name},
                             {"sent_bytes", row.sent.count()},
                             {"busiest", row.busiest},
                             {"wire_time_s", row.wire_time.seconds()},
                             {"stalled_s", row.stalled.seconds()}});
  }
  const ScaleUpRow& own = *results.scale_up;
  Json made{{"domains", own.domains},
            {"gpus", own.gpus},
            {"pools", own.pools},
            {"capacity_gained_bytes", own.pools > 0 ? own.capacity_gained().count() : 0}};
  if (own.gpu_memory > Bytes::zero()) {
    made["gpu_memory_bytes"] = own.gpu_memory.count();
    made["capacity_gained_share"] = own.share_gained();
  }
  made["accesses"] = Json::array();
  for (const MemoryAccessRow& row : own.accesses) {
    made["accesses"].push_back(to_json(row, own));
  }
  json["scale_up"] = made;
}

std::string scale_up_text(const RunResults& results) {
  if (!results.scale_up) {
    return {};
  }
  const ScaleUpRow& own = *results.scale_up;
  std::string text = "scale-up\n" + line("domains", domains_text(own));
  for (const TierRow& row : results.tiers) {
    text += line(row.name, row.busiest.empty()
                               ? std::string("nothing sent")
                               : fmt::format("{} sent; {} of the busiest, {}; {} stalled", short_text(row.sent),
                                             short_text(row.wire_time), row.busiest, short_text(row.stalled)));
  }
  if (own.pools > 0) {
    text += line("capacity", capacity_text(own));
  }
  std::uint64_t copies = 0;
  Bytes copied;
  for (const MemoryAccessRow& row : own.accesses) {
    text += line(fmt::format("{} {}", row.memory, row.operation), access_text(row, own));
    copies += row.copies_avoided();
    copied += row.copies_avoided() > 0 ? row.bytes * std::int64_t{2} : Bytes::zero();
  }
  if (copies > 0) {
    text += line("copies",
                 fmt::format("{} avoided, {}: two copies per message through host memory", copies, short_text(copied)));
  }
  return text;
}

}  // namespace weft::study::results
