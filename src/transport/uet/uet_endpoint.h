// The Ultra Ethernet engine of one device: a bounded pool of packet delivery contexts, and the queue pairs over them.
//
// Contexts are made on first use, by whoever sends first and by the first packet that comes, and given back when they
// have been idle. Packets find theirs by the number that they name, and with SYN by their source and its number. Place
// 0 of the pool is no context: packets that belong to none (NACKs for unknown contexts) leave there. A driver asks the
// places one by one, as it asks queue pairs; those that a call has changed besides its own are in a list of touched
// ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/ring.h"
#include "base/slab.h"
#include "transport/qpn_table.h"
#include "transport/uet/endpoint_credits.h"
#include "transport/uet/pdc.h"
#include "transport/uet/rudi.h"
#include "transport/uet/ses_messenger.h"
#include "transport/uet/uet_queue_pair.h"

namespace weft::transport {

/// Makes the parts of a new context that can be exchanged. Empty, or null: none.
struct UetPolicies {
  std::function<std::unique_ptr<CongestionControl>()> congestion_control;
  /// `seed` differs from context to context.
  std::function<std::unique_ptr<PathSelector>(std::uint64_t seed)> path_selector;
  /// RCCC, alone or beside congestion control of the sender. Read once, with the first policies that have it.
  std::optional<UetCredits> credits{};
};

class UetEndpoint final : public PdsClient {
 public:
  struct Setup {
    EndpointId endpoint{};
    wire::Encapsulation encapsulation = wire::Encapsulation::kUetUdpIpv4;
    std::uint64_t seed = 1;
    UetOptions options{};
    UetPolicies policies{};
  };
  /// Options must be within their ranges. `numbers` finds this endpoint's queue pairs, which have kind kUet;
  /// it and the context must outlive it.
  UetEndpoint(const Setup& setup, const QpnTable& numbers, verbs::Context& context);
  UetEndpoint(const UetEndpoint&) = delete;
  UetEndpoint& operator=(const UetEndpoint&) = delete;

  /// Of contexts from the next one on.
  void set_policies(const UetPolicies& policies);
  void set_full_headers();

  // Queue pairs.
  using Handle = Slab<UetQueuePair>::Handle;
  [[nodiscard]] Handle create(const QpIdentity& identity, const verbs::QpInitAttributes& init);
  void destroy(Handle handle, Time now);
  [[nodiscard]] UetQueuePair& operator[](Handle handle) { return queue_pairs_[handle]; }
  [[nodiscard]] const UetQueuePair& operator[](Handle handle) const { return queue_pairs_[handle]; }

  // For the driver: places of the pool. Calls with a place that holds nothing do nothing.
  /// The place that took the packet.
  std::uint16_t deliver(const ReceivedPacket& received, Time now);
  /// `deliver` for a packet in its turn, within a run; false: it is none, and nothing is done.
  [[nodiscard]] bool deliver_in_turn(const ReceivedPacket& received, Time now);
  /// The same for all that the fast path takes; the place, or 0.
  [[nodiscard]] std::uint16_t deliver_fast(const ReceivedPacket& received, Time now);
  [[nodiscard]] bool poll_transmit(std::uint16_t place, const TransmitSlot& slot, Time now);
  void on_timeout(std::uint16_t place, Time now);
  [[nodiscard]] bool response_pending(std::uint16_t place) const {
    return place == 0 ? !strays_.empty() || (jobs_ != nullptr && jobs_->rudi.response_pending())
                      : pool_[place]->pdc.response_pending();
  }
  [[nodiscard]] Time next_data(std::uint16_t place) const {
    return place != 0         ? pool_[place]->pdc.next_data()
           : jobs_ != nullptr ? jobs_->rudi.next_data(setup_.options)
                              : Time::never();
  }
  [[nodiscard]] Time next_timeout(std::uint16_t place) const {
    if (place != 0)
      return pool_[place]->pdc.next_timeout();
    const Time grant = credits_ == nullptr ? Time::never() : credits_->next_grant();
    return jobs_ == nullptr ? grant : earlier(grant, jobs_->rudi.next_timeout());
  }
  /// Mark (DSCP) and destination of what leaves there.
  [[nodiscard]] const wire::PacketCommon& common_of(std::uint16_t place) const { return pool_[place]->common; }
  [[nodiscard]] bool has_touched() const { return !touched_.empty(); }
  /// Only if there is one.
  [[nodiscard]] std::uint16_t take_touched();
  /// Places that have ever been used, place 0 included.
  [[nodiscard]] std::size_t places() const { return pool_.size(); }

