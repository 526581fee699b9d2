#include "study/claims/comparison_reading.h"

#include <nlohmann/json.hpp>

#include "study/report/comparison_keys.h"

namespace weft::study::claims {
namespace {

using Json = nlohmann::ordered_json;

const Json& member(const Json& json, std::string_view key) {
  static const Json kNone;
  const auto found = json.is_object() ? json.find(std::string(key)) : json.end();
  return json.is_object() && found != json.end() ? *found : kNone;
}

std::optional<double> number_of(const Json& json) {
  return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

std::string text_of(const Json& json) { return json.is_string() ? json.get<std::string>() : std::string(); }

}  // namespace

const Json& ComparisonReading::fabric(std::string_view name) const {
  static const Json kNone;
  const Json& fabrics = member(document_, "fabrics");
  if (!fabrics.is_array()) {
    return kNone;
  }
  for (const Json& one : fabrics) {
    const Json& possible = member(one, "possible");
    if (text_of(member(one, "name")) == name && (!possible.is_boolean() || possible.get<bool>())) {
      return one;
    }
  }
  return kNone;
}

std::optional<double> ComparisonReading::number(std::string_view fabric, std::string_view key) const {
  return number_of(member(this->fabric(fabric), key));
}

std::optional<Seconds> ComparisonReading::step_time(std::string_view fabric) const {
  const auto mean = number(fabric, report::key::kStepTime);
  if (!mean) {
    return std::nullopt;
  }
  return Seconds{.mean = *mean,
                 .low = number(fabric, report::key::kStepTimeLow).value_or(*mean),
                 .high = number(fabric, report::key::kStepTimeHigh).value_or(*mean)};
}

std::optional<double> ComparisonReading::cost_usd(std::string_view fabric) const {
  return number(fabric, report::key::kCost);
}
std::optional<double> ComparisonReading::power_w(std::string_view fabric) const {
  return number(fabric, report::key::kPower);
}

std::string ComparisonReading::job() const { return text_of(member(member(document_, "scenario"), "job")); }

}  // namespace weft::study::claims
