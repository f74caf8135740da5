#include "cli/pictures/picture_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <system_error>
#include <utility>

#include "cli/system/messages.h"
#include "core/content_hash.h"
#include "core/text.h"
#include "core/worker_pool.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFrameDigits = 6;
constexpr size_t kLongestBase = 200;  // leaves room in a name of 255 bytes for all that follows
constexpr size_t kMarkedBytes =
    4096;  // number of bytes at either end of a file in which the mark is looked for

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

bool is_taken(const ReadLocation& place, const std::string& base, const std::string& mark) {
  const auto& reserved = place.reserved;
  if (std::any_of(reserved.begin(), reserved.end(), [&](const auto& name) { return is_named(name, base); }))
    return true;
  std::error_code error;
  for (fs::directory_iterator entry(place.folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_named(entry->path().filename().string(), base) && !has_mark(entry->path(), mark)) return true;
  }
  return false;
}

}  // namespace

PictureFiles::PictureFiles(const PictureNames& names, const ObservedVideo& video, const FrameRange& frames)
    : names_(names), frames_(frames), maker_(video) {}

void PictureFiles::frame(const ScoredFrame& frame) {
  add(maker_.make(frame));
}

void PictureFiles::add(const Snapshot& shot) {
  add(shot.frame, PictureKind::kHeatMap, encode_png(render_overlay(shot), names_.mark));
  if (shot.reference.empty()) return;
  add(shot.frame, PictureKind::kDistorted, encode_png(colours_of(shot.picture), names_.mark));
  add(shot.frame, PictureKind::kReference, encode_png(colours_of(shot.reference), names_.mark));
}

void PictureFiles::add(int64_t frame, PictureKind kind, const std::string& png) {
  OutputFile file(picture_path(names_.base, frame, kind), OutputFile::Place::kLater);
  file.write(png);
  file.close();
  files_.push_back({std::move(file), frame, kind});
}

std::vector<OutputFile*> PictureFiles::outputs(const std::string& base, bool partial) {
  std::vector<OutputFile*> all;
  for (Written& written : files_) {
    const std::string path = picture_path(base, written.frame, written.kind);
    written.file.move_to(partial ? openable_partial_path(path) : path);
    all.push_back(&written.file);
  }
  return all;
}

PictureOrigin picture_origin(const std::string& video, const std::string& metric) {
  const bool is_file = !is_standard_input(video);
  std::error_code error;
  const fs::path place = is_file ? fs::canonical(video, error) : fs::path();
  PictureOrigin origin;
  origin.stem = is_file ? fs::path(video).stem().string() : "stdin";
  origin.metric = metric;
  origin.mark = "cambi-video-" + hash_text(content_hash(error ? video : place.string()));
  return origin;
}

std::string first_picture_base(const std::string& folder, const PictureOrigin& origin) {
  return words("{}/{}", folder, base_of(origin, 1));
}

std::string picture_base(const ReadLocation& place, const PictureOrigin& origin) {
  for (int number = 1;; ++number) {
    const std::string base = base_of(origin, number);
    if (!is_taken(place, base, origin.mark)) return words("{}/{}", place.folder, base);
  }
}

std::string picture_path(const std::string& base, int64_t frame, PictureKind kind) {
  std::string number = std::to_string(frame);
  if (number.size() < kFrameDigits) number.insert(0, kFrameDigits - number.size(), '0');
  return words("{}.f{}{}.png", base, number, kKindEndings[static_cast<size_t>(kind)]);
}

namespace {

// Colours have no detail that is lost at such a size, and in steps that are not seen.
constexpr int kLayerWidth = 640, kLayerHeight = 360;
constexpr int kLayerStep = 4;  // of Snapshot::local

// The local scores at a size that is enough for a layer, each the mean of those it stands for.
Plane<uint8_t> layer_of(PlaneView<const uint8_t> local) {
  const PlaneSize size = fitted({local.width, local.height}, {kLayerWidth, kLayerHeight});
  Plane<uint8_t> layer(size.width, size.height);
  const auto round = [](double sum) {
    return static_cast<uint8_t>(std::lround(sum / kLayerStep) * kLayerStep);
  };
  shrink_plane<uint8_t>(local, round, layer.view());
  return layer;
}

// Sizes of one shape, as far as whole samples allow.
bool have_one_shape(const PlaneSize& a, const PlaneSize& b) {
  constexpr double kTolerance = 0.01;
  const double ratio = static_cast<double>(a.width) * b.height / (static_cast<double>(b.width) * a.height);
  return std::fabs(ratio - 1) < kTolerance;
}

Still at_size_of(const Still& still, const Still& reference) {
  const bool is_scaled = !reference.empty() && have_one_shape(still.video, reference.video);
  return is_scaled ? scaled_still(still, {reference.width(), reference.height()}) : still;
}

// Pictures drawn and encoded at a time; each takes memory.
constexpr size_t kPicturesAtOnce = 4;

// Moments shown for each metric by which the run is not judged.
constexpr size_t kOtherMoments = 2;

size_t other_count(const ObservedVideo& video, size_t other, size_t count) {
  return other < video.judged_others ? count : std::min(count, kOtherMoments);
}

size_t own_finders(const ObservedVideo& video) {
  return video.metric.better == Better::kNeither ? 2 : 1;
}

std::vector<MomentFinder> finders_of(const ObservedVideo& video, size_t count, MomentsOf metrics) {
  std::vector<MomentFinder> finders;
  if (video.metric.better != Better::kNeither) {
    finders.emplace_back(video.metric, count);
  } else {
    for (const Better better : {Better::kHigher, Better::kLower}) {
      MetricInfo sided = video.metric;
      sided.better = better;
      sided.flawless.reset();
      finders.emplace_back(sided, count);
    }
  }
  if (metrics == MomentsOf::kShownMetric) return finders;
  for (size_t i = 0; i < video.others.size(); ++i)
    finders.emplace_back(video.others[i], other_count(video, i, count));
  return finders;
}

}  // namespace

