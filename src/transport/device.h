// A software host channel adapter with one port, sans-I/O: verbs for the program, packets for a driver.
//
// Queue pairs of each kind lie in a slab of their own and are named by number only: no caller keeps a reference. The
// packet side has no virtual calls. `now` never runs backwards; a program's calls happen at the latest instant told.
// A driver with many queue pairs keeps its own list of those that are ready and asks them one by one; the functions
// that look at all queue pairs (poll_transmit_any, on_timeouts, next_event) cost O(queue pairs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/slab.h"
#include "transport/device_options.h"
#include "transport/iwarp/iwarp_queue_pair.h"
#include "transport/memory/memory_queue_pair.h"
#include "transport/multicast_groups.h"
#include "transport/packet_io.h"
#include "transport/qpn_sequence.h"
#include "transport/qpn_table.h"
#include "transport/rc_queue_pair.h"
#include "transport/stream/tcp_queue_pair.h"
#include "transport/uc_queue_pair.h"
#include "transport/ud_queue_pair.h"
#include "transport/uet/uet_endpoint.h"
#include "verbs/context.h"
#include "verbs/provider.h"

namespace weft::transport {

class Device final : public verbs::Provider {
 public:
  /// The endpoint must be valid, and max_qp at most 2^23.
  explicit Device(const DeviceOptions& options);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // For the program. Moving the instant forward comes before its calls.

  void advance_to(Time now) { now_ = later(now_, now); }
  [[nodiscard]] Time now() const { return now_; }

  [[nodiscard]] verbs::DeviceAttributes query_device() const override;
  [[nodiscard]] Result<verbs::PdHandle> alloc_pd() override { return context_.alloc_pd(); }
  [[nodiscard]] Result<void> dealloc_pd(verbs::PdHandle pd) override { return context_.dealloc_pd(pd); }
  [[nodiscard]] Result<std::uint32_t> reg_mr(const verbs::MemoryTable::Registration& registration) override {
    return context_.reg_mr(registration);
  }
  [[nodiscard]] Result<void> dereg_mr(std::uint32_t key) override { return context_.dereg_mr(key); }

  [[nodiscard]] Result<verbs::CqHandle> create_cq(std::uint32_t capacity) override;
  [[nodiscard]] Result<void> destroy_cq(verbs::CqHandle cq) override { return context_.destroy_cq(cq); }
  [[nodiscard]] Result<std::size_t> poll_cq(verbs::CqHandle cq, std::span<verbs::WorkCompletion> out) override;
  [[nodiscard]] Result<void> req_notify_cq(verbs::CqHandle cq, verbs::CompletionQueue::Notify what) override;
  [[nodiscard]] bool get_cq_event(verbs::CqHandle cq) override;

  [[nodiscard]] Result<verbs::SrqHandle> create_srq(verbs::PdHandle pd, verbs::ReceiveQueue::Limits limits) override;
  [[nodiscard]] Result<void> modify_srq(verbs::SrqHandle srq, std::uint32_t srq_limit) override;
  [[nodiscard]] Result<void> post_srq_recv(verbs::SrqHandle srq, const verbs::RecvWr& request) override;
  [[nodiscard]] Result<void> destroy_srq(verbs::SrqHandle srq) override { return context_.destroy_srq(srq); }

