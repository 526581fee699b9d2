#include "study/run/step_phases.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::study::run {
namespace {

using workload::CollectiveKind;
using workload::CommunicatorId;
using workload::RankId;

/// Peers of the shorter probe of a direct exchange that deals with some. Twice as many are still fewer than the
/// messages that a rank has under way, so that all go at once, and links alone say how long that takes.
constexpr std::uint32_t kFewPeers = 4;
/// Of parts that are shorter than this what a rank has under way counts: more peers, and connections of the shorter
/// probe over all ranks.
constexpr Bytes kShortPart = Bytes(64 << 10);
constexpr std::uint32_t kManyPeers = 32;
constexpr std::uint32_t kSampledConnections = 1U << 16;

/// A shorter operation of the same shape: whole elements of every member's part.
Bytes slice_of(Bytes wanted, std::size_t members) {
  const std::int64_t unit = 16 * static_cast<std::int64_t>(members);
  return Bytes(std::max<std::int64_t>(wanted.count() / unit, 1) * unit);
}

CollectiveKind both_ends(CollectiveKind kind) {
  return kind == CollectiveKind::kReceive ? CollectiveKind::kSend : kind;
}

std::uint32_t member_of(const workload::Communicator& communicator, RankId rank) {
  const auto found = std::ranges::find(communicator.members, rank);
  WEFT_ASSERT(found != communicator.members.end());
  return static_cast<std::uint32_t>(found - communicator.members.begin());
}

}  // namespace

StepPhases::StepPhases(const Options& options) : options_(options), requests_(options.ranks) {}

StepPhases StepPhases::make(const Options& options, const GraphOf& graph_of) {
  StepPhases phases(options);
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
    const std::unique_ptr<workload::StepGraph> graph = graph_of(RankId(rank));
    while (const std::optional<workload::GraphNode> node = graph->next()) {
      phases.take(RankId(rank), *node);
    }
  }
  phases.put_settling_ones_last();
  phases.operations_.resize(phases.samples_.size());
  for (std::vector<workload::PhasedRequest>& requests : phases.requests_) {
    std::ranges::stable_sort(requests, {}, [](const workload::PhasedRequest& own) { return own.operation.phase; });
    for (const workload::PhasedRequest& own : requests) {
      phases.operations_[own.operation.phase].push_back(own.operation);
    }
  }
  for (std::vector<workload::PhasedOperation>& operations : phases.operations_) {
    std::ranges::sort(operations);
    operations.erase(std::unique(operations.begin(), operations.end()), operations.end());
  }
  return phases;
}

bool StepPhases::inside_domain(const workload::Communicator& communicator) const {
  const workload::RankSite& first = (*options_.layout)[communicator.members.front().value()];
  return first.domain && std::ranges::all_of(communicator.members, [&](RankId rank) {
           const workload::RankSite& site = (*options_.layout)[rank.value()];
           return site.scale_up && site.domain == first.domain;
         });
}

CommunicatorId StepPhases::stand_in(const StepOperation& operation, CommunicatorId own) {
  const workload::Communicator& communicator = options_.communicators[own.value()];
  if (!inside_domain(communicator)) {
    return own;
  }
  return stand_ins_.try_emplace({operation, communicator.members.size()}, own).first->second;
}

void StepPhases::add_samples(const StepOperation& operation, std::size_t members) {
  const auto [found, is_new] = places_.try_emplace(operation);
  Place& place = found->second;
  const auto count = static_cast<std::uint32_t>(members);
  if (!is_new) {
    for (const std::uint32_t phase : place) {
      samples_[phase].members = std::max(samples_[phase].members, count);
      samples_[phase].fewest = std::min(samples_[phase].fewest, count);
    }
    return;
  }
  const auto add = [&](Bytes size, Role role) {
    samples_.push_back(
        {.operation = operation, .size = size, .role = role, .members = count, .amount = size, .fewest = count});
    place.push_back(static_cast<std::uint32_t>(samples_.size() - 1));
  };
  if (operation.size <= options_.slice) {
    add(operation.size, Role::kProbe);
  } else {
    // At least two units, so that one half is shorter.
    const Bytes size = slice_of(std::max(options_.slice, slice_of(Bytes(1), members) * 2), members);
    add(slice_of(size / 2, members), Role::kShortProbe);
    add(size, Role::kProbe);
  }
  if (options_.settles) {
    add(operation.size, Role::kShortSettling);
    add(operation.size, Role::kSettling);
  }
}

