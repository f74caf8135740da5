#include "cli/inputs/pair_crop.h"

#include <cmath>

#include "cli/decoding/frame_reader.h"
#include "cli/decoding/open_video.h"
#include "cli/inputs/pair_reader.h"
#include "cli/inputs/run_inputs.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/analysis/shift_search.h"

namespace vq::cli {

// Takes what was found into `kept`, and returns the note on it.
static std::string take_found(const std::string& word, const std::optional<Rectangle>& found,
                              const VideoFormat& video, const std::string& how,
                              std::optional<Rectangle>& kept) {
  if (!found) return words("{}=none (too little of the picture is lit to tell bars from a dark scene)", word);
  if (found->width == video.width && found->height == video.height)
    return words("{}=none (no black bars)", word);
  kept = found;
  return words("{}={} ({})", word, crop_text(*found), how);
}

// The area that both show; if too little is lit in one of them, the area of the other.
static std::optional<Rectangle> active_area_of_both(const BarFinder& distorted, const BarFinder& reference) {
  const std::optional<Rectangle> one = distorted.active_area(), other = reference.active_area();
  if (!one || !other) return one ? one : other;
  return shown_by_both(distorted, reference);
}

static void cut_to(const std::optional<Rectangle>& rectangle, VideoFormat& format) {
  if (!rectangle) return;
  format.width = rectangle->width;
  format.height = rectangle->height;
}

// Number of pictures that are looked at: that show anything, and in all.
constexpr int kLitPictures = 300, kMostPictures = 1500;

PairCrop resolve_crops(const RunOptions& arguments, const DecodedVideos& videos) {
  PairCrop crop;
  const VideoFormat video = videos.distorted.format;
  const auto is_searched = [](const std::optional<CropRequest>& request) {
    return request && !request->rectangle;
  };
  // The crop of one video by itself.
  const auto crop_one = [&](Role role) {
    const bool is_reference = role == Role::kReference;
    const std::optional<CropRequest>& request = is_reference ? arguments.reference_crop : arguments.crop;
    if (!request) return;
    const std::string word = is_reference ? "crop-ref" : "crop";
    const VideoFormat own = is_reference ? videos.reference->format : video;
    std::optional<Rectangle>& kept = is_reference ? crop.reference : crop.distorted;
    if (request->rectangle) {
      check_crop("--" + word, *request->rectangle, own);
      kept = request->rectangle;
      crop.notes.push_back(words("{}={} (as asked)", word, crop_text(*kept)));
    } else {
      const std::optional<Rectangle> found = look_for_bars(arguments, videos, role).active_area();
      crop.notes.push_back(take_found(word, found, own, "without black bars", kept));
    }
  };
  const bool uses_reference = frame_needs(arguments.features).reference;
  if (is_searched(arguments.crop)) check_searchable("--crop", arguments.distorted);
  if (arguments.reference_crop) {
    if (is_searched(arguments.reference_crop)) check_searchable("--crop-ref", *arguments.reference);
    crop_one(Role::kDistorted);
    crop_one(Role::kReference);
    return crop;
  }
  if (!arguments.crop) return crop;
  const std::optional<VideoFormat> reference =
      videos.reference != nullptr ? std::optional(videos.reference->format) : std::nullopt;
  const bool is_of_both = reference && reference->width == video.width && reference->height == video.height;
  if (is_of_both && uses_reference && !arguments.crop->rectangle) {
    check_searchable("--crop", *arguments.reference);
    const BarFinder one = look_for_bars(arguments, videos, Role::kDistorted),
                    other = look_for_bars(arguments, videos, Role::kReference);
    crop.notes.push_back(
        take_found("crop", active_area_of_both(one, other), video, "black bars left out", crop.distorted));
  } else {
    crop_one(Role::kDistorted);
  }
  if (is_of_both) crop.reference = crop.distorted;
  if (!crop.distorted || !reference || is_of_both || !uses_reference) return crop;
  throw Error(ErrorKind::kMismatch,
              "--crop needs a reference of the same size; {} is {} and {} is {}. Try: --crop-ref W:H:X:Y, "
              "for the reference alone",
              reference->name, size_text(*reference), video.name, size_text(video));
}

PairHeaders headers_of(const RunOptions& arguments, const DecodedVideos& videos, const PairCrop& crop) {
  PairHeaders pair = headers_of(videos.distorted, *videos.reference);
  cut_to(crop.distorted, pair.distorted.format);
  cut_to(crop.reference, pair.reference.format);
  pair.is_paired_by_time = arguments.pairs_by_time;
  pair.is_as_stored = arguments.as_stored;
  return pair;
}

void crop_formats(const PairCrop& crop, VideoFormats& formats) {
  cut_to(crop.distorted, formats.distorted);
  if (formats.reference) cut_to(crop.reference, *formats.reference);
}

void check_crops_of_chroma(const RunOptions& arguments, const PairCrop& crop, const VideoFormats& formats) {
  if (crop.distorted) check_crop_of_chroma("--crop", *crop.distorted, formats.distorted);
  if (crop.reference && formats.reference) {
    check_crop_of_chroma(arguments.reference_crop ? "--crop-ref" : "--crop", *crop.reference,
                         *formats.reference);
  }
}

BarFinder look_for_bars(const RunOptions& arguments, const DecodedVideos& videos, Role role) {
  const std::unique_ptr<VideoSource> source = open_video(in_software(source_options(arguments, role)));
  BarFinder bars(source->info().format, videos.execution);
  int64_t start = 0;
  if (arguments.start) start = frame_at(*arguments.start, videos.distorted, arguments.skip_distorted);
  try {
    source->skip(frames_to_read(arguments, role).skip + std::max<int64_t>(start, 0));
    for (int lit = 0, read = 0; lit < kLitPictures && read < kMostPictures && !bars.is_whole(); ++read) {
      const std::optional<Frame> frame = source->read();
      if (!frame) break;
      if (bars.look(*frame)) ++lit;
    }
  } catch (const Error& error) {
    // Damage is reported when the frames are read to be scored.
    const bool stopped = arguments.stop.is_requested();
    if (stopped || error.kind() != ErrorKind::kIncomplete) throw;
  }
  return bars;
}

namespace {

constexpr int64_t kFramesRead = 240, kFrameStep = 12;
constexpr size_t kPicturesCompared = 8;
constexpr int kCoarseSteps = 32;  // places at which a crop is looked for first
constexpr double kAlike = 0.95;   // correlation of thumbnails
// Another place than the middle, or another cause than a crop, must leave so much less of what differs.
constexpr double kPlainlyLess = 0.7;

double stored_shape(PlaneSize size) { return static_cast<double>(size.width) / size.height; }

// One video of the two has the whole picture, of which the other may be a part.
struct Sides {
  Role whole = Role::kReference;
  PlaneSize size;    // of the whole
  double shape = 1;  // of the part, in samples of the whole
};

// The largest rectangle of the shape in the middle, to even edges.
Rectangle middle_of(const Sides& sides) {
  const auto even = [](double side, int most) {
    return std::clamp(static_cast<int>(std::lround(side / 2)) * 2, 2, most);
  };
  const PlaneSize all = sides.size;
  const int width = even(all.height * sides.shape, all.width / 2 * 2),
            height = even(all.width / sides.shape, all.height / 2 * 2);
  const bool is_wider = stored_shape(all) < sides.shape;
  const PlaneSize size = is_wider ? PlaneSize{all.width, height} : PlaneSize{width, all.height};
  return {(all.width - size.width) / 4 * 2, (all.height - size.height) / 4 * 2, size.width, size.height};
}

// Pictures of one number from both videos.
struct PicturePair {
  Frame whole;
  Pattern part;
};

class PictureSearch {
 public:
  PictureSearch(const RunOptions& arguments, const Execution& execution, Role whole)
      : arguments_(arguments), whole_(whole), cell_sums_(signature::cell_sums_for(execution)) {
    read();
  }

