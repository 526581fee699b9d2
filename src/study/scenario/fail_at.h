// Errors about a value of a resolved scenario: the place that it came from, its path, and what is wrong.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "study/scenario/scenario_validate.h"

namespace weft::study::scenario {

/// "incast.toml:7:9: topology.hosts"; of a key from the command line, "--set topology.hosts", which is its place.
[[nodiscard]] inline std::string key_at(std::string_view place, std::string_view path) {
  const std::string setting = fmt::format("--set {}", path);
  return place == setting ? setting : fmt::format("{}: {}", place, path);
}

template <class... Args>
tl::unexpected<Error> fail_at(const Scenario& scenario, const std::string& path, fmt::format_string<Args...> format,
                              Args&&... args) {
  const auto message = fmt::format(format, std::forward<Args>(args)...);
  return fail("{}: {}", key_at(source_place(scenario, path), path), message);
}

}  // namespace weft::study::scenario
