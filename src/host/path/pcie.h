// One slot of PCI Express: what a generation, a width and a payload size let through, in both directions.
//
// A transfer is cut into TLPs of at most `max_payload`, each with framing, header and LCRC; DLLPs (acknowledgements and
// flow control of the link itself) take a share of what is left. A device reads in requests whose answers come back
// after a round trip; it may have `outstanding_reads` under way, which limits it to that much per round trip.
// Rates are those of bytes that matter. Source: PCI Express Base Specification 3.0 to 6.0, as far as it decides rates.
#pragma once

#include "base/probability.h"
#include "base/time.h"
#include "host/path/server.h"

namespace weft::host {

struct PcieOptions {
  Rate lane_rate = Rate::max();  // of one lane and direction, after line coding; max(): PCIe limits nothing
  std::int64_t lanes = 16;
  Bytes max_payload{256};
  Bytes overhead{24};           // of each TLP: framing, header of four words, LCRC; answers are taken as dear
  Probability link_overhead{};  // share of DLLPs and ordered sets
  Duration read_round_trip{};   // from a device's request until the first bytes of the answer
  Bytes outstanding_reads = Bytes::max();
};

/// Of all lanes, before any overhead.
[[nodiscard]] Rate raw_rate(const PcieOptions& options);
/// At which posted writes of a long transfer pass.
[[nodiscard]] Rate write_rate(const PcieOptions& options);
/// At which a device reads: the answers' rate, or the limit of outstanding bytes if that is lower.
[[nodiscard]] Rate read_rate(const PcieOptions& options);

/// The slot of one device. Directions as the root complex has them.
class PcieSlot {
 public:
  explicit PcieSlot(const PcieOptions& options)
      : options_(options), to_device_(read_rate(options)), to_host_(write_rate(options)) {}

  [[nodiscard]] const PcieOptions& options() const { return options_; }
  /// What the device reads.
  [[nodiscard]] ByteServer& to_device() { return to_device_; }
  /// What the device writes.
  [[nodiscard]] ByteServer& to_host() { return to_host_; }
  [[nodiscard]] const ByteServer& to_device() const { return to_device_; }
  [[nodiscard]] const ByteServer& to_host() const { return to_host_; }

 private:
  PcieOptions options_;
  ByteServer to_device_;
  ByteServer to_host_;
};

}  // namespace weft::host
