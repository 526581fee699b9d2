#include "study/scenario/model_catalogue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/nearest_word.h"
#include "base/parse_quantity.h"
#include "study/scenario/catalogue_text.h"
#include "study/scenario/given.h"
#include "study/scenario/key_ranges.h"
#include "study/scenario/raw_value.h"

namespace weft::study::scenario {
namespace {

using workload::Experts;
using workload::GpuModel;
using workload::LatentAttention;
using workload::ModelShape;

/// A GPU as its entry has it: what its time depends on, and what it costs.
struct ListedGpu : GpuModel {
  GpuCosts costs{};
};

template <class T>
struct Field {
  std::string_view name;
  Result<void> (*set)(T& target, const RawValue& value) = nullptr;
};

Result<std::string_view> text_of(const RawValue& value) {
  const auto* text = std::get_if<std::string>(&value.content);
  if (text == nullptr) {
    return fail("found {}; expected a text", describe(value));
  }
  return std::string_view(*text);
}

template <class T>
struct MemberType;
template <class C, class T>
struct MemberType<T C::*> {
  using Class = C;
  using Type = T;
};
template <auto Member>
using ClassOf = typename MemberType<decltype(Member)>::Class;

template <auto Member>
Result<void> set_integer(ClassOf<Member>& target, const RawValue& value) {
  const auto* integer = std::get_if<std::int64_t>(&value.content);
  if (integer == nullptr) {
    return fail("found {}; expected an integer", describe(value));
  }
  target.*Member = *integer;
  return {};
}

Result<double> number_of(const RawValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.content)) {
    return static_cast<double>(*integer);
  }
  if (const auto* number = std::get_if<double>(&value.content); number != nullptr && std::isfinite(*number)) {
    return *number;
  }
  return fail("found {}; expected a number", describe(value));
}

template <auto Member>
Result<void> set_number(ListedGpu& gpu, const RawValue& value) {
  auto number = number_of(value);
  if (!number) {
    return pass_on(number);
  }
  gpu.*Member = *number;
  return {};
}

// In units of 10^12 per second.
template <auto Member>
Result<void> set_teraflops(ListedGpu& gpu, const RawValue& value) {
  auto number = number_of(value);
  if (!number) {
    return pass_on(number);
  }
  if (*number < 0 || *number > 1e6) {
    return fail("{} Tflop/s; from 0 to 1000000", *number);
  }
  gpu.*Member = std::llround(*number * 1e6) * 1'000'000;
  return {};
}

template <auto Member, auto Parse>
Result<void> set_quantity(ListedGpu& gpu, const RawValue& value) {
  auto text = text_of(value);
  if (!text) {
    return pass_on(text);
  }
  auto parsed = Parse(printable(*text));
  if (!parsed) {
    return pass_on(parsed);
  }
  gpu.*Member = *parsed;
  return {};
}

