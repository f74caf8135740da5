#include "cli/inputs/pair_crop.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "cli/decoding/open_video.h"
#include "cli/inputs/run_inputs.h"
#include "cli/inputs/scoring_remarks.h"
#include "core/error.h"
#include "feature/extractor.h"

namespace vq::cli {

namespace {

// Pictures before the first that is scored, as far as that can be told beforehand.
int64_t pictures_before(const RunOptions& arguments, const VideoInfo& distorted, int64_t skipped) {
  int64_t start = 0;
  if (arguments.start) {
    const int64_t* number = std::get_if<int64_t>(&*arguments.start);
    const double rate = distorted.frame_rate().value_or(kAssumedFrameRate);
    start =
        number ? *number : std::llround(std::get<double>(*arguments.start) * rate) - arguments.skip_distorted;
  }
  return skipped + std::max<int64_t>(start, 0);
}

class CropSearch {
 public:
  CropSearch(const RunOptions& arguments, const DecodedVideos& videos)
      : arguments_(arguments), videos_(videos) {}

  BarFinder bars(Role role) const {
    const bool is_reference = role == Role::kReference;
    return look_for_bars(
        {.source = in_software(source_options(arguments_, role)),
         .skip = pictures_before(arguments_, videos_.distorted,
                                 is_reference ? arguments_.skip_reference : arguments_.skip_distorted),
         .execution = videos_.execution});
  }

 private:
  const RunOptions& arguments_;
  const DecodedVideos& videos_;
};

// Takes what was found into `kept`, and returns the note on it.
std::string take_found(const std::string& word, const std::optional<Rectangle>& found,
                       const VideoFormat& video, const std::string& how, std::optional<Rectangle>& kept) {
  if (!found) return word + "=none (too little of the picture is lit to tell bars from a dark scene)";
  if (found->width == video.width && found->height == video.height) return word + "=none (no black bars)";
  kept = found;
  return word + "=" + crop_text(*found) + " (" + how + ")";
}

// What is scored of one video by itself.
std::string crop_one(const CropRequest& request, const std::string& word, const VideoFormat& video, Role role,
                     const CropSearch& search, std::optional<Rectangle>& kept) {
  if (!request.rectangle)
    return take_found(word, search.bars(role).active_area(), video, "without black bars", kept);
  check_crop("--" + word, *request.rectangle, video);
  kept = request.rectangle;
  return word + "=" + crop_text(*kept) + " (as asked)";
}

// What both show; where too little is lit in one of them, what the other shows.
std::optional<Rectangle> active_area_of_both(const CropSearch& search) {
  const BarFinder distorted = search.bars(Role::kDistorted), reference = search.bars(Role::kReference);
  const std::optional<Rectangle> one = distorted.active_area(), other = reference.active_area();
  if (!one || !other) return one ? one : other;
  return shown_by_both(distorted, reference);
}

// Number of pictures that are looked at: that show anything, and in all.
constexpr int kLitPictures = 300, kMostPictures = 1500;

}  // namespace

PairCrop resolve_crops(const RunOptions& arguments, const DecodedVideos& videos) {
  PairCrop crop;
  const VideoFormat video = videos.distorted.named_format();
  const CropSearch search(arguments, videos);
  const auto is_searched = [](const std::optional<CropRequest>& request) {
    return request && !request->rectangle;
  };
  const bool uses_reference = frame_needs(arguments.features).reference;
  if (is_searched(arguments.crop)) check_searchable("--crop", arguments.distorted);
  if (arguments.reference_crop) {
    if (is_searched(arguments.reference_crop)) check_searchable("--crop-ref", *arguments.reference);
    if (arguments.crop)
      crop.notes.push_back(
          crop_one(*arguments.crop, "crop", video, Role::kDistorted, search, crop.distorted));
    crop.notes.push_back(crop_one(*arguments.reference_crop, "crop-ref", videos.reference->named_format(),
                                  Role::kReference, search, crop.reference));
    return crop;
  }
  if (!arguments.crop) return crop;
  const std::optional<VideoFormat> reference =
      videos.reference != nullptr ? std::optional(videos.reference->named_format()) : std::nullopt;
  const bool is_of_both = reference && reference->width == video.width && reference->height == video.height;
  if (is_of_both && uses_reference && !arguments.crop->rectangle) {
    check_searchable("--crop", *arguments.reference);
    crop.notes.push_back(
        take_found("crop", active_area_of_both(search), video, "black bars left out", crop.distorted));
  } else {
    crop.notes.push_back(crop_one(*arguments.crop, "crop", video, Role::kDistorted, search, crop.distorted));
  }
  if (is_of_both) crop.reference = crop.distorted;
  if (!crop.distorted || !reference || is_of_both || !uses_reference) return crop;
  throw Error(ErrorKind::kMismatch, "--crop needs a reference of the same size; " + reference->name + " is " +
                                        size_text(*reference) + " and " + video.name + " is " +
                                        size_text(video) +
                                        ". Try: --crop-ref W:H:X:Y, for the reference alone");
}

void crop_formats(const PairCrop& crop, VideoFormats& formats) {
  const auto cut = [](const std::optional<Rectangle>& rectangle, VideoFormat& format) {
    if (!rectangle) return;
    format.width = rectangle->width;
    format.height = rectangle->height;
  };
  cut(crop.distorted, formats.distorted);
  if (formats.reference) cut(crop.reference, *formats.reference);
}

void check_crops_of_chroma(const RunOptions& arguments, const PairCrop& crop, const VideoFormats& formats) {
  if (crop.distorted) check_crop_of_chroma("--crop", *crop.distorted, formats.distorted);
  if (crop.reference && formats.reference) {
    check_crop_of_chroma(arguments.reference_crop ? "--crop-ref" : "--crop", *crop.reference,
                         *formats.reference);
  }
}

BarFinder look_for_bars(const BarSearch& search) {
  const std::unique_ptr<VideoSource> source = open_video(search.source);
  BarFinder bars(source->info().format, search.execution);
  try {
    source->skip(search.skip);
    for (int lit = 0, read = 0; lit < kLitPictures && read < kMostPictures && !bars.is_whole(); ++read) {
      const std::optional<Frame> frame = source->read();
      if (!frame) break;
      if (bars.look(*frame)) ++lit;
    }
  } catch (const Error& error) {
    // Damage is reported when the frames are read to be scored.
    const bool stopped = search.source.stop.is_requested();
    if (stopped || error.kind() != ErrorKind::kIncomplete) throw;
  }
  return bars;
}

}  // namespace vq::cli
