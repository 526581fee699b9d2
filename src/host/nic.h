// A simulated NIC with one port: it pulls packets from its queue pairs whenever the wire takes one.
//
// Queue pairs that may send wait in a ring per priority and take turns, packet by packet; those that pacing holds back
// lie in a heap by their time; responses (ACKs, CNPs) are sent before data. Taking a packet costs O(1), a paced one
// O(log n) in the number of paced queue pairs. A blocked priority blocks nobody else. Nothing is queued below: what the
// wire does not take stays in the engine.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/assert.h"
#include "base/prefetch.h"
#include "base/random.h"
#include "base/ring.h"
#include "fabric/endpoint.h"
#include "fabric/routing/path_choice.h"
#include "host/actors.h"
#include "host/deadline_heap.h"
#include "host/nic_options.h"
#include "host/payload_store.h"
#include "host/reorder_meter.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"
#include "transport/device.h"
#include "wire/packet_codec.h"

namespace weft::host {

/// Receives completion notifications of a NIC.
class CompletionListener {
 public:
  virtual ~CompletionListener() = default;
  /// The NIC has pushed completions, which become visible to the program at `at`.
  virtual void on_completions(Time at) = 0;
};

class alignas(64) Nic final : public fabric::Endpoint {
 public:
  struct Environment {
    sim::Kernel& kernel;
    fabric::PacketPool& packets;
    fabric::EndpointPort& port;
    std::uint32_t index = 0;  // of this NIC's actors
    /// Addresses of all endpoints, by EndpointId: f(seed, name).
    const std::vector<std::uint64_t>& addresses;
    PayloadStore* payloads = nullptr;  // null: lengths only
    /// The addresses in their headers, by EndpointId; may be empty where no NIC has a header_hash.
    const std::vector<wire::EndAddresses>& header_addresses;
  };

  Nic(const NicOptions& options, const Environment& environment);

  void register_actors(sim::ActorOrder& ranks, std::uint64_t name_hash, sim::PartitionIndex partition = 0);
  /// Notified of completions; must outlive the NIC's last event.
  void add_completion_listener(CompletionListener* listener) { listeners_.push_back(listener); }

  // From the fabric and the kernel.
  void on_packet(fabric::PacketHandle handle, Time now) override;
  void on_wire_ready(Time now) override;
  [[nodiscard]] bool may_back_up() const override { return path_ != nullptr && path_->may_back_up(); }
  [[nodiscard]] Time room_at(fabric::PacketHandle handle, Time now) override;
  /// A packet that no engine has made is given to the engines at once, whatever stages the host has.
  void take_forged(fabric::PacketHandle handle, Time now);
  void on_timer(Time now);
  void on_pipeline(Time now);
  // Ask for the memory that a packet's coming or going will need: first the NIC's own, then what that names.
  [[gnu::always_inline]] void prefetch() const {
    prefetch_lines<kHotBytes>(this);
    device_.prefetch();
  }
  [[gnu::always_inline]] void prefetch_queues() const {
    __builtin_prefetch(records_.front().data());
    responses_.prefetch_front();
    ready_[turn_].prefetch_front();
    timeouts_.prefetch_first();
    device_.prefetch_table();
  }

  // From the provider, for the program.
  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init, Service service);
  [[nodiscard]] Result<void> destroy_qp(Qpn qpn);
  /// A queue pair's attributes or state have changed.
  void modified(Qpn qpn);
  /// A shared receive queue has one request more: streams and scale-up links may have waited for it.
  /// O(queue pairs over them).
  void shared_receive_posted(verbs::SrqHandle srq);
  [[nodiscard]] Result<void> post_send(Qpn qpn, const verbs::SendWr& request);

  [[nodiscard]] transport::Device& device() { return device_; }
  [[nodiscard]] const transport::Device& device() const { return device_; }
  [[nodiscard]] const NicOptions& options() const { return options_; }
  [[nodiscard]] Time now() const { return kernel_.now(); }

