// How Device finds the engine behind a slot: a switch over the closed set of kinds, for its own two files.
#pragma once

#include "base/assert.h"
#include "transport/device.h"

namespace weft::transport {

/// function(engine), whichever kind it is. The slot must exist.
template <class Self, class Function>
decltype(auto) Device::with(Self& self, QpSlot slot, Function function) {
  WEFT_DCHECK(slot.exists());
  switch (slot.kind) {
    [[likely]] case EngineKind::kRc : return function(self.rc_[Slab<RcQueuePair>::Handle(slot.index)]);
    case EngineKind::kUc:
      return function(self.uc_[Slab<UcQueuePair>::Handle(slot.index)]);
    case EngineKind::kUd:
      return function(self.ud_[Slab<UdQueuePair>::Handle(slot.index)]);
    case EngineKind::kTcp:
      return function(self.tcp_[Slab<TcpQueuePair>::Handle(slot.index)]);
    case EngineKind::kIwarp:
      return function(self.iwarp_[Slab<IwarpQueuePair>::Handle(slot.index)]);
    case EngineKind::kMemory:
      return function(self.memory_[Slab<MemoryQueuePair>::Handle(slot.index)]);
    case EngineKind::kUet:
    case EngineKind::kUetPdc:
      break;
  }
  WEFT_DCHECK(slot.kind == EngineKind::kUet);
  return function((*self.uet_)[UetEndpoint::Handle(slot.index)]);
}

}  // namespace weft::transport