FramePictures::FramePictures(const ObservedVideo& video, size_t count, MomentsOf metrics)
    : maker_(video),
      count_(count),
      own_(own_finders(video)),
      judged_(own_ + (metrics == MomentsOf::kEveryMetric ? video.judged_others : 0)),
      may_begin_scene_(video.may_begin_scene),
      finders_(finders_of(video, count, metrics)) {}

int64_t FramePictures::memory_bytes(const ObservedVideo& video, size_t count, MomentsOf metrics) {
  // Each finder holds the frame that may become a moment, and makes another before that one is released; the
  // rest are being drawn.
  const size_t own = own_finders(video);
  size_t shots = 1 + std::min(count, kPicturesAtOnce);
  for (size_t i = 0; i < finders_of(video, count, metrics).size(); ++i)
    shots += 2 + (i < own ? count : other_count(video, i - own, count));
  return SnapshotMaker(video).bytes() * static_cast<int64_t>(shots);
}

bool FramePictures::holds(int64_t frame) const {
  return std::any_of(finders_.begin(), finders_.end(),
                     [&](const MomentFinder& finder) { return finder.holds(frame); });
}

void FramePictures::frame(const ScoredFrame& frame) {
  const bool begins_scene = may_begin_scene_ && last_ >= 0 && may_begin_scene_(last_, frame.picture.index);
  last_ = frame.picture.index;
  bool is_kept = false;
  for (size_t i = 0; i < finders_.size(); ++i) {
    const double score = i < own_ ? frame.score : frame.others[i - own_];
    is_kept = finders_[i].add({frame.picture.index, frame.picture.timestamp, score}, begins_scene) || is_kept;
  }
  if (!is_kept) return;
  std::erase_if(shots_, [&](const auto& shot) { return !holds(shot.first); });
  shots_.emplace(frame.picture.index, maker_.make(frame));
}

std::vector<const Snapshot*> FramePictures::chosen() const {
  std::vector<const Snapshot*> chosen;
  const auto choose = [&](const TimedScore& moment) {
    const Snapshot* const shot = &shots_.at(moment.frame);
    const bool is_new = std::find(chosen.begin(), chosen.end(), shot) == chosen.end();
    if (is_new && chosen.size() < count_) chosen.push_back(shot);
  };
  std::vector<std::vector<TimedScore>> moments;
  for (const MomentFinder& finder : finders_) moments.push_back(finder.worst());
  const auto choose_in_turn = [&](size_t lists) {
    for (size_t rank = 0; rank < count_; ++rank) {
      for (size_t i = 0; i < lists; ++i) {
        if (rank < moments[i].size()) choose(moments[i][rank]);
      }
    }
  };
  choose_in_turn(judged_);
  choose_in_turn(moments.size());
  return chosen;
}

std::vector<FramePicture> FramePictures::pictures(PageQuality quality, int threads,
                                                  const PicturesMade& tell) const {
  const std::vector<const Snapshot*> shots = chosen();
  std::vector<FramePicture> result(shots.size());
  if (shots.empty()) return result;
  if (tell) tell(0, shots.size());
  std::mutex mutex;
  size_t made = 0;
  std::vector<std::future<void>> tasks;
  WorkerPool pool(static_cast<int>(std::min({static_cast<size_t>(threads), kPicturesAtOnce, shots.size()})));
  for (size_t i = 0; i < shots.size(); ++i) {
    tasks.push_back(pool.submit(std::packaged_task<void()>([&, i] {
      result[i] = picture_of(*shots[i], quality);
      const std::lock_guard lock(mutex);
      ++made;
      if (tell) tell(made, shots.size());
    })));
  }
  for (std::future<void>& task : tasks) task.get();
  return result;
}

FramePicture picture_of(const Snapshot& shot, PageQuality quality, ReferencePane pane) {
  const auto encoded = [quality](const Still& still) {
    const RgbImage image = colours_of(still);
    return quality == PageQuality::kLossless ? lossless_picture(image)
                                             : page_picture(image, kPagePictureBytes);
  };
  const Still& reference = shot.reference;
  const Still still = at_size_of(shot.picture, reference);
  FramePicture picture{shot.frame, shot.timestamp, shot.score, encoded(still)};
  if (still.width() != shot.picture.width() || still.height() != shot.picture.height())
    picture.scaled_from = shot.picture.video;
  picture.tone_mapped = tone_mapped_transfer(still.format);
  if (!reference.empty()) {
    if (pane == ReferencePane::kBeside) picture.reference = encoded(reference);
    if (still.width() == reference.width() && still.height() == reference.height()) {
      const Plane<uint8_t> apart = difference_of(still, reference, {kLayerWidth, kLayerHeight});
      picture.difference = page_picture(apart.view(), kDifferenceBytes);
    }
    if (picture.tone_mapped.empty()) picture.tone_mapped = tone_mapped_transfer(reference.format);
  }
  if (shot.local.width() > 0) picture.heat = page_layer(layer_of(shot.local.view()).view(), local_colours());
  picture.histograms = shot.histograms;
  return picture;
}

}  // namespace vq::cli
