// The simulation clock and the pending events.
//
// One total order: (time, rank). A handler is a class with `bool on_event(ActorId, Time)`, false to stop the run after
// this event. Where its `prefetches()` is true, `prefetch_first(ActorId)`, and a little later `prefetch_second` and
// `prefetch_third`, ask for the memory that an event will need: each may read what the one before has asked for; the
// actor need not have an event any more, and nothing may change that decides anything. A handler is a template
// argument, so that each kind of actor is reached by a switch and no call through a pointer. A wake-up that an earlier
// one has replaced still arrives, as a stale event: handlers call Wake::fires first. A wake-up at the present instant
// runs after the actor that asked for it; only parts of one device may do that.
//
// A simulation may be partitioned (docs/decisions/0026). An event in one partition affects another only after the
// lookahead, so each partition runs a window of that length independently, which keeps its state in the caches; what it
// sends to others is posted (`post`) and handed to the handler's `take(const Crossing&)` at the end of the window.
// Handlers may have `prefetch_partition(PartitionIndex)` and, a little later, `prefetch_contents`, for the memory of
// partitions that come next, and `ran_partition(PartitionIndex, events)` to see which of them that is worth while for.
// Windows begin at multiples of the lookahead. Partition 0 holds global events; they run in the total order, after all
// earlier events of every partition. A run that is asked to stop continues to the end of the window, so that it ends at
// the same instant in every mode.
//
// Partitions may be dealt among several workers (docs/decisions/0058), with as many threads; a window is over when all
// workers' parts of it are done, by whichever thread. Everything that happens is the same whatever their number. A
// handler that has `has_news(WorkerIndex)` is asked for each worker after each window, and if any has, `take_news()` is
// called as the first while the others wait; false stops the run.
//
// They may also be dealt among several processes (docs/decisions/0072), each with the whole world and with workers for
// its own share of it. What is posted to a partition of another process is handed to the handler's
// `pack(const Crossing&, std::string&)` and, over there, `unpack(std::string_view, Crossing&)`. Global events run in
// every process, and what is posted to partition 0 reaches all. `take_news()` is called in all of them at the same
// point, and must come to the same conclusion.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "base/worker.h"
#include "base/worker_team.h"
#include "sim/actor.h"
#include "sim/peers.h"
#if defined(WEFT_EVENT_SET_HEADER)
#include WEFT_EVENT_SET_HEADER  // tests put a plain one in its place
#else
#include "sim/event_set.h"
#endif

namespace weft::sim {

/// What one partition sends to another; the handler knows what it means.
struct Crossing {
  Time at;  // no effect before this; after the window in which it is posted
  std::uint32_t target = 0;
  std::uint32_t content = 0;
  std::uint8_t kind = 0;
};

class Kernel;

/// What a thread is at while it runs a kernel; the kernel's own.
struct Running {
  static constexpr Time kNoWindow = Time::from_picoseconds(-1);

  const Kernel* kernel = nullptr;
  EventSet* events = nullptr;  // of the event that is being handled
  std::uint64_t order = 0;     // its own
  Time now{};
  std::uint64_t count = 0;       // of events, in this run
  Time window_end = kNoWindow;   // the last instant of a window that runs; else before all others
  PartitionIndex partition = 0;  // where a window runs
  WorkerIndex worker = 0;
  std::uint32_t parity = 0;  // of the window: into which outboxes
  bool is_shared = false;    // other workers run other partitions at the same time
};

class Kernel {
 public:
  /// Of one partition, or with a lookahead that is not zero of as many as there are options; at least two then.
  struct Division {
    Duration lookahead;
    std::vector<EventSet::Options> event_sets;  // by partition
  };

  Kernel() : Kernel(EventSet::Options{}) {}
  explicit Kernel(EventSet::Options options) { partitions_.emplace_back(options); }
  explicit Kernel(const Division& division);

