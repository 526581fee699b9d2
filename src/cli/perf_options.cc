#include "cli/perf_options.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

#include "base/file.h"
#include "base/format_quantity.h"
#include "base/parse_quantity.h"

namespace weft::cli {
namespace {

constexpr int kMostPort = 65'535;

/// `least`: 0 where any free port will do.
void add_side_options(CLI::App& app, PerfSideText& text, int least) {
  app.add_option("-p,--port", text.port,
                 least == 0 ? "TCP port of the side channel; 0 takes any" : "TCP port of the server's side channel")
      ->check(CLI::Range(least, kMostPort))
      ->capture_default_str();
  app.add_option("--transport", text.transport, "roce (RoCEv2) or uet (Ultra Ethernet); both sides the same")
      ->capture_default_str();
  app.add_option(
      "--encrypt", text.key_file,
      "Encrypt by TSS of Ultra Ethernet with the key in this file: 64 hexadecimal digits; both sides the same");
  app.add_option("--udp-port", text.udp_port, "UDP port of this side; 0 takes any (default: 4791, uet 4793)")
      ->check(CLI::Range(0, kMostPort));
  app.add_option("-m,--mtu", text.mtu, "Largest path MTU: 256, 512, 1024, 2048 or 4096; the path may allow less")
      ->capture_default_str();
  app.add_option("-u,--qp-timeout", text.ack_timeout, "Local ACK timeout, or of a packet over uet: 4.096 us * 2^n")
      ->check(CLI::Range(1U, 31U))
      ->capture_default_str();
  app.add_option("--faults", text.faults, "Impair outgoing packets: loss=1%,dup=1%,reorder=2%,delay=500us,seed=1");
  app.add_option("--spin", text.spin, "Longest busy polling before sleeping; 0s = never poll")->capture_default_str();
  app.add_option("--idle-timeout", text.idle_timeout, "Idle timeout of the peer")->capture_default_str();
  app.add_option("--json", text.json, "Write the result as JSON to this file; - = standard output, and nothing else");
  app.add_option("--pcap", text.pcap, "Write the packets of this side to this file (pcapng)");
  app.add_flag("--no-offload", text.no_offload, "Disable UDP segmentation and coalescing offload");
}

std::string one_of(std::span<const std::string_view> words) { return fmt::format("{}", fmt::join(words, ", ")); }

template <class Enum>
Result<Enum> word_of(std::string_view option, std::string_view word, std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end())
    return fail("{} is '{}'; allowed: {}", option, word, one_of(words));
  return static_cast<Enum>(found - words.begin());
}

Result<Duration> duration_of(std::string_view option, const std::string& text) {
  Result<Duration> parsed = parse_duration(text);
  if (!parsed)
    return tl::unexpected<Error>(std::move(parsed.error()).at(option));
  return parsed;
}

Result<security::AesKey> key_of(const std::string& file) {
  Result<std::string> text = read_file(file);
  if (!text)
    return pass_on(text);
  std::erase_if(*text, [](char c) { return c == '\n' || c == '\r' || c == ' '; });
  security::AesKey key{};
  const auto digit = [](char c) { return std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20)); };
  const bool right = text->size() == 2 * key.size() && std::ranges::all_of(*text, [](char c) {
                       return std::isxdigit(static_cast<unsigned char>(c)) != 0;
                     });
  if (!right)
    return fail("--encrypt: '{}' does not hold a key: it must be 64 hexadecimal digits (openssl rand -hex 32)", file);
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<std::byte>(digit((*text)[2 * i]) << 4 | digit((*text)[2 * i + 1]));
  return key;
}

Result<live::PerfSideOptions> side_of(const PerfSideText& text) {
  Result<live::PerfTransport> transport =
      word_of<live::PerfTransport>("--transport", text.transport, live::kPerfTransports);
  if (!transport)
    return pass_on(transport);
  live::PerfSideOptions side{.transport = *transport,
                             .udp_port = text.udp_port.value_or(live::standard_port(*transport)),
                             .ack_timeout = static_cast<std::uint8_t>(text.ack_timeout)};
  if (!text.key_file.empty()) {
    if (*transport != live::PerfTransport::kUet)
      return fail("--encrypt needs --transport uet: RoCEv2 has no encryption");
    Result<security::AesKey> key = key_of(text.key_file);
    if (!key)
      return pass_on(key);
    side.key = *key;
  }
  Result<verbs::PathMtu> mtu = verbs::path_mtu_from(Bytes(text.mtu));
  if (!mtu)
    return tl::unexpected<Error>(std::move(mtu.error()).at("--mtu"));
  side.mtu = *mtu;
  Result<live::FaultOptions> faults = live::parse_faults(text.faults);
  if (!faults)
    return tl::unexpected<Error>(std::move(faults.error()).at("--faults"));
  side.faults = *faults;
  Result<Duration> spin = duration_of("--spin", text.spin);
  if (!spin)
    return pass_on(spin);
  side.spin = *spin;
  Result<Duration> idle = duration_of("--idle-timeout", text.idle_timeout);
  if (!idle)
    return pass_on(idle);
  side.idle_timeout = *idle;
  if (text.no_offload)
    side.offload = live::UdpSocketOptions::Offload::kOff;
  return side;
}

std::uint32_t default_size(live::PerfOp op, live::PerfTest test) {
  if (live::is_atomic(op))
    return 8;
  return test == live::PerfTest::kBandwidth ? 65'536 : 2;
}