// So that all probes are known when the first of them is asked for.
void StepPhases::put_settling_ones_last() {
  std::vector<std::uint32_t> order(samples_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [this](std::uint32_t phase) { return samples_[phase].settles(); });
  std::vector<std::uint32_t> moved(order.size());
  std::vector<Sample> samples;
  for (const std::uint32_t phase : order) {
    moved[phase] = static_cast<std::uint32_t>(samples.size());
    samples.push_back(samples_[phase]);
  }
  samples_ = std::move(samples);
  for (auto& [operation, place] : places_) {
    for (std::uint32_t& phase : place) {
      phase = moved[phase];
    }
  }
  for (std::vector<workload::PhasedRequest>& requests : requests_) {
    for (workload::PhasedRequest& own : requests) {
      own.operation.phase = moved[own.operation.phase];
    }
  }
}

void StepPhases::shape_probe(std::uint32_t phase, std::uint32_t ring_steps, Bytes piece) {
  constexpr std::int64_t kSteps = 4;  // of the longer probe at least, so that both have some
  Sample& sample = samples_[phase];
  if (std::exchange(sample.shaped, true) || sample.settles() || sample.fewest != sample.members ||
      !phase_of(sample.operation, Role::kShortProbe)) {
    return;
  }
  const Bytes whole = sample.operation.size;
  const Bytes probe = slice_of(options_.slice, sample.members);
  const Bytes wanted = std::min(piece * static_cast<std::int64_t>(sample.members), whole);
  if (wanted <= probe || (ring_steps <= kSteps && (ring_steps == 0 || options_.settles))) {
    return;
  }
  if (ring_steps <= kSteps) {
    // Nothing longer follows to show how chunks of one piece follow one another, and there are no steps to leave out.
    // Both have whole chunks, since the last one of a piece may be short and shows nothing.
    const Bytes longer = std::min(wanted * 2, whole);
    const Bytes own = sample.role == Role::kProbe ? longer : std::min(wanted, longer / 2);
    sample.size = sample.amount = own == whole ? whole : slice_of(own, sample.members);
    return;
  }
  const Bytes size = wanted == whole ? whole : slice_of(wanted, sample.members);
  const std::int64_t pairs = std::max<std::int64_t>(probe.count() * ring_steps / size.count(), kSteps) / 2;
  sample.size = size;
  sample.ring_steps = static_cast<std::uint32_t>(sample.role == Role::kProbe ? 2 * pairs : pairs);
  sample.amount = Bytes(size.count() * sample.ring_steps / ring_steps);
}

bool StepPhases::are_apart(const workload::Communicator& communicator) const {
  std::set<std::uint32_t> hosts;
  std::set<std::uint32_t> domains;
  return std::ranges::all_of(communicator.members, [&](RankId rank) {
    const workload::RankSite& site = (*options_.layout)[rank.value()];
    return hosts.insert(site.host).second && (!site.domain || domains.insert(*site.domain).second);
  });
}

void StepPhases::sample_peers(std::uint32_t phase, std::uint32_t peers, Bytes piece) {
  Sample& sample = samples_[phase];
  if (std::exchange(sample.shaped, true) || sample.settles() || sample.fewest != sample.members ||
      std::uint64_t{options_.ranks} * peers <= options_.most_connections ||
      !phase_of(sample.operation, Role::kShortProbe) ||
      !std::ranges::all_of(operations_[phase], [this](const workload::PhasedOperation& own) {
        return are_apart(options_.communicators[own.communicator.value()]);
      })) {
    return;
  }
  const Bytes whole = sample.operation.size;
  const Bytes wanted = piece * static_cast<std::int64_t>(sample.members);
  const bool is_short = std::min(wanted, whole) < kShortPart * static_cast<std::int64_t>(sample.members);
  const std::uint32_t few = std::min(
      is_short ? std::clamp(kSampledConnections / options_.ranks, kFewPeers, kManyPeers) : kFewPeers, peers / 2);
  sample.size = wanted < whole ? slice_of(wanted, sample.members) : whole;
  sample.ring_steps = sample.role == Role::kProbe ? 2 * few : few;
  sample.some_peers = true;
  sample.amount =
      Bytes(static_cast<std::int64_t>(static_cast<Int128>(sample.size.count()) * sample.ring_steps / peers));
}

std::vector<StepPhases::SampledRequest> StepPhases::requests_in(std::uint32_t phase) const {
  std::vector<SampledRequest> made;
  for (std::uint32_t rank = 0; rank < requests_.size(); ++rank) {
    for (const workload::PhasedRequest& phased : requests_[rank]) {
      if (phased.operation.phase == phase) {
        made.push_back({.rank = RankId(rank), .phased = &phased});
      }
    }
  }
  return made;
}

