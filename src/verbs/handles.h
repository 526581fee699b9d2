// Handles of the objects a device owns: valid until the object is destroyed, then good for nothing until the slot
// they name has been reused 4,096 times (verbs/object_table.h).
#pragma once

#include "base/ids.h"

namespace weft::verbs {

using PdHandle = Id<struct ProtectionDomainTag>;
using CqHandle = Id<struct CompletionQueueTag>;
using SrqHandle = Id<struct SharedReceiveQueueTag>;
using AddressHandle = Id<struct AddressHandleTag>;

}  // namespace weft::verbs
