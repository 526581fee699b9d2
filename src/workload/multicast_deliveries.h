// What becomes of the datagrams of a multicast group: whom each is for, who has it, and when the last member has.
//
// A datagram is for every member but its sender. Nothing is sent again: what a member does not get is lost, which shows
// at the end. Programs of all ranks share this, so they run in one partition.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "workload/rank.h"

namespace weft::workload {

/// Times from when the sender's program posted a datagram.
struct LatencySum {
  std::uint64_t count = 0;
  Duration least{};
  Duration most{};
  Duration total{};

  void add(Duration latency);
  /// Zero of none.
  [[nodiscard]] Duration mean() const;
};

struct MulticastCounts {
  std::uint64_t sent = 0;        // datagrams
  std::uint64_t expected = 0;    // copies: members that each is for
  std::uint64_t delivered = 0;   // copies
  std::uint64_t repeated = 0;    // copies of what a member had already
  std::uint64_t incomplete = 0;  // datagrams that some member did not get
  LatencySum first{};            // until the first member had a datagram
  LatencySum last{};             // until all of them had it
};

struct MemberCounts {
  RankId rank{};
  std::uint64_t expected = 0;
  std::uint64_t delivered = 0;
  LatencySum latency{};
};

class MulticastDeliveries {
 public:
  struct Ranks {
    std::vector<RankId> senders;  // each once
    std::vector<RankId> members;
  };
  explicit MulticastDeliveries(Ranks ranks);

  /// Called when the group has ended, for each rank that is not told by its own call.
  void on_end(std::function<void()> wake) { wakes_.push_back(std::move(wake)); }

  /// How completions name a sender.
  struct QueuePair {
    EndpointId endpoint{};
    Qpn qpn{};

    friend auto operator<=>(const QueuePair&, const QueuePair&) = default;
  };
  void add_sender(const QueuePair& queue_pair, RankId sender) { senders_of_[queue_pair] = sender; }

  void on_posted(RankId sender, std::uint32_t number, Time at);
  /// A copy that nobody knows of is not counted.
  void on_delivered(RankId member, const QueuePair& from, std::uint32_t number, Time at);
  /// The sender has no more.
  void on_sender_done(RankId sender, Time at);
  [[nodiscard]] bool all_sent() const { return sending_.empty(); }
  /// When something was last sent or received.
  [[nodiscard]] Time last_activity() const { return last_activity_; }
  /// What has not come will not come.
  void give_up();
  /// Nothing more is waited for.
  [[nodiscard]] bool has_ended() const { return has_ended_; }

  /// With what is lost by now.
  [[nodiscard]] MulticastCounts counts() const;
  /// In the order of the members.
  [[nodiscard]] std::vector<MemberCounts> members() const;

 private:
  struct Open {
    Time posted{};
    Time first = Time::never();
    std::set<RankId> missing{};
  };
  using Name = std::pair<RankId, std::uint32_t>;

  void end_if_done();

  std::vector<RankId> order_;
  std::map<RankId, MemberCounts> members_;
  std::set<RankId> sending_;
  std::map<QueuePair, RankId> senders_of_;
  std::map<Name, Open> open_;  // datagrams that some member has not got
  MulticastCounts counts_;
  Time last_activity_{};
  bool has_ended_ = false;
  std::vector<std::function<void()>> wakes_;
};

}  // namespace weft::workload
