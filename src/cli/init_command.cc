#include "cli/init_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/format_quantity.h"
#include "base/nearest_word.h"
#include "base/parse_quantity.h"
#include "base/printable.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/new_scenario.h"
#include "cli/shell_word.h"
#include "cli/terminal.h"
#include "study/scenario/model_catalogue.h"
#include "study/scenario/scenario_words.h"

namespace weft::cli {
namespace {

using study::scenario::Family;
using study::scenario::TopologyKind;

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(std::move(word));
  }
  return words;
}

Result<std::int64_t> count_of(const std::string& text, std::int64_t most) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most) {
    return fail("'{}' is not a number from 1 to {}", excerpt(text), most);
  }
  return count;
}

class Interview {
 public:
  Interview(const InitText& text, study::scenario::Catalogue catalogue, study::scenario::ModelCatalogue models)
      : text_(text), catalogue_(std::move(catalogue)), models_(std::move(models)) {}

  /// Asks what the command line leaves open. Errors: a wrong answer that nobody can correct, or the end of the input.
  Result<std::string> scenario() {
    for (const Question& question : questions()) {
      if (Result<void> answered = ask(question); !answered) {
        return pass_on(answered);
      }
    }
    return new_scenario(answers_, text_.file, catalogue_);
  }

 private:
  struct Question {
    std::string_view asks;
    std::string_view option;  // that answers it
    const std::string& given;
    std::function<std::string()> usual;
    std::function<Result<void>(const std::string&)> take;
  };

  std::vector<Question> questions() {
    return {
        {"Hosts", "--hosts", text_.hosts, [this] { return fmt::format("{}", answers_.hosts); },
         [this](const std::string& answer) { return take_hosts(answer); }},
        {"GPUs of a host, and which", "--gpus", text_.gpus,
         [this] { return fmt::format("{} {}", answers_.gpus_per_host, answers_.gpu); },
         [this](const std::string& answer) { return take_gpus(answer); }},
        {"Rate of a link; each GPU has a NIC", "--rate", text_.rate, [this] { return to_string(answers_.rate); },
         [this](const std::string& answer) { return take_rate(answer); }},
        {"Topology and oversubscription", "--topology", text_.topology,
         [this] {
           return fmt::format("{} {}", study::scenario::word_of(answers_.topology),
                              to_string(answers_.oversubscription));
         },
         [this](const std::string& answer) { return take_topology(answer); }},
        {"Model that the GPUs train", "--model", text_.model, [] { return std::string("llama3-8b"); },
         [this](const std::string& answer) { return take_model(answer); }},
        {"Family of the network", "--family", text_.family,
         [this] { return std::string(study::scenario::word_of(answers_.family)); },
         [this](const std::string& answer) { return take_family(answer); }},
    };
  }

  Result<void> ask(const Question& question) {
    const std::string usual = question.usual();
    if (!question.given.empty() || text_.yes) {
      Result<void> taken = question.take(question.given.empty() ? usual : question.given);
      return taken ? taken : tl::unexpected<Error>(std::move(taken.error()).at(std::string(question.option)));
    }
    for (;;) {
      // Questions are no result: standard output stays empty but for the last line.
      fmt::print(stderr, "{} [{}]: ", question.asks, usual);
      std::fflush(stderr);
      std::string answer;
      if (!std::getline(std::cin, answer)) {
        fmt::print(stderr, "\n");
        return fail("the input ended at the question '{}'; answer it, or give {}, or --yes for the rest", question.asks,
                    question.option);
      }
      const Result<void> taken = question.take(split_words(answer).empty() ? usual : answer);
      if (taken) {
        return {};
      }
      fmt::print(stderr, "  {}\n", shown_message(taken.error()));
    }
  }

  /// Takes the answers if a network, or a job, can be made of them.
  Result<void> accept(const ScenarioAnswers& answers) {
    if (auto made = new_scenario(answers, text_.file, catalogue_); !made) {
      return pass_on(made);
    }
    answers_ = answers;
    return {};
  }

  Result<void> take_hosts(const std::string& answer) {
    constexpr std::int64_t kMostHosts = 10'000;
    Result<std::int64_t> hosts = count_of(answer, kMostHosts);
    if (!hosts) {
      return pass_on(hosts);
    }
    answers_.model.clear();  // until it is asked for
    answers_.hosts = *hosts;
    return {};
  }

  Result<void> take_gpus(const std::string& answer) {
    constexpr std::int64_t kMostGpus = 64;
    ScenarioAnswers own = answers_;
    for (const std::string& word : split_words(answer)) {
      if (Result<std::int64_t> gpus = count_of(word, kMostGpus); gpus) {
        own.gpus_per_host = *gpus;
      } else if (const auto gpu = models_.find_gpu(word); gpu) {
        own.gpu = word;
      } else {
        return fail("{}; or a number from 1 to {}", gpu.error().message, kMostGpus);
      }
    }
    answers_ = own;
    return {};
  }

  Result<void> take_rate(const std::string& answer) {
    Result<Rate> rate = parse_rate(answer);
    if (!rate) {
      return pass_on(rate);
    }
    // With the smallest network: whether the cluster can be built is asked with its topology.
    ScenarioAnswers own = answers_;
    own.rate = *rate;
    own.hosts = 2;
    own.topology = TopologyKind::kRailOptimised;
    if (auto made = new_scenario(own, text_.file, catalogue_); !made) {
      return pass_on(made);
    }
    answers_.rate = *rate;
    return {};
  }

