// The loop that both sides of a perf run turn: packets, the side's own program, the side channel, and the idle timeout.
//
// Every wait is bounded: a peer that is silent for the idle timeout, hangs up, or sends nonsense is an error; so is the
// stop flag (`stopped()` then tells the difference).
#pragma once

#include <atomic>

#include "base/result.h"
#include "live/perf_endpoint.h"
#include "live/side_channel.h"

namespace weft::live {

/// Set from a signal handler to stop the run.
using StopFlag = std::atomic<bool>;

/// Waits for one message on a channel before any endpoint exists.
[[nodiscard]] Result<SideMessage> await_message(SideChannel& channel, Duration timeout, const StopFlag& stop);

/// What a side does between receiving and transmitting.
class PerfProgram {
 public:
  virtual ~PerfProgram() = default;
  /// Error: the connection has failed.
  virtual Result<void> step(Time now) = 0;
  /// Nothing is left to do but answer the peer.
  [[nodiscard]] virtual bool finished() const = 0;
};

class PerfSession {
 public:
  /// All must outlive the session.
  PerfSession(PerfEndpoint& endpoint, SideChannel& channel, const StopFlag& stop, Duration idle_timeout);

  /// Runs until the program has finished. A message meanwhile is an error.
  Result<void> run(PerfProgram& program);
  /// Runs the program, if any, until a message comes.
  Result<SideMessage> next_message(PerfProgram* program);

  Result<void> send(const SideMessage& message) { return channel_.send(message); }

 private:
  /// True if a message came: it is then in message_.
  Result<bool> turn(PerfProgram* program);
  Result<bool> look_at_channel(Time now);

  PerfEndpoint& endpoint_;
  SideChannel& channel_;
  const StopFlag& stop_;
  Duration idle_timeout_;
  SideMessage message_;
  Time heard_;   // when the peer was last heard of
  Time looked_;  // when the side channel was last read
  std::uint64_t received_ = 0;
};

}  // namespace weft::live
