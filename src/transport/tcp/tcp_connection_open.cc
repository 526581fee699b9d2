#include <array>
#include <cstring>

#include "base/assert.h"
#include "base/stable_hash.h"
#include "transport/tcp/tcp_connection.h"

namespace weft::transport {

namespace {

/// f(seed, who sends to whom): both ends can compute both.
//= rfc9293 3.4.1
std::uint32_t initial_sequence(std::uint64_t seed, const TcpEnd& from, const TcpEnd& to) {
  std::array<std::uint32_t, 6> words{from.endpoint.value(), from.connection.value(), from.port,
                                     to.endpoint.value(),   to.connection.value(),   to.port};
  std::array<char, sizeof(words)> bytes{};
  std::size_t at = 0;
  for (const std::uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) {
      bytes[at++] = static_cast<char>((word >> shift) & 0xFFU);
    }
  }
  return static_cast<std::uint32_t>(stable_hash(seed, std::string_view(bytes.data(), bytes.size())));
}

}  // namespace

//= rfc9293 3.10.1
void TcpConnection::connect(Time) {
  WEFT_ASSERT(state_ == TcpState::kClosed);
  core_.sending.initial = initial_sequence(core_.options.seed, core_.identity.local, core_.identity.peer);
  sender_.queue_syn();
  state_ = TcpState::kSynSent;
  failure_ = TcpFailure::kNone;
}

void TcpConnection::listen() {
  WEFT_ASSERT(state_ == TcpState::kClosed);
  state_ = TcpState::kListen;
  passive_ = true;
  failure_ = TcpFailure::kNone;
}

void TcpConnection::establish(Time now) {
  WEFT_ASSERT(state_ == TcpState::kClosed);
  const TcpIdentity& identity = core_.identity;
  const TcpOptions& options = core_.options;
  core_.sending.initial = initial_sequence(options.seed, identity.local, identity.peer);
  core_.receiving.initial = initial_sequence(options.seed, identity.peer, identity.local);
  core_.agreed = {.peer_mss = options.mss,
                  .send_scale = options.window_scaling ? core_.offered_scale() : std::uint8_t{0},
                  .receive_scale = options.window_scaling ? core_.offered_scale() : std::uint8_t{0},
                  .timestamps = options.timestamps,
                  .sack = options.selective_acks,
                  .scaling = options.window_scaling,
                  .ecn = options.ecn};
  core_.update_room();
  receiver_.establish(core_, now);
  sender_.open(core_, 1 + TcpReceiver::first_window(core_));
  state_ = TcpState::kEstablished;
  failure_ = TcpFailure::kNone;
  sender_.write(core_, 0, now);
}

//= rfc9293 3.10.7.1
void TcpConnection::send_reset_for(const wire::Packet& packet) {
  const wire::TcpHeader& header = packet.tcp;
  if (header.has(wire::kTcpRst)) {
    return;
  }
  if (header.has(wire::kTcpAck)) {
    queue_reset(header.acknowledgement, 0, wire::kTcpRst);
    return;
  }
  const std::uint32_t length =
      packet.common.payload_bytes + (header.has(wire::kTcpSyn) ? 1U : 0U) + (header.has(wire::kTcpFin) ? 1U : 0U);
  queue_reset(0, header.sequence + length, wire::kTcpRst | wire::kTcpAck);
}

//= rfc9293 3.10.7.2
void TcpConnection::on_segment_in_listen(const wire::Packet& packet, Time now) {
  const wire::TcpHeader& header = packet.tcp;
  if (header.has(wire::kTcpRst)) {
    return;
  }
  if (header.has(wire::kTcpAck)) {
    queue_reset(header.acknowledgement, 0, wire::kTcpRst);
    return;
  }
  if (!header.has(wire::kTcpSyn)) {
    return;
  }
  core_.identity.peer.port = header.source_port;
  core_.sending.initial = initial_sequence(core_.options.seed, core_.identity.local, core_.identity.peer);
  take_syn(header, now);
  sender_.queue_syn();
  state_ = TcpState::kSynReceived;
}

