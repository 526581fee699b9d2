// Writes packets to a pcapng file that Wireshark, tcpdump and `weft pcap` read: a tap for any place that has bytes.
//
// Each tap is an interface with a name and a link type. Ethernet frames are given without their FCS, InfiniBand packets
// from the LRH through the VCRC, flow control packets as their 6 bytes; both go into the file as ERF records
// (wire/erf_record.h), the only form in which Wireshark reads InfiniBand. Timestamps are nanoseconds since the start of
// the run: simulated picoseconds, rounded down. The file is little-endian on every machine, so that equal runs give
// equal files. Source: the pcapng format (draft-ietf-opsawg-pcapng); libpcap reads a file only when all its link types
// are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "wire/link_type.h"

namespace weft::wire {

/// An interface of one capture file, numbered from 0 in the order of `add_interface`.
using CaptureInterface = Id<struct CaptureInterfaceTag>;

/// Owns its file, which has its name once it is closed (base/file.h): a capture that was not closed leaves nothing, and
/// what was there before stays until then. After the first failed write each call gives that error again and writes
/// nothing more: a full disk or a reader that left (EPIPE, where SIGPIPE is ignored) is noticed at the latest by
/// `flush` or `close`.
class PcapngWriter {
 public:
  /// Begins the file that `close` puts at `path`, and writes the section header. Errors: as check_writable.
  static Result<PcapngWriter> create(const std::string& path);
  /// Takes over an open stream; `name` stands for it in errors.
  static Result<PcapngWriter> take(std::FILE* stream, std::string name);

  /// Describes a further tap; allowed at any time. `name` is what Wireshark shows ("leaf1:7").
  Result<CaptureInterface> add_interface(std::string_view name, LinkType link_type);

  /// Longer than any frame; an ERF record's length has 16 bits.
  static constexpr std::size_t kMaxPacket = 0xFF00;

  /// Writes one packet of at most kMaxPacket bytes as seen at `when` >= 0 on an interface of this file.
  Result<void> write(CaptureInterface where, Time when, std::span<const std::byte> packet);

  /// Hands everything written so far to the operating system.
  Result<void> flush();
  /// Flushes, closes and gives the file its name, unless a write has failed; no call may follow.
  Result<void> close();

 private:
  PcapngWriter(FileDraft file, std::string name) : file_(std::move(file)), name_(std::move(name)) {}
  static Result<PcapngWriter> begin(FileDraft file, std::string name);
  Result<void> put_block(std::uint32_t type);
  Result<void> fail_with(int number);

  FileDraft file_;
  std::string name_;
  std::string failure_;          // message of the first failed write
  std::vector<std::byte> body_;  // of the block being built; kept to reuse its memory
  std::vector<LinkType> interfaces_;
};

}  // namespace weft::wire
