// Connection matrices of htsim: files of its programs with one flow for each line.
//
//   Nodes 16
//   Connections 2
//   Triggers 1
//   0->1 id 1 start 0 size 2000000 send_done_trigger 1
//   1->2 id 2 trigger 1 size 2000000
//   trigger id 1 oneshot
//   failure switch_type AGG switch_id 0 link_id 0
//
// The counts of the header must be those of the lines. A flow starts at a time or by a trigger; htsim_uec reads whole
// microseconds and drops the rest, other programs of the family read picoseconds. Source: htsim of the Ultra Ethernet
// Consortium, 40ccb05.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_size.h"
#include "base/result.h"
#include "base/time.h"
#include "study/import/htsim_lines.h"
#include "workload/trigger.h"

namespace weft::study::import {

/// What a start in a connection matrix counts.
enum class HtsimStart : std::uint8_t { kMicroseconds, kPicoseconds };

struct MatrixConnection {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  Bytes size{};  // 1 B to 2^31 - 1
  Duration start{};
  std::optional<std::uint32_t> id{};  // above 0, of one flow alone
  std::optional<std::uint32_t> trigger{};
  std::optional<std::uint32_t> send_done_trigger{};
  std::optional<std::uint32_t> recv_done_trigger{};
  std::size_t line = 0;
};

struct MatrixTrigger {
  std::uint32_t id = 0;
  workload::TriggerKind kind = workload::TriggerKind::kOneshot;
  std::uint32_t count = 1;  // of a barrier
  std::size_t line = 0;
};

/// A link upwards from an aggregation switch that does not work.
struct MatrixFailure {
  std::uint32_t switch_id = 0;
  std::uint32_t link_id = 0;
  std::size_t line = 0;
};

struct ConnectionMatrix {
  std::uint32_t nodes = 0;
  std::vector<MatrixConnection> connections;
  std::vector<MatrixTrigger> triggers;
  std::vector<MatrixFailure> failures;
  // What the reference reads and does nothing with, or reads otherwise than it stands there.
  std::size_t priorities = 0;  // flows with a priority
  std::size_t messages = 0;    // flows that are messages of a connection that is used again
  std::size_t cut_starts = 0;  // starts that lost a part of a microsecond

  [[nodiscard]] bool fires_on_arrival() const;
};

/// A file may be as long as this, in bytes, and have as many connections.
inline constexpr std::uint64_t kLargestMatrix = std::uint64_t{1} << 29;
inline constexpr std::uint64_t kMostConnections = 10'000'000;

/// Errors: what a line says, with its place; counts that differ; triggers that would never fire (find_trigger_fault).
[[nodiscard]] Result<ConnectionMatrix> parse_connection_matrix(const HtsimText& source, HtsimStart start);

/// The lines of a flow list ("flows.csv"): hosts are host0, host1, and so on, triggers t1, t2.
[[nodiscard]] std::string flow_list_text(const ConnectionMatrix& matrix);

}  // namespace weft::study::import
