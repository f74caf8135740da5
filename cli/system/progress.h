// Progress of a run, as it is shown.
#pragma once

#include "cli/system/messages.h"
#include "core/metric.h"

namespace vq::cli {

// The width of the terminal on standard error in columns; 80 if that is unknown.
int terminal_width();
// Width of the terminal on standard output; 0 if it is none.
size_t stdout_width();
// Monotone seconds.
double seconds_now();

// Where time comes from and lines go to; injected so that tests need neither a clock nor a terminal.
struct ProgressPort {
  std::function<double()> seconds = seconds_now;               // monotone
  std::function<void(std::string_view)> write = write_stderr;  // must not throw; write errors are ignored
  std::function<int()> width = terminal_width;
};

// A piece of the line. Where the line is too long, pieces of the highest `rank` go first.
struct StatusPart {
  std::string text;
  int rank = 0;
  bool highlighted = false;
};
inline constexpr int kPercentRank = 1;  // of the piece that the bar stands behind

struct StatusStyle {
  bool colour = false;
  bool can_erase = false;  // the terminal knows how to erase the rest of a line
};

// One line of a terminal that is redrawn in place. Not for several threads at once.
class StatusLine {
 public:
  // The port outlives this.
  StatusLine(const ProgressPort& port, StatusStyle style) : port_(port), style_(style) {}
  ~StatusLine();  // clear()
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Needs: a part. With a percentage there is a bar if there is room.
  void draw(std::vector<StatusPart> parts, std::optional<double> percent);
  // Erases it, so that something else can be written there.
  void clear();

 private:
  size_t bar_columns(size_t room);

  const ProgressPort& port_;
  const StatusStyle style_;
  size_t drawn_columns_ = 0, bar_columns_ = 0;
  int width_ = 0;  // of the terminal when the bar was drawn
};

// The parts as a line of a log.
std::string plain_line(const std::vector<StatusPart>& parts);

// A number of a JSON line; null if there is none, or it is not finite.
std::string json_number(std::optional<double> value, int decimals);

// h:mm:ss, or m:ss below an hour.
std::string duration_text(double seconds);

enum class ProgressForm {
  kAuto,   // kBar on a terminal, else kPlain
  kBar,    // one line that is redrawn in place and erased at the end
  kPlain,  // a line every ten seconds
  kJson,   // one JSON object a line, for programs: see docs/report.md
  kNone,
};

// "auto", "bar", "plain", "json", "none"; nothing for another word.
std::optional<ProgressForm> parse_progress_form(std::string_view word);

// Never kAuto. A form that was asked for wins over quiet.
ProgressForm resolve_progress_form(ProgressForm form, bool is_terminal, bool is_quiet);

// Whether to colour what goes to a terminal: not under NO_COLOR (`no_color` is its value or null; an empty
// one does not count) nor on a terminal called "dumb".
bool wants_colour(bool is_terminal, const char* no_color, const char* term);

struct ProgressSettings {
  ProgressForm form = ProgressForm::kNone;  // resolved
  std::optional<int64_t> total = {};        // frames to score, if known
  bool colour = false;
  bool can_erase = false;  // the terminal knows how to erase the rest of a line
  std::string label = {};  // what is being scored, if it is one of several; empty: not shown
  MetricInfo metric = {};  // whose scores are shown
};

// How far work is, and how fast it goes.
struct Pace {
  double elapsed = 0;  // seconds
  std::optional<double> percent = {}, fps = {}, seconds_left = {};
};

// Shows the progress of work in one of the forms. Not for several threads at once.
class ShownProgress {
 public:
  // Takes the bar away so that a message can be written; the next frame that is due draws it again.
  void clear() { line_.clear(); }

 protected:
  ShownProgress(const ProgressSettings& settings, ProgressPort port);
  ~ShownProgress() = default;
  // Time counts from here on.
  void begin();
  // Draws, at most ten times a second.
  void show();
  double elapsed() const { return port_.seconds() - start_; }
  virtual Pace pace() const = 0;
  virtual std::vector<StatusPart> parts(const Pace& pace) const = 0;
  virtual std::string json_line(const Pace& pace) const = 0;

  const ProgressForm form_;
  const ProgressPort port_;

 private:
  double start_ = 0, next_draw_ = 0;
  StatusLine line_;
};

// The bar goes with it.
class Progress final : public ShownProgress {
 public:
  // Lines of `messages`, if given, take the bar away for as long as this lives; they outlive it.
  Progress(ProgressSettings settings, ProgressPort port = {}, Messages* messages = nullptr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more frame is scored; `score` is that of the first metric.
  void frame(double score);
  // All frames follow, from the first; what was counted so far does not count any more.
  void begin_again(std::optional<int64_t> total);
  // The run is over, as it is at the latest when this goes: erases the bar, or writes the last JSON object.
  // Later frames are ignored.
  void finish();

 private:
  Pace pace() const override;
  std::vector<StatusPart> parts(const Pace& pace) const override;
  std::string json_line(const Pace& pace) const override;

  ProgressSettings settings_;
  Messages* const messages_;
  int64_t frames_ = 0;
  double score_ = 0, sum_ = 0, min_ = 0, max_ = 0;
  bool finished_ = false;
};

// Progress of work that begins when all frames are scored. Not for several threads at once.
class StepProgress {
 public:
  // Needs: the form is resolved.
  StepProgress(ProgressSettings settings, ProgressPort port = {});

  // "making 6 pictures  2/6". The bar is erased after the last; there is a plain line when the work begins
  // and another every ten seconds; JSON, which is about frames, has nothing.
  void step(const std::string& noun, size_t done, size_t all);

 private:
  const ProgressSettings settings_;
  const ProgressPort port_;
  double next_line_ = 0;
  StatusLine line_;
};

}  // namespace vq::cli
