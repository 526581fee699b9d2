#include "cli/catalogue_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "base/text_lines.h"
#include "base/text_table.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/terminal.h"
#include "study/scenario/catalogue_listing.h"

namespace weft::cli {
namespace {

using CatalogueJson = nlohmann::ordered_json;
using study::scenario::CatalogueListing;
using study::scenario::ListedEntry;
using study::scenario::ListedParameter;

constexpr std::size_t kPageColumns = 100;

std::size_t page_columns() { return terminal_columns(stdout).value_or(kPageColumns); }

void print_heading(std::string_view text) {
  fmt::print("{}\n", toned(terminal_text(text), Tone::kHeading, colour_of(stdout)));
}

void print_lines(const std::string& text, std::size_t margin) {
  fmt::print("{}", terminal_text(paragraph(text, {.first = margin, .rest = margin, .columns = page_columns()}),
                                 LineBreaks::kKept));
}

void print_kinds(const CatalogueListing& listing) {
  bool first = true;
  for (const std::string& kind : listing.kinds()) {
    std::vector<std::string> names;
    for (const ListedEntry* entry : listing.of_kind(kind)) {
      names.push_back(entry->name);
    }
    fmt::print("{}", first ? "" : "\n");
    first = false;
    print_heading(fmt::format("{}: {}", kind, study::scenario::about_kind(kind)));
    print_lines(fmt::format("{}", fmt::join(names, ", ")), 2);
  }
  fmt::print(
      "\n'weft catalogue KIND' says what the entries of a kind are, 'weft catalogue NAME' every value of an entry.\n");
}

void print_kind(const CatalogueListing& listing, const std::string& kind) {
  print_heading(fmt::format("{}: {}", kind, study::scenario::about_kind(kind)));
  TextTable table({{}, {.wraps = true}}, terminal_columns(stdout));
  for (const ListedEntry* entry : listing.of_kind(kind)) {
    table.add({"  " + entry->name, entry->about.empty() ? entry->stands_for : entry->about});
  }
  fmt::print("{}", terminal_text(table.text(), LineBreaks::kKept));
}

void print_entry_of(const ListedEntry& entry) {
  print_heading(fmt::format("{} {}", entry.kind, entry.name));
  const auto say = [](std::string_view label, const std::string& text) {
    if (!text.empty()) {
      print_lines(label.empty() ? text : fmt::format("{}: {}", label, text), 2);
    }
  };
  say("", entry.about);
  say("stands for", entry.stands_for);
  say("needs of NICs", entry.needs_of_nic);
  say("needs of switches", entry.needs_of_switch);
  say("families", fmt::format("{}", fmt::join(entry.families, ", ")));
  say("from", entry.place);
  fmt::print("\n");
  TextTable table({{.heading = "  key"},
                   {.heading = "value", .most = 48, .wraps = true},
                   {.heading = "mark"},
                   {.heading = "source", .wraps = true, .rank = 1}},
                  terminal_columns(stdout));
  for (const ListedParameter& value : entry.values) {
    table.add({"  " + value.key, value.value, std::string(to_string(value.mark)), value.source});
  }
  fmt::print("{}", entry.values.empty() ? "  (no values)\n" : terminal_text(table.text(), LineBreaks::kKept));
}

CatalogueJson entry_json(const ListedEntry& entry) {
  CatalogueJson json{{"kind", entry.kind}, {"name", entry.name}, {"about", entry.about}, {"place", entry.place}};
  if (!entry.families.empty()) {
    json["families"] = entry.families;
  }
  const std::pair<const char*, const std::string*> texts[] = {{"stands_for", &entry.stands_for},
                                                              {"needs_of_nic", &entry.needs_of_nic},
                                                              {"needs_of_switch", &entry.needs_of_switch}};
  for (const auto& [name, text] : texts) {
    if (!text->empty()) {
      json[name] = *text;
    }
  }
  json["values"] = CatalogueJson::array();
  for (const ListedParameter& value : entry.values) {
    json["values"].push_back(
        {{"key", value.key}, {"value", value.value}, {"mark", to_string(value.mark)}, {"source", value.source}});
  }
  return json;
}

void print_json(const std::vector<const ListedEntry*>& entries) {
  CatalogueJson json{{"format", "weft-catalogue"}, {"format_version", 1}, {"entries", CatalogueJson::array()}};
  for (const ListedEntry* entry : entries) {
    json["entries"].push_back(entry_json(*entry));
  }
  fmt::print("{}\n", json.dump(2, ' ', false, CatalogueJson::error_handler_t::replace));
}

std::vector<const ListedEntry*> all_of(const CatalogueListing& listing) {
  std::vector<const ListedEntry*> all;
  for (const ListedEntry& entry : listing.entries()) {
    all.push_back(&entry);
  }
  return all;
}

/// A kind that is also an entry's name is the kind: "KIND/NAME" names the entry.
int run_catalogue(const CatalogueText& text) {
  const auto listing =
      CatalogueListing::load(text.folder.empty() ? std::nullopt : std::optional<std::string>(text.folder));
  if (!listing) {
    return complain("catalogue", listing.error(), kUsageError);
  }
  const std::string name = fmt::format("{}", fmt::join(text.name, " "));
  if (name.empty()) {
    text.json ? print_json(all_of(*listing)) : print_kinds(*listing);
    return kSuccess;
  }
  if (const auto kind = listing->of_kind(name); !kind.empty()) {
    text.json ? print_json(kind) : print_kind(*listing, name);
    return kSuccess;
  }
  const auto found = listing->find(name);
  if (!found) {
    return complain("catalogue", found.error(), kUsageError);
  }
  if (text.json) {
    print_json(*found);
    return kSuccess;
  }
  for (const ListedEntry* entry : *found) {
    fmt::print("{}", entry == found->front() ? "" : "\n");
    print_entry_of(*entry);
  }
  return kSuccess;
}

}  // namespace

void add_catalogue_command(CLI::App& app, CatalogueText& text, int& exit_status) {
  CLI::App* command =
      app.add_subcommand("catalogue", "List devices, protocols, models and GPUs; every value with its source");
  command->add_option("NAME", text.name, "A kind, an entry, or KIND/ENTRY; none: all kinds and entries")
      ->expected(0, 2);
  command
      ->add_option("--catalogue", text.folder, "Folder with entries that are added to the catalogue or replace its own")
      ->envname("WEFT_CATALOGUE");
  command->add_flag("--json", text.json, "Entries with every value as JSON");
  command->footer("Exit status: 0 printed, 1 it cannot be written, 2 there is no such entry, or a file is wrong.");
  command->callback([&text, &exit_status] { exit_status = run_catalogue(text); });
}

}  // namespace weft::cli
