// What the tests of configurations share: two leaves and two spines with BGP, and the plan of them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "study/assembly/build_topology.h"
#include "study/devices/config_file.h"
#include "study/devices/describe.h"
#include "study/devices/lint.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::devices {

inline constexpr std::string_view kRoce = R"([fabric]
family = "rocev2"
nic = "connectx-7"
[topology]
kind = "leaf-spine"
hosts = 8
hosts_per_leaf = 4
spines = 2
[nic]
port_rate = "100 Gbps"
[ethernet]
watchdog_detect = "200 ms"
[control]
kind = "bgp"
[[traffic]]
kind = "incast"
size = "1 MB"
)";

inline constexpr std::string_view kInfiniBand = R"([fabric]
family = "infiniband"
[topology]
kind = "single-switch"
hosts = 4
[infiniband]
vls = 4
[[traffic]]
kind = "incast"
size = "100 kB"
)";

struct TestNetwork {
  scenario::Scenario scenario;
  fabric::Graph graph;

  explicit TestNetwork(std::string_view text)
      : scenario(scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                          scenario::test_catalogue())
                     .value()),
        graph(assembly::build_topology(scenario).value()) {}

  [[nodiscard]] LintPlan plan() const { return {.scenario = scenario, .graph = graph}; }

  [[nodiscard]] std::vector<DeviceConfig> described(Syntax syntax) const {
    return (is_switch(syntax)        ? describe_switches(scenario, graph, syntax)
            : syntax == Syntax::kNic ? describe_nics(scenario, graph)
                                     : describe_manager(scenario, graph))
        .value()
        .devices;
  }
};

/// The first occurrence replaced; the text must be there.
[[nodiscard]] inline std::string with(std::string text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);  // of an empty text: the beginning
  WEFT_ASSERT(at != std::string::npos);
  return text.replace(at, before.size(), after);
}

/// All configurations of the plan as read, but that of `device` with a change.
[[nodiscard]] inline std::vector<DeviceConfig> changed(const TestNetwork& network, Syntax syntax,
                                                       const std::string& device, std::string_view before,
                                                       std::string_view after) {
  std::vector<DeviceConfig> made;
  for (const DeviceConfig& one : network.described(syntax)) {
    std::string text = config_text(one);
    if (one.name == device) {
      text = with(std::move(text), before, after);
    }
    const std::string name = file_name_of(one);
    made.push_back(read_config({.text = text, .name = name}).value());
  }
  return made;
}

}  // namespace weft::study::devices
