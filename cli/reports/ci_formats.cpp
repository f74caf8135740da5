#include "cli/reports/ci_formats.h"

#include <cmath>

#include "cli/reports/summary.h"
#include "core/text.h"
#include "engine/report/threshold.h"

namespace vq::cli {

using Outcome = JunitCase::Outcome;

constexpr int kSecondsDecimals = 3;
constexpr const char* kScoring = "scoring";
constexpr const char* kPair = "pair";  // whether the two videos can be compared

// The totals of suites as attributes.
static std::string attributes_of(std::span<const JunitSuite> suites) {
  double seconds = 0;
  int64_t tests = 0, failures = 0, errors = 0;
  for (const JunitSuite& suite : suites) {
    seconds += suite.seconds;
    tests += std::ssize(suite.cases);
    failures += std::ranges::count(suite.cases, Outcome::kFailed, &JunitCase::outcome);
    errors += std::ranges::count(suite.cases, Outcome::kError, &JunitCase::outcome);
  }
  return xml_attribute("tests", std::to_string(tests)) + xml_attribute("failures", std::to_string(failures)) +
         xml_attribute("errors", std::to_string(errors)) +
         xml_attribute("time", fixed_text(seconds, kSecondsDecimals));
}

// The element of a failed case. Some readers show the attribute, others the text.
static std::string outcome_element(const JunitCase& one) {
  if (one.outcome == Outcome::kSkipped) return "      <skipped />\n";
  const bool failed = one.outcome == Outcome::kFailed;
  const std::string tag = failed ? "failure" : "error", message = xml_escaped(one.message);
  return "      <" + tag + xml_attribute("message", message) +
         xml_attribute("type", one.name == kPair ? kPair
                               : failed          ? "threshold"
                                                 : "run") +
         ">" + message + "</" + tag + ">\n";
}

static std::string output_element(const std::vector<std::string>& remarks) {
  if (remarks.empty()) return {};
  std::string text = "    <system-out>";
  for (const std::string& remark : remarks) text += xml_escaped(remark) + "\n";
  return text + "</system-out>\n";
}

// The first case takes the time of its suite, for the others cost nothing.
static std::string case_element(const JunitCase& one, const JunitSuite& suite) {
  const double seconds = &one == &suite.cases.front() ? suite.seconds : 0;
  std::string text = words("    <testcase{}{}{}", xml_attribute("name", xml_escaped(one.name)),
                           xml_attribute("classname", xml_escaped(suite.name)),
                           xml_attribute("time", fixed_text(seconds, kSecondsDecimals)));
  if (one.outcome == Outcome::kPassed) return text + " />\n";
  return words("{}>\n{}    </testcase>\n", text, outcome_element(one));
}

// Empty if it is kept.
static std::string message_of(const ThresholdFacts& threshold, const std::vector<PairFault>& faults) {
  if (threshold.judged) return threshold.crossed ? threshold_text(threshold) : "";
  const std::vector<std::string> why = certain_texts(faults);  // none: those of the baseline do not fit
  return words("not judged: {}{}", threshold_text(threshold), why.empty() ? "" : ". " + why.front());
}

std::string junit_xml(std::span<const JunitSuite> suites) {
  std::string body;
  for (const JunitSuite& suite : suites) {
    // Not of all suites: Jenkins validates, and knows no such attribute there.
    const auto skipped = std::ranges::count(suite.cases, Outcome::kSkipped, &JunitCase::outcome);
    body += words("  <testsuite{}{}{}>\n", xml_attribute("name", xml_escaped(suite.name)),
                  attributes_of({&suite, 1}), xml_attribute("skipped", std::to_string(skipped)));
    for (const JunitCase& one : suite.cases) body += case_element(one, suite);
    body += output_element(suite.remarks);
    body += "  </testsuite>\n";
  }
  return words("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites{}{}>\n{}</testsuites>\n",
               xml_attribute("name", "cambi"), attributes_of(suites), body);
}

JunitSuite scored_suite(const std::string& file, const RunOutcome& run) {
  JunitSuite suite{.name = file, .seconds = run.wall_seconds, .cases = {{.name = kScoring}}};
  for (const std::string& warning : run.warnings) suite.remarks.push_back("warning: " + warning);
  for (const ThresholdFacts& threshold : run.thresholds) {
    suite.cases.push_back({.name = threshold.expression,
                           .outcome = !threshold.judged   ? Outcome::kError
                                      : threshold.crossed ? Outcome::kFailed
                                                          : Outcome::kPassed,
                           .message = message_of(threshold, run.pair_faults)});
  }
  return suite;
}

JunitSuite failed_suite(const std::string& file, const std::string& message,
                        std::span<const std::string> expressions) {
  JunitSuite suite{.name = file,
                   .seconds = 0,
                   .cases = {{.name = kScoring, .outcome = Outcome::kError, .message = message}}};
  for (const std::string& expression : expressions) {
    suite.cases.push_back({.name = expression, .outcome = Outcome::kSkipped, .message = {}});
  }
  return suite;
}

JunitSuite unfit_suite(const std::string& file, const std::string& message,
                       std::span<const std::string> expressions) {
  JunitSuite suite = failed_suite(file, "", expressions);
  suite.cases.front() = {.name = kScoring, .outcome = Outcome::kSkipped, .message = {}};
  suite.cases.insert(suite.cases.begin(), {.name = kPair, .outcome = Outcome::kFailed, .message = message});
  return suite;
}

constexpr size_t kMaxText = 2000;

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// As text, whatever signs it has: names of files come from anywhere. An underscore within a word needs no
// escape.
static std::string plain(const std::string& text) {
  const std::string line = printable(text, kMaxText);
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool within = i > 0 && i + 1 < line.size() && is_word(line[i - 1]) && is_word(line[i + 1]);
    const bool is_sign =
        c == '_' ? !within : std::string_view("\\`*[]<|~&").find(c) != std::string_view::npos;
    if (is_sign) out += '\\';
    out += c;
  }
  return out;
}

