#include "cli/decoding/fitted_reader.h"

#include <utility>

#include "cli/decoding/frame_fitter.h"

namespace vq::cli {
namespace {

VideoFormat named_format(const VideoInfo& info) {
  VideoFormat format = info.format;
  format.name = info.path;
  return format;
}

class FittedReader final : public FrameReader {
 public:
  FittedReader(std::unique_ptr<FrameReader> reader, const Fitting& fitting, int planes)
      : reader_(std::move(reader)), info_(reader_->info()), fitter_(make_frame_fitter(named_format(info_), fitting, planes)) {
    info_.format = fitted_format(std::move(info_.format), fitting);
  }

  const VideoInfo& info() const override { return info_; }
  const VideoInfo& source_info() const override { return reader_->source_info(); }
  bool gives_copies() const override { return true; }
  void limit_ahead(int64_t bytes) override { reader_->limit_ahead(bytes); }
  void decode_by(const SourceOptions& options) override { reader_->decode_by(options); }
  void start() override { reader_->start(); }
  int64_t skipped() const override { return reader_->skipped(); }
  std::vector<std::string> take_warnings() override { return reader_->take_warnings(); }
  // Its frames lie in memory of its own.
  void use_store(std::shared_ptr<FrameStore>) override {}
  std::optional<StreamLength> measured_length() override { return reader_->measured_length(); }
  std::string decoders() override { return reader_->decoders(); }
  double waited() const override { return reader_->waited(); }

  std::optional<Frame> next(const std::function<bool()>& interrupted) override {
    std::optional<Frame> frame = reader_->next(interrupted);
    if (!frame) return frame;
    Frame fitted = fitter_->fit(*frame);
    fitted.repeated_planes = 0;
    return fitted;
  }

 private:
  const std::unique_ptr<FrameReader> reader_;
  VideoInfo info_;
  const std::unique_ptr<FrameFitter> fitter_;
};

}  // namespace

std::unique_ptr<FrameReader> fitted(std::unique_ptr<FrameReader> reader, const Fitting& fitting, int planes) {
  return std::make_unique<FittedReader>(std::move(reader), fitting, planes);
}

}  // namespace vq::cli