  // For reports.
  struct Counters {
    std::uint64_t data_sent = 0;     // packets with payload, and requests
    std::uint64_t answers_sent = 0;  // acknowledgements and notifications
    std::uint64_t received = 0;
    std::uint64_t damaged = 0;  // thrown away by the ICRC
    std::uint64_t moved = 0;    // left through another port of the NIC (port_group.h)
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  void note_moved() { ++counters_.moved; }
  /// What switches choose paths by, of the packets that this queue pair sent last. It exists and has sent.
  [[nodiscard]] std::uint32_t flow_hash_of(Qpn qpn) const {
    const transport::QpSlot slot = device_.slot_of(qpn);
    return records_[static_cast<std::size_t>(slot.kind)][slot.index].flow_hash;
  }
  /// Of a queue pair that another process simulates, as that knows it.
  void learn_flow_hash(Qpn qpn, std::uint32_t hash) {
    const transport::QpSlot slot = device_.slot_of(qpn);
    records_[static_cast<std::size_t>(slot.kind)][slot.index].flow_hash = hash;
  }
  /// A data packet of a connected queue pair of the InfiniBand transport, as far as all of them are alike; nothing need
  /// have been sent. And the hash of its 5-tuple, what switches choose by without header_hash.
  [[nodiscard]] wire::Packet packet_of(Qpn qpn) const;
  /// Whether packets of this queue pair, which need not have sent, take one path after the other by choice of its
  /// sender, and not by the network's news alone.
  [[nodiscard]] bool takes_any_path(Qpn qpn) const;
  [[nodiscard]] std::uint32_t tuple_hash_of(const wire::Packet& packet) const {
    return tuple_hash_of(packet, options_.address);
  }
  /// What switches choose its path by, if this NIC sends it.
  [[nodiscard]] std::uint32_t path_hash_of(const wire::Packet& packet) const { return flow_hash_of(packet); }
  /// Null without one.
  [[nodiscard]] const HostPath* path() const { return path_.get(); }
  /// How far out of order data came; null unless the options ask for it.
  [[nodiscard]] const ReorderMeter* reordering() const { return reordering_.get(); }
  /// The memory that arriving bytes are written to, where the port has to wait for it; null: nowhere.
  [[nodiscard]] fabric::ReceiveMemory* receive_memory() { return path_ == nullptr ? nullptr : path_->receive_memory(); }
  /// Packets that have arrived and that the engines have not seen yet.
  [[nodiscard]] std::uint32_t packets_kept() const { return packets_kept_; }
  /// Sum over the queue pairs that exist, of every kind; of reliable ones, counters of those destroyed as well.
  struct Connections {
    std::uint64_t count = 0;
    std::uint64_t state_bytes = 0;   // that the engines hold
    std::uint64_t buffer_bytes = 0;  // that a stack over a stream holds besides: send and receive buffers
    std::uint64_t retransmissions = 0;
    std::uint64_t timeouts = 0;
    std::uint64_t out_of_order = 0;
    std::uint64_t duplicates = 0;
    transport::RcCounters rc;    // of the RC engines alone
    transport::UetCounters uet;  // of Ultra Ethernet's contexts, those that are closed included
    std::uint32_t contexts = 0;  // of Ultra Ethernet, that exist; `state_bytes` counts them
  };
  /// O(queue pairs).
  [[nodiscard]] Connections connections() const;
  /// Of all queue pairs that exist (CongestionControl::cuts). O(queue pairs).
  [[nodiscard]] std::uint64_t rate_cuts() const;
  /// PathSelector::changes() of all queue pairs and contexts that there have been. O(those that exist).
  [[nodiscard]] std::uint64_t path_changes() const;
  [[nodiscard]] std::size_t heap_bytes() const;
  /// A request that the engine refused after its delay: the program's error.
  [[nodiscard]] const std::optional<Error>& deferred_error() const { return deferred_error_; }

 private:
  /// A queue pair as the rings and heaps name it: kind above, place in its slab below.
  using QpRef = std::uint32_t;
  enum List : std::uint8_t { kInResponses = 1, kInReady = 2, kCnpFirst = 4 };  // the last: of its answers
  struct QpRecord {
    Time paced_at = Time::never();  // the heap entry that counts
    Time timer_at = Time::never();
    std::uint32_t flow_hash = 0;
    std::uint16_t entropy = 0;
    std::uint8_t lists = 0;  // List bits
    std::uint8_t priority = 0;
    bool alive = false;
    EndpointId hashed_to{0xFFFF'FFFF};  // whom flow_hash is of; nobody at first
    std::unique_ptr<transport::CongestionControl> control;
    std::unique_ptr<transport::CongestionReceiver> receiver;
    std::unique_ptr<transport::PathSelector> paths;
  };
  /// A request that is still on its way to the NIC.
  struct DeferredPost {
    Time at;
    Qpn qpn;
    verbs::SendWr request;
    std::vector<verbs::Sge> elements;
    std::vector<std::byte> inline_data;
  };

  /// Requests on their way through a path: each queue pair's in order, those of different ones as they come.
  struct PathPosts {
    std::multimap<Time, DeferredPost> posts;  // in order of time, then of posting
    FlowTable<Time> last;
  };

