// Runs a perf server and a client in one process, over real sockets on loopback addresses of their own.
//
// Ports are free ones, or the standard ones on addresses derived from the process's number: tests run in parallel.
#pragma once

#include <vector>

#include "live/perf_client.h"
#include "live/perf_server.h"

namespace weft::test {

/// An address of this process alone; `which` tells several apart.
live::SocketAddress own_loopback(std::uint8_t which);

/// Patience of tests: far longer than anything takes, far shorter than a test may last.
constexpr Duration kPatience = Duration::seconds(20);

struct PerfRun {
  live::PerfPlan plan{};
  std::vector<live::PerfRow> rows{};
  live::PerfSideOptions server{.udp_port = 0, .spin = Duration::microseconds(20), .idle_timeout = kPatience};
  live::PerfSideOptions client{.udp_port = 0, .spin = Duration::microseconds(20), .idle_timeout = kPatience};
  live::SocketAddress server_address = own_loopback(0);
  live::SocketAddress client_address = own_loopback(1);

  /// Of the plan and of both sides.
  void set_transport(live::PerfTransport transport) {
    plan.transport = server.transport = client.transport = transport;
  }
  void set_key(const security::AesKey& key) {
    server.key = client.key = key;
    plan.security = live::PerfSecurity::kTss;
  }
};

struct PerfOutcome {
  std::optional<live::PerfClientReport> client{};
  std::string failure{};  // why there is no report
  live::PerfVisit visit{};
};

/// One client's visit from begin to end.
PerfOutcome run_perf(const PerfRun& run);

/// A server in a thread of its own that serves `visits` clients.
std::vector<live::PerfVisit> serve_while(live::PerfServer& server, std::size_t visits,
                                         const std::function<void()>& clients);

}  // namespace weft::test
