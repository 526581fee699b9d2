#include "cli/completion_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/shell_word.h"

namespace weft::cli {
namespace {

/// What stands behind an option or in the place of an argument: a list of words, a command that prints words, or files.
struct Operand {
  std::string_view command{};  // "run"; empty: any
  std::string_view option{};   // "--set"; empty: an argument
  std::string_view words{};    // "infiniband rocev2"
  std::string_view listed{};   // `weft completion LISTED` prints them
  std::string_view files{};    // "*.toml": files that match, and folders
};

// The first that fits a command and an option counts.
constexpr std::array kOperands = {
    Operand{.option = "--set", .listed = "keys"},
    Operand{.option = "--vary", .listed = "keys"},
    Operand{.option = "--measure",
            .words = "step exposed fct-p50 fct-p99 fct-max fct-mean slowdown-p99 collective busbw goodput fairness "
                     "queue-peak queue-median drops retransmitted pauses held"},
    Operand{.command = "tune",
            .option = "--for",
            .words = "step collective incast fct busbw goodput fairness queue-peak exposed slowdown-p99"},
    Operand{.command = "emit", .option = "--for", .words = "sonic nvue eos nic opensm"},
    Operand{.command = "emit", .option = "--out", .files = "/"},
    Operand{.option = "--plan", .files = "*.toml"},
    Operand{.option = "--for", .words = "best ranking"},
    Operand{.option = "--catalogue", .files = "/"},
    Operand{.option = "--fabrics", .listed = "fabrics"},
    Operand{.option = "--routing", .listed = "scheme"},
    Operand{.option = "--networks", .listed = "fabrics"},
    Operand{.option = "--shapes", .words = "single-switch leaf-spine rail-optimised fat-tree"},
    Operand{.option = "--switches", .listed = "switch"},
    Operand{.option = "--nics", .listed = "nic"},
    Operand{.option = "--cabling", .files = "*"},
    Operand{.option = "--fabric", .listed = "families"},
    Operand{.command = "import", .option = "--family", .words = "rocev2"},
    Operand{.option = "--family", .listed = "families"},
    Operand{.option = "--cm", .files = "*.cm"},
    Operand{.option = "--tm", .files = "*.cm"},
    Operand{.option = "--topo", .files = "*.topo"},
    Operand{.option = "--start-unit", .words = "us ps"},
    Operand{.option = "--hardware", .words = "as-sold equal"},
    Operand{.option = "--weights", .words = "money balanced peak-performance existing-ethernet"},
    Operand{.option = "--model", .listed = "model"},
    Operand{.command = "init", .option = "--gpus", .listed = "gpu"},
    Operand{.command = "init", .option = "--topology", .words = "rail-optimised leaf-spine fat-tree single-switch"},
    Operand{.option = "--topology", .words = "rail-optimised single-switch"},
    Operand{.option = "--scale-up", .listed = "scale_up"},
    Operand{.option = "--profile", .listed = "collectives"},
    Operand{.option = "--function", .words = "mixed crc-16 crc-16-ccitt crc-32 xor-fold toeplitz"},
    Operand{.option = "--fields",
            .words = "5-tuple source-address destination-address source-port destination-port protocol destination-qp "
                     "flow-label"},
    Operand{.option = "--engine", .words = "minhop updn dnup ftree dor lash sssp dfsssp nue"},
    Operand{.option = "--tables", .files = "*"},
    Operand{.option = "--op", .words = "write send read cas fadd"},
    Operand{.option = "--test", .words = "bw lat"},
    Operand{.option = "--json", .files = "*"},
    Operand{.option = "--report", .files = "*"},
    Operand{.option = "--timeline", .files = "*"},
    Operand{.option = "--comparison", .files = "*.json"},
    Operand{.option = "--out", .files = "*"},
    Operand{.option = "-o", .files = "*"},
    Operand{.option = "--output", .files = "*"},
    Operand{.option = "--pcap", .files = "*"},
    Operand{.option = "--csv", .files = "/"},
    Operand{.option = "--runs", .files = "/"},
    Operand{.option = "--folder", .files = "/"},
    Operand{.command = "plan", .option = "--write", .files = "/"},
    Operand{.option = "--write", .files = "*"},
    Operand{.option = "--counters", .files = "*.weft"},
    Operand{.command = "run", .files = "*.toml"},
    Operand{.command = "show", .files = "*.toml"},
    Operand{.command = "compare", .files = "*.toml"},
    Operand{.command = "scale", .files = "*.toml"},
    Operand{.command = "sweep", .files = "*.toml"},
    Operand{.command = "tune", .files = "*.toml"},
    Operand{.command = "plan", .files = "*.toml"},
    Operand{.command = "paths", .files = "*.toml"},
    Operand{.command = "failures", .files = "*.toml"},
    Operand{.command = "control", .files = "*.toml"},
    Operand{.command = "emit", .files = "*.toml"},
    Operand{.command = "lint", .files = "*"},
    Operand{.command = "subnet", .files = "*"},
    Operand{.command = "init", .files = "*.toml"},
    Operand{.command = "report", .files = "*.@(json|weft)"},
    Operand{.command = "diff", .files = "*.@(json|weft)"},
    Operand{.command = "pcap", .files = "*.@(pcap|pcapng)"},
    Operand{.command = "collective",
            .words = "all-reduce reduce-scatter all-gather broadcast reduce all-to-all barrier send"},
    Operand{.command = "claims", .listed = "claims"},
    Operand{.command = "cache", .words = "show clear"},
    Operand{.command = "catalogue", .listed = "catalogue"},
    Operand{.command = "completion", .words = "bash zsh"},
    Operand{.command = "help", .listed = "help"},
};

using Options = std::vector<const CLI::Option*>;

std::vector<const CLI::App*> parts_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> option_words(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  return names;
}

/// Of options alone, not of arguments.
Options options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options_of(app)) {
    std::ranges::move(option_words(*option), std::back_inserter(names));
  }
  return names;
}

