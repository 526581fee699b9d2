// The options of `weft perf` as a user writes them, and the live options that they mean.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "live/perf_client.h"
#include "live/perf_server.h"

namespace weft::cli {

/// Options of both sides.
struct PerfSideText {
  std::uint16_t port = 18515;
  std::string transport = "roce";
  std::string key_file;
  std::optional<std::uint16_t> udp_port{};  // none: that of the transport
  std::uint32_t mtu = 4096;
  std::uint32_t ack_timeout = 14;
  std::string faults;
  std::string spin = "200us";
  std::string idle_timeout = "10s";
  std::string json;
  std::string pcap;
  bool no_offload = false;
};

struct PerfServerText {
  PerfSideText side{};
  std::string bind = "127.0.0.1";
  bool once = false;
};

struct PerfClientText {
  PerfSideText side{};
  std::string host;
  std::string bind;  // empty: the kernel chooses
  std::string op = "write";
  std::string test = "bw";
  std::string size;              // empty: the test's default
  std::uint32_t iterations = 0;  // likewise
  std::uint32_t depth = 128;
  bool all_sizes = false;
};

/// Adds the options to `app`, which writes into `text` while it parses.
void add_options(CLI::App& app, PerfServerText& text);
void add_options(CLI::App& app, PerfClientText& text);

/// Errors name the option. The tap is not set.
[[nodiscard]] Result<live::PerfServerOptions> to_options(const PerfServerText& text);
[[nodiscard]] Result<live::PerfClientOptions> to_options(const PerfClientText& text);

}  // namespace weft::cli
