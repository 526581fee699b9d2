#include "live/side_message.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

namespace weft::live {
namespace {

constexpr PeerParameters kPeer{.qpn = 17,
                               .psn = 0xFF'FFFF,
                               .mtu = 2048,
                               .rkey = 0xFFFF'FFFF,
                               .address = std::numeric_limits<std::uint64_t>::max(),
                               .length = 4'194'304,
                               .udp_port = 4791,
                               .window = 1 << 20};

TEST(SideMessage, EveryKindReadsBackAsItWasWritten) {
  for (const SideMessage& message :
       {SideMessage(Hello{.plan = {.op = PerfOp::kFadd, .test = PerfTest::kLatency, .size = 8}, .peer = kPeer}),
        SideMessage(Welcome{.peer = kPeer}), SideMessage(Refuse{.reason = "port in use, 'sorry'"}),
        SideMessage(Start{.size = 8, .iterations = 5}), SideMessage(Ready{}), SideMessage(Done{}),
        SideMessage(Verdict{.wrong = 3}), SideMessage(Bye{})}) {
    const std::string line = format_side_message(message);
    EXPECT_LT(line.size(), kMaxSideLine);
    const Result<SideMessage> parsed = parse_side_message(line);
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    EXPECT_EQ(*parsed, message);
  }
}

TEST(SideMessage, RefusesWhatIsNotExactlyAMessage) {
  const std::string welcome = format_side_message(Welcome{.peer = kPeer});
  for (const std::string& line :
       {std::string(), std::string("hallo"), std::string("ready now=1"), std::string("start size=8"),
        std::string("start size=8 iterations=0"), std::string("start size=8 size=8 iterations=1"),
        std::string("start size=-8 iterations=1"), std::string("start size=8x iterations=1"),
        std::string("start size= iterations=1"), std::string("start size=99999999999999999999 iterations=1"),
        std::string("bye\r"), std::string("ready\0", 6), std::string(600, 'a'), welcome + " more=1",
        fmt::format("welcome version={}{}", kSideVersion + 1, welcome.substr(17)), std::string("hello version=1")}) {
    EXPECT_FALSE(parse_side_message(line).has_value()) << line;
  }
}

TEST(SideMessage, RefusesAnMtuThatNoPathHas) {
  PeerParameters odd = kPeer;
  odd.mtu = 1'500;
  EXPECT_FALSE(parse_side_message(format_side_message(Welcome{.peer = odd})).has_value());
}

}  // namespace
}  // namespace weft::live
