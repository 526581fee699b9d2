// A scenario, resolved: every value that a run needs, and where each came from.
//
// Plain values without a trace of the file's syntax; docs/scenario.md describes the file. A value comes from the first
// of: --set, the chosen [[case]], the file, the catalogue, the default. study/scenario_load.h makes one; selectors are
// checked against the devices by study/selector.h once the topology exists.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fabric/hash/hash_function.h"
#include "study/scenario/congestion/algorithm.h"
#include "study/scenario/congestion/dcqcn.h"
#include "study/scenario/congestion/hpcc.h"
#include "study/scenario/congestion/ib_congestion.h"
#include "study/scenario/congestion/nscc.h"
#include "study/scenario/congestion/rccc.h"
#include "study/scenario/congestion/swift.h"
#include "study/scenario/congestion/timely.h"
#include "study/scenario/family.h"
#include "study/scenario/path_rule.h"
#include "study/scenario/scenario_attacks.h"
#include "study/scenario/scenario_collectives.h"
#include "study/scenario/scenario_control.h"
#include "study/scenario/scenario_cost.h"
#include "study/scenario/scenario_devices.h"
#include "study/scenario/scenario_failures.h"
#include "study/scenario/scenario_reduction.h"
#include "study/scenario/scenario_scale_up.h"
#include "study/scenario/scenario_security.h"
#include "study/scenario/scenario_streams.h"
#include "study/scenario/scenario_subnet.h"
#include "study/scenario/scenario_traffic.h"
#include "study/scenario/scenario_uet.h"
#include "study/scenario/topology_kind.h"
#include "workload/queue_pair_use.h"