  /// During an event, its instant; between runs, the last one.
  [[nodiscard]] Time now() const { return running_.kernel == this ? running_.now : now_; }
  /// Events handled in runs that have ended, stale ones included.
  [[nodiscard]] std::uint64_t events() const { return count_; }
  [[nodiscard]] std::size_t heap_bytes() const;
  /// Of a divided world, after a run that was asked to stop: where it was to end, the limit apart.
  [[nodiscard]] Time stop_end() const { return stop_end_; }
  [[nodiscard]] bool is_divided() const { return lookahead_ > Duration::zero(); }
  /// Of a divided kernel, before its first run: which worker each partition belongs to, from 0 and without gaps.
  void set_workers(const std::vector<WorkerIndex>& by_partition);
  [[nodiscard]] std::uint32_t workers() const {
    return static_cast<std::uint32_t>(std::max<std::size_t>(workers_.size(), 1));
  }
  /// The same, where other processes have partitions as well: numbers from `local` on stand for peer 0, 1, ... Each
  /// process has the same partitions, and workers for its own; the first partition is everyone's and of worker 0. What
  /// has been run before, in one order, was the same in all. `peers` must outlive the kernel.
  void set_peers(const std::vector<WorkerIndex>& by_partition, std::uint32_t local, Peers& peers);
  /// Null: there are none.
  [[nodiscard]] Peers* peers() const { return peers_; }
  /// A peer did not answer: the run has ended, wherever it was.
  [[nodiscard]] bool has_lost_peer() const { return lost_peer_; }
  /// Whether another process runs the partition.
  [[nodiscard]] bool is_foreign(PartitionIndex index) const {
    return peers_ != nullptr && partitions_[index].worker >= workers_.size();
  }
  /// Whether the present event is one of a window, in which others must not learn of it before its end.
  [[nodiscard]] bool in_window() const { return running_.window_end != Running::kNoWindow; }
  /// In a window of several workers: what is sent to another partition must be posted. With one worker it may be handed
  /// over at once, if whoever gets it does the same either way.
  [[nodiscard]] bool is_shared() const { return running_.is_shared; }
  /// Of a foreign partition, the number of the peer.
  [[nodiscard]] std::uint32_t peer_of(PartitionIndex index) const {
    WEFT_DCHECK(is_foreign(index));
    return partitions_[index].worker - static_cast<std::uint32_t>(workers_.size());
  }
  /// Only in a window.
  void post(PartitionIndex to, const Crossing& crossing) {
    WEFT_DCHECK(in_window() && to != running_.partition && crossing.at > running_.window_end);
    Worker& own = workers_[running_.worker];
    own.has_posted = true;
    if (to == 0) [[unlikely]] {
      own.first_global = earlier(own.first_global, crossing.at);
      own.globals[running_.parity].push_back(crossing);
      return;
    }
    if (peers_ != nullptr) [[unlikely]] {
      return post_among_peers(own, to, crossing);
    }
    own.outboxes[running_.parity][partitions_[to].worker].push_back(crossing);
  }

  /// Asks for an event at `at` (>= now), unless one is pending that is not later. In a window that is shared only
  /// within a partition; from another one not before its end.
  void wake(Wake& wake, ActorId actor, Time at) {
    if (at < wake.pending()) {
      wake_always(wake, actor, at);
    }
  }
  /// The same, when it is known that none is pending.
  void wake_always(Wake& wake, ActorId actor, Time at) {
    WEFT_DCHECK(at >= now() && at < wake.pending());
    WEFT_DCHECK(!in_window() || running_.kernel != this || wake.partition() == running_.partition ||
                (!is_shared() && at > running_.window_end));
    WakeAccess::set(wake, at);
    Partition& partition = partitions_[wake.partition()];
    if (at <= partition.due) [[unlikely]] {
      return insert_and_enqueue(wake.partition(), Event(at, wake.rank(), actor));
    }
    partition.events.insert(Event(at, wake.rank(), actor));
  }
  /// The same for the actor whose event is being handled: its place in the order and its event set are at hand. Inlined
  /// by force: nearly every event of a port is followed by another in this way.
  [[gnu::always_inline]] void reschedule_current(Wake& wake, Time at) {
    Event event;
    event.time = at;
    event.order = running_.order;
    WEFT_DCHECK(running_.kernel == this && at >= running_.now && wake.pending().is_never() &&
                wake.rank() == event.rank());
    WakeAccess::set(wake, at);
    if (!running_.events->insert_if_open(event)) [[unlikely]] {
      insert_again(event);
    }
  }

