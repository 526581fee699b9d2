// Runs tshark on a capture file and gives the fields it found, packet by packet.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "wire/link_type.h"

namespace weft::test {

/// Field name to the text that tshark prints; absent fields are empty.
using Dissection = std::map<std::string, std::string>;

/// Writes the packets with weft's own writer into a temporary file and reads them back with tshark. Besides `fields`
/// each dissection has "_ws.malformed", "_ws.expert.message" and "_ws.col.Protocol". `script`: a dissector in Lua, with
/// its path; none by default.
Result<std::vector<Dissection>> dissect(wire::LinkType link_type, std::span<const std::vector<std::byte>> packets,
                                        std::vector<std::string> fields, std::string_view script = {});

/// The same of a capture file that exists.
Result<std::vector<Dissection>> dissect_file(const std::string& capture, std::vector<std::string> fields,
                                             std::string_view script = {});

}  // namespace weft::test
