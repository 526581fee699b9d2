#include "subnet/partitions/group_id.h"

#include <arpa/inet.h>

#include <cstddef>
#include <string>

namespace weft::subnet {

std::optional<GidWords> parse_gid(std::string_view text) {
  std::array<unsigned char, 16> bytes{};
  // A GID has the form of an IPv6 address, which is how OpenSM reads it.
  if (text.find('\0') != std::string_view::npos ||
      ::inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) != 1) {
    return std::nullopt;
  }
  GidWords words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint16_t>(bytes[2 * i] << 8U | bytes[2 * i + 1]);
  }
  return words;
}

}  // namespace weft::subnet
