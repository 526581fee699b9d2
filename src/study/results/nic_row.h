// What a run says of one NIC port: a row of a results file, as plain values.
//
// To add a counter: a member here and its line in nic_row.cc, which says where in the NIC it comes from, what it means
// and where it appears. Tables, CSV, JSON, the summary and docs/results.md follow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/reorder_meter.h"

namespace weft::host {
class Nic;
}  // namespace weft::host

namespace weft::study::results {

struct NicRow {
  std::string name;
  std::uint64_t data_sent = 0;
  std::uint64_t answers_sent = 0;
  std::uint64_t received = 0;
  std::uint64_t damaged = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t sequence_naks = 0;
  std::uint64_t rnr_naks = 0;
  std::uint64_t out_of_sequence = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t cnps_sent = 0;
  std::uint64_t cnps_handled = 0;
  std::uint64_t connections = 0;                 // queue pairs that existed when the run ended
  std::uint64_t state_bytes = 0;                 // of their engines
  std::uint64_t host_drops = 0;                  // packets for which the receive ring or buffer of its host had no room
  std::uint64_t buffer_bytes = 0;                // that stacks over a stream hold besides: send and receive buffers
  std::uint64_t ordered = 0;                     // data packets whose order was measured: where switches spread them
  std::uint64_t untracked = 0;                   // arrived further ahead than the queue pair can keep track of
  std::uint64_t credit_grants = 0;               // control packets with credit that it received
  std::uint64_t credit_requests = 0;             // that it sent after a timeout without credit
  std::uint64_t path_changes = 0;                // by its senders' choice of paths
  std::uint64_t moved = 0;                       // left through another port of its NIC
  std::uint64_t held_back = 0;                   // times that its receive buffer held back the switch before it
  std::uint64_t held_back_ps = 0;                // for so long in all
  std::vector<host::ReorderMeter::Late> late{};  // those of them that came behind later ones, by distance

  friend bool operator==(const NicRow&, const NicRow&) = default;
};

/// What the NIC has counted until now.
[[nodiscard]] NicRow nic_row(const std::string& name, const host::Nic& nic);

}  // namespace weft::study::results
