// One readable line for a UET packet, without its time: addresses, entropy, delivery, operation, length.
//
//   UET/UDP 10.0.0.1 > 10.0.0.2 ev 49185 RUD request syn +3 psn 4099 pdc 258 > - write som msg 7 ... len 4096
//   UET/IP 10.0.0.2 > 10.0.0.1 ev 7 ACK_CC psn 4101 cumulative 4099 pdc 12 > 258 sack +0 0x5 NSCC ... len 0
//
// Keys, offsets, tokens and data are hexadecimal; PSN, ids and lengths decimal. What is at its usual value (no flag, no
// ECN mark, resource 0) is left out. Flags: syn (then the distance from the start PSN), rtx, ar (ACK request), M (the
// packet answered had an ECN mark), som and eom (start and end of message), dc (delivery complete), rel (relative).
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "wire/uet/uet_frame.h"

namespace weft::wire::uet {

[[nodiscard]] std::string frame_text(const UetFrame& frame);
/// "LLR_ACK seq 5", "CF_Update vc 3 freed 10 vc 4 freed 7"; an error if the bytes are no control ordered set of 8
/// bytes.
[[nodiscard]] Result<std::string> ctlos_text(std::span<const std::byte> bytes);

}  // namespace weft::wire::uet
