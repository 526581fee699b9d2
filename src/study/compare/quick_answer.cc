#include "study/compare/quick_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace weft::study::compare {
namespace {

/// Of the step: ranks that are slower by the seed.
constexpr double kStragglers = 0.01;
/// Of operations whose flows share no links, and of those whose slices are too short to settle.
constexpr double kAlone = 0.02;
constexpr double kShared = 0.25;
/// Of operations that share links and have settled.
constexpr double kSettled = 0.05;
/// By how much less than its paths' bound an operation may take, as far as that bound is known.
constexpr double kBoundDoubt = 0.05;
/// An operation that may take less than so many times what its paths allow stands at that bound.
constexpr double kAtBound = 1.05;

/// Flows share links, slices are too short, and what they took is the paths' bound as far as it is known. One slice
/// alone has no interval.
bool stands_at_bound(const report::StepCollective& own) {
  return own.shares_links && !own.settled &&
         (!own.interval || own.time * (1 - *own.interval) <= kAtBound * own.paths_allow);
}

/// By how much longer it may take than it did.
double growth_of(const report::StepCollective& own, double excess) {
  const bool may_grow = stands_at_bound(own) && own.time > 0;
  return may_grow ? std::max((1 + excess) * own.paths_allow / own.time - 1, 0.0) : 0;
}

/// By what part of its time it may take less than it did: continued from a slice in which its stages do not overlap as
/// they do in the whole.
double shrinkage_of(const report::StepCollective& own) {
  const bool continued = !own.shares_links && own.sample_bytes < own.bytes && own.time > 0;
  return continued ? std::max(1 - own.paths_allow / own.time, 0.0) : 0;
}

std::string bound_caution_of(const std::vector<std::string>& operations, double excess) {
  return fmt::format(
      "slices of {} operations are too short to show what sharing links costs: steps that had settled took up to "
      "{:.0f} % more than their paths allow, so the interval reaches up to that",
      fmt::join(operations, " and "), excess * 100);
}

std::string hash_caution_of(const run::HashReach& hash) {
  return fmt::format(
      "another seed of the hash may put {:.2g} times as much on the fullest link of {} operations, so the interval "
      "reaches up to that",
      hash.more, hash.purpose);
}

/// What is not known of the operations of one purpose, as parts of the time that they took.
struct Doubts {
  double usual = kAlone;
  double growth = 0;
  double shrinkage = 0;
  double bound = 0;  // of the time, what paths allow; of the operation that could shrink most

  /// How much less it can take, if the fullest link carries `less` times what it did.
  [[nodiscard]] double above_bound(double less) const { return 1 - bound * less * (1 - kBoundDoubt); }
};

/// What other seeds make of the operations of a purpose; as it is, where that is not known.
run::HashReach reach_of(std::span<const run::HashReach> hashes, std::string_view purpose) {
  const auto found = std::ranges::find(hashes, purpose, &run::HashReach::purpose);
  return found == hashes.end() ? run::HashReach() : *found;
}

Doubts doubts_of(std::span<const report::StepCollective> operations, std::string_view purpose, double excess) {
  Doubts made;
  bool first = true;
  for (const report::StepCollective& own : operations) {
    if (own.purpose == purpose) {
      const double bound = own.time > 0 ? own.paths_allow / own.time : 0;
      made.bound = first ? bound : std::min(made.bound, bound);
      first = false;
      made.usual = std::max(made.usual, !own.settled ? kShared : own.shares_links ? kSettled : kAlone);
      made.growth = std::max(made.growth, growth_of(own, excess));
      made.shrinkage = std::max(made.shrinkage, shrinkage_of(own));
    }
  }
  return made;
}

}  // namespace

QuickInterval quick_interval(const report::RunFigures& run, double seconds, double excess,
                             std::span<const run::HashReach> hashes) {
  const std::vector<report::StepCollective> operations =
      run.collectives.value_or(std::vector<report::StepCollective>());
  double below = kStragglers * seconds;
  double above = below;
  std::vector<std::string> cautions;
  std::vector<std::string> at_bound;
  for (const report::StepPart& part : run.parts.value_or(std::vector<report::StepPart>())) {
    if (!part.communication) {
      continue;
    }
    const Doubts doubts = doubts_of(operations, part.name, excess);
    const run::HashReach hash = reach_of(hashes, part.name);
    const double usual = doubts.usual * part.exposed;
    const double shorter = std::max(std::hypot(doubts.shrinkage, 1 - hash.less), doubts.usual);
    const double longer = std::hypot(doubts.growth, hash.more - 1) * part.busy;
    below += std::min(shorter, doubts.above_bound(hash.less)) * part.exposed;
    above += std::max(longer, usual);
    if (doubts.growth * part.busy > usual) {
      at_bound.push_back(part.name);
    }
    if ((hash.more - 1) * part.busy > usual) {
      cautions.push_back(hash_caution_of(hash));
    }
  }
  if (!at_bound.empty()) {
    cautions.push_back(bound_caution_of(at_bound, excess));
  }
  return {.low = std::max(seconds - below, 0.0),
          .high = seconds + above,
          .caution = fmt::format("{}", fmt::join(cautions, "; "))};
}

double least_step(const report::RunFigures& run, std::span<const run::HashReach> hashes) {
  if (!run.parts || !run.collectives) {
    return 0;
  }
  double least = 0;
  for (const report::StepPart& part : *run.parts) {
    if (!part.communication) {
      least += (1 - kStragglers) * part.exposed;
      continue;
    }
    // What an operation takes less is less to hide first, so all of it may be off what is exposed.
    const double saved = doubts_of(*run.collectives, part.name, 0).above_bound(reach_of(hashes, part.name).less);
    least += std::clamp(part.exposed - saved * part.busy, 0.0, part.exposed);
  }
  return least;
}

bool is_quick(const report::ComparedFabric& fabric) {
  return fabric.run.slice_caution && fabric.run.slice_caution->starts_with(kQuickCaution);
}

}  // namespace weft::study::compare