  bool has_pictures() const { return !pictures_.empty(); }

  // How much of the pictures differs if the part is this rectangle of the whole: 0 if they are alike, about 1
  // if they have nothing to do with each other.
  double difference_in(const Rectangle& rectangle) const {
    double sum = 0;
    for (const PicturePair& pair : pictures_) {
      Frame cut = pair.whole;
      crop_frame(cut, Chroma::k400, rectangle);
      sum += 1 - correlation(pattern_of(signature_of(cut, range_, cell_sums_)), pair.part);
    }
    return sum / static_cast<double>(pictures_.size());
  }

  // The best fitting rectangle of that size around the middle: the middle itself unless another fits plainly
  // better.
  Rectangle best(const Rectangle& middle) const {
    const int most_x = middle.x * 2, most_y = middle.y * 2;
    const int step = std::max(2, std::max(most_x, most_y) / kCoarseSteps / 2 * 2);
    Rectangle found = middle;
    double least = difference_in(middle);
    const double in_middle = least;
    const auto look = [&](int x, int y) {
      if (x < 0 || y < 0 || x > most_x || y > most_y) return;
      const Rectangle other = {x, y, middle.width, middle.height};
      const double difference = difference_in(other);
      if (difference >= least) return;
      least = difference;
      found = other;
    };
    for (int at = 0; at <= std::max(most_x, most_y); at += step)
      look(std::min(at, most_x), std::min(at, most_y));
    const Rectangle coarse = found;
    for (int by = 2 - step; by < step; by += 2)
      look(most_x > 0 ? coarse.x + by : 0, most_y > 0 ? coarse.y + by : 0);
    return least < kPlainlyLess * in_middle ? found : middle;
  }

