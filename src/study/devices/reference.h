// What a device's configuration is held against.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/devices/lint.h"

namespace weft::study::devices {

/// By the plan, or by what most have.
class Reference {
 public:
  /// Errors: those of describing the plan.
  [[nodiscard]] static Result<Reference> of_plan(const LintPlan& plan, const std::vector<DeviceConfig>& devices);
  [[nodiscard]] static Reference of_majority(const std::vector<DeviceConfig>& devices);

  [[nodiscard]] bool has_plan() const { return has_plan_; }
  /// The whole device as it should be; null without a plan, or if the plan does not have it.
  [[nodiscard]] const DeviceConfig* device(const DeviceConfig& found) const;
  /// The device of the plan with what headroom it needs at least, however it is written.
  [[nodiscard]] const DeviceConfig* needs(const DeviceConfig& found) const;
  /// A port as it should be; null: it is not known.
  [[nodiscard]] const PortSetting* port(const DeviceConfig& found, const PortSetting& port) const;
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>* dscp_class(const DeviceConfig& found) const;
  /// Behind what should be.
  [[nodiscard]] const char* has_it() const { return has_plan_ ? "as the plan has it" : "as most others have it"; }

 private:
  bool has_plan_ = false;
  std::map<std::string, DeviceConfig> devices_;  // by name
  std::map<std::string, DeviceConfig> needs_;
  std::map<std::uint64_t, PortSetting> ports_;  // by speed
  std::map<std::uint64_t, std::uint64_t> dscp_class_;
};

/// The class of a code point; 0 where the map says nothing.
[[nodiscard]] std::uint64_t class_at(const std::map<std::uint64_t, std::uint64_t>& map, std::uint64_t dscp);

}  // namespace weft::study::devices
