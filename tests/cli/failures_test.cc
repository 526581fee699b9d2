// `weft failures`, and runs with [[failure]], as a user meets them.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const std::string kExamples = (fs::path(test_data_dir()) / "../../examples").string();
const std::string kSmall = kExamples + "/failures.toml --set topology.hosts=32 --set job[0].gpus=256";

nlohmann::json case_of(const nlohmann::json& runs, const std::string& name) {
  for (const nlohmann::json& run : runs) {
    if (run["case"] == name) {
      return run;
    }
  }
  return {};
}

TEST(Failures, OfARingAreResultsOfARun) {
  const Outcome outcome = run_weft("run " + kExamples + "/failing-ring.toml --no-results --no-cache --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json runs = nlohmann::json::parse(outcome.out)["runs"];
  for (const char* name : {"healthy", "cable", "flapping", "lanes", "spine"}) {
    EXPECT_EQ(case_of(runs, name)["end"], "finished") << name;
  }
  const nlohmann::json lost = case_of(runs, "host cable");
  EXPECT_EQ(lost["end"], "job-lost");
  EXPECT_NE(lost["error"].get<std::string>().find("transport retry counter exceeded"), std::string::npos);
  // Eight timeouts of 4.096 us x 2^8 after the failure.
  EXPECT_NEAR(lost["simulated_s"].get<double>(), 500e-6 + 8 * 256 * 4.096e-6, 200e-6);
}

TEST(Failures, PrintsEachNetworkAndWhatItsGoodputIs) {
  const Outcome outcome = run_weft("failures " + kSmall + " --ring-only --no-variants --fabrics rocev2,infiniband");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* expected : {"rocev2", "infiniband", "goodput", "host-link", "spine", "subnet-manager", "34.4 s"}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n" << outcome.out;
  }
}

// 16,384 GPUs of Llama 3 lost their job 419 times in 54 days; as many GPUs are here in proportion, with the same rates.
TEST(Failures, WithLlamasRatesJobsAreLostAsOftenAsPublished) {
  const Outcome outcome = run_weft("failures " + kSmall +
                                   " --set failures.rates=llama3 --ring-only --no-variants --fabrics rocev2 --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto network = nlohmann::json::parse(outcome.out)["networks"][0];
  double losses = 0;
  for (const auto& failure : network["failures"]) {
    losses += failure.value("job_lost", false) ? failure["per_month"].get<double>() : 0;
  }
  // Cables between switches are survived here; 35 of the 419 were of switches and cables.
  const double published = 419.0 / (54 * 24) * 730 * 256 / 16384;
  EXPECT_LE(losses, published * 1.01);
  EXPECT_GE(losses, published * (419 - 35) / 419 * 0.99);
  EXPECT_NEAR(network["month"]["interruptions_per_month"].get<double>(), losses,
              2 * network["month"]["interruptions_half_interval"].get<double>() + 0.05 * losses);
}

TEST(Failures, WritesTablesAsCsvAndTheSameTwice) {
  const std::string command = "failures " + kSmall + " --ring-only --no-variants --fabrics rocev2 --months 20 --csv -";
  const Outcome outcome = run_weft(command);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* expected : {"# networks", "# failures", "# timeline", "# rates", "network,kind,component,count"}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n" << outcome.out.substr(0, 2'000);
  }
  EXPECT_EQ(run_weft(command).out, outcome.out);
}

TEST(Failures, ARingOnTwoTorsLivesWithoutACableOfAHost) {
  const Outcome outcome = run_weft("failures " + kSmall + " --ring-only --fabrics rocev2 --months 20 --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  const auto host_link = [&](const std::string& name) -> nlohmann::json {
    for (const auto& network : document["networks"]) {
      for (const auto& failure : network["name"] == name ? network["failures"] : nlohmann::json::array()) {
        if (failure["kind"] == "host-link") {
          return failure;
        }
      }
    }
    return {};
  };
  EXPECT_TRUE(host_link("rocev2")["job_lost"].get<bool>());
  EXPECT_FALSE(host_link("rocev2, dual ToR")["job_lost"].get<bool>());
  EXPECT_FALSE(host_link("rocev2, two planes")["job_lost"].get<bool>());
}

// A GPU that fails each microsecond: there is no month to draw, and the formula says what is left.
TEST(Failures, WhereTheyComeTooOftenToBeDrawnTheFormulaStandsAlone) {
  const std::string command = "failures " + kExamples +
                              "/failures.toml --set topology.hosts=8 --set job[0].gpus=64 --set "
                              "topology.hosts_per_leaf=4 --set job[0].global_batch=64 --ring-only --no-variants "
                              "--fabrics rocev2 --months 50 -j 1 --set failures.gpu_fit=3600000000000 --json -";
  const Outcome outcome = run_weft(command);
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json month = nlohmann::json::parse(outcome.out)["networks"][0]["month"];
  EXPECT_EQ(month["months_drawn"], 0);
  EXPECT_GT(month["events_per_month"].get<double>(), 1e7);
  EXPECT_EQ(month["goodput"], month["goodput_formula"]);
  EXPECT_NE(outcome.err.find("by formula alone"), std::string::npos) << outcome.err;
}