template <auto Member, auto Parse>
Result<void> set_cost(ListedGpu& gpu, const RawValue& value) {
  auto text = text_of(value);
  if (!text) {
    return pass_on(text);
  }
  auto parsed = Parse(printable(*text));
  if (!parsed) {
    return pass_on(parsed);
  }
  if (parsed->count < 0 || parsed->count > kMoney.high) {
    return fail("{}; from 0 to {}", to_string(*parsed), kMoney.high / 1'000);
  }
  gpu.costs.*Member = *parsed;
  return {};
}

// The words stand in the order of the enumerators.
template <auto Member>
Result<void> set_word(ModelShape& model, const RawValue& value, std::span<const std::string_view> words) {
  auto text = text_of(value);
  if (!text) {
    return pass_on(text);
  }
  const auto found = std::ranges::find(words, *text);
  if (found == words.end()) {
    const std::string shown = printable(*text);
    return tl::unexpected<Error>(unknown_word({.kind = "word", .word = shown, .valid = words}));
  }
  model.*Member = static_cast<typename MemberType<decltype(Member)>::Type>(found - words.begin());
  return {};
}

template <class T>
Result<void> set_field(T& target, const RawEntry& entry, std::span<const Field<T>> fields) {
  std::vector<std::string_view> names;
  for (const auto& field : fields) {
    if (field.name == entry.key) {
      auto set = field.set(target, entry.value);
      return set ? set : tl::unexpected<Error>(Error{fmt::format("{}: {}", entry.key, set.error().message)});
    }
    names.push_back(field.name);
  }
  const std::string shown = printable(entry.key);
  return tl::unexpected<Error>(unknown_word({.kind = "key", .word = shown, .valid = names}));
}

template <class T, auto Member>
Result<void> set_table(ModelShape& model, const RawValue& value, std::span<const Field<T>> fields) {
  const auto* table = std::get_if<RawTable>(&value.content);
  if (table == nullptr) {
    return fail("found {}; expected a table", describe(value));
  }
  T read;
  for (const auto& entry : *table) {
    if (auto set = set_field<T>(read, entry, fields); !set) {
      return set;
    }
  }
  model.*Member = read;
  return {};
}

constexpr std::array<Field<LatentAttention>, 4> kLatentFields{{
    {"query_rank", set_integer<&LatentAttention::query_rank>},
    {"kv_rank", set_integer<&LatentAttention::kv_rank>},
    {"rotary_size", set_integer<&LatentAttention::rotary_size>},
    {"value_size", set_integer<&LatentAttention::value_size>},
}};

constexpr std::array<Field<Experts>, 5> kExpertFields{{
    {"count", set_integer<&Experts::count>},
    {"active", set_integer<&Experts::active>},
    {"shared", set_integer<&Experts::shared>},
    {"hidden", set_integer<&Experts::hidden>},
    {"dense_first", set_integer<&Experts::dense_first>},
}};

Result<void> set_style(ModelShape& model, const RawValue& value) {
  constexpr std::array<std::string_view, 2> kWords{"gpt", "llama"};
  return set_word<&ModelShape::style>(model, value, kWords);
}

Result<void> set_feed_forward_kind(ModelShape& model, const RawValue& value) {
  constexpr std::array<std::string_view, 2> kWords{"plain", "gated"};
  return set_word<&ModelShape::feed_forward_kind>(model, value, kWords);
}

Result<void> set_embeddings(ModelShape& model, const RawValue& value) {
  constexpr std::array<std::string_view, 2> kWords{"tied", "separate"};
  return set_word<&ModelShape::embeddings>(model, value, kWords);
}

Result<void> set_latent(ModelShape& model, const RawValue& value) {
  return set_table<LatentAttention, &ModelShape::latent>(model, value, kLatentFields);
}

Result<void> set_experts(ModelShape& model, const RawValue& value) {
  return set_table<Experts, &ModelShape::experts>(model, value, kExpertFields);
}

constexpr std::array<Field<ModelShape>, 13> kModelFields{{
    {"layers", set_integer<&ModelShape::layers>},
    {"hidden", set_integer<&ModelShape::hidden>},
    {"heads", set_integer<&ModelShape::heads>},
    {"kv_heads", set_integer<&ModelShape::kv_heads>},
    {"head_size", set_integer<&ModelShape::head_size>},
    {"feed_forward", set_integer<&ModelShape::feed_forward>},
    {"vocabulary", set_integer<&ModelShape::vocabulary>},
    {"sequence", set_integer<&ModelShape::sequence>},
    {"style", set_style},
    {"feed_forward_kind", set_feed_forward_kind},
    {"embeddings", set_embeddings},
    {"latent", set_latent},
    {"experts", set_experts},
}};

Result<void> set_scale_up(ListedGpu& gpu, const RawValue& value) {
  auto text = text_of(value);
  if (!text) {
    return pass_on(text);
  }
  gpu.scale_up = *text;
  return {};
}

constexpr std::array<Field<ListedGpu>, 14> kGpuFields{{
    {"bf16_tflops", set_teraflops<&GpuModel::bf16_flops_per_second>},
    {"fp8_tflops", set_teraflops<&GpuModel::fp8_flops_per_second>},
    {"memory", set_quantity<&GpuModel::memory, parse_bytes>},
    {"memory_rate", set_quantity<&GpuModel::memory_rate, parse_rate>},
    {"scale_up", set_scale_up},
    {"gemm_peak_share", set_number<&GpuModel::gemm_peak_share>},
    {"gemm_half_length", set_number<&GpuModel::gemm_half_length>},
    {"memory_share", set_number<&GpuModel::memory_share>},
    {"kernel_time", set_quantity<&GpuModel::kernel_time, parse_duration>},
    {"reserved", set_quantity<&GpuModel::reserved, parse_bytes>},
    {"price", set_cost<&GpuCosts::price, parse_money>},
    {"power", set_cost<&GpuCosts::power, parse_power>},
    {"host_price", set_cost<&GpuCosts::host_price, parse_money>},
    {"host_power", set_cost<&GpuCosts::host_power, parse_power>},
}};

Result<Mark> mark_of(const RawValue& value) {
  auto text = text_of(value);
  if (!text) {
    return pass_on(text);
  }
  std::array<std::string_view, 4> words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = to_string(static_cast<Mark>(i));
    if (words[i] == *text) {
      return static_cast<Mark>(i);
    }
  }
  const std::string shown = printable(*text);
  return tl::unexpected<Error>(unknown_word({.kind = "mark", .word = shown, .valid = words}));
}

