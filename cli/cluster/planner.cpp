#include "cli/cluster/planner.h"

#include <algorithm>
#include <utility>

#include "cli/cluster/input_check.h"
#include "cli/run/input_kind.h"
#include "cli/run/memory_limit.h"
#include "cli/run/run_inputs.h"
#include "cli/run/thread_shares.h"
#include "core/error.h"
#include "core/worker_pool.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

// As ScoringRun estimates it; what it would refuse is refused here. What is scaled is another video, of which shards judge.
int64_t memory_of(const RunOptions& arguments, const StreamIndex& distorted, const StreamIndex* reference, int threads) {
  InputFormats formats{.distorted = distorted.info.format, .reference = {}};
  if (reference != nullptr) formats.reference = reference->info.format;
  std::vector<FeatureRequest> features = arguments.features;
  try {
    WorkerPool pool(threads);
    const Execution execution{.backend = Backend::kCpu, .pool = &pool};
    for (FeatureRequest& request : features) resolve(request, formats);
    for (const FeatureRequest& request : features) request.info->check(request.options, formats);
    const FrameUse use = frame_use(features);
    const int before = std::max(use.before.distorted, use.before.references);
    const auto queued = static_cast<int64_t>(frames_in_flight(features, execution)) + read_ahead(threads) + 2 + before;
    int64_t bytes = extractor_bytes(features, formats, execution);
    bytes += decoding_bytes(distorted.info, {use.planes, queued, threads});
    if (reference != nullptr) bytes += decoding_bytes(reference->info, {use.planes, queued, threads});
    return bytes;
  } catch (const Error&) {
    if (!arguments.scale && arguments.score_bits == 0) throw;
    return 0;
  }
}

}  // namespace

Planner::Indexed Planner::index(const RunOptions& arguments, const std::string& path, bool is_reference) {
  if (is_read_once(path)) {
    throw Error(ErrorKind::kUsage, path + " is no file: several machines cannot read it.");
  }
  if (!arguments.raw) check_is_video(path);
  Indexed indexed;
  indexed.input.file = look_at_file(path);
  SourceOptions options = in_software(source_options(arguments, is_reference ? Role::kReference : Role::kDistorted));
  options.threads = 1;
  indexed.index = index_stream(options);
  indexed.input.pictures = indexed.index.pictures;
  indexed.input.measured = indexed.index.measured;
  // Had it changed meanwhile, the index might be of either.
  check_unchanged(indexed.input.file);
  return indexed;
}

const Planner::Indexed& Planner::reference(const RunOptions& arguments) {
  if (!reference_ || reference_path_ != *arguments.reference) {
    reference_ = std::make_unique<Indexed>(index(arguments, *arguments.reference, true));
    reference_path_ = *arguments.reference;
  }
  return *reference_;
}

PlannedTitle Planner::plan(const std::string& name, const RunOptions& arguments) {
  const Indexed distorted = index(arguments, arguments.distorted, false);
  const Indexed* const other = arguments.reference ? &reference(arguments) : nullptr;
  const StreamIndex* const reference_index = other != nullptr ? &other->index : nullptr;
  TitleCut cut = cut_title(arguments, distorted.index, reference_index, length_);
  PlannedTitle title;
  title.name = name;
  title.distorted = distorted.input;
  if (other != nullptr) title.reference = other->input;
  title.run_first = cut.run_first;
  title.frames = cut.frames;
  const VideoFormat& format = distorted.index.info.format;
  title.width = format.width;
  title.height = format.height;
  title.threads = useful_threads(int64_t{format.width} * format.height);
  title.memory_bytes = memory_of(arguments, distorted.index, reference_index, title.threads);
  title.whole = std::move(cut.whole);
  title.shards = std::move(cut.shards);
  return title;
}

}  // namespace vq::cli
