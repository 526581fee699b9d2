#include "transport/tcp/tcp_sender.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::transport {

namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max() / 4;

/// Linux's gains, in percent: well ahead of the window's doubling, and a little ahead of its growth.
constexpr std::int64_t kSlowStartGain = 200;
constexpr std::int64_t kAvoidanceGain = 120;

wire::Ecn ecn_of_data(const TcpCore& core) {
  return core.agreed.ecn == TcpEcn::kOff ? wire::Ecn::kNotEct : wire::Ecn::kEct0;
}

void set_flag(wire::TcpHeader& header, wire::TcpFlag flag, bool set) {
  header.flags = static_cast<std::uint8_t>(set ? header.flags | flag : header.flags);
}

}  // namespace

void TcpSender::start(const TcpCore& core) {
  rtt_.start(core.rto_limits());
  window_ = kUnlimited;
}

void TcpSender::queue_syn() {
  stale_ = true;
  if (board_.outstanding() == 0) {
    syn_waits_ = true;
  } else if (board_[0].in_flight()) {
    board_.mark_lost(0);
  }
}

void TcpSender::open(TcpCore& core, TcpSequence edge) {
  stale_ = true;
  if (board_.next() == 0) {
    // Established without packets: the SYN counts as sent and acknowledged.
    board_.push({.sent = Time::zero(), .begin = 0, .length = 1, .flags = SentSegment::kSyn});
    Delivery none;
    AckEvidence evidence;
    evidence.timestamp_unit = core.options.timestamp_unit;
    board_.acknowledge(1, evidence, none);
  }
  open_ = true;
  syn_waits_ = false;
  edge_ = edge;
  largest_window_ = edge - board_.una();
  if (core.options.congestion_control != nullptr) {
    const Bytes segment(core.room());
    core.options.congestion_control->start(
        {.segment = segment, .initial_window = segment * core.options.initial_segments});
  }
  refresh_window(core);
}

void TcpSender::write(const TcpCore& core, std::uint64_t length, Time now) {
  stale_ = true;
  end_ += static_cast<std::int64_t>(length);
  if (open_ && timer_ == Timer::kNone && board_.outstanding() == 0) {
    arm(core, now);
  }
}

void TcpSender::queue_fin(const TcpCore& core, Time now) {
  fin_queued_ = true;
  write(core, 0, now);
}

void TcpSender::stop() {
  stale_ = true;
  open_ = false;
  board_.unmark_lost();  // a connection that has ended sends nothing again
  syn_waits_ = false;
  tail_probe_ = false;
  window_probe_ = false;
  timer_ = Timer::kNone;
  timer_at_ = Time::never();
  reorder_at_ = Time::never();
}

StreamOffset TcpSender::acknowledged() const {
  return static_cast<StreamOffset>(std::clamp<TcpSequence>(board_.una() - 1, 0, end_ - 1));
}

void TcpSender::refresh_window(const TcpCore& core) {
  const TcpCongestionControl* const control = core.options.congestion_control;
  window_ = control == nullptr ? kUnlimited : control->window().count();
}

/// Asked of the user once for a segment, unless more data come while it waits.
std::uint32_t TcpSender::next_length(const TcpCore& core) const {
  const auto room = static_cast<std::uint32_t>(std::min<std::int64_t>(core.room(), unsent()));
  if (length_of_ != board_.next() || length_room_ != room) {
    length_of_ = board_.next();
    length_room_ = room;
    length_ = core.user->segment_length(static_cast<StreamOffset>(board_.next() - 1), room);
    WEFT_DCHECK(length_ > 0 && length_ <= room);
  }
  return length_;
}

/// Avoids small segments: a window that has no room for the segment is waited for, unless it is large for this peer.
//= rfc9293 3.8.6.2.1
bool TcpSender::window_admits(const TcpCore& core, std::int64_t length) const {
  const std::int64_t usable = edge_ - board_.next();
  if (usable >= length) {
    //= rfc9293 3.7.4
    const bool small = core.options.nagle == TcpNagle::kOn && length < core.room() && !fin_queued_;
    return !small || board_.outstanding() == 0;
  }
  return usable > 0 && (small_segment_ || usable >= largest_window_ / 2);
}

bool TcpSender::new_data_ready(const TcpCore& core) const {
  if (board_.size() >= core.options.max_segments) {
    return false;
  }
  if (unsent() <= 0) {
    return fin_unsent() && board_.next() < edge_;
  }
  const std::int64_t length = next_length(core);
  return window_admits(core, length) && (board_.in_flight() + length <= window_ || board_.in_flight() == 0);
}

