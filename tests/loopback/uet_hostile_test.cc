// Datagrams of Ultra Ethernet that a peer, or somebody else, could make up: they are counted and touch no memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "tests/loopback/run_perf.h"

namespace weft::test {
namespace {

/// A connected endpoint whose peer is a bare socket that sends whatever it likes.
class UetHostile : public testing::Test {
 protected:
  static constexpr std::uint32_t kSize = 64;
  static constexpr std::uint32_t kPsn = 500;

  void connect(const std::optional<security::AesKey>& key) {
    Result<live::UdpSocket> socket = live::UdpSocket::open({.local = own_loopback(1)});
    ASSERT_TRUE(socket.has_value()) << socket.error().message;
    peer_.emplace(std::move(*socket));
    live::PerfPlan plan{.size = kSize, .transport = live::PerfTransport::kUet};
    live::PerfSideOptions side{.transport = live::PerfTransport::kUet, .udp_port = 0};
    side.key = key;
    Result<std::unique_ptr<live::PerfEndpoint>> opened =
        live::PerfEndpoint::open({.plan = plan, .side = side, .local = own_loopback(0), .path_mtu = 65'536});
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
                               .window = 65'536,
                               .tss_source = kIdentity.source,
                               .tss_epoch = kIdentity.epoch},
                              peer_->local_address())
                    .has_value());
    path_ = {.source = peer_->local_address(),
             .destination = own_loopback(0).with_port(static_cast<std::uint16_t>(parameters_.udp_port))};
    std::optional<live::TssSession> session;
    if (key)
      session = live::TssSession{.key = *key, .own = kIdentity, .counter = 1'000};
    form_.emplace(session);
    before_ = memory();
  }

  /// All of the victim's memory.
  [[nodiscard]] std::vector<std::byte> memory() {
    const std::span<std::byte> first = victim_->outgoing(kSize, 0);
    return {first.data(), first.data() + parameters_.length};
  }

  /// A WRITE of one packet that opens a context, in every respect what the victim expects.
  [[nodiscard]] live::DatagramBuffer& good_write() {
    wire::Packet& packet = buffer_.packet;
    packet = wire::Packet{};
    packet.common.kind = wire::PacketKind::kUet;
    packet.common.encapsulation = wire::Encapsulation::kUetUdpIpv4;
    packet.common.payload_bytes = kSize;
    packet.uet = wire::UetHeader{};
    packet.uet.type = wire::UetType::kRudRequest;
    packet.uet.flags = wire::kUetSyn | wire::kUetAckRequest;
    packet.uet.psn = 70'000;
    packet.uet.source_pdc = 5;
    packet.uet.request = {.buffer_offset = parameters_.address,
                          .memory_key = parameters_.rkey,
                          .message_id = kPsn,
                          .operation = static_cast<std::uint8_t>(wire::UetOperation::kWrite),
                          .ses_flags = wire::kUetStartOfMessage | wire::kUetEndOfMessage};
    packet.uet.set_target(wire::UetNextHeader::kRequestMedium, parameters_.qpn);
    std::ranges::fill(buffer_.payload_room().first(kSize), std::byte{0xA5});
    return buffer_;
  }

