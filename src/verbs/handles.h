// Handles of the objects a device owns. Each is an index into the device's tables, valid until the object is destroyed.
#pragma once

#include "base/ids.h"

namespace weft::verbs {

using PdHandle = Id<struct ProtectionDomainTag>;
using CqHandle = Id<struct CompletionQueueTag>;
using SrqHandle = Id<struct SharedReceiveQueueTag>;
using AddressHandle = Id<struct AddressHandleTag>;

}  // namespace weft::verbs
