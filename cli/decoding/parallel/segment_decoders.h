// Decodes the segments of a stream side by side and gives their pictures in the order of the segments.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cli/decoding/ffmpeg_decoder.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/parallel/decoder_plan.h"
#include "cli/decoding/parallel/stream_split.h"

namespace vq::cli {

struct SegmentPicture {
  DecodedPicture decoded;
  int64_t packet = 0;  // number of the one it began with
  int64_t after = 0;   // number of the one that its decoder was given last
  FilmGrain film_grain = FilmGrain::kUnknown;
};

// Each decoder has a thread and takes one segment at a time. It stops for good as soon as anything shows that
// is not as in a sound stream: an error or a complaint, a flag, a packet that gave no picture, or one out of
// order.
class SegmentDecoders {
 public:
  // `demuxer` and `options` outlive this.
  SegmentDecoders(const FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan);
  ~SegmentDecoders();  // whatever is still at work stops
  SegmentDecoders(const SegmentDecoders&) = delete;
  SegmentDecoders& operator=(const SegmentDecoders&) = delete;

  // So many decoded at a time at most, of all segments together, but for one of that whose turn it is.
  void limit_pictures(int64_t pictures);
  // The next packet; no decoder keeps it longer than its segment takes. Throws std::bad_alloc.
  void push(SplitPacket packet);
  // No packet follows.
  void end();

  // The next picture, where there is one. Throws what a decoder did.
  std::optional<SegmentPicture> take();
  // No picture comes before another packet is pushed, or the end is told.
  bool is_hungry();
  // Null until a packet was pushed.
  const FfmpegDecoder* first() const { return decoders_.empty() ? nullptr : decoders_.front().get(); }
  // Segments that no decoder works on yet.
  size_t waiting_segments();
  // All pictures were taken. Needs: end().
  bool is_done();
  bool is_suspect();
  // Until one of the above may have changed: take() has something to give or to throw, is_hungry(),
  // is_done(), is_suspect(), or no segment waits while `more` could be read.
  void wait(bool more);

 private:
  struct Segment {
    std::deque<SplitPacket> packets;
    bool is_closed = false;  // all its packets came
    std::deque<SegmentPicture> pictures;
    bool is_decoded = false;
    bool lacks_packets = false;  // pictures of it come once its decoder is given more packets of a later one
  };
  // Pictures to come, by time of display.
  using Outstanding = std::map<int64_t, int64_t>;
  // What a decoder was given of a segment.
  struct Part {
    std::shared_ptr<Segment> segment;
    int64_t last_sent = 0;
    std::optional<int64_t> borrowed = {};
    Outstanding outstanding = {};
    bool is_sent = false;  // all of it
  };
  struct Work {
    FfmpegDecoder& decoder;
    int64_t errors_at_start = 0;
    std::deque<Part> parts = {};  // those of which pictures are to come, and the one that is being sent
  };

  void add_decoder();
  void run(FfmpegDecoder& decoder);
  enum class Claim { kWhenThereIsOne, kAtOnce };
  std::shared_ptr<Segment> claim(Claim when);
  bool decode(Work& work, std::shared_ptr<Segment> segment);
  bool drain(Work& work);
  std::optional<SplitPacket> next_packet(const Work& work);
  bool send(Work& work, const SplitPacket* packet);
  void end_parts(Work& work);
  bool receive_all(Work& work);
  bool keep(Work& work, DecodedPicture decoded);
  bool wait_for_room(const Segment& segment);
  bool has_room(const Segment& segment) const;
  bool fail();
  bool has_news(bool more) const;
  static bool needs_packets(const Segment& first);

  const FfmpegDemuxer& demuxer_;
  const SourceOptions& options_;
  DecoderPlan plan_;
  std::mutex mutex_;
  std::condition_variable work_changed_, news_;     // for the decoders; for the one who takes pictures
  std::deque<std::shared_ptr<Segment>> segments_;   // the first is the one whose turn it is
  std::deque<std::shared_ptr<Segment>> unclaimed_;  // the last of these
  int64_t pictures_ = 0;                            // of all segments
  int idle_ = 0;
  bool is_ended_ = false, is_stopped_ = false, is_suspect_ = false;
  std::exception_ptr error_;
  std::vector<std::unique_ptr<FfmpegDecoder>> decoders_;
  std::vector<std::jthread> threads_;  // joined before anything else goes
};

}  // namespace vq::cli
