#include "study/report/member_json.h"

#include <nlohmann/json.hpp>

#include <type_traits>
#include <utility>

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

Json list_json(const ListRef& list) {
  Json json = Json::array();
  for (std::size_t i = 0; i < list.size; ++i) {
    json.push_back(json_of(list.at(list.list, i)));
  }
  return json;
}

/// The names of a record's members differ: they need not be looked for among those before.
Json object_json(const ObjectRef& object) {
  Json::object_t members;
  for (const MemberRef& member : members_of(object)) {
    static_cast<std::vector<Json::object_t::value_type>&>(members).emplace_back(std::string(member.name),
                                                                                json_of(member.value));
  }
  return Json(std::move(members));
}

}  // namespace

Json json_of(const ValueRef& value) {
  return std::visit(
      [](const auto& own) -> Json {
        using Own = std::remove_cvref_t<decltype(own)>;
        if constexpr (std::is_same_v<Own, std::monostate>) {
          return Json();
        } else if constexpr (std::is_same_v<Own, ObjectRef>) {
          return object_json(own);
        } else if constexpr (std::is_same_v<Own, ListRef>) {
          return list_json(own);
        } else {
          return Json(own);
        }
      },
      value.value);
}

std::string json_text(const ValueRef& value) {
  return json_of(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<UntypedValue> parse_untyped(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? std::nullopt : std::optional(untyped_of(json));
}

UntypedValue untyped_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return UntypedValue(json.get<bool>());
    case Json::value_t::number_integer:
      return UntypedValue(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return UntypedValue(json.get<std::uint64_t>());
    case Json::value_t::number_float:
      return UntypedValue(json.get<double>());
    case Json::value_t::string:
      return UntypedValue(json.get<std::string>());
    case Json::value_t::array: {
      UntypedValue::List list;
      for (const Json& element : json) {
        list.push_back(untyped_of(element));
      }
      return UntypedValue(std::move(list));
    }
    case Json::value_t::object: {
      UntypedValue::Object object;
      for (const auto& [name, member] : json.items()) {
        object.push_back({.name = name, .value = untyped_of(member)});
      }
      return UntypedValue(std::move(object));
    }
    case Json::value_t::null:
    case Json::value_t::binary:     // not from a text
    case Json::value_t::discarded:  // likewise
      return {};
  }
  return {};
}

}  // namespace weft::study::report
