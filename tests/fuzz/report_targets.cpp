#include <nlohmann/json.hpp>

#include "cli/cluster/merged_title.h"
#include "cli/cluster/shard_result.h"
#include "cli/reports/diff.h"
#include "core/version.h"
#include "tests/fuzz/target.h"
#include "tests/support/temporary_folder.h"

namespace vq::fuzz {
namespace {

using cli::PlannedTitle;

// Of this version, which inputs call "?", and with the id of what precedes it.
std::string with_id(std::string text) {
  constexpr std::string_view kAnyVersion = "\"version\": \"?\"";
  const size_t at = text.find(kAnyVersion);
  if (at != std::string::npos)
    text.replace(at, kAnyVersion.size(), "\"version\": \"" + std::string(version()) + "\"");
  ContentHash hash;
  hash.add(text);
  return text + " \"id\": \"" + hash_text(hash.value()) + "\"}\n";
}

void check_title(const cli::PlanFile& plan, const PlannedTitle& title) {
  for (size_t i = 0; i < title.shards.size(); ++i) {
    require(title.threads >= 1 && title.memory_bytes >= 0 && std::isfinite(work_of(title, i)),
            "a shard needs something");
    const std::string result = shard_path(plan.head(), title, static_cast<int64_t>(i));
    require(result.starts_with(plan.head().results + "/"), "results lie in their folder");
  }
}

void check_plan(const std::string& path) {
  const cli::PlanFile plan(path);
  std::vector<PlannedTitle> titles;
  plan.each_title([&](const PlannedTitle& title) {
    check_title(plan, title);
    titles.push_back(title);
    return true;
  });
  for (const int64_t shard : {int64_t{0}, plan.head().shards - 1}) {
    if (shard < 0 || shard >= plan.head().shards) continue;
    const PlannedTitle found = plan.title_of_shard(shard);
    require(contains(titles, found), "a shard is of a title");
    require(static_cast<uint64_t>(shard - found.first_shard) < found.shards.size(), "a title has the shard");
  }
}

// Merges the only shard of a title that was scored with the features it names, as far as they are known.
void check_merge(const cli::ShardResult& shard, const cli::ShardId& id, std::string_view content) {
  cli::RunOptions arguments;
  for (const auto& [name, options] : shard.facts().report.run.features) {
    for (const FeatureInfo* info : features()) {
      if (info->name == name)
        arguments.features.push_back({.info = info, .options = OptionSet(info->options)});
    }
  }
  if (arguments.features.empty()) return;
  const VideoFormats& formats = shard.findings().formats;
  arguments.distorted = formats.distorted.name;
  if (formats.reference) arguments.reference = formats.reference->name;
  static const test::TemporaryFolder folder;
  cli::PlanHead head;
  head.results = folder.path();
  head.id = id.plan;
  PlannedTitle title;
  title.shards.emplace_back();
  const std::string path = shard_path(head, title, 0);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << content;
  try {
    const cli::MergedTitle merged = merge_title(head, title, arguments);
    for (const cli::ShardGap& gap : merged.gaps) check_message(gap.reason);
    for (const Metric& metric : merged.report.metrics)
      require(metric.values.size() == merged.report.frames.size(), "frames have scores");
  } catch (const Error& error) {
    // Its text may have names of videos, which Messages escapes.
    require(error.kind() != ErrorKind::kInternal, "what does not fit is an error of the user's");
  }
}

}  // namespace

void run_plan(std::span<const uint8_t> bytes) {
  const MemoryFile file(with_id({bytes.begin(), bytes.end()}));
  run_refusable({ErrorKind::kInput}, "a bad plan is an input error", [&] { check_plan(file.path()); });
}

void run_shard(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const size_t end = std::min(text.find('\0'), text.size());
  const cli::ShardId id = {"0123456789abcdef", 0};
  const std::string content =
      cli::shard_file(id, text.substr(0, end), text.substr(std::min(end + 1, text.size())));
  const MemoryFile file(content);
  require(cli::is_whole_result(file.path(), id), "the sum of a shard is that of its bytes");
  run_refusable({ErrorKind::kIncomplete}, "a bad result of a shard makes the merge incomplete", [&] {
    const cli::ShardResult shard(file.path(), id);
    std::vector<FrameResult> results;
    for (size_t i = 0; i < shard.frames(); ++i) {
      shard.frame(i);
      shard.fill(i, results);
    }
    for (size_t i = 0; i < shard.pairs(); ++i) shard.pair(i);
    check_merge(shard, id, content);
  });
}

namespace {

using nlohmann::json;

Report take_report(ByteTaker& taker) {
  Report report;
  report.version = taker.text();
  report.fps = taker.real();
  report.width = taker.integer(0, 16384);
  report.height = taker.integer(0, 16384);
  const int frames = taker.integer(0, 8), metrics = taker.integer(1, 4);
  int64_t number = taker.byte();
  for (int i = 0; i < frames; ++i) {
    report.frames.push_back(number);
    number += 1 + taker.byte();
    const double time = taker.real();
    report.timestamps.push_back((taker.byte() & 1) != 0 ? std::optional(time) : std::nullopt);
  }
  for (int m = 0; m < metrics; ++m) {
    Metric metric{std::to_string(m) + taker.text(), {}};
    for (int i = 0; i < frames; ++i) metric.values.push_back(taker.real());
    report.metrics.push_back(std::move(metric));
  }
  InputFacts input;
  input.role = "distorted";
  input.path = taker.text();
  input.codec = taker.text();
  if ((taker.byte() & 1) != 0) input.frame_rate = taker.real();
  report.run.inputs = {input};
  report.run.arguments = {taker.text(), taker.text()};
  report.run.features = {{"cambi", {{taker.text(), taker.text()}}}};
  report.run.device = taker.text();
  report.run.wall_seconds = taker.real();
  report.run.complete = (taker.byte() & 1) != 0;
  report.run.warnings = {taker.text()};
  if ((taker.byte() & 1) != 0) report.run.scene_cuts = {taker.byte(), 256 + taker.byte()};
  return report;
}

size_t count(const std::string& text, char c) { return static_cast<size_t>(std::ranges::count(text, c)); }

// JSON parses, has every frame, and at full precision every number reads back to the same double.
void check_json(const Report& report, bool extended) {
  const std::string text =
      write_json(report, {.numbers = {NumberStyle::Kind::kShortest, 17}, .extended = extended});
  json document;
  try {
    document = json::parse(text);
  } catch (const json::exception& error) {
    broken_promise(std::string("a report is not JSON: ") + error.what());
  }
  const json& frames = document.at("frames");
  require(frames.size() == report.frames.size(), "JSON has every frame");
  for (size_t i = 0; i < frames.size(); ++i) {
    require(frames[i].at("frameNum") == report.frames[i], "JSON has the frame's number");
    size_t m = 0;
    for (const Metric& metric : report.metrics) m += std::isfinite(metric.values[i]) ? 1 : 0;
    size_t finite = 0;
    for (const auto& [name, value] : frames[i].at("metrics").items()) finite += value.is_number() ? 1 : 0;
    require(finite == m, "JSON has a number for every finite score and null for the others");
  }
  if (report.frames.empty()) return;
  const Report again = parse_report(text, "report.json").report;
  require(again.metrics.size() == report.metrics.size(), "all metrics are read back");
  for (size_t m = 0; m < report.metrics.size(); ++m) {
    for (size_t i = 0; i < report.frames.size(); ++i) {
      const double wrote = report.metrics[m].values[i], read = again.metrics[m].values[i];
      require(std::isfinite(wrote) ? wrote == read : std::isnan(read), "scores are read back as they were");
    }
  }
}

// Every tag is closed, every attribute quoted, no byte out of place.
void check_xml(const std::string& text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '<') {
      require(text[i] == '\n' || text[i] == ' ', "XML has no text between its tags");
      continue;
    }
    const size_t end = text.find('>', i);
    require(end != std::string::npos, "XML tags are closed");
    const std::string tag = text.substr(i + 1, end - i - 1);
    require(tag.find('<') == std::string::npos && count(tag, '"') % 2 == 0, "XML attributes are quoted");
    for (size_t at = tag.find('&'); at != std::string::npos; at = tag.find('&', at + 1))
      require(tag.find(';', at) != std::string::npos && tag.find(';', at) - at <= 5, "XML escapes are whole");
    depth += tag.starts_with('/') ? -1 : tag.ends_with('/') ? 0 : 1;
    require(depth >= 0, "XML tags match");
    i = end;
  }
  require(depth == 0, "XML is closed");
}

