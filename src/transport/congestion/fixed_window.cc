#include "transport/congestion/fixed_window.h"

namespace weft::transport {

FixedWindow::FixedWindow(Bytes window) : window_(window) { WEFT_ASSERT(window > Bytes::zero()); }

}  // namespace weft::transport
