// Access rights of memory, as `ibv_access_flags`: what a key may be used for.
#pragma once

#include <cstdint>

namespace weft::verbs {

/// Bits of an access mask. Local read is always granted.
//= ibta-1.7 11.2.8
enum AccessFlag : std::uint8_t {
  kAccessLocalWrite = 1 << 0,
  kAccessRemoteWrite = 1 << 1,  // needs kAccessLocalWrite too
  kAccessRemoteRead = 1 << 2,
  kAccessRemoteAtomic = 1 << 3,  // needs kAccessLocalWrite too
};
using AccessMask = std::uint8_t;
constexpr AccessMask kAccessAll = kAccessLocalWrite | kAccessRemoteWrite | kAccessRemoteRead | kAccessRemoteAtomic;

}  // namespace weft::verbs
