#include "cli/cluster/shard_progress.h"

#include <unistd.h>

#include <cstdlib>

#include "core/text/number_text.h"

namespace vq::cli {
namespace {


}  // namespace

ProgressSettings shard_progress_settings(ProgressForm form, bool is_quiet) {
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  ProgressSettings settings;
  settings.form = resolve_progress_form(form, is_terminal, is_quiet);
  settings.colour = wants_colour(is_terminal, std::getenv("NO_COLOR"), std::getenv("TERM"));
  settings.can_erase = wants_colour(is_terminal, nullptr, std::getenv("TERM"));
  return settings;
}

ShardProgress::ShardProgress(const ProgressSettings& settings, ProgressPort port, size_t shards,
                             const WorkState& at_start)
    : form_(settings.form),
      port_(std::move(port)),
      shards_(shards),
      start_(port_.seconds()),
      share_at_start_(at_start.share),
      next_line_(start_ + kPlainSeconds),
      line_(port_, {settings.colour, settings.can_erase}) {}

void ShardProgress::show(const WorkState& state) {
  if (form_ == ProgressForm::kBar) line_.draw(parts(state), 100 * state.share);
  if (form_ == ProgressForm::kJson) port_.write(json_line("progress", state));
  if (form_ != ProgressForm::kPlain || port_.seconds() < next_line_) return;
  port_.write(plain_line(parts(state)));
  next_line_ = port_.seconds() + kPlainSeconds;
}

void ShardProgress::finish(const WorkState& state) {
  clear();
  if (form_ == ProgressForm::kJson) port_.write(json_line("finish", state));
}

// By the pace since the start: what was done before tells nothing of it.
std::optional<double> ShardProgress::seconds_left(const WorkState& state) const {
  const double gained = state.share - share_at_start_;
  if (gained <= 0) return std::nullopt;
  return (port_.seconds() - start_) * (1 - state.share) / gained;
}

std::vector<StatusPart> ShardProgress::parts(const WorkState& state) const {
  std::vector<StatusPart> parts = {
      {std::to_string(state.done) + "/" + std::to_string(shards_) + " shards", 0},
      {std::to_string(static_cast<int>(100 * state.share)) + "%", kPercentRank}};
  if (const auto left = seconds_left(state)) parts.push_back({duration_text(*left) + " left", 2});
  if (state.failed > 0) parts.push_back({std::to_string(state.failed) + " failed", 3, true});
  return parts;
}

std::string ShardProgress::json_line(const std::string& event, const WorkState& state) const {
  const auto left = seconds_left(state);
  return "{\"event\": \"" + event + "\", \"shards\": " + std::to_string(shards_) +
         ", \"done\": " + std::to_string(state.done) + ", \"failed\": " + std::to_string(state.failed) +
         ", \"percent\": " + fixed_text(100 * state.share, 1) +
         ", \"elapsed_seconds\": " + fixed_text(port_.seconds() - start_, 3) +
         ", \"remaining_seconds\": " + (left ? fixed_text(*left, 3) : "null") + "}\n";
}

}  // namespace vq::cli
