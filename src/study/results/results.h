// The records of a results file, as plain values. docs/results.md explains every figure.
//
// Everything but MachineInfo follows from the scenario, its seed and the version alone. Lists are in a fixed order that
// the order of events does not change: jobs and ports by number, messages by flow, samples and events by time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/rate.h"
#include "base/time.h"
#include "fabric/fabric.h"
#include "fabric/routing/path_balancer.h"
#include "study/results/attack_row.h"
#include "study/results/control_rows.h"
#include "study/results/controller_row.h"
#include "study/results/decision_row.h"
#include "study/results/multicast_row.h"
#include "study/results/nic_row.h"
#include "study/results/scale_up_rows.h"
#include "study/results/security_row.h"
#include "study/results/step_rows.h"
#include "study/results/subnet_row.h"
#include "workload/message_record.h"

namespace weft::study::results {

/// kJobLost: a job could not go on after failures; the results are those up to then.
enum class RunEnd : std::uint8_t { kFinished, kTimeLimit, kInterrupted, kStuck, kError, kJobLost };
/// "finished", "time-limit", "interrupted", "stuck", "error", "job-lost".
[[nodiscard]] std::string_view to_string(RunEnd end);
[[nodiscard]] std::optional<RunEnd> parse_run_end(std::string_view word);

/// How the fabric keeps from losing packets.
enum class Lossless : std::uint8_t { kNo, kPause, kCredits };

struct RunInfo {
  std::string key;  // 16 hexadecimal digits: study/results_key.h
  std::string version;
  std::string scenario;   // its name
  std::string case_name;  // empty: none
  std::int64_t seed = 1;
  std::string family;
  std::string hardware;
  std::string topology;
  std::string congestion;  // the algorithm; "none"
  Lossless lossless = Lossless::kNo;
  bool marking = false;  // switches mark packets when queues grow
  std::uint32_t hosts = 0;
  std::uint32_t endpoints = 0;
  std::uint32_t switches = 0;
  RunEnd end = RunEnd::kFinished;
  std::string error;  // of kStuck, kError and kJobLost
  Time ended_at;
  std::uint64_t packet_hops = 0;
  std::uint64_t events = 0;                 // of the kernel
  std::optional<Duration> sample_interval;  // none: no samples
  std::uint64_t sample_instants = 0;
  std::vector<Probability> percentiles;  // that the summary shows
  std::string ladder;                    // "PROFILE/FABRIC", or empty
  std::string left_out;                  // traffic that the network cannot carry and need not; empty: none
  std::string fidelity;                  // "flow"; empty: packets
  std::optional<double> flow_error;      // of the flow level against its probes; none: not measured
  std::string flow_check;                // what was compared, or why nothing was
  std::string settings;                  // the resolved scenario, as `weft show` prints it
};

/// What depends on the machine and the moment.
struct MachineInfo {
  Duration setup_time;  // real time
  Duration run_time;    // real time of the event loop
  std::uint64_t peak_memory = 0;
  std::uint64_t threads = 1;  // that the event loop ran on
  std::string finished_at;    // UTC, "2024-01-31T12:00:00Z"

  friend bool operator==(const MachineInfo&, const MachineInfo&) = default;
};

struct RankRow {
  std::string name;  // "host3/nic0", or "rank3"
  std::string endpoint;
  Rate rate;  // of its cable

  friend bool operator==(const RankRow&, const RankRow&) = default;
};

/// What the paths of a job allow if nothing else sends, in payload, a sender's flows together: max-min rates where all
/// flows send at the same time; of collectives and exchanges, whose flows take turns, as much as goes before the link
/// with most to carry has carried it. The effect of hash collisions alone, without any protocol.
struct AllowedRates {
  Rate per_sender;  // mean
  Rate slowest;

  friend bool operator==(const AllowedRates&, const AllowedRates&) = default;
};

struct JobRow {
  std::string name;
  std::vector<RankRow> ranks;
  std::uint64_t unfinished = 0;         // messages posted that had not ended with the run
  std::optional<AllowedRates> allowed;  // none: flows that come and go, or too many of them
  std::uint64_t reconnections = 0;      // queue pairs that were connected anew
  Duration disconnected;                // with at least one that was in error or had not gone on

  friend bool operator==(const JobRow&, const JobRow&) = default;
};

struct MessageRow {
  workload::MessageRecord record;
  Duration ideal;  // post_send to completion on an empty network

  friend bool operator==(const MessageRow&, const MessageRow&) = default;
};

/// A flow of which messages were posted and none had ended when the run did.
struct SilentFlowRow {
  workload::FlowId flow;
  workload::Operation operation = workload::Operation::kWrite;

