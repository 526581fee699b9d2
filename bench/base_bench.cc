// What the building blocks of every hot path cost: random numbers, slab, ring, and the time of a packet on a wire.
// Slab and ring are measured beside the plain containers they stand in for.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "base/data_size.h"
#include "base/distribution.h"
#include "base/random.h"
#include "base/rate.h"
#include "base/ring.h"
#include "base/slab.h"
#include "base/zipf.h"

namespace weft {
namespace {

struct Record {
  std::uint64_t words[8] = {};
};

void random_bits(benchmark::State& state) {
  RandomStream random(1, "bench");
  for (auto _ : state) {
    benchmark::DoNotOptimize(random.next());
  }
}
BENCHMARK(random_bits);

void random_uniform(benchmark::State& state) {
  RandomStream random(1, "bench");
  for (auto _ : state) {
    benchmark::DoNotOptimize(random.uniform(1000));
  }
}
BENCHMARK(random_uniform);

void random_exponential(benchmark::State& state) {
  RandomStream random(1, "bench");
  for (auto _ : state) {
    benchmark::DoNotOptimize(sample_exponential(1'000'000, random));
  }
}
BENCHMARK(random_exponential);

void random_zipf(benchmark::State& state) {
  RandomStream random(1, "bench");
  const auto zipf = Zipf::make({.items = static_cast<std::uint32_t>(state.range(0)), .exponent = {1, 1}}).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(zipf.sample(random));
  }
}
BENCHMARK(random_zipf)->Arg(1'000)->Arg(1'000'000);

void stream_construction(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(RandomStream(1, "pod3/rack17/host5/nic0"));
  }
}
BENCHMARK(stream_construction);

void transmit_time(benchmark::State& state) {
  Bytes size = 4_kib;
  for (auto _ : state) {
    benchmark::DoNotOptimize(size);
    benchmark::DoNotOptimize((400_gbps).transmit_time(size));
  }
}
BENCHMARK(transmit_time);

void slab_allocate_release(benchmark::State& state) {
  Slab<Record> slab;
  for (auto _ : state) {
    const auto handle = slab.allocate();
    benchmark::DoNotOptimize(slab[handle].words[0]);
    slab.release(handle);
  }
}
BENCHMARK(slab_allocate_release);

void new_delete(benchmark::State& state) {
  for (auto _ : state) {
    auto* record = new Record;
    benchmark::DoNotOptimize(record->words[0]);
    delete record;
  }
}
BENCHMARK(new_delete);

// A dependent chain of random accesses: each record names the next.
template <class Container>
void follow(benchmark::State& state, Container& container, auto&& index_of) {
  std::uint32_t at = 0;
  for (auto _ : state) {
    at = static_cast<std::uint32_t>(container[index_of(at)].words[0]);
  }
  benchmark::DoNotOptimize(at);
}

std::vector<std::uint32_t> one_cycle(std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    order[i] = i;
  }
  RandomStream random(1, "cycle");
  random.shuffle(std::span<std::uint32_t>(order));
  std::vector<std::uint32_t> next(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    next[order[i]] = order[(i + 1) % count];
  }
  return next;
}

void slab_follow(benchmark::State& state) {
  Slab<Record> slab;
  for (const std::uint32_t next : one_cycle(static_cast<std::uint32_t>(state.range(0)))) {
    slab[slab.allocate()].words[0] = next;
  }
  follow(state, slab, [](std::uint32_t at) { return Slab<Record>::Handle(at); });
}
BENCHMARK(slab_follow)->Arg(256)->Arg(16'384)->Arg(1'048'576);

void vector_follow(benchmark::State& state) {
  std::vector<Record> records;
  for (const std::uint32_t next : one_cycle(static_cast<std::uint32_t>(state.range(0)))) {
    records.emplace_back().words[0] = next;
  }
  follow(state, records, [](std::uint32_t at) { return std::size_t{at}; });
}
BENCHMARK(vector_follow)->Arg(256)->Arg(16'384)->Arg(1'048'576);

void ring_push_pop(benchmark::State& state) {
  Ring<std::uint64_t> ring;
  for (std::uint64_t i = 0; i < 32; ++i) {
    ring.push_back(i);
  }
  for (auto _ : state) {
    ring.push_back(ring.pop_front() + 1);
  }
  benchmark::DoNotOptimize(ring.front());
}
BENCHMARK(ring_push_pop);

void deque_push_pop(benchmark::State& state) {
  std::deque<std::uint64_t> queue(32);
  for (auto _ : state) {
    queue.push_back(queue.front() + 1);
    queue.pop_front();
  }
  benchmark::DoNotOptimize(queue.front());
}
BENCHMARK(deque_push_pop);

}  // namespace
}  // namespace weft
