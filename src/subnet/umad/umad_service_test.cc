#include "subnet/umad/umad_service.h"

#include <gtest/gtest.h>

#include <cstring>

#include "subnet/agent/test_subnet.h"
#include "wire/performance_attributes.h"

namespace weft::subnet {
namespace {

class UmadServiceTest : public testing::Test, public TestSubnet {
 protected:
  UmadService service{{.subnet = subnet, .anywhere = kH1}, served};

  UmadService::ControlOutcome tell(const UmadControl& control) { return *service.on_control(control.emit()); }
  UmadService::ControlOutcome connect(const std::string& node) {
    UmadControl control{.type = UmadControlType::kConnect};
    UmadConnect{.id = 4711, .node = node}.emit(control);
    return tell(control);
  }
  UmadClientId attach(const std::string& node) {
    const auto outcome = connect(node);
    WEFT_ASSERT(outcome.attached.has_value());
    return *outcome.attached;
  }
  UmadService::ControlOutcome ask_control(UmadClientId client, UmadControlType type, std::uint8_t first = 0) {
    UmadControl control{.client = client, .type = type};
    control.data[0] = std::byte{first};
    return tell(control);
  }

  void send_as(UmadClientId client, Lid to, const wire::MadHeader& header) {
    UmadPacket packet{.packet = {.destination = to, .source_qp = kGeneralQp, .destination_qp = kGeneralQp}};
    header.emit(packet.packet.mad);
    ASSERT_TRUE(service.on_packet(client, packet.emit(), now));
  }
  /// Who gets the next MAD, and which transaction it has.
  std::optional<std::pair<UmadClientId, std::uint64_t>> next(std::uint32_t status = 0) {
    const auto output = service.poll_output();
    if (!output) {
      return std::nullopt;
    }
    const UmadPacket packet = *UmadPacket::parse(output->bytes);
    EXPECT_EQ(packet.status, status);
    return std::pair(output->to, wire::MadHeader::parse(packet.packet.mad)->transaction_id);
  }
  /// The same of a request that its client gets back.
  std::optional<std::pair<UmadClientId, std::uint64_t>> next_returned() { return next(UmadPacket::kTimedOut); }
  /// Two managers that know each other, at H1 and at H2.
  std::pair<UmadClientId, UmadClientId> attach_managers() {
    const std::pair managers(attach("H1"), attach("H2"));
    for (const UmadClientId manager : {managers.first, managers.second}) {
      EXPECT_TRUE(ask_control(manager, UmadControlType::kSetIsSm, 1).problem.empty());
    }
    return managers;
  }
  static constexpr std::uint8_t kVendorClass = 0x32;
};

using Found = std::optional<std::pair<UmadClientId, std::uint64_t>>;

TEST(UmadMessage, HasTheLayoutOfIbsim) {
  MadPacket packet{.source = 0x0102, .destination = 0x0304, .source_qp = 1, .destination_qp = 0x10, .length = 256};
  packet.mad[0] = std::byte{0xAA};
  const auto bytes = UmadPacket{.packet = packet}.emit();
  const auto native = [&](std::size_t at) {
    std::uint32_t number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
  };
  std::uint16_t lid = 0;  // in network order, as the lower half of a number of the machine
  std::memcpy(&lid, "\x03\x04", 2);
  EXPECT_EQ(native(0), lid);
  EXPECT_EQ(bytes[11], std::byte{0x10});
  EXPECT_EQ(bytes[30], std::byte{1});  // 256
  EXPECT_EQ(bytes[32], std::byte{0xAA});
  EXPECT_EQ(UmadPacket::parse(bytes)->packet, packet);
  const auto returned = UmadPacket{.packet = packet, .status = UmadPacket::kTimedOut}.emit();
  EXPECT_EQ(returned[16], std::byte{0});
  EXPECT_EQ(returned[19], std::byte{110});
  EXPECT_EQ(UmadPacket::parse(returned), (UmadPacket{.packet = packet, .status = 110}));
}

TEST(UmadMessage, IsRefusedWithWhatWouldBeRight) {
  auto bytes = UmadControl{.type = UmadControlType::kGetPort}.emit();
  EXPECT_TRUE(UmadControl::parse(bytes));
  EXPECT_EQ(UmadControl::parse(std::span(bytes).first(79)).error().message,
            "control message of 79 bytes, must be 80; is the program's libumad2sim that of ibsim 0.10?");
  bytes[8] = std::byte{11};
  EXPECT_EQ(UmadControl::parse(bytes).error().message, "control message of type 11, known are 1 (connect) to 10");
  bytes[0] = std::byte{0};
  EXPECT_EQ(UmadControl::parse(bytes).error().message, "control message begins with 0xdeadbe00, must be 0xdeadbeef");
  EXPECT_EQ(UmadPacket::parse(bytes).error().message, "packet of 80 bytes, must be 288");
  auto packet = UmadPacket{}.emit();
  packet[31] = std::byte{1};
  EXPECT_EQ(UmadPacket::parse(packet).error().message, "MAD of 257 bytes, at most 256");
}

TEST_F(UmadServiceTest, AttachesByNameAndRefusesOthers) {
  EXPECT_EQ(attach("H2"), 0U);
  EXPECT_EQ(attach(""), 1U);
  EXPECT_EQ(attach("S1"), 2U);
  EXPECT_EQ(service.clients().at(0).at, kH2);
  EXPECT_EQ(service.clients().at(1).at, kH1);
  EXPECT_EQ(service.clients().at(2).at, (PortPlace{.node = kS1, .port = 0}));
  const auto wrong = connect("H3");
  EXPECT_FALSE(wrong.attached);
  EXPECT_EQ(wrong.reply.type, UmadControlType::kError);
  EXPECT_NE(wrong.problem.find("H3"), std::string::npos);
  EXPECT_EQ(ask_control(0, UmadControlType::kDisconnect).detached, 0U);
  EXPECT_EQ(ask_control(0, UmadControlType::kGetPort).problem, "client 0 is not attached");
  EXPECT_EQ(attach("H1"), 0U) << "the first number that is free";
}

TEST_F(UmadServiceTest, HasAnEndOfClients) {
  for (std::size_t i = 0; i < UmadService::kMostClients; ++i) {
    attach("H1");
  }
  EXPECT_EQ(connect("H1").problem, "128 programs are attached, which is the most");
}

TEST_F(UmadServiceTest, TellsAProgramOfItsPort) {
  bring_up();
  const UmadClientId client = attach("H2");
  const auto node = ask_control(client, UmadControlType::kGetNodeInfo).reply;
  EXPECT_EQ(wire::NodeInfo::parse(node.data)->port_guid, subnet.port(kH2).guid.value);
  EXPECT_EQ(wire::NodeInfo::parse(node.data)->local_port, 1);
  const auto port = ask_control(client, UmadControlType::kGetPortInfo).reply;
  EXPECT_EQ(wire::PortInfo::parse(port.data)->lid, kLids[1]);
  EXPECT_EQ(wire::load_be16(ask_control(client, UmadControlType::kGetPKeys).reply.data, 0), 0xFFFF);
  EXPECT_EQ(wire::load_be64(ask_control(client, UmadControlType::kGetGid).reply.data, 8), subnet.port(kH2).guid.value);
}

TEST_F(UmadServiceTest, GivesAnAnswerToTheClientThatAsked) {
  bring_up();
  attach("H1");
  const UmadClientId asking = attach("H1");
  send_as(asking, kLids[1],
          {.management_class = wire::kClassPerformance,
           .method = wire::kMethodGet,
           .transaction_id = 99,
           .attribute_id = wire::kAttributeClassPortInfo});
  EXPECT_EQ(next(), Found(std::pair(asking, 99U)));
  EXPECT_EQ(next(), std::nullopt);
}

TEST_F(UmadServiceTest, GivesRequestsOfOtherClassesToProgramsThatListen) {
  bring_up();
  const UmadClientId asking = attach("H1");
  const UmadClientId listening = attach("H2");
  const UmadClientId busy = attach("H2");
  const wire::MadHeader ping{.management_class = kVendorClass, .method = wire::kMethodGet, .transaction_id = 5};
  send_as(busy, kLids[0], {.management_class = wire::kClassPerformance, .method = wire::kMethodGet});
  EXPECT_EQ(next(), Found(std::pair(busy, 0U)));
  send_as(asking, kLids[1], ping);
  EXPECT_EQ(next(), Found(std::pair(listening, 5U)));
  EXPECT_EQ(next(), std::nullopt);
  wire::MadHeader answer = ping;
  answer.method = wire::kMethodGetResponse;
  send_as(listening, kLids[0], answer);
  EXPECT_EQ(next(), Found(std::pair(asking, 5U)));
  EXPECT_EQ(service.unclaimed(), 0U);
  send_as(listening, kLids[0], answer);  // a second time: the same client
  send_as(asking, kLids[2], ping);       // nobody at S1
  EXPECT_EQ(next(), Found(std::pair(asking, 5U)));
  EXPECT_EQ(next_returned(), Found(std::pair(asking, 5U)));
  EXPECT_EQ(next(), std::nullopt);
  EXPECT_EQ(service.unclaimed(), 1U);
}

// libumad2sim fails in a program that has no agent for the class of what it gets.
TEST_F(UmadServiceTest, GivesNobodyRequestsOfAClassThatItMayNotTake) {
  bring_up();
  const UmadClientId manager = attach("H2");
  const UmadClientId asking = attach("H1");
  EXPECT_TRUE(ask_control(manager, UmadControlType::kSetIsSm, 1).problem.empty());
  const wire::MadHeader ping{.management_class = kVendorClass, .method = wire::kMethodGet, .transaction_id = 5};
  send_as(asking, kLids[1], ping);
  EXPECT_EQ(next_returned(), Found(std::pair(asking, 5U))) << "no program listens, and the manager does not";
  const UmadClientId listening = attach("H2");
  constexpr std::uint8_t kOtherVendorClass = 0x0A;
  send_as(asking, kLids[1], {.management_class = kOtherVendorClass, .method = wire::kMethodGet, .transaction_id = 6});
  EXPECT_EQ(next_returned(), Found(std::pair(asking, 6U)));
  EXPECT_EQ(service.unclaimed(), 2U);
  send_as(asking, kLids[1], ping);
  EXPECT_EQ(next(), Found(std::pair(listening, 5U)));
}

TEST_F(UmadServiceTest, GivesAdministrationToTheOneManagerOfAPort) {
  bring_up();
  const UmadClientId manager = attach("H2");
  const UmadClientId other = attach("H2");
  const UmadClientId asking = attach("H1");
  EXPECT_TRUE(ask_control(manager, UmadControlType::kSetIsSm, 1).problem.empty());
  EXPECT_EQ(ask_control(other, UmadControlType::kSetIsSm, 1).problem, "a subnet manager is at H2 port 1 already");
  const wire::MadHeader query{
      .management_class = wire::kClassSubnetAdministration, .method = wire::kMethodGet, .transaction_id = 8};
  send_as(asking, kLids[1], query);
  EXPECT_EQ(next(), Found(std::pair(manager, 8U)));
  EXPECT_NE(served.port(kH2).info.capability_mask & wire::kIsSm, 0U);
  service.detach(manager);
  EXPECT_EQ(next_returned(), Found(std::pair(asking, 8U))) << "the manager has left with it";
  EXPECT_EQ(served.port(kH2).info.capability_mask & wire::kIsSm, 0U);
  send_as(asking, kLids[1], query);
  EXPECT_EQ(next_returned(), Found(std::pair(asking, 8U)));
  EXPECT_EQ(next(), std::nullopt);
}

/// The defect: the agent of the port took it, so the manager waited for ever for the answer to its trap, and never
/// ended its sweep.
TEST_F(UmadServiceTest, GivesATrapRepressToTheManagerThatSentTheTrap) {
  bring_up();
  const auto [standby, master] = attach_managers();
  wire::MadHeader trap{.management_class = wire::kClassSubnetLidRouted,
                       .method = wire::kMethodTrap,
                       .transaction_id = 0x133b,
                       .attribute_id = wire::kAttributeNotice};
  send_as(standby, kLids[1], trap);
  EXPECT_EQ(next(), Found(std::pair(master, 0x133bU)));
  trap.method = wire::kMethodTrapRepress;
  send_as(master, kLids[0], trap);
  EXPECT_EQ(next(), Found(std::pair(standby, 0x133bU)));
  EXPECT_EQ(next(), std::nullopt);
  EXPECT_EQ(service.unclaimed(), 0U);
  EXPECT_TRUE(service.next_timeout().is_never()) << "the trap has its answer";
}

/// The defect: a standby waited for ever for the last answer of a master that had been killed, and never took over.
TEST_F(UmadServiceTest, GivesBackWhatAManagerHasNotAnsweredWhenItIsGone) {
  bring_up();
  const auto [standby, master] = attach_managers();
  const wire::MadHeader poll{.management_class = wire::kClassSubnetLidRouted,
                             .method = wire::kMethodGet,
                             .transaction_id = 7,
                             .attribute_id = wire::kAttributeSmInfo};
  send_as(standby, kLids[1], poll);
  service.detach(master);  // before it has taken the request: what waits for it is nobody's
  EXPECT_EQ(next_returned(), Found(std::pair(standby, 7U)));
  EXPECT_EQ(next(), std::nullopt);
  const UmadClientId other = attach("S1");
  EXPECT_EQ(other, master) << "the same number";
  EXPECT_EQ(next(), std::nullopt);
}

TEST_F(UmadServiceTest, GivesBackWhatAManagerDoesNotAnswerInTime) {
  bring_up();
  const auto [standby, master] = attach_managers();
  wire::MadHeader poll{.management_class = wire::kClassSubnetLidRouted,
                       .method = wire::kMethodGet,
                       .attribute_id = wire::kAttributeSmInfo};
  for (poll.transaction_id = 1; poll.transaction_id <= 2; ++poll.transaction_id) {
    send_as(standby, kLids[1], poll);
    EXPECT_EQ(next(), Found(std::pair(master, poll.transaction_id)));
  }
  poll.method = wire::kMethodGetResponse;
  poll.transaction_id = 1;
  send_as(master, kLids[0], poll);
  EXPECT_EQ(next(), Found(std::pair(standby, 1U)));
  ASSERT_EQ(service.next_timeout(), now + OpenRequests::kManagementTime);
  service.on_timeout(service.next_timeout() - Duration::picoseconds(1));
  EXPECT_EQ(next(), std::nullopt);
  service.on_timeout(service.next_timeout());
  EXPECT_EQ(next_returned(), Found(std::pair(standby, 2U)));
  EXPECT_EQ(next(), std::nullopt);
  EXPECT_TRUE(service.next_timeout().is_never());
  EXPECT_EQ(service.returned(), 1U);
}

TEST_F(UmadServiceTest, GivesBackARequestThatIsLostAsItWasSent) {
  bring_up();
  const UmadClientId asking = attach("H1");
  constexpr Lid kNobodys = 60;
  UmadPacket sent{.packet = {.destination = kNobodys, .source_qp = kGeneralQp, .destination_qp = kGeneralQp}};
  wire::MadHeader{.management_class = wire::kClassPerformance, .method = wire::kMethodGet, .transaction_id = 9}.emit(
      sent.packet.mad);
  ASSERT_TRUE(service.on_packet(asking, sent.emit(), now));
  const auto output = service.poll_output();
  ASSERT_TRUE(output);
  EXPECT_EQ(output->to, asking);
  sent.status = UmadPacket::kTimedOut;
  EXPECT_EQ(UmadPacket::parse(output->bytes), sent);
}

/// What the sender does not expect an answer to.
TEST_F(UmadServiceTest, KeepsLostAnswersAndDatagrams) {
  bring_up();
  const UmadClientId asking = attach("H1");
  constexpr Lid kNobodys = 60;
  for (const std::uint8_t method : {wire::kMethodGetResponse, wire::kMethodTrapRepress, wire::kMethodSend}) {
    send_as(asking, kNobodys, {.management_class = kVendorClass, .method = method});
    EXPECT_EQ(next(), std::nullopt) << int{method};
  }
  EXPECT_EQ(served.lost().no_route, 3U);
}

}  // namespace
}  // namespace weft::subnet
