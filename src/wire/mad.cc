#include "wire/mad.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

namespace {

constexpr std::uint8_t kBaseVersion = 1;

constexpr std::size_t kSmpReserved = 36;
constexpr std::size_t kSmpData = 64;
constexpr std::size_t kSmpInitialPath = 128;
constexpr std::size_t kSmpReturnPath = 192;

using Path = std::array<std::uint8_t, DirectedRouteSmp::kMaxHops>;

Path load_path(std::span<const std::byte> bytes, std::size_t offset) {
  Path path{};
  for (std::size_t hop = 0; hop < path.size(); ++hop) {
    path[hop] = load_u8(bytes, offset + hop);
  }
  return path;
}

void store_path(std::span<std::byte> bytes, std::size_t offset, const Path& path) {
  for (std::size_t hop = 0; hop < path.size(); ++hop) {
    store_u8(bytes, offset + hop, path[hop]);
  }
}

}  // namespace

Result<MadHeader> MadHeader::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("MAD header", {.needed = kSize, .found = bytes.size()});
  }
  if (const auto version = load_u8(bytes, 0); version != kBaseVersion) {
    return fail("MAD base version is {}, must be {}", version, kBaseVersion);
  }
  return MadHeader{.management_class = load_u8(bytes, 1),
                   .class_version = load_u8(bytes, 2),
                   .method = load_u8(bytes, 3),
                   .status = load_be16(bytes, 4),
                   .class_specific = load_be16(bytes, 6),
                   .transaction_id = load_be64(bytes, 8),
                   .attribute_id = load_be16(bytes, 16),
                   .reserved = load_be16(bytes, 18),
                   .attribute_modifier = load_be32(bytes, 20)};
}

void MadHeader::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_u8(out, 0, base_version);
  store_u8(out, 1, management_class);
  store_u8(out, 2, class_version);
  store_u8(out, 3, method);
  store_be16(out, 4, status);
  store_be16(out, 6, class_specific);
  store_be64(out, 8, transaction_id);
  store_be16(out, 16, attribute_id);
  store_be16(out, 18, reserved);
  store_be32(out, 20, attribute_modifier);
}

Result<DirectedRouteSmp> DirectedRouteSmp::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("directed-route SMP", {.needed = kSize, .found = bytes.size()});
  }
  const auto header = MadHeader::parse(bytes);
  if (!header) {
    return tl::unexpected<Error>(header.error());
  }
  DirectedRouteSmp smp;
  smp.header = *header;
  if (header->management_class != kClassSubnetDirectedRoute) {
    return fail("management class is 0x{:02X}, a directed-route SMP has 0x{:02X}", header->management_class,
                kClassSubnetDirectedRoute);
  }
  if (smp.hop_count() >= kMaxHops || smp.hop_pointer() > kMaxHops) {
    return fail("directed route is at hop {} of {}, at most {} hops", smp.hop_pointer(), smp.hop_count(), kMaxHops - 1);
  }
  smp.m_key = load_be64(bytes, 24);
  smp.dr_source_lid = load_be16(bytes, 32);
  smp.dr_destination_lid = load_be16(bytes, 34);
  std::ranges::copy(bytes.subspan(kSmpReserved, smp.reserved.size()), smp.reserved.begin());
  std::ranges::copy(bytes.subspan(kSmpData, kDataSize), smp.data.begin());
  smp.initial_path = load_path(bytes, kSmpInitialPath);
  smp.return_path = load_path(bytes, kSmpReturnPath);
  return smp;
}

void DirectedRouteSmp::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  header.emit(out);
  store_be64(out, 24, m_key);
  store_be16(out, 32, dr_source_lid);
  store_be16(out, 34, dr_destination_lid);
  std::ranges::copy(reserved, out.begin() + static_cast<std::ptrdiff_t>(kSmpReserved));
  std::ranges::copy(data, out.begin() + static_cast<std::ptrdiff_t>(kSmpData));
  store_path(out, kSmpInitialPath, initial_path);
  store_path(out, kSmpReturnPath, return_path);
}

}  // namespace weft::wire
