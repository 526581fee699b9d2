#include "live/ipv4_identification.h"

#include <gtest/gtest.h>

#include <vector>

#include "wire/frame.h"

namespace weft::live {
namespace {

/// The ICRC of a packet with so much payload and that identification.
std::uint32_t icrc_of(std::span<const std::byte> payload, std::uint16_t identification) {
  wire::RdmaFrame frame;
  frame.ipv4 = wire::Ipv4Header{.identification = identification, .dont_fragment = true};
  frame.udp = wire::UdpHeader{};
  frame.bth.opcode = 0x04;
  frame.payload = payload;
  wire::seal_frame(frame);
  return frame.icrc;
}

std::size_t packet_bytes(std::size_t payload) { return 20 + 8 + 12 + (payload + 3) / 4 * 4 + 4; }

TEST(Ipv4Identification, IsSolvedForAtEveryLength) {
  Ipv4IdentificationSolver solver;
  const std::vector<std::byte> payload(4'096, std::byte{0x5A});
  for (std::size_t size = 0; size <= payload.size(); size += size < 64 ? 4 : 252) {
    const auto message = std::span(payload).first(size);
    for (const int value : {0, 1, 2, 63, 255, 256, 0x1234, 0xFFFF}) {
      const auto identification = static_cast<std::uint16_t>(value);
      const std::uint32_t difference = icrc_of(message, identification) ^ icrc_of(message, 0);
      EXPECT_EQ(solver.solve({.icrc_difference = difference, .packet_bytes = packet_bytes(size)}), identification);
    }
  }
}

TEST(Ipv4Identification, EachHasADifferenceOfItsOwn) {
  Ipv4IdentificationSolver solver;
  const std::vector<std::byte> payload(16);
  const std::uint32_t zero = icrc_of(payload, 0);
  for (std::uint32_t identification = 0; identification <= 0xFFFF; ++identification) {
    const std::uint32_t difference = icrc_of(payload, static_cast<std::uint16_t>(identification)) ^ zero;
    ASSERT_EQ(solver.solve({.icrc_difference = difference, .packet_bytes = packet_bytes(16)}), identification);
  }
}

TEST(Ipv4Identification, DoesNotExplainOneDamagedBit) {
  Ipv4IdentificationSolver solver;
  std::vector<std::byte> payload(64);
  const std::uint32_t good = icrc_of(payload, 0);
  for (std::size_t bit = 0; bit < payload.size() * 8; ++bit) {
    payload[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_FALSE(solver.solve({.icrc_difference = icrc_of(payload, 0) ^ good, .packet_bytes = packet_bytes(64)}));
    payload[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
}

TEST(Ipv4Identification, RefusesLengthsThatNoPacketHas) {
  Ipv4IdentificationSolver solver;
  EXPECT_FALSE(solver.solve({.icrc_difference = 1, .packet_bytes = 9}));
  EXPECT_FALSE(solver.solve({.icrc_difference = 1, .packet_bytes = Ipv4IdentificationSolver::kMaxPacket + 1}));
}

}  // namespace
}  // namespace weft::live
