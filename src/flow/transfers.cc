#include "flow/transfers.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/assert.h"
#include "flow/corrections.h"

namespace weft::flow {
namespace {

constexpr double kPicoseconds = 1e12;
/// What rounding of rates may leave behind a whole picosecond.
constexpr double kSlack = 1e-3;

/// Answers depend on rates, and these on what answers leave: each round brings both closer by the share of answers.
constexpr int kAnswerRounds = 3;
/// Of a capacity: smaller changes by answers are left for later.
constexpr double kAnswerStep = 1e-4;
constexpr double kMostAnswers = 0.5;

constexpr double kMostRate = 1e18;  // bits per second
constexpr double kLongest = 1;      // s
/// Of rates, where they are late anyway.
constexpr double kLateTolerance = 1e-3;
/// About how many classes a change of one reaches, where flows share links.
constexpr std::size_t kReached = 256;

constexpr auto kLaterMark = [](const auto& a, const auto& b) {
  return std::tie(a.at, a.order) > std::tie(b.at, b.order);
};

}  // namespace

Transfers::Transfers(std::vector<double> capacities)
    : shares_(capacities), capacities_(std::move(capacities)), answer_load_(capacities_.size()) {}

ClassId Transfers::add_class(std::span<const LinkUse> links, const ClassOptions& options,
                             std::span<const LinkUse> answers) {
  note_path(classes_.emplace_back(), links, answers);
  return shares_.add_class(links, options);
}

void Transfers::note_path(Class& own, std::span<const LinkUse> links, std::span<const LinkUse> answers) {
  if (answers.size() > own.answers) {
    own.first_answer = static_cast<std::uint32_t>(answers_.size());
    answers_.resize(answers_.size() + answers.size());
  }
  own.answers = static_cast<std::uint32_t>(answers.size());
  std::ranges::copy(answers, answers_.begin() + own.first_answer);
  if (!links.empty() && !waiting_.empty()) {
    own.access = links.front().link;
    own.first_link = static_cast<std::uint32_t>(paths_.size());
    own.links = static_cast<std::uint32_t>(links.size());
    own.in_parts = std::ranges::any_of(links, [](const LinkUse& use) { return use.part < 1; });
    paths_.insert(paths_.end(), links.begin(), links.end());
  }
}

void Transfers::set_path(ClassId flows, std::span<const LinkUse> links, std::span<const LinkUse> answers) {
  Class& own = classes_[flows.value()];
  WEFT_ASSERT(own.marks.empty());
  // Where changes of rates are put off, its last answers may still count.
  for (const LinkUse& use : std::span(answers_.data() + own.first_answer, own.answers)) {
    answer_load_[use.link] -= own.answered * static_cast<double>(use.part);
  }
  own.answered = 0;
  note_path(own, links, answers);
  shares_.set_links(flows, links);
}

void Transfers::set_capacity(std::uint32_t link, double capacity) {
  capacities_[link] = capacity;
  if (put_off_ > 0) {
    settles_at_ = Time::zero();
  }
  shares_.set_capacity(link, std::max(capacity - answer_load_[link], 0.0));
}

bool Transfers::apply_answers() {
  answer_links_.clear();
  for (const std::uint32_t flows : dirty_) {
    Class& own = classes_[flows];
    const double rate = own.marks.empty() ? 0 : own.rate * static_cast<double>(own.marks.size());
    if (own.answers == 0 || rate == own.answered) {
      continue;
    }
    for (const LinkUse& use : std::span(answers_.data() + own.first_answer, own.answers)) {
      answer_load_[use.link] += (rate - own.answered) * static_cast<double>(use.part);
      answer_links_.push_back(use.link);
    }
    own.answered = rate;
  }
  for (const std::uint32_t link : answer_links_) {
    const double before = shares_.capacities()[link];
    const double capacity = capacities_[link] - std::min(answer_load_[link], capacities_[link] * kMostAnswers);
    if (std::abs(capacity - before) > kAnswerStep * capacities_[link]) {
      shares_.set_capacity(link, capacity);
    }
  }
  return !shares_.is_settled();
}

void Transfers::advance(Class& own, Time now) {
  if (now > own.since) {
    const double seconds = static_cast<double>((now - own.since).picoseconds()) / kPicoseconds;
    if (own.rate > 0) {
      own.served += own.rate * seconds;
    }
    if (!access_flows_.empty() && !own.marks.empty()) {
      const double most = std::min(own.marks.front().at, own.served + limits_.flow);
      own.sent = std::clamp(own.sent + own.sending * seconds, own.served, std::max(most, own.served));
      if (own.sent >= own.marks.front().at) {
        set_sending(own, false);
      }
    }
  }
  own.since = now;
}

void Transfers::mark_dirty(std::uint32_t flows) {
  if (!classes_[flows].dirty) {
    classes_[flows].dirty = true;
    dirty_.push_back(flows);
  }
}

void Transfers::set_sending(Class& own, bool sends) {
  if (!access_flows_.empty() && own.access != kNoLink && own.sends != sends) {
    own.sends = sends;
    access_flows_[own.access] += sends ? 1U : -1U;
  }
}

void Transfers::look_at_senders(std::uint32_t access, Time now) {
  if (access == kNoLink || senders_seen_[access] == settled_) {
    return;
  }
  senders_seen_[access] = settled_;
  const std::span<const ClassOnLink> on_link = shares_.classes_on(access);
  const std::vector<ClassOnLink> classes(on_link.begin(), on_link.end());
  for (const ClassOnLink& one : classes) {
    advance(classes_[one.flows.value()], now);
  }
  for (const ClassOnLink& one : classes) {
    Class& own = classes_[one.flows.value()];
    own.sending = sending_rate(own);
  }
}

double Transfers::sending_rate(const Class& own) const {
  return own.access == kNoLink || !own.sends ? 0 : capacities_[own.access] / std::max(access_flows_[own.access], 1U);
}

void Transfers::add_mark(std::uint32_t flows, const Mark& mark) {
  Class& own = classes_[flows];
  own.marks.push_back(mark);
  std::ranges::push_heap(own.marks, kLaterMark);
  set_sending(own, true);
  mark_dirty(flows);
}

void Transfers::begin(ClassId flows, std::uint32_t owner, double bits, Time now) {
  Class& own = classes_[flows.value()];
  advance(own, now);
  add_mark(flows.value(),
           {.at = own.served + bits, .order = order_++, .owner = owner, .bits = static_cast<float>(bits)});
}

void Transfers::follow(const Finished& before, double bits) {
  add_mark(before.flows.value(),
           {.at = before.mark + bits, .order = order_++, .owner = before.owner, .bits = static_cast<float>(bits)});
}

void Transfers::limit_queues(const QueueLimits& limits) {
  limits_ = limits;
  access_flows_.resize(capacities_.size());
  waiting_.resize(capacities_.size());
  loads_.resize(capacities_.size());
  senders_seen_.resize(capacities_.size());
}

double Transfers::sent_over(std::uint32_t link) {
  Load& load = loads_[link];
  if (load.settled != settled_) {
    load = {.settled = settled_};
    for (const ClassOnLink& one : shares_.classes_on(link)) {
      load.rate += one.part * sending_rate(classes_[one.flows.value()]);
    }
  }
  return load.rate;
}

bool Transfers::queues_at(const Class& own, std::uint32_t link, bool held) {
  constexpr double kFull = 1 + 1e-6;
  if (own.in_parts) {
    return held;
  }
  for (const LinkUse& use : std::span(paths_.data() + own.first_link, own.links)) {
    if (sent_over(use.link) > capacities_[use.link] * kFull) {
      return use.link == link;
    }
  }
  return held;
}

double Transfers::queued_at(std::uint32_t link, Time now) {
  if (waiting_.empty()) {
    return 0;
  }
  double queued = 0;
  const std::span<const ClassOnLink> classes = shares_.classes_on(link);
  for (const ClassOnLink& one : std::vector<ClassOnLink>(classes.begin(), classes.end())) {
    Class& own = classes_[one.flows.value()];
    look_at_senders(own.access, now);
    if (queues_at(own, link, one.held)) {
      advance(own, now);
      queued += one.part * (own.sent - own.served);
    }
  }
  for (const Waiting& one : waiting_[link]) {
    const double sent = sending_rate(classes_[one.flows.value()]) * (now - one.since).seconds();
    queued += std::min({sent, one.bits, limits_.flow});
  }
  return std::min(queued, limits_.link);
}

void Transfers::wait(const Waiting& waiting) {
  Class& own = classes_[waiting.flows.value()];
  own.waits_at = waiting.link;
  set_sending(own, true);
  waiting_[waiting.link].push_back(waiting);
}

void Transfers::begin_waiting(ClassId flows, std::uint32_t owner, Time now) {
  Class& own = classes_[flows.value()];
  std::vector<Waiting>& line = waiting_[own.waits_at];
  const auto place = std::ranges::find(line, flows, &Waiting::flows);
  WEFT_ASSERT(place != line.end());
  const Waiting waited = *place;
  line.erase(place);
  own.waits_at = kNoLink;
  advance(own, now);
  const double sent = sending_rate(own) * (now - waited.since).seconds();
  own.sent = own.served + std::min({sent, waited.bits, limits_.flow});
  add_mark(flows.value(), {.at = own.served + waited.bits, .order = order_++, .owner = owner});
}

Time Transfers::next_finish() const { return due_.empty() ? Time::never() : due_.first_key(); }

std::optional<Transfers::Finished> Transfers::take_finished(Time now) {
  if (next_finish() > now) {
    return std::nullopt;
  }
  const std::uint32_t flows = due_.first();
  Class& own = classes_[flows];
  std::ranges::pop_heap(own.marks, kLaterMark);
  const Mark done = own.marks.back();
  own.marks.pop_back();
  own.took = static_cast<double>(done.bits) / own.rate;
  set_sending(own, false);
  mark_dirty(flows);
  // Others of the class may be finished at this instant as well.
  advance(own, now);
  schedule(flows);
  return Finished{.owner = done.owner, .flows = ClassId(flows), .mark = done.at};
}

void Transfers::schedule(std::uint32_t flows) {
  const Class& own = classes_[flows];
  if (own.marks.empty() || own.rate <= 0) {
    return due_.erase(flows);
  }
  const double left = (own.marks.front().at - own.served) / own.rate * kPicoseconds;
  const double whole = std::max(std::ceil(left - kSlack), 0.0);
  if (whole >= 9e18) {
    return due_.erase(flows);
  }
  due_.set(flows, own.since + Duration::picoseconds(static_cast<std::int64_t>(whole)));
}

void Transfers::put_off(double part) {
  if (waiting_.empty()) {
    put_off_ = part;
    settles_at_ = part > 0 ? Time::zero() : Time::never();  // what comes first has nothing to wait for
    shares_.set_tolerance(kLateTolerance);
  }
}

void Transfers::put_off_change(std::uint32_t flows, Time now) {
  Class& own = classes_[flows];
  const ClassId name(flows);
  const std::uint32_t before = shares_.flows(name);
  if (own.marks.size() == before) {
    return;
  }
  shares_.set_flows(name, static_cast<std::uint32_t>(own.marks.size()));
  if (before == 0) {
    own.rate = std::min(shares_.estimate(name), kMostRate);
  }
  if (!own.put_off) {
    own.put_off = true;
    late_.push_back(flows);
  }
  double seconds = own.took;
  if (own.marks.size() > before) {
    seconds = own.rate > 0 ? static_cast<double>(own.marks.front().bits) / own.rate : 0;
  }
  const Time latest = settled_at_ + duration_of(put_off_ * std::min(seconds, kLongest));
  settles_at_ = earlier(settles_at_, later(latest, now));
}

bool Transfers::puts_off(Time now) {
  for (const std::uint32_t flows : dirty_) {
    put_off_change(flows, now);
  }
  if (settles_at_ > now) {
    for (const std::uint32_t flows : dirty_) {
      refresh(flows, now);
    }
    dirty_.clear();
    return true;
  }
  for (const std::uint32_t flows : late_) {
    classes_[flows].put_off = false;
    mark_dirty(flows);
  }
  late_.clear();
  settled_at_ = now;
  settles_at_ = Time::never();
  return false;
}

void Transfers::refresh(std::uint32_t flows, Time now) {
  Class& own = classes_[flows];
  own.dirty = false;
  if (own.marks.empty()) {
    own.served = 0;
    own.sent = 0;
    own.rate = 0;
    return due_.erase(flows);
  }
  advance(own, now);
  own.sending = access_flows_.empty() ? 0 : sending_rate(own);
  schedule(flows);
}

void Transfers::settle(Time now) {
  ++settled_;
  if (put_off_ > 0 && puts_off(now)) {
    return;
  }
  if (dirty_.empty() && shares_.is_settled()) {
    return;
  }
  for (const std::uint32_t flows : dirty_) {
    shares_.set_flows(ClassId(flows), static_cast<std::uint32_t>(classes_[flows].marks.size()));
  }
  const bool most = put_off_ > 0 && dirty_.size() * kReached > shares_.active();
  const auto reach = most ? FairShares::Reach::kAll : FairShares::Reach::kWhatMoved;
  for (int round = 0; round == 0 || (round < kAnswerRounds && !answers_.empty() && apply_answers()); ++round) {
    for (const ClassId changed : shares_.update(reach)) {
      Class& own = classes_[changed.value()];
      advance(own, now);
      own.rate = std::min(shares_.rate(changed), kMostRate);
      mark_dirty(changed.value());
    }
  }
  for (const std::uint32_t flows : dirty_) {
    refresh(flows, now);
  }
  dirty_.clear();
}

}  // namespace weft::flow
