#include "study/devices/lint_partitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "subnet/partitions/partition_file.h"

namespace weft::study::devices {
namespace {

bool is_guid(const PartitionMember& member) { return member.who.starts_with("0x"); }

/// "0x1a2b (job0)".
std::string partition_title(const PartitionSetting& one) { return fmt::format("{:#06x} ({})", one.p_key, one.name); }

class PartitionLint {
 public:
  PartitionLint(const DeviceConfig& device, const DeviceConfig& right, std::vector<Finding>& findings)
      : device_(device), own_(device.manager.partitions), right_(right.manager.partitions), findings_(findings) {
    std::set<std::string> planned;
    for (const PartitionSetting& one : right_) {
      for (const PartitionMember& member : one.members) {
        planned.insert(member.who);
      }
    }
    real_hosts_ = std::ranges::none_of(own_, [&](const PartitionSetting& one) {
      return std::ranges::any_of(
          one.members, [&](const PartitionMember& member) { return is_guid(member) && planned.contains(member.who); });
    });
  }

  void all() {
    for (const PartitionSetting& wanted : right_) {
      const std::vector<PartitionMember> found = members(wanted.p_key);
      if (std::ranges::none_of(own_, [&](const PartitionSetting& one) { return one.p_key == wanted.p_key; })) {
        add(device_.where(""), "no partition " + partition_title(wanted),
            fmt::format("its {} members; without it they reach only the manager, or each other through a partition "
                        "that others are in too",
                        wanted.members.size()));
      } else if (wanted.p_key == subnet::kDefaultPartition) {
        of_default(wanted, found);
      } else if (real_hosts_) {
        of_real_hosts(wanted, found);
      } else {
        of_job(wanted, found);
      }
    }
    for (const PartitionSetting& one : own_) {
      if (std::ranges::none_of(right_, [&](const PartitionSetting& each) { return each.p_key == one.p_key; })) {
        add(one.members.empty() ? device_.where("") : one.members.front().place, "partition " + partition_title(one),
            "none: the plan has no such partition; its members may talk to one another, whatever their job");
      }
    }
    if (real_hosts_) {
      shared_hosts();
    }
  }

 private:
  void add(std::string place, std::string what, std::string should) {
    findings_.push_back({.rule = "partitions",
                         .device = device_.name,
                         .place = std::move(place),
                         .what = std::move(what),
                         .right = std::move(should),
                         .no_cost = "who may talk to whom takes no time"});
  }

  /// Of all definitions with that key.
  [[nodiscard]] std::vector<PartitionMember> members(std::uint16_t p_key) const {
    std::vector<PartitionMember> made;
    for (const PartitionSetting& one : own_) {
      if (one.p_key == p_key) {
        made.insert(made.end(), one.members.begin(), one.members.end());
      }
    }
    return made;
  }

  static const PartitionMember* named_in(const std::vector<PartitionMember>& members, const std::string& who) {
    const auto found = std::ranges::find(members, who, &PartitionMember::who);
    return found == members.end() ? nullptr : &*found;
  }

  /// Every host reaches the manager by it, and no other host.
  void of_default(const PartitionSetting& wanted, const std::vector<PartitionMember>& found) {
    for (const PartitionMember& one : found) {
      const PartitionMember* right = named_in(wanted.members, one.who);
      if (one.full && (right == nullptr || !right->full)) {
        add(one.place, fmt::format("{}=full in the default partition", one.who),
            fmt::format("{}=limited, as the plan has it: full members of the default partition reach every host, "
                        "whatever its job",
                        one.who));
      }
    }
    for (const PartitionMember& one : wanted.members) {
      const PartitionMember* own = named_in(found, one.who);
      if (own == nullptr || (one.full && !own->full)) {
        add(own == nullptr ? device_.where("") : own->place,
            fmt::format("{} is {} of the default partition", one.who,
                        own == nullptr ? "no member" : "a limited member"),
            fmt::format("{}={}, as the plan has it: hosts and the manager do not reach each other", one.who,
                        one.full ? "full" : "limited"));
      }
    }
  }

  /// Members by their names: those of a job, or those that a file of the plan gives, of which some may be limited.
  void of_job(const PartitionSetting& wanted, const std::vector<PartitionMember>& found) {
    for (const PartitionMember& one : found) {
      of_found(wanted, one);
    }
    for (const PartitionMember& one : wanted.members) {
      of_wanted(wanted, one, found);
    }
  }

