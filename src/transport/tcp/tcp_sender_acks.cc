#include <algorithm>

#include "base/assert.h"
#include "transport/tcp/tcp_sender.h"

namespace weft::transport {

/// Returns whether it changed, which makes an acknowledgement no duplicate.
//= rfc9293 3.10.7.4
bool TcpSender::update_peer_window(const TcpAck& ack) {
  const TcpSequence edge = ack.acknowledged + ack.window;
  const bool newer =
      ack.acknowledged > board_.una() || ack.sequence > window_from_ || (ack.sequence == window_from_ && edge > edge_);
  if (!newer) {
    return false;
  }
  window_from_ = ack.sequence;
  largest_window_ = std::max(largest_window_, ack.window);
  const bool changed = edge != edge_;
  edge_ = edge;
  return changed;
}

void TcpSender::read_blocks(const TcpCore& core, const TcpAck& ack, const AckEvidence& evidence, Delivery& delivery) {
  bool first = true;
  for (const wire::TcpSackBlock& block : ack.sack) {
    const TcpSequence begin = core.sending.from_wire(block.begin, board_.una());
    const TcpSequence end = begin + static_cast<std::int32_t>(block.end - block.begin);
    //= rfc2883 4
    if (first && end <= ack.acknowledged && begin < end) {
      duplicate_seen_ = true;
    } else if (first && ack.sack.size() > 1) {
      const TcpSequence around = core.sending.from_wire(ack.sack[1].begin, board_.una());
      duplicate_seen_ =
          around <= begin && end <= around + static_cast<std::int32_t>(ack.sack[1].end - ack.sack[1].begin);
    }
    first = false;
    board_.sack(begin, end, evidence, delivery);
  }
  if (duplicate_seen_) {
    rack_.on_duplicate(board_);
  }
}

/// Without SACK each duplicate says that one more segment has left the network.
//= rfc6582 3.2
void TcpSender::count_duplicate(const TcpCore& core, Delivery& delivery) {
  if (recovery_ == Recovery::kTimeout) {
    return;
  }
  board_.assume_delivered(core.room());
  delivery.bytes += core.room();
  if (recovery_ == Recovery::kOpen && ++duplicates_ == Rack::kDuplicateThreshold && board_.una() >= recovery_point_ &&
      board_[0].in_flight()) {
    board_.mark_lost(0);
  }
}

Duration TcpSender::measure(const TcpCore& core, const TcpAck& ack, const Delivery& delivery, Time now) {
  Duration sample = -Duration::picoseconds(1);
  if (delivery.has_sample) {
    sample = now - delivery.sample_sent;
  } else if (ack.has_echo && delivery.acknowledged > 0) {
    //= rfc7323 4
    const auto ticks = static_cast<std::int32_t>(core.timestamp(now) - ack.echo);
    sample = ticks >= 0 ? core.options.timestamp_unit * ticks : sample;
  }
  if (sample >= Duration::zero()) {
    rtt_.add(sample, core.rto_limits());
  }
  return sample;
}

/// The acknowledgement answers a segment that left before the first retransmission: nothing had been lost.
//= rfc3522 3.2
bool TcpSender::was_spurious(const TcpAck& ack) const {
  if (!undo_possible_) {
    return false;
  }
  if (stamp_pending_) {
    return board_.lost() == 0;
  }
  return ack.has_echo && static_cast<std::int32_t>(ack.echo - undo_stamp_) < 0;
}

void TcpSender::undo(TcpCore& core, Time now) {
  ++core.counters.spurious_recoveries;
  board_.unmark_lost();
  rack_.on_late_arrival();
  if (core.options.congestion_control != nullptr) {
    core.options.congestion_control->on_undo(now);
  }
  leave_recovery(core);
}

void TcpSender::leave_recovery(const TcpCore& core) {
  recovery_ = Recovery::kOpen;
  undo_possible_ = false;
  stamp_pending_ = false;
  duplicates_ = 0;
  board_.clear_assumed_delivered();
  rack_.on_recovery_exit();
  refresh_window(core);
}

/// After progress in sequence.
void TcpSender::advance(TcpCore& core, const TcpAck& ack, Time now) {
  attempts_ = 0;
  backoff_ = 0;
  if (recovery_ == Recovery::kOpen) {
    duplicates_ = 0;
    board_.clear_assumed_delivered();
    return;
  }
  if (was_spurious(ack)) {
    undo(core, now);
    return;
  }
  if (!stamp_pending_) {
    undo_possible_ = false;
  }
  if (board_.una() >= recovery_point_) {
    leave_recovery(core);
  } else if (recovery_ == Recovery::kFast && !core.agreed.sack && board_[0].in_flight()) {
    // The first segment that a partial acknowledgement leaves is lost too.
    //= rfc6582 3.2
    board_.mark_lost(0);
  }
}

//= rfc8985 7.4.2
void TcpSender::settle_tail_probe(const TcpCore& core, const TcpAck& ack, bool advances, Time now) {
  if (ack.acknowledged < probe_end_) {
    return;
  }
  const bool repaired = probe_resent_ && !duplicate_seen_ && ack.acknowledged > probe_end_;
  if (!probe_resent_ || duplicate_seen_ || repaired || (ack.sack.empty() && !ack.occupies && !advances)) {
    probe_end_ = 0;
  }
  if (repaired && recovery_ == Recovery::kOpen && core.options.congestion_control != nullptr) {
    core.options.congestion_control->on_fast_recovery(Bytes(board_.outstanding()), now);
    refresh_window(core);
  }
}

void TcpSender::find_losses(TcpCore& core, Time now) {
  const std::int64_t before = board_.lost();
  if (uses_rack(core)) {
    reorder_at_ = rack_.detect(board_, {.rtt = rtt_, .recovering = recovery_ != Recovery::kOpen}, now);
  } else if (core.agreed.sack) {
    detect_by_duplicates(board_);
  }
  if (board_.lost() > 0 && recovery_ == Recovery::kOpen && open_) {
    enter_fast_recovery(core, now);
  }
  if (board_.lost() > before) {
    tail_probe_ = false;
  }
}

void TcpSender::enter_fast_recovery(TcpCore& core, Time now) {
  ++core.counters.fast_recoveries;
  recovery_ = Recovery::kFast;
  recovery_point_ = board_.next();
  undo_possible_ = true;
  stamp_pending_ = true;
  probe_end_ = 0;
  TcpCongestionControl* const control = core.options.congestion_control;
  if (control == nullptr) {
    return;
  }
  const std::int64_t flight = std::min(board_.outstanding(), window_);
  control->on_fast_recovery(Bytes(flight), now);
  reduction_.start({.flight = flight, .threshold = control->window().count()});
  //= rfc3168 6.1.2
  reduced_mark_ = core.agreed.ecn != TcpEcn::kOff;
}

//= rfc3168 6.1.2
void TcpSender::react_to_mark(TcpCore& core, Time now) {
  if (board_.una() <= reduction_point_ && reduction_point_ > 0) {
    return;
  }
  reduction_point_ = board_.next();
  reduced_mark_ = true;
  if (recovery_ == Recovery::kOpen) {
    ++core.counters.mark_reductions;
    core.options.congestion_control->on_congestion(now);
  }
}

void TcpSender::on_ack(TcpCore& core, const TcpAck& ack, Time now) {
  WEFT_DCHECK(ack.acknowledged <= board_.next() && ack.window >= 0);  // checked by TcpConnection
  stale_ = true;
  const AckEvidence evidence{.now = now,
                             .minimum_rtt = rtt_.minimum(),
                             .timestamp_unit = core.options.timestamp_unit,
                             .room = core.room(),
                             .echo = ack.echo,
                             .has_echo = ack.has_echo};
  const bool advances = ack.acknowledged > board_.una();
  const bool limited = board_.una() < limited_until_;
  const bool window_changed = update_peer_window(ack);
  duplicate_seen_ = false;
  Delivery delivery;
  delivery.received_to = board_.received_to();
  if (advances) {
    board_.acknowledge(ack.acknowledged, evidence, delivery);
  }
  if (!ack.sack.empty() && core.agreed.sack) {
    read_blocks(core, ack, evidence, delivery);
  }
  if (!advances && !window_changed && !ack.occupies && board_.outstanding() > 0) {
    ++core.counters.duplicate_acks_received;
    if (!core.agreed.sack) {
      count_duplicate(core, delivery);
    }
  }
  Duration sample = -Duration::picoseconds(1);
  if (delivery.bytes > 0) {
    tail_probe_ = false;  // the answer that it was to call for has come
    sample = measure(core, ack, delivery, now);
    rack_.on_delivery(delivery, now);
  }
  if (advances) {
    advance(core, ack, now);
  } else if (board_.outstanding() == 0) {
    attempts_ = 0;
    backoff_ = edge_ > board_.next() ? 0 : backoff_;  // probes of a closed window say nothing of the path
  }
  if (probe_end_ != 0) {
    settle_tail_probe(core, ack, advances, now);
  }
  const std::int64_t lost_before = board_.lost();
  reorder_at_ = Time::never();
  if (board_.lost() > 0 || board_.settled_from() > board_.una()) {
    find_losses(core, now);
  }
  report(core, ack,
         {.rtt = sample,
          .delivered = delivery.bytes,
          .acknowledged = delivery.acknowledged,
          .limited = limited,
          .lost = board_.lost() > lost_before},
         now);
  if (delivery.bytes > 0 || board_.outstanding() == 0) {
    arm(core, now);
  }
  WEFT_DCHECK(consistent());
}

void TcpSender::tell_plb(TcpCore& core, const TcpAck& ack, const Outcome& outcome, Time now) const {
  core.options.plb->on_delivery({.bytes = outcome.delivered,
                                 .unacknowledged = board_.una(),
                                 .next = board_.next(),
                                 .mark = ack.echoes_mark ? PathMark::kMarked : PathMark::kNone},
                                now);
  core.entropy = core.options.plb->label();
}

/// Tells the congestion control, and takes over its window.
void TcpSender::report(TcpCore& core, const TcpAck& ack, const Outcome& outcome, Time now) {
  TcpCongestionControl* const control = core.options.congestion_control;
  if (!open_ || control == nullptr) {
    return;
  }
  if (core.options.plb != nullptr) [[unlikely]] {
    tell_plb(core, ack, outcome, now);
  }
  if (outcome.acknowledged > 0) {
    control->on_tcp_ack(
        {.rtt = outcome.rtt,
         .smoothed_rtt = rtt_.smoothed(),
         .minimum_rtt = rtt_.minimum(),
         .acknowledged = Bytes(outcome.acknowledged),
         .sequence = board_.una(),
         .next = board_.next(),
         .may_grow = outcome.limited && recovery_ != Recovery::kFast && board_.una() >= reduction_point_,
         .echoes_mark = ack.echoes_mark},
        now);
  }
  if (ack.echoes_mark && core.agreed.ecn != TcpEcn::kOff) {
    react_to_mark(core, now);
  }
  if (recovery_ == Recovery::kFast) {
    window_ = reduction_.window({.delivered = outcome.delivered,
                                 .in_flight = board_.in_flight(),
                                 .segment = core.room(),
                                 .advanced = outcome.acknowledged > 0 && !outcome.lost});
  } else {
    refresh_window(core);
  }
}

}  // namespace weft::transport
