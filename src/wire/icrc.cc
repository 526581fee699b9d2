#include "wire/icrc.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "wire/bth.h"
#include "wire/byte_order.h"
#include "wire/crc32.h"
#include "wire/grh.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/lrh.h"
#include "wire/udp.h"

namespace weft::wire {

namespace {

/// Bits of one header byte that count as ones.
struct Mask {
  std::uint8_t offset = 0;
  std::uint8_t bits = 0xFF;
};

constexpr std::array kLrhMasks{Mask{0, 0xF0}};
constexpr std::array kVersion6Masks{Mask{0, 0x0F}, Mask{1}, Mask{2}, Mask{3}, Mask{7}};
constexpr std::array kIpv4Masks{Mask{1}, Mask{8}, Mask{10}, Mask{11}};
constexpr std::array kUdpMasks{Mask{6}, Mask{7}};
constexpr std::array kBthMasks{Mask{4}};

void apply(std::span<std::byte> headers, std::size_t base, std::span<const Mask> masks) {
  for (const auto mask : masks) {
    headers[base + mask.offset] |= static_cast<std::byte>(mask.bits);
  }
}

/// Masks everything before the BTH and returns where the BTH begins.
std::size_t mask_network_headers(IcrcForm form, std::span<std::byte> headers) {
  switch (form) {
    case IcrcForm::kTransport:
      return 0;
    case IcrcForm::kIbLocal:
      WEFT_ASSERT(headers.size() >= LrhHeader::kSize);
      apply(headers, 0, kLrhMasks);
      return LrhHeader::kSize;
    case IcrcForm::kGrh:
      WEFT_ASSERT(headers.size() >= GrhHeader::kSize);
      apply(headers, 0, kVersion6Masks);
      return GrhHeader::kSize;
    case IcrcForm::kRoceV2Ipv4: {
      WEFT_ASSERT(headers.size() >= Ipv4Header::kSize);
      const std::size_t udp = (load_u8(headers, 0) & 0x0FU) * 4U;
      WEFT_ASSERT(udp >= Ipv4Header::kSize && headers.size() >= udp + UdpHeader::kSize);
      apply(headers, 0, kIpv4Masks);
      apply(headers, udp, kUdpMasks);
      return udp + UdpHeader::kSize;
    }
    case IcrcForm::kRoceV2Ipv6:
      WEFT_ASSERT(headers.size() >= Ipv6Header::kSize + UdpHeader::kSize);
      apply(headers, 0, kVersion6Masks);
      apply(headers, Ipv6Header::kSize, kUdpMasks);
      return Ipv6Header::kSize + UdpHeader::kSize;
  }
  return 0;
}

/// State after eight bytes of ones: what stands for the LRH in every form but kIbLocal.
std::uint32_t after_missing_lrh() {
  std::array<std::byte, LrhHeader::kSize> ones{};
  ones.fill(std::byte{0xFF});
  return crc32(0, ones);
}

}  // namespace

Icrc::Icrc(IcrcForm form, std::span<const std::byte> headers) : crc_(0) {
  static const std::uint32_t missing_lrh = after_missing_lrh();
  if (form != IcrcForm::kIbLocal)
    crc_ = missing_lrh;
  WEFT_ASSERT(headers.size() <= kMaxHeaders);
  std::array<std::byte, kMaxHeaders> scratch;
  std::ranges::copy(headers, scratch.begin());
  const auto masked = std::span(scratch).first(headers.size());
  const auto bth = mask_network_headers(form, masked);
  WEFT_ASSERT(masked.size() >= bth + BthHeader::kSize);
  apply(masked, bth, kBthMasks);
  add(masked);
}

Icrc& Icrc::add(std::span<const std::byte> bytes) {
  crc_ = crc32(crc_, bytes);
  return *this;
}

}  // namespace weft::wire
