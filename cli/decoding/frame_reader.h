// Frames of a video, read ahead on a thread of its own or when they are asked for, and cropped or fitted as
// they are taken.
#pragma once

#include "cli/decoding/video_source.h"
#include "core/fitting.h"

namespace vq::cli {

struct ReadLimits {
  size_t capacity = 2;  // frames read ahead; 0: a reader that shares with none reads when it is asked for one
  int64_t skip = 0;     // number of leading frames to drop; those after them are numbered from 0
  int64_t first = 0;    // first frame to deliver
  int64_t end = -1;     // first frame not to read; -1: read all
  // Not empty: only these are read, which ascend and count after skipping (an end of -1 is that of the
  // video). The source was opened with a part for each, or skips to them.
  std::vector<FrameSpan> stretches = {};
};

// The frames of a video in order. Several readers may share one video, each on a thread of its own: it is
// read once, and waits for the slowest of them.
class FrameReader {
 public:
  using Open = std::function<std::unique_ptr<VideoSource>(const SourceOptions&)>;
  // Opens the video. Throws as open_video(). `open` is open_video() by default.
  FrameReader(const SourceOptions& options, const ReadLimits& limits, const Open& open = {});
  // Leaves. The last reader stops the reading, even if that waits for a silent pipe.
  ~FrameReader();
  FrameReader& operator=(FrameReader&&) = delete;

  // Another reader of the same frames, as they are stored. Needs: before start().
  std::unique_ptr<FrameReader> share() const;
  // This reader takes no more frames, so the others need not wait for it. From any thread.
  void leave();
  // Stops reading and closes the video. From then on only waited() may be called. Needs: no other reader
  // shares it.
  void close() { queue_.reset(); }

  // Narrows frames to the rectangle. Needs: as crop_frame(), and before start().
  void crop(const Rectangle& rectangle);
  // Fits frames, of which the first `planes` planes are used. Throws as make_frame_fitter(). Needs: before
  // start().
  void fit(const Fitting& fitting, int planes);

  // With the format of the frames that next() delivers.
  const VideoInfo& info() const { return info_; }
  const VideoInfo& source_info() const;
  // Whether frames are copies, which take additional memory.
  bool gives_copies() const { return is_fitted_ || info_.is_turned; }
  // These do what they do in VideoSource, but decode_by() does nothing if the video is shared. They need to
  // be called before start().
  void limit_ahead(int64_t bytes);
  void decode_by(SourceOptions options);
  // Starts reading ahead; before that no frame takes memory. Throws Error{kResource}.
  void start();
  // Returns the next frame, numbered from 0 after skipping, or nothing at the end. Throws an error of reading
  // once the frames before it were returned. Returns nothing as well if `stop` is requested while it waits.
  // Needs: start().
  std::optional<Frame> next(const StopToken& stop);
  // Number of frames dropped before frame 0; less than requested if the video is shorter. Valid once next()
  // has returned.
  int64_t skipped() const;
  // Preferred memory for the samples of later frames; null: any memory. From any thread. Of readers that
  // share a video, the first that asks decides, until it passes null.
  void use_store(std::shared_ptr<FrameStore> store);
  // Warnings since the last call by a reader of this video.
  std::vector<std::string> take_warnings();
  // Findings so far, without a length unless next() has returned nothing at the end.
  SourceReport report() const;
  // Seconds that callers of next() have waited.
  double waited() const { return waited_; }

 private:
  struct Queue;
  explicit FrameReader(std::shared_ptr<Queue> queue);
  std::optional<Frame> take(const StopToken& stop);

  std::shared_ptr<Queue> queue_;
  const size_t index_;  // among the readers of the queue
  VideoInfo info_;
  std::vector<std::function<Frame(Frame)>> changes_;  // in this order
  bool is_fitted_ = false, is_at_end_ = false;
  double waited_ = 0;
};

}  // namespace vq::cli
