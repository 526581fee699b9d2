// `weft control` as a user meets it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const std::string kExample = (fs::path(test_data_dir()) / "../../examples/control-convergence.toml").string();

nlohmann::json control_of(const std::string& arguments) {
  const Outcome outcome = run_weft("control " + kExample + " --json - --quiet " + arguments);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

double last_entry(const nlohmann::json& study) {
  const auto& event = study["control"]["events"].back();
  return event["last_entry_s"].get<double>() - event["at_s"].get<double>();
}

TEST(Control, PrintsWhatIsLostAndWhatItCosts) {
  const Outcome outcome = run_weft("control " + kExample);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* expected :
       {"64 host ports, 16 switches, 64 sessions", "leaf0/port8 - spine0/port0", "noticed after", "black hole",
        "traffic lost", "UPDATEs", "a subnet manager would bring the same network up in", "last table written after"}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n" << outcome.out;
  }
}

TEST(Control, DetectionDecidesHowLongADestinationIsLost) {
  const double signal = last_entry(control_of("--case signal"));
  const double bfd = last_entry(control_of("--case bfd"));
  const double hold = last_entry(control_of("--case hold-timer"));
  EXPECT_LT(signal, 0.01);
  EXPECT_GE(bfd, 0.6);
  EXPECT_LT(bfd, 0.91);
  EXPECT_GE(hold, 6.0);
  EXPECT_LT(hold, 9.1);
}

TEST(Control, NamesSwappedCables) {
  const auto cabling = control_of("--case miscabled")["control"]["cabling"];
  ASSERT_EQ(cabling.size(), 4U);
  EXPECT_EQ(cabling[0]["port"], "leaf0/port9");
  EXPECT_EQ(cabling[0]["planned"], "spine1/port0");
  EXPECT_EQ(cabling[0]["found"], "spine2/port1");
}

TEST(Control, AScenarioWithoutItIsRefusedInOneLine) {
  const Outcome outcome = run_weft("control " + kExample + " --set control.kind=none");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.err.find("control.kind"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace weft::test
