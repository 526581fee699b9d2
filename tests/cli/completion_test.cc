// The completion scripts: what bash offers for a command line, and that the words come from the program.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "tests/cli/document_blocks.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// What bash offers for the last of these words; run in the project's folder.
std::vector<std::string> offered(const std::string& words) {
  const std::string base =
      ::testing::TempDir() + "weft_completion_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(base + ".sh") << "cd " << project_root().string() << "\n"
                              << "source <(" << weft_binary() << " completion bash)\n"
                              << "COMP_WORDS=(" << weft_binary() << " " << words << ")\n"
                              << "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_weft\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  EXPECT_EQ(std::system(("bash " + base + ".sh >" + base + ".out 2>" + base + ".err").c_str()), 0);
  EXPECT_THAT(text_of(base + ".err"), IsEmpty());
  std::istringstream lines(text_of(base + ".out"));
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) {
      found.push_back(line);
    }
  }
  for (const char* ending : {".sh", ".out", ".err"}) {
    std::filesystem::remove(base + ending);
  }
  return found;
}

TEST(Completion, CompletesSubcommands) {
  EXPECT_THAT(offered("comp"), ElementsAre("compare", "completion"));
  EXPECT_THAT(offered("pcap ''"), ElementsAre("check", "list"));
  EXPECT_THAT(offered("''"), AllOf(Contains("run"), Contains("init"), Contains("catalogue")));
}

TEST(Completion, CompletesOptionsOfTheSubcommand) {
  EXPECT_THAT(offered("run --no-r"), ElementsAre("--no-results"));
  EXPECT_THAT(offered("perf client --no"), ElementsAre("--no-offload"));
  EXPECT_THAT(offered("diff --s"), IsEmpty());
}

TEST(Completion, CompletesKeysBehindSet) {
  EXPECT_THAT(offered("run examples/incast.toml --set switch.buf"), ElementsAre("switch.buffer="));
  EXPECT_THAT(offered("show --set 'job[0].tp'"), Contains("job[0].tp="));
}

TEST(Completion, CompletesScenarioFilesAndFolders) {
  EXPECT_THAT(offered("run examples/inc"), ElementsAre("examples/incast.toml"));
  EXPECT_THAT(offered("run exam"), ElementsAre("examples"));
  EXPECT_THAT(offered("run READ"), IsEmpty());
}

TEST(Completion, CompletesNamesOfTheCatalogue) {
  EXPECT_THAT(offered("catalogue tomahawk-5"), ElementsAre("tomahawk-5", "tomahawk-5-packet"));
  EXPECT_THAT(offered("init --model llama3-8"), ElementsAre("llama3-8b"));
  EXPECT_THAT(offered("help link.le"), ElementsAre("link.length"));
  EXPECT_THAT(offered("claims gpud"), ElementsAre("gpudirect"));
}

TEST(Completion, OptionsThatTakeAValueAreNotMistakenForSubcommands) {
  EXPECT_THAT(offered("compare --weights bal"), ElementsAre("balanced"));
  EXPECT_THAT(offered("run --case run --no-res"), ElementsAre("--no-results"));
}

TEST(Completion, TheScriptOfZshHasEverySubcommandWithWhatItDoes) {
  const Outcome outcome = run_weft("completion zsh");
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.out, testing::StartsWith("#compdef weft\n"));
  EXPECT_THAT(outcome.out, HasSubstr("'run:Simulate a scenario, or each of its cases'"));
  EXPECT_THAT(outcome.out, HasSubstr("--no-results:"));
}

/// The lines that an interactive zsh has made of these beginnings, each completed once; run in the project's folder.
/// zsh runs in a pseudo-terminal that another zsh drives.
std::vector<std::string> completed_by_zsh(const std::vector<std::string>& beginnings) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "weft_zsh_completion";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::create_symlink(weft_binary(), folder / "weft");
  std::ofstream(folder / "drive.zsh") << R"zsh(
zmodload zsh/zpty || exit 1
zpty inner zsh -f -i
zpty -w inner "PS1= PS2= RPS1=; cd $1; path=($2 \$path); unsetopt prompt_cr prompt_sp"
zpty -w inner "autoload -Uz compinit && compinit -u -d $2/dump; source <(weft completion zsh)"
zpty -w inner 'shown() { print -r -- "LINE""<$BUFFER>"; BUFFER=; }; zle -N shown; bindkey "^X^P" shown'
zpty -w inner 'bindkey "^I" complete-word; print READY"<>"'
zpty -r inner out '*READY<>*' || exit 1
shift 2
for words in "$@"; do
  zpty -w -n inner "weft $words"$'\t\C-x\C-p'
  zpty -r inner out '*LINE<*>*' || exit 1
  print -r -- "${${out##*LINE<}%%>*}"
done
zpty -d inner
)zsh";
  std::string command =
      "zsh -f " + (folder / "drive.zsh").string() + " " + project_root().string() + " " + folder.string();
  for (const std::string& words : beginnings) {
    command += " '" + words + "'";
  }
  EXPECT_EQ(std::system(("timeout 100 " + command + " >" + (folder / "out").string()).c_str()), 0);
  std::istringstream lines(text_of((folder / "out").string()));
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    found.push_back(line);
  }
  fs::remove_all(folder);
  return found;
}

TEST(Completion, AnInteractiveZshCompletesWhatBashDoes) {
  if (std::system("command -v zsh >/dev/null") != 0) {
    GTEST_SKIP() << "there is no zsh";
  }
  EXPECT_THAT(completed_by_zsh({"compar", "run --no-r", "show --set switch.buf", "run examples/inc",
                                "catalogue tomahawk-5-p", "pcap li", "compare --weights bal", "cache sh"}),
              ElementsAre("weft compare ", "weft run --no-results ", "weft show --set switch.buffer=",
                          "weft run examples/incast.toml ", "weft catalogue tomahawk-5-packet ", "weft pcap list ",
                          "weft compare --weights balanced ", "weft cache show "));
}

TEST(Completion, UnknownShellsAreWrongInput) {
  const Outcome outcome = run_weft("completion fish");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("one of bash, zsh"));
  EXPECT_EQ(run_weft("completion").exit_status, 2);
}

TEST(Completion, OutputThatCannotBeWrittenIsAFault) {
  EXPECT_EQ(run_weft("completion bash >/dev/full").exit_status, 1);
  EXPECT_EQ(run_weft("completion keys >&-").exit_status, 1);
}

}  // namespace
}  // namespace weft::test
