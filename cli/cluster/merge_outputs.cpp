#include "cli/cluster/merge_outputs.h"

#include <algorithm>
#include <array>

#include "cli/pages/page_writer.h"
#include "cli/reports/junit.h"
#include "cli/run/run_outputs.h"
#include "core/text/message_text.h"
#include "engine/report/report_writer.h"

namespace vq::cli {
namespace {

void write_one(const Report& report, const ReportStyle& style, OutputFile& file) {
  if (style.format == ReportFormat::kHtml) return file.write(write_page(report, {}, "", style));
  write_report(report, style, [&](std::string_view text) { file.write(text); });
}

}  // namespace

void judge_merged(Report& report, const RunOptions& arguments, const std::optional<Baseline>& baseline) {
  if (baseline) check_baseline(arguments.thresholds, report.metrics, report.run.models, *baseline);
  report.run.thresholds = judge(arguments.thresholds, report, baseline ? &*baseline : nullptr);
  if (!baseline) return;
  for (std::string& remark : remarks_on_baseline(*baseline, report))
    report.run.warnings.push_back(std::move(remark));
}

std::vector<OutputFile> write_merged(const Report& report, const RunOptions& arguments,
                                     Completeness completeness) {
  std::vector<OutputFile> files;
  for (const OutputRequest& request : arguments.outputs) {
    const bool is_whole = completeness == Completeness::kWhole;
    const std::string path = is_whole ? request.path : partial_output(request);
    if (path.empty()) continue;
    write_one(report, report_style(arguments, request), files.emplace_back(path));
  }
  if (arguments.junit && completeness == Completeness::kWhole) {
    files.emplace_back(*arguments.junit)
        .write(junit_xml(std::array{scored_suite(arguments.distorted, report)}));
  }
  commit_outputs(pointers_to(files));
  return files;
}

std::string gaps_text(const PlannedTitle& title, const std::vector<ShardGap>& gaps) {
  using Kind = ShardGap::Kind;
  struct Words {
    Kind kind;
    const char *one, *several;
  };
  constexpr Words kWords[] = {{Kind::kMissing, " is missing", " are missing"},
                              {Kind::kDamaged, " is damaged", " are damaged"},
                              {Kind::kFailed, " failed", " failed"}};
  std::string counts;
  for (const Words& words : kWords) {
    const auto count =
        std::count_if(gaps.begin(), gaps.end(), [&](const ShardGap& gap) { return gap.kind == words.kind; });
    if (count == 0) continue;
    const std::string of_all =
        counts.empty() ? " of " + counted(static_cast<int64_t>(title.shards.size()), "shard") : "";
    counts += (counts.empty() ? "" : ", ") + std::to_string(count) + of_all +
              (count == 1 ? words.one : words.several);
  }
  std::string text =
      shown_path(title.distorted.file.path) + ": " + counts + (gaps.size() == 1 ? ": number " : ": numbers ");
  constexpr size_t kMostGaps = 10;
  for (size_t i = 0; i < std::min(gaps.size(), kMostGaps); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(gaps[i].shard);
    if (gaps[i].kind != Kind::kMissing) text += " (" + gaps[i].reason + ")";
  }
  return text + (gaps.size() > kMostGaps ? ", ..." : "");
}

}  // namespace vq::cli
