#include "verbs/provider.h"

namespace weft::verbs {

Result<void> Provider::attach_mcast(Qpn, const MulticastGroup&) {
  return fail("attach_mcast: this device has no multicast; UD queue pairs of InfiniBand have");
}

Result<void> Provider::detach_mcast(Qpn, const MulticastGroup&) {
  return fail("detach_mcast: this device has no multicast; UD queue pairs of InfiniBand have");
}

}  // namespace weft::verbs
