#include "study/results/results_scale_up.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "study/results/record_json.h"
#include "study/results/summary_text.h"

namespace weft::study::results {
namespace {

using Json = nlohmann::ordered_json;

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

void add_scale_up(Json& json, const RunResults& results) {
  if (!results.scale_up) {
    return;
  }
  json["tiers"] = Json::array();
  for (const TierRow& row : results.tiers) {
    json["tiers"].push_back(record_json(tier_table(), &row));
  }
  const ScaleUpRow& own = *results.scale_up;
  Json made = record_json(scale_up_table(), &own);
  made["accesses"] = Json::array();
  for (const MemoryAccessRow& row : own.accesses) {
    Json& access = made["accesses"].emplace_back(record_json(memory_access_table(), &row));
    if (own.gpu_memory_rate > Rate::zero()) {
      access["share_of_own_memory"] = static_cast<double>(row.best_flow.bits_per_second()) /
                                      static_cast<double>(own.gpu_memory_rate.bits_per_second());
    }
  }
  json["scale_up"] = made;
}

std::string scale_up_text(const RunResults& results, LineWidth width) {
  const auto line = [width](std::string_view name, const std::string& text) {
    return labelled_line(name, text, width);
  };
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
