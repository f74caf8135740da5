#include "cli/decoding/upright.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/decoding/probe_facts.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

class TurnedSource final : public VideoSource {
 public:
  explicit TurnedSource(std::unique_ptr<VideoSource> source)
      : source_(std::move(source)), info_(turned_info(source_->info())) {}

  const VideoInfo& info() const override { return info_; }
  std::optional<Frame> read() override {
    std::optional<Frame> frame = source_->read();
    if (frame) frame = turned(*frame, info_.orientation);
    return frame;
  }
  int64_t skip(int64_t count) override { return source_->skip(count); }
  std::vector<std::string> take_warnings() override { return source_->take_warnings(); }
  std::string decoders() const override { return source_->decoders(); }
  std::optional<StreamLength> measured_length() const override { return source_->measured_length(); }
  int decoder_count() const override { return source_->decoder_count(); }
  void limit_ahead(int64_t bytes) override { source_->limit_ahead(bytes); }
  void decode_by(const SourceOptions& options) override {
    source_->decode_by(options);
    info_ = turned_info(source_->info());
  }
  ProbeFacts probe() const override { return source_->probe(); }

 private:
  const std::unique_ptr<VideoSource> source_;
  VideoInfo info_;
};

}  // namespace

VideoInfo turned_info(VideoInfo info) {
  const std::optional<Chroma> chroma = turned_chroma(info.format.chroma, info.orientation);
  if (!chroma) {
    throw Error(ErrorKind::kMismatch,
                words("{} is to be turned by its tag ({}), but {} cannot be.", shown_path(info.path),
                      describe(info.orientation), to_string(info.format.chroma)));
  }
  info.format.chroma = *chroma;
  if (info.orientation.transposes) {
    std::swap(info.format.width, info.format.height);
    if (info.sample_aspect > 0) info.sample_aspect = 1 / info.sample_aspect;
  }
  info.is_turned = true;
  info.rotation = 0;
  info.conversions.push_back(words("{} ({})", kTurnedByTag, describe(info.orientation)));
  return info;
}

std::unique_ptr<VideoSource> upright(std::unique_ptr<VideoSource> source) {
  if (source->info().orientation == Orientation() || source->info().is_turned) return source;
  return std::make_unique<TurnedSource>(std::move(source));
}

}  // namespace vq::cli
