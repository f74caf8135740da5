// Models and options in the caller's hands; and a context: extractors, how frames pass through them, and the
// scores that come of it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <thread>

#include "core/worker_pool.h"
#include "engine/libvmaf/interface.h"
#include "engine/libvmaf/picture.h"
#include "engine/libvmaf/score_store.h"
#include "engine/models/model_features.h"
#include "feature/feature.h"

namespace vq::libvmaf {

// Models in the caller's hands.

// The features of a model and how it scores. Does not change.
struct ModelState {
  std::string name;                                         // of its scores
  std::shared_ptr<const std::vector<model::Model>> models;  // a single one
  std::vector<FeatureRequest> features;
  std::vector<std::string> inputs;  // the names of the scores that it takes, in its order
  std::string fault;                // why the model cannot be scored; empty if it can
};

// Its members may be called from any thread.
class LoadedModel {
 public:
  LoadedModel(model::ModelSpec spec, model::Model model);

  std::shared_ptr<const ModelState> state() const;
  // Sets options of those of the model's features that the extractor provides. Options that it does not have
  // are left out.
  void overload(const std::string& extractor, const std::map<std::string, std::string>& options);

 private:
  std::shared_ptr<const ModelState> make_state() const;

  mutable std::mutex mutex_;
  model::ModelSpec spec_;
  const std::shared_ptr<const std::vector<model::Model>> models_;
  std::shared_ptr<const ModelState> state_;
};

// The score of a frame. `values` are those of ModelState::inputs.
double predict(const ModelState& state, std::span<const double> values);

// Returns the state. Throws Error{kInput} if the model cannot be scored.
const ModelState& usable(const ModelState& state);

}  // namespace vq::libvmaf

struct VmafModel {
  VmafModel(vq::model::ModelSpec spec, vq::model::Model model) : loaded(std::move(spec), std::move(model)) {}
  vq::libvmaf::LoadedModel loaded;
};

struct VmafModelCollection {
  std::string name;  // of the scores of all
  std::vector<std::unique_ptr<vq::libvmaf::LoadedModel>> members;
};

// Options as a caller gives them, and how they become those of a feature.

// Keys with their values, which are normalised().
struct VmafFeatureDictionary {
  std::map<std::string, std::string> entries;
};

namespace vq::libvmaf {

// Returns the value as the reference stores it: if the whole text is a number, which may be hexadecimal, it
// is rounded to a float and written with six digits; any other text stays as it is.
std::string normalised(const std::string& value);

// The value as the reference reads it: for an option that is a number, the beginning of the text that is a
// number, or 0 if there is none.
std::string exact_text(const OptionSpec& option, const std::string& value);

// The option of this name that the reference has as well; null if there is none.
const OptionSpec* find_option(const FeatureInfo& feature, const std::string& name);

// The feature with these options. Options that it does not have are left out. Throws Error{kUsage} for a
// value that an option cannot take.
FeatureRequest request_of(const FeatureInfo& feature, const std::map<std::string, std::string>& options);

// A pair of pictures on its way through the extractors of a context.

class Context;
class Registration;

struct PairJob {
  // The caller's number of the frame. The number in `frames` counts pairs in the order in which they were
  // read.
  unsigned index = 0;
  FramePair frames;
  std::vector<const Registration*> wanted;  // the extractors that are to score it
  int64_t bytes = 0;
  // A negative errno if something went wrong, else 0.
  std::atomic<int> fault = 0;

  bool wants(const Registration* registration) const { return contains(wanted, registration); }
};

// Raw heatmaps of a feature in files, as libvmaf writes those of CAMBI.

class HeatmapWriter {
 public:
  // Makes the folder if it is missing, and a file for each scale. A file has the frames one behind the other,
  // in samples of 16 bits with the lower byte first. Throws Error{kOutput}.
  HeatmapWriter(const std::string& folder, std::string_view feature, std::span<const HeatmapInfo> infos);

  // Writes a frame's maps, one for each scale. A failure is logged, and after it nothing more is written.
  void write(std::span<const Plane<uint16_t>> maps);

 private:
  struct File {
    std::string path;
    std::ofstream file;
  };
  std::vector<File> files_;
};

// The feature that is libvmaf's extractor of this name; null if there is none.
const FeatureInfo* find_extractor(const std::string& name);

// An extractor that a context uses.
class Registration {
 public:
  explicit Registration(FeatureRequest request);

  // Two extractors with the same key are the same.
  const std::string& key() const { return key_; }
  const FeatureRequest& request() const { return request_; }

