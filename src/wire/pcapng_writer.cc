#include "wire/pcapng_writer.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "wire/erf_record.h"
#include "wire/flow_control_packet.h"

namespace weft::wire {
namespace {

constexpr std::uint32_t kSectionHeaderBlock = 0x0A0D0D0A;
constexpr std::uint32_t kInterfaceDescriptionBlock = 1;
constexpr std::uint32_t kEnhancedPacketBlock = 6;

constexpr std::uint32_t kByteOrderMagic = 0x1A2B3C4D;
constexpr std::uint16_t kOptionEnd = 0;
constexpr std::uint16_t kOptionUserApplication = 4;
constexpr std::uint16_t kOptionInterfaceName = 2;
constexpr std::uint16_t kOptionTimestampResolution = 9;
constexpr char kNanoseconds = 9;  // the resolution is 10^-9 s

/// libpcap's registry of link types.
std::uint16_t link_type_number(LinkType link_type) {
  switch (link_type) {
    case LinkType::kEthernet:
      return 1;
    case LinkType::kInfiniBand:
      return 197;  // ERF records, see wire/erf_record.h
  }
  return 0;
}

/// Block type and both copies of the length.
constexpr std::size_t kBlockOverhead = 12;
constexpr std::int64_t kPicosecondsPerNanosecond = 1'000;

void put(std::vector<std::byte>& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    out.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
}

void put_16(std::vector<std::byte>& out, std::uint16_t value) { put(out, value, 2); }
void put_32(std::vector<std::byte>& out, std::uint64_t value) { put(out, value, 4); }

/// Every variable-length part of a block is padded to four bytes; its stated length does not count the padding.
void put_padded(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
  out.resize((out.size() + 3) / 4 * 4);
}

void put_option(std::vector<std::byte>& out, std::uint16_t code, std::string_view value) {
  put_16(out, code);
  put_16(out, static_cast<std::uint16_t>(value.size()));
  put_padded(out, std::as_bytes(std::span(value)));
}

ErfHeader erf_header(std::uint64_t nanoseconds, std::size_t packet_size) {
  // No other InfiniBand packet is as short as a flow control packet.
  const ErfType type = packet_size == FlowControlPacket::kSize ? ErfType::kInfiniBandLink : ErfType::kInfiniBand;
  return {.nanoseconds = nanoseconds,
          .type = static_cast<std::uint8_t>(type),
          .record_length = static_cast<std::uint16_t>(ErfHeader::kSize + packet_size),
          .wire_length = static_cast<std::uint16_t>(packet_size)};
}

}  // namespace

Result<PcapngWriter> PcapngWriter::create(const std::string& path) {
  Result<FileDraft> file = FileDraft::create(path);
  return file ? begin(std::move(*file), path) : Result<PcapngWriter>(pass_on(file));
}

Result<PcapngWriter> PcapngWriter::take(std::FILE* stream, std::string name) {
  WEFT_ASSERT(stream != nullptr);
  return begin(FileDraft::take(stream), std::move(name));
}

Result<PcapngWriter> PcapngWriter::begin(FileDraft file, std::string name) {
  PcapngWriter writer(std::move(file), std::move(name));
  std::vector<std::byte>& body = writer.body_;
  put_32(body, kByteOrderMagic);
  put_16(body, 1);      // major version
  put_16(body, 0);      // minor version
  put(body, ~0ULL, 8);  // the section's length is not known yet
  put_option(body, kOptionUserApplication, "weft");
  put_option(body, kOptionEnd, "");
  if (Result<void> written = writer.put_block(kSectionHeaderBlock); !written) {
    return pass_on(written);
  }
  return writer;
}

Result<CaptureInterface> PcapngWriter::add_interface(std::string_view name, LinkType link_type) {
  body_.clear();
  put_16(body_, link_type_number(link_type));
  put_16(body_, 0);
  put_32(body_, 0);  // packets are never cut
  // An option's length has 16 bits; nobody reads a longer name.
  put_option(body_, kOptionInterfaceName, name.substr(0, 255));
  put_option(body_, kOptionTimestampResolution, std::string_view(&kNanoseconds, 1));
  put_option(body_, kOptionEnd, "");
  if (Result<void> written = put_block(kInterfaceDescriptionBlock); !written) {
    return pass_on(written);
  }
  interfaces_.push_back(link_type);
  return CaptureInterface(static_cast<std::uint32_t>(interfaces_.size() - 1));
}

Result<void> PcapngWriter::write(CaptureInterface where, Time when, std::span<const std::byte> packet) {
  WEFT_ASSERT(where.is_valid() && where.value() < interfaces_.size());
  WEFT_ASSERT(when >= Time::zero() && !when.is_never());
  WEFT_ASSERT(packet.size() <= kMaxPacket);
  const auto nanoseconds = static_cast<std::uint64_t>(when.picoseconds() / kPicosecondsPerNanosecond);
  const bool in_record = interfaces_[where.value()] == LinkType::kInfiniBand;
  const std::size_t length = packet.size() + (in_record ? ErfHeader::kSize : 0);
  body_.clear();
  put_32(body_, where.value());
  put_32(body_, nanoseconds >> 32);
  put_32(body_, nanoseconds & 0xFFFF'FFFFU);
  put_32(body_, length);  // captured
  put_32(body_, length);  // on the wire
  if (in_record) {
    std::array<std::byte, ErfHeader::kSize> header;
    erf_header(nanoseconds, packet.size()).emit(header);
    body_.insert(body_.end(), header.begin(), header.end());
  }
  put_padded(body_, packet);
  return put_block(kEnhancedPacketBlock);
}

Result<void> PcapngWriter::put_block(std::uint32_t type) {
  WEFT_ASSERT(file_.stream() != nullptr);
  if (!failure_.empty()) {
    return tl::unexpected<Error>(Error{failure_});
  }
  std::vector<std::byte> frame;
  frame.reserve(kBlockOverhead);
  put_32(frame, type);
  put_32(frame, body_.size() + kBlockOverhead);
  put_32(frame, body_.size() + kBlockOverhead);
  const std::span<const std::byte> head = std::span(frame).first(8);
  const std::span<const std::byte> tail = std::span(frame).last(4);
  for (const std::span<const std::byte> part : {head, std::span<const std::byte>(body_), tail}) {
    if (std::fwrite(part.data(), 1, part.size(), file_.stream()) != part.size()) {
      return fail_with(errno);
    }
  }
  return {};
}

Result<void> PcapngWriter::flush() {
  WEFT_ASSERT(file_.stream() != nullptr);
  if (!failure_.empty()) {
    return tl::unexpected<Error>(Error{failure_});
  }
  return std::fflush(file_.stream()) == 0 ? Result<void>() : fail_with(errno);
}

Result<void> PcapngWriter::close() {
  if (Result<void> flushed = flush(); !flushed) {
    const FileDraft dropped = std::move(file_);
    return flushed;
  }
  const auto published = file_.publish();
  return published ? Result<void>() : fail_with(published.error());
}

Result<void> PcapngWriter::fail_with(int number) {
  failure_ = fmt::format("{}: cannot write the capture: {}", name_, std::strerror(number));
  return tl::unexpected<Error>(Error{failure_});
}

}  // namespace weft::wire
