#include "fabric/control/session_stream.h"

#include <algorithm>

#include "base/assert.h"
#include "wire/packet.h"

namespace weft::fabric {

void SessionStream::open(std::uint32_t first, Time now) {
  listen(first);
  state_ = State::kSynSent;
  owes_syn_ = true;
  restart_timer(now);
}

void SessionStream::listen(std::uint32_t first) {
  close(Tells::kNothing);
  state_ = State::kListening;
  first_ = next_ = first;
  timeout_ = options_.first_timeout;
}

void SessionStream::establish(std::uint32_t expected) {
  WEFT_ASSERT(state_ == State::kListening);
  state_ = State::kOpen;
  expected_ = expected;
}

void SessionStream::close(Tells tells) {
  owes_reset_ = tells == Tells::kReset && state_ >= State::kSynReceived;
  reset_sequence_ = next_;
  state_ = State::kClosed;
  unacknowledged_.clear();
  received_.clear();
  owes_syn_ = false;
  owes_acknowledgement_ = false;
  timeout_at_ = Time::never();
}

void SessionStream::write(std::span<const std::byte> bytes) {
  WEFT_DCHECK(is_open());
  unacknowledged_.insert(unacknowledged_.end(), bytes.begin(), bytes.end());
}

void SessionStream::restart_timer(Time now) { timeout_at_ = now + timeout_; }

void SessionStream::take_acknowledgement(std::uint32_t acknowledgement, Time now) {
  const std::uint32_t acknowledged = acknowledgement - first_;
  // After a timeout next_ has gone back, and the peer may have more than was sent since.
  if (acknowledged == 0 || acknowledged > unacknowledged_.size()) {
    return;
  }
  unacknowledged_.erase(unacknowledged_.begin(), unacknowledged_.begin() + static_cast<std::ptrdiff_t>(acknowledged));
  first_ = acknowledgement;
  if (static_cast<std::int32_t>(next_ - first_) < 0) {
    next_ = first_;
  }
  timeout_ = options_.first_timeout;
  if (next_ == first_) {
    timeout_at_ = Time::never();
  } else {
    restart_timer(now);
  }
}

// A connection's SYN takes one number, as in TCP.
bool SessionStream::on_handshake(const Segment& segment, Time now) {
  const bool syn = (segment.flags & wire::kTcpSyn) != 0;
  const bool acknowledges = (segment.flags & wire::kTcpAck) != 0;
  if (state_ == State::kListening || state_ == State::kSynReceived) {
    if (syn && !acknowledges) {
      expected_ = segment.sequence + 1;
      state_ = State::kSynReceived;
      owes_syn_ = true;
      restart_timer(now);
      return true;
    }
    if (state_ == State::kListening || !acknowledges || segment.acknowledgement != first_ + 1) {
      return true;
    }
  } else if (!syn || !acknowledges || segment.acknowledgement != first_ + 1) {
    return true;
  } else {
    expected_ = segment.sequence + 1;
    owes_acknowledgement_ = true;
  }
  state_ = State::kOpen;
  owes_syn_ = false;
  ++first_;
  next_ = first_;
  timeout_ = options_.first_timeout;
  timeout_at_ = Time::never();
  return true;
}

bool SessionStream::on_segment(const Segment& segment, Time now) {
  if (state_ == State::kClosed) {
    return true;
  }
  if ((segment.flags & wire::kTcpRst) != 0) {
    if (state_ == State::kListening) {
      return true;
    }
    close(Tells::kNothing);
    return false;
  }
  if (state_ != State::kOpen && !on_handshake(segment, now)) {
    return false;
  }
  if (state_ != State::kOpen) {
    return true;
  }
  if ((segment.flags & wire::kTcpSyn) != 0) {
    if ((segment.flags & wire::kTcpAck) == 0) {
      // The peer has begun anew: what was known of it is worth nothing.
      close(Tells::kNothing);
      return false;
    }
    owes_acknowledgement_ = true;  // its SYN again, for our acknowledgement was lost
    return true;
  }
  if ((segment.flags & wire::kTcpAck) != 0) {
    take_acknowledgement(segment.acknowledgement, now);
  }
  if (!segment.bytes.empty()) {
    owes_acknowledgement_ = true;
    const std::uint32_t known = expected_ - segment.sequence;
    if (known < segment.bytes.size()) {
      received_.insert(received_.end(), segment.bytes.begin() + static_cast<std::ptrdiff_t>(known),
                       segment.bytes.end());
      expected_ += static_cast<std::uint32_t>(segment.bytes.size()) - known;
    }
  }
  return true;
}

std::optional<Segment> SessionStream::poll(Time now) {
  if (owes_reset_) {
    owes_reset_ = false;
    return Segment{.sequence = reset_sequence_, .flags = wire::kTcpRst};
  }
  if (owes_syn_) {
    owes_syn_ = false;
    const bool answers = state_ == State::kSynReceived;
    return Segment{.sequence = first_,
                   .acknowledgement = answers ? expected_ : 0,
                   .flags = static_cast<std::uint8_t>(wire::kTcpSyn | (answers ? wire::kTcpAck : 0))};
  }
  if (state_ != State::kOpen) {
    return std::nullopt;
  }
  const std::uint32_t under_way = next_ - first_;
  const std::uint32_t sendable =
      std::min<std::uint32_t>({options_.segment_bytes, static_cast<std::uint32_t>(unacknowledged_.size()) - under_way,
                               options_.window_bytes - std::min(options_.window_bytes, under_way)});
  if (sendable == 0 && !owes_acknowledgement_) {
    return std::nullopt;
  }
  owes_acknowledgement_ = false;
  Segment segment{.sequence = next_, .acknowledgement = expected_, .flags = wire::kTcpAck};
  if (sendable > 0) {
    const auto from = unacknowledged_.begin() + static_cast<std::ptrdiff_t>(under_way);
    segment.bytes.assign(from, from + static_cast<std::ptrdiff_t>(sendable));
    segment.flags |= wire::kTcpPsh;
    next_ += sendable;
    if (timeout_at_.is_never()) {
      restart_timer(now);
    }
  }
  return segment;
}

void SessionStream::on_timeout(Time now) {
  if (timeout_at_ > now) {
    return;
  }
  ++retransmissions_;
  timeout_ = std::min(timeout_ * 2, options_.last_timeout);
  restart_timer(now);
  if (state_ == State::kOpen) {
    next_ = first_;
  } else {
    owes_syn_ = true;
  }
}

}  // namespace weft::fabric
