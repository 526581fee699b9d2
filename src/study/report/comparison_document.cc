#include "study/report/comparison_document.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/assert.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 64;  // nesting; what a comparison has is below 10

enum class Kind : std::uint8_t { kText, kNumber, kNumbers, kPoints, kFlag, kObject, kList };
enum class Need : std::uint8_t { kMust, kMay };

/// A member, and for a list of objects also the members of its elements.
struct Rule {
  std::string_view path;  // from the document or its fabric; "[]" goes into the elements of a list
  Kind kind;
  Need need = Need::kMay;
};

constexpr Rule kDocument[] = {
    {"version", Kind::kText},
    {"scenario", Kind::kObject},
    {"scenario.name", Kind::kText},
    {"scenario.job", Kind::kText},
    {"scenario.topology", Kind::kText},
    {"fabrics", Kind::kList, Need::kMust},
    {"fabrics[].name", Kind::kText, Need::kMust},
    {"fabrics[].possible", Kind::kFlag, Need::kMust},
    {"verdict", Kind::kList},
    {"verdict[].text", Kind::kText, Need::kMust},
    {"verdict[].evidence", Kind::kText},
    {"verdict[].origin", Kind::kText},
    {"verdict[].weights", Kind::kText},
    {"reproduce", Kind::kText},
};

constexpr Rule kFabric[] = {
    {"family", Kind::kText},
    {"stands_for", Kind::kText},
    {"needs", Kind::kObject},
    {"needs.nic", Kind::kText},
    {"needs.switch", Kind::kText},
    {"reason", Kind::kText},
    {"step_time_s", Kind::kNumber},
    {"step_time_low_s", Kind::kNumber},
    {"step_time_high_s", Kind::kNumber},
    {"step_times_s", Kind::kNumbers},
    {"ratio_to_best", Kind::kNumber},
    {"differs_from_best", Kind::kFlag},
    {"tokens_per_second", Kind::kNumber},
    {"model_flops_utilisation", Kind::kNumber},
    {"compute_s", Kind::kNumber},
    {"exposed_communication_s", Kind::kNumber},
    {"bus_bandwidth_gbytes_per_s", Kind::kNumber},
    {"composition_error", Kind::kNumber},
    {"composition_check", Kind::kText},
    {"interval", Kind::kNumber},
    {"settled", Kind::kFlag},
    {"collectives", Kind::kList},
    {"collectives[].purpose", Kind::kText, Need::kMust},
    {"collectives[].kind", Kind::kText, Need::kMust},
    {"collectives[].bytes", Kind::kNumber, Need::kMust},
    {"collectives[].time_s", Kind::kNumber, Need::kMust},
    {"collectives[].paths_allow_s", Kind::kNumber, Need::kMust},
    {"parts", Kind::kList},
    {"parts[].name", Kind::kText, Need::kMust},
    {"parts[].communication", Kind::kFlag},
    {"parts[].exposed_s", Kind::kNumber},
    {"parts[].waiting_s", Kind::kNumber},
    {"parts[].busy_s", Kind::kNumber},
    {"parts[].sent_bytes", Kind::kNumber},
    {"lost_time_reason", Kind::kText},
    {"lost_time", Kind::kList},
    {"lost_time[].cause", Kind::kText, Need::kMust},
    {"lost_time[].s", Kind::kNumber, Need::kMust},
    {"lost_time[].origin", Kind::kText},
    {"path", Kind::kList},
    {"path[].what", Kind::kText, Need::kMust},
    {"path[].s", Kind::kNumber, Need::kMust},
    {"fct_us", Kind::kObject},
    {"fct_us.p50", Kind::kNumber},
    {"fct_us.p99", Kind::kNumber},
    {"fct_us.p999", Kind::kNumber},
    {"jitter_us", Kind::kNumber},
    {"small_message", Kind::kObject},
    {"drops", Kind::kNumber},
    {"retransmissions", Kind::kNumber},
    {"pause_s", Kind::kNumber},
    {"credit_stall_s", Kind::kNumber},
    {"marks", Kind::kNumber},
    {"cpu_cores_per_host", Kind::kNumber},
    {"fault", Kind::kObject},
    {"fault.link", Kind::kText},
    {"fault.outage_us", Kind::kNumber},
    {"fault.lost_s", Kind::kNumber},
    {"fault.reroute_delay_s", Kind::kNumber},
    {"fault.reason", Kind::kText},
    {"settings", Kind::kObject},
    {"settings.list", Kind::kList},
    {"settings.list[].key", Kind::kText, Need::kMust},
    {"settings.list[].value", Kind::kText},
    {"settings.list[].devices", Kind::kText},
    {"vendors", Kind::kText},
    {"rows", Kind::kList},
    {"rows[].label", Kind::kText, Need::kMust},
    {"rows[].value", Kind::kText, Need::kMust},
    {"rows[].origin", Kind::kText},
    {"tuning_risk", Kind::kObject},
    {"tuning_risk.median", Kind::kNumber},
    {"tuning_risk.worst", Kind::kNumber},
    {"tuning_risk.worst_setting", Kind::kText},
    {"tuning_risk.worst_fails", Kind::kFlag},
    {"tuning_risk.cases", Kind::kList},
    {"tuning_risk.cases[].setting", Kind::kText, Need::kMust},
    {"tuning_risk.cases[].change", Kind::kText},
    {"tuning_risk.cases[].loss", Kind::kNumber},
    {"tuning_risk.cases[].reason", Kind::kText},
    {"tuning_risk.cases[].unmeasured", Kind::kFlag},
    {"tuning_risk.reason", Kind::kText},
    {"tuning_risk.by_size", Kind::kList},
    {"tuning_risk.by_size[].gpus", Kind::kNumber, Need::kMust},
    {"cost_usd", Kind::kNumber},
    {"power_w", Kind::kNumber},
    {"cost_per_unit", Kind::kObject},
    {"bill", Kind::kList},
    {"bill[].part", Kind::kText, Need::kMust},
    {"bill[].name", Kind::kText, Need::kMust},
    {"bill[].count", Kind::kNumber, Need::kMust},
    {"bill[].owned", Kind::kFlag},
    {"running_cost", Kind::kObject},
    {"timeline", Kind::kList},
    {"timeline[].rank", Kind::kNumber, Need::kMust},
    {"timeline[].lane", Kind::kText, Need::kMust},
    {"timeline[].name", Kind::kText, Need::kMust},
    {"timeline[].begin_s", Kind::kNumber, Need::kMust},
    {"timeline[].end_s", Kind::kNumber, Need::kMust},
    {"cdf", Kind::kObject},
    {"cdf.fct", Kind::kPoints},
    {"cdf.small_message", Kind::kPoints},
    {"topology", Kind::kObject},
    {"topology.nodes", Kind::kList},
    {"topology.nodes[].name", Kind::kText, Need::kMust},
    {"topology.nodes[].kind", Kind::kText},
    {"topology.nodes[].tier", Kind::kNumber, Need::kMust},
    {"topology.links", Kind::kList},
    {"topology.links[].from", Kind::kText, Need::kMust},
    {"topology.links[].to", Kind::kText, Need::kMust},
    {"topology.links[].rate_bps", Kind::kNumber},
    {"topology.links[].utilisation", Kind::kNumbers},
    {"topology.instants_s", Kind::kNumbers},
    {"queues", Kind::kList},
    {"queues[].port", Kind::kText, Need::kMust},
    {"queues[].at_s", Kind::kNumbers, Need::kMust},
    {"queues[].bytes", Kind::kNumbers},
    {"queues[].held_s", Kind::kNumbers},
    {"pauses", Kind::kObject},
    {"pauses.tree", Kind::kList},
    {"pauses.tree[].port", Kind::kText, Need::kMust},
    {"pauses.tree[].first_s", Kind::kNumber},
    {"pauses.tree[].held_s", Kind::kNumber},
    {"pauses.tree[].cause", Kind::kText},
    {"settings_text", Kind::kText},
};

