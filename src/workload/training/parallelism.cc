#include "workload/training/parallelism.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/nearest_word.h"

namespace weft::workload {
namespace {

constexpr std::array<std::string_view, kAxes> kAxisWords{"tp", "cp", "ep", "dp", "pp"};

/// Nothing, or what is wrong with which number.
using Fault = std::optional<ParallelFault>;

template <class... Args>
Fault wrong(std::string_view what, fmt::format_string<Args...> format, Args&&... args) {
  return ParallelFault{what, fmt::format(format, std::forward<Args>(args)...)};
}

struct Divides {
  std::string_view what;
  std::int64_t number;
  std::string_view by;
  std::int64_t divisor;
};

/// `axis` is the number to blame.
Fault check_divides(std::string_view axis, const Divides& rule) {
  if (rule.number % rule.divisor != 0) {
    return wrong(axis, "{} {} cannot be divided by {} = {}", rule.number, rule.what, rule.by, rule.divisor);
  }
  return std::nullopt;
}

Fault check_degrees(const Parallelism& p, std::int64_t ranks) {
  struct Named {
    std::string_view name;
    std::int64_t value;
  };
  constexpr std::int64_t kMost = std::int64_t{1} << 24;
  for (const auto& [name, value] :
       {Named{"tp", p.tensor}, Named{"pp", p.pipeline}, Named{"dp", p.data}, Named{"ep", p.expert},
        Named{"cp", p.context}, Named{"virtual stages", p.virtual_stages}}) {
    if (value < 1 || value > kMost) {
      return wrong(name, "{} = {}; from 1 to {}", name, value, kMost);
    }
  }
  const double product = static_cast<double>(p.tensor) * static_cast<double>(p.context) * static_cast<double>(p.data) *
                         static_cast<double>(p.pipeline);
  if (product != static_cast<double>(ranks)) {
    return wrong("dp", "tp {} x cp {} x dp {} x pp {} = {:.0f} ranks, but the job has {}", p.tensor, p.context, p.data,
                 p.pipeline, product, ranks);
  }
  return check_divides("ep", {"data-parallel ranks", p.data, "ep", p.expert});
}

Fault check_layers(const ModelShape& model, const Parallelism& p) {
  const std::int64_t chunks = p.pipeline * p.virtual_stages;
  const bool ends = p.split == LayerSplit::kEndsAreLayers;
  const std::int64_t layers = model.layers + (ends ? 2 : 0);
  const std::string_view blamed = layers % p.pipeline == 0 && layers >= 2 * p.pipeline ? "virtual stages" : "pp";
  if (ends && layers < 2 * chunks) {
    return wrong(blamed, "{} layers, embedding and output layer are too few for {} chunks of two", model.layers,
                 chunks);
  }
  return check_divides(blamed,
                       {ends ? "layers, embedding and output layer" : "layers", layers, "pp x virtual stages", chunks});
}

Fault check_experts(const ModelShape& model, const Parallelism& p) {
  if (!model.experts) {
    return p.expert > 1 ? wrong("ep", "ep = {}, but model {} has no experts", p.expert, model.name) : std::nullopt;
  }
  if (p.tensor > 1 && p.sequence == SequenceParallel::kOff) {
    return wrong("tp",
                 "model {} has experts: tp = {} needs sequence parallelism, or every tensor-parallel rank would send "
                 "the same tokens",
                 model.name, p.tensor);
  }
  if (Fault fault = check_divides("ep", {"experts", model.experts->count, "ep", p.expert})) {
    return fault;
  }
  return check_divides("tp", {"elements of an expert's inner layer", model.experts->hidden, "tp", p.tensor});
}

Fault check_tensor(const ModelShape& model, const Parallelism& p) {
  if (model.kv_heads % p.tensor != 0 && p.tensor % model.kv_heads != 0) {
    return wrong("tp", "{} KV heads and tp = {}: neither divides the other", model.kv_heads, p.tensor);
  }
  if (Fault fault = check_divides("tp", {"heads", model.heads, "tp", p.tensor})) {
    return fault;
  }
  if (Fault fault = check_divides("tp", {"elements of the feed-forward", model.feed_forward, "tp", p.tensor})) {
    return fault;
  }
  const std::int64_t shares = p.context * (p.sequence == SequenceParallel::kOn ? p.tensor : 1);
  return check_divides(model.sequence % p.context == 0 ? "tp" : "cp",
                       {"tokens of a sequence", model.sequence, "cp (x tp with sequence parallelism)", shares});
}

Fault check_batch(const BatchShape& batch, const Parallelism& p) {
  if (batch.micro < 1 || batch.global < 1) {
    return wrong("batch", "a batch of {} in micro-batches of {}; both at least 1", batch.global, batch.micro);
  }
  if (batch.micro > batch.global || batch.global % (batch.micro * p.data) != 0) {
    return wrong("batch", "a batch of {} sequences cannot be divided by dp {} x micro-batch {} = {}", batch.global,
                 p.data, batch.micro, p.data * batch.micro);
  }
  if (p.virtual_stages == 1) {
    return std::nullopt;
  }
  if (p.pipeline == 1) {
    return wrong("virtual stages", "{} virtual stages need a pipeline; pp = 1", p.virtual_stages);
  }
  if (micro_batches(batch, p) % p.pipeline != 0) {
    return wrong("pp",
                 "the interleaved schedule needs micro-batches in multiples of pp = {}; batch {} / (dp {} x "
                 "micro-batch {}) = {}",
                 p.pipeline, batch.global, p.data, batch.micro, micro_batches(batch, p));
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Axis axis) { return kAxisWords[static_cast<std::size_t>(axis)]; }

Result<AxisOrder> parse_axis_order(std::string_view text) {
  AxisOrder order{};
  std::array<bool, kAxes> seen{};
  std::size_t count = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('-', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const auto found = std::ranges::find(kAxisWords, word);
    if (found == kAxisWords.end()) {
      return tl::unexpected<Error>(unknown_word({.kind = "axis", .word = word, .valid = kAxisWords}));
    }
    const auto axis = static_cast<std::size_t>(found - kAxisWords.begin());
    if (seen[axis]) {
      return fail("order '{}': {} twice", text, word);
    }
    seen[axis] = true;
    order[count++] = static_cast<Axis>(axis);
    begin = end + 1;
  }
  if (count < kAxes) {
    return fail("order '{}': {} of {} axes; such as 'tp-cp-ep-dp-pp'", text, count, kAxes);
  }
  return order;
}

std::optional<ParallelFault> parallel_fault(const ParallelJob& job) {
  const auto& [model, p, batch, ranks] = job;
  if (Fault fault = check_degrees(p, ranks)) {
    return fault;
  }
  if (Fault fault = check_layers(model, p)) {
    return fault;
  }
  if (Fault fault = check_tensor(model, p)) {
    return fault;
  }
  if (Fault fault = check_experts(model, p)) {
    return fault;
  }
  return check_batch(batch, p);
}

Result<void> check_parallelism(const ParallelJob& job) {
  const Fault fault = parallel_fault(job);
  return fault ? Result<void>(fail("{}", fault->message)) : Result<void>();
}

std::int64_t degree(const Parallelism& p, Axis axis) {
  switch (axis) {
    case Axis::kTensor:
      return p.tensor;
    case Axis::kContext:
      return p.context;
    case Axis::kExpert:
      return p.expert;
    case Axis::kData:
      return p.data / p.expert;
    case Axis::kPipeline:
      return p.pipeline;
  }
  return 1;
}

RankCoordinates coordinates_of(const Parallelism& p, RankId rank) {
  RankCoordinates coordinates;
  std::int64_t rest = rank.value();
  for (const Axis axis : p.order) {
    coordinates.at[static_cast<std::size_t>(axis)] = rest % degree(p, axis);
    rest /= degree(p, axis);
  }
  return coordinates;
}

RankId rank_at(const Parallelism& p, const RankCoordinates& coordinates) {
  std::int64_t rank = 0;
  for (auto axis = p.order.rbegin(); axis != p.order.rend(); ++axis) {
    rank = rank * degree(p, *axis) + coordinates[*axis];
  }
  return RankId(static_cast<std::uint32_t>(rank));
}

std::int64_t data_index(const Parallelism& p, const RankCoordinates& coordinates) {
  return coordinates[Axis::kData] * p.expert + coordinates[Axis::kExpert];
}

std::vector<RankId> group_along(const Parallelism& p, RankId from, std::initializer_list<Axis> axes) {
  std::vector<RankId> members;
  RankCoordinates at = coordinates_of(p, from);
  for (const Axis axis : axes) {
    at.at[static_cast<std::size_t>(axis)] = 0;
  }
  const auto visit = [&](auto& self, const Axis* axis) -> void {
    if (axis == axes.end()) {
      members.push_back(rank_at(p, at));
      return;
    }
    for (std::int64_t i = 0; i < degree(p, *axis); ++i) {
      at.at[static_cast<std::size_t>(*axis)] = i;
      self(self, axis + 1);
    }
  };
  visit(visit, axes.begin());
  std::ranges::sort(members);
  return members;
}

}  // namespace weft::workload
