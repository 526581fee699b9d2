// What requester and responder of a reliable connection share: the call environment and the counters.
#pragma once

#include <cstdint>
#include <memory>

#include "base/time.h"
#include "transport/qp_core.h"
#include "transport/rc_options.h"
#include "wire/telemetry.h"

namespace weft::transport {

/// Rare events since creation, named after the hardware counters that Linux's RDMA drivers show.
struct RcCounters {
  std::uint32_t retransmitted_packets = 0;
  std::uint32_t local_ack_timeout_err = 0;  // ACK timeouts
  std::uint32_t packet_seq_err = 0;         // NAKs for a PSN sequence error, received
  std::uint32_t implied_nak_seq_err = 0;    // gaps in READ responses
  std::uint32_t rnr_nak_retry_err = 0;      // RNR NAKs received
  std::uint32_t out_of_sequence = 0;        // requests received ahead of the expected PSN
  std::uint32_t out_of_tracking = 0;        // of these, beyond what the responder can keep track of
  std::uint32_t duplicate_request = 0;
  std::uint32_t bad_requests = 0;  // requests answered with a fatal NAK
  std::uint32_t discarded = 0;     // dropped without an answer: P_Key, service, stale or impossible PSN
  std::uint32_t cnp_sent = 0;
  std::uint32_t cnp_handled = 0;

  RcCounters& operator+=(const RcCounters& other) {
    retransmitted_packets += other.retransmitted_packets;
    local_ack_timeout_err += other.local_ack_timeout_err;
    packet_seq_err += other.packet_seq_err;
    implied_nak_seq_err += other.implied_nak_seq_err;
    rnr_nak_retry_err += other.rnr_nak_retry_err;
    out_of_sequence += other.out_of_sequence;
    out_of_tracking += other.out_of_tracking;
    duplicate_request += other.duplicate_request;
    bad_requests += other.bad_requests;
    discarded += other.discarded;
    cnp_sent += other.cnp_sent;
    cnp_handled += other.cnp_handled;
    return *this;
  }
};

/// What both halves of a reliable queue pair share.
struct RcCore : QpCore {
  RcCore(const QpIdentity& identity, const verbs::QpInitAttributes& init, const RcOptions& chosen)
      : QpCore(identity, init), options(chosen) {}

  /// Rarely needed state, allocated on first use.
  struct ColdState {
    RcCounters counters;
    wire::Telemetry received;                 // of the data packet that came last, to be returned
    const wire::Telemetry* echoed = nullptr;  // of the answer being processed
  };
  [[nodiscard]] ColdState& cold_state() {
    if (cold_state_ == nullptr) {
      cold_state_ = std::make_unique<ColdState>();
    }
    return *cold_state_;
  }
  [[nodiscard]] RcCounters& count() { return cold_state().counters; }
  [[nodiscard]] RcCounters counters() const { return cold_state_ == nullptr ? RcCounters{} : cold_state_->counters; }
  [[nodiscard]] const wire::Telemetry* echoed_telemetry() const {
    return cold_state_ == nullptr ? nullptr : cold_state_->echoed;
  }
  void clear_counters() { cold_state_.reset(); }
  [[nodiscard]] std::size_t heap_bytes() const { return cold_state_ == nullptr ? 0 : sizeof(ColdState); }

  // Of the queue pair; here they fill the gap behind QpCore.
  bool request_turn = false;  // requests and READ data take turns
  bool drain_reported = false;
  bool established = false;
  RcOptions options;

 private:
  std::unique_ptr<ColdState> cold_state_;
};

/// The environment of one call to a requester or responder.
struct RcCall {
  RcCore& core;
  verbs::Context& context;
  Time now;

  [[nodiscard]] const verbs::QpAttributes& attributes() const { return core.attributes(); }
  [[nodiscard]] const RcOptions& options() const { return core.options; }
  [[nodiscard]] RcCounters& counters() const { return core.count(); }
};

}  // namespace weft::transport