  // Settles what depends on the pictures, and finds out whether the extractor can score them. Does so only
  // once.
  void prepare(const VideoFormats& formats);
  bool is_prepared() const { return is_prepared_; }
  // This and the functions below need prepare().

  // Why it cannot score these pictures; empty if it can.
  const std::string& refusal() const { return refusal_; }
  // Whether it looks at all frames that are read, not only at those that count.
  bool looks_at_every_frame() const;
  // Whether it remembers frames by itself. The reference runs such extractors before the others if it has
  // threads, so their scores come first in reports.
  bool is_sequential() const { return looks_at_every_frame() && sequence_ == nullptr; }
  // Whether it needs the frame that was read before to score any frame but the first.
  bool needs_previous() const;
  // The names of its scores, and their order in reports.
  const std::vector<std::pair<std::string, ScoreOrder>>& scores() const { return scores_; }

  // Takes the results of a frame, in the order in which frames were read. If it has the frame already, it
  // does nothing.
  void take(unsigned index, const FrameResult& result, Context& context);
  // To be called when no more frames come.
  void finish(Context& context);
  // Statistics over all frames.
  std::vector<std::pair<std::string, double>> aggregates() const;

 private:
  void complete(const std::vector<FrameValues>& frames, Context& context);

  FeatureRequest request_;
  const std::string key_;
  VideoFormats formats_;
  bool is_prepared_ = false;
  std::string refusal_;
  std::vector<std::pair<std::string, ScoreOrder>> scores_;
  std::unique_ptr<HeatmapWriter> heatmaps_;  // null if none were asked for
  std::unique_ptr<FrameSequence> sequence_;  // null if each frame stands for itself
  std::map<unsigned, FrameResult> ahead_;    // results for the sequence that wait for an earlier frame
  unsigned next_ = 0;                        // the frame that the sequence takes next
  unsigned complete_ = 0;                    // number of frames whose values the sequence has given
  std::vector<double> totals_;
};

// Extractors that score frames together.

class ExtractorGroup final : private ScoreSink {
 public:
  // Needs: a member; all are prepared and refuse nothing; the context outlives this. Throws as
  // make_extractor().
  ExtractorGroup(std::vector<std::shared_ptr<Registration>> members, const VideoFormats& formats,
                 const Execution& execution, Context& context);

  // Whether one of them scores the frame.
  bool is_wanted(const PairJob& job) const;
  // These score frames, and deliver the scores then or later, in the order of frames. If some members cannot
  // score a frame, the others do, and the frame has a fault. If a device is lost, the CPU goes on. If nothing
  // can score any more, for example because memory is missing, this frame and every later one has a fault.
  // Throw nothing.
  void push(const std::shared_ptr<PairJob>& job) noexcept;
  void finish() noexcept;

  BackendReport backend_report() const;

 private:
  void scored(const FrameScores& scores) override;
  std::unique_ptr<FeatureExtractor> make();
  template <typename Step>
  void attempt(Step step) noexcept;
  void recover();
  void score_apart(PairJob& job);
  void take(size_t member, PairJob& job, const FrameResult& result);
  void fail(PairJob& job, int fault) noexcept;
  // The pair, with those frames before it that the members need. They are on the host unless the backend is a
  // device's. Throws Error{kBackend}.
  FramePair frames_for(const PairJob& job, Backend backend) const;

  const std::vector<std::shared_ptr<Registration>> members_;
  std::vector<FeatureRequest> requests_;
  const FrameNeeds needs_;
  const VideoFormats formats_;
  Execution execution_;
  Context& context_;
  std::unique_ptr<FeatureExtractor> extractor_;
  std::deque<std::shared_ptr<PairJob>> pending_;  // pushed and not delivered
  int fault_ = 0;                                 // why there is no extractor; 0: there is one
};

// The thread that scores frames while the caller reads the next.

// How many frames may wait. A few may, whatever their size.
struct QueueLimits {
  size_t frames = 4;
  int64_t bytes = int64_t{1} << 30;
};

class FrameWorker {
 public:
  // Is called on the worker's thread with a frame, and with null to finish all frames under way. Throws
  // nothing.
  using Step = std::function<void(const std::shared_ptr<PairJob>& job)>;
  // Throws std::system_error if there is no thread to be had.
  FrameWorker(Step step, const QueueLimits& limits);
  // Drops the frames that wait.
  ~FrameWorker();
  FrameWorker& operator=(FrameWorker&&) = delete;

