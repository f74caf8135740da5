#include "cli/commands/report_command.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/output/output_check.h"
#include "cli/output/output_file.h"
#include "cli/output/output_path.h"
#include "cli/output/standard_streams.h"
#include "cli/output/written_lines.h"
#include "cli/pages/page_assets.h"
#include "cli/pages/page_writer.h"
#include "cli/reports/report_reader.h"
#include "cli/text/message_text.h"
#include "core/error.h"

namespace vq::cli {
namespace {

std::string page_path(const std::string& report) {
  constexpr std::string_view kExtension = ".json";
  if (is_standard_input(report)) return "-";
  const bool named = report.size() > kExtension.size() && report.ends_with(kExtension);
  return (named ? report.substr(0, report.size() - kExtension.size()) : report) + ".html";
}

// Why a page made of a report alone should not replace what is there, in words; empty where nothing is lost.
// `named`: the user gave the name, so that only what a report cannot give back counts.
std::string loss(const std::string& path, bool named) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) == 0) return {};
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string page = std::move(content).str();
  const PageKind kind = page_kind(page);
  if (kind.pictures > 0) {
    return "it shows " + counted(static_cast<int64_t>(kind.pictures), "picture") + ", which a report does not have";
  }
  return named || kind.of_one_run ? "" : "it is no page of a run";
}

}  // namespace

int run_report(const ParsedWords& words, Messages& messages) {
  const std::string& report_path = words.arguments[0];
  const std::string* const named = words.find("--output");
  if (named != nullptr && named->empty()) throw Error(ErrorKind::kUsage, "--output: the path is empty.");
  page_assets();  // before the report is read: not every build has pages
  const std::string output = named == nullptr ? page_path(report_path) : *named;
  if (same_file(output, is_standard_input(report_path) ? "/dev/stdin" : report_path)) {
    throw Error(ErrorKind::kUsage, "the page " + output + " is the same file as the report.");
  }
  check_writable(output);
  if (const std::string why = words.find("--force") != nullptr ? "" : loss(output, named != nullptr); !why.empty()) {
    throw Error(ErrorKind::kOutput, shown_path(output) + " exists, and " + why +
                                        ". Give another name with -o, or --force to replace it.");
  }
  const ScoreTable table = read_report(report_path);
  const bool has_inputs = table.run && !table.run->inputs.empty();
  const std::string page = write_page(to_report(table), {}, has_inputs ? "" : report_path, style_of(table));
  tell_written("wrote", write_outputs({{output, page}}), messages);
  return 0;
}

}  // namespace vq::cli
