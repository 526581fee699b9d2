// What a scenario says of Ultra Ethernet: packet delivery contexts, paths, what stands in packets.
#pragma once

#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/time.h"
#include "study/scenario/path_rule.h"

namespace weft::study::scenario {

enum class UetDelivery : std::uint8_t { kRud, kRod };
enum class UetWrapping : std::uint8_t { kUdp, kNative };
enum class UetStart : std::uint8_t { kZeroRtt, kOneRtt };
/// TSS: none, or with its short or long header, which names the sender.
enum class UetSecurity : std::uint8_t { kNone, kTss, kTssWithSource };

/// [uet]
struct UetSettings {
  UetDelivery delivery = UetDelivery::kRud;
  UetWrapping encapsulation = UetWrapping::kUdp;
  UetStart secure_start = UetStart::kZeroRtt;
  UetSecurity security = UetSecurity::kNone;
  Duration security_latency;  // of encrypting a packet, and of decrypting it; with security
  PathRule path_selector = PathRule::kMixed;
  std::int64_t paths = 128;
  std::optional<bool> trimming;        // none: if the switches trim
  std::optional<bool> loss_by_count;   // none: if nothing is trimmed
  std::int64_t contexts = 4'096;       // of a NIC
  Duration idle_close;                 // of a context
  std::optional<std::int64_t> window;  // PSNs in flight; none: by the bandwidth-delay product
  Bytes ack_every;
  std::optional<Duration> timeout;      // none: by the round trip
  std::optional<Duration> probe_after;  // none: three round trips without trimming, else never
  std::int64_t retries = 12;
  std::int64_t receiver_penalty = 0;          // 128ths of what is acknowledged
  std::optional<std::int64_t> header_bytes;   // none: as on the wire
  std::optional<std::int64_t> control_bytes;  // none: as on the wire
};

}  // namespace weft::study::scenario
