// The memory behind a scale-up port, where it may be slower than the wire.
#pragma once

#include "base/data_size.h"
#include "base/time.h"

namespace weft::fabric {

class ReceiveMemory {
 public:
  virtual ~ReceiveMemory() = default;
  /// So many bytes have arrived; not before now: when they are written and their place in the port's buffer is free.
  virtual Time write(Bytes payload, Time now) = 0;
};

}  // namespace weft::fabric
