// The bill of materials of a network, and what running it costs.
//
// Counted from the topology: switches, NICs, and the optics and cables of its links. Hosts, GPUs, the links between
// GPUs and what is inside a switch are no part of it. A switch is whole however few of its ports are in use. A link is
// as long as its propagation takes at 5 ns per metre. Prices are those of the scenario, mostly of its catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::cost {

/// Like parts at one price.
struct BillLine {
  scenario::BillPart part = scenario::BillPart::kSwitch;
  std::string name;  // "quantum-2" of the catalogue, "infiniband 400g single-mode optic"
  std::int64_t count = 0;
  scenario::Money unit_price;
  scenario::Power unit_power;
  /// Of the price: the catalogue's mark, "given" by the scenario, or "not known".
  std::string_view mark;
  std::string source;  // of the price, as `weft show` says it
  bool owned = false;  // costs nothing more

  [[nodiscard]] scenario::Money price() const;
  [[nodiscard]] scenario::Power power() const;
};

struct Bill {
  std::vector<BillLine> lines;  // switches, NICs, optics, cables, each in the order of their names
  scenario::Money cost;         // of what is not owned
  scenario::Power power;        // of everything
  /// Over so many years; each of the three is absent where the scenario does not say enough.
  std::optional<std::int64_t> years;
  std::optional<scenario::Money> energy;
  std::optional<scenario::Money> upkeep;
  std::optional<scenario::Money> staff;
  /// Everything that should be in it and is not, each with the reason.
  std::vector<std::string> not_counted;

  /// Of them those that are about parts, not about running them over the years.
  [[nodiscard]] std::vector<std::string> parts_not_counted() const;
  /// Cost, and energy, upkeep and staff as far as they are counted.
  [[nodiscard]] scenario::Money total() const;
};

/// `graph` is that of the scenario (study/build_topology.h). Sums beyond 9 * 10^15 USD stay there.
[[nodiscard]] Bill bill_of(const scenario::Scenario& scenario, const fabric::Graph& graph);

/// "switch", "nic", "optic", "cable".
[[nodiscard]] std::string_view to_string(scenario::BillPart part);

}  // namespace weft::study::cost