  // Adds a frame. Blocks while too many frames wait.
  void add(std::shared_ptr<PairJob> job);
  // Waits until the condition holds, which is asked after each frame, or until all frames that were added are
  // done.
  void wait(const std::function<bool()>& condition);
  void wait_for_all() {
    wait([] { return false; });
  }

 private:
  void work();
  bool is_full() const;
  bool is_idle() const { return queue_.empty() && !is_busy_ && !has_begun_; }

  const Step step_;
  const QueueLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<PairJob>> queue_;
  int64_t bytes_ = 0;  // of the frames in the queue
  int waiting_ = 0;    // number of threads in wait()
  bool is_busy_ = false;
  bool has_begun_ = false;  // there may be frames that are begun and not finished
  bool stops_ = false;
  std::thread thread_;
};

// A context.

// Settings from the environment, since callers of the interface do not know this library. A variable that is
// not set or empty asks for nothing, and so do all variables in a process that has another user's rights.
struct Environment {
  std::string backend;                     // CAMBI_BACKEND; empty: none is asked for
  std::string device;                      // CAMBI_DEVICE, as vulkan::choose_devices() takes it
  std::optional<int> threads;              // CAMBI_THREADS; 0: one for each processor
  int64_t queue_bytes = int64_t{1} << 30;  // CAMBI_QUEUE_MB
  // The folder for compiled pipelines, which is the program's: below XDG_CACHE_HOME, or else below HOME.
  // None: pipelines are not kept.
  std::optional<std::filesystem::path> cache_folder;
};

// Reads the variables. A value that should be a number and is none is logged and ignored.
Environment read_environment();

// Limits that the caller's configuration sets.
struct BackendLimits {
  uint32_t cpumask = 0;  // see feature/simd_targets.h
  bool forbids_devices = false;
  int threads = 1;  // on the CPU
};

// The backend that the environment asks for, with its devices, for these features; the CPU if it asks for
// none. "auto" takes a real device if the program measured on this machine that it is faster. If nothing was
// measured, it takes one unless the pictures are small or the context before this one was short. Throws
// Error: kUsage for a word that is no backend, kBackend if one that was named cannot run.
Execution choose_backend(const Environment& environment, const BackendLimits& limits,
                         std::span<const FeatureRequest> features, const VideoFormats& formats);

// The device as CAMBI_DEVICE names it, by its UUID. Loads the drivers. Throws Error{kBackend} if there is
// none.
std::string device_with(const std::array<uint8_t, 16>& uuid);

// To be called when a context that read this many frames is closed; see choose_backend().
void note_context(uint64_t frames);

// Functions that return an int return 0 or a negative errno. One thread at a time may read pictures;
// meanwhile other threads may ask for scores.
class Context {
 public:
  explicit Context(const VmafConfiguration& configuration);
  ~Context();

  // Adds a feature. If one with the same name and the same options in its scores' names is there, that one
  // stays as it is.
  void use(FeatureRequest request);
  // Adds a model. If there is a handler for its scores, they are predicted as soon as possible.
  void mount(std::shared_ptr<const ModelState> model);
  void add_handler(const VmafMetadataConfiguration& handler);

  // Stores a score of the caller's. Returns false if the frame has a score of this name, which stays.
  bool import(const std::string& name, unsigned index, double value);
  int read(VmafPicture& reference, VmafPicture& distorted, unsigned index);
  int flush();

  // The score of a frame. Waits for it while frames are on their way; returns nothing if these do not bring
  // it.
  std::optional<double> score(const std::string& name, unsigned index);
  // The model's score of a frame; it is predicted and stored unless there is a score of the model's name.
  // Nothing if an input is missing. Throws Error{kInput} if the model needs something that this library does
  // not have.
  std::optional<double> score(const ModelState& model, unsigned index);
  // The values of a model's inputs; nothing if one is missing.
  std::optional<std::vector<double>> inputs(const ModelState& model, unsigned index);
  // Stores a model's score of a frame, unless a score of this name is there. Returns the score that is
  // stored.
  double put_prediction(const std::string& name, unsigned index, double value);
  void wait_for_all();

  // Whether reports and pooling count the frame.
  bool counts(unsigned index) const { return subsample_ <= 1 || index % subsample_ == 0; }
  unsigned subsample() const { return subsample_; }
  const ScoreStore& scores() const { return scores_; }
  // The number of calls of read().
  uint64_t reads() const { return reads_; }
  // The shape of the first reference picture; zeros before it.
  const PictureShape& shape() const { return shape_; }

