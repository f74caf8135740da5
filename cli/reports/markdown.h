// Results in Markdown, for the summary of a step in continuous integration.
#pragma once

#include <string>

#include "core/text/text_table.h"
#include "engine/report/report.h"

namespace vq::cli {

// All columns, with a line end after each line.
std::string markdown_table(const TextTable& table);

// "### cambi: FILE", and an empty line.
std::string markdown_heading(const std::string& file);
// A paragraph of plain text.
std::string markdown_paragraph(const std::string& text);

// Of a video that was scored: a heading, the statistics of its metrics and how its thresholds came out.
std::string run_markdown(const std::string& file, const Report& report);

// Of one that was not.
std::string failure_markdown(const std::string& file, const std::string& message);

}  // namespace vq::cli
