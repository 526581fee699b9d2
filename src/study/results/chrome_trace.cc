#include "study/results/chrome_trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace weft::study::results {
namespace {

using nlohmann::ordered_json;
using workload::NodeLabel;
using workload::NodeRecord;
using workload::RankId;

double microseconds(std::int64_t picoseconds) { return static_cast<double>(picoseconds) / 1e6; }

class TraceWriter {
 public:
  TraceWriter(const workload::NodeLog& log, const ChromeTraceOptions& options,
              const std::function<void(std::string_view)>& write)
      : log_(log), options_(options), write_(write) {
    if (options.path != nullptr) {
      for (const auto& part : options.path->parts) {
        critical_.insert({part.rank, part.node});
      }
    }
  }

  void all() {
    write_("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    for (std::uint32_t rank = 0; rank < std::min(log_.ranks(), options_.ranks); ++rank) {
      names(RankId(rank));
      const auto records = log_.of(RankId(rank));
      for (std::uint32_t node = 0; node < records.size(); ++node) {
        event({.rank = RankId(rank), .node = workload::NodeId(node)}, records[node]);
      }
    }
    write_("\n]}\n");
  }

 private:
  void put(const ordered_json& event) {
    write_(first_ ? "" : ",\n");
    write_(event.dump());
    first_ = false;
  }

  void names(RankId rank) {
    put({{"ph", "M"},
         {"name", "process_name"},
         {"pid", rank.value()},
         {"args", {{"name", fmt::format("{} rank {}", options_.job, rank.value())}}}});
    put({{"ph", "M"}, {"name", "process_sort_index"}, {"pid", rank.value()}, {"args", {{"sort_index", rank.value()}}}});
    std::set<workload::StreamId> used;
    for (const NodeRecord& record : log_.of(rank)) {
      used.insert(record.stream);
    }
    for (const auto stream : used) {
      const std::string name = stream.value() < options_.streams.size() ? std::string(options_.streams[stream.value()])
                                                                        : fmt::format("stream {}", stream.value());
      put({{"ph", "M"},
           {"name", "thread_name"},
           {"pid", rank.value()},
           {"tid", stream.value()},
           {"args", {{"name", name}}}});
    }
  }

  void event(const workload::RankNode& at, const NodeRecord& record) {
    const bool critical = critical_.contains(at);
    ordered_json arguments = arguments_of(record);
    arguments["node"] = at.node.value();
    if (record.enabling.is_valid()) {
      arguments["enabled_by"] = record.enabling.value();
    }
    if (critical) {
      arguments["critical_path"] = true;
    }
    put({{"ph", "X"},
         {"name", name_of(record)},
         {"cat", critical              ? "critical"
                 : record.is_compute() ? "compute"
                                       : "communication"},
         {"ts", microseconds(record.begun.picoseconds())},
         {"dur", microseconds((record.finished - record.begun).picoseconds())},
         {"pid", at.rank.value()},
         {"tid", record.stream.value()},
         {"args", std::move(arguments)}});
  }

  [[nodiscard]] static std::string name_of(const NodeRecord& record) {
    std::string name(to_string(record.label.purpose));
    if (!record.is_compute()) {
      name += fmt::format(" {}", to_string(record.kind));
    }
    if (record.label.micro_batch != NodeLabel::kNone) {
      name += fmt::format(" {}", record.label.micro_batch);
    }
    return name;
  }

  [[nodiscard]] ordered_json arguments_of(const NodeRecord& record) const {
    ordered_json arguments{{"step", record.label.step}};
    if (record.label.micro_batch != NodeLabel::kNone) {
      arguments["micro_batch"] = record.label.micro_batch;
      arguments["chunk"] = record.label.chunk;
    }
    if (record.label.layer != NodeLabel::kNone) {
      arguments["layer"] = record.label.layer;
    }
    if (record.is_compute()) {
      return arguments;
    }
    arguments["size_bytes"] = record.size.count();
    if (record.communicator.value() < options_.communicators.size()) {
      arguments["communicator"] = options_.communicators[record.communicator.value()].name;
    }
    arguments["waited_for_turn_us"] = microseconds((record.turn - record.begun).picoseconds());
    return arguments;
  }

  const workload::NodeLog& log_;
  const ChromeTraceOptions& options_;
  const std::function<void(std::string_view)>& write_;
  std::set<workload::RankNode> critical_;
  bool first_ = true;
};

}  // namespace

void write_chrome_trace(const workload::NodeLog& log, const ChromeTraceOptions& options,
                        const std::function<void(std::string_view)>& write) {
  TraceWriter(log, options, write).all();
}

std::string chrome_trace(const workload::NodeLog& log, const ChromeTraceOptions& options) {
  std::string text;
  write_chrome_trace(log, options, [&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace weft::study::results
