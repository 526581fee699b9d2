// `weft catalogue [NAME...]`: lists the kinds and entries of the catalogue, or prints an entry with the mark and the
// source of every value.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace weft::cli {

struct CatalogueText {
  std::vector<std::string> name{};  // "tomahawk-5"; "switch", "tomahawk-5"; empty: all
  std::string folder{};
  bool json = false;
};

/// Adds the subcommand, which writes into `text` while `app` parses, and then runs; both must outlive that.
void add_catalogue_command(CLI::App& app, CatalogueText& text, int& exit_status);

}  // namespace weft::cli