  void of_found(const PartitionSetting& wanted, const PartitionMember& one) {
    const PartitionMember* right = named_in(wanted.members, one.who);
    if (right == nullptr) {
      add(one.place, fmt::format("{} is in partition {}", one.who, partition_title(wanted)),
          "not in it, as the plan has it: it reaches the hosts of that job");
    } else if (one.full && !right->full) {
      add(one.place, fmt::format("{} is a full member of partition {}", one.who, partition_title(wanted)),
          fmt::format("{}=limited, as the plan has it: full members reach every other, limited ones the full alone",
                      one.who));
    }
  }

  void of_wanted(const PartitionSetting& wanted, const PartitionMember& one,
                 const std::vector<PartitionMember>& found) {
    const PartitionMember* own = named_in(found, one.who);
    if (own == nullptr || (one.full && !own->full)) {
      add(own == nullptr ? place_of_job(wanted.p_key) : own->place,
          fmt::format("{} is {} of partition {}", one.who, own == nullptr ? "no member" : "a limited member",
                      partition_title(wanted)),
          one.full ? fmt::format("{}=full, as the plan has it: it does not reach its job's other hosts", one.who)
                   : fmt::format("{}=limited, as the plan has it: it does not reach the full members", one.who));
    }
  }

  /// GUIDs are those of hosts that the plan does not know, and are counted; words such as ALL mean what they do there.
  void of_real_hosts(const PartitionSetting& wanted, const std::vector<PartitionMember>& found) {
    const auto guids = [](const std::vector<PartitionMember>& members, bool full) {
      return std::ranges::count_if(
          members, [full](const PartitionMember& member) { return is_guid(member) && member.full == full; });
    };
    const auto limited = guids(wanted.members, false);
    for (const PartitionMember& one : found) {
      if (is_guid(one)) {
        if (!one.full && limited == 0) {
          add(one.place, fmt::format("{} is a limited member of partition {}", one.who, partition_title(wanted)),
              "full, as the plan has it: it does not reach limited members of its own job");
        }
      } else if (named_in(wanted.members, one.who) != nullptr) {
        of_found(wanted, one);
      } else {
        add(one.place, fmt::format("{} is in partition {}", one.who, partition_title(wanted)),
            "the hosts of that job alone, as the plan has it: all others reach them too");
      }
    }
    for (const PartitionMember& one : wanted.members) {
      if (!is_guid(one)) {
        of_wanted(wanted, one, found);
      }
    }
    if (found.size() != wanted.members.size()) {
      add(place_of_job(wanted.p_key), fmt::format("{} members of partition {}", found.size(), partition_title(wanted)),
          fmt::format("{}, as the plan has it", wanted.members.size()));
    } else if (limited > 0 && guids(found, true) != guids(wanted.members, true)) {
      add(place_of_job(wanted.p_key),
          fmt::format("{} hosts are full members of partition {}", guids(found, true), partition_title(wanted)),
          fmt::format("{}, as the plan has it, and {} limited", guids(wanted.members, true), limited));
    }
  }

  /// Where no port of the plan is in two jobs.
  void shared_hosts() {
    std::set<std::string> planned;
    for (const PartitionSetting& one : right_) {
      for (const PartitionMember& member : one.members) {
        if (is_guid(member) && !planned.insert(member.who).second) {
          return;
        }
      }
    }
    std::map<std::string, std::uint16_t> first;
    for (const PartitionSetting& one : own_) {
      for (const PartitionMember& member : one.members) {
        const bool of_job = is_guid(member) && one.p_key != subnet::kDefaultPartition;
        if (of_job && first.try_emplace(member.who, one.p_key).first->second != one.p_key) {
          add(member.place, fmt::format("{} is in a second job's partition, {}", member.who, partition_title(one)),
              "one partition: it reaches the hosts of both jobs");
        }
      }
    }
  }

  [[nodiscard]] std::string place_of_job(std::uint16_t p_key) const {
    const std::vector<PartitionMember> found = members(p_key);
    return found.empty() ? device_.where("") : found.front().place;
  }

  const DeviceConfig& device_;
  const std::vector<PartitionSetting>& own_;
  const std::vector<PartitionSetting>& right_;
  std::vector<Finding>& findings_;
  bool real_hosts_ = false;
};

}  // namespace

bool has_job_partitions(const DeviceConfig& right) { return right.manager.partitions.size() > 1; }

void lint_partitions(const DeviceConfig& device, const DeviceConfig& right, std::vector<Finding>& findings) {
  PartitionLint(device, right, findings).all();
}

}  // namespace weft::study::devices
