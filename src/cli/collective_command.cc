#include "cli/collective_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "base/format_quantity.h"
#include "base/nearest_word.h"
#include "base/text_table.h"
#include "cli/collective_memory.h"
#include "cli/collective_sizes.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/scenario_options.h"
#include "cli/terminal.h"
#include "study/scenario/scenario_words.h"

namespace weft::cli {
namespace {

constexpr std::pair<std::string_view, std::string_view> kOptionOfKey[] = {
    {"link.rate", "--rate"},
    {"fidelity", "--fidelity"},
    {"fabric.family", "--fabric"},
    {"scale_up.entry", "--scale-up"},
    {"collectives.profile", "--profile"},
    {"traffic[0].channels", "--channels"},
    {"traffic[0].chunk", "--chunk"},
    {"traffic[0].queue_pairs", "--queue-pairs"},
    {"connections", "--connections"},
};

/// The scenario is of our making: what is wrong with one of its keys is wrong with the option that it came from.
std::string in_words_of_options(const std::string& message) {
  for (const auto& [key, option] : kOptionOfKey) {
    const std::string named = fmt::format("{}: ", key);
    const std::size_t at = message.find(named);
    if (at != std::string::npos)
      return fmt::format("{}: {}", option, message.substr(message.rfind(named) + named.size()));
  }
  constexpr std::string_view kOurName = "traffic 'collective': ";
  const std::size_t at = message.find(kOurName);
  return at == std::string::npos ? message : message.substr(at + kOurName.size());
}

int complain_of_options(const Error& error, int status) {
  return complain("collective", {in_words_of_options(error.message)}, status);
}

template <class Enum>
Result<Enum> enum_of(std::string_view what, const std::string& word) {
  const auto& words = study::scenario::WordsOf<Enum>::kWords;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word)
      return static_cast<Enum>(i);
  }
  return tl::unexpected<Error>(unknown_word({.kind = what, .word = word, .valid = words}));
}

Result<study::run::CollectiveRun> run_of(const CollectiveText& text) {
  study::run::CollectiveRun run = text.run;
  auto kind = enum_of<workload::CollectiveKind>("collective", text.kind);
  if (!kind)
    return pass_on(kind);
  run.kind = *kind;
  auto algorithm = enum_of<workload::CollectiveAlgorithm>("algorithm", text.algorithm);
  if (!algorithm)
    return pass_on(algorithm);
  run.algorithm = *algorithm;
  // Before --set, which is stronger.
  std::vector<std::string> settings;
  const auto set = [&settings](const char* key, const std::string& value) {
    if (!value.empty())
      settings.push_back(fmt::format("traffic[0].{}={}", key, value));
  };
  set("channels", text.channels);
  set("queue_pairs", text.queue_pairs);
  // Real bytes need real memory for every buffer.
  set("chunk", text.chunk.empty() && text.verify ? "16KiB" : text.chunk);
  settings.insert(settings.end(), run.settings.begin(), run.settings.end());
  run.settings = std::move(settings);
  if (text.verify)
    run.payload = study::run::Payload::kBytes;
  if (text.exact)
    run.longest = Bytes::max();
  run.go_on = [] { return !interrupted(); };
  return run;
}

/// As nccl-tests have it: the units below the headings, both after a "#".
TextTable size_table(std::FILE* out) {
  const auto right = [](std::string heading, std::size_t least, std::size_t gap, std::uint8_t rank) {
    const std::string name = heading.substr(0, heading.find('\n'));
    return TextTable::Column{.heading = std::move(heading),
                             .align = TextTable::Align::kRight,
                             .least = least,
                             .gap = gap,
                             .rank = rank,
                             .name = name};
  };
  return TextTable({{.heading = "#         size\n#          (B)", .align = TextTable::Align::kRight, .least = 14},
                    right("time\n(us)", 12, 1, 0),
                    right("algbw\n(GB/s)", 10, 1, 1),
                    right("busbw\n(GB/s)", 10, 1, 0),
                    right("per NIC\n(GB/s)", 10, 1, 2),
                    {.heading = "algorithm", .least = 16, .wraps = true, .rank = 3}},
                   terminal_columns(out));
}

void print_head(std::FILE* out, const study::run::CollectiveRun& run) {
  fmt::print(out, "# {}, {}; {} ranks, {} GPUs and {} NICs of {} per host, {}, profile {}{}\n", to_string(run.kind),
             to_string(run.algorithm), run.ranks, run.gpus_per_host, run.rails, run.rate, run.fabric, run.profile,
             run.payload == study::run::Payload::kBytes ? ", numbers checked" : "");
  const TextTable table = size_table(out);
  fmt::print(out, "{}{}", table.note().empty() ? "" : "# " + table.note(), table.head());
}

