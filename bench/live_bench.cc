// The RC engine over UDP sockets beside kernel TCP, in one run: half round trip at 8 bytes, bandwidth at 64 KiB and
// above.
//
// Two threads, one connection. By default over 127.0.0.1; bench/live-veth runs it over a veth pair by naming, in the
// environment, an address and a network namespace for each side: WEFT_LIVE_SERVER, WEFT_LIVE_SERVER_NETNS,
// WEFT_LIVE_CLIENT, WEFT_LIVE_CLIENT_NETNS. Kernel TCP waits in the kernel as qperf does ("blocking"), or polls as weft
// does ("polling"). Every benchmark reports a time or a rate of its own; google-benchmark's own columns are of one run.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "live/perf_client.h"
#include "live/perf_server.h"

namespace {

using namespace weft;

struct Side {
  live::SocketAddress address;
  std::string netns;
};

std::string variable(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

Side side_of(const char* address, const char* netns, const char* otherwise) {
  return {.address = live::SocketAddress::resolve(variable(address, otherwise), 0).value(),
          .netns = variable(netns, "")};
}

Side server_side() { return side_of("WEFT_LIVE_SERVER", "WEFT_LIVE_SERVER_NETNS", "127.0.0.1"); }
Side client_side() { return side_of("WEFT_LIVE_CLIENT", "WEFT_LIVE_CLIENT_NETNS", "127.0.0.1"); }

/// Moves the calling thread, whose later sockets belong there.
void enter(const Side& side) {
  if (side.netns.empty())
    return;
  const live::FileDescriptor netns(open(("/run/netns/" + side.netns).c_str(), O_RDONLY | O_CLOEXEC));
  WEFT_ASSERT(netns.is_open() && setns(netns.get(), CLONE_NEWNET) == 0);
}

enum class Waiting { kBlocking, kPolling };

/// A TCP connection, its server's end in a thread that runs `serve`, its client's end in one that runs `work`.
template <class Serve, class Work>
void over_tcp(Serve serve, Work work) {
  const Side server = server_side();
  const Side client = client_side();
  int listener = -1;
  std::thread([&] {
    enter(server);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    WEFT_ASSERT(bind(listener, server.address.data(), server.address.size()) == 0 && listen(listener, 1) == 0);
  }).join();
  sockaddr_storage bound{};
  socklen_t size = sizeof(bound);
  WEFT_ASSERT(getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &size) == 0);
  const auto no_delay = [](int fd) {
    const int on = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  };
  std::thread server_thread([&] {
    const live::FileDescriptor fd(accept(listener, nullptr, nullptr));
    no_delay(fd.get());
    serve(fd.get());
  });
  std::thread client_thread([&] {
    enter(client);
    const live::FileDescriptor fd(socket(AF_INET, SOCK_STREAM, 0));
    const live::SocketAddress to = live::SocketAddress::from(bound);
    WEFT_ASSERT(connect(fd.get(), to.data(), to.size()) == 0);
    no_delay(fd.get());
    work(fd.get());
  });
  client_thread.join();
  server_thread.join();
  close(listener);
}

bool read_all(int fd, std::span<std::byte> out, Waiting waiting) {
  while (!out.empty()) {
    const ssize_t got = recv(fd, out.data(), out.size(), waiting == Waiting::kPolling ? MSG_DONTWAIT : 0);
    if (got == 0)
      return false;
    if (got > 0)
      out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

void write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put <= 0)
      return;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

constexpr std::size_t kPing = 8;
constexpr int kPings = 20'000;

void tcp_latency(benchmark::State& state, Waiting waiting) {
  for (auto _ : state) {
    std::vector<Duration> samples;
    const auto echo = [waiting](int fd) {
      std::array<std::byte, kPing> message{};
      while (read_all(fd, message, waiting))
        write_all(fd, message);
    };
    const auto ping = [waiting, &samples](int fd) {
      const live::Clock clock;
      std::array<std::byte, kPing> message{};
      for (int i = 0; i < kPings; ++i) {
        const Time begin = clock.now();
        write_all(fd, message);
        (void)read_all(fd, message, waiting);
        samples.push_back((clock.now() - begin) / 2);
      }
    };
    over_tcp(echo, ping);
    const live::LatencyFigures figures = live::latency_of(samples);
    state.counters["half_rtt_us"] = figures.typical;
    state.counters["p99_us"] = figures.percentile_99;
  }
}

constexpr std::int64_t kVolume = std::int64_t{2} << 30;

void tcp_bandwidth(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    Duration took;
    const auto sink = [size, &took](int fd) {
      const live::Clock clock;
      std::vector<std::byte> message(size);
      (void)read_all(fd, std::span(message).first(1), Waiting::kBlocking);
      const Time begin = clock.now();
      while (read_all(fd, message, Waiting::kBlocking)) {
      }
      took = clock.now() - begin;
    };
    const auto source = [size](int fd) {
      const std::vector<std::byte> message(size);
      for (std::int64_t sent = 0; sent < kVolume; sent += static_cast<std::int64_t>(size))
        write_all(fd, message);
    };
    over_tcp(sink, source);
    state.counters["Gbps"] = static_cast<double>(kVolume) * 8e-9 / took.seconds();
  }
}

live::PerfClientReport run_weft(const live::PerfPlan& plan, live::PerfRow row) {
  const Side server = server_side();
  const Side client = client_side();
  const live::StopFlag stop{false};
  std::optional<live::PerfServer> listening;
  std::thread([&] {
    enter(server);
    listening.emplace(live::PerfServer::open({.local = server.address, .side = {.udp_port = 0}}).value());
  }).join();
  std::thread server_thread([&] {
    enter(server);
    (void)listening->serve_one(stop);
  });
  live::PerfClientReport report;
  std::thread client_thread([&] {
    enter(client);
    const auto ran = live::run_perf_client({.server = listening->local_address(),
                                            .local = client.address,
                                            .plan = plan,
                                            .rows = {row},
                                            .side = {.udp_port = 0}},
                                           {}, stop);
    WEFT_ASSERT(ran.has_value() && ran->wrong() == 0);
    report = *ran;
  });
  client_thread.join();
  server_thread.join();
  return report;
}

void weft_latency(benchmark::State& state, live::PerfOp op) {
  for (auto _ : state) {
    const live::PerfClientReport report =
        run_weft({.op = op, .test = live::PerfTest::kLatency, .size = kPing}, {.size = kPing, .iterations = kPings});
    state.counters["half_rtt_us"] = report.rows.front().latency.typical;
    state.counters["p99_us"] = report.rows.front().latency.percentile_99;
  }
}

void weft_bandwidth(benchmark::State& state, live::PerfOp op) {
  const auto size = static_cast<std::uint32_t>(state.range(0));
  for (auto _ : state) {
    const live::PerfClientReport report =
        run_weft({.op = op, .size = size}, {.size = size, .iterations = static_cast<std::uint32_t>(kVolume / size)});
    state.counters["Gbps"] = report.rows.front().bandwidth.average_gbps;
    state.counters["retransmitted"] = report.counters.rc.retransmitted_packets;
  }
}

constexpr std::int64_t k64KiB = 64 << 10;
constexpr std::int64_t k1MiB = 1 << 20;

BENCHMARK_CAPTURE(tcp_latency, blocking, Waiting::kBlocking)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tcp_latency, polling, Waiting::kPolling)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(weft_latency, write, live::PerfOp::kWrite)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(weft_latency, send, live::PerfOp::kSend)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(tcp_bandwidth)->Arg(k64KiB)->Arg(k1MiB)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(weft_bandwidth, write, live::PerfOp::kWrite)
    ->Arg(k64KiB)
    ->Arg(k1MiB)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
