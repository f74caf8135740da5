#include "cli/pictures/heatmap_outputs.h"

#include <fstream>
#include <system_error>

#include "cli/system/messages.h"
#include "core/content_hash.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/known_metrics.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFrameDigits = 6;
constexpr size_t kLongestBase = 200;   // leaves room in a name of 255 bytes for all that follows
constexpr size_t kMarkedBytes = 4096;  // at either end of a file: the mark is looked for there

constexpr std::string_view kKindEndings[] = {"", ".distorted", ".reference"};  // by PictureKind

// The text cut to a number of bytes, without half a character at the end.
std::string shortened(std::string text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (text[bytes] & 0xC0) == 0x80) --bytes;
  text.resize(bytes);
  return text;
}

std::string base_of(const PictureOrigin& origin, int number) {
  const std::string suffix = words("{}.{}", number > 1 ? words("-{}", number) : "", origin.metric);
  const size_t room = kLongestBase - std::min(kLongestBase / 2, suffix.size());
  return shortened(shortened(origin.stem, room) + suffix, kLongestBase);
}

// Whether the text is an ending of a file's name, from its dot on.
bool is_ending(std::string_view text) {
  for (const std::string_view extension : {".mp4", ".mkv", ".png"}) {
    if (!text.ends_with(extension)) continue;
    text.remove_suffix(extension.size());
    if (text.ends_with(kPartialSuffix)) text.remove_suffix(kPartialSuffix.size());
    if (extension != ".png") return text.empty();
    for (const std::string_view kind : kKindEndings) {
      if (!kind.empty() && text.ends_with(kind)) text.remove_suffix(kind.size());
    }
    long long frame = 0;
    return text.starts_with(".f") && text.size() >= 2 + kFrameDigits && parse_int(text.substr(2), frame);
  }
  return false;
}

bool is_named(const std::string& name, const std::string& base) {
  return name.starts_with(base) && is_ending(std::string_view(name).substr(base.size()));
}

bool has_mark(const fs::path& path, const std::string& mark) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || error) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, kMarkedBytes> bytes;
  const auto found = [&] {
    file.read(bytes.data(), bytes.size());
    const std::string_view text(bytes.data(), static_cast<size_t>(file.gcount()));
    return text.find(mark) != text.npos;
  };
  if (found()) return true;
  file.clear();
  file.seekg(-static_cast<std::streamoff>(kMarkedBytes), std::ios::end);
  return file && found();
}

bool is_taken(const std::string& folder, const std::vector<std::string>& reserved, const std::string& base,
              const std::string& mark) {
  if (std::ranges::any_of(reserved, [&](const auto& name) { return is_named(name, base); })) return true;
  std::error_code error;
  for (fs::directory_iterator entry(path_of(folder), error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_named(text_of(entry->path().filename()), base) && !has_mark(entry->path(), mark)) return true;
  }
  return false;
}

}  // namespace

PictureOrigin picture_origin(const std::string& video, const std::string& metric) {
  const bool is_file = !is_standard_input(video);
  std::error_code error;
  const fs::path place = is_file ? fs::canonical(path_of(video), error) : fs::path();
  PictureOrigin origin;
  origin.stem = is_file ? text_of(path_of(video).stem()) : "stdin";
  origin.metric = metric;
  origin.mark = "cambi-video-" + hash_text(content_hash(error ? video : text_of(place)));
  return origin;
}

std::string picture_base(const std::string& folder, const std::vector<std::string>& reserved,
                         const PictureOrigin& origin) {
  for (int number = 1;; ++number) {
    const std::string base = base_of(origin, number);
    if (!is_taken(folder, reserved, base, origin.mark)) return words("{}/{}", folder, base);
  }
}

std::string picture_path(const std::string& base, int64_t frame, PictureKind kind) {
  std::string number = std::to_string(frame);
  if (number.size() < kFrameDigits) number.insert(0, kFrameDigits - number.size(), '0');
  return words("{}.f{}{}.png", base, number, kKindEndings[static_cast<size_t>(kind)]);
}

// Frames as PNG files with a coloured overlay of their flaws.
class HeatmapOutputs::PictureFiles final : public FrameObserver {
 public:
  PictureFiles(const PictureNames& names, const ObservedVideo& video, const FrameRange& frames)
      : names_(names), frames_(frames), maker_(video) {}

  bool wants(int64_t frame) const override { return frames_.contains(frame); }
  // Throws Error{kOutput}.
  void frame(const ScoredFrame& frame) override { add(maker_.make(frame)); }

