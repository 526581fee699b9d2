// What a run says of its attacks: rows of a results file. docs/results.md explains each figure.
#pragma once

#include <cstdint>
#include <string>

#include "base/data_size.h"
#include "base/time.h"

namespace weft::study::results {

/// Of forged packets: sent = accepted + refused + lost, in total and as listed.
struct AttackRow {
  std::string name{};
  std::string kind{};
  std::string from{};
  std::string victim{};
  std::string not_possible{};  // why the family cannot suffer it; empty: it can
  std::uint64_t sent = 0;
  std::uint64_t arrived = 0;
  std::uint64_t accepted = 0;
  std::uint64_t switch_partition = 0;
  std::uint64_t switch_address = 0;
  std::uint64_t switch_key = 0;
  std::uint64_t sm_key = 0;
  std::uint64_t untrusted = 0;
  std::uint64_t authentication = 0;
  std::uint64_t queue_pair = 0;
  std::uint64_t partition = 0;
  std::uint64_t queue_key = 0;
  std::uint64_t ahead = 0;
  std::uint64_t behind = 0;
  std::uint64_t remote_key = 0;
  std::uint64_t limit = 0;
  std::uint64_t no_receive = 0;
  std::uint64_t other = 0;
  std::uint64_t lost = 0;
  Bytes bytes_written{};
  std::uint64_t queue_pairs_broken = 0;
  Duration throttled;
  Duration paused;
  std::uint64_t diverted = 0;
  Bytes diverted_bytes{};
  std::uint64_t sessions_broken = 0;

  [[nodiscard]] std::uint64_t refused() const {
    return switch_partition + switch_address + switch_key + sm_key + untrusted + authentication + queue_pair +
           partition + queue_key + ahead + behind + remote_key + limit + no_receive + other;
  }

  friend bool operator==(const AttackRow&, const AttackRow&) = default;
};

}  // namespace weft::study::results
