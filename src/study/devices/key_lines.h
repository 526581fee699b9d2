// Which key of a scenario became which line of a configuration, and which could not be said.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_lines.h"
#include "fabric/topology/graph.h"
#include "study/devices/device_config.h"
#include "study/scenario/scenario.h"

namespace weft::study::devices {

struct KeyLine {
  std::string key{};  // "ethernet.priority.3.kmin"
  std::string value{};
  std::string line{};  // "WRED_PROFILE|NAME|green_min_threshold"; empty: it has no counterpart
  std::string note{};  // why not, or what is not verified
};

/// Whether a key is one of a pattern, in which "#" stands for what is between two dots: "link.host.rate" of
/// "link.#.rate", and "link.rate", which says it of all.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view key);
/// Every value that matters in the scenario, in the order of the reference. `syntax` kOpensm means its three files.
[[nodiscard]] std::vector<KeyLine> key_lines(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                             Syntax syntax);

/// Those with a line, those that a device cannot say, and the others by their reason.
[[nodiscard]] std::string key_lines_text(const std::vector<KeyLine>& rows, const std::vector<std::string>& rounded,
                                         LineWidth width = {});
/// {"lines": [{"key", "value", "line", "note"}], "without": [{"key", "value", "reason"}], "rounded": [text]}.
[[nodiscard]] nlohmann::ordered_json key_lines_json(const std::vector<KeyLine>& rows,
                                                    const std::vector<std::string>& rounded);

}  // namespace weft::study::devices
