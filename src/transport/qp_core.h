// What every queue pair engine keeps besides its protocol state: identity, creation and current attributes, and how it
// reports completions.
//
// An engine is driven through one set of functions, the same for RC, UC and UD (design: pulled, sans-I/O):
//   modify, post_send, post_recv          from the program
//   on_packet, on_timeout                 from the carrier of packets and the keeper of time
//   poll_transmit                         fills one packet if the engine may send one now
//   next_transmit, next_timeout           when to ask again: past = at once, Time::never() = only after other input
// Early and spurious calls do nothing. `context` gives the device's verbs tables and must always be the same one.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "base/assert.h"
#include "base/time.h"
#include "verbs/completion.h"
#include "verbs/context.h"
#include "verbs/queue_pair.h"
#include "verbs/work_request.h"
#include "wire/encapsulation.h"
#include "wire/packet.h"

namespace weft::transport {

//= ibta-1.7 9.7.4
inline constexpr std::uint32_t kMaxMessageBytes = 1U << 31;

/// Who a queue pair is on the fabric, and how its packets are wrapped.
struct QpIdentity {
  Qpn qpn;
  EndpointId endpoint;
  wire::Encapsulation encapsulation = wire::Encapsulation::kRoceV2Ipv4;
};

class QpCore {
 public:
  QpCore(const QpIdentity& identity, const verbs::QpInitAttributes& init);

  [[nodiscard]] QpIdentity identity() const {
    return {.qpn = qpn_, .endpoint = template_.source, .encapsulation = template_.encapsulation};
  }
  [[nodiscard]] const verbs::QpInitAttributes& init() const { return init_; }
  [[nodiscard]] const verbs::QpAttributes& attributes() const { return attributes_; }
  [[nodiscard]] verbs::QpState state() const { return state_; }
  void set_state(verbs::QpState state) { state_ = state; }

  /// Checks the modification and takes over the attributes that the mask names; the state is left to the engine.
  [[nodiscard]] Result<void> apply(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask);

  [[nodiscard]] bool may_receive() const {
    return in({verbs::QpState::kRtr, verbs::QpState::kRts, verbs::QpState::kSqd, verbs::QpState::kSqe});
  }
  [[nodiscard]] bool may_request() const { return in({verbs::QpState::kRts, verbs::QpState::kSqd}); }

  /// Checks a send request against the limits the queue pair was created with.
  [[nodiscard]] Result<void> check_send(const verbs::SendWr& request, std::size_t queued) const;

  /// Pushes to the send or receive completion queue. A full queue raises kCqErr and returns false: the engine must
  /// then go to ERR.
  bool complete_send(const verbs::WorkCompletion& completion, verbs::Context& context) const;
  bool complete_recv(const verbs::WorkCompletion& completion, verbs::Context& context) const;

  /// Fills the common record of an outgoing packet and the fields of the base header that never change. The caller
  /// then sets opcode, PSN and flags, and calls `set_payload`.
  void start_packet(wire::Packet& packet) const {
    packet.common = template_;
    std::memset(static_cast<void*>(&packet.ib), 0, sizeof(packet.ib));  // faster than a value of its own
    packet.ib.partition_key = attributes_.partition_key;
    packet.ib.destination_qp = attributes_.destination_qpn.value();
  }

 private:
  [[nodiscard]] constexpr bool in(std::initializer_list<verbs::QpState> states) const {
    unsigned mask = 0;
    for (const verbs::QpState state : states) {
      mask |= 1U << static_cast<unsigned>(state);
    }
    return ((mask >> static_cast<unsigned>(state_)) & 1U) != 0;
  }

  // Of every outgoing packet, sizes left open: copied whole, which is cheaper than one field after another.
  wire::PacketCommon template_;
  Qpn qpn_;
  verbs::QpInitAttributes init_;
  verbs::QpAttributes attributes_;
  verbs::QpState state_ = verbs::QpState::kReset;
};

[[nodiscard]] constexpr bool is_infiniband(wire::Encapsulation encapsulation) {
  return encapsulation == wire::Encapsulation::kIbLocal || encapsulation == wire::Encapsulation::kIbGlobal;
}

/// Where a packet goes and how it is treated on the way: by service level on InfiniBand, by traffic class elsewhere.
/// The encapsulation must be set.
void set_address(wire::PacketCommon& common, const verbs::AddressVector& address);

/// Sets payload, frame and wire bytes; encapsulation and opcode must be set.
inline void set_payload(wire::Packet& packet, std::uint32_t payload_bytes) {
  WEFT_DCHECK(payload_bytes <= static_cast<std::uint32_t>(verbs::kLargestPathMtu.count()));
  packet.common.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
  wire::set_sizes(packet.common, packet.ib.opcode);
}

}  // namespace weft::transport