  enum class Stop : std::uint8_t { kEmpty, kLimit, kAsked };

  /// Runs events until there is none left, or the next is after `limit`, or `budget` events were taken (in a divided
  /// world at least so many: windows are not broken off).
  template <class Handler>
  Stop run(Time limit, std::uint64_t budget, Handler& handler) {
    return is_divided() ? run_windows(limit, budget, handler) : run_whole(limit, budget, handler);
  }

  /// The same, in the one total order even in a divided world.
  template <class Handler>
  Stop run_in_order(Time limit, std::uint64_t budget, Handler& handler) {
    return is_divided() ? run_merged(limit, budget, handler) : run_whole(limit, budget, handler);
  }

 private:
  // In events: an access to memory takes as long as about one of them.
  static constexpr std::size_t kFirstAhead = 12;
  static constexpr std::size_t kSecondAhead = 8;
  static constexpr std::size_t kThirdAhead = 4;
  /// Partition::due of a partition that is not in the queue.
  static constexpr Time kNotEnqueued = Time::from_picoseconds(-1);

  /// In cache lines of its own, so that fetching one partition fetches nothing of its neighbours.
  struct alignas(64) Partition {
    explicit Partition(EventSet::Options options) : events(options) {}
    EventSet events;
    Time due = kNotEnqueued;  // not after its first event; the agenda has an entry of that time
    WorkerIndex worker = 0;
  };
  /// A run begins on a thread, and the former state of that returns with its end.
  class Beginning {
   public:
    explicit Beginning(const Kernel& kernel) : before_(running_) {
      running_ = {.kernel = &kernel, .now = kernel.now_, .worker = this_worker};
    }
    ~Beginning() { running_ = before_; }
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;

   private:
    Running before_;
  };
  /// What one worker tells at the end of a window.
  struct Report {
    Time next = Time::never();    // the earliest thing that it knows of
    Time global = Time::never();  // the same of global events that were posted; the span ends before that
    Time latest{};                // that it has done
    std::uint64_t count = 0;      // of events, in this span
    bool goes_on = true;
    bool has_news = false;

    void operator+=(const Report& other) {
      next = earlier(next, other.next);
      global = earlier(global, other.global);
      latest = later(latest, other.latest);
      count += other.count;
      goes_on = goes_on && other.goes_on;
      has_news = has_news || other.has_news;
    }
  };
  /// For a partition of another process.
  struct Far {
    PartitionIndex to = 0;
    Crossing crossing;
  };
  struct alignas(128) Worker {
    explicit Worker(const EventSet::Options& options) : agenda(options) {}
    EventSet agenda;                    // when its partitions have something to do, those with `due` at that time
    bool has_posted = false;            // to other partitions, in this window
    Time first_global = Time::never();  // to partition 0, in this span
    Report report;                      // its `latest` and `count` go on from window to window
    std::array<std::vector<std::vector<Crossing>>, 2> outboxes{};  // by parity of the window and receiving worker
    std::array<std::vector<std::vector<Far>>, 2> far{};            // by parity and peer
    std::array<std::vector<Crossing>, 2> globals{};                // by parity: to partition 0
    std::vector<Crossing> incoming;                                // from peers, in the window that has just ended
  };
  /// Windows that follow one another without global events.
  struct Span {
    Time begin;  // of the window that runs
    Time last;   // no event after this
    std::uint64_t budget = 0;
    std::uint32_t parity = 0;         // of the window
    Time stopped_in = Time::never();  // the beginning of the window in which the run was asked to stop
  };

