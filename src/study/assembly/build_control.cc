#include "study/assembly/build_control.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/nearest_word.h"
#include "fabric/fabric.h"
#include "study/scenario/fail_at.h"

namespace weft::study::assembly {
namespace {

constexpr const char* kSwapKey = "control.swapped_cables";

/// Where a cable is plugged into a port.
struct PluggedEnd {
  std::uint32_t link = 0;
  bool is_b = false;
};

std::optional<PluggedEnd> find_port(const fabric::Graph& graph, const std::string& name) {
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    if (fabric::port_name(graph, graph.links[i].a) == name) {
      return PluggedEnd{.link = i, .is_b = false};
    }
    if (fabric::port_name(graph, graph.links[i].b) == name) {
      return PluggedEnd{.link = i, .is_b = true};
    }
  }
  return std::nullopt;
}

/// The two ports of an entry.
Result<std::pair<PluggedEnd, PluggedEnd>> ends_of(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                                  const std::string& entry) {
  const std::size_t space = entry.find(' ');
  if (space == std::string::npos || entry.find(' ', space + 1) != std::string::npos) {
    return scenario::fail_at(scenario, kSwapKey, "'{}' must be two ports, as in \"leaf0/port4 leaf1/port5\"", entry);
  }
  const std::string names[2] = {entry.substr(0, space), entry.substr(space + 1)};
  PluggedEnd ends[2];
  for (int i = 0; i < 2; ++i) {
    const std::optional<PluggedEnd> found = find_port(graph, names[i]);
    if (!found) {
      return scenario::fail_at(
          scenario, kSwapKey, "there is no port '{}'; ports of switches are named as in \"leaf0/port4\", see weft show",
          names[i]);
    }
    ends[i] = *found;
    const fabric::Link& link = graph.links[found->link];
    if (link.a.node.value() < graph.endpoints || link.b.node.value() < graph.endpoints) {
      return scenario::fail_at(scenario, kSwapKey,
                               "the cable of '{}' leads to a host; name ports of cables between switches", names[i]);
    }
  }
  const fabric::Link& first = graph.links[ends[0].link];
  const fabric::Link& second = graph.links[ends[1].link];
  if (ends[0].link == ends[1].link || ends[0].is_b != ends[1].is_b) {
    return scenario::fail_at(scenario, kSwapKey,
                             "'{}' must be ports at the same side of two cables, as two leaves or two spines", entry);
  }
  if (first.a.node == second.b.node || second.a.node == first.b.node) {
    return scenario::fail_at(scenario, kSwapKey, "'{}' would join a switch to itself", entry);
  }
  return std::pair(ends[0], ends[1]);
}

}  // namespace

Result<void> swap_cables(const scenario::Scenario& scenario, fabric::Graph& graph) {
  std::set<std::uint32_t> moved;
  for (const std::string& entry : scenario.control.swapped_cables) {
    const auto ends = ends_of(scenario, graph, entry);
    if (!ends) {
      return tl::unexpected<Error>(ends.error());
    }
    if (!moved.insert(ends->first.link).second || !moved.insert(ends->second.link).second) {
      return scenario::fail_at(scenario, kSwapKey, "'{}': a cable is exchanged twice; name each once", entry);
    }
    // The same cables result whichever side they are exchanged at.
    std::swap(graph.links[ends->first.link].b, graph.links[ends->second.link].b);
  }
  return {};
}

Result<fabric::ControlOptions> control_options(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const scenario::ControlSettings& own = scenario.control;
  fabric::ControlOptions options{.as_numbering = own.as_numbers,
                                 .start = own.start,
                                 .hold_time = own.hold_time,
                                 .connect_retry = own.connect_retry,
                                 .mrai = own.mrai,
                                 .processing_time = own.processing_time,
                                 .has_signal = own.loss_of_signal,
                                 .signal_delay = own.signal_delay,
                                 .has_bfd = own.bfd,
                                 .bfd_interval = own.bfd_interval,
                                 .bfd_multiplier = static_cast<std::uint8_t>(own.bfd_multiplier),
                                 .fib_unit = own.fib_unit,
                                 .fib_time = own.fib_time,
                                 .local_repair = own.local_repair,
                                 .drain_lead = own.drain_lead,
                                 .drain = own.drain,
                                 .has_lldp = own.lldp,
                                 .lldp_interval = own.lldp_interval,
                                 .priority = static_cast<std::uint8_t>(own.priority)};
  for (const std::string& entry : own.swapped_cables) {
    const auto ends = ends_of(scenario, graph, entry);
    if (!ends) {
      return tl::unexpected<Error>(ends.error());
    }
    options.swaps.push_back(
        {.first = fabric::LinkIndex(ends->first.link), .second = fabric::LinkIndex(ends->second.link)});
  }
  return options;
}

}  // namespace weft::study::assembly