  // From then on pictures of that CUDA context may be read, and its device scores, unless the environment
  // asks for another backend. Throws Error{kBackend} if Vulkan has no such device.
  void use_cuda(const CudaContext& cuda);

  // Sets the shape and place of the pictures that fetch() makes. Needs use_cuda() if they are on CUDA's
  // device.
  void preallocate(const PictureShape& shape, bool are_on_cuda);
  // Makes such a picture. Throws as make_picture(), and Error{kUsage} before preallocate().
  VmafPicture fetch() const;
  bool has_cuda() const { return cuda_ != nullptr; }

  // Takes a score that was found. If the frame has a score of this name already, that one stays.
  void receive(const std::string& name, ScoreOrder order, unsigned index, double value);
  bool has(const std::string& name, unsigned index) const;
  // Takes a negative errno if some extractor could not score a frame (kFrame), or if nothing can be scored
  // any more (kAll).
  enum class Extent { kFrame, kAll };
  void fail(int fault, Extent extent) noexcept;

 private:
  void tell(const std::string& name, unsigned index, double value);
  void predict_for(const std::string& model, unsigned index);

  bool fits(const VmafPicture& reference, const VmafPicture& distorted);
  void prepare();
  void start(const std::vector<std::shared_ptr<Registration>>& added);
  void add_groups(const std::vector<std::shared_ptr<Registration>>& added);
  std::string refusal(const Registration& registration, unsigned index) const;
  std::shared_ptr<PairJob> make_job(const VmafPicture& reference, const VmafPicture& distorted,
                                    unsigned index) const;
  int choose_extractors(PairJob& job) const;
  void run(const std::shared_ptr<PairJob>& job);
  void reserve_columns(const PairJob& job);
  void accept(const PairJob& job);
  // Scores the frame, or brings all that is under way to an end if it is null.
  void advance(const std::shared_ptr<PairJob>& job) noexcept;
  FrameWorker* worker();
  bool has_handlers();

  Environment environment_;
  const unsigned threads_, subsample_;
  const bool hides_faults_;  // faults of single frames are not returned
  const BackendLimits limits_;

  std::shared_ptr<CudaPictureMaker> cuda_;  // null: pictures are on the host
  std::optional<PictureShape> announced_;
  bool are_announced_on_cuda_ = false;

  // Used by the thread that reads.
  std::vector<std::shared_ptr<Registration>> registrations_;
  std::vector<std::shared_ptr<Registration>> waiting_;  // those that are in no group yet
  std::vector<const Registration*> started_;            // those that have scored a frame
  PictureShape shape_ = {};
  std::optional<VideoFormats> formats_;
  std::deque<Frame> references_before_, distorted_before_;  // the latest first
  uint64_t reads_ = 0;
  std::optional<unsigned> highest_;  // index that was read
  bool is_flushed_ = false;

  ScoreStore scores_;
  std::mutex mutex_;  // guards the next two members, and whether there is a worker
  std::vector<std::shared_ptr<const ModelState>> mounted_;
  std::vector<VmafMetadataConfiguration> handlers_;
  std::atomic<int> fault_ = 0;  // of a frame whose reader was not told
  std::atomic<int> end_ = 0;    // why no frame can be scored any more; 0: frames can

  std::unique_ptr<WorkerPool> pool_;
  Execution execution_;
  std::mutex groups_mutex_;
  std::vector<std::unique_ptr<ExtractorGroup>> groups_;
  std::unique_ptr<FrameWorker> worker_;  // null: frames are scored as they are read
};

// Frames from one to another, both included.
struct Interval {
  uint64_t low = 0, high = 0;
};

// Pools the scores of those frames of the interval that count, whose mean is taken so. Calls get(index) for
// each in order; returns nothing if that has no score for one of them.
template <typename Get>
std::optional<Pool> pool(const Context& context, const Interval& interval, Get get,
                         const Averaging& mean = {}) {
  Pool pool(mean);
  for (uint64_t index = interval.low; index <= interval.high; ++index) {
    const auto frame = static_cast<unsigned>(index);
    if (!context.counts(frame)) continue;
    const std::optional<double> score = get(frame);
    if (!score) return std::nullopt;
    pool.add(*score, index == interval.low);
  }
  return pool;
}

}  // namespace vq::libvmaf

struct VmafContext {
  explicit VmafContext(const VmafConfiguration& configuration) : context(configuration) {}
  vq::libvmaf::Context context;
};