  static_assert(transport::kEngineKinds <= 16, "the kind of an engine has four bits of a QpRef");
  static QpRef ref_of(transport::QpSlot slot) {
    WEFT_DCHECK(slot.exists() && slot.index <= 0xFFFFFFF);
    return static_cast<QpRef>(slot.kind) << 28 | slot.index;
  }
  static transport::QpSlot slot_of(QpRef ref) {
    return {.index = ref & 0xFFFFFFF, .kind = static_cast<transport::EngineKind>(ref >> 28)};
  }
  [[nodiscard]] QpRecord& record_of(QpRef ref) {
    WEFT_DCHECK((ref & 0xFFFFFFF) < records_[ref >> 28].size());
    return records_[ref >> 28][ref & 0xFFFFFFF];
  }
  [[nodiscard]] Result<Qpn> create_rc(const verbs::QpInitAttributes& init, QpRecord& record);
  template <class Options>
  [[nodiscard]] Result<Qpn> create_stream(const verbs::QpInitAttributes& init, Options options, QpRecord& record);
  void reschedule(QpRef ref, QpRecord& record);
  void reschedule(Qpn qpn);
  /// Looks what contexts of Ultra Ethernet want now that a call has changed besides its own.
  void attend_touched() {
    if (device_.has_touched()) [[unlikely]] {
      attend_touched_slow();
    }
  }
  [[gnu::noinline]] void attend_touched_slow();
  /// The record of what took a packet.
  [[nodiscard]] QpRecord& record_of_taker(transport::QpSlot slot);
  // Out of line: most calls of attend need none of them.
  [[gnu::noinline]] void enqueue_response(QpRef ref, QpRecord& record);
  [[gnu::noinline]] void enqueue_ready(QpRef ref, QpRecord& record);
  [[gnu::noinline]] void pace(QpRef ref, QpRecord& record, Time until);
  [[gnu::noinline]] void schedule_timeout(QpRef ref, QpRecord& record, Time at);
  void pump(Time now) {
    if (!awaits_wire_) {
      pump_idle_wire(now);
    }
  }
  void pump_idle_wire(Time now);
  // These send at most one packet. They give the time from which the wire may take another; never(): none was sent.
  [[nodiscard]] Time send_one(std::uint16_t lanes, Time now);
  [[nodiscard]] Time send_response(std::uint16_t lanes, Time now);
  [[nodiscard]] Time send_data(std::uint16_t lanes, Time now);
  /// The lane whose turn it is, of those that have data and may send it; not 0.
  [[nodiscard]] std::uint32_t next_lane(std::uint32_t open) {
    if (lane_scheduler_ != nullptr) [[unlikely]] {
      return lane_scheduler_->pick(open);
    }
    const std::uint32_t above = open & (~std::uint32_t{1} << turn_);
    return static_cast<std::uint32_t>(std::countr_zero(above != 0 ? above : open));
  }
  [[nodiscard]] Time poll(QpRef ref, QpRecord& record, Time now);
  void finish(wire::Packet& packet, QpRecord& record);
  /// Of a UD queue pair whose queue was empty: what it sends goes by the lane of its latest address.
  void choose_datagram_lane(Qpn qpn, const verbs::SendWr& request);
  /// A data packet's receiver takes it in any order: WRITE packets with an address of their own, and READ data.
  [[nodiscard]] bool is_unordered(const wire::Packet& packet) const;
  [[nodiscard]] std::uint32_t flow_hash_of(const wire::Packet& packet) const;
  [[nodiscard]] const transport::PathSelector* path_selector_of(transport::QpSlot slot) const;  // null: none
  /// Of the 5-tuple, whoever has sent the packet; what its receiver spreads flows over cores by.
  [[nodiscard]] std::uint32_t tuple_hash_of(const wire::Packet& packet, std::uint64_t source) const;
  void release_paced(Time now) {
    if (paced_.first() <= now) [[unlikely]] {
      release_due(now);
    }
  }
  [[gnu::noinline]] void release_due(Time now);
  [[nodiscard]] bool has_ready() const { return !responses_.empty() || ready_mask_ != 0; }
  /// The lane of the queue pair's next response.
  [[nodiscard]] std::uint32_t response_lane(const QpRecord& record) const;
  /// Notifies the listeners of new completions, whose data are in memory at `landed`. `ref`: the queue pair that they
  /// are of; any, where what happened concerned several.
  void report_completions(QpRef ref, Time landed) {
    if (device_.completions() != seen_completions_) {
      notify_listeners(ref, landed);
    }
  }
  void notify_listeners(QpRef ref, Time landed);
  [[gnu::noinline]] void measure_order(const wire::Packet& packet);
  /// The same of a packet that a context of Ultra Ethernet has taken, since only that knows its flow.
  void measure_context_order(const wire::Packet& packet, transport::QpSlot taker) {
    if (measures_order_ && taker.kind == transport::EngineKind::kUetPdc) [[unlikely]] {
      measure_context_order_slow(packet, taker);
    }
  }
  [[gnu::noinline]] void measure_context_order_slow(const wire::Packet& packet, transport::QpSlot taker);