  /// Messages of jobs; made when it is first asked for.
  [[nodiscard]] SesMessenger& messenger();

  // For reports and tests.
  [[nodiscard]] const UetCounters& counters() const { return counters_; }
  /// PathSelector::changes() of all contexts that there have been. O(places of the pool).
  [[nodiscard]] std::uint64_t path_changes() const;
  [[nodiscard]] const UetOptions& options() const { return setup_.options; }
  /// The shared receive queue of the queue pair that a packet was last for; invalid: none.
  [[nodiscard]] verbs::SrqHandle last_srq() const { return last_srq_; }
  [[nodiscard]] std::uint32_t live_contexts() const { return live_; }
  [[nodiscard]] const Pdc& context_at(std::uint16_t place) const { return pool_[place]->pdc; }
  [[nodiscard]] std::size_t state_bytes(std::uint16_t place) const;
  /// Contexts and tables, without queue pairs.
  [[nodiscard]] std::size_t heap_bytes() const;

  // For queue pairs and messages.
  /// The context for these requests, made if there is none; 0: there is no room now, and the owner will be asked again.
  [[nodiscard]] std::uint16_t context_for(const QpCore& core, Time now);
  [[nodiscard]] std::uint16_t context_for(const wire::PacketCommon& common, UetMode mode, Time now);
  void enqueue(std::uint16_t place, std::uint32_t owner, Time now);
  void add_user(std::uint16_t place) { pool_[place]->pdc.add_user(); }
  void remove_user(std::uint16_t place);
  void forget(std::uint16_t place, std::uint32_t owner);
  /// A queue pair stops: packets of it that are under way become places in the PSN sequence.
  void leave(UetQueuePair& qp, Time now);
  [[nodiscard]] EndpointId endpoint() const { return setup_.endpoint; }
  [[nodiscard]] wire::Encapsulation encapsulation() const { return setup_.encapsulation; }
  /// Whether the address is that of a queue pair.
  [[nodiscard]] bool has_queue_pair(std::uint32_t resource) const { return numbers_.find(Qpn(resource)).exists(); }
  /// An owner has packets for RUDI.
  void enqueue_rudi(std::uint32_t owner, const wire::PacketCommon& common);
  /// An owner waits for room in the pool.
  void wait_for_context(std::uint32_t owner) { waiting_.push_back(owner); }

  // PdsClient.
  [[nodiscard]] SesNext make_next(std::uint32_t owner, const TransmitSlot& slot, Time now) override;
  [[nodiscard]] std::uint16_t make_again(const SesPacket& packet, const TransmitSlot& slot, Time now) override;
  void on_delivered(const SesPacket& packet, Time now) override;
  [[nodiscard]] std::uint32_t count_delivered(const SesPacket& packet, std::uint32_t count) override;
  void on_response(const SesPacket& packet, const wire::UetExtension& response, Time now) override;
  [[nodiscard]] Duration on_refused(const SesPacket& packet, const wire::UetNoticeFields& notice, Time now) override;
  [[nodiscard]] Bytes backlog(std::uint32_t owner, Bytes enough, Time now) override;
  [[nodiscard]] SesReception deliver(const ReceivedPacket& received, std::uint16_t pdc, Time now) override;
  [[nodiscard]] AnswerState answer_state(const Asked& asked) const override;

 private:
  struct Place {
    Pdc pdc;
    wire::PacketCommon common{};
    std::unique_ptr<CongestionControl> control;
    std::unique_ptr<PathSelector> paths;
    std::unique_ptr<CreditSender> credit;
    bool touched = false;
  };
  /// A packet that belongs to no context.
  struct Stray {
    EndpointId destination{};
    std::uint32_t psn = 0;
    std::uint32_t payload = 0;
    std::uint16_t source_pdc = 0;
    std::uint16_t destination_pdc = 0;
    std::uint8_t traffic_class = 0;
    wire::UetNack nack = wire::UetNack::kNone;  // none: it acknowledges a CLOSE
  };

  /// What jobs need besides contexts.
  struct Jobs {
    Jobs(UetEndpoint& endpoint, verbs::Context& context, std::uint32_t first_id);
    SesMessenger messenger;
    RudiExchange rudi;
  };

