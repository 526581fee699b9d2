#include "study/report/comparison_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/printable.h"
#include "study/report/comparison_members.h"
#include "study/report/comparison_tables.h"
#include "study/report/member_json.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 64;  // nesting; what a comparison has is below 10

bool is_number(const Json& value) { return value.is_number(); }
bool is_point(const Json& value) {
  return value.is_array() && value.size() == 2 && std::ranges::all_of(value, is_number);
}

bool has_kind(const Json& value, MemberKind kind) {
  switch (kind) {
    case MemberKind::kText:
      return value.is_string();
    case MemberKind::kNumber:
      return value.is_number();
    case MemberKind::kNumbers:
      return value.is_array() && std::ranges::all_of(value, is_number);
    case MemberKind::kTexts:
      return value.is_array() && std::ranges::all_of(value, [](const Json& text) { return text.is_string(); });
    case MemberKind::kPoints:
      return value.is_array() && std::ranges::all_of(value, is_point);
    case MemberKind::kFlag:
      return value.is_boolean();
    case MemberKind::kObject:
      return value.is_object();
    case MemberKind::kList:
      return value.is_array() && std::ranges::all_of(value, [](const Json& row) { return row.is_object(); });
  }
  WEFT_ASSERT(false);
}

std::string shortened(const Json& value) {
  constexpr std::size_t kShown = 40;
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

/// Follows `path` from `value`, which stands at `place`.
Result<void> check_member(const Json& value, const Member& member, std::string_view path, const std::string& place) {
  const std::size_t end = std::min(path.find('.'), path.size());
  std::string_view key = path.substr(0, end);
  const bool each = key.ends_with("[]");
  key.remove_suffix(each ? 2 : 0);
  const std::string here = fmt::format("{}{}{}", place, place.empty() ? "" : ".", key);
  const auto found = value.find(key);
  const bool last = end == path.size();
  if (found == value.end() || found->is_null()) {
    return last && member.need == Need::kMust ? fail("{} is missing", here) : Result<void>();
  }
  if (last) {
    return has_kind(*found, member.kind)
               ? Result<void>()
               : fail("{}: {} expected, found {}", here, to_string(member.kind), shortened(*found));
  }
  const std::string_view rest = path.substr(end + 1);
  if (!each) {
    return check_member(*found, member, rest, here);
  }
  for (std::size_t i = 0; i < found->size(); ++i) {
    if (Result<void> right = check_member((*found)[i], member, rest, fmt::format("{}[{}]", here, i)); !right) {
      return right;
    }
  }
  return {};
}

Result<void> check_kinds(const Json& document) {
  for (const Member& member : document_members()) {
    if (Result<void> right = check_member(document, member, member.path, ""); !right) {
      return right;
    }
  }
  const Json& fabrics = document["fabrics"];
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    for (const Member& member : fabric_members()) {
      if (Result<void> right = check_member(fabrics[i], member, member.path, fmt::format("fabrics[{}]", i)); !right) {
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
  for (const Json& course : list(fabric, "decisions")) {
    if (course["count"].size() != course["at_s"].size()) {
      return fail("{}.decisions, {}: {} values of count for {} instants", place, shortened(course["decision"]),
                  course["count"].size(), course["at_s"].size());
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

/// Texts go to terminals and pages as they are. Nothing, or the place of a text or name that is not fit for them, from
/// here on: ".rows[3].name". Nesting is bounded by kDeepest.
std::optional<std::string> unprintable_in(const Json& value) {
  const auto is_fit = [](const std::string& text) { return terminal_text(text, LineBreaks::kKept) == text; };
  if (value.is_string()) {
    return is_fit(value.get_ref<const std::string&>()) ? std::nullopt : std::optional<std::string>("");
  }
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (std::optional<std::string> place = unprintable_in(value[i])) {
        return fmt::format("[{}]{}", i, *place);
      }
    }
  }
  if (value.is_object()) {
    for (auto member = value.begin(); member != value.end(); ++member) {
      if (!is_fit(member.key())) {
        return "." + shortened(Json(member.key()));
      }
      if (std::optional<std::string> place = unprintable_in(*member)) {
        return fmt::format(".{}{}", member.key(), *place);
      }
    }
  }
  return std::nullopt;
}

Result<void> check_texts(const Json& document) {
  const std::optional<std::string> place = unprintable_in(document);
  return place ? fail("{}: characters that are not printable", place->substr(1)) : Result<void>();
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

Json to_json(const Comparison& comparison) { return json_of({object_ref(comparison)}); }

Comparison comparison_from(const Json& document) {
  Comparison comparison;
  UntypedValue read = untyped_of(document);
  if (auto* members = std::get_if<UntypedValue::Object>(&read.value)) {
    read_record(record_table<Comparison>(), &comparison, std::move(*members));
  }
  return comparison;
}

std::string comparison_json_text(const Comparison& comparison, int indent) {
  return to_json(comparison).dump(indent, ' ', false, Json::error_handler_t::replace);
}

Result<Comparison> parse_comparison(std::string_view text) {
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
  if (Result<void> right = check_texts(document); !right) {
    return pass_on(right);
  }
  return comparison_from(document);
}

}  // namespace weft::study::report
