// The server of perf runs: serves clients one after another, whether they succeed or fail, in the order in which they
// say what they want. Who connects and says nothing, or says it slowly, holds up nobody.
#pragma once

#include <optional>
#include <vector>

#include "live/perf_client.h"
#include "live/perf_endpoint.h"
#include "live/perf_session.h"
#include "live/side_channel.h"

namespace weft::live {

struct PerfServerOptions {
  SocketAddress local{};  // of the side channel
  PerfSideOptions side{};
};

/// One client's visit.
struct PerfVisit {
  PerfConnection connection{};  // `peer` is known in any case
  std::uint32_t rows = 0;       // rows that ended
  std::uint64_t wrong = 0;
  PerfCounters counters{};
  std::optional<Error> error{};  // nothing: the client said goodbye
};

class PerfServer {
 public:
  /// Error: the TCP port is in use.
  static Result<PerfServer> open(const PerfServerOptions& options);

  [[nodiscard]] const SocketAddress& local_address() const { return listener_.local_address(); }

  /// Waits for a client and serves it until it has gone. Nothing if `stop` was set before one came. Error: no
  /// connection can be accepted any more.
  Result<std::optional<PerfVisit>> serve_one(const StopFlag& stop);

 private:
  PerfServer(const PerfServerOptions& options, SideListener listener)
      : options_(options), listener_(std::move(listener)) {}
  /// A client that has not said yet what it wants.
  struct Newcomer {
    SideChannel channel;
    Time since;
  };
  /// Clients that wait for a turn; more are left to the kernel's queue.
  static constexpr std::size_t kMostNewcomers = 256;

  /// Takes in who has connected. Error: no connection can be accepted any more.
  Result<void> admit();
  /// Who is to be served next, or has to be sent away; nothing: nobody yet.
  std::optional<PerfVisit> next_visit(const StopFlag& stop);
  void wait_for_news() const;
  Result<void> greet(SideChannel& channel, const SideMessage& message, PerfVisit& visit, const StopFlag& stop);
  Result<void> serve(SideChannel& channel, const Hello& hello, PerfVisit& visit, const StopFlag& stop);
  Result<void> serve_rows(PerfEndpoint& endpoint, SideChannel& channel, PerfVisit& visit, const StopFlag& stop);

  PerfServerOptions options_;
  SideListener listener_;
  Clock clock_;
  std::vector<Newcomer> newcomers_;  // in the order in which they came
};

}  // namespace weft::live
