// What tests of statistics, rankings and the commands that make them share.
#pragma once

#include <regex>

#include "cli/commands/program.h"
#include "cli/reports/compare.h"
#include "core/elementary.h"
#include "tests/support/run_program.h"

namespace vq::cli {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A run over a whole video with one metric, at 24 frames a second; its size and bit rate are not known.
inline NamedReport run_of(const std::string& name, const std::vector<double>& values,
                          const std::string& metric = "cambi") {
  Report report = sample_report();
  report.frames.clear();
  report.timestamps.clear();
  for (size_t i = 0; i < values.size(); ++i) {
    report.frames.push_back(static_cast<int64_t>(i));
    report.timestamps.push_back(static_cast<double>(i) / 24);
  }
  report.metrics = {{metric, values}};
  InputFacts& video = report.run.inputs[0];
  video.duration = static_cast<double>(values.size()) / *video.frame_rate;
  video.file_bytes.reset();
  video.bit_rate.reset();
  video.bit_rate_of.clear();
  return {name, report};
}

// A file that the program writes, without its version.
inline std::string without_version(const std::string& text) {
  return std::regex_replace(text, std::regex("\"version\": \"[^\"]*\""), "\"version\": \"\"");
}

inline Statistic named(const std::string& word) { return parse_statistic(word, "--by"); }

}  // namespace vq::cli

namespace vq::cli::test {

// Scores videos and reads the report.

// The report, with all digits, of a run that ends well: `words` and `more` are its command line but for
// features, progress and outputs. It runs in this process, as the program takes longer to load its libraries
// than it takes for most videos here, unless another program is tested.
inline json report_of_run(std::vector<std::string> words, const std::vector<std::string>& features,
                          const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/report.json";
  for (const std::string& feature : features) words.insert(words.end(), {"--feature", feature});
  words.insert(words.end(), {"-q", "--precision", "max", "-o", path});
  words.insert(words.end(), more.begin(), more.end());
  if (is_other_program()) {
    run_well(words);
  } else {
    std::string said;
    Messages messages([&](std::string_view text) { said += text; });
    const ExactFloats exact;
    try {
      EXPECT_EQ(run_command("cambi", words, messages), 0) << said;
    } catch (const Error& error) {
      ADD_FAILURE() << said << error.what();
    }
  }
  return json::parse(read_file(path), nullptr, false);
}

// The same of two clips in testdata/clips.
inline json report_of_clips(const std::string& reference, const std::string& distorted,
                            const std::vector<std::string>& features,
                            const std::vector<std::string>& more = {}) {
  // Some of them do not show the same pictures.
  return report_of_run(
      {"-r", testdata("clips/" + reference), "-d", testdata("clips/" + distorted), "--compare-anyway"},
      features, more);
}

// Fails unless a run with both features reports what runs with one each do, and reads back as much as they
// together.
inline void expect_independent(const json& both, const json& one, const json& other) {
  const auto read = [](const json& report) { return report.at("run").at("bytes_read").get<int64_t>(); };
  EXPECT_EQ(read(both), read(one) + read(other));
  ASSERT_EQ(both.at("frames").size(), one.at("frames").size());
  for (size_t i = 0; i < both.at("frames").size(); ++i) {
    json separate = one.at("frames")[i].at("metrics");
    separate.update(other.at("frames")[i].at("metrics"));
    EXPECT_EQ(both.at("frames")[i].at("metrics"), separate);
  }
}

// Fails where more went to the device than each picture once, of so many bytes a frame. Rows are padded.
inline void expect_uploaded_once(const json& run, int64_t frame_bytes) {
  EXPECT_LT(run.at("bytes_uploaded").get<int64_t>(),
            run.at("inputs").at(0).at("frames").get<int64_t>() * frame_bytes * 3 / 2);
}

}  // namespace vq::cli::test
