// RCCC from the settings of a scenario: credit of a NIC's Ultra Ethernet engine, and NSCC beside it.
#pragma once

#include <optional>

#include "base/probability.h"
#include "base/rate.h"
#include "base/time.h"
#include "fabric/topology/graph.h"
#include "study/assembly/congestion/congestion_control.h"
#include "transport/uet/endpoint_credits.h"

namespace weft::study::assembly {

/// The sender's half that stands beside credit: NSCC, or nothing.
[[nodiscard]] CongestionControls make_rccc(const CongestionContext& context);

/// Whether receivers follow the marks of the network's core.
[[nodiscard]] bool follows_core(const scenario::Scenario& scenario, const fabric::Graph& graph);

/// Of the line, that receivers that do so always grant.
[[nodiscard]] Probability least_of_core(const scenario::Scenario& scenario, const fabric::Graph& graph);

struct CreditSite {
  Rate line;                                // of the NIC
  Duration round_trip;                      // the longest of the idle network
  std::optional<Probability> core_least{};  // receivers follow the core; none: they do not
};
[[nodiscard]] transport::UetCredits uet_credits(const scenario::Scenario& scenario, const CreditSite& site);

}  // namespace weft::study::assembly
