#include "cli/reports/markdown.h"

#include <utility>

#include "cli/reports/summary.h"
#include "core/text.h"
#include "core/text/message_text.h"
#include "engine/report/threshold.h"

namespace vq::cli {
namespace {

constexpr size_t kMaxText = 2000;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// As text, whatever signs it has: names of files come from anywhere. An underscore within a word needs no
// escape.
std::string plain(const std::string& text) {
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

std::string thresholds_table(const std::vector<ThresholdFacts>& thresholds) {
  constexpr auto kLeft = TextColumn::Align::kLeft;
  TextTable table({{"threshold", kLeft}, {"", kLeft}, {"value", kLeft}});
  for (const ThresholdFacts& threshold : thresholds) {
    table.add({threshold.expression, word_of(threshold), value_words(threshold)});
  }
  return markdown_table(table);
}

}  // namespace

std::string markdown_heading(const std::string& file) {
  return "### cambi: " + plain(file) + "\n\n";
}

std::string markdown_paragraph(const std::string& text) {
  return plain(text) + "\n\n";
}

std::string markdown_table(const TextTable& table) {
  std::string text = "|", rule = "|";
  for (const TextColumn& column : table.columns()) {
    text += " " + plain(column.heading) + " |";
    rule += column.align == TextColumn::Align::kLeft ? " --- |" : " ---: |";
  }
  text += "\n" + rule + "\n";
  for (const std::vector<std::string>& row : table.rows()) {
    text += "|";
    for (const std::string& cell : row) text += " " + plain(cell) + " |";
    text += "\n";
  }
  return text;
}

std::string run_markdown(const std::string& file, const Report& report) {
  std::string text = markdown_heading(file);
  for (const std::string& fault : certain_texts(report.run.pair_faults))
    text += "**Not comparable:** " + plain(fault) + "\n\n";
  std::vector<std::string> lines = purposes(report);
  for (const TextTable& table : statistics_tables(report)) {
    text += markdown_table(table) + "\n";
    for (const std::string& line : std::exchange(lines, {})) text += markdown_paragraph(line + ".");
  }
  if (report.run.subsample > 1)
    text += markdown_paragraph("Of " + sample_text(report.run.subsample, report.run.sample_is_spread) + ".");
  if (!report.run.thresholds.empty()) text += thresholds_table(report.run.thresholds) + "\n";
  return text;
}

std::string failure_markdown(const std::string& file, const std::string& message) {
  return markdown_heading(file) + "**Failed:** " + plain(message) + "\n\n";
}

}  // namespace vq::cli