void print_row(std::FILE* out, const study::run::CollectiveTime& row) {
  std::string last(to_string(row.algorithm));
  const auto remark = [&last](const std::string& text) { last = fmt::format("{:<16}  {}", last, text); };
  if (!row.wrong.empty()) {
    remark("WRONG: " + row.wrong);
  }
  if (row.flow_error) {
    remark(fmt::format("flow level, {:+.2f} % against packets", 100 * *row.flow_error));
  } else if (!row.flow_check.empty()) {
    remark("flow level, error not measured");
  }
  if (row.extrapolation_error) {
    remark(fmt::format("extrapolated; the method was {:+.2f} % off at the largest simulated size",
                       100 * *row.extrapolation_error));
  }
  fmt::print(
      out, "{}",
      size_table(out).row({fmt::format("{}", row.size.count()),
                           fmt::format("{:.2f}", static_cast<double>(row.time.picoseconds()) / 1e6),
                           fmt::format("{:.2f}", row.algbw_gbytes_per_s), fmt::format("{:.2f}", row.busbw_gbytes_per_s),
                           fmt::format("{:.2f}", row.nic_gbytes_per_s), last}));
  std::fflush(out);
}

nlohmann::ordered_json json_of(const study::run::CollectiveTime& row) {
  nlohmann::ordered_json json{{"size_bytes", row.size.count()},
                              {"time_us", static_cast<double>(row.time.picoseconds()) / 1e6},
                              {"algbw_gbytes_per_s", row.algbw_gbytes_per_s},
                              {"busbw_gbytes_per_s", row.busbw_gbytes_per_s},
                              {"nic_gbytes_per_s", row.nic_gbytes_per_s}};
  json["algorithm"] = to_string(row.algorithm);
  if (!row.wrong.empty())
    json["wrong"] = row.wrong;
  if (row.extrapolation_error)
    json["extrapolation_error"] = *row.extrapolation_error;
  if (row.flow_error)
    json["flow_error"] = *row.flow_error;
  if (!row.flow_check.empty())
    json["flow_check"] = row.flow_check;
  return json;
}

std::string json_of(const CollectiveText& text, const std::vector<study::run::CollectiveTime>& rows) {
  nlohmann::ordered_json json{{"collective", text.kind}, {"algorithm", text.algorithm},
                              {"ranks", text.run.ranks}, {"profile", text.run.profile},
                              {"verified", text.verify}, {"rows", nlohmann::ordered_json::array()}};
  for (const study::run::CollectiveTime& row : rows)
    json["rows"].push_back(json_of(row));
  return json.dump(2) + "\n";
}

/// Sizes as the ranks can have them, each once.
Result<void> check_sizes(const study::run::CollectiveRun& run, std::vector<Bytes>& sizes) {
  for (Bytes& size : sizes) {
    if (Result<void> right = study::run::check_collective_run(run, size); !right)
      return right;
    size = study::run::usable_size(run, size);
  }
  if (run.kind == workload::CollectiveKind::kBarrier)
    sizes.resize(1);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return {};
}

struct Work {
  const study::run::CollectiveRun& run;
  const std::vector<Bytes>& sizes;
  const study::scenario::Catalogue& catalogue;
};

Result<void> time_sizes(std::FILE* out, const Work& work, std::vector<study::run::CollectiveTime>& rows) {
  for (const Bytes size : work.sizes) {
    Result<study::run::CollectiveTime> row = study::run::time_collective(work.run, size, work.catalogue);
    if (!row)
      return pass_on(row);
    if (rows.empty())
      print_head(out, work.run);
    print_row(out, *row);
    rows.push_back(*row);
  }
  return {};
}

