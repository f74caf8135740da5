// Reads a video ahead of those who need its frames, on a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "cli/decoding/video_source.h"

namespace vq::cli {

struct FrameQueueLimits {
  size_t capacity = 2;  // frames read ahead
  int64_t skip = 0;     // frames to drop first; those after them are numbered from 0
  int64_t first = 0;    // number of the first frame to give out
  int64_t end = -1;     // number of the first frame not to read; -1: all are read
};

// Where the frames of one video come from, for one who wants them in order.
class FrameReader {
 public:
  virtual ~FrameReader() = default;
  virtual const VideoInfo& info() const = 0;
  // The video as it was opened, where its frames are given out in another format.
  virtual const VideoInfo& source_info() const { return info(); }
  // Whether its frames are copies that take memory beside the video's own.
  virtual bool gives_copies() const { return false; }
  // Both as VideoSource has them. Need: before start().
  virtual void limit_ahead(int64_t) {}
  virtual void decode_by(const SourceOptions&) {}
  // Begins to read ahead; before that no frame takes memory. Throws Error{kResource}.
  virtual void start() = 0;
  // Needs: start(). The next frame, numbered from 0 after what was skipped; nothing at the end. Throws what
  // reading threw, after the frames before it. `stop` is asked now and then while waiting; where it
  // says yes the result is nothing.
  virtual std::optional<Frame> next(const StopToken& stop) = 0;
  // Frames dropped before the one of number 0; fewer than asked for where the video is shorter. Valid once
  // next() has returned.
  virtual int64_t skipped() const = 0;
  virtual std::vector<std::string> take_warnings() = 0;
  // Where the samples of frames to come are to lie, as far as it has room; null: anywhere. From any thread.
  virtual void use_store(std::shared_ptr<FrameStore> store) = 0;
  // Of the stream, once next() has returned nothing; nothing where it was not read to its end.
  virtual std::optional<StreamLength> measured_length() = 0;
  // So far, in order; more than one where hardware left the stream to software.
  virtual std::string decoders() { return info().decoder; }
  // Seconds that those who wanted a frame have waited for it; 0 where that is not known.
  virtual double waited() const { return 0; }
};

class FrameQueue final : public FrameReader {
 public:
  // Opens the video. Throws as open_video().
  FrameQueue(SourceOptions options, FrameQueueLimits limits);
  ~FrameQueue() override;  // stops reading, also where a read waits for a silent pipe
  FrameQueue(const FrameQueue&) = delete;
  FrameQueue& operator=(const FrameQueue&) = delete;

  const VideoInfo& info() const override { return info_; }
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
  bool is_at_end_ = false;  // next() has said so
  int64_t skipped_ = 0;
  std::thread thread_;
};

}  // namespace vq::cli
