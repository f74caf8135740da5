// Fitting of frames of any size: libswscale scales, and core/fitting.h does the rest.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "cli/decoding/frame_queue.h"
#include "core/fitting.h"

namespace vq::cli {

// A MakeFitter. Colours are converted before a picture is scaled, and its range behind that.
std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes);

// A reader whose frames are fitted to another size or depth.

// Fits the frames of another reader. The first `planes` planes are used. info() has the new format,
// source_info() that of the opened video. Throws as MakeFitter.
std::unique_ptr<FrameReader> fitted(std::unique_ptr<FrameReader> reader, const Fitting& fitting, int planes);

// A reader that wraps another and changes its frames.

// Forwards everything except frames, which derived classes change.
class ReaderOver : public FrameReader {
 public:
  const VideoInfo& info() const override { return info_; }
  const VideoInfo& source_info() const override { return reader_->source_info(); }
  bool gives_copies() const override { return reader_->gives_copies(); }
  void limit_ahead(int64_t bytes) override { reader_->limit_ahead(bytes); }
  void decode_by(const SourceOptions& options) override { reader_->decode_by(options); }
  void start() override { reader_->start(); }
  int64_t skipped() const override { return reader_->skipped(); }
  std::vector<std::string> take_warnings() override { return reader_->take_warnings(); }
  void use_store(std::shared_ptr<FrameStore> store) override { reader_->use_store(std::move(store)); }
  std::optional<StreamLength> measured_length() override { return reader_->measured_length(); }
  std::string decoders() override { return reader_->decoders(); }
  double waited() const override { return reader_->waited(); }

 protected:
  explicit ReaderOver(std::unique_ptr<FrameReader> reader)
      : reader_(std::move(reader)), info_(reader_->info()) {}

  const std::unique_ptr<FrameReader> reader_;
  VideoInfo info_;  // with the new format
};

}  // namespace vq::cli
