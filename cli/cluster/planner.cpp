#include "cli/cluster/planner.h"

#include <algorithm>
#include <utility>

#include "cli/batch/thread_shares.h"
#include "cli/cluster/input_check.h"
#include "cli/decoding/sequence.h"
#include "cli/inputs/input_kind.h"
#include "cli/inputs/pair_shape.h"
#include "cli/inputs/run_inputs.h"
#include "cli/inputs/scoring_remarks.h"
#include "core/error.h"
#include "core/text/message_text.h"
#include "engine/memory.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

// What is left of the pictures. Bars are found here only where the sizes of a pair follow from them: shards
// find them anew.
PairCrop planned_crop(const RunOptions& arguments, const DecodedVideos& videos) {
  const bool is_one_size = !arguments.reference_crop && arguments.crop && !arguments.crop->rectangle;
  return is_one_size ? PairCrop() : resolve_crops(arguments, videos);
}

// As ScoringRun estimates it; what it would refuse is refused here.
int64_t memory_of(const RunOptions& arguments, const StreamIndex& distorted, const StreamIndex* reference,
                  int threads) {
  const DecodedVideos videos{.distorted = distorted.info,
                             .reference = reference != nullptr ? &reference->info : nullptr};
  const PairCrop crop = planned_crop(arguments, videos);
  if (reference != nullptr) check_shapes(arguments, videos, crop);
  VideoFormats formats;
  formats.distorted = distorted.info.named_format();
  if (reference != nullptr) formats.reference = reference->info.named_format();
  crop_formats(crop, formats);
  KnownVideos known{.formats = formats};
  if (reference != nullptr) {
    known.display = reference->info.named_format();
    known.reference_rate = reference->info.frame_rate();
  }
  const Settled settled = settle(arguments, arguments, known);
  VideoReading reading{.threads = threads};
  const auto add = [&](const VideoInfo& video, const std::optional<Fitting>& fitting,
                       const VideoFormat& format) {
    ReadVideo& added = reading.videos.emplace_back(ReadVideo{.decoded = cli::memory_of(video), .fitted = {}});
    if (!fitting) return;
    added.fitted = added.decoded;
    added.fitted->format = format;
  };
  add(distorted.info, settled.distorted_fitting, settled.formats.distorted);
  if (reference != nullptr) add(reference->info, settled.reference_fitting, *settled.formats.reference);
  const Execution execution{.backend = Backend::kCpu, .threads = threads};
  const auto pair = reference != nullptr
                        ? std::optional(OpenedPair{.distorted = distorted.info,
                                                   .reference = reference->info,
                                                   .is_paired_by_time = arguments.pairs_by_time,
                                                   .distorted_crop = crop.distorted,
                                                   .reference_crop = crop.reference})
                        : std::nullopt;
  check_features(settled.features, settled.formats, settled.models, pair);
  if (pair) {
    for (const PairFault& fault : pair_faults(settled.features, *pair, arguments.as_stored))
      refuse_pair_fault(fault, rules_of(arguments));
  }
  return run_bytes(reading, settled.features, settled.formats, execution);
}

}  // namespace

Planner::Indexed Planner::index(const RunOptions& arguments, const std::string& path, bool is_reference) {
  if (is_read_once(path)) {
    throw Error(ErrorKind::kUsage, path + " is no file: several machines cannot read it.");
  }
  if (!arguments.raw) check_is_video(path);
  if (!arguments.raw && names_sequence(path)) {
    throw Error(ErrorKind::kUsage,
                shown_path(path) +
                    " is a sequence of pictures, which shards do not read. Score it by itself, "
                    "or make a video of it first, for example with ffmpeg -framerate 24 -i IN "
                    "-c:v ffv1 OUT.mkv");
  }
  Indexed indexed;
  indexed.input.file = look_at_file(path);
  SourceOptions options =
      in_software(source_options(arguments, is_reference ? Role::kReference : Role::kDistorted));
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