void StepPhases::resize(std::uint32_t phase, Bytes wanted, Rings rings) {
  Sample& sample = samples_[phase];
  WEFT_ASSERT(sample.settles());
  const Bytes least = slice_of(Bytes(1), sample.members) * 2;
  const Bytes made = wanted < sample.operation.size ? slice_of(std::max(wanted, least), sample.members) : wanted;
  sample.size = std::min(made, sample.operation.size);
  const bool in_part = rings.steps < rings.all;
  sample.ring_steps = in_part ? rings.steps : 0;
  sample.amount = in_part ? sample.size * rings.steps / rings.all : sample.size;
}

void StepPhases::take(RankId rank, const workload::GraphNode& node) {
  const auto* const work = std::get_if<workload::CommunicationNode>(&node.work);
  if (work == nullptr) {
    return;
  }
  const workload::CollectiveRequest& request = work->request;
  const workload::Communicator& communicator = options_.communicators[request.communicator.value()];
  const std::uint32_t self = member_of(communicator, rank);
  const bool sends = request.kind == CollectiveKind::kSend || request.kind == CollectiveKind::kReceive;
  const StepOperation operation{.purpose = node.label.purpose, .kind = both_ends(request.kind), .size = request.size};
  const std::uint32_t sender = !sends ? 0 : request.kind == CollectiveKind::kSend ? self : request.peer.value();
  const Key key{.communicator = request.communicator,
                .kind = operation.kind,
                .size = request.size,
                .sender = sends ? sender : self};
  // Each rank begins an operation once. Sends are known by their sender alone, so both ends come here once each.
  const Key own_end{.communicator = key.communicator,
                    .kind = request.kind == CollectiveKind::kReceive ? CollectiveKind::kReceive : key.kind,
                    .size = key.size,
                    .sender = key.sender};
  add_samples(operation, communicator.members.size());
  const Source source{.communicator = sends ? request.communicator : stand_in(operation, request.communicator),
                      .operation = operation};
  if (!sources_.try_emplace(own_end, source).second) {
    return;
  }
  if (source.communicator == request.communicator) {
    add_requests(rank, request, source);
  }
}

void StepPhases::add_requests(RankId rank, const workload::CollectiveRequest& request, const Source& source) {
  const bool sends = request.kind == CollectiveKind::kSend || request.kind == CollectiveKind::kReceive;
  const workload::Communicator& communicator = options_.communicators[request.communicator.value()];
  const std::uint32_t self = member_of(communicator, rank);
  const auto members = static_cast<std::uint32_t>(communicator.members.size());
  for (const std::uint32_t phase : places_.at(source.operation)) {
    workload::PhasedRequest phased{
        .operation = {.phase = phase,
                      .communicator = request.communicator,
                      .number = !sends                                  ? 0
                                : request.kind == CollectiveKind::kSend ? self
                                                                        : request.peer.value()},
        .request = request,
        .chosen_for = request.size,
        .parties = sends ? 2U : members};
    phased.request.size = samples_[phase].size;
    requests_[rank.value()].push_back(phased);
  }
}

std::uint32_t StepPhases::probe_of(const StepOperation& operation) const {
  const Place& place = places_.at(operation);
  return *std::ranges::find(place, Role::kProbe, [this](std::uint32_t phase) { return samples_[phase].role; });
}

std::optional<std::uint32_t> StepPhases::phase_of(const StepOperation& operation, Role role) const {
  const auto other = settles_as_.find(operation);
  const bool settles = role >= Role::kShortSettling;
  for (const std::uint32_t phase : places_.at(settles && other != settles_as_.end() ? other->second : operation)) {
    if (samples_[phase].role == role && !samples_[phase].skipped) {
      return phase;
    }
  }
  return std::nullopt;
}

std::uint32_t StepPhases::sender_of(const workload::CostedOperation& operation) {
  return operation.request.kind == CollectiveKind::kSend ? member_of(operation.communicator, operation.sender) : 0;
}

const StepPhases::Source& StepPhases::source_of(const workload::CostedOperation& operation) const {
  const auto found = sources_.lower_bound({.communicator = operation.request.communicator,
                                           .kind = operation.request.kind,
                                           .size = operation.request.size,
                                           .sender = sender_of(operation)});
  WEFT_ASSERT(found != sources_.end() && found->first.communicator == operation.request.communicator &&
              found->first.kind == operation.request.kind && found->first.size == operation.request.size);
  return found->second;
}

const StepOperation& StepPhases::kind_of(const workload::CostedOperation& operation) const {
  return source_of(operation).operation;
}