// An entry being read: values with what is said of them, or of the entry as a whole.
template <class T>
struct Reading {
  T target{};
  std::string about{};
  std::optional<Mark> mark{};
  std::string source{};
  std::vector<ValueOrigin> origins{};
};

Result<void> set_source(std::string& source, const RawValue& value) {
  auto text = text_of(value);
  if (!text) {
    return pass_on(text);
  }
  source = *text;
  return {};
}

// `key = { value = ..., mark = ..., source = ... }`; none if the table is something else.
template <class T>
Result<bool> read_marked(Reading<T>& reading, const RawEntry& entry, std::span<const Field<T>> fields) {
  const auto* table = std::get_if<RawTable>(&entry.value.content);
  const auto is_value = [](const RawEntry& part) { return part.key == "value"; };
  if (table == nullptr || std::ranges::none_of(*table, is_value)) {
    return false;
  }
  ValueOrigin origin{.key = entry.key, .value = {}, .mark = Mark::kGuess, .source = ""};
  bool marked = false;
  for (const auto& part : *table) {
    if (part.key == "value") {
      origin.value = toml_text(part.value);
      if (auto set = set_field<T>(reading.target, {entry.key, entry.place, part.value}, fields); !set) {
        return pass_on(set);
      }
    } else if (part.key == "mark") {
      auto mark = mark_of(part.value);
      if (!mark) {
        return pass_on(mark);
      }
      origin.mark = *mark;
      marked = true;
    } else if (part.key == "source") {
      if (auto set = set_source(origin.source, part.value); !set) {
        return pass_on(set);
      }
    } else {
      constexpr std::array<std::string_view, 3> kParts{"value", "mark", "source"};
      const std::string shown = printable(part.key);
      return tl::unexpected<Error>(unknown_word({.kind = "part", .word = shown, .valid = kParts}));
    }
  }
  if (!marked || origin.source.empty()) {
    return fail("{}: needs a value, a mark and a source", entry.key);
  }
  reading.origins.push_back(std::move(origin));
  return true;
}

template <class T>
Result<void> read_part(Reading<T>& reading, const RawEntry& entry, std::span<const Field<T>> fields) {
  if (entry.key == "about") {
    return set_source(reading.about, entry.value);
  }
  if (entry.key == "source") {
    return set_source(reading.source, entry.value);
  }
  if (entry.key == "mark") {
    auto mark = mark_of(entry.value);
    if (!mark) {
      return pass_on(mark);
    }
    reading.mark = *mark;
    return {};
  }
  auto marked = read_marked(reading, entry, fields);
  if (!marked) {
    return pass_on(marked);
  }
  if (*marked) {
    return {};
  }
  reading.origins.push_back({.key = entry.key, .value = toml_text(entry.value), .mark = Mark::kGuess, .source = ""});
  return set_field<T>(reading.target, entry, fields);
}

template <class T>
Result<Reading<T>> read_entry(std::string_view file, const RawEntry& named, std::span<const Field<T>> fields) {
  Reading<T> reading;
  const auto* table = std::get_if<RawTable>(&named.value.content);
  if (table == nullptr) {
    return fail("{}: found {}; expected a table", place_text(file, named.place), describe(named.value));
  }
  for (const auto& entry : *table) {
    if (auto read = read_part(reading, entry, fields); !read) {
      return tl::unexpected<Error>(std::move(read.error()).at(place_text(file, entry.place)));
    }
  }
  for (ValueOrigin& origin : reading.origins) {
    if (!origin.source.empty()) {
      continue;
    }
    if (!reading.mark || reading.source.empty()) {
      return fail("{}: {}: needs a mark and a source, its own or the entry's", place_text(file, named.place),
                  origin.key);
    }
    origin.mark = *reading.mark;
    origin.source = reading.source;
  }
  return reading;
}

