// What a run says of a multicast group: one row, and one for each of its members. docs/results.md explains each figure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace weft::study::results {

struct MulticastMemberRow {
  std::string name{};           // "host3/nic0", or "rank3"
  std::uint64_t expected = 0;   // datagrams of others
  std::uint64_t delivered = 0;  // of those
  Duration latency_mean{};      // from post_send to the completion that the member's program sees
  Duration latency_most{};

  friend bool operator==(const MulticastMemberRow&, const MulticastMemberRow&) = default;
};

struct MulticastRow {
  std::string name{};  // of the traffic
  std::uint32_t lid = 0;
  std::uint32_t senders = 0;
  std::uint64_t sent = 0;        // datagrams
  std::uint64_t expected = 0;    // copies: members that each is for
  std::uint64_t delivered = 0;   // copies
  std::uint64_t incomplete = 0;  // datagrams that some member did not get
  Duration first_mean{};         // until the first member has a datagram
  Duration first_most{};
  Duration last_mean{};  // until the last has it, of those that all have got
  Duration last_most{};
  std::vector<MulticastMemberRow> members{};

  [[nodiscard]] std::uint64_t lost() const { return expected - delivered; }

  friend bool operator==(const MulticastRow&, const MulticastRow&) = default;
};

}  // namespace weft::study::results
