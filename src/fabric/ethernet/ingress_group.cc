#include "fabric/ethernet/ingress_group.h"

namespace weft::fabric {
namespace {

std::uint32_t group_bytes(Bytes bytes) { return static_cast<std::uint32_t>(bytes.count()); }

}  // namespace

IngressGroup ingress_group(const PriorityOptions& priority, const HeadroomTerms& cable) {
  IngressGroup group;
  group.lossless = priority.lossless;
  group.alpha_shift = priority.ingress_alpha_shift;
  group.reserve = group_bytes(priority.reserve);
  group.xon_offset = group_bytes(priority.xon_offset);
  group.has_fixed_limit = priority.ingress_limit.has_value();
  group.fixed_limit = group_bytes(priority.ingress_limit.value_or(Bytes::zero()));
  if (priority.egress_limit && !priority.lossless && !priority.ingress_limit) {
    group.has_fixed_limit = true;  // the queue alone says whether there is room
    group.fixed_limit = 0xFFFFFFFF;
  }
  if (priority.lossless) {
    group.headroom_limit = group_bytes(priority.headroom.value_or(headroom_bytes(cable)));
  }
  return group;
}

}  // namespace weft::fabric
