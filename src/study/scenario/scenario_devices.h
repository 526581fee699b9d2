// What a scenario says of devices: switches, links, NICs, and the parts of both that belong to one family.
//
// These are the settings that an [[override]] can change for some devices. Counts are int64 and within the range that
// docs/scenario.md gives for the key of the same name; an empty optional stands for the word given there ("auto").
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/rate.h"
#include "base/time.h"
#include "study/scenario/quantities.h"

namespace weft::study::scenario {

enum class Forwarding : std::uint8_t { kStoreAndForward, kCutThrough };

/// [switch]
struct SwitchSettings {
  std::int64_t ports = 0;
  Rate port_rate;
  Duration latency;  // of the pipeline, first bit in to first bit out, without serialisation
  Forwarding forwarding = Forwarding::kStoreAndForward;
  Bytes buffer;  // shared by all ports (Ethernet)
  Power power;
  Money price;
};

/// [link.host], [link.leaf], [link.spine]: what leads down from that tier's upper switch.
struct LinkSettings {
  Rate rate;
  Length length;
  Duration propagation;  // one way
  Probability bit_error_rate;
  Probability packet_error_rate;
  std::int64_t weight = 1;  // of routing.port_weights "given"
};

enum class LinkTier : std::uint8_t { kHost, kLeaf, kSpine };  // host to leaf, leaf to spine, spine to core
inline constexpr std::size_t kLinkTiers = 3;

/// [ethernet.priority.N], of every port.
struct PrioritySettings {
  bool lossless = false;               // PFC
  PowerOfTwo alpha;                    // ingress
  PowerOfTwo egress_alpha;             // lossy priorities only
  Bytes reserve;                       // of each ingress group
  std::optional<Bytes> headroom;       // none: computed
  std::optional<Bytes> ingress_limit;  // none: dynamic threshold
  Bytes xon_offset;                    // resume that far below the threshold
  bool ecn = false;
  Bytes kmin;  // at the port's rate, or at ecn_reference_rate
  Bytes kmax;
  Probability pmax;
  std::optional<Rate> ecn_reference_rate;  // kmin and kmax grow with rate / this; none: the same at every rate
  std::int64_t weight = 0;                 // of DWRR; 0: strict
  std::optional<Bytes> egress_limit;       // of the queue by itself; none: the shared buffer
  bool credits = false;                    // CBFC in place of PFC
  std::optional<Bytes> credit_buffer;      // none: as the cable needs
};

enum class EcnMoment : std::uint8_t { kStart, kEnd };
enum class TrimVictim : std::uint8_t { kNewcomer, kCoin };

/// [ethernet.trimming]
struct TrimmingSettings {
  bool enabled = false;
  Bytes size;                  // of the frame that is left
  std::int64_t priority = 6;   // its class
  std::int64_t dscp = 0;       // its mark
  std::int64_t last_dscp = 0;  // the same at the link to the receiver
  TrimVictim victim = TrimVictim::kNewcomer;
};

/// [ethernet.llr]
struct LlrSettings {
  bool enabled = false;
  Duration latency;
  std::optional<Bytes> buffer;  // none: as the cable needs
  Bytes spacing;                // of control ordered sets
  Duration replay_timer;
  std::int64_t replays = 1;
};

/// [ethernet.cbfc], beside the priorities' `credits`.
struct CbfcSettings {
  Bytes unit;
  Duration resync;
};

enum class WatchdogAction : std::uint8_t { kDrop, kForward };

/// [ethernet]
struct EthernetSettings {
  std::array<PrioritySettings, 8> priorities{};
  std::optional<Duration> watchdog_detect;  // none: no watchdog
  Duration watchdog_restore;
  WatchdogAction watchdog_action = WatchdogAction::kDrop;
  std::int64_t pause_quanta = 0xFFFF;
  std::optional<Duration> pause_response;  // none: the limit that 802.3 sets for the rate
  EcnMoment ecn_moment = EcnMoment::kStart;
  TrimmingSettings trimming{};
  LlrSettings llr{};
  CbfcSettings cbfc{};
};

struct VlWeight {
  std::uint8_t vl = 0;
  std::uint8_t weight = 0;  // 64 bytes each
  friend bool operator==(VlWeight, VlWeight) = default;
};

/// [infiniband.vl.N]: entries of a VL in tables that are not listed, 64 bytes each; 0: none.
struct VlSettings {
  static constexpr std::int64_t kUsualWeight = 66;  // the largest frame: a turn is at least a packet
  std::int64_t weight = kUsualWeight;               // low priority
  std::int64_t high_weight = 0;
  friend bool operator==(VlSettings, VlSettings) = default;
};

/// [infiniband]
struct InfinibandSettings {
  std::int64_t vls = 1;             // data VLs: 1, 2, 4, 8 or 15
  Bytes vl_buffer;                  // of each input port and VL
  std::vector<std::int64_t> sl2vl;  // empty: SL modulo vls; otherwise 16 entries, 15 = drop
  std::vector<VlWeight> vl_arbitration_high;
  std::vector<VlWeight> vl_arbitration_low;
  std::array<VlSettings, 15> vl{};                 // count where no table is listed
  std::int64_t vl_high_limit = 0;                  // 4096 bytes each; 255: unlimited
  std::optional<Duration> head_of_queue_lifetime;  // none: packets never expire
  std::optional<Bytes> credit_update_threshold;    // freed since the last update before one is sent; none: 0012's rule
  std::optional<Duration> credit_update_interval;  // of repetition on links with errors; none: 65,536 symbol times
};

enum class ServiceTimeKind : std::uint8_t { kConstant, kUniform, kExponential };

/// A random duration: "200 ns", "uniform 100 ns to 300 ns", "exponential 200 ns".
struct ServiceTime {
  ServiceTimeKind kind = ServiceTimeKind::kConstant;
  Duration low;   // the value, the lower end, or the mean
  Duration high;  // the upper end (uniform)
  friend bool operator==(const ServiceTime&, const ServiceTime&) = default;
};

/// What a NIC does with a packet beyond what it can keep track of.
enum class ReorderOverflowRule : std::uint8_t { kDrop, kNak };

/// [nic]
struct NicSettings {
  std::int64_t ports = 1;
  Rate port_rate;
  Duration doorbell_latency;       // work request built and written to the doorbell
  Duration pcie_latency;           // from the doorbell's write to the NIC
  Duration tx_latency;             // pipeline, to the first bit on the wire
  Duration rx_latency;             // pipeline, from the last bit
  Duration offload_latency;        // of a TCP offload engine
  Duration completion_latency;     // write to memory and its discovery by polling
  ServiceTime service_time;        // per message, beside all of the above
  bool cut_through = true;         // PCI Express and wire overlap inside a packet
  bool congestion_control = true;  // false: neither slows down nor notifies others, whatever the scenario says
  // Of one queue pair under selective repeat, as receiver.
  std::optional<std::int64_t> tracked_packets;  // PSNs from the expected one; none: as many as a sender has in flight
  std::int64_t reorder_packets = 64;            // held, because they cannot be placed yet
  std::optional<Bytes> reorder_buffer;          // of their payload; none: no limit
  ReorderOverflowRule reorder_overflow = ReorderOverflowRule::kDrop;
  Power power;
  Money price;
};

enum class HostModel : std::uint8_t { kNicDelays, kStages };
enum class MemoryKind : std::uint8_t { kHost, kGpu };
enum class GpuPath : std::uint8_t { kGpuDirect, kBounce };
enum class GpuAttachment : std::uint8_t { kPcieSwitch, kRootComplex, kOtherRootComplex };
enum class CompletionMode : std::uint8_t { kPolling, kInterrupt, kEvent };
enum class RequestFetch : std::uint8_t { kWithDoorbell, kAfterDoorbell };

/// [host]
struct HostSettings {
  std::string profile;                      // of the catalogue
  std::optional<Money> price;               // of a host without its GPUs and NICs
  std::optional<Power> power;               // of the same, at full load
  HostModel model = HostModel::kNicDelays;  // kNicDelays: nothing below counts
  std::int64_t cores = 1;
  Rate memory_rate;              // of the host's memory, reads and writes together
  Duration memory_copy_latency;  // a copy by a core
  Rate memory_copy_rate;
  MemoryKind memory = MemoryKind::kHost;  // where programs have their buffers
  GpuPath path = GpuPath::kGpuDirect;     // how bytes get from and to GPU memory
  GpuAttachment gpu_attachment = GpuAttachment::kPcieSwitch;
  std::optional<Rate> gpu_memory_rate;  // of each GPU; none: it limits nothing
  Duration gpu_read_latency;            // beside that of host memory
  Duration gpu_write_latency;
  Duration root_complex_latency;
  Rate root_complex_rate;  // between two root complexes
  Duration copy_launch;    // of a copy from or to a GPU
  Bytes copy_chunk;
  std::string pcie;              // entry of the catalogue
  Rate pcie_lane_rate;           // after line coding
  std::int64_t pcie_lanes = 16;  // of a NIC
  std::int64_t gpu_pcie_lanes = 16;
  Bytes pcie_max_payload;
  Probability pcie_link_overhead;
  Duration pcie_read_round_trip;
  Bytes pcie_outstanding_reads;
  Bytes inline_limit;
  RequestFetch request_fetch = RequestFetch::kWithDoorbell;
  Duration receive_fetch_latency;           // of a SEND's receive request
  Bytes receive_buffer;                     // of a NIC
  std::optional<Bytes> receive_headroom;    // of it, for what comes after a PFC pause; none: as the cable needs
  std::optional<Bytes> receive_xon_offset;  // how far below XOFF the pause ends; none: a frame
  CompletionMode completion = CompletionMode::kPolling;
  Duration completion_cost;  // time of a core
  Duration interrupt_latency;
  Duration wakeup_latency;
  Duration software_latency;  // above verbs or sockets, on each side
};

/// [sockets]: of the kernel.
struct SocketSettings {
  bool busy_poll = false;
  Duration busy_poll_latency;
  Duration system_call;
  Duration send_copy_latency;
  Duration receive_copy_latency;
  Rate copy_rate;
  Duration transmit_stack;  // per unit
  Duration receive_stack;
  Duration receive_ack;
  Duration receive_packet;
  Bytes unit;  // of segmentation offload and GRO
  Duration transmit_dma;
  Duration receive_dma;
  Duration moderation;                 // rx-usecs
  std::int64_t moderation_frames = 0;  // rx-frames
  std::int64_t ring = 1024;            // packets
};

/// Everything that may differ from device to device.
struct DeviceSettings {
  SwitchSettings switch_{};
  std::array<LinkSettings, kLinkTiers> links{};
  EthernetSettings ethernet{};
  InfinibandSettings infiniband{};
  NicSettings nic{};
  HostSettings host{};
  SocketSettings sockets{};

  [[nodiscard]] const LinkSettings& link(LinkTier tier) const { return links[static_cast<std::size_t>(tier)]; }
};

}  // namespace weft::study::scenario
