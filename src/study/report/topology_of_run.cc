#include "study/report/topology_of_run.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace weft::study::report {
namespace {

constexpr std::size_t kQueuesShown = 12;
constexpr std::size_t kInstantsShown = 50;
constexpr std::size_t kStopsShown = 60;

/// The nodes that ports belong to: a switch by its name, a NIC by that of its host.
class Owners {
 public:
  explicit Owners(const std::vector<results::PortRow>& ports) {
    for (const results::PortRow& port : ports) {
      if (port.of_switch) {
        of_switches_.insert(port.name);
      }
    }
  }
  /// "group0/rail1" of "group0/rail1/port3", "host3" of "host3/nic0".
  [[nodiscard]] std::string operator()(const std::string& port) const {
    return port.substr(0, of_switches_.contains(port) ? port.rfind('/') : port.find('/'));
  }

 private:
  std::set<std::string> of_switches_;
};

struct Node {
  bool is_switch = false;
  int tier = -1;
  std::vector<std::string> neighbours;
};

using Nodes = std::map<std::string, Node>;

Nodes nodes_of(const std::vector<results::PortRow>& ports) {
  const Owners node_of(ports);
  Nodes nodes;
  for (const results::PortRow& port : ports) {
    Node& node = nodes[node_of(port.name)];
    node.is_switch = node.is_switch || port.of_switch;
    node.neighbours.push_back(node_of(port.peer));
    nodes.try_emplace(node_of(port.peer));
  }
  std::deque<std::string> reached;
  for (auto& [name, node] : nodes) {
    if (!node.is_switch) {
      node.tier = 0;
      reached.push_back(name);
    }
  }
  for (; !reached.empty(); reached.pop_front()) {
    const Node& from = nodes[reached.front()];
    for (const std::string& name : from.neighbours) {
      if (Node& to = nodes[name]; to.tier < 0) {
        to.tier = from.tier + 1;
        reached.push_back(name);
      }
    }
  }
  return nodes;
}

/// Digits count as numbers, so that host10 follows host9.
bool before(const std::string& a, const std::string& b) {
  const auto number = [](const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const bool has = digits < name.size() && name.size() - digits < 10;
    return std::pair(has ? name.substr(0, digits) : name, has ? std::stol(name.substr(digits)) : -1);
  };
  return number(a) < number(b);
}

std::vector<NetworkNode> nodes_of_map(const Nodes& nodes) {
  std::vector<std::string> names;
  for (const auto& [name, node] : nodes) {
    names.push_back(name);
  }
  std::ranges::sort(names, before);
  std::vector<NetworkNode> list;
  for (const std::string& name : names) {
    const Node& node = nodes.at(name);
    list.push_back({.name = name, .kind = node.is_switch ? "switch" : "host", .tier = std::max(node.tier, 0)});
  }
  return list;
}

/// What was sampled of every port, by instant. Of long runs some neighbouring instants are one, named by the last: load
/// is their mean, the queue its largest, time held the sum.
struct Course {
  std::vector<Time> instants;
  struct Port {
    std::vector<double> utilisation;
    std::vector<std::uint64_t> queue;
    std::vector<double> held;  // seconds
    std::uint64_t last = 0;    // queue
    std::uint64_t peak = 0;
  };
  std::vector<Port> ports;
};

std::vector<Time> instants_of(const results::RunResults& results) {
  std::vector<Time> instants;
  for (const results::SampleRow& sample : results.samples) {
    if (instants.empty() || instants.back() != sample.at) {
      instants.push_back(sample.at);
    }
  }
  return instants;
}

/// Queues of ports that had no sample at an instant stay as they were.
void keep_queues(Course& course, std::size_t place) {
  for (Course::Port& port : course.ports) {
    port.queue[place] = std::max(port.queue[place], port.last);
  }
}

Course course_of(const results::RunResults& results) {
  const std::vector<Time> sampled = instants_of(results);
  const std::size_t together = std::max<std::size_t>(1, (sampled.size() + kInstantsShown - 1) / kInstantsShown);
  const std::size_t count = (sampled.size() + together - 1) / together;
  Course course;
  for (std::size_t i = 0; i < count; ++i) {
    course.instants.push_back(sampled[std::min((i + 1) * together, sampled.size()) - 1]);
  }
  course.ports.assign(results.ports.size(), {std::vector<double>(count), std::vector<std::uint64_t>(count),
                                             std::vector<double>(count), 0, 0});
  auto sample = results.samples.begin();
  for (std::size_t instant = 0; instant < sampled.size(); ++instant) {
    const std::size_t place = instant / together;
    const std::size_t members = std::min(together, sampled.size() - place * together);
    for (; sample != results.samples.end() && sample->at == sampled[instant]; ++sample) {
      if (sample->port >= course.ports.size()) {
        continue;
      }
      Course::Port& port = course.ports[sample->port];
      port.utilisation[place] += static_cast<double>(sample->utilisation) * 1e-6 / static_cast<double>(members);
      port.held[place] += sample->held.seconds();
      port.last = sample->queue_bytes;
      port.peak = std::max(port.peak, port.last);
    }
    keep_queues(course, place);
  }
  return course;
}

std::vector<double> seconds_of_instants(const Course& course) {
  std::vector<double> instants;
  for (const Time at : course.instants) {
    instants.push_back(at.since_start().seconds());
  }
  return instants;
}

std::vector<NetworkLink> links_of(const results::RunResults& results, const Course& course) {
  const Owners node_of(results.ports);
  std::vector<NetworkLink> links;
  for (std::size_t i = 0; i < results.ports.size(); ++i) {
    const results::PortRow& port = results.ports[i];
    if (node_of(port.name) == node_of(port.peer)) {
      continue;
    }
    links.push_back({.from = node_of(port.name), .to = node_of(port.peer), .rate = port.rate.bits_per_second()});
    if (!course.instants.empty()) {
      links.back().utilisation = course.ports[i].utilisation;
    }
  }
  return links;
}

std::vector<PortQueue> fullest_queues(const results::RunResults& results, const Course& course) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < course.ports.size(); ++i) {
    const bool held = std::ranges::any_of(course.ports[i].held, [](double s) { return s > 0; });
    if (course.ports[i].peak > 0 || held) {
      order.push_back(i);
    }
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return course.ports[i].peak; });
  order.resize(std::min(order.size(), kQueuesShown));
  std::vector<PortQueue> queues;
  for (const std::size_t i : order) {
    queues.push_back({.port = results.ports[i].name,
                      .at = seconds_of_instants(course),
                      .bytes = course.ports[i].queue,
                      .held = course.ports[i].held});
  }
  return queues;
}

