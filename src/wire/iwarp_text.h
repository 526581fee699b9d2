// One readable line for a frame of iWARP: the MPA request or reply that starts a connection, and what an FPDU carries.
//
//   MPA request revision 2 ird 1 ord 1 peer-to-peer private data 4
//   RDMA Write stag 0x1f00 offset 0x7f00 last len 1024
//   Send queue 0 msn 1 offset 0 last len 16
//
// Tags and places in memory are hexadecimal; numbers of messages, places in messages and lengths decimal.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "wire/mpa.h"

namespace weft::wire {

[[nodiscard]] std::string mpa_start_text(const MpaStartFrame& frame);

/// Any bytes: what is no DDP segment of RDMAP is said so.
[[nodiscard]] std::string ulpdu_text(std::span<const std::byte> ulpdu);

}  // namespace weft::wire