  /// The bytes that came with a packet; none in runs that carry lengths only.
  [[nodiscard]] std::span<const std::byte> payload_of(fabric::PacketHandle handle) const;
  /// Slow path of a transmission: host path, payload bytes, header check.
  void finish_send_slow(fabric::PacketHandle handle, const wire::ColdPacket& cold, QpRef ref, Time now);

  // With a path between programs and this NIC, or with real bytes.
  void receive_slow(fabric::PacketHandle handle, Time now);
  void deliver_with_bytes(fabric::PacketHandle handle, Time now);
  void receive_via_host_path(fabric::PacketHandle handle, Time now);
  void deliver_via_host_path(fabric::PacketHandle handle, Time now);
  [[nodiscard]] HostPath::Arrival describe(fabric::PacketHandle handle) const;
  void post_via_host_path(Qpn qpn, const verbs::SendWr& request, Time now);
  void run_path(Time now);
  /// The outlook without what the host does not let leave yet.
  [[nodiscard]] transport::Device::Readiness held(QpRef ref, transport::Device::Readiness readiness, Time now);
  void schedule_gate(Time now);
  [[nodiscard]] bool gate_open(Time now) const { return path_ == nullptr || path_->device_data_from() <= now; }

  // What every packet needs lies together, in the first cache lines.
  sim::Kernel& kernel_;
  fabric::PacketPool& packets_;
  fabric::EndpointPort& port_;
  std::uint32_t index_;
  EndpointId endpoint_;
  std::uint16_t ready_mask_ = 0;
  std::uint8_t turn_ = 0;                 // lane that sent last
  bool awaits_wire_ = false;              // on_wire_ready will come when the wire is idle
  bool receive_needs_slow_path_ = false;  // arrivals use the host path, or carry bytes
  bool send_needs_slow_path_ = false;     // transmissions use the host path, carry bytes, are checked, or are datagrams
  bool measures_order_ = false;
  bool places_any_order_ = false;  // reliable queue pairs take the data of their READs in any order
  std::optional<TrafficClass> ack_;
  std::optional<TrafficClass> cnp_;
  std::unique_ptr<HostPath> path_;                 // null: the delays of options_.pipeline
  std::unique_ptr<LaneScheduler> lane_scheduler_;  // null: lanes take turns
  Ring<QpRef> responses_;
  DeadlineHeap paced_;
  Time pacing_call_ = Time::never();  // on_wire_ready was asked for at that time, for pacing
  std::uint64_t seen_completions_ = 0;
  std::uint64_t selectors_made_ = 0;  // by options_.path_selector: each has a seed of its own
  DeadlineHeap timeouts_;
  sim::Wake timer_;
  Counters counters_;
  std::span<std::byte> room_;  // where an engine puts the bytes of a packet; empty: lengths only
  PayloadStore* payloads_;     // null: lengths only
  std::array<std::vector<QpRecord>, transport::kEngineKinds> records_;  // by kind, then by place in the device's slab
  std::array<Ring<QpRef>, 16> ready_;
  static constexpr std::size_t kHotBytes = std::size_t{7} * 64;  // up to the rings of the first few lanes

  transport::Device device_;
  NicOptions options_;
  const std::vector<std::uint64_t>& addresses_;
  const std::vector<wire::EndAddresses>& header_addresses_;
  std::vector<CompletionListener*> listeners_;
  sim::Wake pipeline_;
  Ring<DeferredPost> posts_;
  RandomStream random_;
  Time last_post_;
  std::optional<Error> deferred_error_;
  std::unique_ptr<PathPosts> path_posts_;  // only with a path
  std::uint32_t packets_kept_ = 0;
  std::unique_ptr<ReorderMeter> reordering_;  // null: order is not measured
  transport::RcCounters destroyed_;           // of queue pairs that are no more
  std::uint64_t destroyed_cuts_ = 0;
  std::uint64_t destroyed_path_changes_ = 0;
};

}  // namespace weft::host