//= rfc9293 3.10.7.3
void TcpConnection::on_segment_in_syn_sent(const wire::Packet& packet, Time now) {
  const wire::TcpHeader& header = packet.tcp;
  const TcpSequence acknowledged = core_.sending.from_wire(header.acknowledgement, sender_.una());
  const bool acks = header.has(wire::kTcpAck);
  const bool acks_syn = acks && acknowledged == 1 && sender_.next() == 1;
  if (acks && !acks_syn) {
    if (!header.has(wire::kTcpRst)) {
      queue_reset(header.acknowledgement, 0, wire::kTcpRst);
    }
    return;
  }
  if (header.has(wire::kTcpRst)) {
    if (acks_syn) {
      end(TcpFailure::kRefused);
    }
    return;
  }
  if (!header.has(wire::kTcpSyn)) {
    return;
  }
  take_syn(header, now);
  if (acks_syn) {
    become_established(header, now);
    receiver_.acknowledge_now();
  } else {
    // Both ends open at the same time: the SYN goes out again, with the acknowledgement.
    sender_.queue_syn();
    state_ = TcpState::kSynReceived;
  }
}

void TcpConnection::take_syn(const wire::TcpHeader& header, Time now) {
  WEFT_DCHECK(receiver_.next() == 1);  // numbers of the peer count from here
  core_.receiving.initial = header.sequence;
  agree(header);
  receiver_.start(header.timestamp, now);
}

/// An option holds if both ends send it.
void TcpConnection::agree(const wire::TcpHeader& syn) {
  const TcpOptions& options = core_.options;
  TcpNegotiated& agreed = core_.agreed;
  constexpr std::uint16_t kMinMss = 64;
  //= rfc9293 3.7.1
  agreed.peer_mss = syn.mss == 0 ? TcpNegotiated().peer_mss : std::max(syn.mss, kMinMss);
  //= rfc7323 3.2
  agreed.timestamps = options.timestamps && syn.has(wire::kTcpHasTimestamps);
  //= rfc2018 2
  agreed.sack = options.selective_acks && syn.has(wire::kTcpSackPermitted);
  //= rfc7323 2.2
  agreed.scaling = options.window_scaling && syn.has(wire::kTcpHasWindowScale);
  agreed.send_scale = agreed.scaling ? syn.window_scale : std::uint8_t{0};
  agreed.receive_scale = agreed.scaling ? core_.offered_scale() : std::uint8_t{0};
  //= rfc3168 6.1.1
  const bool asks = syn.has(wire::kTcpEce);
  const bool consistent = syn.has(wire::kTcpAck) != syn.has(wire::kTcpCwr);
  agreed.ecn = asks && consistent ? options.ecn : TcpEcn::kOff;
  core_.update_room();
}

/// Returns whether the rest of the segment counts.
bool TcpConnection::on_ack_in_syn_received(const wire::Packet& packet, const Segment& segment, Time now) {
  if (segment.acknowledged != 1 || sender_.next() != 1) {
    queue_reset(packet.tcp.acknowledgement, 0, wire::kTcpRst);
    return false;
  }
  if (packet.tcp.has(wire::kTcpSyn)) {
    receiver_.acknowledge_now();
  }
  become_established(packet.tcp, now);
  return true;
}

/// The acknowledgement of the SYN.
void TcpConnection::become_established(const wire::TcpHeader& header, Time now) {
  WEFT_DCHECK(state_ == TcpState::kSynSent || state_ == TcpState::kSynReceived);
  const std::uint8_t scale = header.has(wire::kTcpSyn) ? std::uint8_t{0} : core_.agreed.send_scale;
  const std::int64_t window = static_cast<std::int64_t>(header.window) << scale;
  TcpAck ack;
  ack.sequence = header.has(wire::kTcpSyn) ? 0 : 1;
  ack.acknowledged = 1;
  ack.window = window;
  ack.echo = header.timestamp_echo;
  ack.has_echo = core_.agreed.timestamps && header.has(wire::kTcpHasTimestamps);
  sender_.on_ack(core_, ack, now);
  state_ = TcpState::kEstablished;
  sender_.open(core_, 1 + window);
  if (close_waits_) {
    begin_close(now);
  } else {
    sender_.write(core_, 0, now);
  }
}

}  // namespace weft::transport
