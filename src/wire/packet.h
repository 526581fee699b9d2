// The packet as engines, NICs and switches see it: decoded headers, and a reference to the payload in place of bytes.
//
// A packet is two records. `Packet` (64 bytes) is enough for almost every packet: 32 bytes that a fabric reads and
// writes (`common`), 32 bytes of transport header that only the two engines read. `ColdPacket` (72 bytes) holds what
// few packets carry; it is valid only when `common.flags` has kHasCold. Neither owns anything. Payload bytes, in runs
// that carry data, travel beside the records (transport/packet_io.h); lengths alone are in the hot record.
#pragma once

#include <array>
#include <cstdint>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/psn.h"
#include "wire/telemetry.h"
#include "wire/uet_header.h"

namespace weft::wire {

/// Which engine a packet belongs to, and so which member of the transport union holds its header.
enum class PacketKind : std::uint8_t { kInfiniBandTransport, kTcp, kUet, kMemory, kFlowControl, kManagement };

/// How the transport header is wrapped on the wire; decides the sizes (wire/encapsulation.h).
enum class Encapsulation : std::uint8_t {
  kIbLocal,
  kIbGlobal,
  kRoceV1,
  kRoceV2Ipv4,
  kRoceV2Ipv6,
  kTcpIpv4,
  kTcpIpv6,
  kUetUdpIpv4,
  kUetUdpIpv6,
  kUetIpv4,  // native: an entropy header in place of UDP's
  kUetIpv6,
};

/// The two ECN bits of an IP header. InfiniBand marks FECN in the BTH instead, from the same field.
//= rfc3168 5
enum class Ecn : std::uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };

/// What a fabric may read and write of a packet. Everything in it is hop state or an address.
struct PacketCommon {
  EndpointId source;
  EndpointId destination;
  std::uint16_t frame_bytes = 0;    // occupies buffers, counts for credits and ECN
  std::uint16_t wire_bytes = 0;     // with preamble and gap where the link has them; decides serialisation time
  std::uint16_t payload_bytes = 0;  // of the message, without padding
  std::uint16_t entropy = 0;        // UDP source port, flow label or entropy value: what load balancing hashes
  PacketKind kind = PacketKind::kInfiniBandTransport;
  Encapsulation encapsulation = Encapsulation::kRoceV2Ipv4;
  std::uint8_t priority = 0;       // 802.1p priority, or virtual lane
  std::uint8_t traffic_class = 0;  // DSCP, or service level
  Ecn ecn = Ecn::kNotEct;
  std::uint8_t hop_limit = 64;
  std::uint8_t flags = 0;  // PacketFlag bits
  std::uint8_t hop_scratch = 0;
  std::uint32_t flow_hash = 0;  // of the 5-tuple, filled by the sender's NIC; switches mix their seeds into it
  std::uint32_t cold = 0;       // handle of the cold record, meaningful with kHasCold
};
static_assert(sizeof(PacketCommon) == 32);

/// Bits of PacketCommon::flags.
enum PacketFlag : std::uint8_t {
  kHasCold = 1 << 0,    // a ColdPacket belongs to this packet
  kCorrupted = 1 << 1,  // damaged on a link: the receiver's CRC check discards it
  kControl = 1 << 2,    // acknowledgement or notification: may travel in a class of its own
  kUnordered = 1 << 3,  // its transport takes packets in any order: switches may send them over any path
  kTelemetry = 1 << 4,  // the cold record holds telemetry: to be added to by switches, or with kControl to be returned
  kTrimmable = 1 << 5,  // a switch without room may cut the payload off and let the headers pass
  kTrimmed = 1 << 6,    // that has happened: payload_bytes is 0, and the sizes are those of what is left
  kTrimmedLastHop = 1 << 7,  // with kTrimmed: at the link to the receiver
};

/// Bits of IbTransportHeader::flags, from the base transport header.
enum BthFlag : std::uint8_t {
  kBthSolicited = 1 << 0,
  kBthMigrated = 1 << 1,
  kBthAckRequest = 1 << 2,
  kBthFecn = 1 << 3,
  kBthBecn = 1 << 4,
};

/// Remote address of an RDMA request, or of an atomic one (whose operands are in the cold record).
struct RethFields {
  std::uint64_t virtual_address;
  std::uint32_t remote_key;
  std::uint32_t dma_length;
};
/// Addressing of a datagram.
struct DethFields {
  std::uint32_t queue_key;
  std::uint32_t source_qp;
};
/// Acknowledgement; `original_data` is meaningful in an atomic acknowledgement only.
struct AethFields {
  std::uint64_t original_data;
  Psn msn;
  std::uint8_t syndrome;
};

/// Base transport header with the extension header that its opcode calls for. One engine serves InfiniBand, RoCEv1
/// and RoCEv2 with it. 32 bytes.
//= ibta-1.7 9.2
struct IbTransportHeader {
  union {
    RethFields reth{};
    DethFields deth;
    AethFields aeth;
  };
  std::uint32_t immediate = 0;  // immediate data, or the R_Key to invalidate
  Psn psn;
  std::uint32_t destination_qp = 0;  // 24 bits
  std::uint8_t opcode = 0;           // wire/opcode.h
  std::uint8_t flags = 0;            // BthFlag bits
  std::uint16_t partition_key = 0xFFFF;

