#include "cli/inputs/run_inputs.h"

#include <cmath>

#include "cli/decoding/open_video.h"
#include "cli/decoding/parallel/stream_index.h"
#include "cli/inputs/pair_reader.h"
#include "cli/inputs/remarks.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {

// Memory for pictures that are decoded before their turn: one part of this many of the run's memory, and no
// more than keeps several decoders of large pictures busy (docs/performance.md).
constexpr int64_t kAheadShare = 4;
// The same of a device's memory, most of which nothing else uses: long groups of large pictures need it for a
// third session of each video.
constexpr int64_t kDeviceAheadShare = 3;
constexpr int64_t kMostAheadBytes = int64_t{512} << 20;

// By the index of the packets if there is one, or else by decoding.
static int64_t frames_before(SourceOptions options, double seconds, const std::string& flag) {
  options.planes = 1;
  const StreamIndex index = index_stream(options);
  const std::optional<double> rate = index.info.frame_rate();
  if (index.info.takes_frame_rate && !rate)
    throw usage_error("{}: {} has no times. Add --fps with its frame rate", flag, shown_path(options.path));
  if (index.info.takes_frame_rate || index.is_planar) {
    if (!rate) throw usage_error("{}: {} has no times", flag, shown_path(options.path));
    int64_t frames = std::llround(seconds * *rate);
    while (frames > 0 && !is_before(static_cast<double>(frames - 1) / *rate, seconds)) --frames;
    while (is_before(static_cast<double>(frames) / *rate, seconds)) ++frames;
    return frames;
  }
  int64_t frames = 0;
  if (index.whole.empty()) {
    while (frames < *index.pictures && is_before(*index.timestamp(frames), seconds)) ++frames;
    return frames;
  }
  const std::unique_ptr<VideoSource> source = open_video(options);
  for (std::optional<Frame> frame = source->read(); frame; frame = source->read()) {
    frames = frame->index;
    if (!frame->timestamp) throw usage_error("{}: {} has no times", flag, shown_path(options.path));
    if (!is_before(*frame->timestamp, seconds)) return frames;
  }
  return frames + 1;
}

int thread_count(const RunOptions& arguments) {
  return arguments.threads > 0 ? arguments.threads : usable_cores();
}

int64_t memory_limit(const RunOptions& arguments) {
  return arguments.max_memory > 0 ? arguments.max_memory : default_memory_limit();
}

DecodedVideo memory_of(const VideoInfo& info) {
  return {.format = info.format, .is_planar = info.codec == "rawvideo", .decoders = info.decoder_count};
}

int planes_to_read(const RunOptions& arguments) {
  return arguments.heatmaps.shows_colours() ? kMaxPlanes : frame_needs(arguments.features).planes;
}

SourceOptions source_options(const RunOptions& arguments, Role role) {
  if (arguments.film_grain == FilmGrainRequest::kBoth)
    throw usage_error("--film-grain both is two runs. Use: cambi compare VIDEO --film-grain both");
  SourceOptions options;
  options.path = role == Role::kReference ? arguments.reference.value() : arguments.distorted;
  options.raw = arguments.raw;
  options.frame_rate = arguments.frame_rate;
  if (role == Role::kReference && arguments.reference_frame_rate)
    options.frame_rate = arguments.reference_frame_rate;
  options.upright = !arguments.as_stored;
  options.planes = planes_to_read(arguments);
  options.threads = thread_count(arguments);
  options.decoders = arguments.decoders;
  options.hardware = arguments.hardware;
  const int64_t memory = memory_limit(arguments);
  options.videos = arguments.reference ? 2 : 1;
  const int64_t shares = kDeviceAheadShare * options.videos * options.hardware.runs;
  options.ahead_bytes = std::min(memory / kAheadShare, kMostAheadBytes) / options.videos;
  for (const vulkan::DeviceInfo& device : options.hardware.devices) {
    if (options.hardware.pictures) options.device_ahead_bytes += device.memory_budget / shares;
  }
  options.stream = arguments.stream;
  if (role == Role::kReference) {
    options.stream = arguments.reference_stream.value_or(arguments.stream);
    if (!arguments.reference_stream) options.stream_advice = ". Try: --stream-ref, for the reference alone";
  }
  if (arguments.part) {
    const RunPart& part = *arguments.part;
    const auto add = [&](const auto& one) {
      const std::optional<StreamPart>& coded = role == Role::kReference ? one.reference : one.distorted;
      if (coded) options.parts.push_back(*coded);
    };
    for (const RunStretch& stretch : part.stretches) add(stretch);
    if (part.stretches.empty()) add(part);
    options.measured = role == Role::kReference ? part.reference_length : part.distorted_length;
  }
  options.film_grain = arguments.film_grain != FilmGrainRequest::kOff;
  options.allow_damage = arguments.allow_damage;
  options.stop = arguments.stop;
  return options;
}

