// What is shown while a run goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/system/messages.h"
#include "cli/system/status_line.h"
#include "core/metric_info.h"

namespace vq::cli {

enum class ProgressForm {
  kAuto,   // kBar on a terminal, else kPlain
  kBar,    // one line that is redrawn in place and erased at the end
  kPlain,  // a line every ten seconds
  kJson,   // one JSON object a line, for programs: see docs/report.md
  kNone,
};

// Between two updates: of the line that is redrawn, and of plain lines.
inline constexpr double kDrawSeconds = 0.1;
inline constexpr double kPlainSeconds = 10;

// "auto", "bar", "plain", "json", "none"; nothing for another word.
std::optional<ProgressForm> parse_progress_form(std::string_view word);

// Never kAuto. A form that was asked for wins over quiet.
ProgressForm resolve_progress_form(ProgressForm form, bool is_terminal, bool is_quiet);

// Whether to colour what goes to a terminal: not under NO_COLOR (`no_color` is its value or null; an empty
// one does not count) nor on a terminal called "dumb".
bool wants_colour(bool is_terminal, const char* no_color, const char* term);

// The width of the terminal on standard error in columns; 80 where that is unknown.
int terminal_width();
// That of the terminal on standard output; 0 where it is none.
size_t stdout_width();

struct ProgressSettings {
  ProgressForm form = ProgressForm::kNone;  // resolved
  std::optional<int64_t> total = {};        // frames to score, where known
  bool colour = false;
  bool can_erase = false;  // the terminal knows how to erase the rest of a line
  std::string label = {};  // what is being scored, where it is one of several; empty: not shown
  MetricInfo metric = {};  // whose scores are shown
};

// Not for several threads at once. The bar goes with it.
class Progress {
 public:
  // Lines of `messages`, if given, take the bar away for as long as this lives; they outlive it.
  Progress(ProgressSettings settings, ProgressPort port, Messages* messages = nullptr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more frame is scored; `score` is that of the first metric. Draws at most ten times a second.
  void frame(double score);
  // Takes the bar away so that a message can be written; the next frame that is due draws it again.
  void clear();
  // The run is over: erases the bar, or writes the last JSON object. Later frames are ignored.
  void finish();

 private:
  double elapsed() const { return port_.seconds() - start_; }
  std::string json_line(double elapsed) const;
  std::vector<StatusPart> parts(double elapsed) const;

  const ProgressSettings settings_;
  const ProgressPort port_;
  Messages* const messages_;
  const double start_;
  double next_draw_;
  int64_t frames_ = 0;
  double score_ = 0, sum_ = 0, min_ = 0, max_ = 0;
  StatusLine line_;
  bool finished_ = false;
};

// What is shown of work that begins when all frames are scored. Not for several threads at once.
class StepProgress {
 public:
  // Needs: the form is resolved.
  StepProgress(ProgressSettings settings, ProgressPort port);

  // "making 6 pictures  2/6". The bar is erased after the last; there is a plain line when the work begins
  // and another every ten seconds; JSON, which is about frames, has nothing.
  void step(const std::string& noun, size_t done, size_t all);

 private:
  const ProgressSettings settings_;
  const ProgressPort port_;
  double next_line_ = 0;
  StatusLine line_;
};

// Monotone seconds.
double seconds_now();

}  // namespace vq::cli