  [[nodiscard]] PdcCall call(Time now) {
    return {*this, setup_.options, counters_, now, credits_ == nullptr ? 1 : credits_->ready_senders()};
  }
  [[nodiscard]] RudiExchange::Call rudi_call(Time now) { return {setup_.options, counters_, now}; }
  [[nodiscard]] static bool is_message(std::uint32_t owner) { return (owner & SesMessenger::kOwnerBit) != 0; }
  [[nodiscard]] static std::uint64_t key_of(const Pdc::Key& key);
  [[nodiscard]] static std::uint64_t key_of(EndpointId source, std::uint16_t source_pdc);
  [[nodiscard]] UetQueuePair& queue_pair_of(std::uint32_t owner) { return queue_pairs_[Handle(owner >> 1)]; }
  [[nodiscard]] std::uint16_t allocate();
  /// What is missing for one more context; kNone: nothing.
  [[nodiscard]] wire::UetNack shortage() const;
  void open(std::uint16_t place, Pdc::Opening opening, Time now);
  void touch(std::uint16_t place);
  /// What a call may have led to: a context that is done goes back to the pool.
  void settle(std::uint16_t place, Time now) {
    const Pdc::State state = pool_[place]->pdc.state();
    if ((state != Pdc::State::kOpen && state != Pdc::State::kSyn) || credits_ != nullptr) [[unlikely]]
      settle_slow(place, now);
  }
  void settle_slow(std::uint16_t place, Time now);
  void release(std::uint16_t place, Time now);
  void reclaim(Time now);
  void serve_waiting(Time now);
  [[nodiscard]] bool find_take_run(const wire::Packet& packet, Pdc& pdc);
  [[nodiscard]] bool find_send_run(Place& place);
  [[nodiscard]] bool poll_general(std::uint16_t place, const TransmitSlot& slot, Time now);
  [[nodiscard]] bool poll_otherwise(std::uint16_t place, const TransmitSlot& slot, Time now);
  // RCCC: only with credits_.
  void note_ready(std::uint16_t place, Time now);
  void grant_credit(Time now);
  void send_stray(const Stray& stray);
  void refuse(const wire::Packet& packet, wire::UetNack code, std::uint32_t payload);
  [[nodiscard]] std::uint16_t find_target(const wire::Packet& packet, Time now);
  [[nodiscard]] std::uint16_t find_open_target(const wire::Packet& packet) const;
  [[nodiscard]] std::uint16_t open_target(const wire::Packet& packet, std::uint32_t start, Time now);
  [[nodiscard]] bool start_allowed(const wire::Packet& packet, std::uint32_t start);
  [[nodiscard]] std::uint16_t find_numbered(const ReceivedPacket& received, Time now);
  [[nodiscard]] bool deliver_without_context(const ReceivedPacket& received, Time now);
  [[nodiscard]] SesReception deliver_to_job(const ReceivedPacket& received, std::uint16_t pdc, Time now);
  [[nodiscard]] bool poll_stray(const TransmitSlot& slot);
  void tell_users(std::uint16_t number, Time now);
  /// PSNs by peer.
  using Starts = std::unordered_map<std::uint32_t, std::uint32_t>;      // lookup only
  using PlaceTable = std::unordered_map<std::uint64_t, std::uint16_t>;  // lookup only
  /// The entry of a peer, which never goes backwards.
  static std::uint32_t& raise_start(Starts& starts, EndpointId peer, std::uint32_t psn);
  [[nodiscard]] std::uint32_t first_start(EndpointId peer) const;

  Setup setup_;
  const QpnTable& numbers_;
  verbs::Context& context_;
  Slab<UetQueuePair> queue_pairs_;
  std::vector<std::unique_ptr<Place>> pool_;  // by number of the context; place 0 is for strays
  Ring<std::uint16_t> free_;                  // the number that has rested longest first
  Ring<std::uint16_t> touched_;
  Ring<Stray> strays_;
  Ring<std::uint32_t> waiting_;  // owners, for room in the pool
  PlaceTable initiators_;        // open for requests, by key
  PlaceTable targets_;           // by source and its number
  Starts next_starts_;           // of our next context with a peer
  Starts least_starts_;          // that a peer's next context may have
  std::unique_ptr<EndpointCredits> credits_;
  Time grant_at_ = Time::never();  // when the driver knows that the next credit is due
  std::unique_ptr<Jobs> jobs_;     // from the first message on
  UetCounters counters_;
  std::uint64_t past_path_changes_ = 0;  // of contexts whose place another has taken
  verbs::SrqHandle last_srq_{};
  std::uint32_t live_ = 0;
  std::uint64_t serial_ = 0;  // of contexts
};

}  // namespace weft::transport
