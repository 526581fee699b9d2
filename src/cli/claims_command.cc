#include "cli/claims_command.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/nearest_word.h"
#include "base/text_table.h"
#include "cli/case_pool.h"
#include "cli/claim_runs.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/terminal.h"
#include "study/claims/claim_table.h"
#include "study/claims/claims_page.h"
#include "study/report/comparison_read.h"

namespace weft::cli {
namespace {

using study::claims::Basis;
using study::claims::Claim;
using study::claims::Judged;
using study::report::Comparison;

/// Those of the given ids, in the order of the table.
Result<std::vector<Claim>> chosen(const std::vector<std::string>& ids) {
  const auto table = study::claims::claim_table();
  std::vector<std::string_view> known;
  for (const Claim& claim : table) {
    known.push_back(claim.id);
  }
  for (const std::string& id : ids) {
    if (std::ranges::find(known, id) == known.end()) {
      const auto near = nearest_word(id, known);
      return fail("unknown claim '{}';{} 'weft claims --list' has them all", id,
                  near ? fmt::format(" did you mean '{}'?", *near) : std::string());
    }
  }
  std::vector<Claim> claims;
  for (const Claim& claim : table) {
    if (ids.empty() || std::ranges::find(ids, claim.id) != ids.end()) {
      claims.push_back(claim);
    }
  }
  return claims;
}

Result<std::optional<Comparison>> read_comparison(const std::string& file) {
  if (file.empty()) {
    return std::nullopt;
  }
  const std::string files[] = {file};
  Result<Comparison> comparison = study::report::read_comparison(files);
  if (!comparison) {
    return pass_on(comparison);
  }
  return std::move(*comparison);
}

int list(const std::vector<Claim>& claims) {
  TextTable table({{.least = 24, .spills = 24}, {.least = 10, .spills = 10, .gap = 1}, {.gap = 1, .wraps = true}},
                  terminal_columns(stdout));
  for (const Claim& claim : claims) {
    const char* const how = claim.basis == Basis::kScenario     ? "scenario"
                            : claim.basis == Basis::kComparison ? "comparison"
                                                                : "not yet";
    table.add({std::string(claim.id), how, std::string(claim.statement)});
  }
  fmt::print("{}", table.text());
  return kSuccess;
}

Result<void> write_all(const ClaimsText& text, const std::vector<Judged>& all) {
  if (!text.json.empty()) {
    if (Result<void> written = write_json(text.json, study::claims::claims_json(all)); !written) {
      return written;
    }
  }
  return text.write.empty() ? Result<void>() : write_text(text.write, study::claims::claims_page(all));
}

/// Claim by claim, into `all`; a claim that cannot be judged ends it, since a page with a hole would say nothing of it.
Result<void> judge(const ClaimsText& text, const std::vector<Claim>& claims, ClaimRuns& runs,
                   std::vector<Judged>& all) {
  std::FILE* const stream = text.json == "-" || text.write == "-" ? stderr : stdout;
  for (const Claim& claim : claims) {
    Result<study::claims::Finding> finding = study::claims::measure(claim, runs);
    if (!finding) {
      return pass_on(finding);
    }
    all.push_back({.claim = claim, .finding = std::move(*finding)});
    if (!text.quiet) {
      fmt::print(stream, "{}", study::claims::claim_text(all.back()));
      std::fflush(stream);
    }
  }
  return {};
}

/// What was judged before the end came is kept as JSON; the page wants all claims.
int end_early(const ClaimsText& text, const std::vector<Judged>& all, std::size_t asked, int status) {
  if (text.json.empty()) {
    fmt::print(stderr, "weft claims: {} of {} claims were judged\n", all.size(), asked);
    return status;
  }
  if (Result<void> written = write_json(text.json, study::claims::claims_json(all)); !written) {
    return complain("claims", written.error(), kFault);
  }
  fmt::print(stderr, "weft claims: {} of {} claims were judged; they are in {}\n", all.size(), asked, text.json);
  return status;
}

int run(const ClaimsText& text) {
  if (!text.write.empty() && !text.ids.empty()) {
    return complain("claims", {"--write needs all claims: the page holds every one; leave the names out"}, kUsageError);
  }
  if (text.write == "-" && text.json == "-") {
    return complain("claims", {"--json - and --write - cannot both have standard output"}, kUsageError);
  }
  const Result<std::vector<Claim>> claims = chosen(text.ids);
  if (!claims) {
    return complain("claims", claims.error(), kUsageError);
  }
  if (text.list) {
    return list(*claims);
  }
  const Result<std::optional<Comparison>> comparison = read_comparison(text.comparison);
  if (!comparison) {
    return complain("claims", comparison.error(), kUsageError);
  }
  const auto catalogue =
      study::scenario::Catalogue::load(text.catalogue.empty() ? std::nullopt : std::optional(text.catalogue));
  if (!catalogue) {
    return complain("claims", catalogue.error(), kUsageError);
  }
  for (const std::string& where : {text.json, text.write}) {
    if (Result<void> possible = serves_ranks() ? Result<void>() : check_text_output(where); !possible) {
      return complain("claims", possible.error(), kFault);
    }
  }
  Result<std::optional<RunCache>> cache = text.no_cache ? Result<std::optional<RunCache>>(std::nullopt) : usual_cache();
  if (!cache) {
    return complain("claims", cache.error(), kUsageError);
  }
  catch_interrupts();
  CasePool pool({.command = "claims",
                 .jobs = text.jobs,
                 .quiet = text.quiet,
                 .cache = *std::move(cache),
                 .progress = text.quiet ? ProgressBar::Show::kNever : ProgressBar::Show::kOnTerminal},
                *catalogue);
  ClaimRuns runs({.folder = text.folder, .evidence = serves_ranks() ? std::string() : text.runs}, pool, *catalogue,
                 *comparison ? &**comparison : nullptr);
  if (serves_ranks()) {
    runs.serve();
    return kSuccess;
  }
  std::vector<Judged> all;
  const Result<void> judged = judge(text, *claims, runs, all);
  if (interrupted()) {
    if (pool.keeps()) {
      fmt::print(stderr, "weft claims: interrupted; runs that were complete are kept, and the same command goes on\n");
    }
    return end_early(text, all, claims->size(), kInterrupted);
  }
  if (!judged) {
    return end_early(text, all, claims->size(), complain("claims", judged.error(), kUsageError));
  }
  const Result<void> written = write_all(text, all);
  return written ? kSuccess : complain("claims", written.error(), kFault);
}

}  // namespace

void add_claims_command(CLI::App& app, ClaimsText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("claims", "Industry claims about these networks, judged by simulation");
  command->add_option("CLAIM", text.ids, "Names of claims; default: all");
  command->add_option("--folder", text.folder, "Where their scenarios are, CLAIM.toml each")->capture_default_str();
  command->add_option("--comparison", text.comparison,
                      "Output of 'weft compare --json FILE', for claims on cost and choice");
  command->add_option("--write", text.write, "Write the page on all claims to this file; - = standard output alone");
  command->add_option("--json", text.json, "Write the verdicts as JSON to this file; - = standard output alone");
  command->add_option("--runs", text.runs, "Write the results of each scenario as JSON into this folder");
  command
      ->add_option("--catalogue", text.catalogue,
                   "Folder with entries that are added to the catalogue or replace its own")
      ->envname("WEFT_CATALOGUE");
  command->add_flag("--no-cache", text.no_cache, "Neither use runs that are in the cache nor keep any there");
  command->add_option("-j,--jobs", text.jobs, "Runs at the same time; default: one per core")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  CLI::Option* list =
      command->add_flag("--list", text.list, "List the claims and how each is measured, without running");
  for (const char* const of_a_run : {"CLAIM", "--comparison", "--write", "--json", "--runs"}) {
    list->excludes(of_a_run);
  }
  command->add_flag("-q,--quiet", text.quiet, "No list and no progress");
  command->footer(
      "Exit status: 0 done, whatever the verdicts are; 1 a file cannot be written, 2 wrong input or a "
      "scenario that does not fit its claim, 130 interrupted.");
  command->callback([&text, &exit_status] { exit_status = run(text); });
}

}  // namespace weft::cli
