#include "transport/congestion/fixed_window.h"

namespace weft::transport {

FixedWindow::FixedWindow(Bytes window) : CongestionControl(Acks::kIgnored), window_(window) {
  WEFT_ASSERT(window > Bytes::zero());
  set_steady({});
}

}  // namespace weft::transport
