#include "cli/new_scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format_quantity.h"
#include "cli/shell_word.h"
#include "study/assembly/assembly_check.h"
#include "study/scenario/model_catalogue.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_words.h"

namespace weft::cli {
namespace {

using study::scenario::Catalogue;
using study::scenario::Family;
using study::scenario::Scenario;
using study::scenario::TopologyKind;

// Ports of a leaf that the answers may count on, whatever the family: what switches of today have.
constexpr std::int64_t kLeafPorts = 64;

/// How the job is divided over the GPUs.
struct Division {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
};

/// Divisions to try, with fewer parts first: inside a host before over hosts.
std::vector<Division> divisions(const ScenarioAnswers& answers) {
  constexpr std::int64_t kDeepest = 128;
  std::vector<Division> all;
  for (std::int64_t tensor = 1; tensor <= answers.gpus_per_host; tensor *= 2) {
    for (std::int64_t pipeline = 1; pipeline <= std::min(kDeepest, answers.hosts); pipeline *= 2) {
      if (answers.hosts * answers.gpus_per_host % (tensor * pipeline) == 0) {
        all.push_back({.tensor = tensor, .pipeline = pipeline});
      }
    }
  }
  std::ranges::stable_sort(all, [](const Division& a, const Division& b) {
    return std::pair(a.tensor * a.pipeline, a.pipeline) < std::pair(b.tensor * b.pipeline, b.pipeline);
  });
  return all;
}

/// The largest number of hosts that fills whole leaves and leaves room for their uplinks; with more than one leaf if
/// there is something to oversubscribe.
std::int64_t hosts_per_leaf(const ScenarioAnswers& answers) {
  const bool rails = answers.topology == TopologyKind::kRailOptimised;
  const auto& [down, up] = answers.oversubscription;
  const std::int64_t nics = rails ? 1 : answers.gpus_per_host;
  const bool one_leaf = rails && down == up && answers.hosts <= kLeafPorts;
  const std::int64_t most = one_leaf ? kLeafPorts : kLeafPorts * down / (down + up) / nics;
  for (std::int64_t size = std::min(most, answers.hosts); size > 1; --size) {
    if (answers.hosts % size == 0 && (one_leaf || size < answers.hosts)) {
      return size;
    }
  }
  return 1;
}

/// The catalogue's links of the GPU: "nvlink-4" are the entry "nvlink4". Empty: it has none that the catalogue knows.
std::string scale_up_entry(const ScenarioAnswers& answers, const Catalogue& catalogue) {
  auto models = study::scenario::ModelCatalogue::load(catalogue.directory());
  const auto gpu = models ? models->find_gpu(answers.gpu) : Result<const study::scenario::GpuEntry*>(nullptr);
  if (answers.gpus_per_host == 1 || !gpu || *gpu == nullptr) {
    return "";
  }
  std::string name = (*gpu)->gpu.scale_up;
  if (const auto dash = name.find("nvlink-"); dash != std::string::npos) {
    name.erase(dash + 6, 1);
  }
  const auto names = catalogue.names("scale_up");
  return std::ranges::find(names, name) == names.end() ? "" : name;
}

/// RDMA reaches the memory of GPUs; sockets and iWARP have their buffers in that of the host.
std::string_view memory_of(Family family) {
  return family == Family::kTcp || family == Family::kIwarp ? "host" : "gpu";
}

std::string topology_text(const ScenarioAnswers& answers) {
  std::string text = fmt::format(
      "[topology]\n"
      "kind = \"{}\"\n"
      "hosts = {}\n"
      "gpus_per_host = {}\n"
      "nics_per_host = {}  # one for each GPU\n",
      study::scenario::word_of(answers.topology), answers.hosts, answers.gpus_per_host, answers.gpus_per_host);
  const bool leaves = answers.topology == TopologyKind::kLeafSpine || answers.topology == TopologyKind::kRailOptimised;
  if (leaves) {
    text += fmt::format("hosts_per_leaf = {}\n", hosts_per_leaf(answers));
  }
  if (answers.topology == TopologyKind::kFatTree) {
    const bool large = answers.hosts * answers.gpus_per_host > kLeafPorts * kLeafPorts / 2;
    text += fmt::format("tiers = {}\nradix = {}  # ports of a switch in use\n", large ? 3 : 2, kLeafPorts);
  }
  if (leaves || answers.topology == TopologyKind::kFatTree) {
    text += fmt::format("oversubscription = \"{}\"  # capacity of a leaf down to capacity up\n",
                        to_string(answers.oversubscription));
  }
  return text;
}

std::string family_case_text(Family family, std::string_view word) {
  return fmt::format("\n[[case]]\nname = \"{}\"\nfabric.family = \"{}\"\nhost.memory = \"{}\"\n", word, word,
                     memory_of(family));
}

struct Parts {
  const ScenarioAnswers& answers;
  std::string file;
  std::string scale_up;
  Division division;
  bool own_rate = true;  // the links are not as fast as the NIC and the switch
  bool iwarp = true;     // its NICs are as fast as the links
};

std::string head_text(const Parts& parts) {
  const ScenarioAnswers& own = parts.answers;
  const std::string_view family = study::scenario::word_of(own.family);
  const std::string file = shell_word(parts.file);
  const std::pair<std::string, std::string_view> commands[] = {
      {fmt::format("weft show {} --case {}", file, family), "every value that a run uses, and where it is from"},
      {fmt::format("weft run {} --case {}", file, family), "one network"},
      {fmt::format("weft compare {} --quick", file), "three networks, a first answer; without --quick all of them"}};
  std::size_t widest = 0;
  for (const auto& [command, about] : commands) {
    widest = std::max(widest, command.size());
  }
  std::string text =
      fmt::format("# {} hosts of {} {}, {}, {}. Written by 'weft init'; change what you like.\n#\n", own.hosts,
                  own.gpus_per_host, own.gpu, to_string(own.rate), study::scenario::word_of(own.topology));
  for (const auto& [command, about] : commands) {
    text += fmt::format("#   {:<{}}  {}\n", command, widest, about);
  }
  return text +
         "#\n"
         "# 'weft help KEY' explains a key (weft help link.rate), 'weft catalogue' lists what may be named.\n"
         "seed = 1\n\n";
}

std::string job_text(const Parts& parts) {
  const ScenarioAnswers& own = parts.answers;
  if (own.model.empty()) {
    return "";
  }
  return fmt::format(
      "\n[[job]]\n"
      "name = \"{}\"\n"
      "model = \"{}\"\n"
      "gpu = \"{}\"\n"
      "gpus = {}\n"
      "# The least that fits into the GPUs' memory; what the GPUs leave is data parallel.\n"
      "tp = {}\n"
      "pp = {}\n"
      "# global_batch = 256  # sequences of a step; not given: four micro-batches for each pipeline stage\n",
      own.model, own.model, own.gpu, own.hosts * own.gpus_per_host, parts.division.tensor, parts.division.pipeline);
}

std::string text_of(const Parts& parts) {
  const ScenarioAnswers& own = parts.answers;
  std::string text = head_text(parts);
  text += fmt::format(
      "[fabric]\n"
      "family = \"{}\"\n"
      "# switch = \"...\"  # of 'weft catalogue switch'; not given: the family's usual one\n"
      "# nic = \"...\"\n\n",
      study::scenario::word_of(own.family));
  text += topology_text(own);
  const std::string rate = to_string(own.rate);
  text += parts.own_rate ? fmt::format("\n[link]\nrate = \"{}\"\n", rate)
                         : fmt::format("\n[link]\n# rate = \"{}\"  # not given: as fast as NIC and switch\n", rate);
  text += fmt::format("\n[host]\nprofile = \"modern\"\nmemory = \"{}\"  # where the NIC's buffers are\n",
                      memory_of(own.family));
  text += parts.scale_up.empty()
              ? ""
              : fmt::format("\n[scale_up]\nentry = \"{}\"  # links between the GPUs of a host\n", parts.scale_up);
  text += job_text(parts);
  text +=
      "\n[cost]\n"
      "# years = 4                       # with it, energy and upkeep count too\n"
      "# energy_price = \"0.15 USD/kWh\"\n"
      "\n# What differs where the cluster has another network: 'weft compare' takes the case of each fabric's name.\n";
  constexpr std::array kCases = {Family::kRoceV2, Family::kInfiniband, Family::kIwarp, Family::kTcp};
  std::string cases;
  bool listed = false;
  for (const Family family : kCases) {
    if (family == Family::kIwarp && family != own.family && !parts.iwarp) {
      continue;  // every case of a file is checked, chosen or not
    }
    listed = listed || family == own.family;
    cases += family_case_text(family, study::scenario::word_of(family));
  }
  return text + (listed ? "" : family_case_text(own.family, study::scenario::word_of(own.family))) + cases;
}

Result<Scenario> checked(const std::string& text, const Parts& parts, const Catalogue& catalogue) {
  const std::string family(study::scenario::word_of(parts.answers.family));
  auto scenario =
      study::scenario::parse_scenario(text, {.file = parts.file, .case_name = family, .settings = {}}, catalogue);
  if (!scenario) {
    return scenario;
  }
  if (auto fits = study::assembly::check_assembly(*scenario); !fits) {
    return pass_on(fits);
  }
  return scenario;
}

/// What a message of our own file says, without the place in a file that the user has never seen.
Error without_place(Error error, const std::string& file) {
  const std::string mark = file + ":";
  if (error.message.starts_with(mark)) {
    const std::size_t end = error.message.find(": ", mark.size());
    error.message.erase(0, end == std::string::npos ? mark.size() : end + 2);
  }
  return error;
}

/// Whether the links would be as fast without a rate of their own.
bool is_usual_rate(Parts parts, const Catalogue& catalogue) {
  parts.own_rate = false;
  parts.iwarp = false;
  const auto scenario = checked(text_of(parts), parts, catalogue);
  return scenario && scenario->devices.link(study::scenario::LinkTier::kHost).rate == parts.answers.rate;
}

}  // namespace

Result<std::string> new_scenario(const ScenarioAnswers& answers, const std::string& file, const Catalogue& catalogue) {
  ScenarioAnswers empty = answers;
  empty.model.clear();
  Parts network{.answers = empty, .file = file, .scale_up = scale_up_entry(answers, catalogue), .division = {}};
  network.own_rate = !is_usual_rate(network, catalogue);
  if (!checked(text_of(network), network, catalogue)) {
    network.iwarp = false;
    if (auto fits = checked(text_of(network), network, catalogue); !fits) {
      return tl::unexpected<Error>(without_place(fits.error(), file));
    }
  }
  if (answers.model.empty()) {
    return text_of(network);
  }
  Parts parts{.answers = answers,
              .file = file,
              .scale_up = network.scale_up,
              .division = {},
              .own_rate = network.own_rate,
              .iwarp = network.iwarp};
  Error first{"no division of the job fits"};
  bool any = false;
  for (const Division& division : divisions(answers)) {
    parts.division = division;
    std::string text = text_of(parts);
    auto fits = checked(text, parts, catalogue);
    if (fits) {
      return text;
    }
    first = any ? std::move(first) : without_place(fits.error(), file);
    any = true;
  }
  return tl::unexpected<Error>(std::move(first));
}

}  // namespace weft::cli
