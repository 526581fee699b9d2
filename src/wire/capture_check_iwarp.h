// Finds the iWARP connections of a capture and checks every FPDU: markers, CRC where one was agreed on, and that
// emitting what was parsed (FPDU, DDP, RDMAP) gives the captured bytes again.
//
// A connection is iWARP if the first bytes seen of one direction are an MPA request. Connections that were up before
// the capture began are not found. Memory is bounded: 4,096 connections, and per direction one FPDU and what
// wire/tcp_reassembly.h keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/mpa.h"
#include "wire/pcap_reader.h"
#include "wire/tcp_reassembly.h"

namespace weft::wire {

struct IwarpCounts {
  std::uint64_t packets = 0;  // TCP segments with bytes of a connection that is iWARP
  std::uint64_t connections = 0;
  std::uint64_t start_frames = 0;  // MPA requests and replies
  std::uint64_t fpdus = 0;
  std::uint64_t verified = 0;   // FPDUs whose CRC was agreed on and is right
  std::uint64_t reemitted = 0;  // frames of both kinds that parse and emit gave the same bytes for

  friend bool operator==(const IwarpCounts&, const IwarpCounts&) = default;
};

class IwarpCheck {
 public:
  static constexpr std::size_t kMaxConnections = 4096;

  /// Called with what is wrong with the frame that ends in the packet just added.
  using Sink = std::function<void(std::string_view what)>;
  /// Called with the text (wire/iwarp_text.h) of each frame that ends in the packet just added.
  using FrameSink = std::function<void(std::string_view frame)>;

  IwarpCheck() = default;
  explicit IwarpCheck(FrameSink on_frame) : on_frame_(std::move(on_frame)) {}

  /// True if the packet belongs to an iWARP connection.
  bool add(CaptureLink link, const CapturedPacket& packet, const Sink& on_fault);
  /// After the last packet: bytes that never came.
  void finish(const Sink& on_fault) const;
  [[nodiscard]] const IwarpCounts& counts() const { return counts_; }

 private:
  enum class Phase : std::uint8_t { kStart, kOperation, kForeign, kLost };
  /// What one end sends.
  struct Direction {
    TcpReassembly reassembly{};
    std::vector<std::byte> pending{};  // in order, not yet parsed
    Phase phase = Phase::kStart;
    bool wants_markers = false;  // in what it receives
    bool wants_crc = false;
    std::uint64_t place = 0;  // in the stream of full operation
  };
  struct Connection {
    Direction directions[2]{};  // of the smaller end first
    bool iwarp = false;
  };
  using Key = std::pair<TcpEndpoint, TcpEndpoint>;  // the smaller end first

  void read(Connection& connection, int index, const Sink& on_fault);
  [[nodiscard]] bool read_start_frame(Connection& connection, int index, const Sink& on_fault);
  [[nodiscard]] bool read_fpdu(Connection& connection, int index, const Sink& on_fault);
  void check_fpdu(std::span<const std::byte> bytes, std::uint64_t place, MpaForm form, const Sink& on_fault);

  FrameSink on_frame_;  // may be none
  std::map<Key, Connection> connections_;
  IwarpCounts counts_;
};

}  // namespace weft::wire
