#include "cli/system/progress.h"

#include <unistd.h>

#include "core/number_text.h"
#include "core/text.h"
#include "core/text_table.h"
#include "engine/report/json_values.h"

namespace vq::cli {

constexpr int kUsualWidth = 80;
constexpr int kScoreDecimals = 2;  // all parts and a bar fit 80 columns
// Between two updates: of the line that is redrawn, and of plain lines.
constexpr double kDrawSeconds = 0.1, kPlainSeconds = 10;

std::optional<ProgressForm> parse_progress_form(std::string_view word) {
  constexpr std::string_view kWords[] = {"auto", "bar", "plain", "json", "none"};  // in the forms' order
  const auto found = std::ranges::find(kWords, word);
  if (found == std::end(kWords)) return std::nullopt;
  return static_cast<ProgressForm>(found - std::begin(kWords));
}

ProgressForm resolve_progress_form(ProgressForm form, bool is_terminal, bool is_quiet) {
  if (form != ProgressForm::kAuto) return form;
  if (is_quiet) return ProgressForm::kNone;
  return is_terminal ? ProgressForm::kBar : ProgressForm::kPlain;
}

bool wants_colour(bool is_terminal, const char* no_color, const char* term) {
  if (no_color && *no_color != '\0') return false;
  return is_terminal && !(term && std::string_view(term) == "dumb");
}

int terminal_width() {
  const int columns = terminal_columns(STDERR_FILENO);
  return columns > 0 ? columns : kUsualWidth;
}

size_t stdout_width() { return static_cast<size_t>(terminal_columns(STDOUT_FILENO)); }

ShownProgress::ShownProgress(const ProgressSettings& settings, ProgressPort port)
    : form_(settings.form), port_(std::move(port)), line_(port_, {settings.colour, settings.can_erase}) {
  begin();
}

void ShownProgress::begin() {
  start_ = port_.seconds();
  next_draw_ = form_ == ProgressForm::kPlain ? kPlainSeconds : 0;
}

void ShownProgress::show() {
  if (form_ == ProgressForm::kNone || elapsed() < next_draw_) return;
  const Pace now = pace();
  if (form_ == ProgressForm::kBar) line_.draw(parts(now), now.percent);
  if (form_ == ProgressForm::kPlain) port_.write(plain_line(parts(now)));
  if (form_ == ProgressForm::kJson) port_.write(json_line(now));
  next_draw_ = now.elapsed + (form_ == ProgressForm::kPlain ? kPlainSeconds : kDrawSeconds);
}

Progress::Progress(ProgressSettings settings, ProgressPort port, Messages* messages)
    : ShownProgress(settings, std::move(port)), settings_(std::move(settings)), messages_(messages) {
  if (messages_ != nullptr) messages_->before_lines([this] { clear(); });
}

Progress::~Progress() {
  try {
    finish();
  } catch (const std::exception&) {  // there is no memory for a last line
  }
  if (messages_ != nullptr) messages_->before_lines({});
}

void Progress::frame(double score) {
  if (form_ == ProgressForm::kNone || finished_) return;
  min_ = frames_ == 0 ? score : std::min(min_, score);
  max_ = frames_ == 0 ? score : std::max(max_, score);
  score_ = score;
  sum_ += score;
  frames_ += 1;
  show();
}

void Progress::begin_again(std::optional<int64_t> total) {
  settings_.total = total;
  begin();
  frames_ = 0;
  sum_ = 0;
}

void Progress::finish() {
  if (finished_) return;
  finished_ = true;
  clear();
  if (form_ == ProgressForm::kJson) port_.write(json_line(pace()));
}

Pace Progress::pace() const {
  Pace pace{.elapsed = elapsed()};
  const auto frames = static_cast<double>(frames_);
  if (pace.elapsed > 0) pace.fps = frames / pace.elapsed;
  const auto total = static_cast<double>(settings_.total.value_or(0));
  if (total <= 0) return pace;
  // A container may declare fewer frames than it has.
  pace.percent = std::min(100.0, 100.0 * frames / total);
  if (pace.fps && *pace.fps > 0) pace.seconds_left = std::max(total - frames, 0.0) / *pace.fps;
  return pace;
}

std::vector<StatusPart> Progress::parts(const Pace& pace) const {
  std::vector<StatusPart> parts;
  if (!settings_.label.empty()) parts.push_back({settings_.label, 3});
  if (pace.percent) {
    parts.push_back({words("{}%", static_cast<int>(*pace.percent)), kPercentRank});
    parts.push_back({words("{}/{}", frames_, *settings_.total), 0});
  } else {
    parts.push_back({counted(frames_, "frame"), 0});
  }
  if (pace.fps) parts.push_back({words("{} fps", fixed_text(*pace.fps, 1)), 6});
  if (pace.seconds_left) parts.push_back({words("{} left", duration_text(*pace.seconds_left)), 2});
  const auto show = [&](const char* name, double score, int rank) {
    parts.push_back({name + fixed_text(score, kScoreDecimals), rank, is_noteworthy(settings_.metric, score)});
  };
  show("now ", score_, 4);
  show("mean ", sum_ / static_cast<double>(frames_), 7);
  settings_.metric.better == Better::kHigher ? show("min ", min_, 5) : show("max ", max_, 5);
  return parts;
}

std::string json_number(std::optional<double> value, int decimals) {
  return value && std::isfinite(*value) ? fixed_text(*value, decimals) : "null";
}

std::string Progress::json_line(const Pace& pace) const {
  const auto score = [&](double value) {
    return json_number(frames_ > 0 ? std::optional(value) : std::nullopt, 6);
  };
  const std::string text = words(
      R"("frames": {}, "total": {}, "percent": {}, "fps": {}, "elapsed_seconds": {}, )"
      R"("remaining_seconds": {}, "score": {}, "mean": {}, "min": {}, "max": {}, "done": {})",
      frames_, settings_.total ? std::to_string(*settings_.total) : "null", json_number(pace.percent, 1),
      json_number(pace.fps, 2), json_number(pace.elapsed, 3), json_number(pace.seconds_left, 3),
      score(score_), score(sum_ / static_cast<double>(std::max<int64_t>(frames_, 1))), score(min_),
      score(max_), finished_ ? "true" : "false");
  const std::string label =
      settings_.label.empty() ? "" : words("\"label\": {}, ", json_quoted(settings_.label));
  return "{" + label + text + "}\n";
}

StepProgress::StepProgress(ProgressSettings settings, ProgressPort port)
    : settings_(std::move(settings)),
      port_(std::move(port)),
      line_(port_, {settings_.colour, settings_.can_erase}) {}

void StepProgress::step(const std::string& noun, size_t done, size_t all) {
  std::vector<StatusPart> parts = {{words("making {}", counted(static_cast<int64_t>(all), noun)), 0}};
  if (done > 0) parts.push_back({words("{}/{}", done, all), 0});
  if (settings_.form == ProgressForm::kBar) {
    if (done == all) return line_.clear();
    line_.draw(parts, 100.0 * static_cast<double>(done) / static_cast<double>(all));
  }
  if (settings_.form != ProgressForm::kPlain || done == all) return;
  const double now = port_.seconds();
  if (done > 0 && now < next_line_) return;
  port_.write(plain_line(parts));
  next_line_ = now + kPlainSeconds;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr size_t kWidestBar = 30;
constexpr size_t kNarrowestBar = 6;  // with its brackets
constexpr std::string_view kYellow = "\x1b[33m", kPlainColour = "\x1b[0m", kEraseRest = "\x1b[K";

static std::string bar_of(double percent, size_t columns) {
  const size_t inside = columns - 2;
  const auto done = static_cast<size_t>(percent / 100 * static_cast<double>(inside));
  std::string bar = "[";
  bar.append(done, '#').append(inside - done, '-');
  return bar + "]";
}

// Without the memory to do so the line stays, rather than the program ends here.
StatusLine::~StatusLine() {
  try {
    clear();
  } catch (const std::bad_alloc&) {
  }
}

void StatusLine::clear() {
  if (drawn_columns_ == 0) return;
  const std::string blank =
      style_.can_erase ? std::string(kEraseRest) : std::string(drawn_columns_, ' ') + "\r";
  port_.write("\r" + blank);
  drawn_columns_ = 0;
}

// As wide as there is room, but never wider than before: a bar that grows and shrinks with the digits beside
// it flickers.
size_t StatusLine::bar_columns(size_t room) {
  const bool is_new = width_ != port_.width() || bar_columns_ == 0;
  width_ = port_.width();
  bar_columns_ = std::min(is_new ? kWidestBar : bar_columns_, room);
  return bar_columns_;
}

void StatusLine::draw(std::vector<StatusPart> line, std::optional<double> percent) {
  // The last column stays free, or some terminals would wrap the line.
  const auto width = static_cast<size_t>(std::max(port_.width() - 1, 1));
  const auto columns = [&] {
    size_t sum = 2 * (line.size() - 1);
    for (const StatusPart& part : line) sum += columns_of(part.text);
    return sum;
  };
  while (line.size() > 1 && columns() > width)
    line.erase(std::ranges::max_element(line, {}, &StatusPart::rank));
  if (percent && line.size() > 1 && columns() + 2 + kNarrowestBar <= width) {
    const auto place = std::ranges::find(line, kPercentRank, &StatusPart::rank);
    const size_t room = width - columns() - 2;
    line.insert(place == line.end() ? line.begin() + 1 : place + 1, {bar_of(*percent, bar_columns(room)), 0});
  }
  if (columns() > width) line[0].text.resize(width);
  std::string text = "\r";
  for (const StatusPart& part : line) {
    if (text.size() > 1) text += "  ";
    const bool coloured = style_.colour && part.highlighted;
    text += coloured ? std::string(kYellow) + part.text + std::string(kPlainColour) : part.text;
  }
  const size_t drawn = columns();
  if (style_.can_erase) {
    text += kEraseRest;
  } else if (drawn < drawn_columns_) {
    text.append(std::min(drawn_columns_, width) - drawn, ' ');
  }
  drawn_columns_ = drawn;
  port_.write(text);
}

std::string plain_line(const std::vector<StatusPart>& parts) {
  return join(parts, "  ", &StatusPart::text) + "\n";
}

std::string duration_text(double seconds) {
  const auto total = static_cast<int64_t>(std::ceil(std::clamp(seconds, 0.0, 1e9)));
  const int64_t hours = total / 3600, minutes = total / 60 % 60;
  return hours > 0 ? words("{}:{}:{}", hours, two_digits(minutes), two_digits(total % 60))
                   : words("{}:{}", minutes, two_digits(total % 60));
}

}  // namespace vq::cli
