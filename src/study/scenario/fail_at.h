// Errors about a value of a resolved scenario: the place that it came from, its path, and what is wrong.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

#include "base/result.h"
#include "study/scenario/scenario_validate.h"

namespace weft::study::scenario {

template <class... Args>
tl::unexpected<Error> fail_at(const Scenario& scenario, const std::string& path, fmt::format_string<Args...> format,
                              Args&&... args) {
  const auto message = fmt::format(format, std::forward<Args>(args)...);
  return fail("{}: {}: {}", source_place(scenario, path), path, message);
}

}  // namespace weft::study::scenario