  Result<void> take_topology(const std::string& answer) {
    constexpr std::array<std::pair<std::string_view, TopologyKind>, 4> kKinds = {{
        {"rail-optimised", TopologyKind::kRailOptimised},
        {"leaf-spine", TopologyKind::kLeafSpine},
        {"fat-tree", TopologyKind::kFatTree},
        {"single-switch", TopologyKind::kSingleSwitch},
    }};
    constexpr std::array<std::string_view, 4> kNames = {kKinds[0].first, kKinds[1].first, kKinds[2].first,
                                                        kKinds[3].first};
    ScenarioAnswers own = answers_;
    own.oversubscription = {};
    for (const std::string& word : split_words(answer)) {
      const auto kind = std::ranges::find(kKinds, word, &std::pair<std::string_view, TopologyKind>::first);
      if (kind != kKinds.end()) {
        own.topology = kind->second;
      } else if (word.find(':') != std::string::npos) {
        auto ratio = study::scenario::parse_oversubscription(word);
        if (!ratio) {
          return pass_on(ratio);
        }
        own.oversubscription = *ratio;
      } else {
        const std::string shown = excerpt(word);
        return tl::unexpected<Error>(unknown_word({.kind = "topology", .word = shown, .valid = kNames}));
      }
    }
    const bool oversubscribed = own.oversubscription.down != own.oversubscription.up;
    if (own.topology == TopologyKind::kSingleSwitch && oversubscribed) {
      return fail("a single switch has no uplinks to oversubscribe");
    }
    return accept(own);
  }

  Result<void> take_model(const std::string& answer) {
    const std::vector<std::string> words = split_words(answer);
    if (words.size() != 1) {
      return fail("'{}' is not the name of a model", excerpt(answer));
    }
    if (const auto model = models_.find_model(words.front()); !model) {
      return fail("{}", model.error().message);
    }
    ScenarioAnswers own = answers_;
    own.model = words.front();
    return accept(own);
  }

  Result<void> take_family(const std::string& answer) {
    const auto& words = study::scenario::WordsOf<Family>::kWords;
    const std::vector<std::string> said = split_words(answer);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (said.size() == 1 && words[i] == said.front()) {
        ScenarioAnswers own = answers_;
        own.family = static_cast<Family>(i);
        return accept(own);
      }
    }
    const std::string shown = excerpt(answer);
    return tl::unexpected<Error>(unknown_word({.kind = "family", .word = shown, .valid = words}));
  }

  const InitText& text_;
  study::scenario::Catalogue catalogue_;
  study::scenario::ModelCatalogue models_;
  ScenarioAnswers answers_;
};

Result<void> check_place(const InitText& text) {
  std::error_code ignored;
  if (!text.force && std::filesystem::exists(text.file, ignored)) {
    return fail("{}: exists; --force replaces it", text.file);
  }
  return {};
}

int run_init(const InitText& text) {
  if (const Result<void> free = check_place(text); !free) {
    return complain("init", free.error(), kUsageError);
  }
  if (const Result<void> possible = check_writable(text.file); !possible) {
    return complain("init", possible.error(), kFault);
  }
  const auto folder = text.catalogue.empty() ? std::nullopt : std::optional<std::string>(text.catalogue);
  auto catalogue = study::scenario::Catalogue::load(folder);
  auto models = study::scenario::ModelCatalogue::load(folder);
  if (!catalogue || !models) {
    return complain("init", catalogue ? models.error() : catalogue.error(), kUsageError);
  }
  const Result<std::string> scenario = Interview(text, std::move(*catalogue), std::move(*models)).scenario();
  if (!scenario) {
    return complain("init", scenario.error(), kUsageError);
  }
  if (const Result<void> written = write_file(text.file, *scenario); !written) {
    return complain("init", written.error(), kFault);
  }
  fmt::print("{} written; next: weft compare {} --quick\n", terminal_text(text.file), shell_word(text.file));
  return kSuccess;
}

}  // namespace

void add_init_command(CLI::App& app, InitText& text, int& exit_status) {
  CLI::App* init = app.add_subcommand("init", "Ask six questions about a cluster and write a scenario file");
  init->add_option("FILE", text.file, "The file to write")->capture_default_str();
  init->add_option("--hosts", text.hosts, "Number of hosts");
  init->add_option("--gpus", text.gpus, "GPUs of a host, and which: 8, or \"8 h100-sxm\"");
  init->add_option("--rate", text.rate, "Rate of a link, such as 400Gbps");
  init->add_option(
      "--topology", text.topology,
      "rail-optimised, leaf-spine, fat-tree or single-switch; with an oversubscription \"leaf-spine 2:1\"");
  init->add_option("--model", text.model, "Model of the catalogue that the GPUs train");
  init->add_option("--family", text.family, "rocev2, infiniband, rocev1, iwarp, tcp or uet");
  init->add_option("--catalogue", text.catalogue,
                   "Folder with entries that are added to the catalogue or replace its own")
      ->envname("WEFT_CATALOGUE");
  init->add_flag("-y,--yes", text.yes, "Ask nothing: what is not given has its default");
  init->add_flag("--force", text.force, "Replace the file if it exists");
  init->footer("Exit status: 0 written, 1 it cannot be written, 2 a wrong answer, or the file exists.");
  init->callback([&text, &exit_status] { exit_status = run_init(text); });
}

}  // namespace weft::cli