Duration StepPhases::cost(const workload::CostedOperation& operation, const workload::PhaseCoordinator& board,
                          Before before) const {
  const Source& source = source_of(operation);
  const workload::PhasedOperation probed{
      .phase = probe_of(source.operation), .communicator = source.communicator, .number = sender_of(operation)};
  return whole_time(probed, source.operation, board, before);
}

double StepPhases::communicators_per_run(const StepOperation& operation) const {
  std::set<std::pair<CommunicatorId, std::uint32_t>> all;
  std::set<std::pair<CommunicatorId, std::uint32_t>> run;
  const bool sends = operation.kind == CollectiveKind::kSend;
  for (const auto& [key, source] : sources_) {
    if (source.operation == operation) {
      all.insert({key.communicator, sends ? key.sender : 0});
      run.insert({source.communicator, sends ? key.sender : 0});
    }
  }
  return run.empty() ? 1 : static_cast<double>(all.size()) / static_cast<double>(run.size());
}

Duration StepPhases::settled_time(const workload::PhasedOperation& operation, const workload::PhaseCoordinator& board) {
  const std::vector<Duration> ends = board.ends_of(operation);
  WEFT_ASSERT(!ends.empty());
  return ends.size() == 1 ? ends.front() : (ends.back() - ends.front()) / static_cast<std::int64_t>(ends.size() - 1);
}

// What an operation costs beside its bytes when it runs back to back, by the line through both samples; never so much
// that noise in it could count for most of the time.
Duration StepPhases::fixed_cost_of(Duration mean, const Sample& sample, std::optional<std::uint32_t> shorter,
                                   const std::function<Duration(std::uint32_t)>& settled) const {
  Duration cost;
  if (shorter && samples_[*shorter].amount < sample.amount) {
    const Duration less = settled(*shorter);
    const Bytes amount = samples_[*shorter].amount;
    const Int128 across = static_cast<Int128>((mean - less).picoseconds()) * amount.count();
    cost = less - Duration::picoseconds(static_cast<std::int64_t>(across / (sample.amount - amount).count()));
  }
  return std::clamp(cost, Duration::zero(), mean / 2);
}

// What `span` bytes of it take at least. Where the sample itself took less than its paths allow, as hashes that stand
// for many others may say, the paths say nothing.
Duration StepPhases::least_slope(const StepOperation& operation, const Taken& sample, Bytes span) const {
  const auto part_of = [span](Duration time, Bytes of) {
    const Int128 across = static_cast<Int128>(time.picoseconds()) * span.count();
    return Duration::picoseconds(static_cast<std::int64_t>(across / std::max<std::int64_t>(of.count(), 1)));
  };
  const auto paths = path_times_.find(operation);
  return paths == path_times_.end()
             ? Duration::zero()
             : std::min(part_of(paths->second, operation.size), part_of(sample.time, sample.amount));
}

Duration StepPhases::whole_time(const workload::PhasedOperation& probed, const StepOperation& operation,
                                const workload::PhaseCoordinator& board, Before before) const {
  const auto settling = phase_of(operation, Role::kSettling);
  const auto of_phase = [&](std::uint32_t phase) {
    workload::PhasedOperation made = probed;
    made.phase = phase;
    return made;
  };
  const auto from_rest = [&](std::uint32_t phase) {
    const auto time = board.times().find(of_phase(phase));
    WEFT_ASSERT(time != board.times().end());
    return time->second;
  };
  const auto settled = [&](std::uint32_t phase) { return settled_time(of_phase(phase), board); };
  const std::uint32_t longest = settling.value_or(probe_of(operation));
  Duration time = settling && before == Before::kTraffic ? settled(longest) : from_rest(longest);
  const Sample& sample = samples_[longest];
  const auto continued = [&](Duration slope, Bytes span) {
    const Duration least = least_slope(operation, {.amount = sample.amount, .time = time}, span);
    const Int128 more =
        static_cast<Int128>(std::max(slope, least).picoseconds()) * (operation.size - sample.amount).count();
    return time + Duration::picoseconds(static_cast<std::int64_t>(more / std::max<std::int64_t>(span.count(), 1)));
  };
  const auto shorter = phase_of(operation, Role::kShortProbe);
  if (settling) {
    const Duration mean = settled(longest);
    time = continued(mean - fixed_cost_of(mean, sample, phase_of(operation, Role::kShortSettling), settled),
                     sample.amount);
  } else if (shorter) {
    time = continued(from_rest(longest) - from_rest(*shorter), sample.amount - samples_[*shorter].amount);
  }
  const auto least = least_.find(operation);
  return least != least_.end() ? std::max(time, least->second) : time;
}

}  // namespace weft::study::run
