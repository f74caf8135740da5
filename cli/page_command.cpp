#include <CLI/CLI.hpp>

#include "cli/byte_source.h"
#include "cli/flag_parser.h"
#include "cli/output_file.h"
#include "cli/page_assets.h"
#include "cli/page_writer.h"
#include "cli/report_reader.h"
#include "cli/subcommand.h"
#include "core/error.h"

namespace vq::cli {
namespace {

std::string page_path(const std::string& report) {
  constexpr std::string_view kExtension = ".json";
  if (is_standard_input(report)) return "-";
  const bool named = report.size() > kExtension.size() && report.ends_with(kExtension);
  return (named ? report.substr(0, report.size() - kExtension.size()) : report) + ".html";
}

}  // namespace

int run_report(const std::vector<std::string>& words, Messages&) {
  CLI::App app("Makes the page of a saved JSON report, best of one written with --extended.", "cambi report");
  app.set_help_flag("--help", "print this help and exit");
  std::string report_path, output;
  app.add_option("RUN.json", report_path, "a JSON report; - is standard input")->type_name("")->required();
  app.add_option("--output,-o", output, "the page; - is standard output; default: RUN.html")
      ->type_name("FILE");
  if (words.empty()) refuse_bare(app.help(), "report needs a JSON report.");
  if (const auto help = parse_flags(app, words)) {
    write_stdout(*help);
    return 0;
  }
  page_assets();  // before the report is read: not every build has pages
  if (output.empty()) output = page_path(report_path);
  if (same_file(output, is_standard_input(report_path) ? "/dev/stdin" : report_path)) {
    throw Error(ErrorKind::kUsage, "the page " + output + " is the same file as the report.");
  }
  check_writable(output);
  const ScoreTable table = read_report(report_path);
  const bool has_inputs = table.run && !table.run->inputs.empty();
  write_outputs({{output, write_page(to_report(table), {}, has_inputs ? "" : report_path, style_of(table))}});
  return 0;
}

}  // namespace vq::cli