/// Every command that has options of its own, with its words: "run", "perf client".
void collect(const CLI::App& app, const std::string& path, std::vector<std::pair<std::string, const CLI::App*>>& all) {
  for (const CLI::App* part : parts_of(app)) {
    const std::string name = path.empty() ? part->get_name() : path + " " + part->get_name();
    all.emplace_back(name, part);
    collect(*part, name, all);
  }
}
std::vector<std::pair<std::string, const CLI::App*>> commands_of(const CLI::App& app) {
  std::vector<std::pair<std::string, const CLI::App*>> all;
  collect(app, "", all);
  return all;
}

std::vector<std::string> part_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* part : parts_of(app)) {
    names.push_back(part->get_name());
  }
  return names;
}

/// All names of the options that take a value.
std::vector<std::string> valued_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto& [path, command] : commands_of(app)) {
    for (const CLI::Option* option : options_of(*command)) {
      for (const std::string& name : option_words(*option)) {
        if (option->get_expected_max() > 0 && option->get_type_size_max() > 0 &&
            std::ranges::find(names, name) == names.end()) {
          names.push_back(name);
        }
      }
    }
  }
  return names;
}

/// "run:--set", "*:--set", "run:".
std::string pattern_of(const Operand& operand) {
  return fmt::format("{}:{}", operand.command.empty() ? "*" : operand.command, operand.option);
}

std::string bash_action(const Operand& operand) {
  if (!operand.words.empty()) {
    return fmt::format("_weft_words \"{}\"", operand.words);
  }
  if (!operand.listed.empty()) {
    return fmt::format("_weft_listed {}", operand.listed);
  }
  return operand.files == "/" ? "_weft_folders" : fmt::format("_weft_files '{}'", operand.files);
}

