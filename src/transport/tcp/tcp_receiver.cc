#include "transport/tcp/tcp_receiver.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

namespace {

constexpr std::int64_t kMaxField = 0xFFFF;

}  // namespace

std::int64_t TcpReceiver::first_window(const TcpCore& core) {
  const int scale = core.agreed.receive_scale;
  return std::min(core.options.receive_buffer.count() >> scale, kMaxField) << scale;
}

void TcpReceiver::start(std::uint32_t timestamp, Time now) {
  acknowledged_ = next_;
  recent_timestamp_ = timestamp;
  recent_at_ = now;
}

void TcpReceiver::establish(const TcpCore& core, Time now) {
  start(core.timestamp(now), now);
  edge_ = next_ + first_window(core);
}

bool TcpReceiver::is_old(const TcpCore& core, std::uint32_t timestamp, Time now) const {
  //= rfc7323 5.5
  const Duration valid = core.options.timestamp_unit * (std::int64_t{1} << 30);
  return static_cast<std::int32_t>(timestamp - recent_timestamp_) < 0 && now - recent_at_ < valid;
}

//= rfc7323 4.3
void TcpReceiver::note_timestamp(std::uint32_t timestamp, TcpSequence begin, Time now) {
  if (begin <= acknowledged_) {
    recent_timestamp_ = timestamp;
    recent_at_ = now;
  }
}

//= rfc3168 6.1.3
void TcpReceiver::on_reduced(const TcpCore& core) {
  if (core.agreed.ecn == TcpEcn::kClassic) {
    echo_mark_ = false;
  }
}

void TcpReceiver::note_mark(const TcpCore& core, bool marked) {
  if (core.agreed.ecn == TcpEcn::kClassic) {
    echo_mark_ = echo_mark_ || marked;
  } else if (core.agreed.ecn == TcpEcn::kPerPacket && marked != echo_mark_) {
    // What came before must be acknowledged with the state that it had.
    //= rfc8257 3.2
    if (unacknowledged_ > 0) {
      early_mark_ = echo_mark_ || (early_waits_ && early_mark_);
      early_waits_ = true;
      early_next_ = next_;
    }
    echo_mark_ = marked;
    unacknowledged_ = 0;
  }
}

void TcpReceiver::deliver_payload(TcpCore& core, const TcpArrival& arrival, SequenceRange part) const {
  const auto length = static_cast<std::uint32_t>(part.end - part.begin);
  const auto skipped = static_cast<std::size_t>(part.begin - arrival.begin);
  core.user->on_arrival({.offset = static_cast<StreamOffset>(part.begin - 1),
                         .length = length,
                         .bytes = arrival.bytes.empty() ? arrival.bytes : arrival.bytes.subspan(skipped, length)});
}

bool TcpReceiver::consistent() const {
  const bool edges = acknowledged_ <= next_ && next_ <= edge_ && consumed_ <= arrived();
  return edges && (ranges_.empty() || (next_ <= ranges_[0].begin && ranges_[ranges_.size() - 1].end <= edge_));
}

void TcpReceiver::on_data(TcpCore& core, const TcpArrival& arrival, Time now) {
  const SequenceRange whole{arrival.begin, arrival.begin + arrival.length};
  core.counters.payload_received += arrival.length;
  core.counters.marks_received += arrival.marked && arrival.length > 0 ? 1 : 0;
  if (arrival.length > 0) {
    note_mark(core, arrival.marked);
  }
  if (arrival.fin && whole.end < edge_) {
    fin_at_ = whole.end;
  }
  const SequenceRange part{std::max(whole.begin, next_), std::min(whole.end, edge_)};
  if (whole.begin < next_ && arrival.length > 0) {
    //= rfc2883 4
    duplicate_ = {whole.begin, std::min(whole.end, next_)};
    core.counters.duplicate_payload += static_cast<std::uint64_t>(duplicate_.end - duplicate_.begin);
    count_due();
  }
  if (part.end < whole.end) {
    acknowledge_now();
  }
  if (part.empty()) {
    // Nothing of the payload is new.
  } else if (part.begin == next_) {
    take_in_order(core, arrival, part, now);
  } else {
    take_early(core, arrival, part);
  }
  take_fin();
  WEFT_DCHECK(consistent());
}

void TcpReceiver::take_fin() {
  if (fin_at_ == next_ && !fin_taken_) {
    fin_taken_ = true;
    ++next_;
    acknowledge_now();
  }
}

