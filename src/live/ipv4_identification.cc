#include "live/ipv4_identification.h"

#include <array>

namespace weft::live {
namespace {

// Polynomials over GF(2) modulo the CRC's, as zlib and the wire have them: bit 31 is the coefficient of x^0.
constexpr std::uint32_t kPolynomial = 0xEDB88320;
constexpr std::uint32_t kOne = 0x80000000;

constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (; a != 0; a <<= 1) {
    product ^= b & (0U - (a >> 31));
    b = (b >> 1) ^ (kPolynomial & (0U - (b & 1U)));
  }
  return product;
}

/// x^-8: undoes the passage of one byte.
constexpr std::uint32_t byte_back() {
  std::uint32_t power = kOne;
  for (int bit = 0; bit < 8; ++bit)
    power = (power & kOne) != 0 ? ((power ^ kPolynomial) << 1) | 1U : power << 1;
  return power;
}

constexpr std::uint32_t bytes_back(std::size_t bytes) {
  std::uint32_t result = kOne;
  for (std::uint32_t square = byte_back(); bytes != 0; bytes >>= 1, square = multiply(square, square)) {
    if ((bytes & 1U) != 0)
      result = multiply(result, square);
  }
  return result;
}

constexpr std::size_t kIdentificationOffset = 4;  // in the IPv4 header
constexpr std::size_t kIcrcBytes = 4;

}  // namespace

Ipv4IdentificationSolver::Ipv4IdentificationSolver() : back_(kMaxPacket + 1, 0) {}

std::optional<std::uint16_t> Ipv4IdentificationSolver::solve(Question question) {
  if (question.packet_bytes > kMaxPacket || question.packet_bytes < kIdentificationOffset + 2 + kIcrcBytes)
    return std::nullopt;
  std::uint32_t& back = back_[question.packet_bytes];
  if (back == 0)
    back = bytes_back(question.packet_bytes - kIdentificationOffset - kIcrcBytes);
  const std::uint32_t origin = multiply(question.icrc_difference, back);
  // The first byte of the field entered the lowest byte of the CRC, the second the next.
  if (origin > 0xFFFF)
    return std::nullopt;
  return static_cast<std::uint16_t>((origin >> 8) | (origin << 8));
}

}  // namespace weft::live