  [[nodiscard]] std::vector<std::byte> sealed() {
    live::SegmentRuns runs(1);
    const std::span<const std::byte> bytes = form_->seal(buffer_, path_, runs).bytes;
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

  static security::AesKey key() {
    security::AesKey key{};
    key.fill(std::byte{7});
    return key;
  }
  static constexpr live::TssIdentity kIdentity{.source = 0xABCD, .epoch = 9};

  std::optional<live::UdpSocket> peer_;
  std::unique_ptr<live::PerfEndpoint> victim_;
  std::optional<live::UetForm> form_;
  live::PeerParameters parameters_{};
  live::DatagramPath path_{};
  live::DatagramBuffer buffer_{};
  std::vector<std::byte> before_;
};

TEST_F(UetHostile, AGoodWriteDoesTouchMemory) {
  for (const bool encrypted : {false, true}) {
    connect(encrypted ? std::optional(key()) : std::nullopt);
    (void)good_write();
    deliver(sealed());
    EXPECT_NE(memory(), before_) << encrypted;
    EXPECT_EQ(victim_->counters().rejected(), 0U);
  }
}

TEST_F(UetHostile, RandomBytesAreCountedAndChangeNothing) {
  for (const bool encrypted : {false, true}) {
    connect(encrypted ? std::optional(key()) : std::nullopt);
    RandomStream random(7, "hostile bytes");
    constexpr std::uint64_t kCount = 2'000;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      std::vector<std::byte> bytes(1 + random.uniform(300));
      for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(random.next() & 0xFFU);
      deliver(bytes);
    }
    EXPECT_EQ(memory(), before_);
    EXPECT_EQ(victim_->counters().rejected(), kCount);
  }
}

TEST_F(UetHostile, ADamagedPacketIsRejectedByItsCheckValue) {
  for (const bool encrypted : {false, true}) {
    connect(encrypted ? std::optional(key()) : std::nullopt);
    (void)good_write();
    const std::vector<std::byte> good = sealed();
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::vector<std::byte> bad = good;
      bad[at] ^= std::byte{0x10};
      deliver(bad);
    }
    EXPECT_EQ(memory(), before_);
    EXPECT_EQ(victim_->counters().rejected(), good.size());
    EXPECT_EQ(victim_->counters().driver.received, 0U);
  }
}

TEST_F(UetHostile, RandomHeadersWithARightCrcTouchNothingWithoutTheKey) {
  connect(std::nullopt);
  RandomStream random(8, "hostile headers");
  for (int i = 0; i < 3'000; ++i) {
    wire::UetHeader& header = good_write().packet.uet;
    header.request.memory_key ^= 1U << random.uniform(32);
    header.psn = static_cast<std::uint32_t>(random.next());
    header.source_pdc = static_cast<std::uint16_t>(random.uniform(6));
    header.request.message_id = static_cast<std::uint16_t>(kPsn + random.uniform(4));
    header.request.buffer_offset += random.uniform(2 * parameters_.length);
    header.request.ses_flags = static_cast<std::uint8_t>(random.uniform(64) & ~std::uint64_t{wire::kUetHeaderData});
    if (random.uniform(2) == 0) {
      header.flags = 0;
      header.destination_pdc = static_cast<std::uint16_t>(random.uniform(6));
    }
    deliver(sealed());
  }
  EXPECT_EQ(memory(), before_);
  EXPECT_GT(victim_->counters().driver.received, 0U);
}

TEST_F(UetHostile, AStrangerIsIgnoredEvenIfEverythingElseIsRight) {
  connect(std::nullopt);
  Result<live::UdpSocket> stranger = live::UdpSocket::open({.local = own_loopback(2)});
  ASSERT_TRUE(stranger.has_value());
  (void)good_write();
  path_.source = stranger->local_address();
  deliver(sealed(), *stranger);
  EXPECT_EQ(memory(), before_);
  EXPECT_EQ(victim_->counters().driver.unknown_peer, 1U);
}

TEST_F(UetHostile, WithAKeyNothingPlainAndNothingTwiceIsAccepted) {
  connect(key());
  form_.emplace(std::nullopt);
  (void)good_write();
  deliver(sealed());
  EXPECT_EQ(memory(), before_);
  EXPECT_EQ(victim_->counters().driver.malformed, 1U);
  // Under the key, but of another session.
  form_.emplace(live::TssSession{.key = key(), .own = {.source = 0xABCE, .epoch = 9}, .counter = 1'000});
  deliver(sealed());
  form_.emplace(live::TssSession{.key = key(), .own = {.source = 0xABCD, .epoch = 8}, .counter = 1'000});
  deliver(sealed());
  EXPECT_EQ(victim_->counters().driver.wrong_icrc, 2U);
  EXPECT_EQ(memory(), before_);
  form_.emplace(live::TssSession{.key = key(), .own = kIdentity, .counter = 1'000});
  const std::vector<std::byte> good = sealed();
  deliver(good);
  EXPECT_NE(memory(), before_);
  deliver(good);
  EXPECT_EQ(victim_->counters().driver.replayed, 1U);
  EXPECT_EQ(victim_->counters().driver.received, 1U);
}

TEST_F(UetHostile, WithoutAKeyWhatIsEncryptedIsNotRead) {
  connect(std::nullopt);
  form_.emplace(live::TssSession{.key = key(), .own = kIdentity, .counter = 1});
  (void)good_write();
  deliver(sealed());
  EXPECT_EQ(memory(), before_);
  EXPECT_EQ(victim_->counters().driver.malformed, 1U);
}

}  // namespace
}  // namespace weft::test
