#include "cli/decoding/fitted_reader.h"

#include <utility>

#include "cli/decoding/frame_fitter.h"
#include "cli/decoding/reader_over.h"

namespace vq::cli {
namespace {

class FittedReader final : public ReaderOver {
 public:
  FittedReader(std::unique_ptr<FrameReader> reader, const Fitting& fitting, int planes)
      : ReaderOver(std::move(reader)), fitter_(make_frame_fitter(info_.named_format(), fitting, planes)) {
    info_.format = fitted_format(std::move(info_.format), fitting);
  }

  bool gives_copies() const override { return true; }
  void use_store(std::shared_ptr<FrameStore>) override {}

  std::optional<Frame> next(const StopToken& stop) override {
    std::optional<Frame> frame = reader_->next(stop);
    if (!frame) return frame;
    Frame fitted = fitter_->fit(*frame);
    fitted.repeated_planes = 0;
    return fitted;
  }

 private:
  const std::unique_ptr<FrameFitter> fitter_;
};

}  // namespace

std::unique_ptr<FrameReader> fitted(std::unique_ptr<FrameReader> reader, const Fitting& fitting, int planes) {
  return std::make_unique<FittedReader>(std::move(reader), fitting, planes);
}

}  // namespace vq::cli
