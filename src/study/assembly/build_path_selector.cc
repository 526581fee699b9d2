#include "study/assembly/build_path_selector.h"

#include "base/random.h"
#include "transport/path/bitmap_path.h"
#include "transport/path/hashed_path.h"
#include "transport/path/message_path.h"
#include "transport/path/mixed_path.h"
#include "transport/path/oblivious_path.h"
#include "transport/path/plb_path.h"
#include "transport/path/reps_path.h"
#include "transport/path/round_robin_path.h"
#include "transport/path/tcp_plb.h"

namespace weft::study::assembly {

using Selector = std::unique_ptr<transport::PathSelector>;

namespace {

constexpr const char* kStream = "paths";

host::MakePathSelector path_selector(scenario::PathRule rule, transport::EntropyRange range) {
  switch (rule) {
    case scenario::PathRule::kOblivious:
      return [range](std::uint64_t seed) -> Selector {
        return std::make_unique<transport::ObliviousPath>(range, RandomStream(seed, kStream));
      };
    case scenario::PathRule::kBitmap:
      return [range](std::uint64_t seed) -> Selector {
        return std::make_unique<transport::BitmapPath>(transport::BitmapPath::Options{.range = range, .penalties = {}},
                                                       RandomStream(seed, kStream));
      };
    case scenario::PathRule::kReps:
      return [range](std::uint64_t seed) -> Selector {
        return std::make_unique<transport::RepsPath>(transport::RepsPath::Options{.range = range},
                                                     RandomStream(seed, kStream));
      };
    case scenario::PathRule::kMixed:
      return [range](std::uint64_t seed) -> Selector {
        return std::make_unique<transport::MixedPath>(transport::BitmapPath::Options{.range = range, .penalties = {}},
                                                      RandomStream(seed, kStream));
      };
    case scenario::PathRule::kSingle:
    case scenario::PathRule::kInTurn:
    case scenario::PathRule::kRandom:
    case scenario::PathRule::kPerMessage:
    case scenario::PathRule::kPlb:
      break;
  }
  return {};
}

transport::PlbRule::Options plb_rule(const scenario::TransportSettings& transport) {
  return {.threshold = transport.plb_threshold,
          .rehash_rounds = static_cast<std::uint16_t>(transport.plb_rounds),
          .idle_rounds = static_cast<std::uint16_t>(transport.plb_idle_rounds),
          .suspend = transport.plb_suspend};
}

transport::EntropyRange range_of(std::int64_t paths) { return {.paths = static_cast<std::uint16_t>(paths)}; }

}  // namespace

host::MakePathSelector path_selector(const scenario::UetSettings& uet) {
  return path_selector(uet.path_selector, range_of(uet.paths));
}

host::MakePathSelector path_selector(const scenario::TransportSettings& transport) {
  const transport::EntropyRange range = range_of(transport.paths);
  const auto burst = static_cast<std::uint32_t>(transport.path_burst);
  switch (transport.path_selector) {
    case scenario::PathRule::kInTurn:
      return [range, burst](std::uint64_t /*seed*/) -> Selector {
        return std::make_unique<transport::RoundRobinPath>(range, burst);
      };
    case scenario::PathRule::kRandom:
      return [range, burst](std::uint64_t seed) -> Selector {
        return std::make_unique<transport::HashedPath>(
            transport::HashedPath::Options{.range = range, .burst = burst, .seed = seed});
      };
    case scenario::PathRule::kPerMessage:
      return [range](std::uint64_t seed) -> Selector { return std::make_unique<transport::MessagePath>(range, seed); };
    case scenario::PathRule::kPlb:
      return [options = transport::PlbPath::Options{.range = range, .rule = plb_rule(transport)}](
                 std::uint64_t seed) -> Selector {
        return std::make_unique<transport::PlbPath>(options, RandomStream(seed, kStream));
      };
    case scenario::PathRule::kSingle:
    case scenario::PathRule::kOblivious:
    case scenario::PathRule::kBitmap:
    case scenario::PathRule::kReps:
    case scenario::PathRule::kMixed:
      break;
  }
  return path_selector(transport.path_selector, range);
}

host::MakeTcpPlb tcp_plb(const scenario::Scenario& scenario) {
  if (scenario.tcp.path_selector == scenario::TcpPathRule::kSingle) {
    return {};
  }
  return [rule = plb_rule(scenario.transport)](std::uint64_t seed) {
    return std::make_unique<transport::TcpPlb>(rule, RandomStream(seed, kStream));
  };
}

}  // namespace weft::study::assembly
