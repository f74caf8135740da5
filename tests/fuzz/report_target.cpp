#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/reports/diff.h"
#include "core/error.h"
#include "engine/report/report_reader.h"
#include "engine/report/report_writer.h"
#include "engine/report/scenes.h"
#include "tests/fuzz/target.h"

namespace vq::fuzz {
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

size_t count(const std::string& text, char c) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), c));
}

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
  const ScoreTable table = parse_report(text, "report.json");
  require(table.columns.size() == report.metrics.size(), "all metrics are read back");
  for (size_t m = 0; m < report.metrics.size(); ++m) {
    for (size_t i = 0; i < report.frames.size(); ++i) {
      const double wrote = report.metrics[m].values[i], read = table.columns[m].values[i].value();
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
  try {
    const SceneList list = parse_scene_list(text, "scenes");
    require(!list.starts.empty() && std::is_sorted(list.starts.begin(), list.starts.end()), "scenes ascend");
    require(list.starts.front() >= 0, "scenes have frames");
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kInput, "a bad list of scenes is an input error");
    check_message(error.what());
  }
}

}  // namespace

void run_report(std::span<const uint8_t> bytes) {
  ByteTaker taker(bytes);
  const Report report = take_report(taker);
  check_json(report, false);
  check_json(report, true);
  for (const auto kind : {NumberStyle::Kind::kCompatible, NumberStyle::Kind::kSignificant}) {
    const NumberStyle numbers{kind, 6};
    check_xml(write_xml(report, numbers));
    require(count(write_sub(report, numbers), '\n') == report.frames.size(), "SUB has a line a frame");
    require(
        count(write_csv(report, numbers), ',') >= (report.frames.size() + 1) * (report.metrics.size() + 1),
        "CSV has every column");
    require(count(write_plain_csv(report, numbers), '\n') >= report.frames.size() + 1,
            "CSV has a line a frame");
    check_scenes(report);
    require(json::accept(write_json(report, {.numbers = numbers, .extended = true})), "JSON parses");
  }
}

void run_report_text(std::span<const uint8_t> bytes) {
  check_scene_list({bytes.begin(), bytes.end()});
  try {
    const ScoreTable table =
        parse_report({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "report.json");
    require(!table.frames.empty() && !table.columns.empty(), "a report has scores");
    for (const ScoreColumn& column : table.columns)
      require(column.values.size() == table.frames.size(), "columns are as long as there are frames");
    const cli::DiffResult difference = cli::diff_reports(table, table);
    require(!cli::diff_text(difference).empty(), "a comparison says something");
    require(json::accept(write_json(to_report(table), {.extended = true})), "JSON parses");
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kInput, "a bad report is a bad input");
    check_message(error.what());
  }
}

}  // namespace vq::fuzz
