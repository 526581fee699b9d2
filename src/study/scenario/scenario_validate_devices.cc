// Settings of devices that no device can have, wherever they were given.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "base/format_quantity.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"
#include "study/scenario/vl_tables.h"

namespace weft::study::scenario {
namespace {

std::optional<DeviceFault> link_fault(const DeviceSettings& devices) {
  constexpr std::array<std::string_view, kLinkTiers> kTiers = {"host", "leaf", "spine"};
  for (std::size_t tier = 0; tier < kLinkTiers; ++tier) {
    const auto rate = devices.links[tier].rate;
    const auto path = fmt::format("link.{}.rate", kTiers[tier]);
    if (rate > devices.switch_.port_rate) {
      return DeviceFault{path, fmt::format("{} is more than switch.port_rate, {}", rate, devices.switch_.port_rate)};
    }
    if (tier == 0 && rate > devices.nic.port_rate) {
      return DeviceFault{path, fmt::format("{} is more than nic.port_rate, {}", rate, devices.nic.port_rate)};
    }
  }
  return std::nullopt;
}

std::optional<DeviceFault> priority_fault(const DeviceSettings& devices) {
  for (std::size_t i = 0; i < devices.ethernet.priorities.size(); ++i) {
    const auto& priority = devices.ethernet.priorities[i];
    if (priority.kmin > priority.kmax) {
      return DeviceFault{fmt::format("ethernet.priority.{}.kmin", i),
                         fmt::format("{} is above kmax, {}", priority.kmin, priority.kmax)};
    }
    if (priority.credits && priority.lossless) {
      return DeviceFault{fmt::format("ethernet.priority.{}.credits", i),
                         "PFC (lossless) protects the priority already; leave one of the two out"};
    }
    if (priority.egress_limit && (priority.credits || priority.lossless)) {
      return DeviceFault{fmt::format("ethernet.priority.{}.egress_limit", i),
                         "is for lossy priorities; PFC and credits have their own limits"};
    }
  }
  const TrimmingSettings& trimming = devices.ethernet.trimming;
  if (trimming.enabled && devices.ethernet.priorities[static_cast<std::size_t>(trimming.priority)].credits) {
    return DeviceFault{
        "ethernet.trimming.priority",
        fmt::format("priority {} has credits, and trimmed packets come without; choose another", trimming.priority)};
  }
  return std::nullopt;
}

/// A VL that a service level uses and that no table serves: its packets would wait for ever.
std::optional<DeviceFault> unserved_lane(const InfinibandSettings& infiniband, const VlTables& tables) {
  constexpr std::int64_t kDropped = 15;
  std::set<std::int64_t> served;
  for (const std::vector<VlWeight>* const table : {&tables.high, &tables.low}) {
    for (const VlWeight& entry : *table) {
      if (entry.weight > 0) {
        served.insert(entry.vl);
      }
    }
  }
  for (std::size_t level = 0; level < 16 && infiniband.vls > 1; ++level) {
    const std::int64_t lane = infiniband.sl2vl.empty() ? static_cast<std::int64_t>(level) % infiniband.vls
                                                       : static_cast<std::int64_t>(infiniband.sl2vl[level]);
    if (lane == kDropped || served.contains(lane)) {
      continue;
    }
    const std::string path = !lists_vl_tables(infiniband)            ? fmt::format("infiniband.vl.{}.weight", lane)
                             : infiniband.vl_arbitration_low.empty() ? std::string("infiniband.vl_arbitration_high")
                                                                     : std::string("infiniband.vl_arbitration_low");
    return DeviceFault{path, fmt::format("service level {} goes to VL {}, which has no weight and would never send; "
                                         "give it 1 to 255, or the level another VL in infiniband.sl2vl",
                                         level, lane)};
  }
  return std::nullopt;
}

/// Weights of VLs that do not exist, weights beside listed tables, no weight at all.
std::optional<DeviceFault> vl_fault(const InfinibandSettings& infiniband) {
  const auto lanes = static_cast<std::size_t>(infiniband.vls);
  const std::span<const VlSettings> beyond = std::span(infiniband.vl).subspan(lanes);
  // Alike: what was said of all VLs, or of none.
  const bool all_beyond = std::ranges::adjacent_find(beyond, std::not_equal_to()) == beyond.end();
  for (std::size_t lane = 0; lane < infiniband.vl.size(); ++lane) {
    const VlSettings& own = infiniband.vl[lane];
    if (own == VlSettings()) {
      continue;
    }
    const std::string path =
        fmt::format("infiniband.vl.{}.{}", lane, own.weight == VlSettings::kUsualWeight ? "high_weight" : "weight");
    if (lane >= lanes && !all_beyond) {
      return DeviceFault{path, fmt::format("VL {} does not exist; 0 to {}", lane, infiniband.vls - 1)};
    }
    if (lists_vl_tables(infiniband)) {
      return DeviceFault{path, fmt::format("infiniband.vl_arbitration_{} lists the weights; give one or the other",
                                           infiniband.vl_arbitration_low.empty() ? "high" : "low")};
    }
  }
  const VlTables tables = vl_tables(infiniband);
  if (tables.high.empty() && tables.low.empty()) {
    return DeviceFault{"infiniband.vl.0.weight", "no VL has a weight; give one of them 1 to 255"};
  }
  return unserved_lane(infiniband, tables);
}

std::optional<DeviceFault> infiniband_fault(const InfinibandSettings& infiniband) {
  constexpr std::array<std::int64_t, 5> kVls = {1, 2, 4, 8, 15};
  if (std::ranges::find(kVls, infiniband.vls) == kVls.end()) {
    return DeviceFault{"infiniband.vls",
                       fmt::format("{} is no number of VLs; one of {}", infiniband.vls, fmt::join(kVls, ", "))};
  }
  if (!infiniband.sl2vl.empty() && infiniband.sl2vl.size() != 16) {
    return DeviceFault{"infiniband.sl2vl", fmt::format("{} entries; 16, or none", infiniband.sl2vl.size())};
  }
  for (const auto vl : infiniband.sl2vl) {
    if (vl >= infiniband.vls && vl != 15) {
      return DeviceFault{"infiniband.sl2vl",
                         fmt::format("VL {} does not exist; 0 to {}, or 15 = drop", vl, infiniband.vls - 1)};
    }
  }
  for (const auto* table : {&infiniband.vl_arbitration_high, &infiniband.vl_arbitration_low}) {
    const std::string path =
        table == &infiniband.vl_arbitration_high ? "infiniband.vl_arbitration_high" : "infiniband.vl_arbitration_low";
    if (table->size() > 64) {
      return DeviceFault{path, fmt::format("{} entries; at most 64", table->size())};
    }
    for (const auto entry : *table) {
      if (entry.vl >= infiniband.vls) {
        return DeviceFault{path, fmt::format("VL {} does not exist; 0 to {}", entry.vl, infiniband.vls - 1)};
      }
    }
  }
  return vl_fault(infiniband);
}

}  // namespace

std::optional<DeviceFault> device_fault(const DeviceSettings& devices) {
  if (auto fault = link_fault(devices)) {
    return fault;
  }
  if (auto fault = priority_fault(devices)) {
    return fault;
  }
  return infiniband_fault(devices.infiniband);
}

Result<void> validate_devices(const DeviceSettings& devices, std::string_view place) {
  const auto fault = device_fault(devices);
  return fault ? fail("{}: with this override, {}: {}", place, fault->path, fault->message) : Result<void>();
}

}  // namespace weft::study::scenario
