#include "wire/internet_checksum.h"

#include "wire/byte_order.h"

namespace weft::wire {

InternetChecksum& InternetChecksum::add(std::span<const std::byte> bytes) {
  std::size_t at = 0;
  for (; at + 2 <= bytes.size(); at += 2) {
    sum_ += load_be16(bytes, at);
  }
  if (at < bytes.size()) {
    sum_ += static_cast<std::uint64_t>(load_u8(bytes, at)) << 8;
  }
  return *this;
}

InternetChecksum& InternetChecksum::add_word(std::uint16_t word) {
  sum_ += word;
  return *this;
}

std::uint16_t InternetChecksum::value() const {
  std::uint64_t sum = sum_;
  while ((sum >> 16) != 0) {
    sum = (sum & 0xFFFFU) + (sum >> 16);
  }
  return static_cast<std::uint16_t>(~sum);
}

std::uint16_t segment_checksum(const Ipv4Header& ip, std::span<const std::byte> segment) {
  InternetChecksum sum;
  for (const auto address : {ip.source, ip.destination}) {
    sum.add_word(static_cast<std::uint16_t>(address.value >> 16));
    sum.add_word(static_cast<std::uint16_t>(address.value));
  }
  sum.add_word(ip.protocol).add_word(static_cast<std::uint16_t>(segment.size()));
  return sum.add(segment).value();
}

std::uint16_t segment_checksum(const Ipv6Header& ip, std::span<const std::byte> segment) {
  InternetChecksum sum;
  sum.add(std::as_bytes(std::span(ip.source.octets))).add(std::as_bytes(std::span(ip.destination.octets)));
  sum.add_word(ip.next_header).add_word(static_cast<std::uint16_t>(segment.size()));
  return sum.add(segment).value();
}

}  // namespace weft::wire
