#include "wire/mpa.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/crc32c.h"
#include "wire/header_error.h"

namespace weft::wire {
namespace {

constexpr std::size_t kKeySize = 16;
constexpr std::string_view kRequestKey = "MPA ID Req Frame";
constexpr std::string_view kReplyKey = "MPA ID Rep Frame";
static_assert(kRequestKey.size() == kKeySize && kReplyKey.size() == kKeySize);

constexpr std::uint8_t kFlagMarkers = 0x80;
constexpr std::uint8_t kFlagCrc = 0x40;
constexpr std::uint8_t kFlagReject = 0x20;
constexpr std::uint8_t kFlagEnhanced = 0x10;  // revision 2; reserved before

constexpr std::string_view key_of(MpaFrameKind kind) {
  return kind == MpaFrameKind::kRequest ? kRequestKey : kReplyKey;
}

MpaEnhanced parse_enhanced(std::span<const std::byte> bytes) {
  const std::uint16_t in = load_be16(bytes, 0);
  const std::uint16_t out = load_be16(bytes, 2);
  return {.ird = static_cast<std::uint16_t>(in & MpaEnhanced::kMaxDepth),
          .ord = static_cast<std::uint16_t>(out & MpaEnhanced::kMaxDepth),
          .peer_to_peer = (in & 0x8000U) != 0,
          .fpdu_rtr = (in & 0x4000U) != 0,
          .write_rtr = (out & 0x8000U) != 0,
          .read_rtr = (out & 0x4000U) != 0};
}

void emit_enhanced(const MpaEnhanced& words, std::span<std::byte> out) {
  const auto pack = [](std::uint16_t depth, bool high, bool low) {
    return static_cast<std::uint16_t>((depth & MpaEnhanced::kMaxDepth) | (high ? 0x8000U : 0U) | (low ? 0x4000U : 0U));
  };
  store_be16(out, 0, pack(words.ird, words.peer_to_peer, words.fpdu_rtr));
  store_be16(out, 2, pack(words.ord, words.write_rtr, words.read_rtr));
}

/// Writes framing bytes to a stream and markers wherever they are due.
class FpduWriter {
 public:
  FpduWriter(std::span<std::byte> out, std::uint64_t place, MpaMarkers markers)
      : out_(out), place_(place), markers_(markers) {}

  void put(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      put_marker_if_due();
      const std::size_t run = markers_ == MpaMarkers::kOff ? bytes.size() : std::min(bytes.size(), until_marker());
      std::memcpy(out_.data() + written_, bytes.data(), run);
      written_ += run;
      bytes = bytes.subspan(run);
    }
  }
  //= rfc5044 4.3
  void put_marker_if_due() {
    if (markers_ == MpaMarkers::kOff || (place_ + written_) % kMpaMarkerInterval != 0) {
      return;
    }
    // Back to the length field, which a marker in front of it points to with 0.
    store_be16(out_, written_, 0);
    store_be16(out_, written_ + 2, static_cast<std::uint16_t>(written_ - first_));
    if (written_ == 0) {
      first_ = kMpaMarkerSize;
    }
    written_ += kMpaMarkerSize;
  }
  [[nodiscard]] std::size_t written() const { return written_; }

 private:
  [[nodiscard]] std::size_t until_marker() const {
    return kMpaMarkerInterval - static_cast<std::size_t>((place_ + written_) % kMpaMarkerInterval);
  }

  std::span<std::byte> out_;
  std::uint64_t place_;
  MpaMarkers markers_;
  std::size_t written_ = 0;
  std::size_t first_ = 0;  // where the length field is
};

/// Reads framing bytes past the markers, and checks those.
class FpduReader {
 public:
  FpduReader(std::span<const std::byte> bytes, std::uint64_t place, MpaMarkers markers)
      : bytes_(bytes), place_(place), markers_(markers) {}

  void take(std::span<std::byte> out) {
    while (!out.empty()) {
      skip_marker_if_due();
      const std::size_t run = markers_ == MpaMarkers::kOff ? out.size() : std::min(out.size(), until_marker());
      WEFT_DCHECK(bytes_.size() - read_ >= run);
      std::memcpy(out.data(), bytes_.data() + read_, run);
      read_ += run;
      out = out.subspan(run);
    }
  }
  void skip_marker_if_due() {
    if (markers_ == MpaMarkers::kOff || (place_ + read_) % kMpaMarkerInterval != 0) {
      return;
    }
    if (load_be16(bytes_, read_ + 2) != read_ - first_) {
      markers_right_ = false;
    }
    if (read_ == 0) {
      first_ = kMpaMarkerSize;
    }
    read_ += kMpaMarkerSize;
  }
  [[nodiscard]] std::size_t read() const { return read_; }
  [[nodiscard]] bool markers_right() const { return markers_right_; }

