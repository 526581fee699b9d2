// The RDMA path through a host: doorbell, PCIe, memory or GPU memory, the NIC's pipelines, and the completion.
//
// Sending: the core builds the work request and writes it to the NIC; small data ride with it, others the NIC reads
// over PCIe, the first bytes after a round trip and the rest ahead of the wire, so that no packet leaves before its
// bytes could have come. Receiving: the engine answers at once, bytes are written over PCIe from a buffer of the NIC;
// packets that find it full are dropped, unless their lane has flow control: then the peer is held back before that
// (room_at), and what credits have admitted waits in front of the buffer. The completion is written behind the bytes. A
// target of READ waits for its own first bytes before it answers. A NIC that cuts through begins a packet when its
// first TLP is there, later only as far as PCIe is slower than the wire, and writes the first TLP of an arriving
// packet, or fetches its receive request, as soon as that has come. Others hold each packet until it is whole.
// Throughput is the same. With `access` kBounce the bytes of GPU memory go through host memory in chunks, by copies
// that share the host's CPU and PCIe; a chunk is sent when its copy has ended. Not modelled: the NIC's caches of keys
// and queue pairs, atomics' own round trip, a receive request's fetch behind immediate data (the NIC reads it beside
// the payload's write), READs that bounce; over iWARP, what depends on where a message begins in the stream. Bytes that
// are sent again count as new ones for the chunks of a bounce.
#pragma once

#include "base/ring.h"
#include "host/path/host_path.h"
#include "host/path/host_resources.h"

namespace weft::host {

/// How a program learns of a completion: polling, an interrupt handler, or a thread woken by an interrupt.
enum class CompletionMode : std::uint8_t { kPolling, kInterrupt, kEvent };
/// How the NIC gets a work request: written with the doorbell, or read after it.
enum class WorkRequestFetch : std::uint8_t { kWithDoorbell, kAfterDoorbell };

/// How a receive buffer makes itself felt on the wire. Thresholds are of payload in the buffer, and xoff >= xon.
struct ReceiveFlowControl {
  std::uint16_t lanes = 0;      // bit l: lane l has PFC or credits; 0: no lane, and the rest counts for nothing
  Bytes xoff = Bytes::max();    // above it the peer is held back,
  Bytes xon = Bytes::max();     // until no more than this is left
  Bytes buffer = Bytes::max();  // what these lanes may fill: with PFC all of it, headroom included; max(): credits
};

struct RdmaPathOptions {
  Stage software{};         // library above verbs, on each side
  Stage doorbell{};         // building the request and writing it
  Stage pcie_write{};       // until the NIC has it
  Stage read_round_trip{};  // of PCIe, with the mark of its value; the time is the slot's
  Stage offload{};          // a pipeline of TCP offload, on the sender's side
  Stage transmit{};         // NIC, to the first bit on the wire
  Stage receive{};          // NIC, from the last bit; for lists alone: the fabric's port has the delay
  Stage receive_fetch{};    // of the receive request of a SEND
  Stage completion{};       // writing it, and finding it by polling
  Stage interrupt{};
  Stage wake_up{};
  Stage gpu_read{};   // what GPU memory adds to the first bytes read
  Stage gpu_write{};  // and to bytes written
  Bytes inline_limit{};
  Bytes receive_buffer = Bytes::max();  // what lanes without flow control may fill
  ReceiveFlowControl flow_control{};
  WorkRequestFetch request_fetch = WorkRequestFetch::kWithDoorbell;
  CompletionMode completion_mode = CompletionMode::kPolling;
  Duration poll_cost{};         // core's time for a completion
  verbs::MemoryPlace memory{};  // where the bytes of a SEND go
  /// The wire's rate, of a NIC that cuts through: PCIe and wire overlap inside a packet.
  std::optional<Rate> cut_through{};
};

class RdmaPath final : public HostPath {
 public:
  /// The host must outlive the path, and `slot` is one of its slots. `seed` spreads queue pairs over cores.
  struct Place {
    HostResources& host;
    PcieSlot& slot;
    std::uint64_t seed = 0;
  };
  RdmaPath(const RdmaPathOptions& options, const Place& place);

