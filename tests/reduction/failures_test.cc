// Whatever fails, every request ends: with an error, and after a time that is known.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/reduction/reduction_world.h"

namespace weft::testing {
namespace {

using fabric::LinkEvent;
using verbs::WcStatus;

std::vector<std::uint32_t> first_hosts(std::uint32_t count) {
  std::vector<std::uint32_t> hosts(count);
  std::iota(hosts.begin(), hosts.end(), 0U);
  return hosts;
}

/// Connections that give up after some 0.5 ms without an answer, and groups that ask from 1 ms on.
ReductionWorldOptions impatient(fabric::Graph graph) {
  ReductionWorldOptions options = reduction_world(std::move(graph));
  options.reduction.timeout = 4;  // 65 us
  options.reduction.retry_count = 7;
  options.reduction.probe_interval = 1_ms;
  options.reduction.probes = 3;
  return options;
}

LinkEvent fails(std::uint32_t link, Time at) {
  return {.at = at, .link = fabric::LinkIndex(link), .kind = LinkEvent::Kind::kFail, .rate = {}, .reroute_delay = 1_ms};
}

/// Of all requests of a host: how the first that did not succeed ended, and that the others after it were flushed.
WcStatus failure_of(const ReductionWorld& sim, std::uint32_t host, std::uint32_t requests) {
  WcStatus first = WcStatus::kSuccess;
  for (std::uint32_t request = 0; request < requests; ++request) {
    const auto ended = sim.completed(host, request);
    if (!ended) {
      ADD_FAILURE() << "host " << host << ": request " << request << " did not end";
      return WcStatus::kGeneralErr;
    }
    const WcStatus status = ended->completion.status;
    if (first != WcStatus::kSuccess) {
      EXPECT_EQ(status, WcStatus::kWrFlushErr);
    } else {
      first = status;
    }
  }
  return first;
}

TEST(ReductionFailure, OfAMembersCableEndsAllRequestsOfAllMembers) {
  for (const Duration at : {2_us, 5_us, 9_us}) {
    ReductionWorldOptions options = impatient(leaves_and_spines(2, 2, 2));
    options.fabric.events = {fails(0, Time::zero() + at)};
    ReductionWorld sim(std::move(options));
    sim.add_group({.ranks = first_hosts(4)});
    for (int i = 0; i < 200; ++i) {
      sim.add({.count = 1024});
    }
    EXPECT_EQ(sim.run(Time::zero() + 1_s), study::world::World::Stop::kIdle);
    EXPECT_EQ(failure_of(sim, 0, 200), WcStatus::kRetryExcErr);
    for (std::uint32_t host = 1; host < 4; ++host) {
      EXPECT_EQ(failure_of(sim, host, 200), WcStatus::kRemAbortErr) << host;
    }
  }
}

TEST(ReductionFailure, OfACableBetweenSwitchesIsRoutedAround) {
  ReductionWorldOptions options = impatient(leaves_and_spines(2, 2, 2));
  // One of the two cables of a leaf; the other leads around.
  options.reduction.timeout = 8;
  options.fabric.events = {fails(4, Time::zero() + 3_us)};
  ReductionWorld sim(std::move(options));
  sim.add_group({.ranks = first_hosts(4)});
  for (int i = 0; i < 200; ++i) {
    sim.add({.count = 1024, .data_type = verbs::DataType::kInt32});
  }
  EXPECT_EQ(sim.run(Time::zero() + 1_s), study::world::World::Stop::kIdle);
  EXPECT_EQ(sim.check_all_succeeded(), "");
}

TEST(ReductionFailure, OfAMemberThatNeverPostsEndsTheWaitOfOthers) {
  ReductionWorldOptions options = impatient(leaves_and_spines(2, 2, 2));
  const host::ReductionOptions reduction = options.reduction;
  ReductionWorld sim(std::move(options));
  sim.add_group({.ranks = first_hosts(4)});
  for (int i = 0; i < 5; ++i) {
    sim.add({.count = 16});
  }
  sim.silence(3);
  EXPECT_EQ(sim.run(), study::world::World::Stop::kIdle);
  // The last probe comes after 1 + 2 + 4 intervals, and is waited for 8.
  const Time given_up = Time::zero() + reduction.probe_interval * ((std::int64_t{2} << reduction.probes) - 1);
  for (std::uint32_t host = 0; host < 3; ++host) {
    EXPECT_NE(failure_of(sim, host, 5), WcStatus::kSuccess);
    EXPECT_GE(sim.completed(host, 0)->at, given_up);
    EXPECT_LT(sim.completed(host, 0)->at, given_up + 1_ms);
  }
}

TEST(ReductionFailure, IsNotWhatALateMemberCauses) {
  ReductionWorldOptions options = impatient(leaves_and_spines(2, 2, 2));
  ReductionWorld sim(std::move(options));
  sim.add_group({.ranks = first_hosts(4)});
  for (int i = 0; i < 5; ++i) {
    sim.add({.count = 16});
  }
  sim.start_late(2, Time::zero() + 12_ms);  // after the second probe
  EXPECT_EQ(sim.run(), study::world::World::Stop::kIdle);
  EXPECT_EQ(sim.check_all_succeeded(), "");
}

}  // namespace
}  // namespace weft::testing
