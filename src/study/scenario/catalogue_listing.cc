#include "study/scenario/catalogue_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/lower_case.h"
#include "base/nearest_word.h"
#include "study/scenario/key_table.h"
#include "study/scenario/model_catalogue.h"
#include "study/scenario/raw_value.h"

namespace weft::study::scenario {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 34> kAboutKinds = {{
    {"tunable_low", "where `weft tune` begins to look for a setting"},
    {"tunable_high", "and where it ends"},
    {"tunable_word", "a word of a key that takes words, for `weft tune` to try"},
    {"switch", "switches: ports, rate, latency, buffers, price and power"},
    {"nic", "NICs: ports, rate, latencies, limits, price and power"},
    {"link", "lengths of cables, and how often bits are wrong"},
    {"cabling", "cables and optics by rate: reach, price, power"},
    {"family", "defaults of a family of protocols"},
    {"tuning", "how a whole fabric is configured"},
    {"scheme", "how traffic is spread over paths, by switches and hosts together"},
    {"qos", "classes: which are lossless, marked, strict"},
    {"pfc", "flow control on Ethernet: thresholds, headroom, watchdog"},
    {"ecn", "where Ethernet switches mark packets"},
    {"dcqcn", "congestion control DCQCN"},
    {"swift", "congestion control Swift"},
    {"hpcc", "congestion control HPCC"},
    {"timely", "congestion control TIMELY"},
    {"uet", "profiles of Ultra Ethernet: what NICs and switches use of it"},
    {"nscc", "congestion control NSCC of Ultra Ethernet"},
    {"rccc", "congestion control RCCC of Ultra Ethernet"},
    {"ib_congestion", "congestion control of InfiniBand"},
    {"adaptive_routing", "how switches choose among paths"},
    {"host", "hosts: cores, memory, GPUs, sockets"},
    {"pcie", "generations of PCI Express"},
    {"reduction", "reducers in switches"},
    {"scale_up", "links between GPUs"},
    {"encryption", "encryption of packets: on links, behind IP, in Ultra Ethernet"},
    {"firewall", "firewalls in line before NIC ports"},
    {"subnet_manager", "subnet managers of InfiniBand: requests at once, timeouts, how fast they compute"},
    {"collectives", "what communication libraries cost"},
    {"failure_rates", "how often components fail, and for how long"},
    {"library", "how long communication libraries wait for a peer"},
    {"model", "shapes of language models, from their papers"},
    {"gpu", "GPUs: peak rates, memory, efficiency, price"},
}};

ListedEntry listed(const CatalogueEntry& entry) {
  ListedEntry made{.kind = entry.kind,
                   .name = entry.name,
                   .place = entry.place,
                   .about = entry.about,
                   .families = entry.families,
                   .stands_for = entry.stands_for,
                   .needs_of_nic = entry.needs_of_nic,
                   .needs_of_switch = entry.needs_of_switch,
                   .values = {}};
  for (const CatalogueValue& value : entry.values) {
    made.values.push_back({.key = path_of(value.given.at),
                           .value = toml_text(value.given.value),
                           .mark = value.mark,
                           .source = value.source});
  }
  return made;
}

template <class Entry>
ListedEntry listed(std::string_view kind, const std::string& name, const Entry& entry) {
  ListedEntry made;
  made.kind = kind;
  made.name = name;
  made.place = entry.place;
  made.about = entry.about;
  for (const ValueOrigin& origin : entry.origins) {
    made.values.push_back({.key = origin.key, .value = origin.value, .mark = origin.mark, .source = origin.source});
  }
  return made;
}

}  // namespace

std::string_view about_kind(std::string_view kind) {
  for (const auto& [name, about] : kAboutKinds) {
    if (name == kind) {
      return about;
    }
  }
  return "";
}

Result<CatalogueListing> CatalogueListing::load(const std::optional<std::string>& directory) {
  auto devices = Catalogue::load(directory);
  if (!devices) {
    return pass_on(devices);
  }
  auto models = ModelCatalogue::load(directory);
  if (!models) {
    return pass_on(models);
  }
  CatalogueListing listing;
  for (const CatalogueEntry& entry : devices->entries()) {
    listing.entries_.push_back(listed(entry));
  }
  for (const ModelEntry& entry : models->models()) {
    listing.entries_.push_back(listed("model", entry.shape.name, entry));
  }
  for (const GpuEntry& entry : models->gpus()) {
    listing.entries_.push_back(listed("gpu", entry.gpu.name, entry));
  }
  return listing;
}

std::vector<std::string> CatalogueListing::kinds() const {
  std::vector<std::string> kinds;
  for (const ListedEntry& entry : entries_) {
    if (std::ranges::find(kinds, entry.kind) == kinds.end()) {
      kinds.push_back(entry.kind);
    }
  }
  return kinds;
}

std::vector<const ListedEntry*> CatalogueListing::of_kind(std::string_view kind) const {
  std::vector<const ListedEntry*> found;
  for (const ListedEntry& entry : entries_) {
    if (entry.kind == kind) {
      found.push_back(&entry);
    }
  }
  return found;
}

Result<std::vector<const ListedEntry*>> CatalogueListing::find(std::string_view name) const {
  const std::size_t split = name.find_first_of("/ ");
  const std::string kind = lower_case(split == std::string_view::npos ? "" : name.substr(0, split));
  const std::string wanted = lower_case(split == std::string_view::npos ? name : name.substr(split + 1));
  const std::vector<std::string> kinds = this->kinds();
  if (!kind.empty() && std::ranges::find(kinds, kind) == kinds.end()) {
    const std::vector<std::string_view> valid(kinds.begin(), kinds.end());
    const std::string shown = printable(kind);
    return tl::unexpected<Error>(unknown_word({.kind = "kind of entry", .word = shown, .valid = valid}));
  }
  std::vector<const ListedEntry*> found;
  std::vector<std::string_view> names;
  for (const ListedEntry& entry : entries_) {
    if (!kind.empty() && entry.kind != kind) {
      continue;
    }
    names.push_back(entry.name);
    if (lower_case(entry.name) == wanted) {
      found.push_back(&entry);
    }
  }
  if (!found.empty()) {
    return found;
  }
  if (!kind.empty()) {
    const std::string shown = printable(wanted);
    return tl::unexpected<Error>(unknown_word({.kind = kind + " of the catalogue", .word = shown, .valid = names}));
  }
  names.insert(names.end(), kinds.begin(), kinds.end());
  const auto nearest = nearest_word(wanted, names);
  return fail("no entry or kind '{}' in the catalogue; {}", printable(name),
              nearest ? fmt::format("did you mean '{}'?", *nearest) : "'weft catalogue' lists them");
}

}  // namespace weft::study::scenario
