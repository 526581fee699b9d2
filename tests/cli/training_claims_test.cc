// The claims about training steps: their scenarios run, and the figures say what the files' comments claim of them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/judged_claim.h"

namespace weft::test {
namespace {

using Json = nlohmann::json;

/// Of the step.
double exposed_share(const JudgedClaim& claim, const std::string& fabric, int gpus) {
  const Json& step = claim.row(fabric, gpus)["step"];
  return step["exposed_communication_s"].get<double>() / step["step_time_s"].get<double>();
}

double ratio(const JudgedClaim& claim, const std::string& fabric, int gpus) {
  return claim.row(fabric, gpus)["acceleration_ratio"].get<double>();
}

double added_s(const JudgedClaim& claim, const std::string& fabric, int gpus) {
  const Json& found = claim.row(fabric, gpus);
  return found["step_time_with_extra_latency_s"].get<double>() - found["step"]["step_time_s"].get<double>();
}

TEST(TrainingClaims, MoreGpusWaitLongerForTheNetworkAndASlowerNetworkLongest) {
  const JudgedClaim claim("network-bottleneck");
  for (const char* network : {"100g", "400g", "800g"}) {
    EXPECT_GT(exposed_share(claim, network, 64), exposed_share(claim, network, 16)) << network;
  }
  EXPECT_GT(exposed_share(claim, "100g", 64), 1.5 * exposed_share(claim, "400g", 64));
  EXPECT_GT(exposed_share(claim, "400g", 64), exposed_share(claim, "800g", 64));
}

TEST(TrainingClaims, AMicrosecondCountsWhereEveryLayerWaitsForTheNetwork) {
  const JudgedClaim claim("microsecond-to-hours");
  const double network = added_s(claim, "tensor-parallel-over-network", 16);
  // Each operation of tensor parallelism has at least one message that nothing hides.
  const Json& row = claim.row("tensor-parallel-over-network", 16);
  for (const Json& part : row["step"]["parts"]) {
    if (part["name"] == "tp") {
      EXPECT_GE(network, part["operations"].get<double>() * 1e-6);
    }
  }
  EXPECT_GT(network, 3 * added_s(claim, "tensor-parallel-over-nvlink", 16));
  EXPECT_NEAR(row["added_hours"].get<double>(), network * 1e6 / 3600, 1e-9);
}

TEST(TrainingClaims, NGpusAreLessThanNTimesAsFastOnEveryFabric) {
  const JudgedClaim claim("acceleration-ratio");
  for (const char* fabric : {"infiniband", "rocev2", "tcp"}) {
    EXPECT_LT(ratio(claim, fabric, 16), 1) << fabric;
    EXPECT_LT(ratio(claim, fabric, 64), ratio(claim, fabric, 16)) << fabric;
  }
  EXPECT_LT(ratio(claim, "tcp", 64), 0.9 * ratio(claim, "rocev2", 64));
}

TEST(TrainingClaims, ADenseModelSendsFewLargeFlowsAndExpertsManyMore) {
  const JudgedClaim claim("elephant-flows");
  EXPECT_EQ(claim.verdict(), "holds when");
  const Json& json = claim.json();
  double flows[2] = {0, 0};
  double bytes[2] = {0, 0};
  double elephant_bytes[2] = {0, 0};  // in flows of at least 10 MB
  ASSERT_EQ(json["runs"].size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    for (const Json& flow : json["runs"][i]["steps"][0]["flows"]) {
      const double count = flow["flows"].get<double>();
      const double size = flow["flow_bytes"].get<double>();
      flows[i] += count;
      bytes[i] += count * size;
      elephant_bytes[i] += size >= 10e6 ? count * size : 0;
    }
  }
  EXPECT_GT(elephant_bytes[0], 0.99 * bytes[0]);
  EXPECT_LT(flows[0], 64 * 100);  // GPUs, each a hundred in a step of seconds
  EXPECT_GT(flows[1], 20 * flows[0]);
}

}  // namespace
}  // namespace weft::test
