#include "study/devices/device_config.h"

#include <fmt/core.h>

#include <algorithm>

namespace weft::study::devices {

const char* to_string(Syntax syntax) {
  switch (syntax) {
    case Syntax::kSonic:
      return "sonic";
    case Syntax::kNvue:
      return "nvue";
    case Syntax::kEos:
      return "eos";
    case Syntax::kNic:
      return "nic";
    case Syntax::kOpensm:
      return "opensm.conf";
    case Syntax::kPartitions:
      return "partitions.conf";
    case Syntax::kQosPolicy:
      break;
  }
  return "QoS policy";
}

std::string DeviceConfig::where(const std::string& item) const {
  std::string key = item;
  while (!key.empty()) {
    if (const auto found = places.find(key); found != places.end()) {
      return found->second;
    }
    const std::size_t dot = key.rfind('.');
    key = dot == std::string::npos ? "" : key.substr(0, dot);
  }
  return file.empty() ? name : file;
}

bool has_placeholder(const SwitchSetting& device) {
  return std::ranges::any_of(device.neighbours,
                             [](const NeighbourSetting& one) { return one.password == kPasswordPlaceholder; });
}

std::string port_label(Syntax syntax, std::uint64_t number) {
  constexpr std::uint64_t kSonicLanes = 8;
  switch (syntax) {
    case Syntax::kNvue:
      return fmt::format("swp{}", number + 1);
    case Syntax::kEos:
      return fmt::format("Ethernet{}/1", number + 1);
    default:
      return fmt::format("Ethernet{}", number * kSonicLanes);
  }
}

std::string item_of(const PortSetting& port, std::size_t number, const char* what) {
  return fmt::format("port.{}.class.{}.{}", port.number, number, what);
}

}  // namespace weft::study::devices
