#include "host/path/gpu_path.h"

#include <gtest/gtest.h>

#include <array>

#include "host/path/host_resources.h"
#include "host/path/path_test_support.h"

namespace weft::host {
namespace {

using path_testing::on_gpu;
using path_testing::two_gpus;

/// Chunk by chunk through three stages, each of which does one after another.
Duration slowly(const BounceShape& shape) {
  const std::array rates = {shape.to_host, shape.network, shape.to_gpu};
  std::array<Duration, 3> free{};
  for (Bytes left = shape.chunks.size; left > Bytes::zero(); left -= std::min(left, shape.chunks.chunk)) {
    Duration end;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      end = free[i] = std::max(free[i], end) + rates[i].transmit_time(std::min(left, shape.chunks.chunk));
    }
  }
  return shape.launch * 2 + free[2];
}

TEST(BounceTime, OfOneChunkIsBothLaunchesAndThreeTransfers) {
  const BounceShape shape{.chunks = {.size = 1_mb, .chunk = 1_mb},
                          .launch = 6_us,
                          .to_host = 200_gbps,
                          .network = 100_gbps,
                          .to_gpu = 400_gbps};
  EXPECT_EQ(bounce_time(shape), 12_us + 40_us + 80_us + 20_us);
}

TEST(BounceTime, IsThatOfChunksThatFollowOneAnother) {
  for (const Bytes size : {1_bytes, 64_kib, 65'537_bytes, 1_mib, 10'000'001_bytes}) {
    for (const auto& [a, b, c] : {std::array{200_gbps, 100_gbps, 400_gbps}, std::array{100_gbps, 200_gbps, 400_gbps},
                                  std::array{400_gbps, 100_gbps, 50_gbps}, std::array{90_gbps, 90_gbps, 90_gbps}}) {
      const BounceShape shape{
          .chunks = {.size = size, .chunk = 64_kib}, .launch = 6_us, .to_host = a, .network = b, .to_gpu = c};
      EXPECT_EQ(bounce_time(shape), slowly(shape)) << size;
    }
  }
}

TEST(BounceTime, TendsToTheSlowestStage) {
  const BounceShape shape{.chunks = {.size = 1_gb, .chunk = 512_kib},
                          .launch = 6_us,
                          .to_host = 200_gbps,
                          .network = 400_gbps,
                          .to_gpu = 220_gbps};
  EXPECT_EQ(bounce_rate(shape), 200_gbps);
  const Rate reached = average_rate(shape.chunks.size, bounce_time(shape));
  EXPECT_LT(reached, 200_gbps);
  EXPECT_GT(reached, 199_gbps);
}

TEST(PassChunks, OnIdleServersTakesWhatTheFormSays) {
  ByteServer down(200_gbps);
  ByteServer net(100_gbps);
  ByteServer up(220_gbps);
  const std::array<ByteServer*, 3> servers = {&down, &net, &up};
  const Chunks chunks{.size = 1'000'003_bytes, .chunk = 64_kib};
  const BounceShape shape{
      .chunks = chunks, .launch = Duration::zero(), .to_host = 200_gbps, .network = 100_gbps, .to_gpu = 220_gbps};
  EXPECT_EQ(pass_chunks(servers, chunks, {.now = Time::zero(), .start = Time::zero()}),
            Time::zero() + bounce_time(shape));
}

TEST(HostCopy, ToHostMemoryTakesALaunchAndPcie) {
  HostResources host(two_gpus());
  const Duration transfer = write_rate(two_gpus().gpu_slot).transmit_time(1_mb);
  EXPECT_EQ(host.copy({.from = on_gpu(0), .to = {}, .size = 1_mb}, Time::zero()), Time::zero() + 6_us + transfer);
  EXPECT_EQ(host.cpu().used(CpuWork::kCopyLaunch), 6_us);
}

TEST(HostCopy, TwoAtOnceShareTheSlotOfOneGpuButNotOfTwo) {
  const Duration transfer = write_rate(two_gpus().gpu_slot).transmit_time(1_mb);
  HostResources one(two_gpus());
  (void)one.copy({.from = on_gpu(0), .to = {}, .size = 1_mb, .core = CoreId(0)}, Time::zero());
  EXPECT_EQ(one.copy({.from = on_gpu(0), .to = {}, .size = 1_mb, .core = CoreId(1)}, Time::zero()),
            Time::zero() + 6_us + transfer * 2);
  HostResources two(two_gpus());
  (void)two.copy({.from = on_gpu(0), .to = {}, .size = 1_mb, .core = CoreId(0)}, Time::zero());
  EXPECT_EQ(two.copy({.from = on_gpu(1), .to = {}, .size = 1_mb, .core = CoreId(1)}, Time::zero()),
            Time::zero() + 6_us + transfer);
}

TEST(HostCopy, BetweenGpusPassesPcieOnceWithP2pAndTwiceBounced) {
  const Duration out = write_rate(two_gpus().gpu_slot).transmit_time(1_mb);
  HostResources direct(two_gpus());
  EXPECT_EQ(direct.copy({.from = on_gpu(0), .to = on_gpu(1), .size = 1_mb}, Time::zero()), Time::zero() + 6_us + out);
  HostOptions bounce = two_gpus();
  bounce.access = GpuAccess::kBounce;
  HostResources bounced(bounce);
  const Time end = bounced.copy({.from = on_gpu(0), .to = on_gpu(1), .size = 1_mb}, Time::zero());
  EXPECT_GT(end, Time::zero() + 12_us + out);
  EXPECT_LT(end, Time::zero() + 12_us + out * 2);
}

TEST(HostCopy, AcrossRootComplexesIsSlower) {
  HostOptions options = two_gpus();
  options.attachment = GpuAttachment::kOtherRootComplex;
  HostResources host(options);
  EXPECT_EQ(host.copy({.from = on_gpu(0), .to = on_gpu(1), .size = 1_mb}, Time::zero()),
            Time::zero() + 6_us + 300_ns + (40_gbps).transmit_time(1_mb));
}

TEST(HostCopy, OfTheHostIsTheWorkOfACore) {
  HostResources host(two_gpus());
  EXPECT_EQ(host.copy({.from = {}, .to = {}, .size = 1_mb}, Time::zero()), Time::zero() + 100_ns + 100_us);
  EXPECT_EQ(host.cpu().used(CpuWork::kCopy), 100_ns + 100_us);
}

}  // namespace
}  // namespace weft::host