SourceOptions in_software(SourceOptions options) {
  options.parts.clear();
  options.hardware = HardwareRequest();
  options.hardware.decoder = DecoderRequest::kSoftware;
  return options;
}

PairSearch pair_search(const RunOptions& arguments, const Execution& execution) {
  PairSearch search;
  search.reference = in_software(source_options(arguments, Role::kReference));
  search.distorted = in_software(source_options(arguments, Role::kDistorted));
  for (SourceOptions* options : {&search.reference, &search.distorted}) {
    if (!arguments.raw) check_is_video(options->path);
    options->planes = 1;
  }
  search.skips = {arguments.skip_reference, arguments.skip_distorted};
  search.execution = execution;
  return search;
}

std::unique_ptr<FrameReader> open_input(const RunOptions& arguments, Role role, int least_planes) {
  SourceOptions options = source_options(arguments, role);
  options.planes = std::max(options.planes, least_planes);
  if (!arguments.raw) check_is_video(options.path);
  ReadLimits limits = frames_to_read(arguments, role);
  // A program that writes to two pipes may wait for the reader of either.
  const int least = is_read_once(options.path) ? 1 : 0;
  limits.capacity = static_cast<size_t>(std::max(least, read_ahead(options.threads)));
  return std::make_unique<FrameReader>(options, limits);
}

RunOptions count_skipped(RunOptions arguments) {
  const auto count = [&](Role role, std::optional<double>& seconds, int64_t& frames) {
    if (!seconds) return;
    const char* const flag = role == Role::kReference ? "--frame_skip_ref" : "--frame_skip_dist";
    SourceOptions options = in_software(source_options(arguments, role));
    if (!arguments.raw) check_is_video(options.path);
    check_read_twice(options.path, words("{} with a time reads a video", flag), " Give a number of frames");
    frames = frames_before(options, *seconds, flag);
    seconds.reset();
  };
  count(Role::kDistorted, arguments.skip_distorted_seconds, arguments.skip_distorted);
  if (arguments.reference)
    count(Role::kReference, arguments.skip_reference_seconds, arguments.skip_reference);
  return arguments;
}

VideoInfo look_at_input(const RunOptions& arguments) {
  RunOptions look = arguments;
  look.threads = 1;
  look.hardware.decoder = DecoderRequest::kSoftware;
  return open_input(look, Role::kDistorted)->info();
}

std::vector<Metric> check_run(const RunOptions& arguments) {
  if (arguments.crop && !arguments.crop->rectangle) check_searchable("--crop", arguments.distorted);
  if (arguments.reference_crop && !arguments.reference_crop->rectangle)
    check_searchable("--crop-ref", *arguments.reference);
  if (is_read_once(arguments.distorted)) return {};
  VideoFormats formats;
  formats.distorted = look_at_input(arguments).format;
  if (arguments.crop && arguments.crop->rectangle) {
    check_crop("--crop", *arguments.crop->rectangle, formats.distorted);
    formats.distorted.width = arguments.crop->rectangle->width;
    formats.distorted.height = arguments.crop->rectangle->height;
  }
  const Settled settled = settle(arguments, arguments, {.formats = formats});
  for (const FeatureRequest& request : settled.features) {
    if (!request.info->needs_reference(request.options)) check_request(request, settled.formats);
  }
  return report_metrics(settled.features, settled.models);
}

namespace {

// One video of the pair, while it is read.
class Side {
 public:
  Side(const SourceOptions& options, int64_t skip, const PairSearch& search, std::optional<Rectangle> picture)
      : stop_(options.stop),
        reader_(options, {.capacity = 4, .skip = skip, .end = search.frames > 0 ? search.frames : -1}),
        most_(search.frames),
        is_cropped_(picture.has_value()),
        bars_(reader_.info().format, search.execution),
        cell_sums_(signature::cell_sums_for(search.execution)) {
    if (picture) reader_.crop(*picture);
    reader_.start();
  }