  template <class Handler>
  Stop run_whole(Time limit, std::uint64_t budget, Handler& handler);
  template <class Handler>
  Stop run_windows(Time limit, std::uint64_t budget, Handler& handler);
  template <class Handler>
  Stop run_merged(Time limit, std::uint64_t budget, Handler& handler);
  template <class Handler>
  void run_span(Span& span, Handler& handler);
  /// One worker's part of a window, on whatever thread.
  template <class Handler>
  void run_part(WorkerIndex worker, const Span& span, Handler& handler);
  /// When all parts of it are done, on one thread: whether another one follows.
  template <class Handler>
  [[nodiscard]] bool end_window(Span& span, Handler& handler);
  template <class Handler>
  [[nodiscard]] bool run_window(WorkerIndex worker, Time last, Handler& handler);
  // Among processes.
  template <class Handler>
  bool run_common_instant(Time at, Handler& handler);
  /// At the end of a window of this process and the others.
  template <class Handler>
  void exchange_window(std::uint32_t parity, Handler& handler);
  template <class Handler>
  void take_posted(WorkerIndex worker, std::uint32_t parity, Handler& handler);
  template <class Handler>
  void take_all_posted(std::uint32_t parity, Handler& handler);
  template <class Handler>
  void take_globals(std::uint32_t parity, Handler& handler);
  /// What all workers of all processes have posted to partition 0, in an order that does not hang on theirs.
  [[nodiscard]] std::vector<Crossing> sorted_globals(std::uint32_t parity);
  template <class Handler>
  void take_incoming(WorkerIndex worker, Handler& handler);
  template <class Handler>
  [[nodiscard]] bool take_peers_message(std::string_view bytes, Report& report, Handler& handler);
  /// Has no content beside itself.
  static void append_global(const Crossing& crossing, std::string& message);
  [[gnu::noinline]] void post_among_peers(Worker& own, PartitionIndex to, const Crossing& crossing);
  /// Of this process together.
  [[nodiscard]] Report sum_of_reports() const;
  /// The earliest thing that any process knows of, and whether none has anything left; at never if a peer is gone.
  struct Outlook {
    Time begin = Time::never();
    bool is_empty = true;
  };
  [[nodiscard]] Outlook look_around();
  /// The partition of this process, or the first, whose event comes next, if that is at the instant; none: size().
  [[nodiscard]] PartitionIndex next_at(Time at);
  template <class Handler>
  [[nodiscard]] bool run_partition(PartitionIndex index, Time last, Handler& handler);

  template <class Handler>
  void fetch_partition(PartitionIndex index, Handler& handler) const {
    partitions_[index].events.prefetch();
    if constexpr (requires { handler.prefetch_partition(index); }) {
      handler.prefetch_partition(index);
    }
  }
  template <class Handler>
  void fetch_contents(PartitionIndex index, Handler& handler) const {
    partitions_[index].events.prefetch_contents();
    if constexpr (requires { handler.prefetch_contents(index); }) {
      handler.prefetch_contents(index);
    }
  }
  /// The partition that an entry of the agenda is for, which is to run next; 0 if it has another entry by now.
  [[nodiscard]] PartitionIndex take(const Event& entry, WorkerIndex worker) {
    const PartitionIndex index = entry.actor().value();
    if (partitions_[index].worker != worker || partitions_[index].due != entry.time) {
      return 0;
    }
    partitions_[index].due = kNotEnqueued;
    return index;
  }
  static void begin(const Event& event) {
    running_.now = event.time;
    running_.order = event.order;
    ++running_.count;
  }
  /// Everything of a run on this thread is done.
  void finish_run() {
    now_ = running_.now;
    count_ += running_.count;
  }
  // Tail calls, so that the fast path saves no registers.
  [[gnu::noinline]] void insert_again(Event event);
  [[gnu::noinline]] void insert_and_enqueue(PartitionIndex index, Event event);
  /// Puts the partition into the agenda at its next event, or where that may be at the earliest.
  void enqueue_partition(PartitionIndex index);
  void enqueue_partitions();
  void enqueue(PartitionIndex index, const Event& next);
  /// The earliest entry of the queue of a run in one order if it is not after `limit`; it leaves that.
  [[nodiscard]] bool pop_in_order(Event& entry, Time limit);
  void leave_order(Time until);
  /// After a run in one order: every partition in the agenda of its worker again.
  void deal_partitions();
  /// The last instant of the window that an instant is in.
  [[nodiscard]] Time end_of_window(Time time) const;
  [[nodiscard]] bool is_empty() const;

