#include "study/results/results_schema.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/assert.h"

namespace weft::study::results {
namespace {

constexpr ResultsTable kTables[] = {
    {"run",
     "run TEXT, version TEXT, scenario TEXT, case_name TEXT, seed INTEGER, family TEXT, hardware TEXT, topology TEXT, "
     "congestion TEXT, lossless INTEGER, marking INTEGER, hosts INTEGER, endpoints INTEGER, switches INTEGER, "
     "end TEXT, error TEXT, ended_ps INTEGER, packet_hops INTEGER, events INTEGER, sample_interval_ps INTEGER, "
     "sample_instants INTEGER, percentiles TEXT, ladder TEXT, settings TEXT, machine TEXT",
     "run", 25},
    {"job", "run TEXT, job INTEGER, name TEXT, unfinished INTEGER, allowed_bps INTEGER, allowed_slowest_bps INTEGER",
     "run, job", 6},
    {"rank", "run TEXT, job INTEGER, rank INTEGER, name TEXT, endpoint TEXT, rate_bps INTEGER", "run, job, rank", 6},
    {"collective",
     "run TEXT, job INTEGER, iteration INTEGER, rank INTEGER, size INTEGER, started_ps INTEGER, finished_ps INTEGER",
     "run, job, iteration, rank", 7},
    {"message",
     "run TEXT, job INTEGER, source INTEGER, destination INTEGER, flow INTEGER, number INTEGER, size INTEGER, "
     "operation INTEGER, status INTEGER, posted_ps INTEGER, finished_ps INTEGER, delivered_ps INTEGER, "
     "ideal_ps INTEGER",
     "run, job, source, destination, flow, number", 13},
    {"port",
     "run TEXT, port INTEGER, name TEXT, peer TEXT, rate_bps INTEGER, of_switch INTEGER, tx_packets INTEGER, "
     "tx_bytes INTEGER, rx_packets INTEGER, rx_bytes INTEGER, drops INTEGER, receive_errors INTEGER, "
     "credits_sent INTEGER",
     "run, port", 13},
    {"lane",
     "run TEXT, port INTEGER, lane INTEGER, tx_packets INTEGER, tx_bytes INTEGER, marked INTEGER, "
     "queue_peak INTEGER, ingress_peak INTEGER, pauses_sent INTEGER, pauses_received INTEGER, storms INTEGER, "
     "held_ps INTEGER",
     "run, port, lane", 12},
    {"nic",
     "run TEXT, nic INTEGER, name TEXT, data_sent INTEGER, answers_sent INTEGER, received INTEGER, damaged INTEGER, "
     "retransmitted INTEGER, timeouts INTEGER, sequence_naks INTEGER, rnr_naks INTEGER, out_of_sequence INTEGER, "
     "duplicates INTEGER, cnps_sent INTEGER, cnps_handled INTEGER, connections INTEGER, state_bytes INTEGER, "
     "host_drops INTEGER, buffer_bytes INTEGER, ordered INTEGER",
     "run, nic", 20},
    {"late", "run TEXT, nic INTEGER, distance INTEGER, packets INTEGER", "run, nic, distance", 4},
    {"port_choice",
     "run TEXT, port INTEGER, flowlets INTEGER, notifications_sent INTEGER, notifications_received INTEGER",
     "run, port", 5},
    {"port_grade", "run TEXT, port INTEGER, grade INTEGER, chosen INTEGER, time_ps INTEGER", "run, port, grade", 5},
    {"dropped", "run TEXT, cause TEXT, packets INTEGER", "run, cause", 3},
    {"sample",
     "run TEXT, at_ps INTEGER, port INTEGER, queue_bytes INTEGER, tx_bytes INTEGER, utilisation_ppm INTEGER, "
     "held_ps INTEGER",
     "run, at_ps, port", 7},
    {"cpu", "run TEXT, host TEXT, work TEXT, used_ps INTEGER", "run, host, work", 4},
    {"stage", "run TEXT, number INTEGER, name TEXT, time_ps INTEGER, mark TEXT", "run, number", 5},
    {"step",
     "run TEXT, number INTEGER, job TEXT, workload TEXT, model TEXT, gpu TEXT, gpus INTEGER, parallelism TEXT, "
     "fidelity TEXT, steps INTEGER, time_ps INTEGER, compute_ps INTEGER, tokens_per_second REAL, utilisation REAL, "
     "composition_error REAL, composition_check TEXT, interval REAL",
     "run, number", 17},
    {"step_part",
     "run TEXT, step INTEGER, number INTEGER, name TEXT, communication INTEGER, exposed_ps INTEGER, "
     "waiting_ps INTEGER, busy_ps INTEGER, sent INTEGER, operations INTEGER",
     "run, step, number", 10},
    {"step_tier", "run TEXT, step INTEGER, number INTEGER, name TEXT, sent INTEGER, wire_ps INTEGER",
     "run, step, number", 6},
    {"step_flow",
     "run TEXT, step INTEGER, number INTEGER, purpose TEXT, kind TEXT, operation INTEGER, size INTEGER, flows INTEGER",
     "run, step, number", 8},
    {"step_path", "run TEXT, step INTEGER, number INTEGER, what TEXT, time_ps INTEGER, rank INTEGER, flow TEXT",
     "run, step, number", 7},
    {"step_collective",
     "run TEXT, step INTEGER, number INTEGER, purpose TEXT, kind TEXT, size INTEGER, time_ps INTEGER, "
     "least_ps INTEGER, slowest_share REAL, mean_share REAL, shares_links INTEGER, sample INTEGER, "
     "repetitions INTEGER, interval REAL, settled INTEGER",
     "run, step, number", 15},
    {"step_memory", "run TEXT, step INTEGER, number INTEGER, what TEXT, size INTEGER", "run, step, number", 5},
    {"tier", "run TEXT, number INTEGER, name TEXT, sent INTEGER, busiest TEXT, wire_ps INTEGER, stalled_ps INTEGER",
     "run, number", 7},
    {"scale_up",
     "run TEXT, domains INTEGER, gpus INTEGER, pools INTEGER, gpu_memory INTEGER, pool_capacity INTEGER, "
     "gpu_memory_bps INTEGER",
     "run", 7},
    {"memory_access",
     "run TEXT, number INTEGER, memory TEXT, operation TEXT, messages INTEGER, size INTEGER, smallest INTEGER, "
     "fastest_ps INTEGER, best_flow_bps INTEGER",
     "run, number", 9},
    {"event", "run TEXT, number INTEGER, at_ps INTEGER, kind TEXT, place TEXT, text TEXT", "run, number", 6},
};

}  // namespace

std::span<const ResultsTable> results_tables() { return kTables; }

std::string create_statement(const ResultsTable& table) {
  return fmt::format("CREATE TABLE {} ({}, PRIMARY KEY ({})) WITHOUT ROWID;", table.name, table.columns, table.key);
}

std::string insert_statement(std::string_view table) {
  const auto found = std::ranges::find(kTables, table, &ResultsTable::name);
  WEFT_ASSERT(found != std::end(kTables));
  std::string marks = "?";
  for (int i = 1; i < found->column_count; ++i) {
    marks += ", ?";
  }
  return fmt::format("INSERT INTO {} VALUES ({})", table, marks);
}

}  // namespace weft::study::results
