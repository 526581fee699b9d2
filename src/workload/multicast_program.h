// The program of one rank of a multicast group: it sends datagrams to the group, receives those of others, or both.
//
// A datagram is one SEND with immediate data, its number, by a UD queue pair. A queue pair that is attached does not
// get what it sends itself. The group ends when every member has everything, or when nothing has moved for kPatience
// after the last datagram was sent: the rest is lost.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "verbs/multicast.h"
#include "verbs/queue_pair.h"
#include "workload/multicast_deliveries.h"
#include "workload/program.h"
#include "workload/rank_ports.h"

namespace weft::workload {

struct MulticastProgramOptions {
  RankId rank{};
  verbs::MulticastGroup group{};
  verbs::AddressVector address{};  // of the group
  std::uint16_t partition_key = 0xFFFF;
  std::uint32_t queue_key = 0;  // top bit 0
  bool sends = false;
  bool receives = false;
  Bytes size{};               // at most the port's MTU
  std::uint32_t count = 1;    // datagrams
  std::uint32_t depth = 1;    // that have not left the port
  Duration interval{};        // at least between two of them; zero: as fast as the port sends
  Time start{};               // of the first
  Time stop = Time::never();  // none is posted from then on
};

class MulticastProgram final : public Program {
 public:
  static constexpr Duration kPatience = Duration::milliseconds(1);
  /// Receive requests that a member keeps posted.
  static constexpr std::uint32_t kReceives = 1'024;

  /// Both must outlive this.
  MulticastProgram(const RankPorts& ports, MulticastDeliveries& deliveries, const MulticastProgramOptions& options);

  [[nodiscard]] Result<void> start() override;
  [[nodiscard]] Result<void> on_event() override;
  [[nodiscard]] bool done() const override { return deliveries_.has_ended(); }
  /// The patience with what is lost is no part of the group's time.
  [[nodiscard]] std::optional<Time> done_since() const override { return deliveries_.last_activity(); }

 private:
  [[nodiscard]] const RailPort& port() const { return ports_.rails().front(); }
  [[nodiscard]] Result<void> make_queue_pair();
  [[nodiscard]] Result<void> post_receive();
  [[nodiscard]] Result<void> send_due();
  [[nodiscard]] Result<void> post_send();
  [[nodiscard]] Result<void> poll();
  [[nodiscard]] Result<void> on_completion(const verbs::WorkCompletion& completion);
  [[nodiscard]] bool wants_more(Time now) const {
    return options_.sends && posted_ < options_.count && now < options_.stop;
  }
  [[nodiscard]] Time next_post() const {
    return options_.start + options_.interval * static_cast<std::int64_t>(posted_);
  }
  void finish_sending(Time now);
  void set_timer(Time at);

  const RankPorts& ports_;
  MulticastDeliveries& deliveries_;
  MulticastProgramOptions options_;
  Qpn qpn_{};
  verbs::AddressHandle address_{};
  std::uint32_t posted_ = 0;
  std::uint32_t in_flight_ = 0;
  bool has_sent_ = false;    // all of it
  bool ends_group_ = false;  // by this rank's timer
  Time timer_ = Time::never();
};

}  // namespace weft::workload