// Scenes hold every frame once, in lists of others as well.
void check_scenes(const Report& report) {
  size_t scored = 0;
  for (const Scene& scene : scenes_of(report)) {
    require(scene.begin == scored && scene.first <= scene.last, "scenes leave no gap");
    scored = scene.end;
  }
  if (!has_scenes(report)) return;
  require(scored == report.frames.size(), "scenes have all frames");
  const std::vector<int64_t> cuts =
      cuts_in(report, parse_scene_list(scenes_for_av1an(report), "scenes.json"));
  require(cuts.size() + 1 == scenes_of(report).size(), "a list of scenes is read back");
}

void check_scene_list(const std::string& text) {
  run_refusable({ErrorKind::kInput}, "a bad list of scenes is an input error", [&] {
    const SceneList list = parse_scene_list(text, "scenes");
    require(!list.starts.empty() && std::is_sorted(list.starts.begin(), list.starts.end()), "scenes ascend");
    require(list.starts.front() >= 0, "scenes have frames");
  });
}

}  // namespace

void run_report(std::span<const uint8_t> bytes) {
  ByteTaker taker(bytes);
  const Report report = take_report(taker);
  check_json(report, false);
  check_json(report, true);
  for (const auto kind : {NumberStyle::Kind::kCompatible, NumberStyle::Kind::kSignificant}) {
    const NumberStyle numbers{kind, 6};
    check_xml(write_xml(view_of(report), numbers));
    require(count(write_report(report, {.format = ReportFormat::kSub, .numbers = numbers}), '\n') ==
                report.frames.size(),
            "SUB has a line a frame");
    require(count(write_csv(view_of(report), numbers), ',') >=
                (report.frames.size() + 1) * (report.metrics.size() + 1),
            "CSV has every column");
    require(count(write_plain_csv(report, numbers), '\n') >= report.frames.size() + 1,
            "CSV has a line a frame");
    check_scenes(report);
    require(json::accept(write_json(report, {.numbers = numbers, .extended = true})), "JSON parses");
  }
}

void run_report_text(std::span<const uint8_t> bytes) {
  check_scene_list({bytes.begin(), bytes.end()});
  run_refusable({ErrorKind::kInput}, "a bad report is a bad input", [&] {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const Report report = parse_report(text, "report.json", MissingScores::kKept).report;
    require(!report.frames.empty() && !report.metrics.empty(), "a report has scores");
    for (const Metric& metric : report.metrics)
      require(metric.values.size() == report.frames.size(), "columns are as long as there are frames");
    const cli::DiffResult difference = cli::diff_reports({"a", report}, {"b", report});
    require(!cli::diff_text(difference).empty(), "a comparison says something");
    require(json::accept(write_json(parse_report(text, "report.json").report, {.extended = true})),
            "JSON parses");
  });
}

}  // namespace vq::fuzz
