#include "study/results/results_key.h"

#include <fmt/core.h>

#include "base/file.h"
#include "base/stable_hash.h"
#include "study/scenario/flow_file.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/table_walk.h"

namespace weft::study::results {
namespace {

/// Pieces with their lengths, so that no two lists of pieces give the same text.
class Digest {
 public:
  void add(std::string_view piece) { text_ += fmt::format("{}:{}", piece.size(), piece); }
  /// A file's contents; a name that is no file (a built-in size distribution) says enough by itself.
  void add_file(const std::string& path) {
    if (!path.empty()) {
      const Result<std::string> contents = read_file(path, {.bytes = scenario::kLargestTrafficFile});
      add(contents ? *contents : std::string());
    }
  }
  [[nodiscard]] std::string hex() const { return fmt::format("{:016x}", stable_hash(0, text_)); }

 private:
  std::string text_;
};

void add_raw(Digest& digest, const scenario::RawValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.content)) {
    digest.add(*text);
  } else if (const auto* list = std::get_if<scenario::RawArray>(&value.content)) {
    digest.add(fmt::format("[{}]", list->size()));
    for (const scenario::RawValue& element : *list) {
      add_raw(digest, element);
    }
  } else {
    digest.add(describe(value));
  }
}

void add_catalogue(Digest& digest, const scenario::Catalogue& catalogue) {
  for (const scenario::CatalogueEntry& entry : catalogue.entries()) {
    digest.add(entry.kind);
    digest.add(entry.name);
    for (const scenario::CatalogueValue& value : entry.values) {
      digest.add(scenario::path_of(value.given.at));
      add_raw(digest, value.given.value);
    }
  }
}

// What the catalogue says of a job's model and GPU is no key of the scenario.
void add_models(Digest& digest, const scenario::JobSettings& job) {
  const workload::ModelShape& model = job.training.shape;
  digest.add(fmt::format("{} {} {} {} {} {} {} {} {} {} {}", model.layers, model.hidden, model.heads, model.kv_heads,
                         model.head_size, model.feed_forward, model.vocabulary, model.sequence,
                         static_cast<int>(model.style), static_cast<int>(model.feed_forward_kind),
                         static_cast<int>(model.embeddings)));
  if (model.latent) {
    digest.add(fmt::format("{} {} {} {}", model.latent->query_rank, model.latent->kv_rank, model.latent->rotary_size,
                           model.latent->value_size));
  }
  if (model.experts) {
    digest.add(fmt::format("{} {} {} {} {}", model.experts->count, model.experts->active, model.experts->shared,
                           model.experts->hidden, model.experts->dense_first));
  }
  const workload::GpuModel& gpu = job.training.gpu_model;
  digest.add(fmt::format("{} {} {} {} {} {} {} {} {}", gpu.bf16_flops_per_second, gpu.fp8_flops_per_second,
                         gpu.memory.count(), gpu.memory_rate.bits_per_second(), gpu.gemm_peak_share,
                         gpu.gemm_half_length, gpu.memory_share, gpu.kernel_time.picoseconds(), gpu.reserved.count()));
}

/// Whether simulations depend on the key of this path ("switch.price": they do not).
bool is_simulated(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t length = dot == std::string_view::npos ? 0 : dot;
  const std::optional<scenario::TableAt> table = scenario::find_table(path.substr(0, length));
  const scenario::Key* const key =
      table ? scenario::find_key(*table->section, path.substr(length == 0 ? 0 : length + 1)) : nullptr;
  return key == nullptr || key->use == scenario::KeyUse::kSimulation;
}

enum class Counted : std::uint8_t { kEverything, kSimulation };

void add_scenario(Digest& digest, const scenario::Scenario& scenario, Counted counted) {
  const auto counts = [counted](std::string_view path) {
    return counted == Counted::kEverything || is_simulated(path);
  };
  for (const scenario::ListedValue& row : scenario::list_values(scenario, scenario::Listing::kAll)) {
    if (counts(row.path)) {
      digest.add(row.path);
      digest.add(row.value);
    }
  }
  for (const scenario::DeviceOverride& override : scenario.overrides) {
    digest.add(override.select);
    if (override.by_link()) {
      digest.add(scenario::override_title(override));
    }
    for (const scenario::Assignment& assignment : override.assignments) {
      if (counts(assignment.path)) {
        digest.add(assignment.path);
        digest.add(assignment.text);
      }
    }
  }
  digest.add_file(scenario.topology.file);
  digest.add_file(scenario.routing.tables);
  digest.add_file(scenario.keys.partition_file);
  for (const scenario::TrafficSettings& traffic : scenario.traffic) {
    digest.add_file(traffic.file);
    digest.add_file(traffic.cdf);
  }
  for (const scenario::JobSettings& job : scenario.jobs) {
    if (job.runs_steps()) {
      add_models(digest, job);
    }
  }
}

}  // namespace

std::string run_key(const scenario::Scenario& scenario, const scenario::Catalogue& catalogue,
                    std::string_view version) {
  Digest digest;
  digest.add(version);
  add_scenario(digest, scenario, Counted::kEverything);
  add_catalogue(digest, catalogue);
  return digest.hex();
}

std::string figures_key(const scenario::Scenario& scenario, std::string_view version) {
  Digest digest;
  digest.add(version);
  add_scenario(digest, scenario, Counted::kSimulation);
  return digest.hex();
}

}  // namespace weft::study::results
