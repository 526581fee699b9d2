#include "tests/loopback/run_perf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace weft::test {

live::SocketAddress own_loopback(std::uint8_t which) {
  const auto pid = static_cast<std::uint32_t>(getpid()) & 0x1F'FFFFU;
  return live::SocketAddress::ipv4({.value = 0x7F80'0000U + (pid << 2) + (which & 3U)}, 0);
}

std::vector<live::PerfVisit> serve_while(live::PerfServer& server, std::size_t visits,
                                         const std::function<void()>& clients) {
  live::StopFlag stop{false};
  std::vector<live::PerfVisit> seen;
  std::thread thread([&] {
    while (seen.size() < visits) {
      Result<std::optional<live::PerfVisit>> visit = server.serve_one(stop);
      if (!visit || !*visit)
        return;
      seen.push_back(std::move(**visit));
    }
  });
  clients();
  // Clients have gone: the server notices the last one at the latest after the idle timeout.
  thread.join();
  return seen;
}

PerfOutcome run_perf(const PerfRun& run) {
  PerfOutcome outcome;
  Result<live::PerfServer> server = live::PerfServer::open({.local = run.server_address, .side = run.server});
  if (!server) {
    ADD_FAILURE() << server.error().message;
    return outcome;
  }
  const live::StopFlag stop{false};
  const std::vector<live::PerfVisit> visits = serve_while(*server, 1, [&] {
    auto report = live::run_perf_client({.server = server->local_address(),
                                         .local = run.client_address,
                                         .plan = run.plan,
                                         .rows = run.rows,
                                         .side = run.client},
                                        {}, stop);
    if (report)
      outcome.client = std::move(*report);
    else
      outcome.failure = report.error().error.message;
  });
  if (!visits.empty())
    outcome.visit = visits.front();
  return outcome;
}

}  // namespace weft::test