 private:
  static double correlation(const Pattern& a, const Pattern& b) {
    if (!a.is_present) return 0;
    double sum = 0;
    for (size_t i = 0; i < a.values.size(); ++i) sum += double{1} * a.values[i] * b.values[i];
    return sum / std::sqrt(double{1} * a.square * b.square);
  }

  std::unique_ptr<FrameReader> open(Role role) const {
    SourceOptions options = in_software(source_options(arguments_, role));
    options.planes = 1;
    const int64_t skip = frames_to_read(arguments_, role).skip;
    auto reader = std::make_unique<FrameReader>(options, ReadLimits{.skip = skip, .end = kFramesRead});
    reader->start();
    return reader;
  }

  void read() {
    const StopToken stop = source_options(arguments_, whole_).stop;
    const std::unique_ptr<FrameReader> whole = open(whole_),
                                       part = open(whole_ == Role::kReference ? Role::kDistorted
                                                                              : Role::kReference);
    range_ = whole->info().format.range;
    for (int64_t number = 0; pictures_.size() < kPicturesCompared; ++number) {
      const std::optional<Frame> a = whole->next(stop), b = part->next(stop);
      if (!a || !b) return;
      if (number % kFrameStep != 0) continue;
      const Pattern pattern = pattern_of(signature_of(*b, part->info().format.range, cell_sums_));
      if (pattern.is_present) pictures_.push_back({on_host(*a), pattern});
    }
  }

