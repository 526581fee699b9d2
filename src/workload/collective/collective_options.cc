#include "workload/collective/collective_options.h"

#include "base/format_quantity.h"

namespace weft::workload {

Result<void> check_options(const CollectiveOptions& options) {
  if (options.element < Bytes(1))
    return fail("collectives: an element of {}; it must be at least 1 B", options.element);
  const Bytes largest(std::int64_t{1} << 30);
  if (options.chunk < options.element || options.chunk > largest || options.chunk % options.element != Bytes::zero())
    return fail("collectives: a chunk of {}; it must be whole elements of {}, at most {}", options.chunk,
                options.element, largest);
  if (options.buffer / options.chunk < 2 || options.buffer / options.chunk > 4'096)
    return fail("collectives: a buffer of {} for chunks of {}; it must hold 2 to 4096 of them", options.buffer,
                options.chunk);
  if (options.clear_to_send && (*options.clear_to_send == 0 || *options.clear_to_send > options.slots()))
    return fail("collectives: clear_to_send of {} chunks; at least 1, and at most the {} that a buffer of {} holds",
                *options.clear_to_send, options.slots(), options.buffer);
  if (options.queue_pairs == 0 || options.in_flight == 0)
    return fail("collectives: {} queue pairs and {} chunks in flight; at least one of each is needed",
                options.queue_pairs, options.in_flight);
  if (options.channels > kMaxChannels)
    return fail("collectives: {} channels; at most {} are possible", options.channels, kMaxChannels);
  return {};
}

}  // namespace weft::workload
