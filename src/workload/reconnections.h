// Queue pairs that have used up their retries and are connected anew: when, how often, and how long jobs were without.
//
// The two ends agree over a management path of their own (sockets of the job's bootstrap, or another network), with the
// three messages of InfiniBand's connection manager: a request to the peer, its reply, and "ready to use". The link
// that failed does not carry them, so the exchange takes a constant time and does not fail; what fails is the next try
// of the queue pair. One exchange serves both ends, whichever notices first. Its state stays until a message has ended
// over the new connection: until then each further failure is another attempt.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/time.h"
#include "workload/connection.h"

namespace weft::workload {

class Reconnections {
 public:
  explicit Reconnections(const ReconnectPolicy& policy) : policy_(policy) {}

  /// A queue pair of a connection, named from either end; `find` and the others take the same for both.
  struct Name {
    ConnectionRequest connection{};
    std::uint32_t queue_pair = 0;
    friend auto operator<=>(const Name&, const Name&) = default;
  };
  enum class Phase : std::uint8_t {
    kWaiting,    // for the time of the request
    kRequested,  // the peer knows
    kConnected,  // and nothing has ended over the new connection yet
  };
  struct Exchange {
    Phase phase = Phase::kWaiting;
    std::uint32_t attempts = 0;
    std::uint32_t idle_ends = 0;  // connected, with nothing to send
    Time request_at{};            // at the peer
    Time ready_at{};
  };

  /// The queue pair has failed. Null: it stays in error, since all attempts were in vain. An exchange that is under way
  /// is not begun again.
  [[nodiscard]] const Exchange* begin(const Name& name, Time now);
  [[nodiscard]] Exchange* find(const Name& name);
  void on_connected(Exchange& exchange);
  /// A message has ended over it.
  void on_recovered(const Name& name, Time now);
  /// One of its ends has nothing to send; where neither has, that is all there is to wait for.
  void on_nothing_left(const Name& name, Time now);

  /// Connections that were made anew.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// How long at least one queue pair was in error, or connected anew without a message that had ended, until `end`.
  [[nodiscard]] Duration disconnected(Time end) const;

 private:
  [[nodiscard]] static Name common(const Name& name);

  ReconnectPolicy policy_;
  std::map<Name, Exchange> exchanges_;
  std::uint64_t count_ = 0;
  Time since_{};  // if there are exchanges
  Duration total_;
};

}  // namespace weft::workload