  // Not behind a pointer: it is used in every event. All code is linked into programs, so reading it is one
  // instruction.
  [[gnu::tls_model("local-exec")]] static inline constinit thread_local Running running_{};

  std::vector<Partition> partitions_;
  Duration lookahead_;
  std::vector<Worker> workers_;
  std::unique_ptr<WorkerTeam> team_;  // of more than one worker
  Peers* peers_ = nullptr;            // null: this process has all partitions
  bool lost_peer_ = false;
  std::vector<Report> peer_reports_;       // of the window that has just ended
  std::vector<std::string> messages_;      // by peer; kept for their memory
  std::vector<Crossing> foreign_globals_;  // of this window, for partition 0
  bool in_order_ = false;                  // partitions are in the queue of runs in one order, not in agendas
  /// That queue, a heap: at the first instant it has an entry for nearly every event, and all are of one time.
  std::vector<Event> queue_in_order_;
  Time now_;
  std::uint64_t count_ = 0;
  Time stop_end_;
};

template <class Handler>
Kernel::Stop Kernel::run_whole(Time limit, std::uint64_t budget, Handler& handler) {
  const Beginning beginning(*this);
  EventSet& events = partitions_.front().events;
  running_.events = &events;
  Stop stop = Stop::kAsked;
  Event event;
  for (; budget > 0; --budget) {
    if (!events.pop_prefetching(event, limit)) {
      stop = events.size() == 0 ? Stop::kEmpty : Stop::kLimit;
      break;
    }
    if (handler.prefetches()) {
      handler.prefetch_first(events.peek(kFirstAhead)->actor());
      handler.prefetch_second(events.peek(kSecondAhead)->actor());
      handler.prefetch_third(events.peek(kThirdAhead)->actor());
    }
    begin(event);
    if (!handler.on_event(event.actor(), event.time)) {
      break;
    }
  }
  finish_run();
  return stop;
}

template <class Handler>
bool Kernel::run_partition(PartitionIndex index, Time last, Handler& handler) {
  Partition& partition = partitions_[index];
  running_.partition = index;
  running_.events = &partition.events;
  bool goes_on = true;
  Event event;
  std::uint64_t count = 0;
  while (partition.events.pop(event, last)) {
    running_.now = event.time;
    running_.order = event.order;
    ++count;
    if (!handler.on_event(event.actor(), event.time)) {
      goes_on = false;
    }
  }
  running_.count += count;
  if constexpr (requires { handler.ran_partition(index, count); }) {
    handler.ran_partition(index, count);
  }
  enqueue_partition(index);
  return goes_on;
}

// Between windows the clock shows the last instant at which anything happened.
template <class Handler>
Kernel::Stop Kernel::run_windows(Time limit, std::uint64_t budget, Handler& handler) {
  const std::uint64_t end_count = count_ + std::min(budget, ~std::uint64_t{0} - count_);
  bool asked = false;
  deal_partitions();
  while (asked || count_ < end_count) {
    const Time common = partitions_.front().events.not_before().time;
    const bool is_common_due = !common.is_never() && common <= limit;
    Span span{.begin = Time::never(),
              .last = is_common_due ? common - Duration::picoseconds(1) : limit,
              .budget = asked ? ~std::uint64_t{0} : end_count - count_};
    const Outlook outlook = look_around();
    span.begin = outlook.begin;
    Time stopped_in = Time::never();
    if (!span.begin.is_never() && span.begin <= span.last) {
      run_span(span, handler);
      for (const Worker& worker : workers_) {
        now_ = later(now_, worker.report.latest);
        count_ += worker.report.count;
      }
      for (const Report& peer : peer_reports_) {
        now_ = later(now_, peer.latest);
        count_ += peer.count;
      }
      stopped_in = span.stopped_in;
    } else if (is_common_due && !lost_peer_) {
      // Global events run among the other events of their instant.
      if (peers_ != nullptr) {
        stopped_in = run_common_instant(common, handler) ? stopped_in : common;
      } else if (run_merged(common, ~std::uint64_t{0}, handler) == Stop::kAsked) {
        stopped_in = common;
      }
      deal_partitions();
    } else {
      return asked || lost_peer_ ? Stop::kAsked : outlook.is_empty ? Stop::kEmpty : Stop::kLimit;
    }
    if (lost_peer_) {
      return Stop::kAsked;
    }
    if (!stopped_in.is_never()) {
      asked = true;
      stop_end_ = end_of_window(stopped_in);
      limit = earlier(limit, stop_end_);
    }
  }
  return Stop::kAsked;
}

template <class Handler>
void Kernel::run_span(Span& span, Handler& handler) {
  for (Worker& worker : workers_) {
    worker.first_global = Time::never();
    worker.report = {.latest = now_};
  }
  if (team_ != nullptr) {
    return team_->run_rounds({.part = [&](WorkerIndex worker) { run_part(worker, span, handler); },
                              .turn = [&] { return end_window(span, handler); }});
  }
  do {
    run_part(0, span, handler);
  } while (end_window(span, handler));
}

template <class Handler>
void Kernel::run_part(WorkerIndex worker, const Span& span, Handler& handler) {
  const Beginning beginning(*this);
  Worker& own = workers_[worker];
  Report& report = own.report;
  running_.now = report.latest;
  running_.count = report.count;
  running_.parity = span.parity;
  // What others have posted in the window before.
  take_posted(worker, span.parity ^ 1U, handler);
  take_incoming(worker, handler);
  const Time last = earlier(end_of_window(span.begin), span.last);
  own.has_posted = false;
  report.goes_on = run_window(worker, last, handler);
  // What was posted comes in some later window, mostly the next.
  report.next = earlier(own.agenda.not_before().time, own.has_posted ? last + Duration::picoseconds(1) : Time::never());
  report.global = own.first_global;
  report.latest = running_.now;
  report.count = running_.count;
  if constexpr (requires { handler.has_news(worker); }) {
    report.has_news = handler.has_news(worker);
  }
}

template <class Handler>
bool Kernel::end_window(Span& span, Handler& handler) {
  const Beginning beginning(*this);
  Report all = sum_of_reports();
  running_.now = all.latest;
  if (peers_ != nullptr) {
    exchange_window(span.parity, handler);
    for (const Report& told : peer_reports_) {
      all += told;
    }
  }
  take_globals(span.parity, handler);
  if (!all.global.is_never()) {
    span.last = earlier(span.last, all.global - Duration::picoseconds(1));
  }
  bool goes_on = all.goes_on;
  if constexpr (requires { handler.take_news(); }) {
    goes_on = (!all.has_news || handler.take_news()) && goes_on;
  }
  if (!goes_on) {
    span.stopped_in = span.begin;
  }
  span.begin = all.next;
  goes_on = goes_on && !span.begin.is_never() && span.begin <= span.last && all.count < span.budget;
  if (!goes_on) {
    take_all_posted(span.parity, handler);
  }
  span.parity ^= 1U;
  return goes_on;
}

// At the end of a span, for what comes next may look at all partitions.
template <class Handler>
void Kernel::take_all_posted(std::uint32_t parity, Handler& handler) {
  for (WorkerIndex worker = 0; worker < workers_.size(); ++worker) {
    this_worker = worker;
    take_posted(worker, parity, handler);
    take_incoming(worker, handler);
  }
  this_worker = 0;
}

template <class Handler>
void Kernel::take_posted(WorkerIndex worker, std::uint32_t parity, Handler& handler) {
  if constexpr (requires(const Crossing& crossing) { handler.take(crossing); }) {
    for (Worker& sender : workers_) {
      std::vector<Crossing>& posted = sender.outboxes[parity][worker];
      for (const Crossing& crossing : posted) {
        handler.take(crossing);
      }
      posted.clear();
    }
  }
}

template <class Handler>
void Kernel::take_globals(std::uint32_t parity, Handler& handler) {
  if constexpr (requires(const Crossing& crossing) { handler.take(crossing); }) {
    for (const Crossing& crossing : sorted_globals(parity)) {
      handler.take(crossing);
    }
  }
}

template <class Handler>
void Kernel::take_incoming(WorkerIndex worker, Handler& handler) {
  if constexpr (requires(const Crossing& crossing) { handler.take(crossing); }) {
    for (const Crossing& crossing : workers_[worker].incoming) {
      handler.take(crossing);
    }
    workers_[worker].incoming.clear();
  }
}

// A report, and behind it for each crossing: the partition, the crossing, and its content as the handler packs that.
template <class Handler>
void Kernel::exchange_window(std::uint32_t parity, Handler& handler) {
  const Report own = sum_of_reports();
  for (std::uint32_t peer = 0; peer < peers_->count(); ++peer) {
    std::string& message = messages_[peer];
    message.assign(reinterpret_cast<const char*>(&own), sizeof own);
    for (Worker& worker : workers_) {
      for (const Far& far : worker.far[parity][peer]) {
        message.append(reinterpret_cast<const char*>(&far), sizeof far);
        const std::size_t size_at = message.size();
        message.append(sizeof(std::uint32_t), '\0');
        if constexpr (requires { handler.pack(far.crossing, message); }) {
          handler.pack(far.crossing, message);
        }
        const auto size = static_cast<std::uint32_t>(message.size() - size_at - sizeof(std::uint32_t));
        std::memcpy(message.data() + size_at, &size, sizeof size);
      }
      worker.far[parity][peer].clear();
      for (const Crossing& crossing : worker.globals[parity]) {
        append_global(crossing, message);
      }
    }
  }
  bool is_good = peers_->exchange(messages_);
  for (std::uint32_t peer = 0; peer < peers_->count(); ++peer) {
    is_good = is_good && take_peers_message(messages_[peer], peer_reports_[peer], handler);
    if (!is_good) {
      peer_reports_[peer] = {.goes_on = false};
    }
  }
  lost_peer_ = lost_peer_ || !is_good;
}

template <class Handler>
bool Kernel::take_peers_message(std::string_view bytes, Report& report, Handler& handler) {
  const auto read = [&bytes](auto& value) {
    if (bytes.size() < sizeof value) {
      return false;
    }
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return true;
  };
  if (!read(report)) {
    return false;
  }
  while (!bytes.empty()) {
    Far far;
    std::uint32_t size = 0;
    if (!read(far) || !read(size) || size > bytes.size() || far.to >= partitions_.size() || is_foreign(far.to)) {
      return false;
    }
    if constexpr (requires { handler.unpack(bytes, far.crossing); }) {
      handler.unpack(bytes.substr(0, size), far.crossing);
    }
    bytes.remove_prefix(size);
    (far.to == 0 ? foreign_globals_ : workers_[partitions_[far.to].worker].incoming).push_back(far.crossing);
  }
  return true;
}

// Global events in every process, among the other events of their instant that this process has; for others it is a
// window of one instant.
template <class Handler>
bool Kernel::run_common_instant(Time at, Handler& handler) {
  const Beginning beginning(*this);
  running_.window_end = at;
  running_.is_shared = true;
  workers_.front().first_global = Time::never();
  Report& report = workers_.front().report;
  report = {};
  for (PartitionIndex index = next_at(at); index < partitions_.size(); index = next_at(at)) {
    Partition& partition = partitions_[index];
    Event event;
    (void)partition.events.pop(event, at);
    running_.partition = index;
    running_.events = &partition.events;
    this_worker = partition.worker;
    begin(event);
    // Everyone's events count once.
    running_.count -= index == 0 && peers_->own_number() != 0 ? 1 : 0;
    report.goes_on &= handler.on_event(event.actor(), event.time);
  }
  this_worker = 0;
  running_.window_end = Running::kNoWindow;
  running_.is_shared = false;
  report.latest = running_.now;
  report.count = running_.count;
  for (WorkerIndex worker = 0; worker < workers_.size(); ++worker) {
    workers_[worker].report = worker == 0 ? report : Report{};
    if constexpr (requires { handler.has_news(worker); }) {
      workers_[worker].report.has_news = handler.has_news(worker);
    }
  }
  exchange_window(0, handler);
  take_all_posted(0, handler);
  take_globals(0, handler);
  Report all = sum_of_reports();
  for (const Report& told : peer_reports_) {
    all += told;
  }
  if constexpr (requires { handler.take_news(); }) {
    all.goes_on = (!all.has_news || handler.take_news()) && all.goes_on;
  }
  now_ = later(now_, all.latest);
  count_ += all.count;
  in_order_ = true;  // agendas are made anew
  leave_order(at);
  return all.goes_on;
}

template <class Handler>
bool Kernel::run_window(WorkerIndex worker, Time last, Handler& handler) {
  EventSet& agenda = workers_[worker].agenda;
  running_.window_end = last;
  running_.is_shared = team_ != nullptr || peers_ != nullptr;
  bool goes_on = true;
  Time latest = running_.now;
  // While one partition runs, the next two are being fetched.
  PartitionIndex current = 0;
  PartitionIndex next = 0;
  PartitionIndex second = 0;
  Event entry;
  do {
    second = 0;
    while (second == 0 && agenda.pop(entry, last)) {
      second = take(entry, worker);
    }
    if (second != 0) {
      fetch_partition(second, handler);
    }
    if (next != 0) {
      fetch_contents(next, handler);
    }
    if (current != 0) {
      goes_on &= run_partition(current, last, handler);
      latest = later(latest, running_.now);
    }
    current = next;
    next = second;
  } while ((current | next) != 0);
  running_.now = latest;
  running_.window_end = Running::kNoWindow;
  running_.is_shared = false;
  return goes_on;
}

template <class Handler>
Kernel::Stop Kernel::run_merged(Time limit, std::uint64_t budget, Handler& handler) {
  const Beginning beginning(*this);
  in_order_ = true;
  enqueue_partitions();
  bool goes_on = true;
  Event entry;
  while ((budget > 0 || !goes_on) && pop_in_order(entry, limit)) {
    const PartitionIndex index = entry.actor().value();
    Partition& partition = partitions_[index];
    const Event* const first = partition.events.first();
    if (first == nullptr || first->time != entry.time || first->rank() != entry.rank()) {
      // A stale entry: its event was handled, or an earlier entry replaced it; or only a lower bound was known.
      if (entry.time == partition.due) {
        enqueue_partition(index);
      }
      continue;
    }
    Event event;
    (void)partition.events.pop(event, limit);
    partition.due = kNotEnqueued;
    running_.events = &partition.events;
    begin(event);
    if (!handler.on_event(event.actor(), event.time)) {
      goes_on = false;
      stop_end_ = end_of_window(running_.now);
      limit = earlier(limit, stop_end_);
    }
    enqueue_partition(index);
    budget -= budget > 0 ? 1 : 0;
  }
  partitions_.front().due = kNotEnqueued;
  leave_order(running_.now);
  finish_run();
  if (!goes_on || budget == 0) {
    return Stop::kAsked;
  }
  return is_empty() ? Stop::kEmpty : Stop::kLimit;
}

}  // namespace weft::sim