 private:
  [[nodiscard]] std::size_t until_marker() const {
    return kMpaMarkerInterval - static_cast<std::size_t>((place_ + read_) % kMpaMarkerInterval);
  }

  std::span<const std::byte> bytes_;
  std::uint64_t place_;
  MpaMarkers markers_;
  std::size_t read_ = 0;
  std::size_t first_ = 0;
  bool markers_right_ = true;
};

std::size_t pad_of(std::size_t ulpdu) { return (4 - (kMpaLengthSize + ulpdu) % 4) % 4; }

}  // namespace

//= rfc5044 7.1.1
//= rfc6581 9
Result<MpaStartFrame> MpaStartFrame::parse(std::span<const std::byte> bytes) {
  const Result<std::size_t> needed = mpa_start_size(bytes);
  if (!needed) {
    return tl::unexpected<Error>(needed.error());
  }
  if (bytes.size() < *needed) {
    return too_short("MPA start frame", {.needed = *needed, .found = bytes.size()});
  }
  const std::uint8_t flags = load_u8(bytes, kKeySize);
  MpaStartFrame frame;
  frame.kind = is_mpa_start(MpaFrameKind::kRequest, bytes) ? MpaFrameKind::kRequest : MpaFrameKind::kReply;
  frame.markers = (flags & kFlagMarkers) != 0;
  frame.crc = (flags & kFlagCrc) != 0;
  frame.reject = (flags & kFlagReject) != 0;
  frame.revision = load_u8(bytes, kKeySize + 1);
  const bool enhanced = frame.revision >= 2 && (flags & kFlagEnhanced) != 0;
  frame.reserved = flags & (frame.revision >= 2 ? 0x0FU : 0x1FU);
  frame.private_data = bytes.subspan(kSize, *needed - kSize);
  if (enhanced) {
    if (frame.private_data.size() < MpaEnhanced::kSize) {
      return fail("MPA start frame is enhanced, but has {} bytes of private data, needs at least {}",
                  frame.private_data.size(), MpaEnhanced::kSize);
    }
    frame.enhanced = parse_enhanced(frame.private_data);
    frame.private_data = frame.private_data.subspan(MpaEnhanced::kSize);
  }
  return frame;
}

void MpaStartFrame::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= size() && size() <= kSize + kMaxPrivateData);
  WEFT_ASSERT(!enhanced || revision >= 2);
  std::memcpy(out.data(), key_of(kind).data(), kKeySize);
  const unsigned flags = (markers ? kFlagMarkers : 0U) | (crc ? kFlagCrc : 0U) | (reject ? kFlagReject : 0U) |
                         (enhanced ? kFlagEnhanced : 0U) | reserved;
  store_u8(out, kKeySize, static_cast<std::uint8_t>(flags));
  store_u8(out, kKeySize + 1, revision);
  store_be16(out, kKeySize + 2, static_cast<std::uint16_t>(size() - kSize));
  std::span<std::byte> rest = out.subspan(kSize);
  if (enhanced) {
    emit_enhanced(*enhanced, rest);
    rest = rest.subspan(MpaEnhanced::kSize);
  }
  std::ranges::copy(private_data, rest.begin());
}

Result<std::size_t> mpa_start_size(std::span<const std::byte> bytes) {
  if (bytes.size() < MpaStartFrame::kSize) {
    return too_short("MPA start frame", {.needed = MpaStartFrame::kSize, .found = bytes.size()});
  }
  if (!is_mpa_start(MpaFrameKind::kRequest, bytes) && !is_mpa_start(MpaFrameKind::kReply, bytes)) {
    return fail("MPA start frame has neither the key of a request nor that of a reply");
  }
  const std::uint8_t revision = load_u8(bytes, kKeySize + 1);
  if (revision != 1 && revision != 2) {
    return fail("MPA revision is {}, must be 1 or 2", revision);
  }
  const std::uint16_t private_data = load_be16(bytes, kKeySize + 2);
  if (private_data > MpaStartFrame::kMaxPrivateData) {
    return fail("MPA start frame has {} bytes of private data, at most {}", private_data,
                MpaStartFrame::kMaxPrivateData);
  }
  return MpaStartFrame::kSize + private_data;
}

