#include "wire/uet/uet_frame.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/assert.h"
#include "wire/byte_order.h"

namespace weft::wire::uet {

namespace {

constexpr std::array<std::byte, EthernetHeader::kMinFrameWithoutFcs> kFramePadding{};

/// Appends to a buffer that is known to be long enough.
class UetWriter {
 public:
  explicit UetWriter(std::span<std::byte> out) : out_(out) {}

  template <class Header>
  void header(const std::optional<Header>& header) {
    if (!header) {
      return;
    }
    header->emit(out_.subspan(at_));
    if constexpr (requires { header->size(); }) {
      at_ += header->size();
    } else {
      at_ += Header::kSize;
    }
  }
  void bytes(std::span<const std::byte> bytes) {
    std::ranges::copy(bytes, out_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ += bytes.size();
  }
  void pds(const UetFrame& frame) {
    if (frame.pds) {
      emit(*frame.pds, out_.subspan(at_));
      at_ += size_of(*frame.pds);
      frame.ses.emit(out_.subspan(at_));
      at_ += frame.ses.size();
    }
  }
  void crc(std::uint32_t value) {
    store_le32(out_, at_, value);
    at_ += kCrcSize;
  }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  std::span<std::byte> out_;
  std::size_t at_ = 0;
};

std::size_t ip_size(const UetFrame& frame) {
  return (frame.ipv4 ? frame.ipv4->size() : 0) + (frame.ipv6 ? Ipv6Header::kSize : 0);
}

/// From behind IP to the last SES header.
std::size_t uet_headers_size(const UetFrame& frame) {
  return (frame.udp ? UdpHeader::kSize : 0) + (frame.entropy ? EntropyHeader::kSize : 0) +
         (frame.tss ? frame.tss->size() : 0) + (frame.pds ? size_of(*frame.pds) + frame.ses.size() : 0);
}

std::size_t check_size(const UetFrame& frame) { return frame.tss ? kTssIcvSize : kCrcSize; }

/// From behind IP to the CRC or ICV.
std::size_t ip_payload_size(const UetFrame& frame) {
  return uet_headers_size(frame) + frame.payload.size() + check_size(frame);
}

void write_headers(const UetFrame& frame, UetWriter& writer) {
  writer.header(frame.ipv4);
  writer.header(frame.ipv6);
  writer.header(frame.udp);
  writer.header(frame.entropy);
  writer.header(frame.tss);
  writer.pds(frame);
}

}  // namespace

std::size_t emitted_size(const UetFrame& frame) {
  return (frame.ethernet ? frame.ethernet->size() : 0) + ip_size(frame) + ip_payload_size(frame) + frame.trailer.size();
}

std::size_t emit_frame(const UetFrame& frame, std::span<std::byte> out) {
  WEFT_ASSERT(out.size() >= emitted_size(frame));
  UetWriter writer(out);
  writer.header(frame.ethernet);
  write_headers(frame, writer);
  writer.bytes(frame.payload);
  if (frame.tss) {
    writer.bytes(frame.icv);
  } else {
    writer.crc(frame.crc);
  }
  writer.bytes(frame.trailer);
  return writer.at();
}

void seal_frame(UetFrame& frame) {
  WEFT_ASSERT(frame.payload.size() <= UetFrame::kMaxPayload);
  WEFT_ASSERT(frame.ipv4.has_value() != frame.ipv6.has_value() && frame.udp.has_value() != frame.entropy.has_value());
  WEFT_ASSERT(frame.tss.has_value() != frame.pds.has_value());
  const std::size_t size = ip_payload_size(frame);
  const std::uint8_t protocol = frame.udp ? kIpProtocolUdp : kIpProtocol;
  if (frame.udp) {
    frame.udp->destination_port = kUdpPort;
    frame.udp->length = static_cast<std::uint16_t>(size);
    frame.udp->checksum = 0;
  }
  if (frame.ipv6) {
    frame.ipv6->next_header = protocol;
    frame.ipv6->payload_length = static_cast<std::uint16_t>(size);
  } else {
    frame.ipv4->protocol = protocol;
    frame.ipv4->total_length = static_cast<std::uint16_t>(frame.ipv4->size() + size);
    frame.ipv4->header_checksum = frame.ipv4->compute_checksum();
  }
  if (!frame.tss) {
    frame.crc = compute_crc(frame);
  }
  frame.trailer = {};
  if (const auto whole = emitted_size(frame); frame.ethernet && whole < kFramePadding.size()) {
    frame.trailer = std::span(kFramePadding).first(kFramePadding.size() - whole);
  }
}

std::uint32_t compute_crc(const UetFrame& frame) {
  WEFT_ASSERT(!frame.tss);
  std::vector<std::byte> headers(ip_size(frame) + uet_headers_size(frame));
  UetWriter writer(headers);
  write_headers(frame, writer);
  return packet_crc(headers, frame.payload);
}

bool crc_ok(const UetFrame& frame) { return frame.tss || frame.crc == compute_crc(frame); }

}  // namespace weft::wire::uet
