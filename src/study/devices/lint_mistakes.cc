#include "study/devices/lint_mistakes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "study/devices/path_mtu.h"

namespace weft::study::devices {
namespace {

constexpr const char* kPlace = "lint";

using Values = std::vector<std::pair<std::string, std::string>>;

scenario::DeviceOverride override_of(std::string select, const Values& values) {
  scenario::DeviceOverride made{.select = std::move(select), .place = kPlace, .assignments = {}};
  for (const auto& [path, text] : values) {
    made.assignments.push_back({.path = path, .text = text, .place = kPlace});
  }
  return made;
}

Values with_group(const Values& values, std::size_t number) {
  Values made;
  for (const auto& [key, text] : values) {
    made.emplace_back(fmt::format("ethernet.priority.{}.{}", number, key), text);
  }
  return made;
}

Mistake at_places(std::vector<std::string> places, std::size_t number, const PortMistake& mistake) {
  if (mistake.mtu) {
    return small_mtu(*mistake.mtu);
  }
  if (mistake.values.empty() && !mistake.no_watchdog && mistake.speed == 0) {
    return {};
  }
  return [places = std::move(places), number, mistake](scenario::Scenario& made) {
    for (const std::string& place : places) {
      Values values = with_group(mistake.values, number);
      if (mistake.no_watchdog) {
        values.emplace_back("ethernet.watchdog_detect", "none");
      }
      if (mistake.speed > 0) {
        made.events.push_back({.at = Duration::zero(),
                               .select = place,
                               .action = scenario::EventAction::kDegrade,
                               .rate = Rate::bits_per_second(static_cast<std::int64_t>(mistake.speed) * 1'000'000)});
      }
      if (!values.empty()) {
        made.overrides.push_back(override_of(place, values));
      }
    }
  };
}

}  // namespace

PortMistake marks_mistake(const MarkSetting& mark) {
  return {.values = {{"ecn", "true"},
                     {"kmin", fmt::format("{} B", mark.kmin)},
                     {"kmax", fmt::format("{} B", mark.kmax)},
                     {"pmax", fmt::format("{}%", mark.percent)},
                     {"ecn_reference_rate", "none"}}};
}

PortMistake buffer_mistake(const BufferSetting& buffer) {
  // The scenario's alpha is from 1/128 to 128.
  const std::int64_t exponent = std::clamp<std::int64_t>(buffer.exponent, -7, 7);
  return {.values = {{"alpha", exponent < 0 ? fmt::format("1/{}", 1 << -exponent) : fmt::format("{}", 1 << exponent)},
                     {"reserve", fmt::format("{} B", buffer.reserve)},
                     {"xon_offset", fmt::format("{} B", buffer.xon_offset)},
                     {"ingress_limit", buffer.limit ? fmt::format("{} B", *buffer.limit) : "dynamic"}}};
}

Mistake at_ports(const std::string& device, const std::vector<std::uint64_t>& ports, std::size_t number,
                 const PortMistake& mistake) {
  std::vector<std::string> places;
  for (const std::uint64_t port : ports) {
    places.push_back(fmt::format("{}/port{}", device, port));
  }
  return at_places(std::move(places), number, mistake);
}

Mistake at_name(const std::string& name, std::size_t number, const PortMistake& mistake) {
  return at_places({name}, number, mistake);
}

Mistake wrong_class(const std::string& device, std::uint64_t wanted, std::uint64_t found) {
  if (wanted >= kClasses) {
    return {};
  }
  return [=](scenario::Scenario& made) {
    const scenario::PrioritySettings& terms = made.devices.ethernet.priorities[std::min<std::uint64_t>(found, 7)];
    made.overrides.push_back(override_of(device, with_group({{"lossless", terms.lossless ? "true" : "false"},
                                                             {"ecn", terms.ecn ? "true" : "false"},
                                                             {"weight", fmt::format("{}", terms.weight)}},
                                                            wanted)));
  };
}

Mistake small_buffer(const std::string& device, std::uint64_t bytes) {
  return [=](scenario::Scenario& made) {
    made.overrides.push_back(override_of(device, {{"switch.buffer", fmt::format("{} B", bytes)}}));
  };
}

Mistake watchdog_mistake(const std::string& device, const WatchdogSetting& watchdog) {
  return [=](scenario::Scenario& made) {
    made.overrides.push_back(override_of(
        device, {{"ethernet.watchdog_detect", fmt::format("{} ms", watchdog.detect)},
                 {"ethernet.watchdog_restore", fmt::format("{} ms", std::max<std::uint64_t>(watchdog.restore, 1))},
                 {"ethernet.watchdog_action", watchdog.drops ? "drop" : "forward"}}));
  };
}

Mistake link_down(const std::string& device, std::uint64_t port) {
  return [=](scenario::Scenario& made) {
    made.events.push_back({.at = Duration::zero(), .select = fmt::format("{}/port{}", device, port), .rate = {}});
  };
}

Mistake small_mtu(std::uint64_t mtu) {
  return [=](scenario::Scenario& made) {
    constexpr std::array<std::int64_t, 5> kPathMtus = {4096, 2048, 1024, 512, 256};
    for (const std::int64_t path : kPathMtus) {
      const bool fits = interface_mtu(made, Bytes(path)) <= mtu;
      if (path <= made.fabric.mtu && (fits || path == kPathMtus.back())) {
        made.fabric.mtu = path;
        return;
      }
    }
  };
}

}  // namespace weft::study::devices