bool TcpSender::ready(const TcpCore& core) const {
  if (syn_waits_) {
    return true;
  }
  if (board_.lost() > 0 && (open_ || board_.una() == 0)) {
    return board_.in_flight() + core.room() <= window_ || board_.in_flight() == 0;
  }
  return open_ && (tail_probe_ || new_data_ready(core));
}

bool TcpSender::consistent() const {
  const bool stream = board_.next() <= end_ + (fin_sent_ ? 1 : 0) && (!fin_sent_ || fin_queued_) &&
                      limited_until_ <= board_.next() && probe_end_ <= board_.next();
  const bool repeats = timer_ == Timer::kRetransmission || timer_ == Timer::kTailProbe;
  return stream && window_ >= 0 && timer_at_.is_never() == (timer_ == Timer::kNone) &&
         (!repeats || board_.outstanding() > 0);
}

void TcpSender::fill(TcpCore& core, const TransmitSlot& slot, Time now) {
  WEFT_DCHECK(next_data(core) <= now);
  stale_ = true;
  if (syn_waits_) {
    syn_waits_ = false;
    board_.push({.sent = now, .begin = 0, .length = 1, .flags = SentSegment::kSyn});
    fill_syn(core, slot.packet, now);
    after_send(core, slot.packet, 1, now);
  } else if (board_.lost() > 0) {
    fill_again(core, slot, board_.first_lost(), now);
  } else if (tail_probe_) {
    fill_tail_probe(core, slot, now);
  } else {
    fill_new(core, slot, now);
  }
  WEFT_DCHECK(consistent());
}

void TcpSender::fill_syn(const TcpCore& core, wire::Packet& packet, Time now) const {
  const TcpOptions& options = core.options;
  wire::TcpHeader& header = packet.tcp;
  header.sequence = core.sending.to_wire(0);
  header.flags |= wire::kTcpSyn;
  header.mss = options.mss;
  // The passive end offers only what was offered to it.
  const bool passive = header.has(wire::kTcpAck);
  const auto offer = [&header](bool offered, wire::TcpOptionBit bit) {
    header.options = static_cast<std::uint8_t>(offered ? header.options | bit : header.options & ~bit);
  };
  offer(passive ? core.agreed.timestamps : options.timestamps, wire::kTcpHasTimestamps);
  offer(passive ? core.agreed.sack : options.selective_acks, wire::kTcpSackPermitted);
  offer(passive ? core.agreed.scaling : options.window_scaling, wire::kTcpHasWindowScale);
  header.timestamp = header.has(wire::kTcpHasTimestamps) ? core.timestamp(now) : 0;
  header.window_scale = header.has(wire::kTcpHasWindowScale) ? core.offered_scale() : std::uint8_t{0};
  //= rfc3168 6.1.1
  if (passive) {
    set_flag(header, wire::kTcpEce, core.agreed.ecn != TcpEcn::kOff);
  } else if (options.ecn != TcpEcn::kOff) {
    header.flags |= wire::kTcpEce | wire::kTcpCwr;
  }
}

void TcpSender::fill_payload(const TcpCore& core, const TransmitSlot& slot, TcpSequence begin,
                             std::uint32_t length) const {
  wire::Packet& packet = slot.packet;
  packet.tcp.sequence = core.sending.to_wire(begin);
  packet.common.payload_bytes = static_cast<std::uint16_t>(length);
  if (length == 0) {
    return;
  }
  packet.common.ecn = ecn_of_data(core);
  if (begin + length == end_) {
    packet.tcp.flags |= wire::kTcpPsh;
  }
  if (!slot.payload.empty()) {
    core.user->gather(static_cast<StreamOffset>(begin - 1), slot.payload.first(length));
  }
}

void TcpSender::restart_if_idle(TcpCore& core, Time now) {
  if (board_.outstanding() > 0) {
    return;
  }
  if (core.options.plb != nullptr) {
    core.options.plb->on_idle(now);
    core.entropy = core.options.plb->label();
  }
  //= rfc5681 4.1
  if (core.options.idle_restart == TcpOptions::IdleRestart::kOn && core.options.congestion_control != nullptr &&
      now - last_sent_ > rtt_.timeout()) {
    core.options.congestion_control->on_idle(now);
    refresh_window(core);
  }
}

