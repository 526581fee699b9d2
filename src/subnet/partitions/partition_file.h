// OpenSM's `partitions.conf`: which ports are members of which partitions, as text, read and written.
//
//   # name, P_Key, flags                : members
//   Default=0x7fff, ipoib               : ALL, SELF=full ;
//   storage=0x80, defmember=full        : 0x0002c90000000011, 0x0002c90000000021=limited ;
//   storage=0x80, ipoib, rate=7, mtu=5  :
//           mgid=ff12:401b::0707, sl=1
//           ALL_SWITCHES=full ;
//
// A definition ends with ":" in its line, members and multicast groups go on over lines up to ";". What OpenSM 3.3.23
// passes over in silence (a membership that is none, a flag that it does not know, an abbreviation, a group that it
// does not make) is a warning here; what makes it refuse the file, so that every port has full membership of the
// default partition, is an error. Source: its manual page, and what it does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "subnet/subnet.h"
#include "subnet/topology_file.h"

namespace weft::subnet {

/// In P_Keys the most significant bit says full membership.
inline constexpr std::uint16_t kFullMember = 0x8000;
inline constexpr std::uint16_t kDefaultPartition = 0x7FFF;
inline constexpr std::size_t kKnownOfName = 31;  // characters that OpenSM keeps of a partition's name

enum class Membership : std::uint8_t { kLimited, kFull };

enum class MemberKind : std::uint8_t { kPort, kAll, kAllAdapters, kAllSwitches, kAllRouters, kSelf };
/// "ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF"; of kPort empty.
[[nodiscard]] std::string_view to_string(MemberKind kind);

struct MemberRule {
  MemberKind kind = MemberKind::kPort;
  Guid port{};  // of kPort
  Membership membership = Membership::kLimited;
  std::size_t line = 0;  // where it stands
  std::size_t column = 0;
};

/// What multicast groups have; rates and MTUs by their numbers in IBTA.
struct GroupFlags {
  std::optional<std::uint8_t> rate{};  // 0 to 63; 0: OpenSM's default
  std::optional<std::uint8_t> mtu{};   // 0 to 5; 0: OpenSM's default
  std::optional<std::uint8_t> sl{};    // 0 to 15
  std::vector<std::uint8_t> scopes{};  // 1 to 15, each once
  std::optional<std::uint32_t> q_key{};
  std::optional<std::uint8_t> traffic_class{};
  std::optional<std::uint32_t> flow_label{};  // 20 bits

  friend bool operator==(const GroupFlags&, const GroupFlags&) = default;
};

struct MulticastRule {
  std::string mgid;  // as it was written
  GroupFlags flags;
  std::size_t line = 0;  // where the mgid stands
  std::size_t column = 0;
};

struct PartitionRule {
  std::string name{};       // of more than 31 characters the first 31 and "~"
  std::uint16_t p_key = 0;  // 15 bits; 0: to be chosen
  bool index0 = false;      // at the beginning of the tables of P_Keys
  bool ipoib = false;       // with a broadcast group of IPoIB
  GroupFlags flags{};       // of that group
  Membership default_member = Membership::kLimited;
  std::vector<MulticastRule> groups{};
  std::vector<MemberRule> members{};
};

struct PartitionFile {
  std::vector<PartitionRule> rules;
  std::vector<std::string> warnings;  // "file:line:column: ..."
};

/// Errors, with line and column and what would be right: no partition at all, a line without ":" where a definition has
/// to begin, a P_Key or a GUID that is no number, an mgid whose line OpenSM does not read to its end, a line longer
/// than OpenSM's buffer, a line that begins with ";".
[[nodiscard]] Result<PartitionFile> parse_partitions(const TopologyText& source);

/// A file that reads as the same rules, and as the same to OpenSM; a group without flags has its service level written.
[[nodiscard]] std::string write_partitions(const std::vector<PartitionRule>& rules);

}  // namespace weft::subnet
