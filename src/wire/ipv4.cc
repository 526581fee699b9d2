#include "wire/ipv4.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/header_error.h"
#include "wire/internet_checksum.h"

namespace weft::wire {

namespace {

constexpr std::size_t kIpChecksumOffset = 10;
constexpr std::uint16_t kReservedFlag = 0x8000;
constexpr std::uint16_t kDontFragment = 0x4000;
constexpr std::uint16_t kMoreFragments = 0x2000;
constexpr std::uint16_t kOffsetMask = 0x1FFF;

std::uint16_t fragment_word(const Ipv4Header& header) {
  return static_cast<std::uint16_t>(
      (header.reserved_flag ? kReservedFlag : 0) | (header.dont_fragment ? kDontFragment : 0) |
      (header.more_fragments ? kMoreFragments : 0) | (header.fragment_offset & kOffsetMask));
}

void load_fragment_word(Ipv4Header& header, std::uint16_t word) {
  header.reserved_flag = (word & kReservedFlag) != 0;
  header.dont_fragment = (word & kDontFragment) != 0;
  header.more_fragments = (word & kMoreFragments) != 0;
  header.fragment_offset = word & kOffsetMask;
}

}  // namespace

Result<Ipv4Header> Ipv4Header::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("IPv4 header", {.needed = kSize, .found = bytes.size()});
  }
  const auto first = load_u8(bytes, 0);
  if ((first >> 4) != 4) {
    return fail("IPv4 header has version {}, must be 4", first >> 4);
  }
  const std::size_t header_size = (first & 0x0FU) * 4U;
  if (header_size < kSize) {
    return fail("IPv4 header length is {} bytes, must be 20 to 60", header_size);
  }
  if (bytes.size() < header_size) {
    return too_short("IPv4 header with options", {.needed = header_size, .found = bytes.size()});
  }
  Ipv4Header header;
  header.dscp = static_cast<std::uint8_t>(load_u8(bytes, 1) >> 2);
  header.ecn = static_cast<Ecn>(load_u8(bytes, 1) & 3U);
  header.total_length = load_be16(bytes, 2);
  header.identification = load_be16(bytes, 4);
  load_fragment_word(header, load_be16(bytes, 6));
  header.time_to_live = load_u8(bytes, 8);
  header.protocol = load_u8(bytes, 9);
  header.header_checksum = load_be16(bytes, kIpChecksumOffset);
  header.source.value = load_be32(bytes, 12);
  header.destination.value = load_be32(bytes, 16);
  header.options_size = static_cast<std::uint8_t>(header_size - kSize);
  std::ranges::copy(bytes.subspan(kSize, header.options_size), header.options.begin());
  return header;
}

void Ipv4Header::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(options_size <= kMaxOptions && options_size % 4 == 0 && out.size() >= size());
  store_u8(out, 0, static_cast<std::uint8_t>(0x40U | (size() / 4)));
  store_u8(out, 1, static_cast<std::uint8_t>((dscp << 2) | static_cast<std::uint8_t>(ecn)));
  store_be16(out, 2, total_length);
  store_be16(out, 4, identification);
  store_be16(out, 6, fragment_word(*this));
  store_u8(out, 8, time_to_live);
  store_u8(out, 9, protocol);
  store_be16(out, kIpChecksumOffset, header_checksum);
  store_be32(out, 12, source.value);
  store_be32(out, 16, destination.value);
  std::ranges::copy(std::span(options).first(options_size), out.begin() + kSize);
}

std::uint16_t Ipv4Header::compute_checksum() const {
  std::array<std::byte, kSize + kMaxOptions> bytes{};
  emit(bytes);
  store_be16(bytes, kIpChecksumOffset, 0);
  return InternetChecksum().add(std::span(bytes).first(size())).value();
}

}  // namespace weft::wire
