// Receive buffers of NICs as flow control sees them: what fills them before the peer is paused, and what may come
// after.
//
// With PFC a NIC does as Linux sets NICs up (mlx5, port_buffer.c): XOFF leaves the headroom of the cable free, and XON
// lies a frame below. The headroom is that of a switch at the same cable, with the packet that asks for the pause and
// one that the NIC may begin meanwhile. With credits, those of the port's own buffer come back when the receive buffer
// has taken what they were for.
#pragma once

#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "fabric/topology/graph.h"
#include "host/path/rdma_path.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Per endpoint of hosts; without lanes where the host has no stages, or nothing protects what comes in. Empty where
/// that is all of them. Errors: a buffer that cannot hold its headroom.
[[nodiscard]] Result<std::vector<host::ReceiveFlowControl>> receive_flow_control(const scenario::Scenario& scenario,
                                                                                 const fabric::Graph& graph);

}  // namespace weft::study::assembly