const std::string kManaged =
    kExamples +
    "/subnet/failing-cable.toml --set transport.ack_timeout=8 --set routing.reroute_delay=auto "
    "--set library.profile=nccl-2-14";

/// When routes of a run follow after the failure of the example, since then, with another component.
double follows_after(const std::string& component) {
  const Outcome outcome = run_weft("run " + kManaged + " --set failure[0].select=" + component +
                                   " --set failure[0].duration=1s --no-results --no-cache --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json document = nlohmann::json::parse(outcome.out);
  for (const auto& event : document["runs"][0]["events"]) {
    if (event["kind"] == "resweep") {
      return event["at_s"].get<double>() - 100e-6;
    }
  }
  return -1;
}

// With "auto" each failure has the time of its own sweep, which is that of a run with the same failure.
TEST(Failures, EachFollowsWhenTheSimulatedManagerHasSweptForIt) {
  const Outcome outcome =
      run_weft("failures " + kManaged + " --ring-only --no-variants --fabrics infiniband --months 20 --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json network = nlohmann::json::parse(outcome.out)["networks"][0];
  ASSERT_TRUE(network["possible"].get<bool>());
  EXPECT_FALSE(network.contains("reroute_delay_s"));
  std::map<std::string, nlohmann::json> failures;
  for (const auto& failure : network["failures"]) {
    failures[failure["kind"]] = failure;
  }
  for (const char* const kind : {"link", "spine"}) {
    const nlohmann::json& failure = failures[kind];
    ASSERT_TRUE(failure.contains("reroute_delay_s")) << kind;
    const double delay = failure["reroute_delay_s"].get<double>();
    const std::string component = failure["component"].get<std::string>();
    EXPECT_NEAR(delay, follows_after(kind == std::string("spine") ? component + "/*" : component), 1e-9) << kind;
    // What was sent into the dead cable arrives after that at the earliest.
    EXPECT_GT(failure["stall_s"].get<double>(), 0.5 * delay) << kind;
  }
  // The manager's own cable and leaf are left to it.
  EXPECT_EQ(failures["host-link"]["component"].get<std::string>().rfind("host0/", 0), std::string::npos);
  EXPECT_NE(failures["leaf"]["component"], "leaf0");
  for (const char* const kind : {"host-link", "leaf"}) {
    EXPECT_TRUE(failures[kind].contains("reroute_delay_s")) << kind;
  }
  EXPECT_FALSE(failures["degraded-lanes"].contains("reroute_delay_s"));
  // A standby has to take over first.
  EXPECT_GT(failures["subnet-manager"]["reroute_delay_s"].get<double>(), 1);
}

TEST(Failures, SaysThatNobodyIsLeftWhoWouldSweep) {
  const Outcome outcome = run_weft("failures " + kManaged +
                                   " --ring-only --no-variants --fabrics infiniband --months 20 --set "
                                   "topology.hosts=3 --set failure[0].select=leaf0/port3 --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json document = nlohmann::json::parse(outcome.out);
  for (const auto& failure : document["networks"][0]["failures"]) {
    if (failure["kind"] == "leaf") {
      EXPECT_NE(failure["reason"].get<std::string>().find("the link of the manager's own port is down"),
                std::string::npos);
    }
  }
}

TEST(Failures, TheFailedLinkOfAComparisonHasTheTimeOfItsSweep) {
  const Outcome outcome = run_weft("compare " + kManaged + " --set traffic[0].size=1MB --fabrics infiniband --json -");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json fault = nlohmann::json::parse(outcome.out)["fabrics"][0]["fault"];
  ASSERT_TRUE(fault.contains("reroute_delay_s")) << fault.dump();
  const double delay = fault["reroute_delay_s"].get<double>();
  EXPECT_NEAR(delay, follows_after(fault["link"].get<std::string>()), 1e-9);
  EXPECT_GT(fault["lost_s"].get<double>(), 0.5 * delay);
}

void expect_refused(const std::string& arguments, const std::string& said) {
  const Outcome outcome = run_weft("failures " + arguments);
  EXPECT_EQ(outcome.exit_status, 2) << arguments;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_NE(outcome.err.find(said), std::string::npos) << arguments << "\n" << outcome.err;
}

TEST(Failures, SaysWhatIsWrongWithTheInput) {
  expect_refused(kSmall + " --fabrics rocev9", "--fabrics: ");
  expect_refused(kSmall + " --set failures.rates=llama4", "did you mean 'llama3'?");
  expect_refused(kSmall + " --set failures.flap_down=100s", "it has to be up for a part");
  expect_refused(kSmall + " --months 1", "--months");
  for (const char* const wrong : {"failures.link_fit=-1", "failures.rates=nope", "checkpoint.restart=-1s"}) {
    const Outcome outcome = run_weft("failures " + kSmall + " --fabrics rocev2,infiniband --set " + wrong);
    EXPECT_EQ(outcome.exit_status, 2) << wrong;
    EXPECT_EQ(outcome.err.find("no fabric can serve"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.rfind("weft failures: ", 0), 0U) << outcome.err;
  }
}

}  // namespace
}  // namespace weft::test
