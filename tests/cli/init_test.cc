// `weft init` from outside: questions, answers, files.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/document_blocks.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Init : public ::testing::Test {
 protected:
  Init() { std::filesystem::create_directories(path_); }
  ~Init() override { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string file() const { return path_ + "/cluster.toml"; }
  /// With these lines as answers.
  [[nodiscard]] Outcome init(const std::string& options, const std::string& answers = "") const {
    std::ofstream(path_ + "/answers") << answers;
    return run_weft("init " + file() + " " + options + " <" + path_ + "/answers");
  }
  [[nodiscard]] std::string written() const { return text_of(file()); }

 private:
  std::string path_ =
      ::testing::TempDir() + "weft_init_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Init, EmptyAnswersAreTheDefaults) {
  const Outcome outcome = init("", "\n\n\n\n\n\n");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("written; next: weft compare"));
  const std::string answered = written();
  std::filesystem::remove(file());
  ASSERT_EQ(init("--yes").exit_status, 0);
  EXPECT_EQ(written(), answered);
}

TEST_F(Init, AsksSixQuestionsWithDefaultsInBrackets) {
  const std::string asked = init("", "\n\n\n\n\n\n").err;
  for (const char* usual :
       {"[8]: ", "[8 h100-sxm]: ", "[400 Gbps]: ", "[rail-optimised 1:1]: ", "[llama3-8b]: ", "[rocev2]: "}) {
    EXPECT_THAT(asked, HasSubstr(usual));
  }
}

TEST_F(Init, WrongAnswersAreAskedAgain) {
  const Outcome outcome =
      init("",
           "none\n4\n4 h100-sxn\n4 a100-80gb\nfast\n200 Gbps\nleaf-spin 2:1\nleaf-spine 2:1\nllama3-9b\n"
           "llama3-8b\nrocev3\ninfiniband\n");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* complaint : {"'none' is not a number", "did you mean 'h100-sxm'?", "'fast'",
                                "did you mean 'leaf-spine'?", "did you mean 'llama3-8b'?", "did you mean 'rocev2'?"}) {
    EXPECT_THAT(outcome.err, HasSubstr(complaint));
  }
  EXPECT_THAT(written(), HasSubstr("oversubscription = \"2:1\""));
  EXPECT_THAT(written(), HasSubstr("gpu = \"a100-80gb\""));
}

TEST_F(Init, AModelThatDoesNotFitIsAskedAgain) {
  const Outcome outcome = init("--hosts 2 --gpus 1 --rate 400Gbps --topology single-switch --family rocev2",
                               "llama3-405b\nmegatron-1_7b\n");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(written(), HasSubstr("model = \"megatron-1_7b\""));
}

TEST_F(Init, TheEndOfTheInputIsAClearErrorAndWritesNothing) {
  const Outcome outcome = init("", "8\n");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the input ended at the question"));
  EXPECT_THAT(outcome.err, HasSubstr("--yes"));
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(Init, OptionsAnswerTheirQuestionsAndWrongOnesAreRefused) {
  ASSERT_EQ(
      init("--hosts 4 --gpus 4 --rate 200Gbps --topology fat-tree --model llama3-8b --family infiniband").exit_status,
      0);
  std::filesystem::remove(file());
  for (const char* wrong :
       {"--hosts 0", "--gpus 8x", "--rate 400", "--topology torus", "--model llama9", "--family token-ring",
        "--rate 800Gbps", "--topology 'single-switch 2:1'", "--hosts 1 --gpus 1 --model llama3-405b"}) {
    const Outcome outcome = init(std::string("--yes ") + wrong);
    EXPECT_EQ(outcome.exit_status, 2) << wrong;
    EXPECT_THAT(outcome.err, HasSubstr(std::string("--"))) << wrong;
    EXPECT_FALSE(std::filesystem::exists(file())) << wrong;
  }
}

TEST_F(Init, AnExistingFileIsKeptWithoutForce) {
  std::ofstream(file()) << "mine";
  const Outcome outcome = init("--yes");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--force"));
  EXPECT_EQ(written(), "mine");
  EXPECT_EQ(init("--yes --force").exit_status, 0);
  EXPECT_THAT(written(), HasSubstr("[fabric]"));
}

TEST_F(Init, WhatCannotBeWrittenIsAFault) {
  EXPECT_EQ(run_weft("init /nowhere/cluster.toml --yes").exit_status, 1);
  EXPECT_EQ(run_weft("init /dev/full --yes --force").exit_status, 1);
  EXPECT_EQ(init("--yes >&-").exit_status, 1);
}

TEST_F(Init, WhatItWritesCanBeShownForEveryFamilyAndTopology) {
  for (const char* options :
       {"", "--topology 'leaf-spine 2:1'", "--topology fat-tree",
        "--hosts 2 --gpus '4 a100-80gb' --topology single-switch", "--topology 'rail-optimised 2:1' --hosts 16",
        "--family infiniband", "--family tcp", "--family rocev1", "--family iwarp --rate 100Gbps",
        "--gpus mi300x --model llama3-70b", "--hosts 3 --gpus 1 --model megatron-1_7b"}) {
    const Outcome outcome = init(std::string("--yes --force ") + options);
    ASSERT_EQ(outcome.exit_status, 0) << options << ": " << outcome.err;
    const std::string text = written();
    const std::size_t at = text.find("family = \"") + 10;
    const std::string family = text.substr(at, text.find('"', at) - at);
    const Outcome shown = run_weft("show " + file() + " --case " + family);
    EXPECT_EQ(shown.exit_status, 0) << options << ": " << shown.err;
  }
}

TEST_F(Init, WhatItWritesCanBeCompared) {
  ASSERT_EQ(init("--yes --hosts 2 --gpus 2 --model megatron-1_7b --topology single-switch").exit_status, 0);
  const Outcome outcome =
      run_weft("compare " + file() + " --quick --no-cache --fabrics rocev2,tcp -o " + file() + ".json");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Recommendation"));
}

}  // namespace
}  // namespace weft::test
