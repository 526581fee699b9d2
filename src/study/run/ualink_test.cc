// A UALink domain of as many accelerators as the protocol can name.
#include <gtest/gtest.h>

#include "study/assembly/build_scale_up.h"
#include "study/run/collective_run.h"
#include "study/scenario/scenario_test_support.h"
#include "wire/memory_format.h"
#include "workload/collective/closed_form.h"

namespace weft::study::run {
namespace {

using workload::CollectiveAlgorithm;
using workload::CollectiveKind;

constexpr Rate kRate = 800_gbps;

CollectiveRun ualink(std::int64_t ranks, CollectiveKind kind) {
  CollectiveRun run;
  run.kind = kind;
  run.algorithm = kind == CollectiveKind::kSend ? CollectiveAlgorithm::kDirect : CollectiveAlgorithm::kHalvingDoubling;
  run.ranks = ranks;
  run.gpus_per_host = std::min<std::int64_t>(ranks, 8);
  run.rails = 1;
  run.topology = "single-switch";
  run.profile = "ideal";
  run.scale_up = "ualink-200g";
  run.settings = {fmt::format("scale_up.domain={}", ranks)};
  return run;
}

Duration time_of(const CollectiveRun& run, Bytes size) {
  const auto time = time_collective(run, size, scenario::test_catalogue());
  EXPECT_TRUE(time) << time.error().message;
  return time ? time->time : Duration::zero();
}

// Reduced: 256 KiB on each of 1,024 accelerators, that is 20 exchanges of halves with ever nearer partners and back.
TEST(UaLink, AnAllReduceOverADomainOf1024TakesTheSumOfItsExchanges) {
  const auto scenario = scenario::parse_scenario(collective_scenario(ualink(2, CollectiveKind::kSend), 1_kib),
                                                 {.file = "", .case_name = {}, .settings = {"scale_up.domain=2"}},
                                                 scenario::test_catalogue());
  ASSERT_TRUE(scenario) << scenario.error().message;
  const wire::MemoryFormat format = assembly::memory_options(scenario->scale_up).format;
  const auto wire_time = [format](Bytes message) {
    Duration sum;
    for (std::int64_t left = message.count(); left > 0; left -= format.unit) {
      const auto payload = static_cast<std::uint32_t>(std::min<std::int64_t>(left, format.unit));
      sum = sum + kRate.transmit_time(Bytes(wire::data_wire_bytes(format, payload)));
    }
    return sum;
  };
  // One message, and two of half its size with one behind the other, say what its start and its answer take.
  constexpr Bytes kPiece = 128_kib;
  const Duration once = time_of(ualink(2, CollectiveKind::kSend), kPiece);
  const Duration twice = time_of(ualink(2, CollectiveKind::kAllReduce), kPiece);
  const Duration startup = twice - once - (wire_time(kPiece / 2) * 2 - wire_time(kPiece));
  const workload::LinkCost link{
      .startup = startup, .ack_latency = once - startup - wire_time(kPiece), .wire_time = wire_time};
  constexpr Bytes kSize = 256_kib;
  const auto form = workload::closed_form({.kind = CollectiveKind::kAllReduce,
                                           .algorithm = CollectiveAlgorithm::kHalvingDoubling,
                                           .ranks = 1024,
                                           .size = kSize,
                                           .chunk = 512_kib,
                                           .scale_out = link});
  ASSERT_TRUE(form);
  EXPECT_NEAR(time_of(ualink(1024, CollectiveKind::kAllReduce), kSize).seconds(), form->seconds(),
              0.02 * form->seconds());
}

}  // namespace
}  // namespace weft::study::run
