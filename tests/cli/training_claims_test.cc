// The claims about training steps: their scenarios run, and the figures say what the files' comments claim of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kClaims = fs::path(WEFT_TEST_DATA_DIR) / "../../examples/claims";

Json json_of(const std::string& arguments) {
  const Outcome outcome = run_weft(arguments);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  Json json = Json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << outcome.out;
  return json;
}

/// What `weft scale` says of a claim's scenario.
class ScaledClaim {
 public:
  ScaledClaim(const std::string& name, const std::string& options)
      : json_(json_of(fmt::format("scale {} {} --json -", (kClaims / (name + ".toml")).string(), options))) {}

  [[nodiscard]] const Json& row(const std::string& fabric, int gpus) const {
    for (const Json& row : json_["rows"]) {
      if (row["fabric"] == fabric && row["gpus"] == gpus && row["possible"] == true) {
        return row;
      }
    }
    ADD_FAILURE() << "no " << fabric << " with " << gpus << " GPUs: " << json_.dump();
    static const Json kNone;
    return kNone;
  }
  /// Of the step.
  [[nodiscard]] double exposed_share(const std::string& fabric, int gpus) const {
    const Json& step = row(fabric, gpus)["step"];
    return step["exposed_communication_s"].get<double>() / step["step_time_s"].get<double>();
  }
  [[nodiscard]] double ratio(const std::string& fabric, int gpus) const {
    return row(fabric, gpus)["acceleration_ratio"].get<double>();
  }
  [[nodiscard]] double added_s(const std::string& fabric, int gpus) const {
    const Json& found = row(fabric, gpus);
    return found["step_time_with_extra_latency_s"].get<double>() - found["step"]["step_time_s"].get<double>();
  }

 private:
  Json json_;
};

TEST(TrainingClaims, MoreGpusWaitLongerForTheNetworkAndASlowerNetworkLongest) {
  const ScaledClaim claim("network-bottleneck", "--gpus 16,64 --strong");
  for (const char* network : {"100g", "400g", "800g"}) {
    EXPECT_GT(claim.exposed_share(network, 64), claim.exposed_share(network, 16)) << network;
  }
  EXPECT_GT(claim.exposed_share("100g", 64), 1.5 * claim.exposed_share("400g", 64));
  EXPECT_GT(claim.exposed_share("400g", 64), claim.exposed_share("800g", 64));
}

TEST(TrainingClaims, AMicrosecondCountsWhereEveryLayerWaitsForTheNetwork) {
  const ScaledClaim claim("microsecond-to-hours", "--gpus 16 --extra-latency 1us --job-steps 1000000");
  const double network = claim.added_s("tensor-parallel-over-network", 16);
  // Each operation of tensor parallelism has at least one message that nothing hides.
  const Json& row = claim.row("tensor-parallel-over-network", 16);
  for (const Json& part : row["step"]["parts"]) {
    if (part["name"] == "tp") {
      EXPECT_GE(network, part["operations"].get<double>() * 1e-6);
    }
  }
  EXPECT_GT(network, 3 * claim.added_s("tensor-parallel-over-nvlink", 16));
  EXPECT_NEAR(row["added_hours"].get<double>(), network * 1e6 / 3600, 1e-9);
}

TEST(TrainingClaims, NGpusAreLessThanNTimesAsFastOnEveryFabric) {
  const ScaledClaim claim("acceleration-ratio", "--gpus 16,64 --strong");
  for (const char* fabric : {"infiniband", "rocev2", "tcp"}) {
    EXPECT_LT(claim.ratio(fabric, 16), 1) << fabric;
    EXPECT_LT(claim.ratio(fabric, 64), claim.ratio(fabric, 16)) << fabric;
  }
  EXPECT_LT(claim.ratio("tcp", 64), 0.9 * claim.ratio("rocev2", 64));
}

TEST(TrainingClaims, ADenseModelSendsFewLargeFlowsAndExpertsManyMore) {
  const Json json =
      json_of(fmt::format("run {} --json - --no-results --no-check", (kClaims / "elephant-flows.toml").string()));
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