  /// With the default options of the kind.
  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init) override;
  /// `init.type` must be the kind that the options are for. The port's MTU overrides that in UdOptions.
  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init, const RcOptions& options);
  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init, const UcOptions& options);
  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init, const UdOptions& options);
  /// Over a stream: of type kRc for the program. Both ends must be of the same kind.
  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init, const TcpQpOptions& options);
  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init, const IwarpOptions& options);
  /// Over a scale-up link: of type kRc for the program. Both ends must have the same format.
  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init, const MemoryOptions& options);
  /// Over Ultra Ethernet, with DeviceOptions::uet: of type kRc for the program. Error also: another encapsulation.
  [[nodiscard]] Result<Qpn> create_uet_qp(const verbs::QpInitAttributes& init);
  /// What contexts of Ultra Ethernet are made with, from the next one on.
  void set_uet_policies(const UetPolicies& policies);
  /// UetOptions::full_headers, from the next packet on.
  void set_uet_full_headers();
  /// Messages of jobs over Ultra Ethernet, beside its queue pairs. The encapsulation must be one of its own.
  [[nodiscard]] SesMessenger& uet_messenger() { return make_uet().messenger(); }
  [[nodiscard]] Result<void> modify_qp(Qpn qpn, const verbs::QpAttributes& attributes,
                                       verbs::QpAttributeMask mask) override;
  [[nodiscard]] Result<verbs::QpDescription> query_qp(Qpn qpn) const override;
  [[nodiscard]] Result<void> destroy_qp(Qpn qpn) override;
  [[nodiscard]] Result<void> attach_mcast(Qpn qpn, const verbs::MulticastGroup& group) override;
  [[nodiscard]] Result<void> detach_mcast(Qpn qpn, const verbs::MulticastGroup& group) override;

  [[nodiscard]] Result<void> post_send(Qpn qpn, const verbs::SendWr& request) override;
  [[nodiscard]] Result<void> post_recv(Qpn qpn, const verbs::RecvWr& request) override;

  [[nodiscard]] Result<verbs::AddressHandle> create_ah(verbs::PdHandle pd,
                                                       const verbs::AddressVector& address) override {
    return context_.create_ah(pd, address);
  }
  [[nodiscard]] Result<void> destroy_ah(verbs::AddressHandle ah) override { return context_.destroy_ah(ah); }
  [[nodiscard]] bool poll_async_event(verbs::AsyncEvent& event) override { return context_.poll_async_event(event); }

  // For the driver. A number that names no queue pair does nothing.

  /// Gives the packet to its queue pair, whose number comes back; invalid (and counted) if there is none, and for
  /// Ultra Ethernet, whose packets are for contexts.
  Qpn on_packet(const ReceivedPacket& received, Time now);
  void on_timeout(Qpn qpn, Time now);
  [[nodiscard]] bool poll_transmit(Qpn qpn, TransmitSlot slot, Time now);
  [[nodiscard]] Time next_transmit(Qpn qpn) const;
  [[nodiscard]] Time next_timeout(Qpn qpn) const;

  // The same by place, for a driver that keeps its own list of queue pairs; `now` must have been told.

  /// When a queue pair can send, and when its timeout is due.
  struct Readiness {
    Time data;                      // a data packet may leave: past = at once
    Time timeout;                   // on_timeout is due
    bool response_pending = false;  // an acknowledgement or CNP may be sent now, before data
    bool cnp_first = false;         // and the first of them is a CNP
  };
  [[nodiscard]] QpSlot slot_of(Qpn qpn) const { return table_.find(qpn); }
  /// As on_packet; the slot does not exist if there is no such queue pair. Of Ultra Ethernet, that of the context; of a
  /// multicast packet, that of the last queue pair which got a copy. None of them answers.
  QpSlot deliver(const ReceivedPacket& received, Time now) {
    advance_to(now);
    return received.packet.common.kind == wire::PacketKind::kUet ? deliver_uet(received) : deliver_numbered(received);
  }
  /// Of the queue pair that a packet is for; that of its kind of packet if there is no such queue pair.
  [[nodiscard]] EngineKind engine_for(const wire::Packet& packet) const;
  [[nodiscard]] bool poll_transmit(QpSlot qp, const TransmitSlot& slot, Time now);
  [[nodiscard, gnu::always_inline]] Readiness readiness(QpSlot qp) const {
    // RC is inline, for a NIC asks after every packet.
    if (qp.kind != EngineKind::kRc) [[unlikely]] {
      return qp.kind == EngineKind::kUetPdc ? readiness_of_context(qp) : readiness_slow(qp);
    }
    const RcQueuePair& engine = rc_[Slab<RcQueuePair>::Handle(qp.index)];
    return {engine.next_data(), engine.next_timeout(), engine.response_pending(), engine.cnp_first()};
  }
  void on_timeout(QpSlot qp, Time now);
  /// Calls may change contexts of Ultra Ethernet besides their own; a driver then asks what those want now.
  [[nodiscard]] bool has_touched() const { return uet_ != nullptr && uet_->has_touched(); }
  /// Only if there is one.
  [[nodiscard]] QpSlot take_touched() { return {.index = uet_->take_touched(), .kind = EngineKind::kUetPdc}; }
  /// Null without queue pairs over Ultra Ethernet.
  [[nodiscard]] const UetEndpoint* uet() const { return uet_.get(); }
  /// Of a queue pair, not a context.
  [[nodiscard]] const QpCore& core_of(QpSlot qp) const;
  /// Where the memory of a key lies; host memory if the key is not known.
  [[nodiscard]] verbs::MemoryPlace place_of(std::uint32_t key) const {
    const verbs::MemoryRegion* const region = context_.memory().find(key);
    return region == nullptr ? verbs::MemoryPlace{} : region->place;
  }
  /// Completions of the device so far.
  [[nodiscard]] std::uint64_t completions() const { return context_.completions(); }

  /// One packet of any queue pair or context; they take turns. False: none has anything to send now.
  [[nodiscard]] bool poll_transmit_any(TransmitSlot slot, Time now);
  /// Calls on_timeout where it is due.
  void on_timeouts(Time now);
  /// The earliest instant at which any queue pair wants to send or has a timeout.
  [[nodiscard]] Time next_event() const;

  // Ask for the memory that a packet's coming or going will need: first the device's own, then what that names.
  [[gnu::always_inline]] void prefetch() const {
    __builtin_prefetch(&now_);
    __builtin_prefetch(&rc_);
  }
  [[gnu::always_inline]] void prefetch_table() const { table_.prefetch(); }

  // For reports and tests.

  /// Null if the number names no queue pair of that kind. Valid until the queue pair is destroyed.
  [[nodiscard]] const RcQueuePair* find_rc(Qpn qpn) const { return find_rc(table_.find(qpn)); }
  [[nodiscard]] const UcQueuePair* find_uc(Qpn qpn) const;
  [[nodiscard]] const UdQueuePair* find_ud(Qpn qpn) const;
  /// Of either kind over a stream.
  [[nodiscard]] const StreamQueuePair* find_stream(Qpn qpn) const { return find_stream(table_.find(qpn)); }
  [[nodiscard]] const UetQueuePair* find_uet(Qpn qpn) const;
  /// Of all queue pairs, in ascending order.
  [[nodiscard]] std::vector<Qpn> queue_pair_numbers() const;
  [[nodiscard]] const verbs::Context& context() const { return context_; }
  /// By place: null if it is of another kind, or does not exist.
  [[nodiscard]] const RcQueuePair* find_rc(QpSlot slot) const;
  [[nodiscard]] const StreamQueuePair* find_stream(QpSlot slot) const;
  [[nodiscard]] const MemoryQueuePair* find_memory(Qpn qpn) const;
  [[nodiscard]] const DeviceOptions& options() const { return options_; }
  [[nodiscard]] std::size_t queue_pairs() const { return table_.size(); }
  /// Memory of one engine: the object and its heap, posted requests included.
  [[nodiscard]] std::size_t state_bytes(QpSlot qp) const;
  /// Packets that were for no queue pair.
  [[nodiscard]] std::uint64_t unknown_qp_packets() const { return unknown_qp_packets_; }
  /// Heap memory of the queue pairs and of the table that finds them, posted requests included. O(queue pairs).
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  template <class Self, class Function>
  static decltype(auto) with(Self& self, QpSlot slot, Function function);
  template <class Engine, class Options>
  Result<Qpn> add(Slab<Engine>& slab, EngineKind kind, const verbs::QpInitAttributes& init, const Options& options);
  [[nodiscard]] Result<Qpn> admit(const verbs::QpInitAttributes& init);
  [[nodiscard]] UetEndpoint& make_uet();
  [[nodiscard]] Readiness readiness_of_context(QpSlot qp) const {
    const auto place = static_cast<std::uint16_t>(qp.index);
    if (place == 0) [[unlikely]] {
      return {uet_->next_data(0), uet_->next_timeout(0), uet_->response_pending(0), false};
    }
    const Pdc& context = uet_->context_at(place);
    return {context.next_data(), context.next_timeout(), context.response_pending(), false};
  }
  [[nodiscard]] Readiness readiness_slow(QpSlot qp) const;
  QpSlot deliver_numbered(const ReceivedPacket& received);
  QpSlot deliver_uet(const ReceivedPacket& received);
  QpSlot deliver_uet_slow(const ReceivedPacket& received);
  QpSlot deliver_datagram(const ReceivedPacket& received);
  QpSlot deliver_elsewhere(const ReceivedPacket& received);
  QpSlot deliver_copies(const ReceivedPacket& received, Qpn except);
  [[nodiscard]] bool poll_transmit_slow(QpSlot qp, const TransmitSlot& slot);
  void finish_datagram(QpSlot qp, const TransmitSlot& slot);
  void check_srq_limit(verbs::SrqHandle srq);
  void wake_waiting(verbs::SrqHandle srq);

  DeviceOptions options_;
  verbs::Context context_;
  // What every packet needs lies together.
  Time now_;
  QpnTable table_;
  Slab<RcQueuePair> rc_;
  QpnSequence numbers_;
  Slab<UcQueuePair> uc_;
  Slab<UdQueuePair> ud_;
  Slab<TcpQueuePair> tcp_;
  Slab<IwarpQueuePair> iwarp_;
  Slab<MemoryQueuePair> memory_;
  std::unique_ptr<MulticastGroups> multicast_;  // from the first queue pair that was attached on
  std::unique_ptr<UetEndpoint> uet_;            // from the first queue pair of it on
  std::size_t turn_ = 0;                        // place in the table where poll_transmit_any goes on
  std::size_t uet_turn_ = 0;                    // and among the contexts
  UetPolicies uet_policies_;
  std::uint64_t unknown_qp_packets_ = 0;
};

}  // namespace weft::transport
