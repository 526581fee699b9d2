#include "wire/bfd.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {
namespace {

constexpr std::uint8_t kBfdFlagsKept = kBfdPoll | kBfdFinal | kBfdControlIndependent | kBfdDemand;
constexpr std::uint8_t kBfdAuthentication = 1 << 2;
constexpr std::uint8_t kBfdMultipoint = 1 << 0;

}  // namespace

//= rfc5880 6.8.6
Result<BfdControl> BfdControl::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("BFD control packet", {.needed = kSize, .found = bytes.size()});
  }
  const std::uint8_t first = load_u8(bytes, 0);
  if (const int version = first >> 5; version != kVersion) {
    return fail("BFD version is {}, must be {}", version, kVersion);
  }
  const std::uint8_t second = load_u8(bytes, 1);
  const std::uint8_t length = load_u8(bytes, 3);
  if (length < kSize || length > bytes.size()) {
    return fail("BFD length is {}, must be at least {} and at most the {} bytes that came", length, kSize,
                bytes.size());
  }
  if ((second & kBfdAuthentication) != 0) {
    return fail("BFD control packet has authentication, which is not used here");
  }
  if ((second & kBfdMultipoint) != 0) {
    return fail("BFD control packet has the multipoint bit, which must be 0");
  }
  BfdControl packet{.state = static_cast<BfdState>(second >> 6),
                    .diagnostic = static_cast<std::uint8_t>(first & 0x1FU),
                    .flags = static_cast<std::uint8_t>(second & kBfdFlagsKept),
                    .detect_multiplier = load_u8(bytes, 2),
                    .my_discriminator = load_be32(bytes, 4),
                    .your_discriminator = load_be32(bytes, 8),
                    .desired_min_tx = load_be32(bytes, 12),
                    .required_min_rx = load_be32(bytes, 16),
                    .required_min_echo_rx = load_be32(bytes, 20)};
  if (packet.detect_multiplier == 0) {
    return fail("BFD detection multiplier is 0, must be 1 or more");
  }
  if (packet.my_discriminator == 0) {
    return fail("BFD discriminator of the sender is 0, must not be");
  }
  if (packet.your_discriminator == 0 && (packet.state == BfdState::kInit || packet.state == BfdState::kUp)) {
    return fail("BFD control packet names no session of the receiver, which it may only in state down");
  }
  return packet;
}

void BfdControl::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, static_cast<std::uint8_t>(shifted<5>(kVersion) | (diagnostic & 0x1FU)));
  store_u8(out, 1, static_cast<std::uint8_t>(shifted<6>(static_cast<unsigned>(state)) | (flags & kBfdFlagsKept)));
  store_u8(out, 2, detect_multiplier);
  store_u8(out, 3, static_cast<std::uint8_t>(kSize));
  store_be32(out, 4, my_discriminator);
  store_be32(out, 8, your_discriminator);
  store_be32(out, 12, desired_min_tx);
  store_be32(out, 16, required_min_rx);
  store_be32(out, 20, required_min_echo_rx);
}

}  // namespace weft::wire
