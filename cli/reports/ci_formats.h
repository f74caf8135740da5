// Results as JUnit XML, which GitLab, Jenkins, GitHub's actions and others show as tests: a suite for each
// file, in it a case for the scoring and one for each threshold.
#pragma once

#include "core/number_text.h"
#include "core/text_table.h"
#include "engine/report/report.h"

namespace vq::cli {

struct JunitCase {
  enum class Outcome { kPassed, kFailed, kError, kSkipped };
  std::string name;  // unique in its suite, and the same from run to run
  Outcome outcome = Outcome::kPassed;
  std::string message = {};  // of a failure or an error, on one line
};

struct JunitSuite {
  std::string name;  // the file, as the user gave it
  double seconds = 0;
  std::vector<JunitCase> cases;
  std::vector<std::string> remarks = {};  // lines of its output, such as warnings
};

// The document. Characters that XML cannot have appear as printable() shows them.
std::string junit_xml(std::span<const JunitSuite> suites);

// The suite of a file that was scored. Thresholds that were not judged are errors.
JunitSuite scored_suite(const std::string& file, const RunOutcome& run);

// The suite of a file whose run failed with this message. `expressions` are the thresholds, none of which was
// judged.
JunitSuite failed_suite(const std::string& file, const std::string& message,
                        std::span<const std::string> expressions);

// The suite of a video that does not fit its reference, which is a case of its own in the suite.
JunitSuite unfit_suite(const std::string& file, const std::string& message,
                       std::span<const std::string> expressions);

// Results in Markdown, for the summary of a step in continuous integration.

// The table with all columns, and a line end after each line.
std::string markdown_table(const TextTable& table);

// "### cambi: FILE", and an empty line.
std::string markdown_heading(const std::string& file);
// A paragraph of plain text.
std::string markdown_paragraph(const std::string& text);

// For a video that was scored: a heading, the statistics of its metrics and how its thresholds came out.
std::string run_markdown(const std::string& file, const Report& report);

// For a video that was not scored.
std::string failure_markdown(const std::string& file, const std::string& message);

// Lines of CSV files.

// The fields as a line, with its end.
std::string csv_line(std::span<const std::string> fields);
// A field for the number; empty if there is none.
std::string number_or_empty(std::optional<int64_t> value);
std::string number_or_empty(std::optional<double> value, const NumberStyle& style);

}  // namespace vq::cli
