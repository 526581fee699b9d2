#include "workload/collective/collective_program.h"

#include <array>

namespace weft::workload {

Result<void> check_collective(const CollectiveProgramOptions& options) {
  if (options.kind == CollectiveKind::kReceive)
    return fail("a receive needs a sender; use 'send', which includes both sides");
  if (options.engine.layout == nullptr || options.engine.layout->empty())
    return fail("{} of no rank", to_string(options.kind));
  return {};
}

Communicator world_communicator(std::size_t ranks) {
  Communicator world{.name = "world"};
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    world.members.push_back(RankId(rank));
  return world;
}

Result<std::unique_ptr<CollectiveProgram>> CollectiveProgram::make(Messenger& messenger, DeliveryMatcher& matcher,
                                                                   const CollectiveProgramOptions& options) {
  if (auto right = check_collective(options); !right)
    return pass_on(right);
  std::unique_ptr<CollectiveProgram> program(new CollectiveProgram(matcher, messenger, options));
  auto engine = CollectiveEngine::make(messenger, options.engine);
  if (!engine)
    return pass_on(engine);
  program->engine_ = std::move(*engine);
  auto added = program->engine_->add(options.world != nullptr ? *options.world
                                                              : world_communicator(options.engine.layout->size()));
  if (!added)
    return pass_on(added);
  program->world_ = *added;
  if (const auto request = program->request()) {
    if (auto able = program->engine_->check(*request); !able)
      return pass_on(able);
  }
  // Samples are of steps around rings alone; others are run whole.
  if (program->options_.ring_steps > 0 && program->ring_steps() == 0)
    program->options_.ring_steps = 0;
  return program;
}

std::optional<CollectiveRequest> CollectiveProgram::request() const {
  CollectiveRequest request{.communicator = world_,
                            .kind = options_.kind,
                            .size = options_.size,
                            .algorithm = options_.algorithm,
                            .root = MemberIndex(options_.root.value()),
                            .token = begun_,
                            .ring_steps = options_.ring_steps};
  if (options_.kind != CollectiveKind::kSend)
    return request;
  const auto half = static_cast<std::uint32_t>(options_.engine.layout->size() / 2);
  const std::uint32_t self = options_.engine.rank.value();
  if (self >= 2 * half)
    return std::nullopt;
  request.kind = self < half ? CollectiveKind::kSend : CollectiveKind::kReceive;
  request.peer = MemberIndex(self < half ? self + half : self - half);
  return request;
}

CollectiveAlgorithm CollectiveProgram::algorithm() const {
  const auto asked = request();
  const bool open = options_.algorithm == CollectiveAlgorithm::kAutomatic && asked;
  return open ? engine_->choose(*asked) : options_.algorithm;
}

std::uint32_t CollectiveProgram::ring_steps() const {
  auto asked = request();
  if (!asked)
    return 0;
  asked->algorithm = algorithm();
  return engine_->ring_steps(*asked);
}

Result<std::vector<CollectiveEngine::PlannedSend>> CollectiveProgram::planned_sends() const {
  const auto asked = request();
  return asked ? engine_->planned_sends(*asked) : std::vector<CollectiveEngine::PlannedSend>{};
}

std::uint64_t CollectiveProgram::rounds() const {
  const auto asked = request();
  return asked ? engine_->rounds_of(*asked).value_or(0) : 0;
}

void CollectiveProgram::record(std::uint64_t rounds_left, std::uint32_t begun, StateRecord& state) const {
  state.count(std::uint64_t{begun_} - begun);
  state.count(begun_ - finished_);
  engine_->record(rounds_left, state);
  messenger_.record(state);
}

void CollectiveProgram::skip(std::uint32_t operations, const CollectiveEngine::Skip& what) {
  begun_ += operations;
  finished_ += operations;
  engine_->skip(what);
  messenger_.shift(what.time);
}

Result<void> CollectiveProgram::start() {
  if (!request())
    finished_ = options_.iterations;
  else if (connects_first_) {
    if (auto connected = engine_->connect(*request()); !connected)
      return connected;
  }
  if (options_.start > messenger_.now()) {
    messenger_.ports().machine().set_timer({.at = options_.start});
    return {};
  }
  return advance();
}

Result<void> CollectiveProgram::on_event() {
  std::array<verbs::MachineEvent, 16> events;
  std::size_t count = events.size();
  while (count == events.size()) {
    count = messenger_.ports().machine().poll_events(events);
    for (std::size_t i = 0; i < count; ++i) {
      if ((events[i].token & Collectives::kCollectiveTokens) == 0)
        continue;
      if (auto taken = engine_->on_machine_event(events[i]); !taken)
        return taken;
    }
  }
  if (auto ran = engine_->on_completions(); !ran)
    return ran;
  return advance();
}

Result<void> CollectiveProgram::advance() {
  if (messenger_.now() < options_.start)
    return {};
  for (;;) {
    std::array<CollectiveFinished, 1> one;
    if (engine_->take_finished(one) == 1) {
      matcher_.on_collective({.job = options_.engine.job,
                              .rank = options_.engine.rank,
                              .iteration = finished_,
                              .size = options_.size,
                              .started = one[0].started,
                              .finished = one[0].finished});
      ++finished_;
    }
    if (begun_ > finished_ || finished_ == options_.iterations)
      return {};
    if (auto begun = engine_->begin(*request()); !begun)
      return begun;
    ++begun_;
  }
}

}  // namespace weft::workload
