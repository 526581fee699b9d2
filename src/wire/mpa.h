// MPA: the framing that lets DDP run over TCP. Request and reply frames of the start-up (revision 1, and 2 with the
// enhanced IRD and ORD), and the FPDU: length, ULPDU, pad, CRC, with or without markers.
//
// Places in the stream count from the first byte behind the start-up frames of the same direction ("full operation").
// Source: RFC 5044; enhanced set-up RFC 6581.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"

namespace weft::wire {

/// What an initiator sends first, with nothing in it, so that both ends know that the other is ready.
//= rfc6581 9
enum class MpaRtr : std::uint8_t { kNone, kEmptyFpdu, kZeroLengthWrite, kZeroLengthRead };

/// The words that revision 2 puts in front of the private data.
//= rfc6581 9
struct MpaEnhanced {
  static constexpr std::size_t kSize = 4;
  static constexpr std::uint16_t kMaxDepth = 0x3FFF;  // also: "not negotiated"

  std::uint16_t ird = 0;  // inbound READ queue depth, 14 bits
  std::uint16_t ord = 0;  // outbound READ queue depth, 14 bits
  bool peer_to_peer = false;
  bool fpdu_rtr = false;   // an FPDU without ULPDU, offered or chosen
  bool write_rtr = false;  // zero-length WRITE
  bool read_rtr = false;   // zero-length READ

  friend bool operator==(const MpaEnhanced&, const MpaEnhanced&) = default;
};

enum class MpaFrameKind : std::uint8_t { kRequest, kReply };

/// A request or reply frame. `private_data` views the parsed input or the sender's memory.
//= rfc5044 7.1.1
struct MpaStartFrame {
  static constexpr std::size_t kSize = 20;  // without private data
  static constexpr std::size_t kMaxPrivateData = 512;

  MpaFrameKind kind = MpaFrameKind::kRequest;
  bool markers = false;                       // the sender wants to receive markers
  bool crc = false;                           // the sender wants CRCs
  bool reject = false;                        // replies only
  std::uint8_t revision = 2;                  // 1 or 2
  std::uint8_t reserved = 0;                  // 4 bits (5 with revision 1), ignored by receivers
  std::optional<MpaEnhanced> enhanced{};      // revision 2 only: flag S
  std::span<const std::byte> private_data{};  // of the program, without the enhanced words

  [[nodiscard]] std::size_t size() const { return kSize + (enhanced ? MpaEnhanced::kSize : 0) + private_data.size(); }
  /// Errors: too short (the message says what is needed), another key, a revision other than 1 and 2, more private data
  /// than 512 bytes, the enhanced flag without its words.
  [[nodiscard]] static Result<MpaStartFrame> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;
};

/// Size of the start frame that begins with these bytes (at least 20); an error if it is none.
[[nodiscard]] Result<std::size_t> mpa_start_size(std::span<const std::byte> bytes);
/// The bytes begin with the key of a request or reply frame, as far as they go.
[[nodiscard]] bool is_mpa_start(MpaFrameKind kind, std::span<const std::byte> bytes);

inline constexpr std::size_t kMpaLengthSize = 2;
inline constexpr std::size_t kMpaCrcSize = 4;
inline constexpr std::size_t kMpaMarkerSize = 4;
/// Places of markers in the stream of full operation: 0, 512, 1024...
//= rfc5044 4.3
inline constexpr std::size_t kMpaMarkerInterval = 512;
/// Longest ULPDU that the length field can tell.
inline constexpr std::size_t kMpaMaxUlpdu = 65'535;

/// Bytes of an FPDU without markers: length field, ULPDU, pad to a multiple of 4, CRC.
//= rfc5044 4.1
[[nodiscard]] constexpr std::size_t fpdu_size(std::size_t ulpdu) {
  return ((kMpaLengthSize + ulpdu + 3) & ~std::size_t{3}) + kMpaCrcSize;
}

enum class MpaMarkers : std::uint8_t { kOff, kOn };

/// Markers inside `bytes` bytes of framing (markers not counted) that begin at `place` of the stream.
[[nodiscard]] std::size_t markers_within(std::uint64_t place, std::size_t bytes);
/// Bytes that an FPDU at `place` takes in the stream, markers included; one at its very beginning is part of it.
[[nodiscard]] std::size_t fpdu_extent(std::uint64_t place, std::size_t ulpdu, MpaMarkers markers);
/// The longest ULPDU whose FPDU fits into a segment of `emss` bytes wherever it begins; 0 if none does.
//= rfc5044 4.5
[[nodiscard]] std::size_t mulpdu(std::size_t emss, MpaMarkers markers);

enum class MpaCrc : std::uint8_t { kOff, kOn };

/// How the FPDUs of one direction look.
struct MpaForm {
  MpaMarkers markers = MpaMarkers::kOff;
  MpaCrc crc = MpaCrc::kOn;  // off: the field is there and zero
};

/// What an FPDU carries. Senders pad with anything; zeros are ours.
struct FpduContent {
  std::span<const std::byte> ulpdu{};
  std::array<std::byte, 3> pad{};
};
/// Writes an FPDU; `out` must have fpdu_extent bytes, and the ULPDU at most kMpaMaxUlpdu.
void emit_fpdu(const FpduContent& content, std::uint64_t place, MpaForm form, std::span<std::byte> out);

enum class FpduFault : std::uint8_t { kNone, kCrc, kMarker };

/// An FPDU taken apart; the ULPDU is a copy without markers.
struct Fpdu {
  std::vector<std::byte> ulpdu;
  std::array<std::byte, 3> pad{};
  std::size_t pad_bytes = 0;
  std::uint32_t crc = 0;               // as on the wire
  std::uint32_t expected_crc = 0;      // of the other bytes
  FpduFault fault = FpduFault::kNone;  // a CRC counts only where the form has one
};

/// Length of the ULPDU whose FPDU begins with `bytes` at `place`; nothing if more bytes are needed to tell.
[[nodiscard]] std::optional<std::size_t> peek_ulpdu_length(std::span<const std::byte> bytes, std::uint64_t place,
                                                           MpaMarkers markers);
/// `bytes` must be exactly the FPDU, fpdu_extent bytes. Content of the pad is not looked at.
[[nodiscard]] Fpdu parse_fpdu(std::span<const std::byte> bytes, std::uint64_t place, MpaForm form);

}  // namespace weft::wire
