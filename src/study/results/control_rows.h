// What a run says of switches that decide for themselves: rows of a results file. docs/results.md explains each figure.
#pragma once

#include <cstdint>
#include <string>

#include "base/data_size.h"
#include "base/time.h"

namespace weft::study::results {

/// All switches together.
struct ControlRow {
  std::uint32_t sessions = 0;     // cables between switches
  std::uint32_t established = 0;  // ends of them with a session, when the run ended
  bool quiet = false;             // nothing of it was under way then
  std::uint64_t messages = 0;     // of BGP
  Bytes message_bytes{};
  std::uint64_t updates = 0;
  std::uint64_t bfd_packets = 0;
  std::uint64_t lldp_units = 0;
  Bytes frame_bytes{};                // of all frames
  std::uint64_t frames_lost = 0;      // on the way, of the control plane
  std::uint64_t retransmissions = 0;  // timeouts of sessions' connections
  std::uint64_t bad_messages = 0;
  std::uint64_t processed = 0;  // prefixes of UPDATEs
  Duration cpu_time;
  Duration busiest_cpu_time;
  std::string busiest_switch{};
  std::uint64_t fib_writes = 0;
  std::uint64_t ended_by_signal = 0;  // ends of established sessions
  std::uint64_t ended_by_bfd = 0;
  std::uint64_t ended_by_hold_timer = 0;
  std::uint64_t ended_otherwise = 0;  // because the other end did, or for a message that was wrong
  std::uint64_t black_holed = 0;      // packets of hosts
  std::uint64_t lost_on_cables = 0;
  std::uint64_t hop_limit = 0;
  std::uint64_t looped = 0;

  friend bool operator==(const ControlRow&, const ControlRow&) = default;
};

/// Link events of one instant.
struct ControlEventRow {
  Time at;
  std::string kind{};  // "start", "fail", "restore", "fail, restore"
  std::uint32_t links = 0;
  std::string link{};  // the first of them
  Time noticed = Time::never();
  Time last_entry = Time::never();

  friend bool operator==(const ControlEventRow&, const ControlEventRow&) = default;
};

/// A leaf, as the destination of traffic.
struct ControlDestinationRow {
  std::string leaf{};
  Duration black_hole;
  Duration loop;
  Duration cut_off;
  Duration lost_time;  // the share of traffic that is lost, over time
  std::uint64_t black_holed = 0;
  std::uint64_t lost_on_cables = 0;
  std::uint64_t hop_limit = 0;
  std::uint64_t looped = 0;

  friend bool operator==(const ControlDestinationRow&, const ControlDestinationRow&) = default;
};

/// A cable that is not where the plan has it, as one of its ports found.
struct CablingRow {
  std::string port{};
  std::string planned{};
  std::string found{};

  friend bool operator==(const CablingRow&, const CablingRow&) = default;
};

}  // namespace weft::study::results
