// Mistakes of configurations, made in a plan's scenario: overrides of the devices and ports that have them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/devices/device_config.h"
#include "study/scenario/scenario.h"

namespace weft::study::devices {

using Mistake = std::function<void(scenario::Scenario&)>;

/// Of one class at ports, or of the ports.
struct PortMistake {
  /// Keys of `ethernet.priority.N`, as "lossless", "false".
  std::vector<std::pair<std::string, std::string>> values{};
  bool no_watchdog = false;
  std::optional<std::uint64_t> mtu{};
  std::uint64_t speed = 0;  // Mb/s; 0: right
};

[[nodiscard]] PortMistake marks_mistake(const MarkSetting& mark);
[[nodiscard]] PortMistake buffer_mistake(const BufferSetting& buffer);

/// At ports of a switch by number. Empty where nothing can be simulated.
[[nodiscard]] Mistake at_ports(const std::string& device, const std::vector<std::uint64_t>& ports, std::size_t number,
                               const PortMistake& mistake);
/// A device or port by its name.
[[nodiscard]] Mistake at_name(const std::string& name, std::size_t number, const PortMistake& mistake);
/// Packets of one class have the terms of another on this device: pauses, marks, weight.
[[nodiscard]] Mistake wrong_class(const std::string& device, std::uint64_t wanted, std::uint64_t found);
[[nodiscard]] Mistake small_buffer(const std::string& device, std::uint64_t bytes);
[[nodiscard]] Mistake watchdog_mistake(const std::string& device, const WatchdogSetting& watchdog);
/// No traffic over the cable of this port.
[[nodiscard]] Mistake link_down(const std::string& device, std::uint64_t port);
/// What small_mtu() takes for granted.
inline constexpr const char* kPathMtuFits =
    "if hosts use a path MTU that fits; else nothing passes but packets that are short enough";
/// All hosts send packets that fit into this MTU of IP.
[[nodiscard]] Mistake small_mtu(std::uint64_t mtu);

}  // namespace weft::study::devices
