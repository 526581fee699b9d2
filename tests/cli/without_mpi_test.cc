// A build without MPI that mpirun starts several times: it does not do the same work several times.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// As the given rank of two.
Outcome run_as(int rank, const std::string& arguments) {
  return run_weft(fmt::format("--version >/dev/null; OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK={} {} {}", rank,
                              weft_binary(), arguments));
}

TEST(WithoutMpi, WorkThatWouldBeDealtIsRefusedOnce) {
  if (run_weft("--version").out.find("MPI: none") == std::string::npos) {
    GTEST_SKIP() << "this build has MPI";
  }
  for (const std::string command : {"run", "compare", "claims", "scale", "sweep", "tune"}) {
    const Outcome first = run_as(0, command + " missing.toml");
    EXPECT_EQ(first.exit_status, 2) << command;
    EXPECT_THAT(first.err, HasSubstr("mpirun has started 2 ranks, but this build has no MPI")) << command;
    const Outcome second = run_as(1, command + " missing.toml");
    EXPECT_EQ(second.exit_status, 0) << command;
    EXPECT_THAT(second.out + second.err, IsEmpty()) << command;
  }
}

TEST(WithoutMpi, OtherCommandsRunOnceWithAnyBuild) {
  const Outcome first = run_as(0, "help rocev2");
  EXPECT_EQ(first.exit_status, 0);
  EXPECT_THAT(first.err, HasSubstr("weft help: runs on rank 0 alone; the other ranks (1) do nothing"));
  const Outcome second = run_as(1, "help rocev2");
  EXPECT_EQ(second.exit_status, 0);
  EXPECT_THAT(second.out + second.err, IsEmpty());
}

}  // namespace
}  // namespace weft::test