  friend auto operator<=>(const SilentFlowRow&, const SilentFlowRow&) = default;
};

/// One priority (Ethernet) or virtual lane (InfiniBand) of a port. Bytes are of frames.
struct LaneRow {
  std::uint8_t lane = 0;
  std::uint64_t tx_packets = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t marked = 0;
  std::uint64_t queue_peak = 0;       // most bytes that ever waited to leave
  std::uint64_t ingress_peak = 0;     // most bytes that ever waited of what came in here (Ethernet)
  std::uint64_t pauses_sent = 0;      // XOFF frames, refreshes included
  std::uint64_t pauses_received = 0;  // likewise
  std::uint64_t storms = 0;           // times that the watchdog triggered
  Duration held;                      // paused, or without credits while something waited

  friend bool operator==(const LaneRow&, const LaneRow&) = default;
};

struct PortRow {
  std::string name;
  std::string peer;
  Rate rate;
  bool of_switch = false;
  std::uint64_t tx_packets = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t rx_packets = 0;  // sent by the peer and not on the wire any more
  std::uint64_t rx_bytes = 0;
  std::uint64_t drops = 0;           // Ethernet: of what came in here; InfiniBand: of packets for this egress port
  std::uint64_t receive_errors = 0;  // damaged packets (InfiniBand)
  std::uint64_t credits_sent = 0;    // flow control packets (InfiniBand), credit updates (Ethernet)
  std::uint64_t trimmed = 0;         // packets cut for want of room to leave by this port
  std::uint64_t trimmed_bytes = 0;   // that they lost
  std::uint64_t replays = 0;         // that LLR began on the wire from this port
  std::uint64_t replayed = 0;        // frames sent again for that
  std::uint64_t voq_peak = 0;        // bytes, of the longest virtual output queue for this port (scheduled)
  Duration voq_wait;                 // in those queues, all packets for this port together
  std::uint64_t incomplete = 0;      // packets for this port that lacked cells
  // Of what waited for its order in the switch before it left by this port.
  std::uint64_t reordered = 0;          // packets
  std::uint64_t reorder_queues = 0;     // most at a time
  std::uint64_t reorder_peak = 0;       // bytes, most at a time
  std::uint64_t reorder_overflows = 0;  // packets without a queue or room
  std::uint64_t reorder_timeouts = 0;   // waits that ended with packets missing
  std::vector<LaneRow> lanes;           // those that have anything to say
  fabric::PortChoices choices{};        // of the switch's choices among paths, where they are more than a hash

  friend bool operator==(const PortRow&, const PortRow&) = default;
};

/// One port between two sample instants; ports to which nothing happened have none.
struct SampleRow {
  Time at;
  std::uint32_t port = 0;
  std::uint64_t queue_bytes = 0;  // waiting to leave, at the instant
  std::uint64_t tx_bytes = 0;     // since the sample before
  std::uint32_t utilisation = 0;  // of the wire since then, in millionths; a packet counts when it starts
  Duration held;                  // lanes together, since then

  friend bool operator==(const SampleRow&, const SampleRow&) = default;
};

struct EventRow {
  Time at = Time::never();  // never: some time in the run
  std::string kind;         // "fail", "degrade", "restore", of a [[failure]], "resweep", "job-lost", "deadlock", ...
  std::string place;
  std::string text;

  friend bool operator==(const EventRow&, const EventRow&) = default;
};

/// What the cores of one host did.
struct CpuRow {
  std::string host;
  std::string work;
  Duration used;  // sum over its cores

  friend bool operator==(const CpuRow&, const CpuRow&) = default;
};

/// A stage of a message's way, in order; only of a run on the latency ladder.
struct StageRow {
  std::string name;
  Duration time;
  std::string mark;

  friend bool operator==(const StageRow&, const StageRow&) = default;
};

struct RunResults {
  RunInfo run;
  std::optional<MachineInfo> machine;
  std::vector<JobRow> jobs;
  std::vector<MessageRow> messages;
  std::vector<SilentFlowRow> silent_flows;  // in order
  std::vector<workload::CollectiveRecord> collectives;
  std::vector<PortRow> ports;
  std::vector<NicRow> nics;
  fabric::FabricDrops drops;
  std::vector<SampleRow> samples;
  std::vector<DecisionRow> decisions;  // with samples
  std::vector<EventRow> events;
  std::vector<CpuRow> cpu;       // of hosts with stages; what is zero is left out
  std::vector<StageRow> stages;  // they add up to the message's latency
  std::vector<StepRow> steps;    // of jobs that train a model
  std::vector<TierRow> tiers;    // of runs with scale-up links
  std::optional<ScaleUpRow> scale_up;
  std::optional<SecurityRow> security;      // of runs with encryption or firewalls
  std::optional<ControllerRow> controller;  // of runs whose switches have entries from one
  // Of runs whose switches decide on routes themselves.
  std::optional<ControlRow> control;
  std::vector<ControlEventRow> control_events;
  std::vector<ControlDestinationRow> control_destinations;
  std::vector<CablingRow> cabling;
  std::vector<AttackRow> attacks;
  std::optional<SubnetRow> subnet;  // of runs whose subnet starts cold
  std::vector<MulticastRow> multicast;
};

}  // namespace weft::study::results