bool is_number(const Json& value) { return value.is_number(); }
bool is_point(const Json& value) {
  return value.is_array() && value.size() == 2 && std::ranges::all_of(value, is_number);
}

bool has_kind(const Json& value, Kind kind) {
  switch (kind) {
    case Kind::kText:
      return value.is_string();
    case Kind::kNumber:
      return value.is_number();
    case Kind::kNumbers:
      return value.is_array() && std::ranges::all_of(value, is_number);
    case Kind::kPoints:
      return value.is_array() && std::ranges::all_of(value, is_point);
    case Kind::kFlag:
      return value.is_boolean();
    case Kind::kObject:
      return value.is_object();
    case Kind::kList:
      return value.is_array() && std::ranges::all_of(value, [](const Json& row) { return row.is_object(); });
  }
  WEFT_ASSERT(false);
}

std::string_view words_of(Kind kind) {
  switch (kind) {
    case Kind::kText:
      return "a text";
    case Kind::kNumber:
      return "a number";
    case Kind::kNumbers:
      return "a list of numbers";
    case Kind::kPoints:
      return "a list of pairs of numbers";
    case Kind::kFlag:
      return "true or false";
    case Kind::kObject:
      return "an object";
    case Kind::kList:
      return "a list of objects";
  }
  WEFT_ASSERT(false);
}