namespace weft::study::scenario {

enum class Hardware : std::uint8_t { kAsSold, kEqual };
/// How messages travel: as packets, or as flows at max-min fair rates (docs/decisions/0055).
enum class Fidelity : std::uint8_t { kPacket, kFlow };
enum class IpVersion : std::uint8_t { kV4, kV6 };

/// [fabric]
struct FabricSettings {
  Family family = Family::kRoceV2;
  std::string switch_entry;  // of the catalogue
  std::string nic_entry;
  std::string link_entry;
  std::string cabling_entry;
  std::string qos_entry;
  std::string pfc_entry;
  std::string ecn_entry;
  std::string uet_entry;
  std::string tuning_entry;  // settings of the whole fabric together
  std::int64_t mtu = 4096;   // path MTU; off InfiniBand any multiple of 4
  IpVersion ip_version = IpVersion::kV4;
  Bytes frame_gap;  // preamble and gap of a frame of Ethernet
};

/// Whether the fabric is one layer-2 domain (per plane), or every switch a router.
enum class Domains : std::uint8_t { kOne, kRouted };

/// [topology]. A 0 count means that the shape decides.
struct TopologySettings {
  TopologyKind kind = TopologyKind::kSingleSwitch;
  std::int64_t hosts = 0;
  std::int64_t nics_per_host = 1;
  std::int64_t ports_per_nic = 1;
  std::int64_t gpus_per_host = 1;
  std::int64_t planes = 1;
  std::int64_t leaves = 0;          // leaf-spine, rail-optimised
  std::int64_t spines = 0;          // leaf-spine, rail-optimised
  std::int64_t hosts_per_leaf = 0;  // leaf-spine, rail-optimised, dragonfly-plus, torus
  std::int64_t groups = 0;          // dragonfly-plus
  std::int64_t global_links = 0;    // dragonfly-plus: between two groups; 0: one per spine
  std::int64_t tiers = 2;           // fat-tree: 2 or 3
  std::int64_t radix = 0;           // fat-tree: ports of a switch in use
  Oversubscription oversubscription;
  std::int64_t parallel_links = 1;  // between two switches
  std::int64_t switches = 2;        // parking-lot: length of the chain
  std::vector<std::int64_t> sizes;  // torus: switches of a ring in each dimension
  Domains domains = Domains::kOne;
  std::string file;  // kFile: path as resolved from the scenario's folder
};

enum class RoutingPolicy : std::uint8_t {
  kEcmp,
  kSpray,
  kAdaptive,
  kLft,
  kLetFlow,
  kDrill,
  kConga,
  kConWeave,
  kEnhancedEcmp,
  kScheduled,
  kDimensionOrder,
  kValiant,
  kUgal,
  kPinned,
  kCentral,
};
/// By hash of each flow alone: ECMP, and with the destination queue pair among the hash's fields (E-ECMP).
[[nodiscard]] constexpr bool hashes_flows(RoutingPolicy policy) {
  return policy == RoutingPolicy::kEcmp || policy == RoutingPolicy::kEnhancedEcmp;
}
/// Over intermediate groups of a dragonfly.
[[nodiscard]] constexpr bool detours(RoutingPolicy policy) {
  return policy == RoutingPolicy::kValiant || policy == RoutingPolicy::kUgal;
}
/// What computes the forwarding tables of InfiniBand: a rule of weft's, the routing engines of OpenSM, or whoever wrote
/// the file.
enum class RoutingEngine : std::uint8_t {
  kDModK,
  kMinhop,
  kUpdn,
  kDnup,
  kFtree,
  kDor,
  kLash,
  kSssp,
  kDfsssp,
  kNue,
  kFile,
};
/// Where the order of packets is restored that went by several paths, before the host.
enum class ReorderPlace : std::uint8_t { kNone, kLeaf };
enum class MultipathTraffic : std::uint8_t { kAll, kUnordered };
enum class PortWeighting : std::uint8_t { kEqual, kCapacity, kLinkRate, kGiven };
enum class HashedField : std::uint8_t {
  kFiveTuple,
  kSourceAddress,
  kDestinationAddress,
  kSourcePort,
  kDestinationPort,
  kProtocol,
  kDestinationQp,
  kFlowLabel,
};

/// How a traffic controller places flows: by constrained shortest paths, one after another, by a linear program, or by
/// what jobs say of their communicators before they run.
enum class ControllerAlgorithm : std::uint8_t { kCspf, kGreedy, kMinMax, kCommunicators };
/// What it takes a flow to send: what counters say, or what the lines of hosts would let it.
enum class ControllerDemand : std::uint8_t { kMeasured, kHostLimited };

/// [routing]
struct RoutingSettings {
  std::string scheme;  // of the catalogue: settings of switches and hosts together
  RoutingPolicy policy = RoutingPolicy::kEcmp;
  std::string profile;              // of the catalogue; empty: that of the switch, "generic", or of the policy's name
  std::vector<Bytes> depth_grades;  // bounds, ascending; empty: depth to the byte
  MultipathTraffic multipath_for = MultipathTraffic::kAll;
  std::optional<Duration> flowlet_gap;  // none: each packet chooses
  std::int64_t flowlet_entries = 16'384;
  std::int64_t drill_samples = 2;
  std::int64_t drill_memory = 1;
  Duration dre_period = 16_us;
  Probability dre_alpha = Probability::from_ratio({.numerator = 1, .denominator = 10});
  std::int64_t congestion_bits = 3;
  Duration congestion_age = 10_ms;
  Duration reply_margin = 4_us;
  Duration path_pause = 16_us;
  Duration resume_margin = 16_us;
  Duration resume_default = 200_us;
  Duration flow_expiry = 300_us;
  ReorderPlace reorder = ReorderPlace::kNone;  // conweave: always in the leaf
  std::int64_t reorder_queues = 32;
  std::optional<Bytes> reorder_buffer;  // none: what the switch's buffer has
  Duration reorder_wait = 100_us;
  Bytes ugal_threshold{65'536};  // of bytes times hops
  PortWeighting port_weights = PortWeighting::kEqual;
  std::optional<Bytes> notification_threshold;    // none: no notifications
  std::optional<Duration> notification_hold;      // none: until the threshold has drained
  std::optional<Duration> notification_interval;  // none: a quarter of the hold
  std::optional<std::int64_t> hash_seed;          // none: f(seed, name of the switch)
  bool polarised = false;                         // every switch hashes alike
  fabric::HashFunction hash_function = fabric::HashFunction::kMixed;
  std::vector<HashedField> hash_fields{HashedField::kFiveTuple};
  std::int64_t hash_rotation = 0;  // bits for each tier above the leaves
  std::int64_t hash_buckets = 0;   // 0: groups are not resilient
  bool link_aggregation = false;   // parallel links are one next hop
  std::optional<Duration>
      reroute_delay;             // none: simulated; reroute_delay_of(). From a failure until next hops avoid it
  bool port_failover = false;    // ports of a NIC stand in for one another
  Duration port_failover_delay;  // until a NIC knows of its own link
  // Of InfiniBand.
  RoutingEngine engine = RoutingEngine::kDModK;       // kLft
  std::string tables;                                 // kFile: path as resolved from the scenario's folder
  std::int64_t nue_lanes = 1;                         // kNue: at most so many virtual lanes; 0: all
  std::int64_t lmc = 0;                               // LID mask control: 2^this LIDs for each end port
  std::vector<std::int64_t> adaptive_service_levels;  // whose packets leave the forwarding table; empty: all
  // Of a scheduled fabric.
  Bytes cell_size;            // largest, with its header
  Bytes cell_header;          // less than that
  Bytes credit_size;          // what a queue may send in its turn
  Probability credit_excess;  // by which credits outrun the line
  Duration credit_latency;    // of the scheduler of a port
  Bytes egress_buffer;        // of a host port: granted, and not yet sent
  Duration reassembly_timeout;
  // Of a traffic controller.
  ControllerAlgorithm controller_algorithm = ControllerAlgorithm::kCspf;
  Duration controller_period = 1_ms;   // between readings of counters and link states
  Duration controller_delay = 100_us;  // from reading until entries are installed
  ControllerDemand controller_demand = ControllerDemand::kMeasured;
  Probability controller_threshold = Probability::from_ratio({.numerator = 1, .denominator = 10});  // of the line
  std::int64_t controller_paths = 64;     // candidates between two switches
  std::int64_t controller_table = 4'096;  // entries of a switch
};

/// Whether the forwarding tables are those of a subnet manager, not of weft's rule.
[[nodiscard]] inline bool has_manager(const RoutingSettings& routing) {
  return routing.policy == RoutingPolicy::kLft && routing.engine != RoutingEngine::kDModK;
}
/// Whether a simulated manager says how long its tables take after a failure.
[[nodiscard]] inline bool simulates_resweeps(const RoutingSettings& routing) {
  return !routing.reroute_delay && has_manager(routing) && routing.engine != RoutingEngine::kFile;
}
/// Until routes avoid a failure; zero where it is simulated, as that comes on top (run/manager_study.h).
[[nodiscard]] inline Duration reroute_delay_of(const RoutingSettings& routing) {
  constexpr Duration kUsual = Duration::milliseconds(50);  // of a network that has no manager
  return routing.reroute_delay.value_or(simulates_resweeps(routing) ? Duration::zero() : kUsual);
}
/// Whether its engine gives each path a virtual lane.
[[nodiscard]] inline bool assigns_lanes(const RoutingSettings& routing) {
  return routing.engine == RoutingEngine::kLash || routing.engine == RoutingEngine::kDfsssp ||
         (routing.engine == RoutingEngine::kNue && routing.nue_lanes != 1);
}

/// Whether congestion notifications have a class of their own, or that of the data they are about.
enum class CnpClass : std::uint8_t { kOwn, kData };

/// [qos]: which class each kind of packet travels in.
struct QosSettings {
  std::int64_t data_priority = 3;
  std::int64_t ack_priority = 3;
  std::int64_t cnp_priority = 6;
  std::int64_t data_dscp = 26;
  std::int64_t ack_dscp = 26;
  std::int64_t cnp_dscp = 48;
  std::int64_t data_sl = 0;
  std::int64_t ack_sl = 0;
  std::int64_t cnp_sl = 0;
  std::int64_t tcp_priority = 0;
  std::int64_t tcp_dscp = 0;
  CnpClass cnp_class = CnpClass::kOwn;
};

enum class LossRecoveryKind : std::uint8_t { kGoBackN, kSelectiveRepeat };
enum class LossDetectionKind : std::uint8_t { kAuto, kCount, kTime };

/// [transport]
struct TransportSettings {
  std::int64_t ack_interval = 1;  // packets per requested acknowledgement
  std::int64_t ack_timeout = 14;  // 4.096 us * 2^n; 0: never
  std::int64_t retry_count = 7;   // 0..7
  std::int64_t rnr_retry = 7;     // 7: for ever
  LossRecoveryKind loss_recovery = LossRecoveryKind::kGoBackN;
  bool out_of_order_placement = false;
  LossDetectionKind loss_detection = LossDetectionKind::kAuto;  // of selective repeat
  std::int64_t reorder_threshold = 3;                           // later packets, by count
  std::optional<std::int64_t> flight_packets;  // of selective repeat; none: by the bandwidth-delay product
  PathRule path_selector = PathRule::kSingle;  // RoCEv2: the UDP source port of each packet
  std::int64_t paths = 128;                    // source ports of a queue pair, a power of two
  std::int64_t path_burst = 1;                 // packets that share a source port, with some selectors
  Probability plb_threshold = Probability::from_ratio({.numerator = 1, .denominator = 2});
  std::int64_t plb_rounds = 12;      // congested ones in a row before another source port
  std::int64_t plb_idle_rounds = 3;  // the same, with nothing in flight; 0: never
  Duration plb_suspend = 60_s;       // after a timeout, at least
  workload::SourcePorts source_ports = workload::SourcePorts::kPerQueuePair;
};

/// Bytes in flight: as they stand, or so many bandwidth-delay products (study/base_round_trip.h) of a NIC's own line.
struct WindowSize {
  Bytes bytes;                  // where `bdp_millis` is 0
  std::int64_t bdp_millis = 0;  // thousandths of a bandwidth-delay product
  friend bool operator==(const WindowSize&, const WindowSize&) = default;
};

/// [congestion_control]
struct CongestionSettings {
  CongestionAlgorithm algorithm = CongestionAlgorithm::kNone;
  std::string profile;               // of the catalogue, for algorithms with parameters
  std::optional<WindowSize> window;  // in flight per queue pair; none: unlimited (static-window needs one)
};

/// [output]
struct OutputSettings {
  std::optional<Duration> sample_interval;  // none: no samples
  std::vector<Probability> percentiles;
  std::string ladder;  // "PROFILE/FABRIC" of a run on the latency ladder; empty: none
};

/// [flow]: how a run at the flow level measures its error.
struct FlowSettings {
  std::int64_t probes = 1;      // runs with packets, one seed each
  std::int64_t probe_hops = 0;  // packet-hops of each
};

/// Who gave a value.
enum class Origin : std::uint8_t { kDefault, kCatalogue, kFile, kCase, kSet, kDerived };

/// How a value of the catalogue is known, the surest first.
enum class Mark : std::uint8_t { kSpecified, kMeasured, kCalibrated, kGuess };

struct ValueSource {
  Origin origin = Origin::kDefault;
  std::string text{};          // "default", "incast.toml:7:10", "catalogue switch/tomahawk-5 (guess: ...)"
  std::optional<Mark> mark{};  // of the catalogue's value
};

/// The value of a key before it is read as a quantity; what overrides keep.
struct Assignment {
  std::string path;   // "switch.buffer", "ethernet.priority.3.alpha"
  std::string text;   // in the canonical form that `weft show` prints
  std::string place;  // "incast.toml:7:10"
};

/// One [[override]]: already checked, so that applying it cannot fail.
struct DeviceOverride {
  std::string select;
  std::string place;
  std::vector<Assignment> assignments;
  std::optional<Rate> select_rate{};      // only ports whose link has this rate
  std::optional<LinkTier> select_tier{};  // only ports whose link is of this tier

