// UDP source ports of connections: f(seed, name of the connection), whether it is open or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "workload/connection.h"

namespace weft::workload {

/// What is drawn for a queue pair of a connection, by its number there; `what` tells draws apart.
[[nodiscard]] std::uint64_t connection_hash(const JobOptions& job, const ConnectionRequest& name, std::size_t index,
                                            std::string_view what);

/// Of the packets that the queue pair of that number sends from `name.from`.
[[nodiscard]] std::uint16_t source_port(const JobOptions& job, const ConnectionAttributes& attributes,
                                        const ConnectionRequest& name, std::size_t index);

}  // namespace weft::workload
