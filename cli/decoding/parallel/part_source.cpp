#include "cli/decoding/parallel/part_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/open_video.h"
#include "cli/decoding/parallel/part_pictures.h"
#include "cli/decoding/upright.h"
#include "core/error.h"
#include "core/text/message_text.h"

namespace vq::cli {
namespace {

SourceOptions without_part(SourceOptions options) {
  options.part.reset();
  options.upright = false;  // turned is what comes of it
  return options;
}

// What a source of the whole video warns of, or fails at.
bool is_as_described(const AVFrame& picture, const PictureLayout& layout, const VideoInfo& info) {
  const VideoFormat& format = info.format;
  if (picture.width != format.width || picture.height != format.height ||
      pixel_format_name(static_cast<AVPixelFormat>(picture.format)) != info.pixel_format) {
    return false;
  }
  const Range range = range_of(picture, layout);
  const Transfer transfer = map_transfer(picture.color_trc);
  return (range == Range::kUnspecified || range == format.range) &&
         (transfer == Transfer::kUnspecified || transfer == format.transfer);
}

class PartSource final : public VideoSource {
 public:
  explicit PartSource(const SourceOptions& options)
      : options_(without_part(options)),
        part_(*options.part),
        is_on_hardware_(may_be_hardware(options.hardware)) {
    const std::unique_ptr<VideoSource> whole = open_video(options_);
    info_ = whole->info();
    info_.decoder_count = 1;
    info_.ahead_bytes = 0;
    warnings_ = whole->take_warnings();
    is_on_hardware_ = is_on_hardware_ && info_.decoder.find(' ') != std::string::npos;
    start();
  }

  const VideoInfo& info() const override { return info_; }
  std::optional<Frame> read() override;
  int64_t skip(int64_t count) override;
  std::vector<std::string> take_warnings() override;
  std::string decoders() const override { return decoders_.empty() ? info_.decoder : decoders_; }
  std::optional<StreamLength> measured_length() const override;

 private:
  void start();
  void go_plainer();
  std::optional<Frame> next_frame();
  std::optional<Frame> next_of_part();
  std::optional<Frame> next_of_whole();
  Frame frame_of(PartPictures::Numbered numbered);
  void check_time(const Frame& frame, int64_t index, int64_t time) const;
  double seconds(int64_t time) const { return static_cast<double>(time - start_time_) * tick_; }
  void note_decoder(const std::string& name);
  [[noreturn]] void refuse() const;

  SourceOptions options_;
  const StreamPart part_;
  bool is_on_hardware_;
  VideoInfo info_;
  std::unique_ptr<PartPictures> pictures_;  // null once the whole video is read
  std::unique_ptr<VideoSource> whole_;
  int64_t start_time_ = 0;
  double tick_ = 0;
  int64_t position_ = 0;  // index at which the next read starts
  bool ended_ = false;
  std::string decoders_;
  std::vector<std::string> warnings_;
};

void PartSource::start() {
  if (!is_on_hardware_) options_.hardware.decoder = DecoderRequest::kSoftware;
  pictures_ = std::make_unique<PartPictures>(options_, part_);
  const AVStream& stream = pictures_->stream();
  start_time_ = stream.start_time != AV_NOPTS_VALUE ? stream.start_time : 0;
  tick_ = av_q2d(stream.time_base);
}

// Hardware leaves the part to software, and that to one who reads all of the video.
void PartSource::go_plainer() {
  if (std::exchange(is_on_hardware_, false)) return start();
  pictures_.reset();
  whole_ = open_video(options_);
  whole_->skip(part_.picture);
}

void PartSource::note_decoder(const std::string& name) {
  if (decoders_ == name || decoders_.ends_with(", " + name)) return;
  decoders_ += (decoders_.empty() ? "" : ", ") + name;
}

std::vector<std::string> PartSource::take_warnings() {
  std::vector<std::string> lines = std::exchange(warnings_, {});
  if (!whole_) return lines;
  for (std::string& line : whole_->take_warnings()) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

std::optional<StreamLength> PartSource::measured_length() const {
  return ended_ && !part_.end_time ? options_.measured : std::nullopt;
}

Frame PartSource::frame_of(PartPictures::Numbered numbered) {
  DecodedPicture& decoded = numbered.picture.decoded;
  const int64_t time = decoded.frame->pts;
  const PictureLayout layout = picture_layout(static_cast<AVPixelFormat>(decoded.frame->format));
  Frame frame;
  if (decoded.frame->data[0] != nullptr) {
    frame = make_frame(std::move(decoded.frame), layout, delivered_planes(layout, options_.planes),
                       std::move(decoded.place));
  } else {  // it stays on its device
    frame.bit_depth = layout.bit_depth;
    frame.place = std::move(decoded.place);
  }
  frame.index = numbered.index;
  frame.timestamp = seconds(time);
  return frame;
}

// Nothing at the end, and where the whole video has to be read from here on.
std::optional<Frame> PartSource::next_of_part() {
  while (std::optional<PartPictures::Numbered> numbered = pictures_->next()) {
    note_decoder(pictures_->decoder_name());
    const AVFrame& picture = *numbered->picture.decoded.frame;
    const PictureLayout layout = picture_layout(static_cast<AVPixelFormat>(picture.format));
    if (!is_as_described(picture, layout, info_)) {
      go_plainer();
      return std::nullopt;
    }
    if (numbered->index >= position_) return frame_of(std::move(*numbered));
  }
  if (pictures_->is_suspect()) {
    go_plainer();
  } else {
    ended_ = true;
  }
  return std::nullopt;
}

void PartSource::refuse() const {
  throw Error(ErrorKind::kIncomplete,
              shown_path(options_.path) +
                  ": its pictures are not where its packets say, so it cannot be cut. Try: --shards 1");
}

void PartSource::check_time(const Frame& frame, int64_t index, int64_t time) const {
  if (frame.index != index || !frame.timestamp || *frame.timestamp != seconds(time)) refuse();
}

// Whether the numbers of the part are those of the whole video is seen at both of its ends.
std::optional<Frame> PartSource::next_of_whole() {
  while (std::optional<Frame> frame = whole_->read()) {
    note_decoder(whole_->decoders());
    if (frame->index == part_.picture) check_time(*frame, part_.picture, part_.time);
    if (frame->index >= part_.end) break;
    if (frame->index + 1 == part_.end) {
      const std::optional<Frame> behind = whole_->read();
      if (behind.has_value() != part_.end_time.has_value()) refuse();
      if (behind) check_time(*behind, part_.end, *part_.end_time);
    }
    if (frame->index >= position_) return frame;
  }
  ended_ = true;
  return std::nullopt;
}

std::optional<Frame> PartSource::next_frame() {
  while (!ended_) {
    if (std::optional<Frame> frame = whole_ ? next_of_whole() : next_of_part()) return frame;
  }
  return std::nullopt;
}

std::optional<Frame> PartSource::read() {
  if (position_ < part_.picture)
    throw Error(ErrorKind::kInternal, "a part of a video was read before it begins");
  if (position_ >= part_.end) ended_ = true;
  std::optional<Frame> frame = next_frame();
  if (frame) position_ = frame->index + 1;
  return frame;
}

int64_t PartSource::skip(int64_t count) {
  position_ += count;
  return count;
}

}  // namespace

std::unique_ptr<VideoSource> open_part(const SourceOptions& options) {
  auto part = std::make_unique<PartSource>(options);
  return options.upright ? upright(std::move(part)) : std::move(part);
}

}  // namespace vq::cli
