#include "live/uet_form.h"

#include <algorithm>

#include "base/assert.h"
#include "wire/uet_packet_codec.h"

namespace weft::live {
namespace {

using wire::uet::UetFrame;

/// Behind the UDP header, from the first header to CRC or ICV.
std::size_t udp_payload_size(const UetFrame& frame) {
  return (frame.tss ? frame.tss->size() + wire::uet::kTssIcvSize : wire::uet::kCrcSize) +
         (frame.pds ? size_of(*frame.pds) + frame.ses.size() : 0) + frame.payload.size();
}

/// Puts in front of the transport the headers that the kernel writes and reads.
void put_network_headers(UetFrame& frame, const DatagramPath& path) {
  const auto udp_bytes = static_cast<std::uint16_t>(wire::UdpHeader::kSize + udp_payload_size(frame));
  frame.udp = wire::UdpHeader{
      .source_port = path.source.port(), .destination_port = path.destination.port(), .length = udp_bytes};
  if (path.source.is_ipv4()) {
    frame.ipv4 = wire::Ipv4Header{.total_length = static_cast<std::uint16_t>(wire::Ipv4Header::kSize + udp_bytes),
                                  .dont_fragment = true,
                                  .source = path.source.ipv4_address(),
                                  .destination = path.destination.ipv4_address()};
    frame.ipv4->header_checksum = frame.ipv4->compute_checksum();
  } else {
    frame.ipv6 = wire::Ipv6Header{.payload_length = udp_bytes,
                                  .source = path.source.ipv6_address(),
                                  .destination = path.destination.ipv6_address()};
  }
}

/// What TSS authenticates besides what it encrypts: from the source address in the IP header to the TSS header.
class AssociatedData {
 public:
  explicit AssociatedData(const UetFrame& frame) {
    std::size_t at = 0;
    const auto add = [&](const auto& header, std::size_t size) {
      header.emit(std::span(bytes_).subspan(at));
      at += size;
    };
    if (frame.ipv4) {
      add(*frame.ipv4, frame.ipv4->size());
      begin_ = wire::uet::kCrcFromIpv4;
    } else {
      add(*frame.ipv6, wire::Ipv6Header::kSize);
      begin_ = wire::uet::kCrcFromIpv6;
    }
    add(*frame.udp, wire::UdpHeader::kSize);
    add(*frame.tss, frame.tss->size());
    end_ = at;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return std::span(bytes_).first(end_).subspan(begin_); }

