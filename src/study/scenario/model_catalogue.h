// The catalogue's models and GPUs: shapes and rates that a training job is made of, each with its source and mark.
//
// They are no keys of a scenario, so they have files of their own: `[model.NAME]` with one source for the entry, and
// `[gpu.NAME]`, where every value may have its own as elsewhere (share/catalogue/README.md). The embedded entries are
// always there; those of a folder are added or take their place.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/quantities.h"
#include "workload/training/gpu_model.h"
#include "workload/training/model_shape.h"

namespace weft::study::scenario {

/// What an entry gives, and where that comes from.
struct ValueOrigin {
  std::string key;
  std::string value{};  // as TOML, as it was written
  Mark mark = Mark::kGuess;
  std::string source;
};

struct ModelEntry {
  std::string about;
  std::string place{};         // "models.toml:6:2"
  workload::ModelShape shape;  // checked; its name is the entry's
  std::vector<ValueOrigin> origins;
};

/// What a GPU costs and takes at full load, and its share of the host that it is sold in, without NICs. Each is absent
/// where the entry does not say it.
struct GpuCosts {
  std::optional<Money> price;
  std::optional<Power> power;
  std::optional<Money> host_price;
  std::optional<Power> host_power;
};

struct GpuEntry {
  std::string about;
  std::string place{};
  workload::GpuModel gpu;  // checked; its name is the entry's
  GpuCosts costs;
  std::vector<ValueOrigin> origins;
};

class ModelCatalogue {
 public:
  /// The embedded entries, then those of `directory`/*.toml; other kinds of entries are not looked at.
  [[nodiscard]] static Result<ModelCatalogue> load(const std::optional<std::string>& directory);
  /// Of these files alone; a later entry of the same kind and name takes the place of an earlier one. Errors have their
  /// place, and what check_model or check_gpu say.
  [[nodiscard]] static Result<ModelCatalogue> read(std::span<const Catalogue::File> files);

  /// Errors name the nearest entry.
  [[nodiscard]] Result<const ModelEntry*> find_model(std::string_view name) const;
  [[nodiscard]] Result<const GpuEntry*> find_gpu(std::string_view name) const;
  /// In the order of the files.
  [[nodiscard]] std::span<const ModelEntry> models() const { return models_; }
  [[nodiscard]] std::span<const GpuEntry> gpus() const { return gpus_; }

 private:
  std::vector<ModelEntry> models_;
  std::vector<GpuEntry> gpus_;
};

}  // namespace weft::study::scenario
