#include "sim/actor_order.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "base/assert.h"
#include "base/parallel.h"
#include "base/random.h"

namespace weft::sim {
namespace {

/// What an entry is sorted by, and where it stands.
struct Place {
  std::uint64_t hash;
  std::uint32_t entry;
};

/// Hashes are spread evenly, so their first bits deal entries into buckets that the caches hold.
constexpr std::uint32_t kUsualBucket = 5;  // as a power of two of entries

/// The beginning of each bucket, and the end of the last.
std::vector<std::uint32_t> begins_of(const std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint32_t> begins(sizes.size() + 1);
  std::inclusive_scan(sizes.begin(), sizes.end(), begins.begin() + 1);
  return begins;
}

}  // namespace

std::uint64_t ActorOrder::mix(ActorKey key) {
  return SplitMix64(key.owner + std::uint64_t{key.role} * 0x9e3779b97f4a7c15).next();
}

void ActorOrder::assign(std::uint32_t threads) {
  const auto count = static_cast<std::uint32_t>(entries_.size());
  const std::uint32_t width = static_cast<std::uint32_t>(std::bit_width(count >> kUsualBucket));
  const auto bucket_of = [width](std::uint64_t hash) {
    return width == 0 ? std::size_t{0} : static_cast<std::size_t>(hash >> (64 - width));
  };
  std::vector<std::uint32_t> sizes(std::size_t{1} << width);
  for (const Entry& entry : entries_) {
    ++sizes[bucket_of(entry.hash)];
  }
  const std::vector<std::uint32_t> begins = begins_of(sizes);
  std::vector<std::uint32_t> ends(begins.begin(), begins.end() - 1);
  std::vector<Place> places(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    places[ends[bucket_of(entries_[i].hash)]++] = {entries_[i].hash, i};
  }
  const auto order = [this](const Place& place) {
    const ActorKey& key = entries_[place.entry].key;
    return std::tuple(place.hash, key.owner, key.role);
  };
  const auto before = [&](const Place& a, const Place& b) {
    return a.hash != b.hash ? a.hash < b.hash : order(a) < order(b);
  };
  std::vector<std::uint32_t> ranks(count);
  in_parts(sizes.size(), {.threads = threads, .least = 256}, [&](std::size_t first, std::size_t last) {
    for (std::size_t bucket = first; bucket < last; ++bucket) {
      std::sort(places.begin() + begins[bucket], places.begin() + begins[bucket + 1], before);
      for (std::uint32_t rank = begins[bucket]; rank < begins[bucket + 1]; ++rank) {
        WEFT_ASSERT(rank == begins[bucket] || before(places[rank - 1], places[rank]));
        ranks[places[rank].entry] = rank;
      }
    }
  });
  // In the order of the entries: that of the actors in memory, most of them.
  in_parts(count, {.threads = threads, .least = 1 << 13}, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      entries_[i].wake->set_rank(ranks[i]);
    }
  });
  entries_.clear();
}

}  // namespace weft::sim
