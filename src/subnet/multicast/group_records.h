// Multicast groups as subnet administration keeps them: made, joined, left and deleted by MCMemberRecord.
//
// A group is made by the first join as a full member that names what the group has (Q_Key, P_Key, TClass, SL,
// FlowLabel); it gets the lowest multicast LID that is free. Later joins may leave that out, and where they name it, it
// has to be the group's. Join states of a port add up. A port that leaves by some of its states keeps the others; a
// group whose last full member leaves is deleted with all its members, unless it is the broadcast group of IPoIB, which
// is there from the start. Ports of every state are in the group's tree. As OpenSM 3.3.23, but that rates and MTUs are
// those of its defaults and not compared with what ports can.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "subnet/multicast/spanning_tree.h"
#include "wire/member_record.h"

namespace weft::subnet {

/// Status of subnet administration.
//= ibta-1.7 15.4.2
enum class SaStatus : std::uint16_t {
  kOk = 0,
  kNoSuchMethod = 0x0008,  // of every class
  kNoResources = 0x0100,
  kInvalid = 0x0200,
  kNoRecords = 0x0300,
  kTooManyRecords = 0x0400,
  kFewComponents = 0x0600,
};

class GroupRecords {
 public:
  /// `most`: groups, by the smallest multicast table of the switches.
  explicit GroupRecords(std::size_t most = std::size_t{1} << 10U);

  struct Request {
    wire::MemberRecord record{};
    std::uint64_t components = 0;
    Guid requester{};      // port from which it came
    bool is_port = false;  // the subnet has an end port with the record's GUID
  };
  struct Answer {
    SaStatus status = SaStatus::kOk;
    wire::MemberRecord record{};
  };
  /// A Set.
  [[nodiscard]] Answer join(const Request& request);
  /// A Delete.
  [[nodiscard]] Answer leave(const Request& request);
  /// A Get: the first that the components select, by MGID and port.
  [[nodiscard]] Answer find(const Request& request) const;

  /// What the smallest table holds.
  void limit(std::size_t most) { most_ = most; }
  /// Of ports that are gone, as a sweep finds.
  void keep_ports(const std::vector<Guid>& present);

  /// Groups by their LIDs with the members that the view has.
  [[nodiscard]] std::vector<MulticastGroup> groups(const RoutingView& view) const;
  /// Whether members have changed since it was last asked.
  [[nodiscard]] bool take_change() { return std::exchange(is_changed_, false); }
  [[nodiscard]] std::size_t size() const { return groups_.size(); }

 private:
  using Mgid = std::pair<std::uint64_t, std::uint64_t>;
  struct Member {
    std::uint8_t join_state = 0;
    bool is_proxy = false;
  };
  struct Group {
    wire::MemberRecord has{};  // without a port
    bool is_permanent = false;
    std::map<Guid, Member> members{};

    [[nodiscard]] bool has_full_member() const;
  };
  [[nodiscard]] Lid free_lid() const;
  [[nodiscard]] static bool agrees(const Request& request, const wire::MemberRecord& group);

  std::size_t most_;
  std::map<Mgid, Group> groups_;
  bool is_changed_ = false;
};

}  // namespace weft::subnet
