// The packets that a message becomes, in the bytes that they take on a wire: its data, and what goes the other way.
#pragma once

#include "host/nic_options.h"
#include "study/world/ideal_path.h"
#include "wire/memory_format.h"
#include "workload/operation.h"

namespace weft::study::world {

/// Packets one behind another: wire bytes of all, of the first, which is the largest, of each between it and the last
/// (as the first if there is none), and of the last.
struct Train {
  Bytes total{};
  Bytes first{};
  Bytes full{};
  Bytes last{};
};

/// The two directions of a message: what its data travel as, and what comes before them (the request of a READ) or
/// after them (an acknowledgement) the other way.
struct MessageTrains {
  Train data{};
  Train other{};
};

/// `nic`: of the path's source.
[[nodiscard]] MessageTrains trains_of(const host::NicOptions& nic, const IdealPath& path, workload::Operation operation,
                                      Bytes size);
/// Of units over scale-up links.
[[nodiscard]] MessageTrains memory_trains_of(const wire::MemoryFormat& format, workload::Operation operation,
                                             Bytes size);

}  // namespace weft::study::world
