// The server with clients in the same thread: they take their turns in `keep_going`, which is asked between its own.
#include "live/umad_server.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <optional>

#include "base/assert.h"
#include "subnet/topology_file.h"
#include "wire/byte_order.h"

namespace weft::live {
namespace {

using subnet::UmadConnect;
using subnet::UmadControl;
using subnet::UmadControlType;
using subnet::UmadPacket;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string server_name() { return fmt::format("weft_umad_test_{}", getpid()); }

struct Address {
  explicit Address(const std::string& name) {
    generic.sun_family = AF_UNIX;
    std::memcpy(generic.sun_path + 1, name.data(), name.size());
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + 2);
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&generic); }
  sockaddr_un generic{};
  socklen_t size = 0;
};

/// What libumad2sim does of a program with that number of a process.
class Program {
 public:
  explicit Program(std::uint32_t process)
      : process_(process),
        control_(bound(fmt::format("{}:ctl{}", server_name(), process))),
        in_(bound(fmt::format("{}:in{}", server_name(), process))) {}

  void connect(const std::string& node) {
    UmadControl control{.type = UmadControlType::kConnect};
    UmadConnect{.id = process_, .node = node}.emit(control);
    send(control);
  }
  void become_manager() {
    UmadControl control{.client = *client_, .type = UmadControlType::kSetIsSm};
    control.data[0] = std::byte{1};
    send(control);
  }
  /// The answer of the server to the last of the two, once it is there.
  [[nodiscard]] std::optional<UmadControlType> answer() {
    std::array<std::byte, UmadControl::kSize> bytes{};
    if (::recv(control_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) != static_cast<ssize_t>(bytes.size())) {
      return std::nullopt;
    }
    const UmadControl control = *UmadControl::parse(bytes);
    if (control.type == UmadControlType::kConnect) {
      client_ = UmadConnect::parse(control).id;
    }
    return control.type;
  }
  /// A request to the program's own node, which its agent answers at once. False: the server's socket is full.
  bool ask() {
    UmadPacket packet{.packet = {.source = subnet::kPermissiveLid, .destination = subnet::kPermissiveLid}};
    const wire::MadHeader header{.management_class = wire::kClassSubnetDirectedRoute,
                                 .method = wire::kMethodGet,
                                 .transaction_id = ++asked_,
                                 .attribute_id = wire::kAttributeNodeInfo};
    header.emit(packet.packet.mad);
    wire::store_be16(packet.packet.mad, subnet::mad_offset::kDirectedSource, subnet::kPermissiveLid);
    wire::store_be16(packet.packet.mad, subnet::mad_offset::kDirectedDestination, subnet::kPermissiveLid);
    const auto bytes = packet.emit();
    const Address out(fmt::format("{}:out{}", server_name(), *client_));
    const bool sent = ::sendto(in_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT, out.get(), out.size) >= 0;
    asked_ -= sent ? 0 : 1;
    return sent;
  }
  [[nodiscard]] std::uint64_t asked() const { return asked_; }
  std::uint64_t read_all() {
    std::uint64_t count = 0;
    std::array<std::byte, UmadPacket::kSize> bytes{};
    while (::recv(in_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) >= 0) {
      ++count;
    }
    return count;
  }

 private:
  static FileDescriptor bound(const std::string& name) {
    FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const Address address(name);
    WEFT_ASSERT(::bind(socket.get(), address.get(), address.size) == 0);
    return socket;
  }
  void send(const UmadControl& control) {
    const auto bytes = control.emit();
    const Address to(server_name() + ":ctl");
    WEFT_ASSERT(::sendto(control_.get(), bytes.data(), bytes.size(), 0, to.get(), to.size) >= 0);
  }

  std::uint32_t process_;
  FileDescriptor control_;
  FileDescriptor in_;
  std::optional<std::uint32_t> client_;
  std::uint64_t asked_ = 0;
};

