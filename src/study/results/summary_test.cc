#include "study/results/summary.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "study/results/results_test_run.h"
#include "study/results/summary_text.h"

namespace weft::study::results {
namespace {

using testing::small_run;

TEST(Summary, SlowdownIsTheTimeTakenOverThatOfAnEmptyNetwork) {
  const RunResults results = small_run();
  const Summary summary = summarise(results);
  ASSERT_TRUE(summary.jobs[0].slowdown);
  EXPECT_DOUBLE_EQ(summary.jobs[0].slowdown->max, 60.0 / 25);
  EXPECT_DOUBLE_EQ(summary.jobs[0].slowdown->median, 40.0 / 25);
}

TEST(Summary, GoodputIsPayloadFromTheFirstPostToTheLastCompletion) {
  RunResults results = small_run();
  results.silent_flows.clear();
  const JobSummary job = summarise(results).jobs[0];
  EXPECT_EQ(*job.goodput, average_rate(2_mib, 60_us));
  EXPECT_EQ(job.per_sender->rate, average_rate(2_mib, 60_us) / 2);
  EXPECT_EQ(job.per_sender->line, 400_gbps);
  EXPECT_EQ(job.busiest_receiver->rate, average_rate(2_mib, 60_us));
  EXPECT_EQ(job.busiest_receiver_name, "host2/nic0");
  const std::vector<Rate> flows = {average_rate(1_mib, 40_us), average_rate(1_mib, 60_us)};
  EXPECT_DOUBLE_EQ(*job.jain, *jain_index(flows));
}

TEST(Summary, SendersOnLinesOfSeveralRatesHaveTheirMean) {
  RunResults results = small_run();
  results.silent_flows.clear();
  results.jobs[0].ranks[0].rate = 100_gbps;
  EXPECT_EQ(summarise(results).jobs[0].per_sender->line, 250_gbps);
}

TEST(Summary, AReadFlowsFromTheRankThatIsAsked) {
  RunResults results = small_run();
  results.silent_flows.clear();
  for (MessageRow& row : results.messages) {
    row.record.operation = workload::Operation::kRead;
  }
  const JobSummary job = summarise(results).jobs[0];
  EXPECT_EQ(job.senders, 1U);
  EXPECT_EQ(job.busiest_receiver_name, "host0/nic0");
}

// Its run has a READ of which nothing ended, whose data the first rank has.
TEST(Summary, ASenderWithoutAMessageThatEndedHasNothing) {
  RunResults results = small_run();
  EXPECT_EQ(summarise(results).jobs[0].senders, 2U) << "rank 0 sends something else";
  EXPECT_EQ(summarise(results).jobs[0].flows, 3U);
  results.silent_flows.front().operation = workload::Operation::kWrite;
  const JobSummary job = summarise(results).jobs[0];
  EXPECT_EQ(job.senders, 3U);
  EXPECT_EQ(job.per_sender->rate, average_rate(2_mib, 60_us) / 3);
  const std::vector<Rate> flows = {average_rate(1_mib, 40_us), average_rate(1_mib, 60_us), Rate::zero()};
  EXPECT_DOUBLE_EQ(*job.jain, *jain_index(flows));
}

TEST(Summary, LatencyEndsWhereTheReceiverIsTold) {
  workload::MessageRecord record = testing::message(0, 2, 40_us);
  EXPECT_EQ(latency_of(record), 40_us);
  record.delivered = record.posted + 30_us;
  EXPECT_EQ(latency_of(record), 40_us) << "a WRITE tells the receiver nothing";
  record.operation = workload::Operation::kSend;
  EXPECT_EQ(latency_of(record), 30_us);
}

TEST(Summary, FailedMessagesCountNowhereElse) {
  RunResults results = small_run();
  results.messages[1].record.status = verbs::WcStatus::kRetryExcErr;
  const JobSummary job = summarise(results).jobs[0];
  EXPECT_EQ(job.failed, 1U);
  EXPECT_EQ(job.messages, 1U);
  EXPECT_EQ(job.payload, 1_mib);
  EXPECT_EQ(job.completion->max, 40_us);
  EXPECT_FALSE(job.jitter);
  EXPECT_EQ(job.senders, 2U);
  EXPECT_EQ(job.per_sender->rate, average_rate(1_mib, 40_us) / 2) << "that of the other one is nothing";
}

TEST(Summary, WhatDoesNotExistIsAbsent) {
  RunResults results = small_run();
  results.run.lossless = Lossless::kCredits;
  results.run.marking = false;
  results.run.congestion = "none";
  results.run.sample_instants = 0;
  results.messages.clear();
  results.samples.clear();
  const Summary summary = summarise(results);
  EXPECT_FALSE(summary.network.pauses);
  EXPECT_TRUE(summary.network.held);
  EXPECT_FALSE(summary.network.marked);
  EXPECT_FALSE(summary.network.cnps);
  EXPECT_FALSE(summary.network.queue->depth);
  EXPECT_FALSE(summary.jobs[0].completion);
  EXPECT_FALSE(summary.jobs[0].goodput);
  const std::string text = summary_text(results, summary);
  EXPECT_NE(text.find("credit stalls"), std::string::npos);
  for (const char* const absent : {"pauses", "marked", "CNPs", "goodput", "jitter", "fairness", "depth"}) {
    EXPECT_EQ(text.find(absent), std::string::npos) << absent;
  }
}

/// The defect: bytes of slices over the time of the slices' own schedule, the more the slower the network.
TEST(Summary, AStepThatIsPutTogetherHasNoGoodput) {
  RunResults results = small_run();
  ASSERT_TRUE(summarise(results).jobs.at(0).goodput);
  results.steps.push_back({.job = results.jobs.at(0).name, .fidelity = "composed"});
  EXPECT_FALSE(summarise(results).jobs.at(0).goodput);
  results.steps.back().fidelity = "packet";
  EXPECT_TRUE(summarise(results).jobs.at(0).goodput);
}

TEST(Summary, InstantsWithoutASampleFoundAnEmptyQueue) {
  const Summary summary = summarise(small_run());
  EXPECT_EQ(summary.network.queue->port, "switch0/port2");
  EXPECT_EQ(summary.network.queue->depth->count, 3U);
  EXPECT_EQ(summary.network.queue->depth->median, Bytes(131'072));
}

TEST(Summary, ReorderingIsOfLatePacketsByTheirDistance) {
  RunResults run = small_run();
  run.nics.push_back(run.nics[0]);
  run.nics[1].late = {{.distance = 40, .packets = 90}};
  const Summary summary = summarise(run);
  EXPECT_EQ(summary.network.reordering->packets, 500U);
  EXPECT_EQ(summary.network.reordering->late, 100U);
  EXPECT_EQ(summary.network.reordering->median, 40U);
  EXPECT_EQ(summary.network.reordering->largest, 40U);
}

TEST(Summary, PathsAndReorderingAreAbsentWhereSwitchesHash) {
  RunResults run = small_run();
  run.ports[1].choices = {};
  run.nics[0].ordered = 0;
  run.nics[0].late.clear();
  const Summary summary = summarise(run);
  EXPECT_FALSE(summary.network.paths);
  EXPECT_FALSE(summary.network.reordering);
}

TEST(SummaryText, ShortTextHasFourDigits) {
  EXPECT_EQ(short_text(Duration::picoseconds(12'345'678)), "12.35 us");
  EXPECT_EQ(short_text(Duration::picoseconds(999'999'999)), "1 ms");
  EXPECT_EQ(short_text(Duration::zero()), "0 ps");
  EXPECT_EQ(short_text(999_ps), "999 ps");
  EXPECT_EQ(short_text(400_gbps), "400 Gbps");
  EXPECT_EQ(short_text(1536_bytes), "1.5 KiB");
}

constexpr std::string_view kGolden = R"(small, case first, seed 7
  fabric        rocev2, hardware as-sold, congestion control dcqcn
  topology      single-switch: 3 hosts, 3 NIC ports, 1 switch
  end           finished at 61 us
  simulated     2048 packet-hops, 2.05 million/s, 1 ms real time

incast                   p50       p99.9         max
  completion           40 us       60 us       60 us
  slowdown             1.60x       2.40x       2.40x
  latency              40 us       60 us       60 us
  collective            8 us        8 us        8 us
  jitter        20 us (p99.9 - p50 of latency)
  messages      2 completed, 2 MiB
  goodput       279.6 Gbps of 2 senders together
    per sender  139.8 Gbps, 35.0% of line rate
    paths allow 190 Gbps per sender, slowest 180 Gbps (no protocol)
    receiver    279.6 Gbps, 69.9% of line rate (busiest: host2/nic0)
  fairness      0.6410 (Jain's index of 3 flows)

network
  dropped       5 packets, buffer_full 5
  NIC drops     5 packets in receive rings and buffers of hosts
  pauses        4 frames, 5 us on 1 lane of a port
  marked        12 packets
  CNPs          3
  retransmitted 2 packets, 1 timeout, 0 sequence NAKs
  queue pairs   2, 2 KiB of state each, 4 KiB of stream buffers each
  fullest queue switch0/port2, peak 512 KiB
  3 samples              p50       p99.9         max
    depth            128 KiB     256 KiB     256 KiB
  path choices  512 packets, 9 flowlets, 3 notifications
    taken       grade 0 93.8%, 1 6.2% of packets
    ports       grade 0 82.0%, 1 18.0% of the time
  reordering    4.0% of 250 packets out of order: p50 1, p99 12, largest 12
  degrade       switch0/port1 at 30 us: to 100 Gbps
  watchdog      switch0/port2 priority 3: 1 times

scale-up
  domains       2 of 8 GPUs, 2 pools of memory each
  scale-up      1 MiB sent; 3 us of the busiest, host0/gpu1; 40 ns stalled
  capacity      4096 GiB in pools, 256 GiB a GPU, 3.44 x its own 74.51 GiB
  pool load     7, 7 MiB; fastest 2 us (64 KiB); best flow 800 Gbps, 3.0% of own
  copies        14 avoided, 14 MiB: two copies per message through host memory

llm: training llama3-8b on 16 x h100-sxm, tp 8, pp 1, dp 2
  step          900 ms; computing 80.0 % of it; communication exposed 20.0 %
  rate          123456 tokens/s, 37.5 % of the GPUs' peak (model FLOPs)
  composed      +1.25 % against packet-level simulation, on one layer
  time for          exposed  of step     waiting      in all        sent     ops
  forward            720 ms   80.0 %                  720 ms                   0
  dp                 180 ms   20.0 %       20 ms      400 ms       1 GiB       4
  network       1 GiB sent by all GPUs; 20 ms of the busiest one's links
  flows         dp all-reduce of 152.6 MiB: 64 flows of 19.07 MiB
  critical path  80.0 %    720 ms  forward                         rank 3
                 20.0 %    180 ms  dp all-reduce                   4 -> 12
  GPU memory    parameters 1 GiB
)";

TEST(SummaryText, IsAlignedAndFitsEightyColumns) {
  const RunResults results = small_run();
  const std::string text = summary_text(results, summarise(results));
  EXPECT_EQ(text, kGolden);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 80U) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(SummaryText, SaysThatAResultIsPartial) {
  RunResults results = small_run();
  results.run.end = RunEnd::kInterrupted;
  EXPECT_NE(summary_text(results, summarise(results)).find("PARTIAL"), std::string::npos);
}

}  // namespace
}  // namespace weft::study::results
