// What ports take for settings that a scenario leaves to rate, cable and frame size: headroom, replay buffers, credits,
// pause response times. As the fabrics work it out themselves, from the same options, without a fabric.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/data_size.h"
#include "base/result.h"
#include "base/time.h"
#include "fabric/ethernet/options.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Of several ports.
template <class Quantity>
struct Spread {
  Quantity least{};
  Quantity most{};
};
template <class Quantity>
void add_to(std::optional<Spread<Quantity>>& spread, Quantity value) {
  spread = spread ? Spread<Quantity>{std::min(spread->least, value), std::max(spread->most, value)}
                  : Spread<Quantity>{value, value};
}

/// Of the ports that leave the value open; none: no port does, or none has what it is for.
struct PortNeeds {
  std::optional<Spread<Duration>> pause_response{};
  std::optional<Spread<Bytes>> headroom{};          // of lossless priorities of switches
  std::optional<Spread<Bytes>> receive_headroom{};  // of NICs, with hosts that have stages
  std::optional<Spread<Bytes>> xon_offset{};        // of the same: a frame
  std::optional<Spread<Bytes>> replay_buffer{};     // of links with LLR
  std::optional<Spread<Bytes>> credit_buffer{};     // of priorities with CBFC
  std::optional<Spread<Bytes>> credit_threshold{};  // of InfiniBand, per lane
};

/// Errors: those of the fabric's options.
[[nodiscard]] Result<PortNeeds> port_needs(const scenario::Scenario& scenario, const fabric::Graph& graph);

/// One end of a cable.
struct CableEnd {
  std::size_t link = 0;  // of the graph's
  std::size_t side = 0;  // 0: its `a`, 1: its `b`
};
/// Headroom of a lossless priority of this port of a switch, if nothing is given: what arrives after a pause.
[[nodiscard]] Bytes headroom_needed(const fabric::EthernetOptions& options, const fabric::Graph& graph,
                                    const CableEnd& end);
/// The same of an endpoint's receive buffer, in which the packet that asks for the pause counts, and one that its NIC
/// may begin before the pause frame.
[[nodiscard]] Bytes receive_headroom_needed(const fabric::EthernetOptions& options, const fabric::Graph& graph,
                                            const CableEnd& end);

}  // namespace weft::study::assembly
