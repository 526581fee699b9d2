// The figures of one run that a reader asks for first, computed from its records. docs/results.md defines each.
//
// A figure that does not exist (no message, no sample, no pause on a fabric without PFC) is absent, never zero.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/results/percentiles.h"
#include "study/results/record_table.h"
#include "study/results/results.h"

namespace weft::study::results {

/// Payload per time, and what the line could carry; of several that send, means.
struct Throughput {
  Rate rate;
  Rate line;
  [[nodiscard]] double share() const {
    return static_cast<double>(rate.bits_per_second()) / static_cast<double>(line.bits_per_second());
  }
};

struct JobSummary {
  std::string name;
  std::uint64_t ranks = 0;
  std::uint64_t messages = 0;  // that ended well
  std::uint64_t failed = 0;
  std::uint64_t unfinished = 0;  // still under way when the run ended
  Bytes payload;                 // of those that ended well
  std::optional<Spread<Duration>> completion;
  std::optional<Spread<Duration>> latency;
  std::optional<Duration> jitter;  // p99.9 - p50 of latency; needs two messages
  std::optional<Spread<double>> slowdown;
  std::optional<Spread<Duration>> collective;  // of whole operations: first start to last finish
  std::optional<Rate> goodput;                 // of all together, from the first post to the last completion
  std::optional<Throughput> per_sender;        // mean
  std::optional<Throughput> busiest_receiver;
  std::string busiest_receiver_name;
  std::size_t senders = 0;
  std::size_t flows = 0;
  std::optional<AllowedRates> allowed;  // what the paths allow
  std::optional<double> jain;           // over the flows' goodput; needs two flows
  std::uint64_t reconnections = 0;
  Duration disconnected;
};

struct QueueSummary {
  std::string port;  // of a switch, with the largest peak
  std::uint64_t peak = 0;
  std::optional<Spread<Bytes>> depth;  // at the sample instants
};

/// Of adaptive switches and others that choose by more than a hash.
struct PathSummary {
  std::uint64_t choices = 0;                  // packets
  std::vector<fabric::GradeCounters> grades;  // over all ports that were choices; with one grade, its packets alone
  std::uint64_t flowlets = 0;
  std::uint64_t notifications = 0;
  std::uint64_t detours = 0;  // packets over a third group of a dragonfly
};

/// Of data packets that switches may have spread.
struct ReorderSummary {
  std::uint64_t packets = 0;
  std::uint64_t late = 0;    // that came behind a later one of their flow
  std::uint32_t median = 0;  // distance of those that are late, in packets
  std::uint32_t p99 = 0;
  std::uint32_t largest = 0;
};

/// Sum of a counter over all NICs, or over all ports.
struct CounterTotal {
  Total about;
  std::string_view unit;  // of its field
  std::uint64_t sum = 0;
};

struct NetworkSummary {
  std::uint64_t drops = 0;                  // by the fabric
  std::uint64_t host_drops = 0;             // by hosts whose receive ring or buffer was full
  std::optional<std::uint64_t> pauses;      // XOFF frames
  std::optional<Duration> held;             // pause or credit stall, all ports and lanes together
  std::optional<std::uint64_t> held_lanes;  // how many lanes of ports that was
  std::optional<std::uint64_t> marked;
  std::uint64_t retransmitted = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t sequence_naks = 0;
  std::uint64_t damaged = 0;
  std::vector<CounterTotal> totals;  // those that the tables of NICs and ports ask for, in the order of JSON
  std::optional<std::uint64_t> cnps;
  std::optional<QueueSummary> queue;
  std::optional<PathSummary> paths;
  std::optional<ReorderSummary> reordering;
  std::uint64_t connection_ends = 0;   // queue pairs at both ends
  Bytes connection_state;              // of their engines
  Bytes connection_buffers;            // send and receive buffers of stacks over a stream
  std::optional<Duration> cpu;         // of all hosts, if they have stages
  std::optional<double> cpu_per_gbps;  // cores in use at both ends for each Gb/s of payload
};

struct Summary {
  std::vector<JobSummary> jobs;
  NetworkSummary network;
  std::optional<double> hops_per_second;  // of the simulation, real time
};

[[nodiscard]] Summary summarise(const RunResults& results);

/// From post_send to the receiver's program where the operation tells it, else to the requester's completion
/// (docs/decisions/0009).
[[nodiscard]] Duration latency_of(const workload::MessageRecord& record);

}  // namespace weft::study::results