 private:
  std::array<std::byte, 80> bytes_{};
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

security::TssSource source_of(const UetFrame& frame) {
  if (frame.ipv4)
    return frame.ipv4->source;
  return frame.ipv6->source;
}

void store_crc(std::span<std::byte> out, std::uint32_t crc) {
  for (unsigned i = 0; i < wire::uet::kCrcSize; ++i)
    out[i] = static_cast<std::byte>((crc >> (8 * i)) & 0xFFU);
}

}  // namespace

UetForm::UetForm(const std::optional<TssSession>& session) : session_(session) {
  if (session)
    domain_ = {.mode = security::TssMode::kCluster, .key = session->key};
}

UetForm::Written UetForm::write_headers(DatagramBuffer& buffer) {
  const std::size_t length = buffer.packet.common.payload_bytes;
  WEFT_ASSERT(length <= DatagramBuffer::kMaxPayload);
  sealed_ = wire::uet_transport_frame(buffer.packet, buffer.cold, buffer.payload_room().first(length));
  // An atomic's operand lies elsewhere.
  const std::span<std::byte> room = buffer.payload_room().first(sealed_.payload.size());
  if (sealed_.payload.data() != room.data()) {
    std::ranges::copy(sealed_.payload, room.begin());
    sealed_.payload = room;
  }
  const std::size_t begin = DatagramBuffer::kHeaderRoom - size_of(*sealed_.pds) - sealed_.ses.size();
  const std::span<std::byte> bytes(buffer.bytes);
  emit(*sealed_.pds, bytes.subspan(begin));
  sealed_.ses.emit(bytes.subspan(begin + size_of(*sealed_.pds)));
  return {.begin = begin, .end = DatagramBuffer::kHeaderRoom + sealed_.payload.size()};
}

DatagramForm::Sealed UetForm::seal(DatagramBuffer& buffer, const DatagramPath& path, SegmentRuns& runs) {
  const Written plain = write_headers(buffer);
  std::span<const std::byte> made;
  if (session_) {
    made = encrypt(buffer, plain, path);
  } else {
    put_network_headers(sealed_, path);
    sealed_.crc = compute_crc(sealed_);
    const std::span<std::byte> bytes(buffer.bytes);
    store_crc(bytes.subspan(plain.end), sealed_.crc);
    made = bytes.subspan(plain.begin, plain.end - plain.begin + wire::uet::kCrcSize);
  }
  return {.bytes = made, .segment = runs.place(made.size(), &path.destination)};
}

std::span<const std::byte> UetForm::encrypt(DatagramBuffer& buffer, Written plain, const DatagramPath& path) {
  const std::span<std::byte> bytes(buffer.bytes);
  const std::span<std::byte> data = bytes.subspan(plain.begin, plain.end - plain.begin);
  sealed_.pds.reset();
  sealed_.ses = {};
  sealed_.payload = data;
  sealed_.tss = wire::uet::TssHeader{.has_source = true,
                                     .source = session_->own.source,
                                     .epoch = session_->own.epoch,
                                     .counter = session_->counter++ & 0xFFFF'FFFF'FFFF};
  put_network_headers(sealed_, path);
  sealed_.icv = security::seal(domain_, {.header = *sealed_.tss,
                                         .source = source_of(sealed_),
                                         .associated = AssociatedData(sealed_).bytes(),
                                         .data = data});
  const std::size_t tss = sealed_.tss->size();
  sealed_.tss->emit(bytes.subspan(plain.begin - tss));
  std::ranges::copy(sealed_.icv, bytes.subspan(plain.end).begin());
  return bytes.subspan(plain.begin - tss, data.size() + tss + wire::uet::kTssIcvSize);
}

DatagramVerdict UetForm::read(std::span<const std::byte> bytes, const DatagramPath& path) {
  // No sender's packet is longer, and its lengths must fit the fields of the headers put back.
  if (bytes.size() > decrypted_.size())
    return DatagramVerdict::kMalformed;
  wire::uet::UetFrameResult parsed = wire::uet::parse_uet_transport(bytes);
  if (!parsed || parsed->payload.size() > DatagramBuffer::kMaxPayload + (parsed->tss ? DatagramBuffer::kHeaderRoom : 0))
    return DatagramVerdict::kMalformed;
  frame_ = *parsed;
  put_network_headers(frame_, path);
  if (session_)
    return frame_.tss ? decrypt() : DatagramVerdict::kMalformed;
  if (frame_.tss)
    return DatagramVerdict::kMalformed;
  return crc_ok(frame_) ? read_record(frame_) : DatagramVerdict::kWrongIcrc;
}

DatagramVerdict UetForm::decrypt() {
  const wire::uet::TssHeader& tss = *frame_.tss;
  if (!peer_ || !tss.has_source || tss.source != peer_->source || tss.epoch != peer_->epoch || tss.association ||
      tss.domain != 0) {
    return DatagramVerdict::kWrongIcrc;
  }
  if (!seen_.is_new(tss.counter))
    return DatagramVerdict::kReplayed;
  const std::span<std::byte> data = std::span(decrypted_).first(frame_.payload.size());
  std::ranges::copy(frame_.payload, data.begin());
  const security::GcmVerdict verdict = security::open(
      domain_, {.header = tss, .source = source_of(frame_), .associated = AssociatedData(frame_).bytes(), .data = data},
      frame_.icv);
  if (verdict != security::GcmVerdict::kGenuine)
    return DatagramVerdict::kWrongIcrc;
  (void)seen_.accept(tss.counter);
  wire::uet::UetFrameResult plain = wire::uet::parse_uet_decrypted(data);
  if (!plain || plain->payload.size() > DatagramBuffer::kMaxPayload)
    return DatagramVerdict::kMalformed;
  plain->ipv4 = frame_.ipv4;
  plain->ipv6 = frame_.ipv6;
  plain->udp = frame_.udp;
  return read_record(*plain);
}

DatagramVerdict UetForm::read_record(const UetFrame& plain) {
  packet = {};
  cold = {};
  if (!wire::from_uet_frame(plain, packet, cold))
    return DatagramVerdict::kMalformed;
  payload = plain.payload.first(packet.common.payload_bytes);
  return DatagramVerdict::kGood;
}

}  // namespace weft::live