  Time post(const Posting& posting, Time now) override;
  void on_departure(FlowRef flow, Bytes payload, Time now) override;
  [[nodiscard]] Time device_data_from() const override { return gate_; }
  [[nodiscard]] Time data_from(FlowRef flow) override;
  [[nodiscard]] Time responses_from(FlowRef flow) override { return flows_[flow].responses_from; }
  [[nodiscard]] bool may_back_up() const override { return options_.flow_control.lanes != 0; }
  Time room_at(const Arrival& arrival, Time now) override;
  Admission admit(const Arrival& arrival, Time now) override;
  [[nodiscard]] Time next_arrival() const override { return Time::never(); }
  std::optional<std::uint32_t> take_arrival(Time) override { return std::nullopt; }
  Time on_delivered(FlowRef flow, const Arrival& arrival, Time now) override;
  Time on_completions_seen(FlowRef flow, Time landed) override;
  void forget(FlowRef flow) override {
    if (posting_flow(flow) == flow && engine_of(flow) == transport::EngineKind::kUet) {
      return;  // that of all queue pairs
    }
    flows_.forget(flow);
  }
  [[nodiscard]] StageTimes idle_stages(HostPathSide side, const MessageShape& shape) const override;
  [[nodiscard]] Counters counters() const override { return counters_; }
  [[nodiscard]] std::size_t heap_bytes() const override;

 private:
  /// A chunk of a bounced message that is not sent yet.
  struct Staged {
    Bytes left{};
    Time ready;
  };
  /// Of a queue pair. Over Ultra Ethernet packets leave and arrive by contexts that queue pairs share: what programs
  /// post has one flow of its own, and each context another.
  struct Flow {
    Time responses_from;   // a READ waits for its first bytes
    Time landed;           // bytes of this queue pair before it
    Ring<Staged> staged;   // bounce: chunks being copied or in host memory
    Ring<Bytes> unstaged;  // bounce: messages, or what is left of the first
    Time copied;           // bounce: end of the last copy
    CoreId core{};
    Bytes arrived{};                             // bounce: in host memory, not asked to be copied yet
    Bytes landing{};                             // bounce: of the present message, already being copied
    std::optional<verbs::MemoryPlace> source{};  // of what it sends, if that is known
    std::optional<verbs::MemoryPlace> sink{};    // of what it gets
  };

  /// Whose postings become this flow's packets.
  [[nodiscard]] static FlowRef posting_flow(FlowRef flow);
  [[nodiscard]] verbs::MemoryPlace source_of(FlowRef flow);

  [[nodiscard]] bool bounces(verbs::MemoryPlace place) const {
    return place.gpu.is_valid() && host_.options().access == GpuAccess::kBounce;
  }
  [[nodiscard]] bool is_inline(Bytes size, std::uint8_t send_flags, verbs::MemoryPlace place) const;
  [[nodiscard]] Duration first_fetch(const HostResources::Piece& first) const;
  [[nodiscard]] Duration idle_lead(const HostResources::Piece& packet) const;
  [[nodiscard]] Duration early(Bytes payload) const;
  [[nodiscard]] HostResources::Piece last_tlp(const HostResources::Piece& packet) const;
  [[nodiscard]] Time store(const HostResources::Piece& packet, Duration receive_fetch, Time now);
  [[nodiscard]] Duration idle_landing(const HostResources::Piece& packet, Duration receive_fetch) const;
  void stage_chunks(Flow& flow, Time now);
  [[nodiscard]] Time land_in_gpu(Flow& flow, const Arrival& arrival, Server::Deferred in_memory);
  [[nodiscard]] bool has_flow_control(std::uint8_t lane) const {
    return ((options_.flow_control.lanes >> lane) & 1U) != 0;
  }
  void free_places(Time now);
  [[nodiscard]] Time falls_to(Bytes level, Bytes beside) const;
  void list_sending(const MessageShape& shape, StageTimes& list) const;
  void list_receiving(const MessageShape& shape, StageTimes& list) const;
  void list_completion(StageTimes& list) const;

  RdmaPathOptions options_;
  HostResources& host_;
  PcieSlot& slot_;
  std::uint64_t seed_;
  FlowTable<Flow> flows_;
  Time gate_;
  struct Held {
    Time until;
    Bytes size{};
  };
  Ring<Held> buffer_;  // payload that is not written yet
  Bytes buffered_{};
  Time held_back_until_;  // the peer
  Counters counters_;
};

}  // namespace weft::host
