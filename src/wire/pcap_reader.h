// Reads packets from a capture file, pcap or pcapng, through libpcap: link type, time, both lengths, bytes.
//
// A file is input from outside: whatever it holds, the reader gives packets or an Error with the file's name, and its
// memory is bounded by libpcap's limits (256 KiB a packet, 16 MiB a pcapng block). A file of no bytes is a capture of
// no packets. libpcap refuses a pcapng file whose interfaces differ in link type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

struct pcap;  // libpcap's handle

namespace weft::wire {

/// What the first byte of a captured packet belongs to.
enum class CaptureLink : std::uint8_t {
  kEthernet,      // destination address; no FCS
  kInfiniBand,    // LRH, through the VCRC
  kRawIp,         // IPv4 or IPv6 header
  kLinuxCooked,   // 16 bytes in place of a link header (a capture on "any" interface), then as their EtherType says
  kLinuxCooked2,  // the same in 20 bytes
  kErf,           // an ERF record (wire/erf_record.h)
  kOther,         // nothing that weft reads
};

/// One packet of a capture. `bytes` belongs to the reader and is valid until its next call.
struct CapturedPacket {
  std::uint64_t number = 0;           // counts from 1, as in Wireshark
  std::int64_t timestamp_ns = 0;      // since 1970, or since the start of a simulated run
  std::uint32_t original_length = 0;  // as it was on the link
  std::span<const std::byte> bytes;   // may be fewer, when the capture had a snap length
};

class PcapReader {
 public:
  static Result<PcapReader> open(const std::string& path);
  /// Takes over an open stream; `name` stands for it in errors.
  static Result<PcapReader> take(std::FILE* stream, std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] CaptureLink link() const { return link_; }
  /// libpcap's name of the link type, for messages ("EN10MB").
  [[nodiscard]] std::string link_name() const;

  /// The next packet; nothing at the end of the file; an error when the rest cannot be read (then stop).
  Result<std::optional<CapturedPacket>> next();

 private:
  struct Closer {
    void operator()(pcap* handle) const;
  };

  PcapReader(pcap* handle, std::string name);

  std::unique_ptr<pcap, Closer> handle_;  // null for a file of no bytes
  std::string name_;
  CaptureLink link_ = CaptureLink::kOther;
  std::uint64_t packets_ = 0;
};

}  // namespace weft::wire
