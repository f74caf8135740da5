#include "cli/commands/subcommand.h"

#include <filesystem>

#include "cli/batch/video_list.h"
#include "cli/cluster/planner.h"
#include "cli/cluster/shard_run.h"
#include "cli/commands/arguments.h"
#include "cli/pictures/picture_tap.h"
#include "cli/run/run.h"
#include "cli/system/exit_code.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/models/model_spec.h"

namespace vq::cli {
namespace {

constexpr std::string_view kOfPlan[] = {"--output", "--quiet"};
constexpr std::string_view kOfTitles[] = {"--reference", "--distorted", "--sandbox", "--help", "--version"};
constexpr int64_t kMostPlannedFrames = int64_t{1} << 40;

ShardLength length_of(const ParsedArguments& typed) {
  const std::string *const frames = typed.find("--shard-frames"),
                           *const seconds = typed.find("--shard-seconds"),
                           *const shards = typed.find("--shards");
  if ((frames != nullptr) + (seconds != nullptr) + (shards != nullptr) > 1) {
    throw Error(ErrorKind::kUsage,
                "--shard-frames, --shard-seconds and --shards each say how long a shard is; give one.");
  }
  ShardLength length;
  if (frames != nullptr) length.frames = int_value("--shard-frames", *frames, {1, kMostPlannedFrames});
  if (shards != nullptr) length.shards = int_value("--shards", *shards, {1, kMostPlannedFrames});
  double value = 0;
  if (seconds != nullptr && (!parse_real(*seconds, value) || value <= 0)) {
    throw Error(ErrorKind::kUsage,
                words("--shard-seconds: \"{}\" is no number of seconds.", printable(*seconds)));
  }
  if (seconds != nullptr) length.seconds = value;
  return length;
}

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

// Machines that read the plan are in folders of their own: files of models are named from the root on. They
// are looked at before anything is planned.
void settle_models_of(PlanHead& head) {
  constexpr std::string_view kModel = "--model=";
  for (std::string& word : head.arguments) {
    if (!word.starts_with(kModel)) continue;
    std::vector<std::string> specs;
    for (model::ModelSpec& spec : model::parse_model_specs(std::string_view(word).substr(kModel.size()))) {
      if (spec.version.empty()) {
        spec.path = absolute(spec.path);
        head.models.push_back(look_at_model(spec.path));
      }
      specs.push_back(model::text_of(spec));
    }
    word = std::string(kModel) + join(specs, "|");
  }
}

std::string plan_path(const ParsedArguments& typed) {
  const std::string path = path_of(typed, "--output");
  if (path.empty()) throw Error(ErrorKind::kUsage, "plan needs a file to write. Add -o PLAN.json");
  if (is_standard_output(path))
    throw Error(ErrorKind::kUsage, "a plan is a file that all machines read. Add -o PLAN.json");
  return path;
}

std::string results_folder(const ParsedArguments& typed, const std::string& plan) {
  const std::string folder = path_of(typed, "--results");
  if (!folder.empty()) return absolute(folder);
  return absolute(std::filesystem::path(plan).replace_extension(".shards").string());
}

void refuse(const RunOptions& arguments) {
  if (arguments.film_grain == FilmGrainRequest::kBoth) {
    throw Error(ErrorKind::kUsage, "plan makes one report of each video, so --film-grain is on or off.");
  }
  if (arguments.skip_distorted_seconds || arguments.skip_reference_seconds) {
    throw Error(ErrorKind::kUsage,
                "plan counts frames: give --frame_skip_dist and --frame_skip_ref as numbers of frames.");
  }
  for (const FeatureRequest& request : arguments.features) {
    if (heatmap_folder(request).empty() && histogram_path(request).empty()) continue;
    throw Error(ErrorKind::kUsage,
                "shards write no pictures and no files of histograms. Score a video by itself for these: "
                "cambi VIDEO");
  }
}

class Plan {
 public:
  Plan(const ParsedArguments& typed, Messages& messages)
      : messages_(messages),
        path_(plan_path(typed)),
        is_quiet_(typed.find("--quiet") != nullptr),
        ignores_failed_(typed.find("--ignore-failed") != nullptr),
        list_(list_videos(list_request(typed, "plan FOLDER -o PLAN.json"))),
        planner_(length_of(typed)) {
    head_.version = version();
    head_.results = results_folder(typed, path_);
    head_.arguments = run_words(typed, {.roles = kPlanRoles, .but = kOfTitles});
    settle_models_of(head_);
    RunOptions options = several_options(words_for(typed, list_)).arguments;
    refuse(options);
    if (const std::string* const reference = typed.find("--reference")) reference_ = absolute(*reference);
    for (const std::string& remark : list_.remarks) note(remark);
    SandboxPaths paths{.written = {path_}};
    for (const ListedVideo& video : list_.videos) {
      paths.read.push_back(video.path);
      if (video.reference) paths.read.push_back(*video.reference);
    }
    enter_sandbox_of(options, std::move(paths), messages);
  }

  int make() {
    PlanWriter writer(path_, head_);
    for (const ListFault& fault : list_.faults) {
      if (!code_) code_ = exit_code(ErrorKind::kInput);
      tell(fault);
    }
    int64_t titles = 0;
    for (const ListedVideo& video : list_.videos) titles += add(video, writer);
    if (const int signal = interrupt_signal(); signal != 0) {
      messages_.error("interrupted");
      return interrupt_exit_code(signal);
    }
    if (titles == 0) return code_.value_or(exit_code(ErrorKind::kInput));  // every video was told
    const PlanHead head = writer.commit();
    note(words("wrote {}: {} in {}. Each is scored by: cambi shard {} --index N, N from 0 to {}",
               shown_path(path_), counted(head.titles, "title"), counted(head.shards, "shard"),
               shown_path(path_), head.shards - 1));
    return ignores_failed_ ? 0 : code_.value_or(0);
  }

 private:
  void note(const std::string& text) {
    if (!is_quiet_) messages_.note(text);
  }

  void tell(const ListFault& fault) {
    try {
      std::rethrow_exception(fault.error);
    } catch (const std::exception& error) {
      messages_.error(error.what());
    }
  }

  // Whether the title is in the plan. What cannot be planned keeps no other from it.
  bool add(const ListedVideo& video, PlanWriter& writer) {
    if (interrupt_signal() != 0) return false;
    PlannedTitle title;
    title.distorted.file.path = absolute(video.path);
    const std::optional<std::string> reference =
        video.reference ? std::optional(absolute(*video.reference)) : reference_;
    if (reference) title.reference.emplace().file.path = *reference;
    try {
      PlannedTitle planned = planner_.plan(video.name, title_options(head_, title, {}));
      if (!planned.whole.empty()) note(shown_path(video.path) + " is a single shard: " + planned.whole);
      writer.add(std::move(planned));
      return true;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kOutput) throw;
      if (interrupt_signal() != 0) return false;
      if (!code_) code_ = exit_code(error);
      messages_.error(error.what());
      return false;
    }
  }

  Messages& messages_;
  const std::string path_;
  const bool is_quiet_, ignores_failed_;
  const VideoList list_;
  Planner planner_;
  PlanHead head_;
  std::optional<std::string> reference_;  // of all
  std::optional<int> code_;
};

}  // namespace

int run_plan(const ParsedArguments& typed, Messages& messages) {
  refuse_others(typed, {.roles = kPlanRoles, .names = kOfPlan},
                "selects outputs; give it to merge: cambi merge PLAN.json ...");
  return Plan(typed, messages).make();
}

}  // namespace vq::cli
