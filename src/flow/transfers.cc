#include "flow/transfers.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/assert.h"

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

constexpr auto kLaterMark = [](const auto& a, const auto& b) {
  return std::tie(a.at, a.order) > std::tie(b.at, b.order);
};
constexpr auto kLaterDue = [](const auto& a, const auto& b) {
  return std::tie(a.at, a.flows, a.version) > std::tie(b.at, b.flows, b.version);
};

}  // namespace

Transfers::Transfers(std::vector<double> capacities)
    : shares_(capacities), capacities_(std::move(capacities)), answer_load_(capacities_.size()) {}

ClassId Transfers::add_class(std::span<const LinkUse> links, const ClassOptions& options,
                             std::span<const LinkUse> answers) {
  Class& made = classes_.emplace_back();
  made.first_answer = static_cast<std::uint32_t>(answers_.size());
  made.answers = static_cast<std::uint32_t>(answers.size());
  answers_.insert(answers_.end(), answers.begin(), answers.end());
  return shares_.add_class(links, options);
}

void Transfers::set_capacity(std::uint32_t link, double capacity) {
  capacities_[link] = capacity;
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

void Transfers::advance(Class& own, Time now) const {
  if (own.rate > 0 && now > own.since) {
    own.served += own.rate * (static_cast<double>((now - own.since).picoseconds()) / kPicoseconds);
  }
  own.since = now;
}

void Transfers::mark_dirty(std::uint32_t flows) {
  if (!classes_[flows].dirty) {
    classes_[flows].dirty = true;
    dirty_.push_back(flows);
  }
}

void Transfers::begin(ClassId flows, std::uint32_t owner, double bits, Time now) {
  Class& own = classes_[flows.value()];
  advance(own, now);
  own.marks.push_back({.at = own.served + bits, .order = order_++, .owner = owner});
  std::ranges::push_heap(own.marks, kLaterMark);
  mark_dirty(flows.value());
}

void Transfers::follow(const Finished& before, double bits) {
  Class& own = classes_[before.flows.value()];
  own.marks.push_back({.at = before.mark + bits, .order = order_++, .owner = before.owner});
  std::ranges::push_heap(own.marks, kLaterMark);
  mark_dirty(before.flows.value());
}

void Transfers::drop_stale() {
  while (!due_.empty() && due_.front().version != classes_[due_.front().flows].version) {
    std::ranges::pop_heap(due_, kLaterDue);
    due_.pop_back();
  }
}

Time Transfers::next_finish() {
  drop_stale();
  return due_.empty() ? Time::never() : due_.front().at;
}

std::optional<Transfers::Finished> Transfers::take_finished(Time now) {
  if (next_finish() > now) {
    return std::nullopt;
  }
  const std::uint32_t flows = due_.front().flows;
  Class& own = classes_[flows];
  std::ranges::pop_heap(own.marks, kLaterMark);
  const Mark done = own.marks.back();
  own.marks.pop_back();
  mark_dirty(flows);
  // Others of the class may be finished at this instant as well.
  ++own.version;
  advance(own, now);
  schedule(flows);
  return Finished{.owner = done.owner, .flows = ClassId(flows), .mark = done.at};
}

void Transfers::schedule(std::uint32_t flows) {
  Class& own = classes_[flows];
  if (own.marks.empty() || own.rate <= 0) {
    return;
  }
  const double left = (own.marks.front().at - own.served) / own.rate * kPicoseconds;
  const double whole = std::max(std::ceil(left - kSlack), 0.0);
  if (whole < 9e18) {
    due_.push_back({.at = own.since + Duration::picoseconds(static_cast<std::int64_t>(whole)),
                    .flows = flows,
                    .version = own.version});
    std::ranges::push_heap(due_, kLaterDue);
  }
}

void Transfers::settle(Time now) {
  if (dirty_.empty() && shares_.is_settled()) {
    return;
  }
  for (const std::uint32_t flows : dirty_) {
    shares_.set_flows(ClassId(flows), static_cast<std::uint32_t>(classes_[flows].marks.size()));
  }
  for (int round = 0; round == 0 || (round < kAnswerRounds && !answers_.empty() && apply_answers()); ++round) {
    for (const ClassId changed : shares_.update()) {
      Class& own = classes_[changed.value()];
      advance(own, now);
      own.rate = std::min(shares_.rate(changed), 1e18);
      mark_dirty(changed.value());
    }
  }
  for (const std::uint32_t flows : dirty_) {
    Class& own = classes_[flows];
    own.dirty = false;
    ++own.version;
    if (own.marks.empty()) {
      own.served = 0;
      own.rate = 0;
      continue;
    }
    advance(own, now);
    schedule(flows);
  }
  dirty_.clear();
}

}  // namespace weft::flow
