// What a scenario says of the protection of its data path: encryption, firewalls, and where management travels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::study::scenario {

/// Where packets are encrypted: anew on each cable (MACsec), once from NIC to NIC behind the IP header (IPsec, PSP), or
/// within Ultra Ethernet's own headers (TSS).
enum class EncryptionLayer : std::uint8_t { kLink, kIp, kUet };
/// What becomes of packets that come in while the buffer before a firewall is full.
enum class InlineOverflow : std::uint8_t { kDrop, kPause };
enum class ManagementPlane : std::uint8_t { kSeparate, kInBand };

/// "encryption" and "firewall" of [security]: nothing.
inline constexpr const char* kUnprotected = "none";
/// The [[traffic]] that in-band management becomes.
inline constexpr const char* kManagementTraffic = "management";

/// [security]. Bytes and latencies mean something with `encryption` or `firewall` alone.
struct SecuritySettings {
  std::string encryption = kUnprotected;  // entry of the catalogue
  EncryptionLayer encryption_layer = EncryptionLayer::kIp;
  std::int64_t encryption_bytes = 0;                   // that each packet is longer by
  std::int64_t encryption_alignment = 1;               // what is encrypted is padded to a multiple
  Duration encryption_latency;                         // of encrypting, and again of decrypting
  std::optional<Rate> encryption_rate;                 // of each direction of a port; none: that of the line
  std::optional<std::int64_t> encryption_packet_rate;  // packets per second, likewise; none: any
  std::string firewall = kUnprotected;                 // entry of the catalogue
  Duration firewall_latency;                           // at each of both ends
  std::optional<Rate> firewall_rate;
  std::optional<std::int64_t> firewall_packet_rate;
  Bytes buffer;  // of a port, for what comes in faster than it is processed
  InlineOverflow overflow = InlineOverflow::kDrop;
  ManagementPlane management = ManagementPlane::kSeparate;
  Rate management_rate;                             // of each port, in payload
  Bytes management_report;                          // a message
  std::optional<std::int64_t> management_priority;  // none: that of data

  [[nodiscard]] bool encrypts() const { return encryption != kUnprotected; }
  [[nodiscard]] bool filters() const { return firewall != kUnprotected; }
};

}  // namespace weft::study::scenario
