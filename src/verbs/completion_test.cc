#include "verbs/completion.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace weft::verbs {
namespace {

constexpr int kStatuses = static_cast<int>(WcStatus::kGeneralErr) + 1;

//= ibta-1.7 11.6.2
TEST(WcStatus, EveryStatusHasAPhraseOfItsOwn) {
  std::set<std::string> phrases;
  for (int status = 0; status < kStatuses; ++status) {
    phrases.emplace(to_string(static_cast<WcStatus>(status)));
  }
  EXPECT_EQ(phrases.size(), kStatuses);
  EXPECT_FALSE(phrases.contains(""));
  EXPECT_FALSE(phrases.contains("unknown status"));
}

TEST(WcStatus, TheDefaultIsSuccess) { EXPECT_EQ(to_string(WorkCompletion{}.status), "success"); }

}  // namespace
}  // namespace weft::verbs
