#include "transport/device_options.h"

#include <string_view>

namespace weft::transport {
namespace {

struct Bounded {
  std::string_view name;
  std::uint32_t value;
  std::uint32_t limit;
};

Result<void> check(std::string_view verb, const Bounded& bounded) {
  if (bounded.value <= bounded.limit)
    return {};
  return fail("{}: {} is {}; the device allows {}", verb, bounded.name, bounded.value, bounded.limit);
}

}  // namespace

Result<void> check_limits(const verbs::QpInitAttributes& init, const DeviceLimits& limits) {
  for (const Bounded& bounded : {Bounded{"max_send_wr", init.max_send_wr, limits.max_qp_wr},
                                 Bounded{"max_recv_wr", init.max_recv_wr, limits.max_qp_wr},
                                 Bounded{"max_send_sge", init.max_send_sge, limits.max_sge},
                                 Bounded{"max_recv_sge", init.max_recv_sge, limits.max_sge},
                                 Bounded{"max_inline_data", init.max_inline_data, limits.max_inline_data}}) {
    if (Result<void> fits = check("create_qp", bounded); !fits)
      return fits;
  }
  return {};
}

Result<void> check_limits(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                          const DeviceOptions& options) {
  if ((mask & verbs::kQpPathMtu) != 0 && attributes.path_mtu > options.active_mtu) {
    return fail("modify_qp: path_mtu is {}; the port's MTU is {}", verbs::to_bytes(attributes.path_mtu).count(),
                verbs::to_bytes(options.active_mtu).count());
  }
  const std::uint32_t limit = options.limits.max_qp_rd_atom;
  if ((mask & verbs::kQpMaxQpRdAtomic) != 0 && attributes.max_rd_atomic > limit)
    return check("modify_qp", {"max_rd_atomic", attributes.max_rd_atomic, limit});
  if ((mask & verbs::kQpMaxDestRdAtomic) != 0 && attributes.max_dest_rd_atomic > limit)
    return check("modify_qp", {"max_dest_rd_atomic", attributes.max_dest_rd_atomic, limit});
  return {};
}

}  // namespace weft::transport
