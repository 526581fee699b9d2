#include "fabric/hash/hash_function.h"

#include <array>

#include "fabric/hash/crc16.h"
#include "fabric/hash/crc16_ccitt.h"
#include "fabric/hash/crc32.h"
#include "fabric/hash/mixed.h"
#include "fabric/hash/toeplitz.h"
#include "fabric/hash/xor_fold.h"

namespace weft::fabric {
namespace {

constexpr std::array<HashFunctionRow, 6> kHashFunctions = {{
    {.function = HashFunction::kMixed, .word = "mixed", .bits = 32, .of = hash_mixed},
    {.function = HashFunction::kCrc16, .word = "crc-16", .bits = 16, .of = hash_crc16},
    {.function = HashFunction::kCrc16Ccitt, .word = "crc-16-ccitt", .bits = 16, .of = hash_crc16_ccitt},
    {.function = HashFunction::kCrc32, .word = "crc-32", .bits = 32, .of = hash_crc32},
    {.function = HashFunction::kXorFold, .word = "xor-fold", .bits = 16, .of = hash_xor_fold},
    {.function = HashFunction::kToeplitz, .word = "toeplitz", .bits = 32, .of = hash_toeplitz},
}};

}  // namespace

std::span<const HashFunctionRow> hash_functions() { return kHashFunctions; }

const HashFunctionRow& row_of(HashFunction function) { return kHashFunctions[static_cast<std::size_t>(function)]; }

}  // namespace weft::fabric