std::string zsh_action(const Operand& operand) {
  if (!operand.words.empty()) {
    return fmt::format("compadd -- {}", operand.words);
  }
  if (!operand.listed.empty()) {
    return fmt::format("_weft_listed {}", operand.listed);
  }
  if (operand.files == "/") {
    return "_files -/";
  }
  std::string glob(operand.files);
  if (const auto at = glob.find('@'); at != std::string::npos) {
    glob.erase(at, 1);  // zsh has groups without it
  }
  return glob == "*" ? "_files" : fmt::format("_files -g '{}'", glob);
}

/// The first sentence of what is said of an option or a command, without what zsh would read.
std::string description_of(std::string text) {
  text = text.substr(0, text.find('\n'));
  std::ranges::replace(text, ':', ',');
  return text;
}

constexpr std::string_view kBashHelpers = R"sh(# bash completion of weft. In ~/.bashrc:  source <(weft completion bash)

_weft_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$_weft_word")
}

_weft_listed() {
  local folder=()
  [[ -n $_weft_catalogue ]] && folder=(--catalogue "$_weft_catalogue")
  _weft_words "$("$_weft_program" completion "$1" "${folder[@]}" 2>/dev/null)"
  if [[ $1 == keys ]]; then
    compopt -o nospace 2>/dev/null
    COMPREPLY=("${COMPREPLY[@]/%/=}")
  fi
}

_weft_folders() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$_weft_word")
}

_weft_files() {
  local restore file
  compopt -o filenames 2>/dev/null
  restore=$(shopt -p extglob)
  shopt -s extglob
  mapfile -t COMPREPLY < <(
    compgen -d -- "$_weft_word"
    compgen -f -- "$_weft_word" | while IFS= read -r file; do
      [[ -f $file && $file == $1 ]] && printf '%s\n' "$file"
    done
  )
  $restore
}

)sh";

constexpr std::string_view kBashMain = R"sh(
_weft() {
  local _weft_program=${COMP_WORDS[0]} _weft_word=${COMP_WORDS[COMP_CWORD]} _weft_catalogue=
  local command= part= previous= word i skip=0
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    previous=$word
    if [[ $word == --catalogue ]]; then
      _weft_catalogue=${COMP_WORDS[i + 1]}
    fi
    if ((skip)); then
      skip=0
    elif [[ " $_weft_valued " == *" $word "* ]]; then
      skip=1
    elif [[ $word != -* && -z $command ]]; then
      command=$word
    elif [[ $word != -* && -z $part && " $(_weft_parts "$command") " == *" $word "* ]]; then
      part=$word
    fi
  done
  # A value behind "key=" is the user's own.
  if [[ $_weft_word == = || $previous == = ]]; then
    return
  fi
  if ((skip)); then
    _weft_operand "$command:$previous"
  elif [[ $_weft_word == -* ]]; then
    _weft_words "$(_weft_options "$command${part:+ $part}")"
  elif [[ -z $command ]]; then
    _weft_words "$(_weft_parts "")"
  elif [[ -z $part && -n $(_weft_parts "$command") ]]; then
    _weft_words "$(_weft_parts "$command")"
  else
    _weft_operand "$command:"
  fi
}

complete -F _weft weft
)sh";

constexpr std::string_view kZshMain = R"sh(
_weft_listed() {
  local -a found
  found=(${(f)"$(${_weft_program} completion $1 2>/dev/null)"})
  if [[ $1 == keys ]]; then
    compadd -S '=' -a found
  else
    compadd -a found
  fi
}

