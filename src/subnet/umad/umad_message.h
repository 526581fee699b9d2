// Datagrams between a program under libumad2sim and its server: control messages, and packets with a MAD.
//
// Both ends run on one machine: numbers are in its byte order, but for LIDs, queue pairs and lengths, which keep that
// of the network within a number of the machine. Source: include/ibsim.h of ibsim 0.10, the layout that Debian's
// libumad2sim has; control messages are 80 bytes, packets 288.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "subnet/agent/mad_packet.h"

namespace weft::subnet {

enum class UmadControlType : std::uint32_t {
  kError,  // as an answer alone
  kConnect,
  kDisconnect,
  kGetPort,
  kGetVendor,
  kGetGid,
  kGetGuid,
  kGetNodeInfo,
  kGetPortInfo,
  kSetIsSm,
  kGetPKeys,
};

struct UmadControl {
  static constexpr std::size_t kSize = 80;
  static constexpr std::uint32_t kMagic = 0xDEADBEEF;
  static constexpr std::size_t kDataSize = 64;

  std::uint32_t client = 0;
  UmadControlType type = UmadControlType::kError;
  std::uint32_t length = 0;  // bytes of data that the program takes
  std::array<std::byte, kDataSize> data{};

  /// Errors: another size, another magic number, a type that there is none of.
  [[nodiscard]] static Result<UmadControl> parse(std::span<const std::byte> bytes);
  [[nodiscard]] std::array<std::byte, kSize> emit() const;

  friend bool operator==(const UmadControl&, const UmadControl&) = default;
};

/// The data of kConnect.
struct UmadConnect {
  std::uint32_t id = 0;  // in the request of the process, in the answer of the client
  std::uint32_t qp = 0;
  std::uint32_t is_sm = 0;
  std::string node{};  // at most 31 bytes; empty: any

  [[nodiscard]] static UmadConnect parse(const UmadControl& control);
  void emit(UmadControl& control) const;
};

struct UmadPacket {
  static constexpr std::size_t kSize = 288;
  static constexpr std::uint32_t kTimedOut = 110;  // Linux's ETIMEDOUT

  MadPacket packet{};
  /// Of a request that comes back to its program without an answer: kTimedOut.
  std::uint32_t status = 0;

  /// Errors: another size, a MAD longer than 256 bytes.
  [[nodiscard]] static Result<UmadPacket> parse(std::span<const std::byte> bytes);
  [[nodiscard]] std::array<std::byte, kSize> emit() const;

  friend bool operator==(const UmadPacket&, const UmadPacket&) = default;
};

}  // namespace weft::subnet
