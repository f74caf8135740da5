#include "cli/commands/subcommand.h"

#include <cstdlib>
#include <exception>
#include <optional>

#include "cli/cluster/shard_run.h"
#include "cli/commands/arguments.h"
#include "cli/run/run.h"
#include "cli/system/exit_code.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr std::string_view kTaken[] = {"--quiet", "--progress"};
constexpr std::string_view kShardNotTaken[] = {"--strict", "--allow-damage"};
constexpr int64_t kMostEach = 1'000'000;

bool has_shard(const PlannedTitle& title, int64_t shard) {
  const int64_t place = place_in_title(title, shard);
  return place >= 0 && place < static_cast<int64_t>(title.shards.size());
}

// The title of shards that follow each other is looked up once.
class Shards {
 public:
  Shards(const std::string& path, const ParsedArguments& typed, Messages& messages)
      : plan_(path),
        more_(run_words(typed, {.roles = kShardRoles, .names = kTaken, .but = kShardNotTaken})),
        is_quiet_(typed.find("--quiet") != nullptr),
        messages_(messages) {}

  const PlanHead& head() const { return plan_.head(); }

  // Confines this process to what these shards need.
  void enter_sandbox(const std::vector<NumberRange>& ranges) {
    SandboxPaths paths{.read = {plan_.path()}, .folders = {plan_.head().results}};
    std::optional<RunOptions> options;
    for (const NumberRange& range : ranges) {
      for (int64_t shard = range.first; shard <= range.last; ++shard) {
        if (title_ && has_shard(*title_, shard)) continue;
        title_ = plan_.title_of_shard(shard);
        options = title_options(plan_.head(), *title_, more_);
        for (const std::string& video : input_paths(*options)) paths.read.push_back(video);
      }
    }
    if (!options) return;
    enter_sandbox_of(*options, std::move(paths), messages_);
    sandbox_layers_ = options->sandbox_layers;
  }

  // What fails keeps no other shard from being scored.
  void score(int64_t shard) {
    try {
      score_one(shard);
    } catch (const std::exception&) {
      const Error error = error_of(std::current_exception());
      if (!code_) code_ = exit_code(error);
      messages_.error(words("shard {}: {}", shard, error.what()));
    }
  }

  int code() const {
    const int signal = interrupt_signal();
    return signal != 0 ? interrupt_exit_code(signal) : code_.value_or(0);
  }

 private:
  void score_one(int64_t shard) {
    if (!title_ || !has_shard(*title_, shard)) title_ = plan_.title_of_shard(shard);
    Messages own([](std::string_view text) { write_stderr(text); });
    RunOptions arguments = title_options(plan_.head(), *title_, more_);
    arguments.sandbox_layers = sandbox_layers_;
    const ShardOutcome outcome =
        run_shard(plan_.head(), *title_, place_in_title(*title_, shard), arguments, own);
    own.finish();
    if (is_quiet_) return;
    if (outcome == ShardOutcome::kKept) messages_.note(words("shard {} was done already", shard));
    if (outcome == ShardOutcome::kScored) messages_.note(words("shard {} is done", shard));
    if (outcome == ShardOutcome::kInterrupted) messages_.error(words("shard {} was interrupted", shard));
  }

  const PlanFile plan_;
  const std::vector<std::string> more_;
  const bool is_quiet_;
  Messages& messages_;
  std::string sandbox_layers_;
  std::optional<PlannedTitle> title_;
  std::optional<int> code_;
};

}  // namespace

int run_shard_command(const ParsedArguments& typed, Messages& messages) {
  refuse_others(typed, {.roles = kShardRoles, .names = kTaken, .but = kShardNotTaken},
                "is settled by the plan.");
  Shards shards(typed.arguments.at(0), typed, messages);
  IndexRequest request{.text = {}, .each = 1, .shards = shards.head().shards};
  if (const std::string* const text = typed.find("--index")) request.text = *text;
  if (const std::string* const each = typed.find("--each"))
    request.each = int_value("--each", *each, {1, kMostEach});
  const std::vector<NumberRange> ranges =
      shard_ranges(request, [](const char* name) -> const char* { return std::getenv(name); });
  if (typed.find("--sandbox") != nullptr) shards.enter_sandbox(ranges);
  for (const NumberRange& range : ranges) {
    for (int64_t shard = range.first; shard <= range.last && interrupt_signal() == 0; ++shard)
      shards.score(shard);
  }
  return shards.code();
}

}  // namespace vq::cli
