// What TSS does to a packet: keys of a secure domain, from them the key of each sender, and with it encryption and
// authentication of everything behind the TSS header.
//
// Authenticated but not encrypted is everything from the source address in the IP header to the TSS header, as UET's
// CRC begins there too. So no state is kept per peer: a receiver derives a sender's key from the domain's. Source:
// Ultra Ethernet Specification 1.0, 3.7, by way of UEC's reference provider, which has only the native encapsulation;
// that the associated data of the UDP encapsulation are chosen in the same way is not verified.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "security/aes_gcm.h"
#include "wire/address.h"
#include "wire/uet/tss.h"

namespace weft::security {

//= uet-1.0 3.7
enum class TssMode : std::uint8_t {
  kDirect,   // the key is the domain's, and the initialization vector has no mask
  kCluster,  // a key per sender, derived by every member
  kServer,   // a key per client, which only the server derives; the client has been given it and is in direct mode
};

/// Who sends, as far as the source identifier does not say it.
using TssSource = std::variant<wire::Ipv4Address, wire::Ipv6Address>;

struct TssDomain {
  TssMode mode = TssMode::kCluster;
  AesKey key{};
  /// A new key each 2^rekey_shift packets, as often as `rekey_mask` bits of the counter allow; no mask, no rekeying.
  std::uint64_t rekey_mask = 0;
  unsigned rekey_shift = 0;
};

/// What a sender's packets are encrypted with.
struct TssSenderKey {
  AesKey key{};
  GcmNonce mask{};  // added to each initialization vector, bit by bit

  friend bool operator==(const TssSenderKey&, const TssSenderKey&) = default;
};

/// `header` says epoch, counter and, if it has one, source identifier. In server mode the key is a client's, whoever
/// sends: `source` is the client's address then.
//= uet-1.0 3.7
[[nodiscard]] TssSenderKey sender_key(const TssDomain& domain, const wire::uet::TssHeader& header,
                                      const TssSource& source);

/// The initialization vector of a packet: source identifier, or for want of one the IPv4 address, or with IPv6 the
/// domain's number; epoch and counter; and the mask upon them.
//= uet-1.0 3.7
[[nodiscard]] GcmNonce packet_nonce(const TssSenderKey& key, const wire::uet::TssHeader& header,
                                    const TssSource& source);

/// One packet: `associated` as above, `data` everything behind the TSS header without the ICV.
struct TssPacket {
  wire::uet::TssHeader header{};
  TssSource source{};
  std::span<const std::byte> associated{};
  std::span<std::byte> data{};
};

/// Encrypts `data` in place and returns the ICV.
[[nodiscard]] wire::uet::TssIcv seal(const TssDomain& domain, const TssPacket& packet);
/// Decrypts `data` in place, or, if the packet is not genuine, clears it.
[[nodiscard]] GcmVerdict open(const TssDomain& domain, const TssPacket& packet, const wire::uet::TssIcv& icv);

}  // namespace weft::security
