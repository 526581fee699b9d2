// Datagrams that a peer, or somebody else, could make up: they are counted and touch no memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "tests/loopback/run_perf.h"
#include "wire/opcode.h"

namespace weft::test {
namespace {

/// A connected endpoint whose peer is a bare socket that sends whatever it likes.
class HostileDatagrams : public testing::Test {
 protected:
  static constexpr std::uint32_t kPsn = 500;
  static constexpr std::uint32_t kSize = 64;

  void SetUp() override {
    Result<live::UdpSocket> socket = live::UdpSocket::open({.local = own_loopback(1)});
    ASSERT_TRUE(socket.has_value()) << socket.error().message;
    peer_.emplace(std::move(*socket));
    Result<std::unique_ptr<live::PerfEndpoint>> opened = live::PerfEndpoint::open(
        {.plan = {.size = kSize}, .side = {.udp_port = 0}, .local = own_loopback(0), .path_mtu = 65'536});
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    victim_ = std::move(*opened);
    parameters_ = victim_->parameters();
    ASSERT_TRUE(victim_
                    ->connect({.qpn = 0x77,
                               .psn = kPsn,
                               .mtu = 1024,
                               .rkey = 1,
                               .address = 0,
                               .length = 1 << 24,
                               .udp_port = peer_->local_address().port(),
                               .window = 65'536},
                              peer_->local_address())
                    .has_value());
    path_ = {.source = peer_->local_address(),
             .destination = own_loopback(0).with_port(static_cast<std::uint16_t>(parameters_.udp_port))};
    before_ = memory();
  }

  /// All of the victim's memory.
  [[nodiscard]] std::vector<std::byte> memory() {
    const std::span<std::byte> first = victim_->outgoing(kSize, 0);
    return {first.data(), first.data() + parameters_.length};
  }

  /// A WRITE of one packet, in every respect what the victim expects.
  [[nodiscard]] live::DatagramBuffer& good_write() {
    wire::Packet& packet = buffer_.packet;
    packet = wire::Packet{};
    packet.common.payload_bytes = kSize;
    packet.ib.opcode = wire::make_opcode(wire::Service::kRc, wire::Operation::kWriteOnly);
    packet.ib.psn = Psn(kPsn);
    packet.ib.destination_qp = parameters_.qpn;
    packet.ib.reth = {.virtual_address = parameters_.address, .remote_key = parameters_.rkey, .dma_length = kSize};
    std::ranges::fill(buffer_.payload_room().first(kSize), std::byte{0xA5});
    return buffer_;
  }

  [[nodiscard]] std::vector<std::byte> sealed(std::uint16_t identification) {
    const std::span<const std::byte> bytes =
        live::seal(buffer_, {.path = path_, .identification = identification}).bytes;
    return {bytes.begin(), bytes.end()};
  }

  void deliver(std::span<const std::byte> bytes, live::UdpSocket& from) {
    const live::OutgoingDatagram datagram{.to = &path_.destination, .bytes = bytes};
    ASSERT_EQ(from.send({&datagram, 1}, Time::zero()), 1U);
    // Loopback delivers before send returns.
    while (victim_->driver().receive()) {
    }
    (void)victim_->driver().transmit();
  }
  void deliver(std::span<const std::byte> bytes) { deliver(bytes, *peer_); }

  std::optional<live::UdpSocket> peer_;
  std::unique_ptr<live::PerfEndpoint> victim_;
  live::PeerParameters parameters_{};
  live::DatagramPath path_{};
  live::DatagramBuffer buffer_{};
  std::vector<std::byte> before_;
};

TEST_F(HostileDatagrams, AGoodWriteDoesTouchMemory) {
  (void)good_write();
  deliver(sealed(0));
  EXPECT_NE(memory(), before_);
  EXPECT_EQ(victim_->counters().rejected(), 0U);
}

TEST_F(HostileDatagrams, AGoodWriteMayHaveAnyIdentification) {
  (void)good_write();
  deliver(sealed(0xBEEF));
  EXPECT_NE(memory(), before_);
}

TEST_F(HostileDatagrams, RandomBytesAreCountedAndChangeNothing) {
  RandomStream random(7, "hostile bytes");
  constexpr std::uint64_t kCount = 3'000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    std::vector<std::byte> bytes(1 + random.uniform(300));
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>(random.next() & 0xFFU);
    deliver(bytes);
  }
  EXPECT_EQ(memory(), before_);
  EXPECT_EQ(victim_->counters().rejected(), kCount);
}

TEST_F(HostileDatagrams, ADamagedPacketIsRejectedByItsIcrc) {
  (void)good_write();
  const std::vector<std::byte> good = sealed(0);
  std::uint64_t delivered = 0;
  // The byte with FECN and BECN is not covered; the pad count and opcode may make a packet malformed instead.
  for (std::size_t at = 28; at < good.size(); at += 5) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte{0x10};
    deliver(bad);
    ++delivered;
  }
  EXPECT_EQ(memory(), before_);
  EXPECT_EQ(victim_->counters().driver.wrong_icrc, delivered);
}

TEST_F(HostileDatagrams, AForgedKeyIsRefused) {
  good_write().packet.ib.reth.remote_key ^= 1;
  deliver(sealed(0));
  EXPECT_EQ(memory(), before_);
  EXPECT_EQ(victim_->counters().rc.bad_requests, 1U);
}

TEST_F(HostileDatagrams, AForgedPsnIsRefused) {
  for (const std::uint32_t psn : {kPsn + 1, kPsn + 5'000, kPsn - 1, kPsn - 400, kPsn + 0x80'0000}) {
    good_write().packet.ib.psn = Psn(psn);
    deliver(sealed(0));
  }
  EXPECT_EQ(memory(), before_);
  // The connection has not suffered.
  (void)good_write();
  deliver(sealed(0));
  EXPECT_NE(memory(), before_);
}

TEST_F(HostileDatagrams, AStrangerIsIgnoredEvenIfEverythingElseIsRight) {
  Result<live::UdpSocket> unknown_peer = live::UdpSocket::open({.local = own_loopback(2)});
  ASSERT_TRUE(unknown_peer.has_value());
  (void)good_write();
  path_.source = unknown_peer->local_address();
  deliver(sealed(0), *unknown_peer);
  EXPECT_EQ(memory(), before_);
  EXPECT_EQ(victim_->counters().driver.unknown_peer, 1U);
}

TEST_F(HostileDatagrams, ThePeersPacketIsKnownWhateverItsSourcePort) {
  const live::SocketAddress host = own_loopback(1);
  for (const std::uint16_t port : {std::uint16_t{0}, std::uint16_t{0xC123}, std::uint16_t{0xFFFE}}) {
    Result<live::UdpSocket> socket = live::UdpSocket::open({.local = host.with_port(port)});
    if (!socket)
      continue;  // somebody has it
    (void)good_write();
    path_.source = socket->local_address();
    deliver(sealed(0), *socket);
    EXPECT_EQ(victim_->counters().driver.unknown_peer, 0U) << port;
    EXPECT_EQ(victim_->counters().driver.wrong_icrc, 0U) << port;
  }
  EXPECT_NE(memory(), before_);
  EXPECT_EQ(victim_->counters().rejected(), 0U);
}

TEST_F(HostileDatagrams, AnotherQueuePairsPacketIsCounted) {
  good_write().packet.ib.destination_qp ^= 1;
  deliver(sealed(0));
  EXPECT_EQ(memory(), before_);
  EXPECT_EQ(victim_->counters().unknown_qp, 1U);
}

}  // namespace
}  // namespace weft::test
