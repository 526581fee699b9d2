#include "transport/tcp/rack.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

namespace {

constexpr std::uint8_t kPersistRecoveries = 16;
constexpr std::uint8_t kMaxWindowSteps = 255;

}  // namespace

//= rfc8985 6.2
void Rack::on_delivery(const Delivery& delivery, Time now) {
  reordering_ = reordering_ || delivery.reordered;
  if (!delivery.has_newest || delivery.newest_sent < sent_ ||
      (delivery.newest_sent == sent_ && delivery.newest_end <= end_)) {
    return;
  }
  sent_ = delivery.newest_sent;
  end_ = delivery.newest_end;
  rtt_ = now - sent_;
  WEFT_DCHECK(rtt_ >= Duration::zero());
}

void Rack::on_duplicate(const TcpScoreboard& board) {
  if (board.una() < round_) {
    return;
  }
  round_ = board.next();
  steps_ = static_cast<std::uint8_t>(std::min<int>(steps_ + 1, kMaxWindowSteps));
  persist_ = kPersistRecoveries;
}

void Rack::on_recovery_exit() {
  if (persist_ > 0 && --persist_ == 0) {
    steps_ = 1;
  }
}

Duration Rack::reordering_window(const TcpScoreboard& board, const View& view) const {
  if (!reordering_ && (view.recovering || board.sacked_segments() >= kDuplicateThreshold)) {
    return Duration::zero();
  }
  return std::min(view.rtt.minimum() / 4 * steps_, view.rtt.smoothed());
}

//= rfc8985 6.2
Time Rack::detect(TcpScoreboard& board, const View& view, Time now) const {
  const Duration patience = rtt_ + reordering_window(board, view);
  const TcpSequence settled = board.settled_from();
  Time again = Time::zero();
  TcpSequence at = board.una();
  for (std::uint32_t i = 0; i < board.size(); ++i) {
    const SentSegment& segment = board[i];
    const TcpSequence end = at + segment.length;
    const bool before = segment.sent < sent_ || (segment.sent == sent_ && end < end_);
    // There segments have left in their order; what was sent again and has arrived may have left later than some.
    if (at >= settled && !before) {
      break;
    }
    at = end;
    if (!segment.in_flight() || !before) {
      continue;
    }
    const Time due = segment.sent + patience;
    if (due <= now) {
      board.mark_lost(i);
    } else {
      again = later(again, due);
    }
  }
  return again == Time::zero() ? Time::never() : again;
}

void detect_by_duplicates(TcpScoreboard& board) {
  std::uint32_t above = board.sacked_segments();
  for (std::uint32_t i = 0; i < board.size() && above >= Rack::kDuplicateThreshold; ++i) {
    const SentSegment& segment = board[i];
    if (segment.has(SentSegment::kSacked)) {
      --above;
    } else if (segment.in_flight() && !segment.has(SentSegment::kRetransmitted)) {
      board.mark_lost(i);
    }
  }
}

}  // namespace weft::transport
