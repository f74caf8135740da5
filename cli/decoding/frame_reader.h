// Readers of frames: one that reads a video ahead on a thread of its own, and those that fit or crop what
// another reads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "cli/decoding/video_source.h"
#include "core/fitting.h"

namespace vq::cli {

struct FrameQueueLimits {
  size_t capacity = 2;  // frames read ahead
  int64_t skip = 0;     // number of leading frames to drop; those after them are numbered from 0
  int64_t first = 0;    // first frame to deliver
  int64_t end = -1;     // first frame not to read; -1: read all
};

// A source of frames in order.
class FrameReader {
 public:
  virtual ~FrameReader() = default;
  virtual const VideoInfo& info() const = 0;
  // The opened video, if its frames are delivered in another format.
  virtual const VideoInfo& source_info() const { return info(); }
  // Whether its frames are copies, which take additional memory.
  virtual bool gives_copies() const { return false; }
  // Both as in VideoSource. Need: before start().
  virtual void limit_ahead(int64_t) {}
  virtual void decode_by(const SourceOptions&) {}
  // Starts reading ahead; before that no frame takes memory. Throws Error{kResource}.
  virtual void start() = 0;
  // Needs: start(). The next frame, numbered from 0 after skipping; nothing at the end. Throws the reading
  // error, after the frames before it. `stop` is asked while waiting; if it is requested, the result is
  // nothing.
  virtual std::optional<Frame> next(const StopToken& stop) = 0;
  // Number of frames dropped before frame 0; less than requested if the video is shorter. Valid once next()
  // has returned.
  virtual int64_t skipped() const = 0;
  virtual std::vector<std::string> take_warnings() = 0;
  // Preferred memory for the samples of later frames; null: any memory. From any thread.
  virtual void use_store(std::shared_ptr<FrameStore> store) = 0;
  // The length of the stream, once next() has returned nothing; nothing if it was not read to its end.
  virtual std::optional<StreamLength> measured_length() = 0;
  // So far, in order; more than one if software took over from hardware.
  virtual std::string decoders() { return info().decoder; }
  // Seconds that callers of next() have waited; 0 if unknown.
  virtual double waited() const { return 0; }
};

class FrameQueue final : public FrameReader {
 public:
  // Opens the video. Throws as open_video().
  FrameQueue(SourceOptions options, FrameQueueLimits limits);
  ~FrameQueue() override;  // stops reading, even if a read waits for a silent pipe
  FrameQueue(const FrameQueue&) = delete;
  FrameQueue& operator=(const FrameQueue&) = delete;

  const VideoInfo& info() const override { return info_; }
  bool gives_copies() const override { return info_.is_turned; }
  void limit_ahead(int64_t bytes) override { source_->limit_ahead(bytes); }
  void decode_by(const SourceOptions& options) override;
  void start() override;
  std::optional<Frame> next(const StopToken& stop) override;
  int64_t skipped() const override { return skipped_; }
  std::vector<std::string> take_warnings() override;
  void use_store(std::shared_ptr<FrameStore> store) override { store_->set(std::move(store)); }
  std::optional<StreamLength> measured_length() override;
  std::string decoders() override;
  double waited() const override;

 private:
  void read_ahead();
  void read_frames();
  bool wait_for_room();
  void collect_warnings();

  std::atomic<bool> stop_ = false;
  const std::shared_ptr<DeferredFrameStore> store_ = std::make_shared<DeferredFrameStore>();
  std::unique_ptr<VideoSource> source_;
  VideoInfo info_;
  const FrameQueueLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  double waited_ = 0;
  std::vector<std::string> warnings_;
  std::string decoders_;
  std::exception_ptr error_;
  std::optional<StreamLength> measured_;
  bool ended_ = false;      // reading is over
  bool is_at_end_ = false;  // next() has reported the end
  int64_t skipped_ = 0;
  std::thread thread_;
};

// Fitting of frames of any size: libswscale scales, and core/fitting.h does the rest.

// A MakeFitter. Colours are converted before a picture is scaled, and its range behind that.
std::unique_ptr<FrameFitter> make_frame_fitter(const VideoFormat& from, const Fitting& fitting, int planes);

// Fits the frames of another reader. The first `planes` planes are used. info() has the new format,
// source_info() that of the opened video. Throws as MakeFitter.
std::unique_ptr<FrameReader> fitted(std::unique_ptr<FrameReader> reader, const Fitting& fitting, int planes);

// A reader that wraps another: forwards everything except frames, which derived classes change.
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

// Narrows all planes of a frame to a part of it, in samples of the luma. Needs: the rectangle lies in the
// picture, and chroma samples begin where it does.
void crop_frame(Frame& frame, Chroma chroma, const Rectangle& rectangle);

// The video's frames, narrowed to the rectangle; its info() has the new size, source_info() what was opened.
// Needs: as crop_frame().
std::unique_ptr<FrameReader> cropped(std::unique_ptr<FrameReader> reader, const Rectangle& rectangle);

}  // namespace vq::cli
