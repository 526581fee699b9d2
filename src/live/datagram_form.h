// How packets of one transport are UDP payloads: what a driver needs to know of it.
//
// One packet at a time in each direction; what a call leaves behind is valid until the next call of the same direction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.h"
#include "base/time.h"
#include "live/datagram_codec.h"
#include "live/packet_tap.h"
#include "live/segment_runs.h"

namespace weft::live {

class DatagramForm {
 public:
  virtual ~DatagramForm() = default;

  struct Sealed {
    std::span<const std::byte> bytes{};  // in the buffer
    std::uint16_t segment = 0;           // within its run
  };
  /// The datagram of the buffer's packet, and its place in a run of segments to that destination.
  [[nodiscard]] virtual Sealed seal(DatagramBuffer& buffer, const DatagramPath& path, SegmentRuns& runs) = 0;
  virtual void capture_sealed(PacketTap& tap, Time when) const = 0;

  /// kGood fills `packet`, `cold` and `payload`, which views `bytes` or this.
  [[nodiscard]] virtual DatagramVerdict read(std::span<const std::byte> bytes, const DatagramPath& path) = 0;
  virtual void capture_read(PacketTap& tap, Time when) const = 0;
  /// The queue pair that the packet read is for; invalid where packets are for none.
  [[nodiscard]] virtual Qpn queue_pair() const = 0;

  wire::Packet packet{};
  wire::ColdPacket cold{};
  std::span<const std::byte> payload{};
};

/// RoCEv2, BTH to ICRC.
class RoceForm final : public DatagramForm {
 public:
  [[nodiscard]] Sealed seal(DatagramBuffer& buffer, const DatagramPath& path, SegmentRuns& runs) override;
  void capture_sealed(PacketTap& tap, Time when) const override { tap.write(sealed_, when); }
  [[nodiscard]] DatagramVerdict read(std::span<const std::byte> bytes, const DatagramPath& path) override;
  void capture_read(PacketTap& tap, Time when) const override { tap.write(reader_.frame, when); }
  [[nodiscard]] Qpn queue_pair() const override { return Qpn(packet.ib.destination_qp); }

 private:
  wire::RdmaFrame sealed_;
  DatagramReader reader_;
};

}  // namespace weft::live
