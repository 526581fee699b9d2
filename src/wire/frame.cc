#include "wire/frame.h"

#include <algorithm>

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/crc16.h"
#include "wire/icrc.h"

namespace weft::wire {

namespace {

constexpr std::array<std::byte, EthernetHeader::kMinFrameWithoutFcs> kZeros{};

/// Headers of any frame fit: the longest are IPv4 with options, UDP, BTH and every extension header.
using HeaderScratch = std::array<std::byte, Icrc::kMaxHeaders>;

/// Appends to a buffer that is known to be long enough.
class Writer {
 public:
  explicit Writer(std::span<std::byte> out) : out_(out) {}

  template <class Header>
  void header(const Header& header, std::size_t size) {
    header.emit(out_.subspan(at_));
    at_ += size;
  }
  template <class Header>
  void header(const std::optional<Header>& header) {
    if (header) {
      this->header(*header, Header::kSize);
    }
  }
  void bytes(std::span<const std::byte> bytes) {
    std::ranges::copy(bytes, out_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += bytes.size();
  }
  // CRCs are sent least significant byte first.
  void icrc(std::uint32_t value) {
    store_le32(out_, at_, value);
    at_ += RdmaFrame::kIcrcSize;
  }
  void vcrc(std::uint16_t value) {
    store_le16(out_, at_, value);
    at_ += RdmaFrame::kVcrcSize;
  }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  std::span<std::byte> out_;
  std::size_t at_ = 0;
};

std::span<const std::byte> pad_of(const RdmaFrame& frame) { return std::span(frame.pad).first(frame.bth.pad_count); }

std::size_t ethernet_size(const RdmaFrame& frame) { return frame.ethernet ? frame.ethernet->size() : 0; }
std::size_t lrh_size(const RdmaFrame& frame) { return frame.lrh ? LrhHeader::kSize : 0; }

/// GRH, or IP and UDP.
std::size_t network_size(const RdmaFrame& frame) {
  return (frame.grh ? GrhHeader::kSize : 0) + (frame.ipv4 ? frame.ipv4->size() : 0) +
         (frame.ipv6 ? Ipv6Header::kSize : 0) + (frame.udp ? UdpHeader::kSize : 0);
}

/// BTH to ICRC.
std::size_t transport_size(const RdmaFrame& frame) {
  return BthHeader::kSize + frame.extensions.size() + frame.payload.size() + frame.bth.pad_count + RdmaFrame::kIcrcSize;
}

void write_network_and_transport_headers(const RdmaFrame& frame, Writer& writer) {
  writer.header(frame.grh);
  if (frame.ipv4) {
    writer.header(*frame.ipv4, frame.ipv4->size());
  }
  writer.header(frame.ipv6);
  writer.header(frame.udp);
  writer.header(frame.bth, BthHeader::kSize);
  writer.header(frame.extensions, frame.extensions.size());
}

IcrcForm icrc_form(const RdmaFrame& frame) {
  if (frame.grh) {
    return IcrcForm::kGrh;
  }
  if (frame.lrh) {
    return IcrcForm::kIbLocal;
  }
  if (frame.ipv4) {
    return IcrcForm::kRoceV2Ipv4;
  }
  return frame.ipv6 ? IcrcForm::kRoceV2Ipv6 : IcrcForm::kTransport;
}

void seal_lengths(RdmaFrame& frame) {
  const auto transport = transport_size(frame);
  if (frame.grh) {
    frame.grh->payload_length = static_cast<std::uint16_t>(transport);
  }
  if (frame.udp) {
    frame.udp->length = static_cast<std::uint16_t>(UdpHeader::kSize + transport);
  }
  if (frame.ipv6) {
    frame.ipv6->payload_length = static_cast<std::uint16_t>(UdpHeader::kSize + transport);
  }
  if (frame.ipv4) {
    frame.ipv4->total_length = static_cast<std::uint16_t>(network_size(frame) + transport);
    frame.ipv4->header_checksum = frame.ipv4->compute_checksum();
  }
  if (frame.lrh) {
    const auto words = (LrhHeader::kSize + network_size(frame) + transport) / 4;
    WEFT_ASSERT(words <= LrhHeader::kMaxPacketLength);
    frame.lrh->packet_length = static_cast<std::uint16_t>(words);
    frame.lrh->next_header = frame.grh ? LinkNextHeader::kIbaGlobal : LinkNextHeader::kIbaLocal;
  }
}

}  // namespace

std::size_t emitted_size(const RdmaFrame& frame) {
  return ethernet_size(frame) + lrh_size(frame) + network_size(frame) + transport_size(frame) +
         (frame.vcrc ? RdmaFrame::kVcrcSize : 0) + frame.trailer.size();
}

std::size_t emit_frame(const RdmaFrame& frame, std::span<std::byte> out) {
  WEFT_ASSERT(frame.bth.pad_count <= frame.pad.size() && out.size() >= emitted_size(frame));
  Writer writer(out);
  if (frame.ethernet) {
    writer.header(*frame.ethernet, frame.ethernet->size());
  }
  writer.header(frame.lrh);
  write_network_and_transport_headers(frame, writer);
  writer.bytes(frame.payload);
  writer.bytes(pad_of(frame));
  writer.icrc(frame.icrc);
  if (frame.vcrc) {
    writer.vcrc(*frame.vcrc);
  }
  writer.bytes(frame.trailer);
  return writer.at();
}

void seal_frame(RdmaFrame& frame) {
  WEFT_ASSERT(frame.payload.size() <= RdmaFrame::kMaxSealedPayload);
  frame.bth.pad_count = static_cast<std::uint8_t>((4 - frame.payload.size() % 4) % 4);
  frame.pad = {};
  seal_lengths(frame);
  frame.icrc = compute_icrc(frame);
  frame.vcrc.reset();
  if (frame.lrh) {
    frame.vcrc = compute_vcrc(frame);
  }
  frame.trailer = {};
  if (const auto size = emitted_size(frame); frame.ethernet && size < kZeros.size()) {
    frame.trailer = std::span(kZeros).first(kZeros.size() - size);
  }
}

std::uint32_t compute_icrc(const RdmaFrame& frame) {
  HeaderScratch scratch;
  Writer writer(scratch);
  const auto form = icrc_form(frame);
  if (form == IcrcForm::kIbLocal) {
    writer.header(frame.lrh);
  }
  write_network_and_transport_headers(frame, writer);
  return Icrc(form, std::span(scratch).first(writer.at())).add(frame.payload).add(pad_of(frame)).value();
}

bool icrc_ok(const RdmaFrame& frame) { return frame.icrc == compute_icrc(frame); }

std::uint16_t compute_vcrc(const RdmaFrame& frame) {
  WEFT_ASSERT(frame.lrh.has_value());
  HeaderScratch scratch;
  Writer writer(scratch);
  writer.header(frame.lrh);
  write_network_and_transport_headers(frame, writer);
  std::array<std::byte, RdmaFrame::kIcrcSize> icrc;
  store_le32(icrc, 0, frame.icrc);
  return LinkCrc16().add(std::span(scratch).first(writer.at())).add(frame.payload).add(pad_of(frame)).add(icrc).value();
}

bool vcrc_ok(const RdmaFrame& frame) { return !frame.vcrc || *frame.vcrc == compute_vcrc(frame); }

std::optional<Encapsulation> encapsulation_of(const RdmaFrame& frame) {
  if (frame.lrh) {
    return frame.grh ? Encapsulation::kIbGlobal : Encapsulation::kIbLocal;
  }
  if (frame.grh) {
    return Encapsulation::kRoceV1;
  }
  if (frame.ipv4) {
    return Encapsulation::kRoceV2Ipv4;
  }
  if (frame.ipv6) {
    return Encapsulation::kRoceV2Ipv6;
  }
  return std::nullopt;
}

}  // namespace weft::wire
