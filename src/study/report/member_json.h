// Records of tables as JSON, and back: the only place where the members of a document meet JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "study/report/member_table.h"

namespace weft::study::report {

[[nodiscard]] nlohmann::ordered_json json_of(const ValueRef& value);
/// In one line. Bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string json_text(const ValueRef& value);

/// None: the text is no JSON.
[[nodiscard]] std::optional<UntypedValue> parse_untyped(std::string_view text);
[[nodiscard]] UntypedValue untyped_of(const nlohmann::ordered_json& json);

}  // namespace weft::study::report