_weft() {
  local _weft_program=${words[1]} command= part= previous=${words[CURRENT-1]} word
  local -a described
  local -i i skip=0
  for ((i = 2; i < CURRENT; ++i)); do
    word=${words[i]}
    if ((skip)); then
      skip=0
    elif [[ " $_weft_valued " == *" $word "* ]]; then
      skip=1
    elif [[ $word != -* && -z $command ]]; then
      command=$word
    elif [[ $word != -* && -z $part && -n $command ]]; then
      _weft_described_parts "$command"
      [[ -n ${(M)described:#${word}:*} ]] && part=$word
    fi
  done
  described=()
  if ((skip)); then
    _weft_operand "$command:$previous"
  elif [[ ${words[CURRENT]} == -* ]]; then
    _weft_described_options "$command${part:+ $part}"
    _describe -o option described
  elif [[ -z $command ]]; then
    _weft_described_parts ""
    _describe command described
  else
    _weft_described_parts "$command"
    if [[ -z $part && ${#described} -gt 0 ]]; then
      _describe command described
    else
      _weft_operand "$command:"
    fi
  fi
}

if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
  _weft "$@"
else
  compdef _weft weft
fi
)sh";

std::string operand_cases(std::string (*action)(const Operand&)) {
  std::string text = "_weft_operand() {\n  case $1 in\n";
  for (const Operand& operand : kOperands) {
    text += fmt::format("    {}) {} ;;\n", pattern_of(operand), action(operand));
  }
  return text + "  esac\n}\n";
}

std::string bash_cases(const CLI::App& app) {
  std::string parts =
      fmt::format("_weft_parts() {{\n  case $1 in\n    '') echo '{}' ;;\n", fmt::join(part_names(app), " "));
  std::string options =
      fmt::format("_weft_options() {{\n  case $1 in\n    '') echo '{}' ;;\n", fmt::join(option_names(app), " "));
  for (const auto& [path, command] : commands_of(app)) {
    if (const auto names = part_names(*command); !names.empty()) {
      parts += fmt::format("    '{}') echo '{}' ;;\n", path, fmt::join(names, " "));
    }
    options += fmt::format("    '{}') echo '{}' ;;\n", path, fmt::join(option_names(*command), " "));
  }
  return parts + "  esac\n}\n\n" + options + "  esac\n}\n\n";
}

std::string zsh_words(const std::vector<std::string>& described) {
  std::string text = "described=(";
  for (const std::string& one : described) {
    text += shell_word(one) + " ";
  }
  return text + ")";
}

std::vector<std::string> described_parts(const CLI::App& app) {
  std::vector<std::string> all;
  for (const CLI::App* part : parts_of(app)) {
    all.push_back(part->get_name() + ":" + description_of(part->get_description()));
  }
  return all;
}

std::vector<std::string> described_options(const CLI::App& app) {
  std::vector<std::string> all;
  for (const CLI::Option* option : options_of(app)) {
    for (const std::string& name : option_words(*option)) {
      all.push_back(name + ":" + description_of(option->get_description()));
    }
  }
  return all;
}

std::string zsh_cases(const CLI::App& app) {
  std::string parts = fmt::format("_weft_described_parts() {{\n  described=()\n  case $1 in\n    '') {} ;;\n",
                                  zsh_words(described_parts(app)));
  std::string options = fmt::format("_weft_described_options() {{\n  described=()\n  case $1 in\n    '') {} ;;\n",
                                    zsh_words(described_options(app)));
  for (const auto& [path, command] : commands_of(app)) {
    if (!parts_of(*command).empty()) {
      parts += fmt::format("    '{}') {} ;;\n", path, zsh_words(described_parts(*command)));
    }
    options += fmt::format("    '{}') {} ;;\n", path, zsh_words(described_options(*command)));
  }
  return parts + "  esac\n}\n\n" + options + "  esac\n}\n\n";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  return std::string(kBashHelpers) + bash_cases(app) + operand_cases(bash_action) +
         fmt::format("\n_weft_valued={}\n", shell_word(fmt::format("{}", fmt::join(valued_options(app), " ")))) +
         std::string(kBashMain);
}

std::string zsh_completion(const CLI::App& app) {
  return "#compdef weft\n# zsh completion of weft. In ~/.zshrc, behind compinit:  source <(weft completion zsh)\n\n" +
         zsh_cases(app) + operand_cases(zsh_action) +
         fmt::format("\n_weft_valued={}\n", shell_word(fmt::format("{}", fmt::join(valued_options(app), " ")))) +
         std::string(kZshMain);
}

}  // namespace weft::cli
