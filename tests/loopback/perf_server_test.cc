// What a server lives through: clients that vanish, say nonsense, or say nothing.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "tests/loopback/run_perf.h"

namespace weft::test {
namespace {

class Server : public testing::Test {
 protected:
  void SetUp() override { open(Duration::milliseconds(300)); }

  void open(Duration idle_timeout) {
    server_.reset();
    Result<live::PerfServer> opened = live::PerfServer::open(
        {.local = own_loopback(0), .side = {.udp_port = 0, .spin = {}, .idle_timeout = idle_timeout}});
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    server_.emplace(std::move(*opened));
  }

  [[nodiscard]] live::PerfClientOptions options() const {
    return {.server = server_->local_address(),
            .plan = {.size = 1'000},
            .rows = {{.size = 1'000, .iterations = 50}},
            .side = {.udp_port = 0, .idle_timeout = kPatience}};
  }

  void expect_next_client_is_served() {
    const live::StopFlag stop{false};
    const auto report = live::run_perf_client(options(), {}, stop);
    ASSERT_TRUE(report.has_value()) << report.error().error.message;
    EXPECT_EQ(report->wrong(), 0U);
  }

  [[nodiscard]] live::SideChannel connect() const {
    Result<live::SideChannel> channel = live::SideChannel::connect({.to = server_->local_address()});
    EXPECT_TRUE(channel.has_value());
    return std::move(*channel);
  }

  /// A hello that is in order, from a client that has no socket.
  static live::Hello hello() {
    return {.plan = {.size = 1'000},
            .peer = {.qpn = 1,
                     .psn = 2,
                     .mtu = 1024,
                     .rkey = 3,
                     .address = 4,
                     .length = 1 << 24,
                     .udp_port = 9,
                     .window = 65'536}};
  }

  static live::SideMessage answer(live::SideChannel& channel) {
    const live::StopFlag stop{false};
    Result<live::SideMessage> message = live::await_message(channel, kPatience, stop);
    EXPECT_TRUE(message.has_value());
    return message.value_or(live::Bye{});
  }

  std::optional<live::PerfServer> server_;
};

TEST_F(Server, ServesTheNextAfterAClientWasKilledInTheMiddle) {
  const std::vector<live::PerfVisit> visits = serve_while(*server_, 2, [&] {
    live::StopFlag stop{false};
    live::PerfClientOptions first = options();
    first.rows = {{.size = 8, .iterations = 10}, {.size = 1'000, .iterations = 1'000'000}};
    const auto report = live::run_perf_client(
        first, {.on_row = [&](const live::PerfConnection&, const live::RowResult&) { stop.store(true); }}, stop);
    EXPECT_FALSE(report.has_value());
    expect_next_client_is_served();
  });
  ASSERT_EQ(visits.size(), 2U);
  EXPECT_TRUE(visits[0].error.has_value());
  EXPECT_FALSE(visits[1].error.has_value());
}

TEST_F(Server, GivesUpOnASilentClient) {
  const std::vector<live::PerfVisit> visits = serve_while(*server_, 2, [&] {
    live::SideChannel silent = connect();
    ASSERT_TRUE(silent.send(hello()).has_value());
    EXPECT_TRUE(std::holds_alternative<live::Welcome>(answer(silent)));
    ASSERT_TRUE(silent.send(live::Start{.size = 8, .iterations = 8}).has_value());
    EXPECT_TRUE(std::holds_alternative<live::Ready>(answer(silent)));
    expect_next_client_is_served();
  });
  ASSERT_EQ(visits.size(), 2U);
  ASSERT_TRUE(visits[0].error.has_value());
  EXPECT_NE(visits[0].error->message.find("no message"), std::string::npos) << visits[0].error->message;
}

// They have the whole idle timeout for saying what they want; meanwhile the one who has said it gets its turn.
TEST_F(Server, SilentAndSlowClientsHoldUpNobody) {
  open(kPatience);
  const std::vector<live::PerfVisit> visits = serve_while(*server_, 1, [&] {
    std::vector<live::SideChannel> silent;
    for (int i = 0; i < 5; ++i)
      silent.push_back(connect());
    const std::string half_a_line = "hello version";
    ASSERT_GT(::send(silent.back().descriptor(), half_a_line.data(), half_a_line.size(), MSG_NOSIGNAL), 0);
    expect_next_client_is_served();
  });
  ASSERT_EQ(visits.size(), 1U);
  EXPECT_FALSE(visits[0].error.has_value()) << visits[0].error->message;
}

TEST_F(Server, SendsAwayWhoNeverSaysWhatItWants) {
  const std::vector<live::PerfVisit> visits = serve_while(*server_, 1, [&] {
    live::SideChannel silent = connect();
    EXPECT_TRUE(std::holds_alternative<live::Refuse>(answer(silent)));
  });
  ASSERT_EQ(visits.size(), 1U);
  ASSERT_TRUE(visits[0].error.has_value());
  EXPECT_NE(visits[0].error->message.find("no message"), std::string::npos) << visits[0].error->message;
}

TEST_F(Server, RefusesNonsenseAndSaysWhy) {
  const std::vector<live::PerfVisit> visits = serve_while(*server_, 3, [&] {
    live::SideChannel rude = connect();
    const std::string text = "GET / HTTP/1.1\n";
    ASSERT_EQ(::send(rude.descriptor(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    EXPECT_TRUE(std::holds_alternative<live::Refuse>(answer(rude)));
    live::SideChannel endless = connect();
    const std::string line(10'000, 'x');
    (void)::send(endless.descriptor(), line.data(), line.size(), MSG_NOSIGNAL);
    EXPECT_TRUE(std::holds_alternative<live::Refuse>(answer(endless)));
    expect_next_client_is_served();
  });
  ASSERT_EQ(visits.size(), 3U);
  EXPECT_TRUE(visits[0].error.has_value());
  EXPECT_TRUE(visits[1].error.has_value());
}

TEST_F(Server, RefusesARowAbovePlannedSize) {
  const std::vector<live::PerfVisit> visits = serve_while(*server_, 2, [&] {
    live::SideChannel greedy = connect();
    ASSERT_TRUE(greedy.send(hello()).has_value());
    EXPECT_TRUE(std::holds_alternative<live::Welcome>(answer(greedy)));
    ASSERT_TRUE(greedy.send(live::Start{.size = 1'001, .iterations = 1}).has_value());
    expect_next_client_is_served();
  });
  ASSERT_EQ(visits.size(), 2U);
  EXPECT_TRUE(visits[0].error.has_value());
}

TEST_F(Server, SaysThatItsPortIsInUse) {
  const Result<live::PerfServer> second = live::PerfServer::open({.local = server_->local_address()});
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().message.find("in use"), std::string::npos) << second.error().message;
}

TEST_F(Server, TellsTheClientThatItsUdpPortIsInUse) {
  Result<live::UdpSocket> holder = live::UdpSocket::open({.local = own_loopback(0)});
  ASSERT_TRUE(holder.has_value());
  Result<live::PerfServer> server =
      live::PerfServer::open({.local = own_loopback(0), .side = {.udp_port = holder->local_address().port()}});
  ASSERT_TRUE(server.has_value());
  const auto visits = serve_while(*server, 1, [&] {
    live::PerfClientOptions client = options();
    client.server = server->local_address();
    const live::StopFlag stop{false};
    const auto report = live::run_perf_client(client, {}, stop);
    ASSERT_FALSE(report.has_value());
    EXPECT_NE(report.error().error.message.find("in use"), std::string::npos) << report.error().error.message;
  });
  EXPECT_EQ(visits.size(), 1U);
}

TEST_F(Server, EndsWhenTold) {
  const live::StopFlag stop{true};
  const Result<std::optional<live::PerfVisit>> visit = server_->serve_one(stop);
  ASSERT_TRUE(visit.has_value());
  EXPECT_FALSE(visit->has_value());
}

}  // namespace
}  // namespace weft::test