bool is_mpa_start(MpaFrameKind kind, std::span<const std::byte> bytes) {
  const std::size_t known = std::min(bytes.size(), kKeySize);
  return std::memcmp(bytes.data(), key_of(kind).data(), known) == 0;
}

std::size_t markers_within(std::uint64_t place, std::size_t bytes) {
  constexpr std::size_t kBetween = kMpaMarkerInterval - kMpaMarkerSize;
  const auto phase = static_cast<std::size_t>(place % kMpaMarkerInterval);
  const std::size_t before_first = phase == 0 ? 0 : kMpaMarkerInterval - phase;
  return bytes > before_first ? 1 + (bytes - before_first - 1) / kBetween : 0;
}

std::size_t fpdu_extent(std::uint64_t place, std::size_t ulpdu, MpaMarkers markers) {
  const std::size_t bytes = fpdu_size(ulpdu);
  return markers == MpaMarkers::kOff ? bytes : bytes + kMpaMarkerSize * markers_within(place, bytes);
}

std::size_t mulpdu(std::size_t emss, MpaMarkers markers) {
  const std::size_t marker_bytes =
      markers == MpaMarkers::kOff ? 0 : kMpaMarkerSize * ((emss + kMpaMarkerInterval - 1) / kMpaMarkerInterval);
  const std::size_t taken = kMpaLengthSize + kMpaCrcSize + marker_bytes + emss % 4;
  return emss <= taken ? 0 : std::min(emss - taken, kMpaMaxUlpdu);
}

//= rfc5044 4.4
void emit_fpdu(const FpduContent& content, std::uint64_t place, MpaForm form, std::span<std::byte> out) {
  const std::span<const std::byte> ulpdu = content.ulpdu;
  WEFT_ASSERT(ulpdu.size() <= kMpaMaxUlpdu && out.size() == fpdu_extent(place, ulpdu.size(), form.markers));
  FpduWriter writer(out, place, form.markers);
  std::array<std::byte, kMpaLengthSize> length;
  store_be16(length, 0, static_cast<std::uint16_t>(ulpdu.size()));
  writer.put(length);
  writer.put(ulpdu);
  writer.put(std::span(content.pad).first(pad_of(ulpdu.size())));
  // A marker in front of the CRC is covered by it.
  writer.put_marker_if_due();
  const std::uint32_t crc = form.crc == MpaCrc::kOn ? Crc32c().add(out.first(writer.written())).value() : 0;
  store_le32(out, writer.written(), crc);
}

std::optional<std::size_t> peek_ulpdu_length(std::span<const std::byte> bytes, std::uint64_t place,
                                             MpaMarkers markers) {
  const bool marker_first = markers == MpaMarkers::kOn && place % kMpaMarkerInterval == 0;
  const std::size_t offset = marker_first ? kMpaMarkerSize : 0;
  if (bytes.size() < offset + kMpaLengthSize) {
    return std::nullopt;
  }
  return load_be16(bytes, offset);
}

Fpdu parse_fpdu(std::span<const std::byte> bytes, std::uint64_t place, MpaForm form) {
  FpduReader reader(bytes, place, form.markers);
  std::array<std::byte, kMpaLengthSize> length;
  reader.take(length);
  Fpdu fpdu;
  fpdu.ulpdu.resize(load_be16(length, 0));
  WEFT_ASSERT(bytes.size() == fpdu_extent(place, fpdu.ulpdu.size(), form.markers));
  reader.take(fpdu.ulpdu);
  fpdu.pad_bytes = pad_of(fpdu.ulpdu.size());
  reader.take(std::span(fpdu.pad).first(fpdu.pad_bytes));
  reader.skip_marker_if_due();
  fpdu.expected_crc = Crc32c().add(bytes.first(reader.read())).value();
  fpdu.crc = load_le32(bytes, reader.read());
  if (!reader.markers_right()) {
    fpdu.fault = FpduFault::kMarker;
  } else if (form.crc == MpaCrc::kOn && fpdu.crc != fpdu.expected_crc) {
    fpdu.fault = FpduFault::kCrc;
  }
  return fpdu;
}

}  // namespace weft::wire
