// What requester and responder of a reliable connection share: the call's surroundings and the counters.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "transport/qp_core.h"
#include "transport/rc_options.h"

namespace weft::transport {

/// Rare events since creation, named after the hardware counters that Linux's RDMA drivers show.
struct RcCounters {
  std::uint32_t retransmitted_packets = 0;
  std::uint32_t local_ack_timeout_err = 0;  // ACK timeouts
  std::uint32_t packet_seq_err = 0;         // NAKs for a PSN sequence error, received
  std::uint32_t implied_nak_seq_err = 0;    // gaps in READ responses
  std::uint32_t rnr_nak_retry_err = 0;      // RNR NAKs received
  std::uint32_t out_of_sequence = 0;        // requests received ahead of the expected PSN
  std::uint32_t duplicate_request = 0;
  std::uint32_t bad_requests = 0;  // requests answered with a fatal NAK
  std::uint32_t discarded = 0;     // dropped without an answer: P_Key, service, stale or impossible PSN
  std::uint32_t cnp_sent = 0;
  std::uint32_t cnp_handled = 0;
};

/// Everything outside its own state that half an engine needs in one call.
struct RcCall {
  const QpCore& core;
  const RcOptions& options;
  verbs::Context& context;
  RcCounters& counters;
  Time now;

  [[nodiscard]] const verbs::QpAttributes& attributes() const { return core.attributes(); }
};

}  // namespace weft::transport