  // With a reference, also the plain pictures of both videos.
  void add(const Snapshot& shot) {
    add(shot.frame, PictureKind::kHeatMap, render_overlay(shot));
    if (shot.reference.empty()) return;
    add(shot.frame, PictureKind::kDistorted, colours_of(shot.picture));
    add(shot.frame, PictureKind::kReference, colours_of(shot.reference));
  }

  // All files, to be committed together as BASE.f000123.png, or for a run that ended early as
  // BASE.f000123.partial.png.
  std::vector<OutputFile*> outputs(const std::string& base, bool partial) {
    std::vector<OutputFile*> all;
    for (Written& written : files_) {
      const std::string path = picture_path(base, written.frame, written.kind);
      written.file.move_to(partial ? openable_partial_path(path) : path);
      all.push_back(&written.file);
    }
    return all;
  }

 private:
  struct Written {
    OutputFile file;
    int64_t frame;
    PictureKind kind;
  };

  void add(int64_t frame, PictureKind kind, const RgbImage& image) {
    OutputFile file(picture_path(names_.base, frame, kind), OutputFile::Place::kLater);
    file.write(encode_png(image, names_.mark));
    file.close();
    files_.push_back({std::move(file), frame, kind});
  }

  const PictureNames names_;
  const FrameRange frames_;
  SnapshotMaker maker_;
  std::vector<Written> files_;
};

void parse_heatmap_formats(const std::string& text, HeatmapRequests& requests) {
  bool* const targets[] = {&requests.raw, &requests.png, &requests.video};
  for (bool* target : targets) *target = false;
  for (const std::string_view form : fields(text, ','))
    *targets[choice_value("--heatmap-format", std::string(form), {"gray", "png", "video"})] = true;
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
  if (requests.range.last < requests.range.first)
    throw usage_error("--heatmap-frames: \"{}\" ends before it starts.", printable(text));
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
    throw usage_error("--heatmap-video-size has no effect without a video. Add --heatmap-format video");
  if (requests.frames != HeatmapRequests::Frames::kWorst || !(requests.raw || requests.video)) return;
  throw usage_error(
      "--heatmap-frames worst works only with --heatmap-format png; gray and video have all frames or a "
      "range.");
}

HeatmapOutputs::HeatmapOutputs(const HeatmapRequests& requests, const HeatmapPlace& place,
                               const ObservedVideo& video)
    : requests_(requests), place_(place) {
  if (requests.page) {
    page_ = std::make_unique<WorstFrames>(video, requests.worst.value_or(kDefaultPagePictures),
                                          MomentsOf::kEveryMetric);
  }
  if (!requests.png && !requests.video) return;
  folder_ = std::make_unique<OutputFolder>(place.folder);
  const PictureNames names = {words("{}/{}", place.folder, base_of(place.origin, 1)), place.origin.mark};
  if (requests.png) files_ = std::make_unique<PictureFiles>(names, video, requests.shown_range());
  if (requests.worst_pictures())
    worst_ = std::make_unique<WorstFrames>(video, requests.worst.value_or(kDefaultWorstPictures),
                                           MomentsOf::kShownMetric);
  if (requests.video) {
    video_ = std::make_unique<OverlayVideo>(
        names, video,
        OverlayVideoSettings{.frames = requests.shown_range(),
                             .limit = requests.video_size.value_or(kSnapshotLimit),
                             .threads = place.threads,
                             .tell = place.tell});
  }
}

HeatmapOutputs::~HeatmapOutputs() = default;

int64_t HeatmapOutputs::memory_bytes(const HeatmapRequests& requests, const ObservedVideo& video) {
  // Encoders keep some dozens of frames to look ahead.
  constexpr size_t kEncoderFrames = 48;
  int64_t bytes = 0;
  if (requests.worst_pictures())
    bytes += WorstFrames::memory_bytes(video, requests.worst.value_or(kDefaultWorstPictures),
                                       MomentsOf::kShownMetric);
  if (requests.page)
    bytes += WorstFrames::memory_bytes(video, requests.worst.value_or(kDefaultPagePictures),
                                       MomentsOf::kEveryMetric);
  if (requests.video) bytes += WorstFrames::memory_bytes(video, kEncoderFrames, MomentsOf::kShownMetric);
  if (requests.draws_range()) {
    for (const HeatmapInfo& info : video.heatmaps) bytes += int64_t{2} * (info.width + 64) * info.height;
  }
  return bytes;
}