static std::string thresholds_table(const std::vector<ThresholdFacts>& thresholds) {
  TextTable table({{"threshold", kFlushLeft}, {"", kFlushLeft}, {"value", kFlushLeft}});
  for (const ThresholdFacts& threshold : thresholds) {
    table.add({threshold.expression, word_of(threshold), value_words(threshold)});
  }
  return markdown_table(table);
}

std::string markdown_heading(const std::string& file) { return words("### cambi: {}\n\n", plain(file)); }

std::string markdown_paragraph(const std::string& text) { return plain(text) + "\n\n"; }

std::string markdown_table(const TextTable& table) {
  std::string text = "|", rule = "|";
  for (const TextColumn& column : table.columns()) {
    text += words(" {} |", plain(column.heading));
    rule += column.align == kFlushLeft ? " --- |" : " ---: |";
  }
  text += words("\n{}\n", rule);
  for (const std::vector<std::string>& row : table.rows()) {
    text += "|";
    for (const std::string& cell : row) text += words(" {} |", plain(cell));
    text += "\n";
  }
  return text;
}

std::string run_markdown(const std::string& file, const Report& report) {
  std::string text = markdown_heading(file);
  for (const std::string& fault : certain_texts(report.run.pair_faults))
    text += words("**Not comparable:** {}\n\n", plain(fault));
  std::vector<std::string> lines = purposes(report);
  if (is_sample(report))
    text +=
        markdown_table(intervals_table(report)) + "\n" + markdown_paragraph(sample_sentence(report) + ".");
  for (const TextTable& table : is_sample(report) ? std::vector<TextTable>() : statistics_tables(report)) {
    text += markdown_table(table) + "\n";
    for (const std::string& line : std::exchange(lines, {})) text += markdown_paragraph(line + ".");
  }
  if (report.run.subsample > 1)
    text += markdown_paragraph("Of " + sample_text(report.run.subsample, report.run.sample_is_spread) + ".");
  if (!report.run.thresholds.empty()) text += thresholds_table(report.run.thresholds) + "\n";
  return text;
}

std::string failure_markdown(const std::string& file, const std::string& message) {
  return words("{}**Failed:** {}\n\n", markdown_heading(file), plain(message));
}

std::string csv_line(std::span<const std::string> fields) { return join(fields, ",", csv_field) + "\n"; }

std::string number_or_empty(std::optional<int64_t> value) { return value ? std::to_string(*value) : ""; }

std::string number_or_empty(std::optional<double> value, const NumberStyle& style) {
  return value && !std::isnan(*value) ? number_text(*value, style) : "";
}

}  // namespace vq::cli
