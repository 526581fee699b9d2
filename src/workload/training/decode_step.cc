#include "workload/training/decode_step.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/assert.h"
#include "base/format_quantity.h"
#include "workload/training/model_flops.h"

namespace weft::workload {
namespace {

Result<void> check_numbers(const DecodeJob& job, std::int64_t ranks) {
  if (job.tensor < 1 || job.replicas < 1 || job.batch < 1 || job.context < 1 || job.tokens < 1) {
    return fail("decoding with tp = {}, {} replicas, a batch of {}, a context of {} and {} tokens; each at least 1",
                job.tensor, job.replicas, job.batch, job.context, job.tokens);
  }
  if (job.tokens > 65535 || job.batch > (1 << 20) || job.context > (1 << 30)) {
    return fail("{} tokens, a batch of {}, a context of {}; at most 65535, {} and {}", job.tokens, job.batch,
                job.context, 1 << 20, 1 << 30);
  }
  if (job.tensor * job.replicas != ranks) {
    return fail("tp {} x {} replicas = {} ranks, but the job has {}", job.tensor, job.replicas,
                job.tensor * job.replicas, ranks);
  }
  return {};
}

Result<void> check_division(const DecodeJob& job) {
  const ModelShape& model = job.model;
  if (model.heads % job.tensor != 0 || model.feed_forward % job.tensor != 0 ||
      (model.experts && model.experts->hidden % job.tensor != 0)) {
    return fail("model {}: {} heads, a feed-forward of {} and experts of {} must be divided by tp = {}", model.name,
                model.heads, model.feed_forward, model.experts ? model.experts->hidden : 0, job.tensor);
  }
  return {};
}

std::int64_t weight_bytes(const DecodeJob& job) { return job.precision == Precision::kFp8 ? 1 : 2; }

}  // namespace

Result<DecodePlan> DecodePlan::make(const DecodeJob& job, const GpuModel& gpu, std::int64_t ranks) {
  for (auto checked : {check_model(job.model), check_numbers(job, ranks)}) {
    if (!checked) {
      return pass_on(checked);
    }
  }
  if (auto checked = check_division(job); !checked) {
    return pass_on(checked);
  }
  auto timer = GpuTimer::make(gpu, job.precision);
  if (!timer) {
    return pass_on(timer);
  }
  DecodePlan plan(job, gpu, *timer);
  const Bytes needed = plan.weights_per_gpu() + plan.cache_per_gpu() + gpu.reserved;
  if (needed > gpu.memory) {
    const auto gb = [](Bytes bytes) { return static_cast<double>(bytes.count()) * 1e-9; };
    return fail(
        "model {} does not fit: decoding needs {:.1f} GB per GPU (weights {:.1f}, cache of {} sequences of {} tokens "
        "{:.1f}, reserved {:.1f}), but {} has {:.1f} GB",
        job.model.name, gb(needed), gb(plan.weights_per_gpu()), job.batch, job.context + job.tokens,
        gb(plan.cache_per_gpu()), gb(gpu.reserved), gpu.name, gb(gpu.memory));
  }
  return plan;
}

DecodePlan::DecodePlan(const DecodeJob& job, const GpuModel& gpu, const GpuTimer& timer)
    : job_(job), gpu_(gpu), timer_(timer) {
  for (std::int64_t replica = 0; replica < job.replicas && job.tensor > 1; ++replica) {
    Communicator group{.name = fmt::format("tp{}", replica), .members = {}};
    for (std::int64_t i = 0; i < job.tensor; ++i) {
      group.members.emplace_back(static_cast<std::uint32_t>(replica * job.tensor + i));
    }
    communicators_.push_back(std::move(group));
  }
}

Bytes DecodePlan::weights_per_gpu() const {
  return Bytes(parameter_count(job_.model) / job_.tensor * weight_bytes(job_));
}

Bytes DecodePlan::cache_per_gpu() const {
  // A latent cache and a single KV head serve all heads: they are not divided further.
  const std::int64_t shares = job_.model.latent ? 1 : std::min(job_.tensor, job_.model.kv_heads);
  const std::int64_t tokens = job_.batch * (job_.context + job_.tokens);
  return Bytes(tokens * job_.model.layers * kv_elements(job_.model) / shares * kActivationBytes);
}

Duration DecodePlan::attention_time(std::int64_t context) const {
  const ModelShape& model = job_.model;
  const std::int64_t t = job_.tensor;
  const std::int64_t shares = model.latent ? 1 : std::min(t, model.kv_heads);
  const std::int64_t cached = kv_elements(model) / shares;
  Duration sum = timer_.memory_bound(Bytes(2 * job_.batch * model.hidden * kActivationBytes));
  if (model.latent) {
    sum += timer_.gemm({.m = job_.batch, .n = model.latent->query_rank + cached, .k = model.hidden});
    sum += timer_.gemm({.m = job_.batch, .n = query_elements(model) / t, .k = model.latent->query_rank});
  } else {
    sum += timer_.gemm({.m = job_.batch, .n = query_elements(model) / t + cached, .k = model.hidden});
  }
  sum += timer_.memory_bound(Bytes(job_.batch * context * cached * kActivationBytes));
  return sum + timer_.gemm({.m = job_.batch, .n = model.hidden, .k = value_elements(model) / t});
}

Duration DecodePlan::feed_forward_time(std::int64_t layer) const {
  const ModelShape& model = job_.model;
  const std::int64_t inputs = feed_forward_matrices(model) - 1;
  const auto block = [&](std::int64_t tokens, std::int64_t inner, std::int64_t count) {
    return timer_.gemm({.m = tokens, .n = inputs * inner, .k = model.hidden, .count = count}) +
           timer_.memory_bound(Bytes(count * tokens * (inputs + 1) * inner * kActivationBytes)) +
           timer_.gemm({.m = tokens, .n = model.hidden, .k = inner, .count = count});
  };
  const Duration norm = timer_.memory_bound(Bytes(2 * job_.batch * model.hidden * kActivationBytes));
  if (!has_experts(model, layer)) {
    return norm + block(job_.batch, model.feed_forward / job_.tensor, 1);
  }
  // Every expert that a token takes is read; with a large batch all of them are.
  const Experts& experts = *model.experts;
  const std::int64_t copies = job_.batch * experts.active;
  const std::int64_t touched = std::min(copies, experts.count);
  Duration sum = norm + timer_.gemm({.m = job_.batch, .n = experts.count, .k = model.hidden});
  sum += block((copies + touched - 1) / touched, experts.hidden / job_.tensor, touched);
  if (experts.shared > 0) {
    sum += block(job_.batch, experts.shared * experts.hidden / job_.tensor, 1);
  }
  return sum;
}

Duration DecodePlan::output_time() const {
  const std::int64_t words = (job_.model.vocabulary + job_.tensor - 1) / job_.tensor;
  return timer_.gemm({.m = job_.batch, .n = words, .k = job_.model.hidden});
}

double tokens_per_second(const DecodePlan& plan, Duration step) {
  WEFT_ASSERT(step > Duration::zero());
  return static_cast<double>(plan.job().batch * plan.job().replicas) / step.seconds();
}

double model_flops_utilisation(const DecodePlan& plan, Duration step) {
  const DecodeJob& job = plan.job();
  const auto peak = peak_flops_per_second(plan.gpu(), job.precision);
  WEFT_ASSERT(peak);
  ModelShape model = job.model;
  model.sequence = job.context + job.tokens / 2;
  const double rate = tokens_per_second(plan, step) * forward_flops_per_token(model).count;
  return rate / (static_cast<double>(*peak) * static_cast<double>(job.tensor * job.replicas));
}

DecodeStep::DecodeStep(const DecodePlan& plan, RankId rank) : plan_(plan) {
  const DecodeJob& job = plan.job();
  if (job.tensor > 1) {
    const auto tensor = static_cast<std::uint32_t>(job.tensor);
    group_ = Membership{.communicator = CommunicatorId(rank.value() / tensor),
                        .size = tensor,
                        .self = MemberIndex(rank.value() % tensor)};
  }
}

std::optional<GraphNode> DecodeStep::next() {
  while (writer_.empty() && token_ < plan_.job().tokens) {
    write_token();
    ++token_;
  }
  return writer_.take();
}

void DecodeStep::exchange(CollectiveKind kind, std::int64_t bytes) {
  if (group_) {
    writer_.exchange_and_need(
        {.purpose = Purpose::kTensor, .stream = StreamId(1), .group = *group_, .kind = kind, .size = Bytes(bytes)});
  }
}

void DecodeStep::write_token() {
  const DecodeJob& job = plan_.job();
  const std::int64_t activations = job.batch * job.model.hidden * kActivationBytes;
  writer_.set_label({.purpose = Purpose::kForward, .step = static_cast<std::uint16_t>(token_)});
  for (std::int64_t layer = 0; layer < job.model.layers; ++layer) {
    writer_.set_layer(layer);
    writer_.compute(plan_.attention_time(job.context + token_));
    exchange(CollectiveKind::kAllReduce, activations);
    writer_.compute(plan_.feed_forward_time(layer));
    exchange(CollectiveKind::kAllReduce, activations);
  }
  writer_.compute(plan_.output_time());
  exchange(CollectiveKind::kAllGather, job.batch * job.model.vocabulary * kActivationBytes);
  (void)writer_.last_compute();  // ends the token's node of compute
}

}  // namespace weft::workload
