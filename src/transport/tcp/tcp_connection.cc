#include "transport/tcp/tcp_connection.h"

#include "base/assert.h"

namespace weft::transport {

namespace {

std::uint32_t payload_of(const wire::Packet& packet) { return packet.common.payload_bytes; }

TcpSequence numbers_of(const wire::TcpHeader& header) {
  return (header.has(wire::kTcpSyn) ? 1 : 0) + (header.has(wire::kTcpFin) ? 1 : 0);
}

}  // namespace

TcpConnection::TcpConnection(const TcpIdentity& identity, const TcpOptions& options, TcpStreamUser& user) {
  WEFT_ASSERT(options.mss >= 64 && options.mss <= 9216);
  WEFT_ASSERT(options.receive_buffer >= Bytes(options.mss) && options.receive_buffer < Bytes(1 << 30));
  WEFT_ASSERT(options.minimum_rto > Duration::zero() && options.timestamp_unit > Duration::zero());
  WEFT_ASSERT(options.max_segments > 0 && options.delayed_ack.every > 0);
  core_.options = options;
  core_.identity = identity;
  core_.user = &user;
  WEFT_ASSERT(wire::is_tcp(options.encapsulation));
  WEFT_ASSERT(options.plb == nullptr || options.encapsulation == wire::Encapsulation::kTcpIpv6);
  core_.entropy = options.plb != nullptr ? options.plb->label() : identity.local.port;
  core_.update_room();
  sender_.start(core_);
}

void TcpConnection::write(std::uint64_t length, Time now) {
  WEFT_ASSERT(!sender_.fin_queued() && !close_waits_);
  sender_.write(core_, length, now);
}

void TcpConnection::consume(std::uint64_t length, Time) {
  WEFT_ASSERT(receiver_.consumed() + length <= receiver_.arrived());
  receiver_.consume(core_, length);
}

//= rfc9293 3.10.4
void TcpConnection::close(Time now) {
  switch (state_) {
    case TcpState::kClosed:
      return;
    case TcpState::kListen:
      end(TcpFailure::kNone);
      return;
    case TcpState::kSynSent:
    case TcpState::kSynReceived:
      close_waits_ = true;
      return;
    case TcpState::kEstablished:
    case TcpState::kCloseWait:
      begin_close(now);
      return;
    case TcpState::kFinWait1:
    case TcpState::kFinWait2:
    case TcpState::kClosing:
    case TcpState::kLastAck:
    case TcpState::kTimeWait:
      return;
  }
}

void TcpConnection::begin_close(Time now) {
  WEFT_DCHECK(state_ == TcpState::kEstablished || state_ == TcpState::kCloseWait);
  close_waits_ = false;
  sender_.queue_fin(core_, now);
  state_ = state_ == TcpState::kCloseWait ? TcpState::kLastAck : TcpState::kFinWait1;
}

//= rfc9293 3.10.5
void TcpConnection::abort(Time) {
  if (state_ == TcpState::kClosed) {
    return;
  }
  const bool notifies_peer = is_synchronized() && state_ != TcpState::kTimeWait;
  const std::uint32_t sequence = core_.sending.to_wire(sender_.next());
  end(TcpFailure::kReset);
  if (notifies_peer) {
    queue_reset(sequence, core_.receiving.to_wire(receiver_.next()), wire::kTcpRst | wire::kTcpAck);
  }
}

void TcpConnection::end(TcpFailure failure) {
  sender_.stop();
  receiver_.stop();
  time_wait_at_ = Time::never();
  state_ = TcpState::kClosed;
  failure_ = failure;
}

void TcpConnection::enter_time_wait(Time now) {
  WEFT_DCHECK(receiver_.fin_taken() && sender_.fin_acknowledged());
  state_ = TcpState::kTimeWait;
  sender_.stop();
  //= rfc9293 3.6
  time_wait_at_ = now + core_.options.time_wait;
}

TcpConnection::Segment TcpConnection::decode_segment(const wire::Packet& packet) const {
  Segment segment;
  segment.begin = core_.receiving.from_wire(packet.tcp.sequence, receiver_.next());
  segment.end = segment.begin + payload_of(packet) + numbers_of(packet.tcp);
  segment.acknowledged = core_.sending.from_wire(packet.tcp.acknowledgement, sender_.una());
  return segment;
}

void TcpConnection::on_packet(const ReceivedPacket& received, Time now) {
  ++core_.counters.segments_received;
  const wire::Packet& packet = received.packet;
  WEFT_DCHECK(packet.common.kind == wire::PacketKind::kTcp);
  if (take_next(received, now)) {
    return;
  }
  switch (state_) {
    case TcpState::kClosed:
      send_reset_for(packet);
      return;
    case TcpState::kListen:
      on_segment_in_listen(packet, now);
      return;
    case TcpState::kSynSent:
      on_segment_in_syn_sent(packet, now);
      return;
    case TcpState::kSynReceived:
    case TcpState::kEstablished:
    case TcpState::kFinWait1:
    case TcpState::kFinWait2:
    case TcpState::kCloseWait:
    case TcpState::kClosing:
    case TcpState::kLastAck:
    case TcpState::kTimeWait:
      on_segment(received, now);
      return;
  }
}

/// A fast path for the segment that is most often the next one: data that were expected, from a peer that waits for
/// nothing. It does what the slow path does; whatever does not fit is left to that.
bool TcpConnection::take_next(const ReceivedPacket& received, Time now) {
  const wire::Packet& packet = received.packet;
  const wire::TcpHeader& header = packet.tcp;
  constexpr std::uint8_t kOthers = static_cast<std::uint8_t>(~(wire::kTcpAck | wire::kTcpPsh));
  const unsigned expected_options = core_.agreed.timestamps ? unsigned{wire::kTcpHasTimestamps} : 0U;
  if (state_ != TcpState::kEstablished || (header.flags & kOthers) != 0 || !header.has(wire::kTcpAck) ||
      payload_of(packet) == 0 || header.sack_blocks != 0 || header.options != expected_options ||
      header.sequence != core_.receiving.to_wire(receiver_.next()) ||
      header.acknowledgement != core_.sending.to_wire(sender_.una())) {
    return false;
  }
  const std::int64_t window = static_cast<std::int64_t>(header.window) << core_.agreed.send_scale;
  return sender_.is_redundant({.acknowledged = sender_.una(), .window = window}) &&
         receiver_.take_next(core_, received, now);
}

/// The order of the checks is the specification's.
//= rfc9293 3.10.7.4
void TcpConnection::on_segment(const ReceivedPacket& received, Time now) {
  const wire::Packet& packet = received.packet;
  const Segment segment = decode_segment(packet);
  if (!is_acceptable(received, segment, now)) {
    ++core_.counters.rejected;
    return;
  }
  if (!passes_checks(packet, segment, now)) {
    return;
  }
  if (core_.agreed.timestamps && packet.tcp.has(wire::kTcpHasTimestamps)) {
    receiver_.note_timestamp(packet.tcp.timestamp, segment.begin, now);
  }
  if (segment.acknowledged >= sender_.una()) {
    take_ack(received, segment, now);
  }
  if (payload_of(packet) == 0 && !packet.tcp.has(wire::kTcpFin)) {
    return;
  }
  if (takes_data()) {
    take_data(received, segment, now);
  } else if (is_synchronized()) {
    // Behind the peer's FIN nothing can be new: it is the FIN again, or what came before it.
    restart_time_wait(packet, now);
    receiver_.acknowledge_now();
  }
}

//= rfc9293 3.10.7.4
void TcpConnection::restart_time_wait(const wire::Packet& packet, Time now) {
  if (state_ == TcpState::kTimeWait && packet.tcp.has(wire::kTcpFin)) {
    enter_time_wait(now);
  }
}

/// Answers what is outside the window or older than what came before it.
bool TcpConnection::is_acceptable(const ReceivedPacket& received, const Segment& segment, Time now) {
  const wire::Packet& packet = received.packet;
  const bool resets = packet.tcp.has(wire::kTcpRst);
  if (core_.agreed.timestamps && !resets) {
    //= rfc7323 3.2
    if (!packet.tcp.has(wire::kTcpHasTimestamps)) {
      return false;
    }
    //= rfc7323 5.3
    if (receiver_.is_old(core_, packet.tcp.timestamp, now)) {
      send_throttled_ack(now);
      return false;
    }
  }
  if (state_ == TcpState::kSynReceived && packet.tcp.has(wire::kTcpSyn) && segment.begin == 0) {
    // The peer's SYN once more, or with an acknowledgement when both ends opened.
    if (!packet.tcp.has(wire::kTcpAck)) {
      sender_.queue_syn();
    }
    return packet.tcp.has(wire::kTcpAck);
  }
  if (segment.end >= receiver_.next() && segment.begin <= receiver_.edge()) {
    return true;
  }
  if (resets) {
    return false;
  }
  restart_time_wait(packet, now);
  if (payload_of(packet) > 0 && segment.begin < receiver_.next()) {
    take_data(received, segment, now);  // tells the peer which bytes came twice
  } else if (packet.tcp.has(wire::kTcpFin)) {
    receiver_.acknowledge_now();
  } else {
    send_throttled_ack(now);
  }
  return false;
}

/// RST, SYN and ACK.
bool TcpConnection::passes_checks(const wire::Packet& packet, const Segment& segment, Time now) {
  const wire::TcpHeader& header = packet.tcp;
  if (header.has(wire::kTcpRst)) {
    on_reset(segment, now);
    return false;
  }
  const bool crossed_syn = state_ == TcpState::kSynReceived && segment.begin == 0;
  if (header.has(wire::kTcpSyn) && !crossed_syn) {
    //= rfc5961 4.2
    send_throttled_ack(now);
    return false;
  }
  if (!header.has(wire::kTcpAck)) {
    return false;
  }
  if (state_ == TcpState::kSynReceived) {
    return on_ack_in_syn_received(packet, segment, now);
  }
  //= rfc5961 5.2
  if (segment.acknowledged > sender_.next() ||
      segment.acknowledged < sender_.una() - core_.options.receive_buffer.count() - 0x4000'0000) {
    ++core_.counters.rejected;
    send_throttled_ack(now);
    return false;
  }
  return true;
}

//= rfc5961 3.2
void TcpConnection::on_reset(const Segment& segment, Time now) {
  if (segment.begin != receiver_.next()) {
    send_throttled_ack(now);
    return;
  }
  switch (state_) {
    case TcpState::kSynReceived:
      if (passive_) {
        const StreamOffset written = sender_.written();
        sender_ = TcpSender();
        receiver_ = TcpReceiver();
        core_.agreed = TcpNegotiated();
        core_.update_room();
        sender_.start(core_);
        sender_.write(core_, written, now);  // what the user has written waits for the next handshake
        state_ = TcpState::kListen;
        return;
      }
      end(TcpFailure::kRefused);
      return;
    case TcpState::kClosing:
    case TcpState::kLastAck:
    case TcpState::kTimeWait:
      end(TcpFailure::kNone);
      return;
    case TcpState::kClosed:
    case TcpState::kListen:
    case TcpState::kSynSent:
    case TcpState::kEstablished:
    case TcpState::kFinWait1:
    case TcpState::kFinWait2:
    case TcpState::kCloseWait:
      end(TcpFailure::kReset);
      return;
  }
}

void TcpConnection::take_ack(const ReceivedPacket& received, const Segment& segment, Time now) {
  const wire::TcpHeader& header = received.packet.tcp;
  //= rfc7323 2.2
  const int scale = header.has(wire::kTcpSyn) ? 0 : core_.agreed.send_scale;
  const std::int64_t window = static_cast<std::int64_t>(header.window) << scale;
  if (header.sack_blocks == 0 && sender_.is_redundant({.acknowledged = segment.acknowledged, .window = window})) {
    return;
  }
  TcpAck ack;
  ack.sequence = segment.begin;
  ack.acknowledged = segment.acknowledged;
  ack.window = window;
  ack.echo = header.timestamp_echo;
  ack.has_echo = core_.agreed.timestamps && header.has(wire::kTcpHasTimestamps);
  ack.echoes_mark = header.has(wire::kTcpEce);
  ack.occupies = segment.end > segment.begin;
  if (header.sack_blocks > 0) {
    ack.sack = std::span(received.cold.tcp_sack).first(header.sack_blocks);
  }
  sender_.on_ack(core_, ack, now);
  if (sender_.fin_acknowledged()) {
    after_fin_acknowledged(now);
  }
}

void TcpConnection::after_fin_acknowledged(Time now) {
  switch (state_) {
    case TcpState::kFinWait1:
      state_ = TcpState::kFinWait2;
      return;
    case TcpState::kClosing:
      enter_time_wait(now);
      return;
    case TcpState::kLastAck:
      end(TcpFailure::kNone);
      return;
    case TcpState::kClosed:
    case TcpState::kListen:
    case TcpState::kSynSent:
    case TcpState::kSynReceived:
    case TcpState::kEstablished:
    case TcpState::kFinWait2:
    case TcpState::kCloseWait:
    case TcpState::kTimeWait:
      return;
  }
}

void TcpConnection::take_data(const ReceivedPacket& received, const Segment& segment, Time now) {
  const wire::TcpHeader& header = received.packet.tcp;
  if (header.has(wire::kTcpCwr)) {
    receiver_.on_reduced(core_);
  }
  const bool had_fin = receiver_.fin_taken();
  receiver_.on_data(core_,
                    {.begin = segment.begin + (header.has(wire::kTcpSyn) ? 1 : 0),
                     .length = payload_of(received.packet),
                     .bytes = received.payload,
                     .fin = header.has(wire::kTcpFin),
                     .pushed = header.has(wire::kTcpPsh),
                     .marked = received.packet.common.ecn == wire::Ecn::kCe},
                    now);
  if (receiver_.fin_taken() && !had_fin) {
    after_peer_fin(now);
  }
}

void TcpConnection::after_peer_fin(Time now) {
  switch (state_) {
    case TcpState::kSynReceived:
    case TcpState::kEstablished:
      state_ = TcpState::kCloseWait;
      return;
    case TcpState::kFinWait1:
      state_ = TcpState::kClosing;
      return;
    case TcpState::kFinWait2:
      enter_time_wait(now);
      return;
    case TcpState::kClosed:
    case TcpState::kListen:
    case TcpState::kSynSent:
    case TcpState::kCloseWait:
    case TcpState::kClosing:
    case TcpState::kLastAck:
    case TcpState::kTimeWait:
      return;
  }
}

/// Two ends that find each other's acknowledgements impossible would answer for ever.
//= rfc5961 7
void TcpConnection::send_throttled_ack(Time now) {
  if (now >= throttled_until_) {
    throttled_until_ = now + core_.options.minimum_rto / 2;
    receiver_.acknowledge_now();
  }
}

void TcpConnection::queue_reset(std::uint32_t sequence, std::uint32_t acknowledgement, std::uint8_t flags) {
  reset_waits_ = true;
  reset_sequence_ = sequence;
  reset_acknowledgement_ = acknowledgement;
  reset_flags_ = flags;
}

void TcpConnection::on_timeout(Time now) {
  WEFT_DCHECK(time_wait_at_.is_never() == (state_ != TcpState::kTimeWait));
  receiver_.on_timeout(now);
  if (sender_.next_timeout() <= now && sender_.on_timeout(core_, now) == TcpSender::Verdict::kGivesUp) {
    end(TcpFailure::kTimedOut);
  }
  if (time_wait_at_ <= now) {
    end(TcpFailure::kNone);
  }
}

void TcpConnection::start_segment(wire::Packet& packet, Time now) {
  core_.start_packet(packet, now);
  if (is_synchronized()) {
    receiver_.fill(core_, packet.tcp);
  }
}

void TcpConnection::fill_reset(wire::Packet& packet, Time now) {
  reset_waits_ = false;
  core_.start_packet(packet, now);
  packet.common.flags = wire::kControl;
  packet.tcp.sequence = reset_sequence_;
  packet.tcp.acknowledgement = reset_acknowledgement_;
  packet.tcp.flags = reset_flags_;
}

void TcpConnection::fill_response(const TransmitSlot& slot, Time now) {
  wire::Packet& packet = slot.packet;
  if (reset_waits_) {
    fill_reset(packet, now);
    return;
  }
  core_.start_packet(packet, now);
  packet.common.flags = wire::kControl;
  packet.tcp.sequence = core_.sending.to_wire(sender_.next());
  ++core_.counters.acks_sent;
  if (receiver_.acknowledgement_waits()) {
    receiver_.fill_alone(core_, slot);
  } else {
    receiver_.fill(core_, packet.tcp);
    sender_.fill_window_probe(core_, packet);
  }
}

bool TcpConnection::poll_transmit(const TransmitSlot& slot, Time now) {
  const bool data_ready = sender_.next_data(core_) <= now;
  const bool alone = reset_waits_ || sender_.window_probe_waits() || receiver_.needs_own_segment() || !data_ready;
  if (response_pending() && alone) {
    fill_response(slot, now);
  } else if (data_ready) {
    WEFT_DCHECK(state_ != TcpState::kClosed && state_ != TcpState::kListen && state_ != TcpState::kTimeWait);
    start_segment(slot.packet, now);
    sender_.fill(core_, slot, now);
    if (slot.packet.tcp.has(wire::kTcpSyn)) {
      receiver_.fill_syn_window(core_, slot.packet.tcp);
    }
  } else {
    return false;
  }
  ++core_.counters.segments_sent;
  TcpCore::finish_packet(slot.packet);
  return true;
}

}  // namespace weft::transport
