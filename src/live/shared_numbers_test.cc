#include "live/shared_numbers.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::live {
namespace {

TEST(SharedNumbers, AParentReadsWhatItsChildSets) {
  SharedNumbers numbers(3);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    numbers.set(1, 0.25);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(numbers.get(0), 0);
  EXPECT_EQ(numbers.get(1), 0.25);
  EXPECT_EQ(numbers.get(2), 0);
}

TEST(SharedNumbers, NoneIsNoFault) { const SharedNumbers none(0); }

}  // namespace
}  // namespace weft::live