Result<ModelEntry> read_model(std::string_view file, const RawEntry& named) {
  auto reading = read_entry<ModelShape>(file, named, kModelFields);
  if (!reading) {
    return pass_on(reading);
  }
  ModelShape shape = std::move(reading->target);
  shape.name = named.key;
  // Not given: multi-head attention, heads that share the hidden size.
  shape.kv_heads = shape.kv_heads == 0 ? shape.heads : shape.kv_heads;
  shape.head_size = shape.head_size == 0 && shape.heads > 0 ? shape.hidden / shape.heads : shape.head_size;
  if (auto checked = check_model(shape); !checked) {
    return tl::unexpected<Error>(std::move(checked.error()).at(place_text(file, named.place)));
  }
  return ModelEntry{.about = std::move(reading->about),
                    .place = place_text(file, named.place),
                    .shape = std::move(shape),
                    .origins = std::move(reading->origins)};
}

Result<GpuEntry> read_gpu(std::string_view file, const RawEntry& named) {
  auto reading = read_entry<ListedGpu>(file, named, kGpuFields);
  if (!reading) {
    return pass_on(reading);
  }
  ListedGpu gpu = std::move(reading->target);
  gpu.name = named.key;
  if (auto checked = check_gpu(gpu); !checked) {
    return tl::unexpected<Error>(std::move(checked.error()).at(place_text(file, named.place)));
  }
  return GpuEntry{.about = std::move(reading->about),
                  .place = place_text(file, named.place),
                  .gpu = static_cast<const GpuModel&>(gpu),
                  .costs = gpu.costs,
                  .origins = std::move(reading->origins)};
}

const std::string& name_of(const ModelEntry& entry) { return entry.shape.name; }
const std::string& name_of(const GpuEntry& entry) { return entry.gpu.name; }

template <class Entry>
void put(std::vector<Entry>& entries, Entry entry) {
  const auto same = std::ranges::find_if(entries, [&](const Entry& old) { return name_of(old) == name_of(entry); });
  if (same == entries.end()) {
    entries.push_back(std::move(entry));
  } else {
    *same = std::move(entry);
  }
}

template <class Entry>
Result<void> add_all(std::vector<Entry>& entries, const RawEntry& kind, std::string_view file,
                     Result<Entry> (*read)(std::string_view, const RawEntry&)) {
  const auto* names = std::get_if<RawTable>(&kind.value.content);
  if (names == nullptr) {
    return fail("{}: found {}; expected a table", place_text(file, kind.place), describe(kind.value));
  }
  for (const auto& named : *names) {
    auto entry = read(file, named);
    if (!entry) {
      return pass_on(entry);
    }
    put(entries, *std::move(entry));
  }
  return {};
}

template <class Entry>
Result<const Entry*> find(std::span<const Entry> entries, std::string_view kind, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) {
    if (name_of(entry) == name) {
      return &entry;
    }
    names.emplace_back(name_of(entry));
  }
  const std::string shown = printable(name);
  return tl::unexpected<Error>(unknown_word({.kind = kind, .word = shown, .valid = names}));
}

}  // namespace

Result<ModelCatalogue> ModelCatalogue::read(std::span<const Catalogue::File> files) {
  ModelCatalogue catalogue;
  for (const auto& file : files) {
    auto kinds = read_toml(file.text, file.name);
    if (!kinds) {
      return pass_on(kinds);
    }
    for (const auto& kind : *kinds) {
      Result<void> added;
      if (kind.key == "model") {
        added = add_all(catalogue.models_, kind, file.name, read_model);
      } else if (kind.key == "gpu") {
        added = add_all(catalogue.gpus_, kind, file.name, read_gpu);
      }
      if (!added) {
        return pass_on(added);
      }
    }
  }
  return catalogue;
}

Result<ModelCatalogue> ModelCatalogue::load(const std::optional<std::string>& directory) {
  std::vector<Catalogue::File> files{{.name = "models.toml", .text = std::string(models_catalogue())},
                                     {.name = "gpus.toml", .text = std::string(gpus_catalogue())}};
  if (directory) {
    auto more = read_catalogue_folder(*directory);
    if (!more) {
      return pass_on(more);
    }
    std::ranges::move(*more, std::back_inserter(files));
  }
  return read(files);
}

Result<const ModelEntry*> ModelCatalogue::find_model(std::string_view name) const {
  return find<ModelEntry>(models_, "model", name);
}

Result<const GpuEntry*> ModelCatalogue::find_gpu(std::string_view name) const {
  return find<GpuEntry>(gpus_, "GPU", name);
}

}  // namespace weft::study::scenario