std::vector<FrameObserver*> HeatmapOutputs::observers() const {
  std::vector<FrameObserver*> all;
  if (worst_) {
    all.push_back(worst_.get());
  } else if (files_) {
    all.push_back(files_.get());
  }
  if (video_) all.push_back(video_.get());
  if (page_) all.push_back(page_.get());
  return all;
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
  const std::string base = picture_base(place_.folder, reserved_names(), place_.origin);
  std::vector<OutputFile*> all;
  if (files_) all = files_->outputs(base, partial);
  if (OutputFile* video = video_ ? video_->output(base, partial) : nullptr) all.push_back(video);
  if (partial) std::erase_if(all, [](const OutputFile* file) { return !file->is_pending(); });
  return all;
}

std::vector<std::string> HeatmapOutputs::reserved_names() const {
  std::vector<std::string> names;
  for (const std::string& path : place_.other_outputs) {
    const std::string target = follow_links(path);
    if (same_file(folder_of(target), place_.folder)) names.push_back(text_of(path_of(target).filename()));
  }
  return names;
}

void HeatmapOutputs::committed() {
  if (!folder_) return;
  folder_->keep();
  folder_->unlock();
}

int64_t raw_frame_bytes(std::span<const HeatmapInfo> infos) {
  int64_t bytes = 0;
  for (const HeatmapInfo& info : infos) bytes += int64_t{2} * info.width * info.height;
  return bytes;
}

void check_free_space(const std::string& folder, int64_t bytes, const std::string& what) {
  std::error_code error;
  fs::space_info space = fs::space(path_of(folder), error);
  if (error) space = fs::space(path_of(folder_of(folder)), error);
  if (error || bytes < 0 || static_cast<uintmax_t>(bytes) <= space.available) return;
  throw Error(ErrorKind::kOutput, "{}, and {} are free there. Try: --heatmap-format png, or fewer frames",
              what, bytes_text(static_cast<int64_t>(space.available)));
}

constexpr int kPieceBytes = 1 << 20;  // written at once

// Version 1.0 of NumPy's format: this, two bytes that tell the length of the rest of the header, and a Python
// literal, filled up with spaces. All together a multiple of 64, and long enough for any number of frames.
static constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr size_t kHeaderBytes = 128, kLengthBytes = 2;

static void append_little_endian(std::string& out, uint32_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

static std::string extension_of(const std::string& path) {
  return lower_case(text_of(path_of(path).extension()));
}

void check_histogram_path(const std::string& path) {
  const std::string extension = extension_of(path);
  if (extension != ".npy" && extension != ".csv")
    throw usage_error("histograms are written as .npy or .csv, and {} is neither.", shown_path(path));
  if (extension == ".npy" && is_written_in_place(path)) {
    throw usage_error(
        "a .npy file begins with its number of frames, which {} would have to wait for. Use .csv there, or a "
        "file.",
        shown_path(path));
  }
}

class MapFiles::HeatmapFiles {
 public:
  HeatmapFiles(const std::string& folder, std::string_view feature, std::span<const HeatmapInfo> infos)
      : folder_(folder) {
    files_.reserve(infos.size());
    for (const HeatmapInfo& info : infos) {
      const std::string path = words("{}/{}", folder, heatmap_file_name(feature, info));
      check_writable(path);
      files_.emplace_back(path);
    }
  }

  void write(const std::vector<Plane<uint16_t>>& maps) {
    is_whole_ = false;
    for (size_t i = 0; i < maps.size(); ++i) write(maps[i].view(), files_[i]);
    is_whole_ = true;
  }

  void add_outputs(bool partial, std::vector<OutputFile*>& all) {
    for (OutputFile& file : files_) {
      if (partial && (!is_whole_ || !file.is_pending())) continue;
      if (partial) file.move_to(partial_path(file.path()));
      all.push_back(&file);
    }
  }

 private:
  void write(PlaneView<const uint16_t> map, OutputFile& file) {
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
      file.write({buffer_.data(), buffer_.size()});
    }
  }

  OutputFolder folder_;
  std::vector<OutputFile> files_;  // by scale
  std::vector<char> buffer_;
  bool is_whole_ = true;  // all files end with the same frame
};

class MapFiles::HistogramFile {
 public:
  HistogramFile(const std::string& path, std::vector<HistogramInfo> infos)
      : infos_(std::move(infos)), is_array_(extension_of(path) == ".npy"), file_(path) {
    file_.write(header());
  }

