// The checks that the options of all topologies share. The first fault found is the one reported.
//
//   if (Result<void> valid = OptionCheck("leaf-spine").positive({"leaves", o.leaves}).result(); !valid) ...
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/result.h"
#include "fabric/topology/cable.h"

namespace weft::fabric {

struct NamedCount {
  std::string_view key;
  std::uint64_t value = 0;
};

/// What a graph would have.
struct GraphSize {
  std::uint64_t endpoints = 0;
  std::uint64_t switches = 0;
  std::uint64_t largest_switch = 0;  // its ports
};

/// The product, or the largest value when it does not fit.
[[nodiscard]] std::uint64_t saturating_product(std::initializer_list<std::uint64_t> factors);

/// Hosts in leaves or groups that are filled one after the other.
struct HostParts {
  std::uint64_t hosts = 0;  // 0: all parts are full
  std::uint64_t parts = 1;
  std::uint64_t of_part = 1;
  std::string_view names;  // "leaves"
};

class OptionCheck {
 public:
  static constexpr std::uint64_t kMaxEndpoints = 1U << 21;
  static constexpr std::uint64_t kMaxSwitches = 65534;
  static constexpr std::uint64_t kMaxPorts = 65535;

  /// `topology` begins every message.
  explicit OptionCheck(std::string_view topology) : topology_(topology) {}

  OptionCheck& positive(const NamedCount& count);
  OptionCheck& cable(std::string_view key, const Cable& cable);
  /// Of the limits above: a typing error in a count should not fill the memory.
  OptionCheck& size(const GraphSize& size);
  /// Neither more hosts than there are places, nor so few that the last part has none.
  OptionCheck& last_part(const HostParts& parts);

  [[nodiscard]] Result<void> result() const { return result_; }

 private:
  std::string_view topology_;
  Result<void> result_;
};

}  // namespace weft::fabric
