// The client of a perf run, from connecting to the last figure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "live/perf_endpoint.h"
#include "live/perf_report.h"
#include "live/perf_session.h"

namespace weft::live {

struct PerfClientOptions {
  SocketAddress server{};
  std::optional<SocketAddress> local{};  // to connect from; nothing: the kernel chooses
  PerfPlan plan{};                       // its size is the largest of the rows
  std::vector<PerfRow> rows{};
  PerfSideOptions side{};
};

/// What is known once the connection stands.
struct PerfConnection {
  PerfPlan plan{};
  SocketAddress local{};
  SocketAddress peer{};
  std::int64_t mtu = 0;
  std::uint32_t local_qpn = 0;
  std::uint32_t peer_qpn = 0;
};

struct PerfClientReport {
  PerfConnection connection{};
  std::vector<RowResult> rows{};
  PerfCounters counters{};

  [[nodiscard]] std::uint64_t wrong() const;
};

/// Called as things become known; either may be empty.
struct PerfListener {
  std::function<void(const PerfConnection&)> on_connected{};
  std::function<void(const PerfConnection&, const RowResult&)> on_row{};
};

/// Why a run ended early.
struct PerfFailure {
  enum class Stage : std::uint8_t { kConnecting, kRunning };
  Stage stage = Stage::kConnecting;
  Error error;
};

/// Runs every row. Wrong data are no failure: the report counts them.
[[nodiscard]] tl::expected<PerfClientReport, PerfFailure> run_perf_client(const PerfClientOptions& options,
                                                                          const PerfListener& listener,
                                                                          const StopFlag& stop);

}  // namespace weft::live
