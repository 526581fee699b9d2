// The connector of a job whose ranks all live in this process, as in a simulation.
//
// It moves the queue pairs of both ends to RTS by calling both providers. UDP source ports and first PSNs are
// f(seed, name of the connection), so other connections do not change them. One thread at a time.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workload/connection.h"
#include "workload/reconnections.h"

namespace weft::workload {

class LocalConnector final : public Connector {
 public:
  LocalConnector(JobOptions job, const ConnectionAttributes& attributes);

  /// Rank 0 first, then 1, and so on. Ports and listener must outlive this.
  void add_rank(const RankPorts& ports, ConnectionListener& listener);

  [[nodiscard]] Result<const ConnectionEnd*> connect(const ConnectionRequest& request,
                                                     const ConnectionOptions& options) override;
  [[nodiscard]] Result<bool> disconnect(const ConnectionRequest& request) override;

  [[nodiscard]] Result<EndpointId> endpoint_of(RankId rank, std::uint16_t rail) const override;

  [[nodiscard]] bool reconnect(const ConnectionEnd& end, std::uint32_t queue_pair) override;
  [[nodiscard]] Result<void> advance_reconnect(const ConnectionEnd& end, std::uint32_t queue_pair) override;
  void on_recovered(const ConnectionEnd& end, std::uint32_t queue_pair) override;
  void on_nothing_left(const ConnectionEnd& end, std::uint32_t queue_pair) override;
  [[nodiscard]] const Reconnections& reconnections() const { return reconnections_; }

  /// From here on only connections that are open are found, and others are errors: several threads run ranks, and none
  /// may touch the host of another one's.
  void close() { closed_ = true; }

  /// That are open now, that were opened so far, and the most that were open at once.
  [[nodiscard]] std::size_t connections() const { return connections_.size(); }
  [[nodiscard]] std::uint64_t opened() const { return opened_; }
  [[nodiscard]] std::size_t most_connections() const { return most_; }
  /// Calls visit(end) for both ends of every connection, in an order that depends on their names alone.
  template <class Visit>
  void visit_ends(Visit&& visit) const {
    for (const auto& [key, ends] : connections_) {
      visit(ends.from_low);
      visit(ends.from_high);
    }
  }

 private:
  struct Rank {
    const RankPorts* ports = nullptr;
    ConnectionListener* listener = nullptr;
  };
  /// One side of a key: the lower of the two stands first.
  struct Place {
    RankId rank{};
    std::uint16_t rail = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Key {
    Place low{};
    Place high{};
    std::uint32_t channel = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Ends {
    ConnectionEnd from_low;
    ConnectionEnd from_high;
  };
  [[nodiscard]] static Key key_of(const ConnectionRequest& request);

  [[nodiscard]] Result<void> check_rail(RankId rank, std::uint16_t rail) const;
  [[nodiscard]] Result<void> check(const ConnectionRequest& request, const ConnectionOptions& options) const;
  [[nodiscard]] ConnectionEnd unjoined_end(const ConnectionRequest& name, const ConnectionOptions& options) const;
  [[nodiscard]] Result<void> join(Ends& ends) const;
  [[nodiscard]] Result<void> join(Ends& ends, std::size_t index) const;
  [[nodiscard]] Result<void> replace(Ends& ends, std::uint32_t queue_pair);
  [[nodiscard]] verbs::Machine& machine_of(const ConnectionEnd& end) const {
    return ranks_[end.name.from.value()].ports->machine();
  }
  [[nodiscard]] verbs::QpAttributes attributes_of(const ConnectionEnd& end, const ConnectionEnd& peer,
                                                  std::size_t index) const;
  [[nodiscard]] std::uint64_t hash_of(const ConnectionRequest& name, std::size_t index, std::string_view what) const;

  JobOptions job_;
  ConnectionAttributes attributes_;
  std::vector<Rank> ranks_;
  std::map<Key, Ends> connections_;
  Reconnections reconnections_;
  std::uint64_t opened_ = 0;
  std::size_t most_ = 0;
  bool closed_ = false;
};

}  // namespace weft::workload
