#include "study/assembly/build_path_selector.h"

#include "base/random.h"
#include "transport/path/bitmap_path.h"
#include "transport/path/mixed_path.h"
#include "transport/path/oblivious_path.h"
#include "transport/path/reps_path.h"

namespace weft::study::assembly {

using Selector = std::unique_ptr<transport::PathSelector>;

host::MakePathSelector path_selector(scenario::PathRule rule, std::int64_t paths) {
  const transport::EntropyRange range{.paths = static_cast<std::uint16_t>(paths)};
  constexpr const char* kStream = "paths";
  switch (rule) {
    case scenario::PathRule::kSingle:
      return {};
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
      break;
  }
  return [range](std::uint64_t seed) -> Selector {
    return std::make_unique<transport::MixedPath>(transport::BitmapPath::Options{.range = range, .penalties = {}},
                                                  RandomStream(seed, kStream));
  };
}

}  // namespace weft::study::assembly
