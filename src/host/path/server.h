// A resource that does one thing after another: a core, a direction of PCIe, a copy engine, a memory bus.
//
// It keeps when it is taken and has no events of its own: whoever asks is told when the work will have ended, which
// then holds. Work that cannot begin yet leaves the time until then to others; work that began before it was asked for,
// because its bytes were coming in already, takes what was idle then. Exact, in integer picoseconds; a call's `now` is
// never before that of the one before.
#pragma once

#include <vector>

#include "base/assert.h"
#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::host {

class Server {
 public:
  /// Work that is asked for now and cannot begin before `start`, or began at `start` if that is past.
  struct Deferred {
    Time now;
    Time start;
  };

  /// Takes the first idle time from `now`; the instant of its end.
  Time serve(Time now, Duration work) { return serve({.now = now, .start = now}, work); }
  /// Takes the first idle time from `start`, with a pause where others have theirs.
  Time serve(Deferred when, Duration work);

  /// From when nothing is promised any more.
  [[nodiscard]] Time free_at() const { return taken_.empty() ? Time::zero() : taken_.back().end; }
  /// Work asked for that is not done at `now`.
  [[nodiscard]] Duration backlog(Time now) const;
  /// All work so far.
  [[nodiscard]] Duration busy() const { return busy_; }

 private:
  struct Interval {
    Time begin;
    Time end;
  };
  std::vector<Interval> taken_;  // in order, with idle time between; those of the past are forgotten
  Duration busy_;
  Duration lookback_;  // the furthest that work began before it was asked for: so long the past is kept
};

/// A server whose work is bytes at a rate.
class ByteServer {
 public:
  explicit ByteServer(Rate rate) : rate_(rate) {}

  Time pass(Time at, Bytes size) {
    WEFT_DCHECK(size >= Bytes::zero());
    bytes_ += size;
    return rate_ == Rate::max() ? at : server_.serve(at, rate_.transmit_time(size));
  }
  Time pass(Server::Deferred when, Bytes size) {
    bytes_ += size;
    return rate_ == Rate::max() ? when.start : server_.serve(when, rate_.transmit_time(size));
  }
  [[nodiscard]] Rate rate() const { return rate_; }
  [[nodiscard]] Time free_at() const { return server_.free_at(); }
  /// Bytes asked for that have not passed at `now`, rounded down.
  [[nodiscard]] Bytes backlog(Time now) const {
    return rate_ == Rate::max() ? Bytes::zero() : rate_.bytes_in(server_.backlog(now));
  }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  Rate rate_{};
  Server server_;
  Bytes bytes_{};
};

}  // namespace weft::host
