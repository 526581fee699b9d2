#include <algorithm>

#include "base/assert.h"
#include "transport/tcp/tcp_sender.h"

namespace weft::transport {

namespace {

constexpr int kMaxDoublings = 30;

}  // namespace

//= rfc6298 5
Duration TcpSender::backed_off(const TcpCore& core) const {
  Duration timeout = rtt_.timeout();
  for (int i = 0; i < backoff_ && timeout < core.options.maximum_rto; ++i) {
    timeout += timeout;
  }
  return std::min(timeout, core.options.maximum_rto);
}

//= rfc8985 7.2
bool TcpSender::tail_probe_wanted(const TcpCore& core) const {
  return uses_rack(core) && open_ && recovery_ == Recovery::kOpen && probe_end_ == 0 && board_.sacked() == 0 &&
         board_.lost() == 0 && rtt_.smoothed() > Duration::zero();
}

void TcpSender::arm(const TcpCore& core, Time now) {
  const Duration timeout = backed_off(core);
  if (board_.outstanding() > 0) {
    timer_ = Timer::kRetransmission;
    timer_at_ = now + timeout;
    if (tail_probe_wanted(core)) {
      // A lone segment may wait for its acknowledgement as long as the peer delays those.
      const Duration wait = board_.size() == 1 ? core.options.delayed_ack.longest : Duration::zero();
      if (const Duration probe = 2 * rtt_.smoothed() + wait; probe < timeout) {
        timer_ = Timer::kTailProbe;
        timer_at_ = now + probe;
      }
    }
  } else if (open_ && (unsent() > 0 || fin_unsent()) &&
             edge_ - board_.next() < std::clamp<std::int64_t>(unsent(), 1, core.room())) {
    timer_ = Timer::kWindowProbe;
    timer_at_ = now + timeout;
  } else {
    timer_ = Timer::kNone;
    timer_at_ = Time::never();
  }
}

TcpSender::Verdict TcpSender::on_timeout(TcpCore& core, Time now) {
  stale_ = true;
  if (reorder_at_ <= now) {
    reorder_at_ = Time::never();
    find_losses(core, now);
    report(core, {}, {.rtt = -Duration::picoseconds(1), .lost = true}, now);
  }
  if (timer_at_ > now) {
    return Verdict::kGoesOn;
  }
  switch (timer_) {
    case Timer::kNone:
      return Verdict::kGoesOn;
    case Timer::kRetransmission:
      return retransmission_timeout(core, now);
    case Timer::kTailProbe:
      tail_probe_ = true;
      timer_ = Timer::kRetransmission;
      timer_at_ = now + backed_off(core);
      return Verdict::kGoesOn;
    case Timer::kWindowProbe:
      return window_probe_timeout(core, now);
  }
  return Verdict::kGoesOn;
}

//= rfc6298 5
TcpSender::Verdict TcpSender::retransmission_timeout(TcpCore& core, Time now) {
  WEFT_DCHECK(board_.outstanding() > 0);
  if (attempts_ >= (open_ ? core.options.retries : core.options.syn_retries)) {
    return Verdict::kGivesUp;
  }
  ++attempts_;
  ++core.counters.timeouts;
  backoff_ = static_cast<std::uint8_t>(std::min<int>(backoff_ + 1, kMaxDoublings));
  probe_end_ = 0;
  tail_probe_ = false;
  duplicates_ = 0;
  if (open_) {
    if (core.options.congestion_control != nullptr) {
      core.options.congestion_control->on_retransmission_timeout(Bytes(std::min(board_.outstanding(), window_)), now);
    }
    // A second timeout leaves the time of the first retransmission as it is.
    if (recovery_ != Recovery::kTimeout) {
      undo_possible_ = recovery_ == Recovery::kOpen;
      stamp_pending_ = true;
    }
    recovery_ = Recovery::kTimeout;
    recovery_point_ = board_.next();
    refresh_window(core);
  }
  if (core.options.plb != nullptr) {
    core.options.plb->on_timeout(now);
    core.entropy = core.options.plb->label();
  }
  board_.mark_all_lost();
  not_before_ = Time::zero();
  reorder_at_ = Time::never();
  timer_ = Timer::kRetransmission;
  timer_at_ = now + backed_off(core);
  return Verdict::kGoesOn;
}

//= rfc9293 3.8.6.1
TcpSender::Verdict TcpSender::window_probe_timeout(TcpCore& core, Time now) {
  WEFT_DCHECK(open_);
  if (attempts_ >= core.options.retries) {
    return Verdict::kGivesUp;
  }
  if (!ready(core)) {
    backoff_ = static_cast<std::uint8_t>(std::min<int>(backoff_ + 1, kMaxDoublings));
    if (edge_ > board_.next()) {
      small_segment_ = true;
    } else {
      ++attempts_;
      window_probe_ = true;
    }
  }
  arm(core, now);
  return Verdict::kGoesOn;
}

}  // namespace weft::transport
