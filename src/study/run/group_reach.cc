#include "study/run/group_reach.h"

#include "workload/collective/member_layout.h"

namespace weft::study::run {
namespace {

/// Whether the members reach whom they send to: of pipelines their neighbours either way, of other groups all, by way
/// of others.
bool all_reached(const workload::Communicator& group, const workload::MemberLayout& members) {
  if (!group.name.starts_with("pp-")) {
    return members.reach() != workload::Reach::kNotAll;
  }
  for (std::uint32_t next = 1; next < members.size(); ++next) {
    const workload::MemberIndex here(next - 1);
    const workload::MemberIndex there(next);
    if (!members.reaches(here, there) || !members.reaches(there, here)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<void> check_groups(std::span<const workload::Communicator> groups, const workload::JobLayout& layout) {
  for (const workload::Communicator& group : groups) {
    if (!all_reached(group, workload::MemberLayout(group, layout))) {
      return fail(
          "the NICs of the {} ranks of group {} are in disconnected parts of the network (rails without spines), and "
          "scale-up links do not connect all of them",
          group.members.size(), group.name);
    }
  }
  return {};
}

}  // namespace weft::study::run
