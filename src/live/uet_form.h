// Ultra Ethernet as UDP payloads: PDS to CRC, or with TSS its header, what it encrypts, and the ICV.
//
// CRC and TSS cover addresses and ports, which both directions put back from the sockets; UDP's checksum counts as 0,
// though the kernel sends one. With TSS, nothing is accepted that is not encrypted, comes from another sender than the
// one announced, or has come before.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "live/datagram_form.h"
#include "security/tss_cipher.h"
#include "wire/uet/tss_replay_window.h"
#include "wire/uet/uet_frame.h"

namespace weft::live {

/// Whose packets they are: chosen at random by each process, so that no counter comes twice under one key.
struct TssIdentity {
  std::uint32_t source = 0;
  std::uint16_t epoch = 0;

  friend bool operator==(const TssIdentity&, const TssIdentity&) = default;
};

/// One side of a secure domain.
struct TssSession {
  security::AesKey key{};
  TssIdentity own{};
  std::uint64_t counter = 0;  // of the first packet sent, 48 bits
};

class UetForm final : public DatagramForm {
 public:
  /// Without a session nothing is encrypted, and what is encrypted not read.
  explicit UetForm(const std::optional<TssSession>& session);
  /// Whom packets are accepted from; before that, with a session, from nobody.
  void set_peer(const TssIdentity& peer) { peer_ = peer; }

  [[nodiscard]] Sealed seal(DatagramBuffer& buffer, const DatagramPath& path, SegmentRuns& runs) override;
  void capture_sealed(PacketTap& tap, Time when) const override { tap.write(sealed_, when); }
  [[nodiscard]] DatagramVerdict read(std::span<const std::byte> bytes, const DatagramPath& path) override;
  void capture_read(PacketTap& tap, Time when) const override { tap.write(frame_, when); }
  [[nodiscard]] Qpn queue_pair() const override { return Qpn::invalid(); }

 private:
  struct Written {
    std::size_t begin = 0;  // of PDS in the buffer
    std::size_t end = 0;    // of the payload
  };
  [[nodiscard]] Written write_headers(DatagramBuffer& buffer);
  [[nodiscard]] std::span<const std::byte> encrypt(DatagramBuffer& buffer, Written plain, const DatagramPath& path);
  [[nodiscard]] DatagramVerdict decrypt();
  [[nodiscard]] DatagramVerdict read_record(const wire::uet::UetFrame& plain);

  std::optional<TssSession> session_;
  security::TssDomain domain_;
  std::optional<TssIdentity> peer_;
  wire::uet::TssReplayWindow seen_;
  wire::uet::UetFrame sealed_;
  wire::uet::UetFrame frame_;  // as it came
  std::array<std::byte, DatagramBuffer::kHeaderRoom + DatagramBuffer::kMaxPayload> decrypted_{};
};

}  // namespace weft::live