void TcpSender::fill_new(TcpCore& core, const TransmitSlot& slot, Time now) {
  restart_if_idle(core, now);
  const TcpSequence begin = board_.next();
  std::uint32_t length = 0;
  if (unsent() > 0) {
    length = next_length(core);
    if (const std::int64_t usable = edge_ - begin; usable < length) {
      length = core.user->segment_length(static_cast<StreamOffset>(begin - 1), static_cast<std::uint32_t>(usable));
    }
  }
  WEFT_DCHECK(length <= core.room() && (length == 0 || begin + length <= edge_));
  small_segment_ = false;
  fill_payload(core, slot, begin, length);
  const bool fin = fin_unsent() && begin + length == end_ && begin + length < edge_;
  if (fin) {
    slot.packet.tcp.flags |= wire::kTcpFin;
    fin_sent_ = true;
  }
  if (reduced_mark_ && length > 0) {
    //= rfc3168 6.1.2
    slot.packet.tcp.flags |= wire::kTcpCwr;
    reduced_mark_ = false;
  }
  const auto numbers = static_cast<std::uint16_t>(length + (fin ? 1 : 0));
  board_.push({.sent = now,
               .begin = static_cast<std::uint32_t>(begin),
               .length = numbers,
               .flags = static_cast<std::uint8_t>(fin ? SentSegment::kFin : 0)});
  after_send(core, slot.packet, numbers, now);
}

void TcpSender::fill_again(TcpCore& core, const TransmitSlot& slot, std::uint32_t index, Time now) {
  const SentSegment segment = board_[index];
  const TcpSequence begin = board_.sequence_of(segment);
  board_.resend(index, now);
  if (stamp_pending_) {
    stamp_pending_ = false;
    undo_stamp_ = core.timestamp(now);
  }
  ++core.counters.retransmissions;
  if (segment.has(SentSegment::kSyn)) {
    fill_syn(core, slot.packet, now);
  } else {
    const std::uint32_t payload = segment.length - (segment.has(SentSegment::kFin) ? 1U : 0U);
    fill_payload(core, slot, begin, payload);
    //= rfc3168 6.1.5
    if (core.agreed.ecn == TcpEcn::kClassic) {
      slot.packet.common.ecn = wire::Ecn::kNotEct;
    }
    set_flag(slot.packet.tcp, wire::kTcpFin, segment.has(SentSegment::kFin));
    core.counters.payload_retransmitted += payload;
  }
  after_send(core, slot.packet, segment.length, now);
}

//= rfc8985 7.3
void TcpSender::fill_tail_probe(TcpCore& core, const TransmitSlot& slot, Time now) {
  tail_probe_ = false;
  ++core.counters.tail_probes;
  const bool fresh = unsent() > 0 && board_.next() + next_length(core) <= edge_;
  probe_resent_ = !fresh;
  if (fresh) {
    fill_new(core, slot, now);
  } else {
    fill_again(core, slot, board_.size() - 1, now);
  }
  probe_end_ = board_.next();
  timer_ = Timer::kNone;
  arm(core, now);
}

void TcpSender::after_send(TcpCore& core, const wire::Packet& packet, std::uint32_t length, Time now) {
  last_sent_ = now;
  const std::uint32_t payload = packet.common.payload_bytes;
  core.counters.data_segments_sent += payload > 0 ? 1 : 0;
  core.counters.payload_sent += payload;
  if (recovery_ == Recovery::kFast) {
    reduction_.on_sent(length);
  }
  // What is acknowledged below this was sent by a sender that the congestion window held back.
  if (board_.in_flight() + core.room() > window_) {
    limited_until_ = board_.next();
  }
  if (core.options.pacing != TcpPacing::kOff && open_) {
    pace(core, packet, now);
  }
  if (timer_ == Timer::kNone || timer_ == Timer::kWindowProbe) {
    arm(core, now);
  }
}

void TcpSender::pace(const TcpCore& core, const wire::Packet& packet, Time now) {
  TcpCongestionControl* const control = core.options.congestion_control;
  if (control == nullptr) {
    return;
  }
  const std::int64_t size = packet.common.wire_bytes;
  Duration gap;
  if (core.options.pacing == TcpPacing::kControl) {
    gap = control->transmit(Bytes(size), now);
  } else if (rtt_.smoothed() > Duration::zero() && window_ < kUnlimited) {
    const bool slow_start = control->window() < control->ssthresh();
    const std::int64_t gain = slow_start ? kSlowStartGain : kAvoidanceGain;
    // A fast recovery may close its window altogether between two acknowledgements.
    const auto window = static_cast<Int128>(std::max<std::int64_t>(window_, core.room()));
    const auto product = static_cast<Int128>(rtt_.smoothed().picoseconds()) * size * 100;
    gap = Duration::picoseconds(static_cast<std::int64_t>(product / (window * gain)));
  }
  WEFT_DCHECK(gap >= Duration::zero());
  not_before_ = later(not_before_, now) + gap;
}

//= rfc9293 3.8.6.1
void TcpSender::fill_window_probe(TcpCore& core, wire::Packet& packet) {
  window_probe_ = false;
  ++core.counters.window_probes;
  // Outside of the window by one, so that it must be answered, and without payload, so that no frame is cut.
  packet.tcp.sequence = core.sending.to_wire(board_.una() - 1);
}

}  // namespace weft::transport
