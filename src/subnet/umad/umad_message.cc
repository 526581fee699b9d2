#include "subnet/umad/umad_message.h"

#include <algorithm>
#include <cstring>

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::subnet {
namespace {

constexpr std::size_t kNodeNameAt = 12;
constexpr std::size_t kNodeNameSize = 32;
constexpr std::size_t kStatusAt = 16;
constexpr std::size_t kMadAt = 32;

/// A number of this machine.
template <class Number>
Number load(std::span<const std::byte> bytes, std::size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

template <class Number>
void store(std::span<std::byte> bytes, std::size_t offset, Number number) {
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

/// What the machine reads of these bytes, in network order: a LID in the lower half of its 32 bits.
Lid load_lid(std::span<const std::byte> bytes, std::size_t offset) {
  const auto held = static_cast<std::uint16_t>(load<std::uint32_t>(bytes, offset));
  std::array<std::byte, 2> network{};
  store(network, 0, held);
  return wire::load_be16(network, 0);
}

void store_lid(std::span<std::byte> bytes, std::size_t offset, Lid lid) {
  std::array<std::byte, 2> network{};
  wire::store_be16(network, 0, lid);
  store(bytes, offset, std::uint32_t{load<std::uint16_t>(network, 0)});
}

}  // namespace

Result<UmadControl> UmadControl::parse(std::span<const std::byte> bytes) {
  if (bytes.size() != kSize) {
    return fail("control message of {} bytes, must be {}; is the program's libumad2sim that of ibsim 0.10?",
                bytes.size(), kSize);
  }
  if (const auto magic = load<std::uint32_t>(bytes, 0); magic != kMagic) {
    return fail("control message begins with {:#x}, must be {:#x}", magic, kMagic);
  }
  const auto type = load<std::uint32_t>(bytes, 8);
  if (type == 0 || type > static_cast<std::uint32_t>(UmadControlType::kGetPKeys)) {
    return fail("control message of type {}, known are 1 (connect) to {}", type,
                static_cast<std::uint32_t>(UmadControlType::kGetPKeys));
  }
  UmadControl control{.client = load<std::uint32_t>(bytes, 4),
                      .type = static_cast<UmadControlType>(type),
                      .length = load<std::uint32_t>(bytes, 12)};
  std::ranges::copy(bytes.subspan(16), control.data.begin());
  return control;
}

std::array<std::byte, UmadControl::kSize> UmadControl::emit() const {
  std::array<std::byte, kSize> bytes{};
  store(bytes, 0, kMagic);
  store(bytes, 4, client);
  store(bytes, 8, static_cast<std::uint32_t>(type));
  store(bytes, 12, length);
  std::ranges::copy(data, bytes.begin() + 16);
  return bytes;
}

UmadConnect UmadConnect::parse(const UmadControl& control) {
  UmadConnect connect{.id = load<std::uint32_t>(control.data, 0),
                      .qp = load<std::uint32_t>(control.data, 4),
                      .is_sm = load<std::uint32_t>(control.data, 8)};
  for (std::size_t i = 0; i < kNodeNameSize - 1 && control.data[kNodeNameAt + i] != std::byte{0}; ++i) {
    connect.node += std::to_integer<char>(control.data[kNodeNameAt + i]);
  }
  return connect;
}

void UmadConnect::emit(UmadControl& control) const {
  control.data = {};
  store(control.data, 0, id);
  store(control.data, 4, qp);
  store(control.data, 8, is_sm);
  const std::size_t length = std::min(node.size(), kNodeNameSize - 1);
  std::ranges::copy(std::as_bytes(std::span(node.data(), length)), control.data.begin() + kNodeNameAt);
}

Result<UmadPacket> UmadPacket::parse(std::span<const std::byte> bytes) {
  if (bytes.size() != kSize) {
    return fail("packet of {} bytes, must be {}", bytes.size(), kSize);
  }
  const std::uint64_t length = wire::load_be64(bytes, 24);
  if (length > wire::kMadSize) {
    return fail("MAD of {} bytes, at most {}", length, wire::kMadSize);
  }
  UmadPacket made{.packet = {.source = load_lid(bytes, 4),
                             .destination = load_lid(bytes, 0),
                             .source_qp = wire::load_be32(bytes, 12),
                             .destination_qp = wire::load_be32(bytes, 8),
                             .length = static_cast<std::uint16_t>(length)},
                  .status = wire::load_be32(bytes, kStatusAt)};
  std::ranges::copy(bytes.subspan(kMadAt, length), made.packet.mad.begin());
  return made;
}

std::array<std::byte, UmadPacket::kSize> UmadPacket::emit() const {
  std::array<std::byte, kSize> bytes{};
  store_lid(bytes, 0, packet.destination);
  store_lid(bytes, 4, packet.source);
  wire::store_be32(bytes, 8, packet.destination_qp);
  wire::store_be32(bytes, 12, packet.source_qp);
  wire::store_be32(bytes, kStatusAt, status);
  wire::store_be64(bytes, 24, packet.length);
  std::ranges::copy(packet.mad, bytes.begin() + kMadAt);
  return bytes;
}

}  // namespace weft::subnet
