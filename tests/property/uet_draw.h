// Options of a pair of Ultra Ethernet's devices drawn from one seed, for tests with random traffic.
#pragma once

#include <memory>

#include "tests/property/rc_traffic.h"
#include "tests/property/uet_pair.h"
#include "transport/path/round_robin_path.h"

namespace weft::testing {

inline Probability permille(RandomStream& random, std::uint64_t most) {
  return Probability::from_ratio({.numerator = random.uniform(most + 1), .denominator = 1000});
}

inline UetPairOptions draw_uet_options(std::uint64_t seed) {
  RandomStream random(seed, "options");
  UetPairOptions options;
  options.seed = seed;
  options.memory_bytes = RcTraffic::kMemoryBytes;
  options.mtu = static_cast<verbs::PathMtu>(256 << random.uniform(5));
  options.encapsulation =
      static_cast<wire::Encapsulation>(static_cast<unsigned>(wire::Encapsulation::kUetUdpIpv4) + random.uniform(4));
  options.first_psn = Psn(static_cast<std::uint32_t>(random.uniform(3) == 0 ? random.next() : 0xFFF8));
  options.max_rd_atomic = static_cast<std::uint8_t>(1 + random.uniform(8));
  options.shared_receive_queue = random.uniform(4) == 0;
  options.uet.secure_start =
      random.uniform(3) == 0 ? transport::SecureStart::kOneRtt : transport::SecureStart::kZeroRtt;
  options.uet.psn_window = 128U << random.uniform(4);
  options.uet.ack_every = Bytes(static_cast<std::int64_t>(1 + random.uniform(20'000)));
  options.uet.timeout = Duration::microseconds(60);
  options.uet.max_timeout = Duration::microseconds(400);
  options.uet.max_retries = 60;
  options.uet.idle_close = Duration::microseconds(static_cast<std::int64_t>(20 + random.uniform(400)));
  options.uet.probe_after = random.uniform(3) == 0 ? Duration::microseconds(30) : Duration::zero();
  options.uet.max_messages = static_cast<std::uint16_t>(4 + random.uniform(60));
  options.uet.max_responses = static_cast<std::uint16_t>(1 + random.uniform(8));
  options.uet.trimming = random.uniform(2) == 0;
  options.trimming = permille(random, 100);
  Faults& faults = options.faults;
  faults.loss = permille(random, 80);
  faults.duplication = permille(random, 50);
  faults.corruption = permille(random, 30);
  faults.marking = permille(random, 100);
  if (random.uniform(2) == 0)
    faults.reordering = permille(random, 500);
  options.as_bytes = random.uniform(2) == 0;
  options.uet.full_headers = random.uniform(2) == 0;
  if (random.uniform(2) == 0) {
    options.policies.path_selector = [](std::uint64_t) {
      return std::make_unique<transport::RoundRobinPath>(transport::RoundRobinPath::Range{.base = 0xC000, .paths = 16});
    };
  }
  return options;
}

}  // namespace weft::testing
