// What protection of the data path did in a run: one row of a results file. docs/results.md explains each figure.
#pragma once

#include <cstdint>
#include <string>

#include "base/data_size.h"
#include "base/time.h"

namespace weft::study::results {

struct SecurityRow {
  std::string encryption;     // entry of the catalogue; "none"
  std::string firewall;       // likewise
  std::uint64_t packets = 0;  // that NIC ports sent
  Bytes added;                // bytes of encryption in them, on the wire of the NIC
  Duration encryption_busy;   // of all ports, both directions
  Duration firewall_busy;     // likewise
  std::string busiest;        // port whose firewall, or without one whose encryption, was busy longest
  Duration busiest_time;      // that it was
  std::uint64_t dropped = 0;  // packets that found the buffer of their port full
  std::uint64_t pauses = 0;   // times that a port paused its switch
  Bytes peak;                 // most that ever waited in the buffer of a port

  friend bool operator==(const SecurityRow&, const SecurityRow&) = default;
};

}  // namespace weft::study::results
