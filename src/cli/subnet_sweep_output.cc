// The text and the JSON of `weft subnet sweep`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/format_quantity.h"
#include "base/text_table.h"
#include "cli/subnet_sweep.h"
#include "study/results/results_json.h"
#include "study/results/summary_text.h"

namespace weft::cli {
namespace {

using nlohmann::ordered_json;
using study::results::short_text;
using Align = TextTable::Align;

std::string_view attribute_name(std::uint16_t attribute) {
  switch (attribute) {
    case wire::kAttributeNodeDescription:
      return "NodeDescription";
    case wire::kAttributeNodeInfo:
      return "NodeInfo";
    case wire::kAttributeSwitchInfo:
      return "SwitchInfo";
    case wire::kAttributePortInfo:
      return "PortInfo";
    case wire::kAttributePKeyTable:
      return "P_KeyTable";
    case wire::kAttributeSlToVl:
      return "SLtoVLMappingTable";
    case wire::kAttributeVlArbitration:
      return "VLArbitrationTable";
    case wire::kAttributeLinearForwarding:
      return "LinearForwardingTable";
    case wire::kAttributeSmInfo:
      return "SMInfo";
    default:
      return "other";
  }
}

std::uint64_t requests_of(const subnet::SmpCounts& counts, std::uint16_t attribute, std::uint8_t method) {
  const auto found = counts.find({attribute, method});
  return found == counts.end() ? 0 : found->second;
}

std::set<std::uint16_t> attributes_of(const subnet::SmpCounts& counts) {
  std::set<std::uint16_t> attributes;
  for (const auto& [key, count] : counts) {
    attributes.insert(key.first);
  }
  return attributes;
}

Duration taken(const subnet::SweepReport& sweep) { return sweep.end - sweep.begin; }

std::string agents_text(const subnet::MadTimes& times) {
  return times.switch_agent == times.hca_agent
             ? fmt::format("an agent takes {}", times.switch_agent)
             : fmt::format("the agent of a switch takes {}, of an adapter {}", times.switch_agent, times.hca_agent);
}

std::string plan_text(const StudiedSweep& swept) {
  const subnet::SweepStudy& study = swept.study;
  const subnet::ManagerOptions& options = swept.plan.options;
  const subnet::MadTimes& times = swept.plan.times;
  const subnet::SweepReport& up = study.bring_up;
  std::string text = fmt::format("{} switches, {} adapters, LIDs 1 to {}, LMC {}; manager at {} port {}\n", up.switches,
                                 study.adapters, study.last_lid, options.lmc, swept.manager, swept.plan.manager.port);
  text += up.fallback.empty()
              ? fmt::format("routed by {}\n", subnet::engine(options.engine).name)
              : fmt::format("routed by minhop instead of {}: {}\n", subnet::engine(options.engine).name, up.fallback);
  text += fmt::format(
      "{} requests at once, again after {}, {} times; {}, a switch on the way {}, the manager {} for each MAD and {} "
      "for "
      "each entry: guesses unless given\n",
      options.smps.most_on_wire, options.smps.timeout, options.smps.retries, agents_text(times), times.pass,
      options.mad_time, options.entry_time);
  return text;
}

std::string steps_text(const subnet::SweepReport& sweep, LineWidth width) {
  TextTable table({{.heading = "step"},
                   {.heading = "begins after", .align = Align::kRight},
                   {.heading = "takes", .align = Align::kRight},
                   {.heading = "requests", .align = Align::kRight}},
                  width);
  for (const subnet::SweepStepReport& step : sweep.steps) {
    table.add({std::string(subnet::to_string(step.step)), short_text(step.begin - sweep.begin),
               short_text(step.end - step.begin), fmt::format("{}", step.requests)});
  }
  return table.text();
}

std::string requests_text(const subnet::SweepReport& sweep, LineWidth width) {
  TextTable table({{.heading = "attribute"},
                   {.heading = "Get", .align = Align::kRight},
                   {.heading = "Set", .align = Align::kRight}},
                  width);
  for (const std::uint16_t attribute : attributes_of(sweep.requests)) {
    table.add({std::string(attribute_name(attribute)),
               fmt::format("{}", requests_of(sweep.requests, attribute, wire::kMethodGet)),
               fmt::format("{}", requests_of(sweep.requests, attribute, wire::kMethodSet))});
  }
  return table.text();
}

std::string after_text(const std::optional<Duration>& span) { return span ? short_text(*span) : "never"; }

std::string failed_cables_text(const subnet::SweepStudy& study, LineWidth width) {
  TextTable table({{.heading = "failure", .wraps = true},
                   {.heading = "sweep begins after", .align = Align::kRight},
                   {.heading = "last block after", .align = Align::kRight},
                   {.heading = "blocks", .align = Align::kRight},
                   {.heading = "entries", .align = Align::kRight},
                   {.heading = "sweeps", .align = Align::kRight, .rank = 1},
                   {.heading = "requests", .align = Align::kRight, .rank = 2}},
                  width);
  std::string errors;
  for (const subnet::FailureReport& failure : study.failures) {
    table.add({failure.name, after_text(failure.noticed),
               failure.blocks > 0 ? after_text(failure.mended) : std::string("none"), fmt::format("{}", failure.blocks),
               fmt::format("{}", failure.entries), fmt::format("{}", failure.heavy_sweeps),
               fmt::format("{}", failure.requests)});
    if (!failure.error.empty()) {
      errors += fmt::format("{}: {}\n", failure.name, failure.error);
    } else if (!failure.is_routed) {
      errors += fmt::format("{}: the tables in the switches are not those of the engine\n", failure.name);
    }
  }
  return table.text() + errors;
}

std::string later_text(const subnet::HandoverReport& later, const std::string& node) {
  std::string text = fmt::format("later manager at {}: stands by after {} with {} requests", node,
                                 after_text(later.stands_by), later.requests_before);
  if (!later.handed_over || !later.up) {
    return text + ", and stays so\n";
  }
  return text + fmt::format(
                    ", is handed over to after {} ({} requests of the first), has swept after {} ({} requests, {} "
                    "blocks)\n",
                    short_text(*later.handed_over), later.requests_first, short_text(*later.up), later.requests,
                    later.blocks);
}

ordered_json later_json(const subnet::HandoverReport& later, const std::string& node) {
  return {{"node", node},
          {"stands_by_s", study::results::seconds_or_null(later.stands_by)},
          {"requests_before", later.requests_before},
          {"handed_over_s", study::results::seconds_or_null(later.handed_over)},
          {"requests_first", later.requests_first},
          {"up_s", study::results::seconds_or_null(later.up)},
          {"requests", later.requests},
          {"blocks", later.blocks},
          {"as_routed", later.is_routed}};
}

ordered_json requests_json(const subnet::SmpCounts& counts) {
  ordered_json document = ordered_json::object();
  for (const std::uint16_t attribute : attributes_of(counts)) {
    document[std::string(attribute_name(attribute))] = {{"get", requests_of(counts, attribute, wire::kMethodGet)},
                                                        {"set", requests_of(counts, attribute, wire::kMethodSet)}};
  }
  return document;
}

ordered_json report_json(const subnet::SweepReport& sweep) {
  ordered_json document{{"cause", std::string(subnet::to_string(sweep.cause))},
                        {"begin_s", sweep.begin.since_start().seconds()},
                        {"time_s", taken(sweep).seconds()},
                        {"requests", sweep.total_requests()},
                        {"retried", sweep.retried},
                        {"failed", sweep.failed},
                        {"refused", sweep.refused},
                        {"blocks", sweep.blocks},
                        {"entries", sweep.entries}};
  document["steps"] = ordered_json::array();
  for (const subnet::SweepStepReport& step : sweep.steps) {
    document["steps"].push_back({{"step", std::string(subnet::to_string(step.step))},
                                 {"begin_s", (step.begin - sweep.begin).seconds()},
                                 {"time_s", (step.end - step.begin).seconds()},
                                 {"requests", step.requests}});
  }
  document["attributes"] = requests_json(sweep.requests);
  return document;
}

ordered_json failed_cable_json(const subnet::FailureReport& failure) {
  return {{"failure", failure.name},
          {"noticed_s", study::results::seconds_or_null(failure.noticed)},
          {"mended_s", study::results::seconds_or_null(failure.mended)},
          {"ended_s", study::results::seconds_or_null(failure.ended)},
          {"sweeps", failure.heavy_sweeps},
          {"requests", failure.requests},
          {"blocks", failure.blocks},
          {"entries", failure.entries},
          {"as_routed", failure.is_routed},
          {"error", failure.error}};
}

}  // namespace

std::string sweep_text(const StudiedSweep& swept, LineWidth width) {
  const subnet::SweepStudy& study = swept.study;
  const subnet::SweepReport& up = study.bring_up;
  std::string text = plan_text(swept);
  text += fmt::format("\nbring-up: {} with {} requests, not less than {}\n", short_text(taken(up)), up.total_requests(),
                      short_text(study.bound));
  text += up.error.empty() ? std::string() : fmt::format("it ended early: {}\n", up.error);
  text += steps_text(up, width) + "\n" + requests_text(up, width);
  text += fmt::format("the tables in the switches are {}\n",
                      study.is_routed ? "those of the engine, entry for entry" : "not those of the engine");
  text +=
      fmt::format("\nlight sweep: {} with {} requests\n", short_text(taken(study.light)), study.light.total_requests());
  if (study.later) {
    text += later_text(*study.later, swept.later);
  }
  if (!study.failures.empty()) {
    text += "\n" + failed_cables_text(study, width);
  }
  text += fmt::format(
      "\nin all: at most {} requests under way and {} waiting, {} sent again, {} without an answer; {} traps; MADs "
      "lost: {} at links that are down, {} in full buffers\n",
      study.peak_on_wire, study.peak_waiting, study.retried, study.failed, study.traps, study.lost.link_down,
      study.overflowed);
  return text;
}

ordered_json sweep_json(const StudiedSweep& swept) {
  const subnet::SweepStudy& study = swept.study;
  const subnet::ManagerOptions& options = swept.plan.options;
  const subnet::MadTimes& times = swept.plan.times;
  ordered_json document{{"switches", study.bring_up.switches},
                        {"adapters", study.adapters},
                        {"last_lid", study.last_lid},
                        {"manager", swept.manager},
                        {"engine", std::string(subnet::engine(options.engine).name)},
                        {"fallback", study.bring_up.fallback},
                        {"smps", options.smps.most_on_wire},
                        {"timeout_s", options.smps.timeout.seconds()},
                        {"retries", options.smps.retries},
                        {"switch_sma_s", times.switch_agent.seconds()},
                        {"hca_sma_s", times.hca_agent.seconds()},
                        {"pass_s", times.pass.seconds()},
                        {"forward_s", times.forward.seconds()},
                        {"cable_s", times.cable.seconds()},
                        {"signal_s", swept.plan.signal.seconds()},
                        {"buffer", times.buffer},
                        {"mad_s", options.mad_time.seconds()},
                        {"entry_s", options.entry_time.seconds()},
                        {"as_routed", study.is_routed},
                        {"bound_s", study.bound.seconds()},
                        {"bring_up", report_json(study.bring_up)},
                        {"light", report_json(study.light)}};
  if (study.later) {
    document["later"] = later_json(*study.later, swept.later);
  }
  document["failures"] = ordered_json::array();
  for (const subnet::FailureReport& failure : study.failures) {
    document["failures"].push_back(failed_cable_json(failure));
  }
  document["most_on_wire"] = study.peak_on_wire;
  document["most_waiting"] = study.peak_waiting;
  document["retried"] = study.retried;
  document["failed"] = study.failed;
  document["traps"] = study.traps;
  document["lost_link_down"] = study.lost.link_down;
  document["lost_buffer"] = study.overflowed;
  return document;
}

}  // namespace weft::cli