/// Bytes as digits alone, or with a unit; 0 where nothing is said.
Result<std::uint32_t> size_of(const std::string& text) {
  if (text.empty())
    return 0U;
  const bool plain = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  Result<Bytes> size = parse_bytes(plain ? text + "B" : text);
  if (!size)
    return fail("--size: {}", size.error().message);
  if (size->count() < 1 || size->count() > std::int64_t{live::PerfLimits::kMaxSize})
    return fail("--size: {} is not from 1 B to {}", text, to_string(Bytes(live::PerfLimits::kMaxSize)));
  return static_cast<std::uint32_t>(size->count());
}

Result<std::vector<live::PerfRow>> rows_of(const PerfClientText& text, const live::PerfPlan& plan) {
  std::uint32_t iterations = text.iterations;
  if (iterations == 0)
    iterations = plan.test == live::PerfTest::kBandwidth ? 5'000 : 1'000;
  if (text.all_sizes && live::is_atomic(plan.op))
    return fail("-a: an atomic has 8 bytes");
  if (!text.all_sizes)
    return std::vector<live::PerfRow>{{.size = plan.size, .iterations = iterations}};
  std::vector<live::PerfRow> rows;
  for (std::uint32_t size = 2; size <= plan.size; size *= 2)
    rows.push_back({.size = size, .iterations = iterations});
  return rows;
}

}  // namespace

void add_options(CLI::App& app, PerfServerText& text) {
  app.add_option(
         "--bind", text.bind,
         "Address to listen on; 0.0.0.0: all of this machine, where whoever can reach it may start tests and is "
         "told keys and PSNs in clear")
      ->capture_default_str();
  app.add_flag("--once", text.once, "End after the first client");
  add_side_options(app, text.side, 0);
}

void add_options(CLI::App& app, PerfClientText& text) {
  app.add_option("HOST", text.host, "The server's name or address")->required();
  app.add_option("--bind", text.bind, "Address of this machine to connect from");
  app.add_option("--op", text.op, "Operation: write, send, read, cas (compare and swap), fadd (fetch and add)")
      ->capture_default_str();
  app.add_option("--test", text.test, "bw (bandwidth) or lat (latency)")->capture_default_str();
  app.add_option(
      "-s,--size", text.size,
      "Of a message: bytes, or with a unit (64KiB), to 8 MiB (default: 65536 for bw, 2 for lat, 8 for atomics)");
  app.add_option("-n,--iters", text.iterations, "Messages of each size (default: 5000 for bw, 1000 for lat)")
      ->check(CLI::Range(1U, live::PerfLimits::kMaxIterations));
  app.add_option("-t,--tx-depth", text.depth, "Messages in flight at most (512 KiB in total, at least two)")
      ->check(CLI::Range(1U, live::PerfLimits::kMaxDepth))
      ->capture_default_str();
  app.add_flag("-a,--all", text.all_sizes, "All sizes: 2, 4, 8, ... bytes to 8 MiB, or to --size");
  add_side_options(app, text.side, 1);
}

Result<live::PerfServerOptions> to_options(const PerfServerText& text) {
  Result<live::PerfSideOptions> side = side_of(text.side);
  if (!side)
    return pass_on(side);
  Result<live::SocketAddress> local = live::SocketAddress::resolve(text.bind, text.side.port);
  if (!local)
    return pass_on(local);
  return live::PerfServerOptions{.local = *local, .side = *side};
}

Result<live::PerfClientOptions> to_options(const PerfClientText& text) {
  Result<live::PerfOp> op = word_of<live::PerfOp>("--op", text.op, live::kPerfOps);
  if (!op)
    return pass_on(op);
  Result<live::PerfTest> test = word_of<live::PerfTest>("--test", text.test, live::kPerfTests);
  if (!test)
    return pass_on(test);
  Result<std::uint32_t> size = size_of(text.size);
  if (!size)
    return pass_on(size);
  live::PerfPlan plan{.op = *op, .test = *test, .size = *size, .depth = text.depth};
  if (plan.size == 0)
    plan.size = text.all_sizes ? live::PerfLimits::kMaxSize : default_size(*op, *test);
  if (live::is_atomic(*op) && plan.size != 8)
    return fail("--size is {}; an atomic has 8 bytes", plan.size);
  Result<std::vector<live::PerfRow>> rows = rows_of(text, plan);
  if (!rows)
    return pass_on(rows);
  if (rows->empty())
    return fail("-a: the smallest size is 2 bytes; --size is {}", plan.size);
  Result<live::PerfSideOptions> side = side_of(text.side);
  if (!side)
    return pass_on(side);
  Result<live::SocketAddress> server = live::SocketAddress::resolve(text.host, text.side.port);
  if (!server) {
    const bool with_port = std::ranges::count(text.host, ':') == 1;  // an address of IPv6 has two or more
    return fail("{}{}", server.error().message, with_port ? "; give the server's port with --port" : "");
  }
  plan.transport = side->transport;
  plan.security = side->key ? live::PerfSecurity::kTss : live::PerfSecurity::kNone;
  live::PerfClientOptions options{.server = *server, .plan = plan, .rows = std::move(*rows), .side = *side};
  if (!text.bind.empty()) {
    Result<live::SocketAddress> local = live::SocketAddress::resolve(text.bind, 0);
    if (!local)
      return pass_on(local);
    options.local = *local;
  }
  return options;
}

}  // namespace weft::cli
