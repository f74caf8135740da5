#include "cli/commands/subcommand.h"

#include <algorithm>
#include <filesystem>

#include "cli/cluster/submit.h"
#include "cli/commands/cluster_words.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text/argument_values.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

// Of the flags of a run those that merge takes, and what is not passed on to it as it is.
constexpr std::string_view kSubmitGroups[] = {"Outputs", "Segments"};
constexpr std::string_view kSubmitNotTaken[] = {"--stream-scores"};
constexpr std::string_view kOfSubmit[] = {"--stream-scores", "--progress", "--output"};

constexpr int64_t kMostTasks = 1000000;  // far beyond what a MaxArraySize can be
constexpr int64_t kMostAtOnce = 100000;
constexpr int64_t kMostGpus = 64;

int64_t number_of(const ParsedWords& words, std::string_view flag, int64_t most) {
  const std::string* const text = words.find(flag);
  return text == nullptr ? 0 : int_value(std::string(flag), *text, {0, most});
}

bool is_given(const ParsedWords& words, std::string_view flag) {
  return words.find(flag) != nullptr;
}

// A job may run anywhere, so it is told whole paths.
std::string absolute(const std::string& flag, const std::string& path) {
  if (path.empty() || path == "-") {
    throw Error(
        ErrorKind::kUsage,
        flag + ": submit needs a file or folder that the merge job can write, and not \"" + path + "\".");
  }
  return fs::absolute(path).lexically_normal().string();
}

// As cambi merge takes them. Paths that are relative stay so: jobs start in the folder that they are
// submitted from.
std::vector<std::string> merge_flags(const ParsedWords& words) {
  refuse_others(words, {.groups = kSubmitGroups, .but = kSubmitNotTaken}, "is settled by the plan, or has no use here.");
  std::vector<std::string> flags;
  bool has_place = false;
  for (const GivenFlag& given : words.flags) {
    const std::string name(given.flag->name);
    const bool is_place = name == "--reports" || name == "--output";
    has_place = has_place || is_place;
    if (is_place) flags.push_back(name + "=" + absolute(name, given.text));
    if (name == "--formats" || name == "--by") flags.push_back(name + "=" + given.text);
  }
  if (!has_place)
    throw Error(ErrorKind::kUsage,
                "submit needs a place for the reports. Add --reports DIR, or for a single title -o FILE");
  const std::vector<std::string> others = run_words(words, {.groups = kSubmitGroups, .but = kOfSubmit});
  flags.insert(flags.end(), others.begin(), others.end());
  return flags;
}

// What the script says itself, and what would keep sbatch from telling the id of a job at once.
void check_option(const std::string& option) {
  constexpr std::string_view kOwn[] = {"--array",    "-a",     "--dependency", "-d",         "--wrap",
                                       "--parsable", "--wait", "-W",           "--test-only"};
  const std::string name = option.substr(0, option.find('='));
  const bool is_own = std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn);
  if (!is_own) return;
  throw Error(ErrorKind::kUsage,
              "sbatch's " + name +
                  " is said by submit itself. Tasks are set with --tasks and --at-once; for all else "
                  "edit what cambi submit --dry-run prints.");
}

// What stands behind "--".
std::vector<std::string> sbatch_options(const ParsedWords& words) {
  const auto dashes = std::find(words.original.begin(), words.original.end(), "--");
  const auto behind = dashes == words.original.end() ? 0 : words.original.end() - dashes - 1;
  const auto before = static_cast<std::ptrdiff_t>(words.arguments.size()) - behind;
  if (before < 1)
    throw Error(
        ErrorKind::kUsage,
        "submit needs a plan before the options of sbatch: cambi submit PLAN --reports DIR -- OPTION ...");
  if (before > 1) {
    throw Error(ErrorKind::kUsage, "submit does not take \"" + printable(words.arguments[1]) +
                                       "\": one plan at a time, and options of sbatch behind --");
  }
  std::vector<std::string> options(words.arguments.begin() + before, words.arguments.end());
  for (const std::string& option : options) check_option(option);
  return options;
}

// Of a machine's shards nobody else decides.
void check_local(const SubmitRequest& request) {
  if (!request.options.empty()) throw Error(ErrorKind::kUsage, "--engine local takes no options of sbatch.");
  if (request.most_tasks > 0)
    throw Error(ErrorKind::kUsage,
                "--engine local has no tasks: --at-once sets how many shards it scores at a time.");
  if (request.gpus > 0)
    throw Error(ErrorKind::kUsage, "--engine local takes all GPUs. For others: cambi plan --device N");
}

}  // namespace

SubmitRequest submit_request(const ParsedWords& words) {
  SubmitRequest request;
  request.options = sbatch_options(words);
  request.plan = words.arguments.front();
  if (const std::string* const engine = words.find("--engine")) {
    request.engine =
        choice_value("--engine", *engine, {"slurm", "local"}) == 0 ? Engine::kSlurm : Engine::kLocal;
  }
  request.merge = merge_flags(words);
  request.most_tasks = number_of(words, "--tasks", kMostTasks);
  request.at_once = static_cast<int>(number_of(words, "--at-once", kMostAtOnce));
  request.gpus = static_cast<int>(number_of(words, "--gpus", kMostGpus));
  request.is_dry_run = is_given(words, "--dry-run");
  request.waits = is_given(words, "--wait");
  request.is_quiet = is_given(words, "--quiet");
  if (const std::string* const form = words.find("--progress")) {
    const auto parsed = parse_progress_form(*form);
    if (!parsed) choice_value("--progress", *form, {"auto", "bar", "plain", "json", "none"});
    request.progress = *parsed;
  }
  if (request.engine == Engine::kLocal) check_local(request);
  return request;
}

int run_submit(const ParsedWords& words, Messages& messages) {
  return submit_plan(submit_request(words), messages);
}

}  // namespace vq::cli
