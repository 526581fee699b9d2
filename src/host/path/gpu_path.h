// Copies between memories of one host in chunks, and what a transfer between GPUs takes that goes through host memory.
//
// The bounce path: GPU to host memory, network, host memory to GPU, each of the three at work on another chunk. Its
// closed form is what the shared servers give when nobody else uses them.
#pragma once

#include <span>

#include "host/path/server.h"

namespace weft::host {

/// How a transfer is cut.
struct Chunks {
  Bytes size{};
  Bytes chunk{};  // > 0; the last one is what is left
};

/// Passes every chunk through the servers one after another, a chunk entering the next when it has left the one before.
/// At most 4 servers. The end of the last chunk; `when.start` for nothing.
Time pass_chunks(std::span<ByteServer* const> servers, const Chunks& chunks, Server::Deferred when);

/// A bounced transfer without company.
struct BounceShape {
  Chunks chunks{};
  Duration launch{};  // of a copy, on either side; those of later chunks overlap
  Rate to_host{};
  Rate network{};
  Rate to_gpu{};
};

/// From the request until the last byte is in the peer's GPU: both launches, the first chunk through all three, the
/// others at the pace of the slowest. With one chunk it is the sum of all.
[[nodiscard]] Duration bounce_time(const BounceShape& shape);
/// What a long transfer reaches: the slowest of the three.
[[nodiscard]] Rate bounce_rate(const BounceShape& shape);

}  // namespace weft::host