  const RunOptions& arguments_;
  const Role whole_;
  const signature::CellSums cell_sums_;
  Range range_ = Range::kUnspecified;
  std::vector<PicturePair> pictures_;
};

// The cause of a smaller picture, as far as the pictures show it.
enum class Cause { kCropped, kSqueezed, kUnknown };
struct Finding {
  Cause cause = Cause::kUnknown;
  Rectangle rectangle;  // of the whole
};

// Throws what opening and reading throw.
Finding look_into(const RunOptions& arguments, const Execution& execution, const Sides& sides) {
  Finding finding{.rectangle = middle_of(sides)};
  if (is_read_once(arguments.distorted) || is_read_once(*arguments.reference)) return finding;
  const PictureSearch search(arguments, execution, sides.whole);
  if (!search.has_pictures()) return finding;
  const Rectangle best = search.best(finding.rectangle);
  const double cropped = search.difference_in(best),
               squeezed = search.difference_in({0, 0, sides.size.width, sides.size.height});
  if (std::min(cropped, squeezed) > 1 - kAlike) return finding;
  if (cropped < kPlainlyLess * squeezed) return {Cause::kCropped, best};
  if (squeezed < kPlainlyLess * cropped) return {Cause::kSqueezed, best};
  return finding;
}

std::string advice_on(const RunOptions& arguments, const PairHeaders& pair, const Sides& sides,
                      const Finding& finding) {
  const bool is_of_reference = sides.whole == Role::kReference;
  const PlaneSize left = (is_of_reference ? pair.distorted : pair.reference).format.size();
  std::string flags = (is_of_reference ? "--crop-ref " : "--crop ") + crop_text(finding.rectangle);
  if (!is_of_reference) flags += words(" --crop-ref {}", crop_text({0, 0, left.width, left.height}));
  const std::string scale = arguments.scale ? "" : " --scale-to reference";
  if (left != PlaneSize{finding.rectangle.width, finding.rectangle.height}) flags += scale;
  if (finding.cause == Cause::kCropped) {
    return words(": it looks {}. Try: {}", is_of_reference ? "cropped" : "as if bars had been added", flags);
  }
  if (finding.cause == Cause::kSqueezed) {
    return words(": its picture looks squeezed, not cropped. Try: --compare-anyway{}", scale);
  }
  return words(". If it was {}, try: {} (the middle, which is a guess)",
               is_of_reference ? "cropped" : "padded with bars", flags);
}

}  // namespace

void check_shapes(const RunOptions& arguments, const DecodedVideos& videos, const PairCrop& crop) {
  const PairHeaders pair = headers_of(arguments, videos, crop);
  const PlaneSize distorted = pair.distorted.format.size(), reference = pair.reference.format.size();
  if (arguments.compare_anyway || distorted == reference || has_one_shape(pair) ||
      !any_compares(arguments.features))
    return;
  const std::string text = shapes_text(pair);
  const bool is_turned_by_tags = lie_crosswise(pair) && pair.distorted.rotation != pair.reference.rotation;
  const auto refuse = [](const std::string& why) {
    throw RefusedPair({PairFaultKind::kShape, {why}}, "--compare-anyway scores them all the same");
  };
  if (is_turned_by_tags) refuse(words("{}. Try: {}", text, size_remedy(pair)));
  if (crop.crops_any()) refuse(words("{} even when cropped. Try: rectangles of one shape", text));
  const double a = pair.distorted.sample_aspect, b = pair.reference.sample_aspect;
  const double shown = stored_shape(distorted) * (a > 0 ? a : 1),
               other_shown = stored_shape(reference) * (b > 0 ? b : 1);
  // The picture that holds more: the reference, of an encode that was cropped; the video, if bars were added
  // to it.
  Sides sides{.whole = Role::kReference, .size = reference, .shape = shown / (b > 0 ? b : 1)};
  Finding finding = look_into(arguments, videos.execution, sides);
  if (finding.cause == Cause::kUnknown) {
    const Sides turned{.whole = Role::kDistorted, .size = distorted, .shape = other_shown / (a > 0 ? a : 1)};
    const Finding padded = look_into(arguments, videos.execution, turned);
    if (padded.cause == Cause::kCropped) {
      sides = turned;
      finding = padded;
    }
  }
  // A turned picture may look like a squeezed one.
  if (finding.cause != Cause::kCropped && lie_crosswise(pair))
    refuse(words("{}. Try: {}", text, size_remedy(pair)));
  refuse(text + advice_on(arguments, pair, sides, finding));
}

}  // namespace vq::cli