std::string shortened(const Json& value) {
  constexpr std::size_t kShown = 40;
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

/// Follows `path` from `value`, which stands at `place`.
Result<void> check_member(const Json& value, const Rule& rule, std::string_view path, const std::string& place) {
  const std::size_t end = std::min(path.find('.'), path.size());
  std::string_view key = path.substr(0, end);
  const bool each = key.ends_with("[]");
  key.remove_suffix(each ? 2 : 0);
  const std::string here = fmt::format("{}{}{}", place, place.empty() ? "" : ".", key);
  const auto found = value.find(key);
  const bool last = end == path.size();
  if (found == value.end() || found->is_null()) {
    return last && rule.need == Need::kMust ? fail("{} is missing", here) : Result<void>();
  }
  if (last) {
    return has_kind(*found, rule.kind)
               ? Result<void>()
               : fail("{}: {} expected, found {}", here, words_of(rule.kind), shortened(*found));
  }
  const std::string_view rest = path.substr(end + 1);
  if (!each) {
    return check_member(*found, rule, rest, here);
  }
  for (std::size_t i = 0; i < found->size(); ++i) {
    if (Result<void> right = check_member((*found)[i], rule, rest, fmt::format("{}[{}]", here, i)); !right) {
      return right;
    }
  }
  return {};
}

Result<void> check_kinds(const Json& document) {
  for (const Rule& rule : kDocument) {
    if (Result<void> right = check_member(document, rule, rule.path, ""); !right) {
      return right;
    }
  }
  const Json& fabrics = document["fabrics"];
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    for (const Rule& rule : kFabric) {
      if (Result<void> right = check_member(fabrics[i], rule, rule.path, fmt::format("fabrics[{}]", i)); !right) {
        return right;
      }
    }
  }
  return {};
}

/// Lists that belong together, element by element.
Result<void> check_lengths(const Json& fabric, const std::string& place) {
  const Json none = Json::array();
  const auto list = [&none](const Json& object, const char* key) -> const Json& {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? none : *found;
  };
  for (const Json& queue : list(fabric, "queues")) {
    for (const char* key : {"bytes", "held_s"}) {
      if (const Json& values = list(queue, key); !values.empty() && values.size() != queue["at_s"].size()) {
        return fail("{}.queues, {}: {} values of {} for {} instants", place, shortened(queue["port"]), values.size(),
                    key, queue["at_s"].size());
      }
    }
  }
  const auto topology = fabric.find("topology");
  if (topology == fabric.end() || topology->is_null()) {
    return {};
  }
  std::set<std::string> nodes;
  for (const Json& node : list(*topology, "nodes")) {
    nodes.insert(node["name"].get<std::string>());
  }
  const std::size_t instants = list(*topology, "instants_s").size();
  for (const Json& link : list(*topology, "links")) {
    for (const char* end : {"from", "to"}) {
      if (!nodes.contains(link[end].get<std::string>())) {
        return fail("{}.topology.links: unknown node {}", place, shortened(link[end]));
      }
    }
    if (const Json& values = list(link, "utilisation"); !values.empty() && values.size() != instants) {
      return fail("{}.topology.links, {} to {}: {} values of utilisation for {} instants", place,
                  shortened(link["from"]), shortened(link["to"]), values.size(), instants);
    }
  }
  return {};
}

Result<void> check_fabrics(const Json& fabrics) {
  if (fabrics.empty()) {
    return fail("fabrics: the list is empty; a comparison has at least one");
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    if (!names.insert(fabrics[i]["name"].get<std::string>()).second) {
      return fail("fabrics[{}].name: {} appears twice", i, shortened(fabrics[i]["name"]));
    }
    if (Result<void> right = check_lengths(fabrics[i], fmt::format("fabrics[{}]", i)); !right) {
      return right;
    }
  }
  return {};
}

Result<void> check_format(const Json& document) {
  if (!document.is_object() || !document.contains("format") || document["format"] != kComparisonFormat) {
    return fail("not the results of a comparison: no \"format\": \"{}\"", kComparisonFormat);
  }
  const auto version = document.find("format_version");
  if (version == document.end() || !version->is_number_integer()) {
    return fail("format_version is missing; it should be {}", kComparisonVersion);
  }
  if (*version != kComparisonVersion) {
    const auto writer = document.find("version");
    const std::string by =
        writer != document.end() && writer->is_string() ? ", written by weft " + writer->get<std::string>() : "";
    return fail("a comparison in format version {}{}; this weft reads version {}: run the comparison again",
                shortened(*version), by, kComparisonVersion);
  }
  return {};
}

}  // namespace

Result<void> check_comparison(const Json& document) {
  if (Result<void> right = check_format(document); !right) {
    return right;
  }
  if (Result<void> right = check_kinds(document); !right) {
    return right;
  }
  return check_fabrics(document["fabrics"]);
}

Result<Json> parse_comparison(std::string_view text) {
  bool too_deep = false;
  const auto shallow = [&too_deep](int depth, Json::parse_event_t, const Json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  Json document;
  try {
    document = Json::parse(text, shallow);
  } catch (const Json::exception& error) {  // no JSON, or a number beyond what a double holds
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...": the number helps nobody.
    const std::string_view what = error.what();
    const std::size_t begin = what.find("] ");
    return fail("not JSON: {}", begin == std::string_view::npos ? what : what.substr(begin + 2));
  }
  if (too_deep) {
    return fail("lists and objects nested more than {} deep", kDeepest);
  }
  if (Result<void> right = check_comparison(document); !right) {
    return pass_on(right);
  }
  return document;
}

}  // namespace weft::study::report