  /// Means ports by what their links are, beside their names; has keys of ports alone, and none of [link].
  [[nodiscard]] bool by_link() const { return select_rate.has_value() || select_tier.has_value(); }
};

/// What an override can select a port by, beside its name.
struct PortLink {
  Rate rate;
  LinkTier tier = LinkTier::kHost;
};

struct Scenario {
  std::string name;
  std::int64_t seed = 1;  // >= 0
  Hardware hardware = Hardware::kAsSold;
  std::optional<Duration> stop;  // none: when all traffic is done
  Fidelity fidelity = Fidelity::kPacket;
  FabricSettings fabric{};
  TopologySettings topology{};
  DeviceSettings devices{};  // without the overrides
  QosSettings qos{};
  RoutingSettings routing{};
  TransportSettings transport{};
  CongestionSettings congestion{};
  DcqcnSettings dcqcn{};
  IbCongestionSettings ib_congestion{};
  SwiftSettings swift{};
  HpccSettings hpcc{};
  TimelySettings timely{};
  NsccSettings nscc{};
  RcccSettings rccc{};
  ControlSettings control{};
  SubnetSettings subnet{};
  ReductionSettings reduction{};
  ScaleUpSettings scale_up{};
  TcpSettings tcp{};
  IwarpSettings iwarp{};
  UetSettings uet{};
  SecuritySettings security{};
  CollectiveSettings collectives{};
  std::array<CablingSettings, kCablingNames.size()> cabling{};
  GpuSettings gpu{};
  CostSettings cost{};
  OutputSettings output{};
  FlowSettings flow{};
  std::vector<TrafficSettings> traffic;
  std::vector<TrafficLeftOut> left_out;  // of `traffic`, what the network's family cannot carry and need not
  std::vector<JobSettings> jobs;
  std::vector<EventSettings> events;
  FailureRates failure_rates{};
  LibrarySettings library{};
  CheckpointSettings checkpoint{};
  std::vector<FailureSettings> failures;
  std::vector<AttackSettings> attacks;
  KeySettings keys{};
  std::vector<DeviceOverride> overrides;

  std::string file;       // as given by the user
  std::string case_name;  // of the chosen [[case]], or empty
  /// By path, for example "switch.buffer" or "traffic[0].size"; every value has one.
  std::map<std::string, ValueSource> sources;
};

/// What a whole device is like: its settings with every override that selects all of it, in the order of the file.
/// `device` is a name of the topology: "leaf1", "host3/nic0".
[[nodiscard]] DeviceSettings settings_of_device(const Scenario& scenario, const std::string& device);
/// The same for one port or link end, "leaf1/port3"; overrides of its device count as well. Those that select by link
/// count where the link is given; nothing of [link] depends on them.
[[nodiscard]] DeviceSettings settings_of_port(const Scenario& scenario, const std::string& port,
                                              const std::optional<PortLink>& link = std::nullopt);
/// Whether an override by link means a port with this link; true of overrides by name alone.
[[nodiscard]] bool selects_link(const DeviceOverride& override, const std::optional<PortLink>& link);

}  // namespace weft::study::scenario