  [[nodiscard]] bool has(BthFlag flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(IbTransportHeader) == 32);

/// Bits of TcpHeader::flags, as on the wire.
//= rfc9293 3.1
enum TcpFlag : std::uint8_t {
  kTcpFin = 1 << 0,
  kTcpSyn = 1 << 1,
  kTcpRst = 1 << 2,
  kTcpPsh = 1 << 3,
  kTcpAck = 1 << 4,
  kTcpUrg = 1 << 5,
  kTcpEce = 1 << 6,
  kTcpCwr = 1 << 7,
};

/// Bits of TcpHeader::options: which of the option fields the segment carries.
enum TcpOptionBit : std::uint8_t {
  kTcpHasTimestamps = 1 << 0,
  kTcpHasWindowScale = 1 << 1,
  kTcpSackPermitted = 1 << 2,
};

/// TCP header with the options that the engine uses; no initial values, TcpHeader{} is all zeros. 32 bytes.
//= rfc9293 3.1
struct TcpHeader {
  std::uint32_t sequence;
  std::uint32_t acknowledgement;
  std::uint32_t timestamp;
  std::uint32_t timestamp_echo;
  std::uint32_t connection;  // the receiver's number of the connection; not on the wire, where addresses and ports
                             // stand for it
  std::uint16_t source_port;
  std::uint16_t destination_port;
  std::uint16_t window;  // as on the wire, not scaled
  std::uint16_t mss;     // option of a SYN; 0 = absent
  std::uint8_t flags;    // TcpFlag bits
  std::uint8_t window_scale;
  std::uint8_t options;      // TcpOptionBit bits
  std::uint8_t sack_blocks;  // how many of ColdPacket::tcp_sack are carried, 0 to 4

  [[nodiscard]] constexpr bool has(TcpFlag flag) const { return (flags & flag) != 0; }
  [[nodiscard]] constexpr bool has(TcpOptionBit option) const { return (options & option) != 0; }
};
static_assert(sizeof(TcpHeader) == 32);

/// What a unit of a scale-up link asks or answers.
enum class MemoryOperation : std::uint8_t {
  kStore,     // data for an address
  kSend,      // data for the receive request that is next
  kLoad,      // asks for data
  kLoadData,  // the answer, in the order of the requests
  kStoreAck,  // all messages before `message` are executed
  kRefusal,   // the same, and `message` cannot be: `status` says why
  kWait,      // the same, and `message` waits for a receive request
};

/// Bits of MemoryHeader::flags.
enum MemoryFlag : std::uint8_t {
  kMemoryFirst = 1 << 0,  // of its message
  kMemoryLast = 1 << 1,
  kMemoryImmediate = 1 << 2,
  kMemorySolicited = 1 << 3,
};

/// Header of a unit: what stands for several wire packets of a scale-up protocol. 32 bytes.
struct MemoryHeader {
  std::uint64_t address;
  std::uint32_t remote_key;
  std::uint32_t destination_qp;
  std::uint32_t message;   // number of the message within the connection's direction
  std::uint32_t offset;    // of this unit within its message
  std::uint32_t argument;  // immediate data with kMemoryImmediate; of a load: bytes asked for
  MemoryOperation operation;
  std::uint8_t flags;   // MemoryFlag bits
  std::uint8_t status;  // of a refusal: the requester's completion status

  [[nodiscard]] constexpr bool has(MemoryFlag flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(MemoryHeader) == 32);

/// The hot record: one cache line.
struct Packet {
  PacketCommon common;
  union {
    IbTransportHeader ib{};
    TcpHeader tcp;
    MemoryHeader memory;
    UetHeader uet;
    std::array<std::byte, 32> raw;  // the transports that come later; the union stays closed at 32 bytes
  };

  [[nodiscard]] bool has(PacketFlag flag) const { return (common.flags & flag) != 0; }
};
static_assert(sizeof(Packet) == 64);

/// Operands of an atomic request.
struct AtomicOperands {
  std::uint64_t swap_or_add;
  std::uint64_t compare;
};

/// Selective acknowledgement: bit i of the bitmap (bit 0 of word 0 first) stands for PSN `base + i`; a set bit means
/// received. Form: docs/decisions (selective repeat).
struct SackBitmap {
  static constexpr int kBits = 128;
  std::array<std::uint64_t, 2> words{};
  Psn base;
  bool duplicate = false;  // a request has arrived a second time since the last acknowledgement
  bool marked = false;     // the acknowledgement's own entropy is that of a packet that arrived with a congestion mark

  [[nodiscard]] bool test(int bit) const { return ((words[static_cast<unsigned>(bit) / 64] >> (bit % 64)) & 1U) != 0; }
  void set(int bit) { words[static_cast<unsigned>(bit) / 64] |= std::uint64_t{1} << (bit % 64); }
  [[nodiscard]] bool any() const { return (words[0] | words[1]) != 0; }
};

/// A run of bytes that a TCP receiver has beyond the acknowledgement: sequence numbers, `end` exclusive.
//= rfc2018 3
struct TcpSackBlock {
  std::uint32_t begin;
  std::uint32_t end;

  friend constexpr bool operator==(TcpSackBlock, TcpSackBlock) = default;
};
/// As many as 40 bytes of options hold; with timestamps three of them.
inline constexpr std::size_t kMaxTcpSackBlocks = 4;

/// The cold record: what few packets carry. An atomic request, a TCP segment, a UET packet and one with telemetry are
/// never the same packet.
struct ColdPacket {
  SackBitmap sack;
  union {
    Telemetry telemetry{};
    AtomicOperands atomic;
    std::array<TcpSackBlock, kMaxTcpSackBlocks> tcp_sack;
    UetExtension uet;
  };
};
static_assert(sizeof(ColdPacket) == 72);

}  // namespace weft::wire
