#include "cli/pictures/heatmap_outputs.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/system/messages.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/known_metrics.h"

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
    throw Error(ErrorKind::kUsage, words("--heatmap-frames: \"{}\" ends before it starts.", printable(text)));
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

namespace {

constexpr int kPieceBytes = 1 << 20;  // written at once

}  // namespace

int64_t raw_frame_bytes(std::span<const HeatmapInfo> infos) {
  int64_t bytes = 0;
  for (const HeatmapInfo& info : infos) bytes += int64_t{2} * info.width * info.height;
  return bytes;
}

void check_free_space(const std::string& folder, int64_t bytes, const std::string& what) {
  struct statvfs system = {};
  if (statvfs(folder.c_str(), &system) != 0 && statvfs(folder_of(folder).c_str(), &system) != 0) return;
  const double free = static_cast<double>(system.f_bavail) * static_cast<double>(system.f_frsize);
  if (static_cast<double>(bytes) <= free) return;
  throw Error(ErrorKind::kOutput,
              words("{}, and {} are free there. Try: --heatmap-format png, or fewer frames", what,
                    bytes_text(static_cast<int64_t>(free))));
}

HeatmapFiles::HeatmapFiles(const std::string& folder, std::string_view feature,
                           std::span<const HeatmapInfo> infos)
    : folder_(folder) {
  files_.reserve(infos.size());
  for (const HeatmapInfo& info : infos) {
    const std::string path = words("{}/{}", folder, heatmap_file_name(feature, info));
    check_writable(path);
    files_.emplace_back(path);
    paths_.push_back(path);
  }
}

void HeatmapFiles::write(int scale, PlaneView<const uint16_t> map) {
  is_whole_ = false;  // until all scales of the frame are written
  const int rows_at_once = std::max(1, kPieceBytes / (2 * map.width));
  for (int top = 0; top < map.height; top += rows_at_once) {
    const int bottom = std::min(map.height, top + rows_at_once);
    buffer_.resize(static_cast<size_t>(bottom - top) * static_cast<size_t>(map.width) * 2);
    auto out = buffer_.begin();
    for (int y = top; y < bottom; ++y) {
      for (const uint16_t* value = map.row(y); value != map.row(y) + map.width; ++value) {
        *out++ = static_cast<char>(*value & 0xFF);
        *out++ = static_cast<char>(*value >> 8);
      }
    }
    files_[static_cast<size_t>(scale)].write({buffer_.data(), buffer_.size()});
  }
  is_whole_ = static_cast<size_t>(scale) + 1 == files_.size();
}

std::vector<OutputFile*> HeatmapFiles::outputs() {
  return pointers_to(files_);
}

std::vector<OutputFile*> HeatmapFiles::partial_outputs() {
  std::vector<OutputFile*> all;
  for (OutputFile& file : files_) {
    if (!is_whole_ || !file.is_pending()) continue;
    file.move_to(partial_path(file.path()));
    all.push_back(&file);
  }
  return all;
}

MapFiles::MapFiles(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                   const HeatmapTaps& taps)
    : raw_frames_(taps.raw_frames), histograms_of_(histogram_feature(features)), files_(features.size()) {
  for (size_t i = 0; i < features.size(); ++i) {
    if (taps.raw_files && !heatmap_folder(features[i]).empty())
      open_heatmaps(features[i], formats, files_[i]);
  }
  for (size_t i = 0; i < features.size(); ++i) {
    const std::string path = histogram_path(features[i]);
    if (path.empty()) continue;
    files_[i].histograms = std::make_unique<HistogramFile>(path, histograms_of(features[i], formats));
  }
  if (!taps.levels || !histograms_of_) return;
  levels_ = std::make_unique<LevelRecorder>(histograms_of(features[*histograms_of_], formats));
}

void MapFiles::open_heatmaps(const FeatureRequest& feature, const VideoFormats& formats, Files& files) {
  const std::string folder = heatmap_folder(feature);
  const auto meets = [&](const std::string& other) { return same_file(folder, other); };
  if (std::any_of(folders_.begin(), folders_.end(), meets)) {
    throw Error(ErrorKind::kUsage,
                words("two features would write heatmaps into {}. Give each its own folder.", folder));
  }
  folders_.push_back(folder);
  files.heatmaps = std::make_unique<HeatmapFiles>(folder, feature.info->name,
                                                  feature.info->heatmaps(feature.options, formats));
}

void MapFiles::found(const FrameScores& scores) {
  if (!scores.is_reported) return;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (!files_[i].heatmaps || !raw_frames_.contains(scores.frame)) continue;
    const std::vector<Plane<uint16_t>>& maps = scores.results[i].heatmaps;
    for (size_t k = 0; k < maps.size(); ++k) files_[i].heatmaps->write(static_cast<int>(k), maps[k].view());
  }
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].histograms) files_[i].histograms->add(scores.frame, scores.results[i].histograms);
  }
  if (levels_) levels_->add(scores.results[*histograms_of_].histograms);
}

std::vector<std::string> MapFiles::heatmap_paths() const {
  std::vector<std::string> paths;
  for (const Files& files : files_) {
    if (files.heatmaps)
      paths.insert(paths.end(), files.heatmaps->paths().begin(), files.heatmaps->paths().end());
  }
  return paths;
}

std::vector<OutputFile*> MapFiles::heatmap_outputs(bool partial) {
  std::vector<OutputFile*> all;
  for (Files& files : files_) {
    if (!files.heatmaps) continue;
    const std::vector<OutputFile*> outputs =
        partial ? files.heatmaps->partial_outputs() : files.heatmaps->outputs();
    all.insert(all.end(), outputs.begin(), outputs.end());
  }
  return all;
}

std::vector<OutputFile*> MapFiles::histogram_outputs(bool partial) {
  std::vector<OutputFile*> all;
  for (Files& files : files_) {
    if (!files.histograms) continue;
    OutputFile* const file = partial ? files.histograms->partial_output() : files.histograms->output();
    if (file != nullptr) all.push_back(file);
  }
  return all;
}

std::vector<ChannelLevels> MapFiles::levels() const {
  return levels_ ? levels_->channels() : std::vector<ChannelLevels>();
}

}  // namespace vq::cli