bool TcpReceiver::take_next(TcpCore& core, const ReceivedPacket& received, Time now) {
  const wire::Packet& packet = received.packet;
  const std::uint32_t length = packet.common.payload_bytes;
  const std::uint32_t timestamp = packet.tcp.timestamp;
  const bool old = core.agreed.timestamps && static_cast<std::int32_t>(timestamp - recent_timestamp_) < 0;
  if (old || !ranges_.empty() || next_ + length > edge_ || fin_at_ != kNoFin || core.agreed.ecn != TcpEcn::kOff ||
      packet.common.ecn == wire::Ecn::kCe) {
    return false;
  }
  if (core.agreed.timestamps) {
    note_timestamp(timestamp, next_, now);
  }
  core.counters.payload_received += length;
  const TcpSequence begin = next_;
  next_ += length;
  core.user->on_arrival({.offset = static_cast<StreamOffset>(begin - 1), .length = length, .bytes = received.payload});
  count_segment(core, packet.tcp.has(wire::kTcpPsh), now);
  WEFT_DCHECK(consistent());
  return true;
}

void TcpReceiver::take_in_order(TcpCore& core, const TcpArrival& arrival, SequenceRange part, Time now) {
  if (ranges_.empty()) {
    next_ = part.end;
    deliver_payload(core, arrival, part);
  } else {
    const std::int64_t before = static_cast<std::int64_t>(ranges_.size());
    (void)ranges_.add(part, core.max_gaps() + 1, [&](SequenceRange fresh) { deliver_payload(core, arrival, fresh); });
    next_ = ranges_.advance(next_);
    WEFT_DCHECK(before > 0 && next_ >= part.end);
    acknowledge_now();
  }
  count_segment(core, arrival.pushed, now);
}

//= rfc9293 3.8.6.3
//= rfc5681 4.2
void TcpReceiver::count_segment(const TcpCore& core, bool pushed, Time now) {
  ++unacknowledged_;
  const TcpDelayedAck& delay = core.options.delayed_ack;
  if (unacknowledged_ >= delay.every || (pushed && delay.push == TcpDelayedAck::Push::kAtOnce)) {
    acknowledge_now();
  } else if (delayed_at_.is_never()) {
    delayed_at_ = now + delay.longest;
  }
}

/// Each segment beyond a gap is acknowledged at once and by itself, so that the peer can count them.
//= rfc5681 4.2
void TcpReceiver::take_early(TcpCore& core, const TcpArrival& arrival, SequenceRange part) {
  ++core.counters.out_of_order;
  TcpSequence known = part.begin;  // behind the part of the segment that was there before or is new
  std::int64_t fresh_bytes = 0;
  const bool kept = ranges_.add(part, core.max_gaps(), [&](SequenceRange fresh) {
    fresh_bytes += fresh.end - fresh.begin;
    known = fresh.begin;
    deliver_payload(core, arrival, fresh);
  });
  count_due();
  if (!kept) {
    ++core.counters.dropped_for_room;
    return;
  }
  note_recent(part.begin);
  if (fresh_bytes < part.end - part.begin) {
    const std::int64_t again = part.end - part.begin - fresh_bytes;
    core.counters.duplicate_payload += static_cast<std::uint64_t>(again);
    if (fresh_bytes == 0) {
      //= rfc2883 4
      duplicate_ = part;
    }
  }
}

