// What a scenario says of TCP, as options of the engines over streams.
#pragma once

#include "base/time.h"
#include "host/nic_options.h"
#include "study/scenario/scenario.h"
#include "transport/stream/stream_types.h"

namespace weft::study::assembly {

/// Makes the congestion control of a connection.
[[nodiscard]] host::MakeTcpControl tcp_control(scenario::TcpAlgorithm algorithm);

/// The part that all services over TCP share; the smallest retransmission timeout is that of the service.
[[nodiscard]] transport::StreamOptions stream_options(const scenario::Scenario& scenario, Duration minimum_rto);

}  // namespace weft::study::assembly
