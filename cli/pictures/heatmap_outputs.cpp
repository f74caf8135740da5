#include "cli/pictures/heatmap_outputs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/pictures/picture_files.h"
#include "cli/system/output_file.h"
#include "cli/system/output_path.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text/argument_values.h"

namespace vq::cli {
namespace {

const FrameRange& range_of(const HeatmapRequests& requests) {
  static const FrameRange all;
  return requests.frames == HeatmapRequests::Frames::kRange ? requests.range : all;
}

}  // namespace

void parse_heatmap_formats(const std::string& text, HeatmapRequests& requests) {
  bool* const targets[] = {&requests.raw, &requests.png, &requests.video};
  for (bool* target : targets) *target = false;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    *targets[choice_value("--heatmap-format", text.substr(start, comma - start), {"gray", "png", "video"})] =
        true;
    start = comma + 1;
  }
}

void parse_heatmap_frames(const std::string& text, HeatmapRequests& requests) {
  constexpr IntRange kFrames = {0, int64_t{1} << 40};
  if (text == "worst" || text == "all") {
    requests.frames = text == "all" ? HeatmapRequests::Frames::kAll : HeatmapRequests::Frames::kWorst;
    return;
  }
  const size_t dash = text.find('-');
  long long number = 0;
  if (!parse_int(text.substr(0, dash), number))
    choice_value("--heatmap-frames", text, {"worst", "all", "A-B"});
  requests.frames = HeatmapRequests::Frames::kRange;
  requests.range.first = int_value("--heatmap-frames", text.substr(0, dash), kFrames);
  requests.range.last = dash == std::string::npos
                            ? requests.range.first
                            : int_value("--heatmap-frames", text.substr(dash + 1), kFrames);
  if (requests.range.last < requests.range.first) {
    throw Error(ErrorKind::kUsage, "--heatmap-frames: \"" + printable(text) + "\" ends before it starts.");
  }
}

void parse_heatmap_video_size(const std::string& text, HeatmapRequests& requests) {
  constexpr IntRange kSides = {16, kMaxSide};
  const std::string flag = "--heatmap-video-size";
  const size_t cross = text.find('x');
  const auto side = [&](const std::string& number) {
    return static_cast<int>(int_value(flag, number, kSides));
  };
  requests.video_size = {side(text.substr(0, cross)),
                         cross == std::string::npos ? kMaxSide : side(text.substr(cross + 1))};
}

void check_heatmap_requests(const HeatmapRequests& requests) {
  if (requests.video_size && !requests.video)
    throw Error(ErrorKind::kUsage,
                "--heatmap-video-size has no effect without a video. Add --heatmap-format video");
  if (requests.frames != HeatmapRequests::Frames::kWorst || !(requests.raw || requests.video)) return;
  throw Error(ErrorKind::kUsage,
              "--heatmap-frames worst works only with --heatmap-format png; gray and video have all frames "
              "or a range.");
}

HeatmapOutputs::HeatmapOutputs(const HeatmapRequests& requests, const HeatmapPlace& place,
                               const ObservedVideo& video)
    : requests_(requests), place_(place) {
  if (requests.page) {
    page_ = std::make_unique<FramePictures>(video, requests.worst.value_or(kDefaultPagePictures),
                                            MomentsOf::kEveryMetric);
  }
  if (!requests.png && !requests.video) return;
  folder_ = std::make_unique<OutputFolder>(place.folder);
  const PictureNames names = {first_picture_base(place.folder, place.origin), place.origin.mark};
  if (requests.png) files_ = std::make_unique<PictureFiles>(names, video, range_of(requests));
  if (requests.worst_pictures())
    worst_ = std::make_unique<FramePictures>(video, requests.worst.value_or(kDefaultWorstPictures),
                                             MomentsOf::kShownMetric);
  if (requests.video) {
    video_ = std::make_unique<OverlayVideo>(
        names, video,
        OverlayVideoSettings{range_of(requests), requests.video_size.value_or(kSnapshotLimit), place.threads,
                             place.tell});
  }
}

HeatmapOutputs::~HeatmapOutputs() = default;

int64_t HeatmapOutputs::memory_bytes(const HeatmapRequests& requests, const ObservedVideo& video) {
  // Encoders keep some dozens of frames to look ahead.
  constexpr size_t kEncoderFrames = 48;
  int64_t bytes = 0;
  if (requests.worst_pictures())
    bytes += FramePictures::memory_bytes(video, requests.worst.value_or(kDefaultWorstPictures),
                                         MomentsOf::kShownMetric);
  if (requests.page)
    bytes += FramePictures::memory_bytes(video, requests.worst.value_or(kDefaultPagePictures),
                                         MomentsOf::kEveryMetric);
  if (requests.video) bytes += FramePictures::memory_bytes(video, kEncoderFrames, MomentsOf::kShownMetric);
  if (requests.shows_frames()) {
    for (const HeatmapInfo& info : video.heatmaps) bytes += int64_t{2} * (info.width + 64) * info.height;
  }
  return bytes;
}

HeatmapTaps HeatmapOutputs::taps() const {
  HeatmapTaps taps;
  taps.levels = requests_.page;
  taps.raw_files = requests_.raw;
  taps.raw_frames = range_of(requests_);
  if (worst_) {
    taps.observers.push_back(worst_.get());
  } else if (files_) {
    taps.observers.push_back(files_.get());
  }
  if (video_) taps.observers.push_back(video_.get());
  if (page_) taps.observers.push_back(page_.get());
  return taps;
}

std::vector<FramePicture> HeatmapOutputs::page_pictures(int threads, const PicturesMade& tell) const {
  return page_ ? page_->pictures(requests_.page_quality.value_or(PageQuality::kSmall), threads, tell)
               : std::vector<FramePicture>();
}

void HeatmapOutputs::complete() {
  if (worst_) {
    for (const Snapshot* shot : worst_->chosen()) files_->add(*shot);
  }
  if (video_) video_->finish();
}

std::vector<OutputFile*> HeatmapOutputs::outputs(bool partial) {
  if (!folder_ || failed_) return {};
  failed_ = true;  // until the opposite is known
  if (!std::exchange(complete_, true)) complete();
  failed_ = false;
  folder_->lock();
  const std::string base = picture_base({place_.folder, reserved_names()}, place_.origin);
  std::vector<OutputFile*> all;
  if (files_) all = files_->outputs(base, partial);
  if (OutputFile* video = video_ ? video_->output(base, partial) : nullptr) all.push_back(video);
  if (partial) std::erase_if(all, [](const OutputFile* file) { return !file->is_pending(); });
  return all;
}

std::vector<std::string> HeatmapOutputs::reserved_names() const {
  std::vector<std::string> names;
  for (const std::string& path : place_.other_outputs) {
    const std::filesystem::path target = follow_links(path);
    if (same_file(folder_of(target), place_.folder)) names.push_back(target.filename());
  }
  return names;
}

void HeatmapOutputs::committed() {
  if (!folder_) return;
  folder_->keep();
  folder_->unlock();
}

}  // namespace vq::cli
