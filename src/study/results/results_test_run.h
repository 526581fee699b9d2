// A small run made by hand, for tests of what becomes of results.
#pragma once

#include "study/results/results.h"

namespace weft::study::results::testing {

inline workload::MessageRecord message(std::uint32_t source, std::uint32_t destination, Duration taken) {
  return {.flow = {.job = workload::JobId(0),
                   .source = workload::RankId(source),
                   .destination = workload::RankId(destination),
                   .index = 0},
          .number = 0,
          .size = 1_mib,
          .operation = workload::Operation::kWrite,
          .status = verbs::WcStatus::kSuccess,
          .posted = Time::zero() + 1_us,
          .finished = Time::zero() + 1_us + taken,
          .delivered = Time::never()};
}

inline RunInfo small_run_info() {
  return {.key = "0123456789abcdef",
          .version = "1.2.3",
          .scenario = "small",
          .case_name = "first",
          .seed = 7,
          .family = "rocev2",
          .hardware = "as-sold",
          .topology = "single-switch",
          .congestion = "dcqcn",
          .lossless = Lossless::kPause,
          .marking = true,
          .hosts = 3,
          .endpoints = 3,
          .switches = 1,
          .end = RunEnd::kFinished,
          .error = "",
          .ended_at = Time::zero() + 61_us,
          .packet_hops = 2048,
          .events = 4096,
          .sample_interval = 20_us,
          .sample_instants = 3,
          .percentiles = {Probability::from_ratio({.numerator = 1, .denominator = 2}),
                          Probability::from_ratio({.numerator = 999, .denominator = 1000})},
          .ladder = "small/rocev2",
          .settings = "seed = 7\n"};
}

/// The ports at both ends of the first host's link.
inline std::vector<PortRow> small_ports() {
  std::vector<PortRow> ports(2);
  ports[0] = {.name = "host0/nic0",
              .peer = "switch0/port0",
              .rate = 400_gbps,
              .of_switch = false,
              .tx_packets = 256,
              .tx_bytes = 1'064'448,
              .rx_packets = 255,
              .rx_bytes = 16'000,
              .drops = 0,
              .receive_errors = 1,
              .credits_sent = 2,
              .lanes = {{.lane = 3, .tx_packets = 256, .tx_bytes = 1'064'448, .held = 5_us}}};
  ports[1] = ports[0];
  ports[1].name = "switch0/port2";
  ports[1].of_switch = true;
  ports[1].lanes[0] = {.lane = 3,
                       .tx_packets = 512,
                       .tx_bytes = 2'128'896,
                       .marked = 12,
                       .queue_peak = 524'288,
                       .ingress_peak = 100'000,
                       .pauses_sent = 4,
                       .pauses_received = 0,
                       .storms = 1,
                       .held = Duration::zero()};
  ports[1].choices = {.grades = {{.chosen = 480, .time = 50_us}, {.chosen = 32, .time = 11_us}},
                      .flowlets = 9,
                      .moved = 4,
                      .notifications_sent = 3,
                      .notifications_received = 2};
  return ports;
}

/// The training step of one job, as a row of results.
inline StepRow small_step_row() {
  return {.job = "llm",
          .workload = "training",
          .model = "llama3-8b",
          .gpu = "h100-sxm",
          .gpus = 16,
          .parallelism = "tp 8, pp 1, dp 2",
          .fidelity = "composed",
          .steps = 2,
          .time = 900_ms,
          .compute = 720_ms,
          .tokens_per_second = 123'456.5,
          .utilisation = 0.375,
          .composition_error = 0.0125,
          .composition_check = "one layer",
          .parts = {{.name = "forward", .exposed = 720_ms, .busy = 720_ms},
                    {.name = "dp",
                     .communication = true,
                     .exposed = 180_ms,
                     .waiting = 20_ms,
                     .busy = 400_ms,
                     .sent = Bytes(1 << 30),
                     .operations = 4}},
          .tiers = {{.name = "network", .sent = Bytes(1 << 30), .wire_time = 20_ms}},
          .flows = {{.purpose = "dp", .kind = "all-reduce", .operation = 160_mb, .size = 20_mb, .flows = 64}},
          .path = {{.what = "forward", .time = 720_ms, .rank = 3},
                   {.what = "dp all-reduce", .time = 180_ms, .rank = 12, .flow = "4 -> 12"}},
          .memory = {{.what = "parameters", .size = Bytes(1 << 30)}}};
}

/// Two of three ranks send to the third through one switch.
inline RunResults small_run() {
  RunResults results;
  results.run = small_run_info();
  results.machine = MachineInfo{
      .setup_time = 2_ms, .run_time = 1_ms, .peak_memory = 1'000'000, .finished_at = "2001-02-03T04:05:06Z"};
  results.jobs = {{.name = "incast",
                   .ranks = {{"host0/nic0", "host0/nic0", 400_gbps},
                             {"host1/nic0", "host1/nic0", 400_gbps},
                             {"host2/nic0", "host2/nic0", 400_gbps}},
                   .unfinished = 0,
                   .allowed = AllowedRates{.per_sender = 190_gbps, .slowest = 180_gbps}}};
  results.messages = {{message(0, 2, 40_us), 25_us}, {message(1, 2, 60_us), 25_us}};
  results.silent_flows = {{.flow = {workload::JobId(0), workload::RankId(2), workload::RankId(0)},
                           .operation = workload::Operation::kRead}};
  results.collectives = {{.job = workload::JobId(0),
                          .rank = workload::RankId(1),
                          .iteration = 3,
                          .size = 4_mib,
                          .started = Time::zero() + 1_us,
                          .finished = Time::zero() + 9_us}};
  results.ports = small_ports();
  results.nics = {{.name = "host0/nic0",
                   .data_sent = 256,
                   .retransmitted = 2,
                   .timeouts = 1,
                   .cnps_handled = 3,
                   .connections = 2,
                   .state_bytes = 4096,
                   .host_drops = 5,
                   .buffer_bytes = 8192,
                   .ordered = 250,
                   .late = {{.distance = 1, .packets = 6}, {.distance = 12, .packets = 4}}}};
  results.nics[0].cnps_sent = 3;
  results.drops.buffer_full = 5;
  results.samples = {{.at = Time::zero() + 20_us,
                      .port = 1,
                      .queue_bytes = 262'144,
                      .tx_bytes = 900'000,
                      .utilisation = 990'000,
                      .held = 1_us},
                     {.at = Time::zero() + 40_us,
                      .port = 1,
                      .queue_bytes = 131'072,
                      .tx_bytes = 900'000,
                      .utilisation = 0,
                      .held = {}}};
  results.decisions = {{.at = Time::zero() + 20_us, .decision = Decision::kFlowletMoved, .count = 3},
                       {.at = Time::zero() + 40_us, .decision = Decision::kFlowletMoved, .count = 4}};
  results.events = {{.at = Time::zero() + 30_us, .kind = "degrade", .place = "switch0/port1", .text = "to 100 Gbps"},
                    {.at = Time::never(), .kind = "watchdog", .place = "switch0/port2 priority 3", .text = "1 times"}};
  results.steps = {small_step_row()};
  results.tiers = {
      {.name = "scale-up", .sent = Bytes(1 << 20), .busiest = "host0/gpu1", .wire_time = 3_us, .stalled = 40_ns}};
  results.scale_up = ScaleUpRow{.domains = 2,
                                .gpus = 16,
                                .pools = 4,
                                .gpu_memory = 80_gb,
                                .pool_capacity = 1_tib,
                                .gpu_memory_rate = 26'800_gbps,
                                .accesses = {{.memory = "pool",
                                              .operation = "load",
                                              .messages = 7,
                                              .bytes = 7_mib,
                                              .smallest = 64_kib,
                                              .fastest = 2_us,
                                              .best_flow = 800_gbps}}};
  return results;
}

inline void add_control(RunResults& results) {
  results.control = ControlRow{.sessions = 8,
                               .established = 16,
                               .quiet = true,
                               .messages = 90,
                               .message_bytes = Bytes(2'000),
                               .updates = 30,
                               .bfd_packets = 70,
                               .lldp_units = 16,
                               .frame_bytes = Bytes(9'000),
                               .frames_lost = 5,
                               .retransmissions = 6,
                               .bad_messages = 7,
                               .processed = 31,
                               .cpu_time = 3_ms,
                               .busiest_cpu_time = 1_ms,
                               .busiest_switch = "spine0",
                               .fib_writes = 12,
                               .ended_by_signal = 2,
                               .ended_by_bfd = 3,
                               .ended_by_hold_timer = 4,
                               .ended_otherwise = 1,
                               .black_holed = 100,
                               .lost_on_cables = 20,
                               .hop_limit = 8,
                               .looped = 9};
  results.control_events = {{.at = Time::zero() + 1_ms,
                             .kind = "fail",
                             .links = 1,
                             .link = "leaf0/port4 - spine0/port0",
                             .noticed = Time::zero() + 2_ms,
                             .last_entry = Time::zero() + 3_ms},
                            {.at = Time::zero() + 5_ms, .kind = "restore", .links = 1, .link = "a - b"}};
  results.control_destinations = {{.leaf = "leaf0",
                                   .black_hole = 2_ms,
                                   .loop = 1_us,
                                   .cut_off = 40_us,
                                   .lost_time = 300_us,
                                   .black_holed = 100,
                                   .lost_on_cables = 20,
                                   .hop_limit = 8,
                                   .looped = 9}};
  results.cabling = {{.port = "leaf0/port4", .planned = "spine0/port0", .found = "spine1/port1"}};
}

inline void add_attacks(RunResults& results) {
  results.attacks = {{.name = "neighbour",
                      .kind = "cnp-flood",
                      .from = "host2/nic0",
                      .victim = "host0/nic0",
                      .not_possible = "no such packets",
                      .sent = 120,
                      .arrived = 90,
                      .accepted = 1,
                      .switch_partition = 2,
                      .switch_address = 3,
                      .switch_key = 4,
                      .sm_key = 21,
                      .untrusted = 22,
                      .authentication = 5,
                      .queue_pair = 6,
                      .partition = 7,
                      .queue_key = 8,
                      .ahead = 9,
                      .behind = 10,
                      .remote_key = 11,
                      .limit = 12,
                      .no_receive = 13,
                      .other = 14,
                      .lost = 15,
                      .bytes_written = Bytes(64),
                      .queue_pairs_broken = 16,
                      .throttled = 17_us,
                      .paused = 18_us,
                      .diverted = 19,
                      .diverted_bytes = Bytes(4'096),
                      .sessions_broken = 20}};
}

inline void add_multicast(RunResults& results) {
  results.multicast = {
      {.name = "ticks",
       .lid = 0xC001,
       .senders = 1,
       .sent = 10,
       .expected = 20,
       .delivered = 19,
       .incomplete = 1,
       .first_mean = 2_us,
       .first_most = 3_us,
       .last_mean = 4_us,
       .last_most = 5_us,
       .members = {
           {.name = "host1/nic0", .expected = 10, .delivered = 10, .latency_mean = 2_us, .latency_most = 4_us},
           {.name = "host2/nic0", .expected = 10, .delivered = 9, .latency_mean = 3_us, .latency_most = 5_us}}}};
}

/// The same with a row in every table of a results file.
inline RunResults full_run() {
  RunResults results = small_run();
  results.security = SecurityRow{.encryption = "psp",
                                 .firewall = "dpu-cores",
                                 .packets = 1000,
                                 .added = Bytes(40'000),
                                 .encryption_busy = 90_us,
                                 .firewall_busy = 110_us,
                                 .busiest = "host1/nic0",
                                 .busiest_time = 60_us,
                                 .dropped = 3,
                                 .pauses = 2,
                                 .peak = Bytes(70'000)};
  results.controller = ControllerRow{.algorithm = "min-max",
                                     .rounds = 5,
                                     .placed = 40,
                                     .entries = 17,
                                     .peak_entries = 9,
                                     .overflows = 1,
                                     .moved = 3,
                                     .stale = 2,
                                     .conflicts = 4,
                                     .planned_load = 900'000,
                                     .measured_load = 950'000,
                                     .pinned_packets = 1'000,
                                     .hashed_packets = 200,
                                     .fallback_packets = 30};
  add_control(results);
  add_attacks(results);
  add_multicast(results);
  results.subnet = SubnetRow{.engine = "ftree",
                             .subnets = 2,
                             .switches = 6,
                             .adapters = 16,
                             .bring_up = 9_ms,
                             .discovery = 3_ms,
                             .tables = 1_ms,
                             .requests = 396,
                             .retried = 3,
                             .failed = 1,
                             .blocks = 12,
                             .as_routed = true,
                             .error = "made up"};
  results.cpu = {{"host0", "copy", 3_us}, {"host1", "interrupt", 1_us}};
  results.stages = {{"post", 100_ns, "measured"}, {"wire", 2_us, "emerges"}};
  results.steps[0].collectives = {{.purpose = "dp",
                                   .kind = "all-reduce",
                                   .size = 160_mb,
                                   .time = 50_ms,
                                   .least_time = 40_ms,
                                   .slowest_share = 0.25,
                                   .mean_share = 0.5,
                                   .shares_links = true,
                                   .sample = 20_mb,
                                   .repetitions = 9,
                                   .interval = 0.0625,
                                   .settled = false}};
  return results;
}

}  // namespace weft::study::results::testing
