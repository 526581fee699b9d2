// What the halves of UC and UD queue pairs share: the call environment and the counters.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "transport/flow_policies.h"
#include "transport/qp_core.h"

namespace weft::transport {

/// Packets and messages that vanished without an answer, as unreliable services let them, since the last RESET.
struct UnreliableCounters {
  std::uint32_t discarded = 0;          // packets: damaged, wrong service, wrong length, no message to belong to
  std::uint32_t pkey_violations = 0;    // packets of another partition
  std::uint32_t qkey_violations = 0;    // datagrams with another Q_Key
  std::uint32_t out_of_sequence = 0;    // packets whose PSN was not the expected one (UC)
  std::uint32_t access_violations = 0;  // WRITEs that the key, range or rights forbid (UC)
  std::uint32_t no_receive = 0;         // messages that found no receive request
  std::uint32_t dropped_messages = 0;   // messages refused, or begun and not finished
  std::uint32_t cnp_sent = 0;
  std::uint32_t cnp_handled = 0;
};

/// The environment of one call to a requester or responder.
struct UnreliableCall {
  const QpCore& core;
  const FlowPolicies& flow;
  verbs::PathMtu mtu;  // largest payload of a packet
  verbs::Context& context;
  UnreliableCounters& counters;
  Time now;

  [[nodiscard]] const verbs::QpAttributes& attributes() const { return core.attributes(); }
};

}  // namespace weft::transport