  // The next frame's number and signature.
  std::optional<std::pair<int64_t, Signature>> next() {
    std::optional<Frame> frame = reader_.next(stop_);
    if (!frame) {
      if (stop_.is_requested()) throw Error(ErrorKind::kIncomplete, "interrupted");
      return std::nullopt;
    }
    ++frames_;
    if (!is_cropped_ && is_looked_at_for_bars(frame->index) && !bars_.is_whole()) bars_.look(*frame);
    return std::pair(frame->index, signature_of(*frame, reader_.info().format, cell_sums_));
  }
  const VideoInfo& info() const { return reader_.info(); }
  const BarFinder& bars() const { return bars_; }
  SearchedVideo searched() const { return {info(), frames_, most_ == 0 || frames_ < most_}; }

 private:
  StopToken stop_;
  FrameReader reader_;
  const int64_t most_;  // frames to read; 0: all
  const bool is_cropped_;
  BarFinder bars_;
  const signature::CellSums cell_sums_;
  int64_t frames_ = 0;
};

struct Pictures {
  std::optional<Rectangle> reference, distorted;
};

// The area that both show. Bars of a video of the same size cover what the other has there; one of another
// size has its whole picture within them.
Pictures within_bars(const Side& reference, const Side& distorted) {
  if (const std::optional<Rectangle> both = shown_by_both(reference.bars(), distorted.bars()))
    return {both, both};
  return {reference.bars().picture(), distorted.bars().picture()};
}

// Fills what is known of a reading of both, and gives the pictures within the bars if these differ.
std::optional<Pictures> read_both(const PairSearch& search, const Pictures& within, PairFindings& findings) {
  Side reference(search.reference, search.skips.reference, search, within.reference);
  Side distorted(search.distorted, search.skips.distorted, search, within.distorted);
  const PairHeaders pair = headers_of(distorted.info(), reference.info());
  if (search.needs_one_rate && has_other_moments(pair)) {
    throw Error(ErrorKind::kMismatch,
                "--align auto: {} and {} have different frame rates, so no shift fits. Try: --pair time, or "
                "convert one first, for example with {}",
                shown_path(distorted.info().path), shown_path(reference.info().path),
                rate_remedy(pair.reference));
  }
  AlignmentFinder finder(search.window);
  for (bool more = true; more;) {
    const auto a = reference.next(), b = distorted.next();
    if (a) finder.add_reference(a->first, a->second);
    if (b) finder.add_distorted(b->first, b->second);
    more = a || b;
  }
  findings.reference = reference.searched();
  findings.distorted = distorted.searched();
  findings.alignment = finder.finish();
  const std::optional<std::string> bars = difference_of_bars(reference.bars(), distorted.bars());
  if (!bars) return std::nullopt;
  findings.bars = bars;
  findings.within_bars = shown_by_both(reference.bars(), distorted.bars());
  return within_bars(reference, distorted);
}

}  // namespace

ShiftSettled settle_shift(PairSearch search) {
  for (const std::string* path : {&search.reference.path, &search.distorted.path})
    check_read_twice(*path, "--align auto reads videos");
  search.needs_one_rate = true;
  const Alignment alignment = search_pair(search).alignment;
  if (!alignment.is_certain()) {
    const std::string why =
        alignment.is_foreign() ? "the pictures are not alike" : "several shifts agree equally well";
    return {0, "align=none (cannot be told)",
            words("--align auto: the shift cannot be told, since {}; nothing is skipped.", why)};
  }
  // Where frames were dropped or repeated, the one that the videos begin with.
  const int64_t shift = alignment.first_shift();
  const NumberStyle style{NumberStyle::Kind::kSignificant, 2};
  return {
      shift,
      words("align={} (found, confidence {})", shift_text(shift), number_text(alignment.confidence, style)),
      ""};
}

PairFindings search_pair(const PairSearch& search) {
  PairFindings findings;
  const std::optional<Pictures> within = read_both(search, {}, findings);
  if (within) read_both(search, *within, findings);
  return findings;
}

}  // namespace vq::cli