int run(const CollectiveText& text) {
  Result<study::run::CollectiveRun> run = run_of(text);
  if (!run)
    return complain_of_options(run.error(), kUsageError);
  const char* const usual = text.verify ? "1KiB..1MiB" : "1MiB..256MiB";
  Result<std::vector<Bytes>> sizes = parse_sizes(text.size.empty() ? usual : text.size);
  if (!sizes)
    return complain_of_options(std::move(sizes.error()).at("--size"), kUsageError);
  Result<study::scenario::Catalogue> catalogue =
      read_catalogue({.file = {}, .case_name = {}, .settings = {}, .catalogue = text.catalogue});
  if (!catalogue)
    return complain_of_options(catalogue.error(), kUsageError);
  if (Result<void> right = check_sizes(*run, *sizes); !right)
    return complain_of_options(right.error(), kUsageError);
  if (!text.force) {
    if (const Result<void> fits = check_collective_memory(*run, sizes->front(), *catalogue); !fits)
      return complain_of_options(fits.error(), kUsageError);
  }
  // Before the hours that a table may take.
  if (!text.json.empty() && text.json != "-") {
    if (const Result<void> possible = check_writable(text.json); !possible)
      return complain_of_options(possible.error(), kFault);
  }
  catch_interrupts();
  // The table goes where the JSON does not.
  std::vector<study::run::CollectiveTime> rows;
  Result<void> timed = time_sizes(text.json == "-" ? stderr : stdout, {*run, *sizes, *catalogue}, rows);
  if (!timed && !interrupted())
    return complain_of_options(timed.error(), kUsageError);
  const std::string json = text.json.empty() ? "" : json_of(text, rows);
  if (!json.empty()) {
    if (const Result<void> written = write_text(text.json, json); !written)
      return complain_of_options(written.error(), kFault);
  }
  if (interrupted())
    return kInterrupted;
  return std::ranges::any_of(rows, [](const auto& row) { return !row.wrong.empty(); }) ? kFault : kSuccess;
}

}  // namespace

void add_collective_command(CLI::App& app, CollectiveText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("collective", "Time a collective operation over sizes, as nccl-tests do");
  command
      ->add_option("kind", text.kind,
                   "all-reduce, reduce-scatter, all-gather, broadcast, reduce, all-to-all, barrier, send")
      ->required();
  command->add_option("-s,--size", text.size,
                      "1MiB; 1MiB,4MiB; or 1MiB..1GiB, which doubles (1MiB..256MiB; with --verify 1KiB..1MiB)");
  command->add_option("-n,--ranks", text.run.ranks, "Number of ranks (GPUs)")->capture_default_str();
  command->add_option("--gpus-per-host", text.run.gpus_per_host, "GPUs of a host")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}))
      ->capture_default_str();
  command->add_option("--rails", text.run.rails, "NICs of a host")->capture_default_str();
  command->add_option("--rate", text.run.rate, "Of a NIC")->capture_default_str();
  command->add_option("--fabric", text.run.fabric, "infiniband, rocev2, rocev1, iwarp, tcp, uet")
      ->capture_default_str();
  command->add_option("--topology", text.run.topology, "rail-optimised or single-switch")->capture_default_str();
  command
      ->add_option("--scale-up", text.run.scale_up,
                   "Links between the GPUs of a host: an entry of the catalogue, or none")
      ->capture_default_str();
  command
      ->add_option("-a,--algorithm", text.algorithm,
                   fmt::format("{}", fmt::join(workload::kCollectiveAlgorithmWords, ", ")))
      ->capture_default_str();
  command->add_option("--profile", text.run.profile, "Cost profile of the communication library: ideal, h100-cx7")
      ->capture_default_str();
  command->add_option("--channels", text.channels, "Parallel rings or trees; 0: one per rail");
  command->add_option("--chunk", text.chunk, "The largest message");
  command->add_option("--queue-pairs", text.queue_pairs, "Of each connection");
  command->add_option("--connections", text.run.connections,
                      "To other hosts that a rank has open at a time; 0: all (32 beyond 256 ranks)");
  command
      ->add_option("--fidelity", text.run.fidelity,
                   "packet, or flow: messages drained at fair rates, with the error against packets")
      ->capture_default_str();
  command->add_option("--iterations", text.run.iterations, "Repetitions, of which the time is the average")
      ->capture_default_str();
  command->add_option("--set", text.run.settings, "KEY=VALUE: any key of the scenario; may be given several times")
      ->allow_extra_args(false);
  command->add_option("--catalogue", text.catalogue, "Folder with more entries");
  command->add_flag("--verify", text.verify, "Carry real data and verify the result of every rank");
  command->add_flag("--exact", text.exact, "Also simulate the largest sizes instead of extrapolating");
  command->add_flag("--force", text.force, "Run even if memory seems insufficient");
  command->add_option("--json", text.json, "Write the rows as JSON to this file; - = standard output alone");
  command->footer("Times run from the first rank's beginning to the last rank's end.");
  command->callback([&text, &exit_status] { exit_status = run(text); });
}

}  // namespace weft::cli
