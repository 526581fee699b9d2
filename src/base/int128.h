// 128-bit integers, for products of two 64-bit quantities. GCC and Clang have them on every 64-bit platform.
#pragma once

namespace weft {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

}  // namespace weft
