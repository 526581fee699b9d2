// A multicast group as programs name it to attach a queue pair: its GID and its LID.
#pragma once

#include <array>
#include <cstdint>

namespace weft::verbs {

struct MulticastGroup {
  std::array<std::uint8_t, 16> gid{};  // begins with 0xFF
  std::uint16_t lid = 0;               // 0xC000 to 0xFFFE

  friend bool operator==(const MulticastGroup&, const MulticastGroup&) = default;
};

}  // namespace weft::verbs
