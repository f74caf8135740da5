#include "cli/batch/batch.h"

#include <algorithm>
#include <cmath>

#include "core/number_text.h"
#include "core/text.h"
#include "engine/report/json_values.h"

namespace vq::cli {
namespace {

constexpr size_t kLongestName = 60;

using Outcome = VideoOutcome::State;

std::string json_number(std::optional<double> value, int decimals) {
  return value && std::isfinite(*value) ? fixed_text(*value, decimals) : "null";
}

std::string json_count(std::optional<int64_t> value) {
  return value ? std::to_string(*value) : "null";
}

// The mean of the leading metric: "cambi 3.343".
std::string score_text(const VideoScores& scores) {
  const MetricOutcome& metric = scores.metrics[scores.leading];
  const double mean = statistic_in(metric, "mean");
  return words("{} {}", metric.metric.name, std::isnan(mean) ? "-" : fixed_text(mean, 3));
}

}  // namespace

BatchProgress::BatchProgress(const ProgressSettings& settings, ProgressPort port,
                             const std::vector<Video>& videos)
    : form_(settings.form),
      port_(std::move(port)),
      start_(port_.seconds()),
      next_draw_(settings.form == ProgressForm::kPlain ? kPlainSeconds : 0),
      line_(port_, {settings.colour, settings.can_erase}) {
  for (const Video& video : videos) {
    videos_.push_back({.name = video.name, .bytes = video.bytes, .frames = 0, .total = {}});
    bytes_ += video.bytes;
  }
}

void BatchProgress::begin(size_t video, std::optional<int64_t> frames) {
  State& state = videos_[video];
  state.total = frames;
  state.frames = 0;
  state.is_running = true;
  if (form_ != ProgressForm::kJson) return;
  port_.write(words(R"({"event": "begin", "video": {}, "index": {}, "frames": {}})", json_quoted(state.name),
                    video, json_count(frames)) +
              "\n");
}

void BatchProgress::frame(size_t video) {
  ++videos_[video].frames;
  ++frames_;
  const double now = port_.seconds() - start_;
  if (now < next_draw_ || form_ == ProgressForm::kNone) return;
  if (form_ == ProgressForm::kBar) line_.draw(parts(), pace().percent);
  if (form_ == ProgressForm::kPlain) port_.write(plain_line(parts()));
  if (form_ == ProgressForm::kJson) port_.write(json_line());
  next_draw_ = now + (form_ == ProgressForm::kPlain ? kPlainSeconds : kDrawSeconds);
}

void BatchProgress::end(size_t video, const VideoOutcome& outcome) {
  State& state = videos_[video];
  state.is_running = false;
  if (outcome.state == Outcome::kLeft) return;
  ++ended_;
  if (outcome.error) ++failed_;
  if (outcome.state == Outcome::kKept) {
    bytes_ -= state.bytes;  // no work
  } else {
    bytes_done_ += state.bytes;
  }
  if (form_ == ProgressForm::kPlain) plain_end(outcome);
  if (form_ != ProgressForm::kJson) return;
  port_.write(words(R"({"event": "end", "video": {}, "index": {}, "state": "{}", "frames": {}, "error": {}})",
                    json_quoted(state.name), video, word_of(outcome.state),
                    json_count(outcome.scores ? std::optional(outcome.scores->frames) : std::nullopt),
                    outcome.error ? json_quoted(outcome.message) : "null") +
              "\n");
}

void BatchProgress::plain_end(const VideoOutcome& outcome) {
  if (outcome.state == Outcome::kKept) return;
  std::string line = words("{}/{}  {}  ", ended_, videos_.size(), shown_path(outcome.name));
  if (!outcome.scores) {
    line += word_of(outcome.state);
  } else {
    line += outcome.scores->is_comparable() ? score_text(*outcome.scores) : "not comparable";
    line += "  " + counted(outcome.scores->frames, "frame");
  }
  port_.write(line + "\n");
}

void BatchProgress::finish() {
  clear();
  if (form_ != ProgressForm::kJson) return;
  port_.write(words(R"({"event": "finish", "videos": {}, "ended": {}, "failed": {}, "elapsed_seconds": {}})",
                    videos_.size(), ended_, failed_, json_number(port_.seconds() - start_, 3)) +
              "\n");
}

BatchProgress::Pace BatchProgress::pace() const {
  Pace pace;
  pace.elapsed = port_.seconds() - start_;
  if (pace.elapsed > 0) pace.fps = static_cast<double>(frames_) / pace.elapsed;
  double done = static_cast<double>(bytes_done_);
  for (const State& state : videos_) {
    if (!state.is_running || !state.total || *state.total <= 0) continue;
    done += static_cast<double>(state.bytes) *
            std::min(1.0, static_cast<double>(state.frames) / static_cast<double>(*state.total));
  }
  if (bytes_ <= 0) return pace;
  const double share = std::min(1.0, done / static_cast<double>(bytes_));
  pace.percent = 100 * share;
  if (share > 0) pace.seconds_left = pace.elapsed * (1 - share) / share;
  return pace;
}

std::vector<StatusPart> BatchProgress::parts() const {
  const Pace now = pace();
  std::vector<StatusPart> parts = {{words("{}/{} videos", ended_, videos_.size()), 0}};
  if (now.percent) parts.push_back({words("{}%", static_cast<int>(*now.percent)), kPercentRank});
  if (now.fps) parts.push_back({fixed_text(*now.fps, 1) + " fps", 4});
  if (now.seconds_left) parts.push_back({duration_text(*now.seconds_left) + " left", 2});
  if (failed_ > 0) parts.push_back({words("{} failed", failed_), 3, true});
  std::vector<std::string_view> names;
  for (const State& state : videos_) {
    if (state.is_running) names.push_back(file_part(state.name));
  }
  if (!names.empty()) parts.push_back({printable(join(names, ", "), kLongestName), 5});
  return parts;
}

std::string BatchProgress::json_line() const {
  const Pace now = pace();
  std::vector<std::string> running;
  for (const State& state : videos_) {
    if (!state.is_running) continue;
    running.push_back(words(R"({"video": {}, "frames": {}, "total": {}})", json_quoted(state.name),
                            state.frames, json_count(state.total)));
  }
  return words(
             R"({"event": "progress", "videos": {}, "ended": {}, "failed": {}, "frames": {}, )"
             R"("percent": {}, "fps": {}, "elapsed_seconds": {}, "remaining_seconds": {}, "running": [{}]})",
             videos_.size(), ended_, failed_, frames_, json_number(now.percent, 1), json_number(now.fps, 2),
             json_number(now.elapsed, 3), json_number(now.seconds_left, 3), join(running, ", ")) +
         "\n";
}

}  // namespace vq::cli