/// By kind, over the instants of the course: a decision counts at the first instant that is not before it.
std::vector<DecisionCourse> decisions_of(const results::RunResults& results, const Course& course) {
  std::map<results::Decision, DecisionCourse> kinds;
  for (const results::DecisionRow& row : results.decisions) {
    if (course.instants.empty()) {
      break;
    }
    DecisionCourse& kind = kinds[row.decision];
    if (kind.at.empty()) {
      kind = {.decision = std::string(to_string(row.decision)),
              .at = seconds_of_instants(course),
              .count = std::vector<std::uint64_t>(course.instants.size())};
    }
    const auto place = std::ranges::lower_bound(course.instants, row.at) - course.instants.begin();
    kind.count[std::min(static_cast<std::size_t>(place), course.instants.size() - 1)] += row.count;
  }
  std::vector<DecisionCourse> courses;
  for (auto& [decision, kind] : kinds) {
    courses.push_back(std::move(kind));
  }
  return courses;
}

/// Who was stopped by whom: a port is stopped by the device at its other end, because one of that device's own ports
/// could not send; of these the one that was stopped longest, and not later than it.
class Stops {
 public:
  explicit Stops(const results::RunResults& results)
      : ports_(results.ports), node_of_(results.ports), stops_(ports_.size()) {
    for (const results::SampleRow& sample : results.samples) {
      if (sample.port < stops_.size() && sample.held > Duration::zero()) {
        Stop& own = stops_[sample.port];
        own.held = own.held + sample.held;
        own.first = earlier(own.first, sample.at);
      }
    }
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      if (stops_[i].held > Duration::zero()) {
        order_.push_back(i);
        of_device_.emplace(node_of_(ports_[i].name), i);
      }
    }
    std::ranges::stable_sort(order_, std::greater(), [this](std::size_t i) { return stops_[i].held; });
    order_.resize(std::min(order_.size(), kStopsShown));
  }

  [[nodiscard]] std::vector<HeldPort> tree() const {
    std::vector<HeldPort> tree;
    for (const std::size_t i : order_) {
      const std::optional<std::size_t> cause = cause_of(i);
      tree.push_back({.port = ports_[i].name,
                      .by = ports_[i].peer,
                      .first = stops_[i].first.since_start().seconds(),
                      .held = stops_[i].held.seconds(),
                      .cause = cause ? std::optional(ports_[*cause].name) : std::nullopt});
    }
    return tree;
  }

 private:
  struct Stop {
    Duration held;
    Time first = Time::never();
  };

  [[nodiscard]] std::optional<std::size_t> cause_of(std::size_t stopped) const {
    std::optional<std::size_t> cause;
    const auto [begin, end] = of_device_.equal_range(node_of_(ports_[stopped].peer));
    for (auto own = begin; own != end; ++own) {
      const Stop& other = stops_[own->second];
      if (own->second != stopped && other.first <= stops_[stopped].first &&
          (!cause || other.held > stops_[*cause].held)) {
        cause = own->second;
      }
    }
    return cause;
  }

  const std::vector<results::PortRow>& ports_;
  Owners node_of_;
  std::vector<Stop> stops_;
  std::vector<std::size_t> order_;
  std::multimap<std::string, std::size_t> of_device_;
};

}  // namespace

void add_topology(RunFigures& figures, const results::RunResults& results) {
  const Course course = course_of(results);
  figures.topology = NetworkMap{.nodes = nodes_of_map(nodes_of(results.ports)),
                                .links = links_of(results, course),
                                .instants = seconds_of_instants(course)};
  if (std::vector<PortQueue> queues = fullest_queues(results, course); !queues.empty()) {
    figures.queues = std::move(queues);
  }
  if (std::vector<DecisionCourse> decisions = decisions_of(results, course); !decisions.empty()) {
    figures.decisions = std::move(decisions);
  }
  if (std::vector<HeldPort> tree = Stops(results).tree(); !tree.empty()) {
    figures.pauses = PauseTree{.tree = std::move(tree)};
  }
}

}  // namespace weft::study::report