  // The histograms of the next frame, as `infos` describes them.
  void add(int64_t frame, std::span<const std::vector<uint32_t>> histograms) {
    is_whole_ = false;
    buffer_.clear();
    for (size_t i = 0; i < histograms.size(); ++i) {
      if (!is_array_) buffer_ += words("{},{}", frame, infos_[i].name);
      for (const uint32_t count : histograms[i]) {
        is_array_ ? append_little_endian(buffer_, count, sizeof count) : void(buffer_ += words(",{}", count));
      }
      if (!is_array_) buffer_ += "\n";
    }
    file_.write(buffer_);
    ++frames_;
    is_whole_ = true;
  }

  // Null if writing a partial file failed, or it was written in place.
  OutputFile* output(bool partial) {
    if (partial && (!is_whole_ || !file_.is_pending())) return nullptr;
    if (is_array_) {
      file_.seek(0);
      file_.write(header());
    }
    if (partial) file_.move_to(partial_path(file_.path()));
    return &file_;
  }

 private:
  std::string header() const {
    if (!is_array_) {
      std::string line = "frame,channel";
      for (int bin = 0; bin < infos_.front().bins; ++bin) line += words(",{}", bin);
      return line + "\n";
    }
    std::string literal = words("{'descr': '<u4', 'fortran_order': False, 'shape': ({}, {}, {}), }", frames_,
                                infos_.size(), infos_.front().bins);
    const size_t room = kHeaderBytes - kMagic.size() - kLengthBytes;
    literal.resize(room - 1, ' ');
    std::string bytes(kMagic);
    append_little_endian(bytes, static_cast<uint32_t>(room), kLengthBytes);
    return bytes + literal + "\n";
  }

  const std::vector<HistogramInfo> infos_;
  const bool is_array_;
  int64_t frames_ = 0;
  OutputFile file_;
  bool is_whole_ = true;  // the file ends with a complete frame
  std::string buffer_;
};

MapFiles::MapFiles(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                   const HeatmapRequests& requests)
    : raw_frames_(requests.shown_range()),
      histograms_of_(histogram_feature(features)),
      files_(features.size()) {
  std::vector<std::string> folders;
  for (size_t i = 0; i < features.size(); ++i) {
    const std::string folder = heatmap_folder(features[i]);
    if (!requests.raw || folder.empty()) continue;
    const auto meets = [&](const std::string& other) { return same_file(folder, other); };
    if (std::ranges::any_of(folders, meets))
      throw usage_error("two features would write heatmaps into {}. Give each its own folder.", folder);
    folders.push_back(folder);
    files_[i].heatmaps = std::make_unique<HeatmapFiles>(
        folder, features[i].info->name, features[i].info->heatmaps(features[i].options, formats));
  }
  for (size_t i = 0; i < features.size(); ++i) {
    const std::string path = histogram_path(features[i]);
    if (!path.empty())
      files_[i].histograms = std::make_unique<HistogramFile>(path, histograms_of(features[i], formats));
  }
  if (requests.page && histograms_of_)
    levels_ = std::make_unique<LevelRecorder>(histograms_of(features[*histograms_of_], formats));
}

MapFiles::~MapFiles() = default;

void MapFiles::found(const FrameScores& scores) {
  if (!scores.is_reported) return;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].heatmaps && raw_frames_.contains(scores.frame))
      files_[i].heatmaps->write(scores.results[i].heatmaps);
  }
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].histograms) files_[i].histograms->add(scores.frame, scores.results[i].histograms);
  }
  if (levels_) levels_->add(scores.results[*histograms_of_].histograms);
}

std::vector<OutputFile*> MapFiles::heatmap_outputs(bool partial) {
  std::vector<OutputFile*> all;
  for (Files& files : files_) {
    if (files.heatmaps) files.heatmaps->add_outputs(partial, all);
  }
  return all;
}

std::vector<OutputFile*> MapFiles::histogram_outputs(bool partial) {
  std::vector<OutputFile*> all;
  for (Files& files : files_) {
    OutputFile* const file = files.histograms ? files.histograms->output(partial) : nullptr;
    if (file != nullptr) all.push_back(file);
  }
  return all;
}

std::vector<ChannelLevels> MapFiles::levels() const {
  return levels_ ? levels_->channels() : std::vector<ChannelLevels>();
}

}  // namespace vq::cli