class UmadServerTest : public testing::Test {
 protected:
  /// Serves while `step` says so, at most a thousand times for each step that waits.
  UmadServer::Counts serve(const std::function<bool()>& step) {
    Result<UmadServer> server = UmadServer::open(server_name());
    WEFT_ASSERT(server.has_value());
    int steps = 0;
    const Result<UmadServer::Counts> counts =
        server->serve({.keep_going = [&] { return ++steps < 100'000 && step(); },
                       .console = console,
                       .on_line =
                           [&](std::string_view line) {
                             lines.emplace_back(line);
                             return line != "quit";
                           },
                       .note = [&](const std::string& note) { notes.push_back(note); }},
                      service, served);
    WEFT_ASSERT(counts.has_value());
    EXPECT_LT(steps, 100'000) << "no step ended it";
    return *counts;
  }

  subnet::Subnet subnet =
      *subnet::parse_topology({.text = "Hca 1 \"H1\"\n[1] \"S1\"[1]\n\nSwitch 3 \"S1\"\n\n", .name = "network"});
  subnet::ServedSubnet served{subnet};
  subnet::UmadService service{{.subnet = subnet, .anywhere = {.node = subnet::NodeIndex(0), .port = 1}}, served};
  int console = -1;
  std::vector<std::string> notes;
  std::vector<std::string> lines;
};

// What it does not read waits, then is dropped and counted; nothing is lost without a word.
TEST_F(UmadServerTest, CountsWhatAProgramDoesNotTake) {
  constexpr std::uint64_t kRequests = UmadServer::kMostWaiting + 1'000;
  Program program(1);
  enum class Phase { kBegin, kConnecting, kAsking, kReading } phase = Phase::kBegin;
  std::uint64_t read = 0;
  std::uint64_t idle = 0;
  const UmadServer::Counts counts = serve([&] {
    switch (phase) {
      case Phase::kBegin:
        program.connect("H1");
        phase = Phase::kConnecting;
        return true;
      case Phase::kConnecting:
        phase = program.answer() ? Phase::kAsking : phase;
        return true;
      case Phase::kAsking:
        while (program.asked() < kRequests && program.ask()) {
        }
        phase = program.asked() == kRequests && served.answered() == kRequests ? Phase::kReading : phase;
        return true;
      case Phase::kReading:
        const std::uint64_t more = program.read_all();
        read += more;
        idle = more == 0 ? idle + 1 : 0;
        return idle < 3;
    }
    return false;
  });
  EXPECT_EQ(counts.packets, kRequests);
  EXPECT_GT(counts.unwritten, 0U);
  EXPECT_GE(read, UmadServer::kMostWaiting);
  EXPECT_EQ(read + counts.unwritten, kRequests);
}

TEST_F(UmadServerTest, SaysThatAProgramHasEndedForWhichPacketsWaited) {
  std::optional<Program> program(1);
  bool asking = false;
  const UmadServer::Counts counts = serve([&] {
    if (!program) {
      return service.clients().size() == 1;
    }
    if (!asking) {
      program->connect("H1");
      asking = true;
    } else if (program->asked() == 0) {
      if (program->answer()) {
        program->ask();
      }
    } else if (served.answered() < 200) {
      while (program->asked() < 200 && program->ask()) {
      }
    } else {
      program.reset();
    }
    return true;
  });
  EXPECT_GT(counts.unwritten, 0U);
  EXPECT_THAT(notes, Contains(HasSubstr("client 0 has ended without a word; ")));
  EXPECT_THAT(notes, Contains(HasSubstr(" packets waited for it")));
}

// The process of a manager that has been killed is looked for before another one asks for its place.
TEST_F(UmadServerTest, LetsAManagerStartAgainAtOnce) {
  std::optional<Program> killed(1);
  Program again(2);
  std::vector<UmadControlType> answers;
  int step = 0;
  serve([&] {
    Program& program = killed ? *killed : again;
    if (step % 2 == 1) {
      if (const auto answer = program.answer()) {
        answers.push_back(*answer);
        ++step;
      }
      return true;
    }
    if (step == 4) {
      killed.reset();
      again.connect("H1");
    } else if (step == 0) {
      program.connect("H1");
    } else if (step < 8) {
      program.become_manager();
    }
    return ++step < 8;
  });
  EXPECT_EQ(answers, (std::vector{UmadControlType::kConnect, UmadControlType::kSetIsSm, UmadControlType::kConnect,
                                  UmadControlType::kSetIsSm}));
  EXPECT_EQ(service.clients().size(), 1U);
}

TEST_F(UmadServerTest, TakesALastLineWithoutALineFeed) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const FileDescriptor reading(ends[0]);
  {
    const FileDescriptor writing(ends[1]);
    ASSERT_EQ(::write(writing.get(), "help\nquit", 9), 9);
  }
  console = reading.get();
  int steps = 0;
  serve([&] { return ++steps < 100; });
  EXPECT_LT(steps, 100) << "quit ends it";
  EXPECT_EQ(lines, (std::vector<std::string>{"help", "quit"}));
}

}  // namespace
}  // namespace weft::live
