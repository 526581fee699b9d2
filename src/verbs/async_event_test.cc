#include "verbs/async_event.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace weft::verbs {
namespace {

constexpr int kTypes = static_cast<int>(AsyncEventType::kDeviceFatal) + 1;

//= ibta-1.7 11.6.3
TEST(AsyncEventType, EveryTypeHasAPhraseOfItsOwn) {
  std::set<std::string> phrases;
  for (int type = 0; type < kTypes; ++type) {
    phrases.emplace(to_string(static_cast<AsyncEventType>(type)));
  }
  EXPECT_EQ(phrases.size(), kTypes);
  EXPECT_FALSE(phrases.contains(""));
  EXPECT_FALSE(phrases.contains("unknown event"));
}

TEST(AsyncEvent, NamesNoObjectUnlessTold) {
  const AsyncEvent event;
  EXPECT_FALSE(event.qp.is_valid());
  EXPECT_FALSE(event.cq.is_valid());
  EXPECT_FALSE(event.srq.is_valid());
}

}  // namespace
}  // namespace weft::verbs