/// The run that a byte lies in is reported first from now on.
//= rfc2018 4
void TcpReceiver::note_recent(TcpSequence at) {
  const SequenceRange* const run = ranges_.find(at);
  WEFT_DCHECK(run != nullptr);
  std::size_t place = 0;
  while (place + 1 < recent_.size() && recent_[place] != 0 &&
         !(run->begin <= recent_[place] && recent_[place] < run->end)) {
    ++place;
  }
  std::copy_backward(recent_.begin(), recent_.begin() + static_cast<std::ptrdiff_t>(place),
                     recent_.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  recent_[0] = at;
}

//= rfc9293 3.8.6.2.2
std::int64_t TcpReceiver::window_to_offer(const TcpCore& core) const {
  const TcpSequence free = static_cast<TcpSequence>(consumed_) + 1 + core.options.receive_buffer.count();
  const std::int64_t step = std::min<std::int64_t>(core.options.receive_buffer.count() / 2, core.options.mss);
  return (free - edge_ >= step ? free : edge_) - next_;
}

void TcpReceiver::consume(const TcpCore& core, std::uint64_t length) {
  consumed_ += length;
  // The peer is told at once when the window has at least doubled; else the next acknowledgement tells it.
  const std::int64_t left = edge_ - next_;
  const std::int64_t offered = window_to_offer(core);
  if (offered > left && offered >= 2 * left) {
    acknowledge_now();
  }
}

void TcpReceiver::on_timeout(Time now) {
  if (delayed_at_ <= now) {
    delayed_at_ = Time::never();
    acknowledge_now();
  }
}

void TcpReceiver::fill_syn_window(const TcpCore& core, wire::TcpHeader& header) {
  const std::int64_t window = std::min(core.options.receive_buffer.count(), kMaxField);
  header.window = static_cast<std::uint16_t>(window);
  edge_ = std::max(edge_, next_ + window);
}

void TcpReceiver::fill(TcpCore& core, wire::TcpHeader& header) {
  const int scale = core.agreed.receive_scale;
  const std::int64_t window = std::max<std::int64_t>(window_to_offer(core), 0);
  std::int64_t field = std::min(window >> scale, kMaxField);
  // A right edge that was offered is not taken back, not even by rounding.
  //= rfc7323 2.4
  if (next_ + (field << scale) < edge_ && field < kMaxField) {
    ++field;
  }
  edge_ = std::max(edge_, next_ + (field << scale));
  WEFT_DCHECK(field >= 0 && field <= kMaxField);
  header.window = static_cast<std::uint16_t>(field);
  header.acknowledgement = core.receiving.to_wire(next_);
  header.flags |= wire::kTcpAck;
  if (core.agreed.timestamps) {
    header.timestamp_echo = recent_timestamp_;
  }
  if (echo_mark_) {
    header.flags |= wire::kTcpEce;
  }
  acknowledged_ = next_;
  due_ = 0;
  unacknowledged_ = 0;
  delayed_at_ = Time::never();
}

void TcpReceiver::fill_blocks(const TcpCore& core, const TransmitSlot& slot) {
  wire::TcpHeader& header = slot.packet.tcp;
  const std::size_t most = core.agreed.timestamps ? wire::kMaxTcpSackBlocks - 1 : wire::kMaxTcpSackBlocks;
  std::array<SequenceRange, wire::kMaxTcpSackBlocks> blocks{};
  std::size_t count = 0;
  if (!duplicate_.empty()) {
    blocks[count++] = duplicate_;
    duplicate_ = {};
  }
  const std::size_t first_run = count;
  for (const TcpSequence at : recent_) {
    const SequenceRange* const run = at == 0 || count == most ? nullptr : ranges_.find(at);
    const auto listed = std::span(blocks).subspan(first_run, count - first_run);
    if (run != nullptr && std::ranges::find(listed, *run) == listed.end()) {
      blocks[count++] = *run;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    slot.cold.tcp_sack[i] = {.begin = core.receiving.to_wire(blocks[i].begin),
                             .end = core.receiving.to_wire(blocks[i].end)};
  }
  WEFT_DCHECK(count <= most);
  header.sack_blocks = static_cast<std::uint8_t>(count);
  if (count > 0) {
    slot.packet.common.flags |= wire::kHasCold;
  }
}

void TcpReceiver::fill_alone(TcpCore& core, const TransmitSlot& slot) {
  const std::uint8_t left = due_;
  const bool early = early_waits_;
  const Time delayed = delayed_at_;
  const std::uint8_t unacknowledged = unacknowledged_;
  fill(core, slot.packet.tcp);
  if (early) {
    // Of the past: what has come since stays due.
    WEFT_DCHECK(early_next_ <= next_);
    early_waits_ = false;
    acknowledged_ = early_next_;
    wire::TcpHeader& header = slot.packet.tcp;
    const auto window = (edge_ - early_next_) >> core.agreed.receive_scale;
    header.acknowledgement = core.receiving.to_wire(early_next_);
    header.window = static_cast<std::uint16_t>(std::min(window, kMaxField));
    header.flags =
        static_cast<std::uint8_t>(early_mark_ ? header.flags | wire::kTcpEce : header.flags & ~wire::kTcpEce);
    due_ = left;
    delayed_at_ = delayed;
    unacknowledged_ = unacknowledged;
    return;
  }
  due_ = left > 0 ? static_cast<std::uint8_t>(left - 1) : left;
  if (core.agreed.sack && (!ranges_.empty() || !duplicate_.empty())) {
    fill_blocks(core, slot);
  }
  duplicate_ = {};
}

}  // namespace weft::transport
