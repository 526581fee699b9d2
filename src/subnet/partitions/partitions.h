// Partitions of a subnet: what OpenSM makes of a `partitions.conf`, which ports have which P_Keys, and who may talk to
// whom.
//
// Before the first rule all ports are limited members of the default partition 0x7FFF, and the manager's port is a full
// one; a later rule for a port takes the place of an earlier one in the same partition. Rules with one P_Key, or
// without one and with one name, are of one partition; others without a P_Key get the first from 1 on that is free
// then. Two ports may talk where both are members of a partition and one of them is a full member.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "subnet/partitions/partition_file.h"
#include "subnet/routing_view.h"

namespace weft::subnet {

struct Partition {
  std::uint16_t p_key = 0;  // 15 bits
  std::string name{};       // of the first rule, at most 31 characters
  bool index0 = false;
  bool ipoib = false;
  std::map<EndPortIndex, Membership> members{};
};

struct Partitions {
  std::vector<Partition> all;  // the default one first, then as the file names them
  /// Per end port of the view, in the order of `all`: P_Keys with kFullMember.
  std::vector<std::vector<std::uint16_t>> keys;
  std::vector<MemberRule> unknown;  // rules for GUIDs of no end port, which OpenSM passes over
  /// Groups of IP multicast whose GID has the P_Key of another partition, which OpenSM leaves out.
  std::vector<MulticastRule> foreign;
};

/// Errors: no P_Key is left for a rule that asks for one.
[[nodiscard]] Result<Partitions> assign_partitions(const RoutingView& view, const std::vector<PartitionRule>& rules);

/// The P_Keys, of 15 bits, by which two ports with these tables may talk.
[[nodiscard]] std::vector<std::uint16_t> shared_keys(const std::vector<std::uint16_t>& a,
                                                     const std::vector<std::uint16_t>& b);

}  // namespace weft::subnet
