// Writes the packets that a driver sends and accepts to a capture file, as frames on an Ethernet.
//
// The socket shows no link layer: MAC addresses are made up from the IP addresses (02:00 and four bytes), the UDP
// checksum is 0 (none), hop limit 64. Identifications are those of the ICRC. Damaged and hostile datagrams are not
// written. With a UDP port other than 4791 (4793) the file tells the truth, and readers take the packets for plain UDP
// unless they are told it (`weft pcap check --port`).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "wire/frame.h"
#include "wire/pcapng_writer.h"
#include "wire/uet/uet_frame.h"

namespace weft::live {

class PacketTap {
 public:
  /// Creates or empties the file.
  static Result<PacketTap> create(const std::string& path);

  /// `frame` has IP and UDP headers and is sealed. A failed write is told by `close`.
  void write(const wire::RdmaFrame& frame, Time when);
  void write(const wire::uet::UetFrame& frame, Time when);

  [[nodiscard]] Result<void> close() { return writer_.close(); }

 private:
  template <class Frame>
  void write_frame(const Frame& frame, Time when);

  PacketTap(wire::PcapngWriter writer, wire::CaptureInterface where) : writer_(std::move(writer)), where_(where) {}

  wire::PcapngWriter writer_;
  wire::CaptureInterface where_;
  std::vector<std::byte> bytes_;  // of the frame being written; kept to reuse its memory
};

}  // namespace weft::live
