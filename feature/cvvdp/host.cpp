#include <list>

#include "core/elementary.h"
#include "core/number_text.h"
#include "feature/cvvdp/comparison.h"

namespace vq::cvvdp {
namespace {

// The light of frames in the display's space, made once for all frames whose filters take it.

// One frame's.
using Light = std::array<Plane<float>, kComponents>;

// Others may have their samples where those of another frame were.
bool keeps_samples(const Frame& frame) { return frame.owner != nullptr || frame.place != nullptr; }

class LightStore {
 public:
  // Keeps the light of as many frames of a video as its filters take, and of those that are scored at a time
  // beside. The plan outlives this.
  LightStore(const Plan& plan, const Execution& execution)
      : plan_(plan),
        stages_(Stages::of(execution)),
        frames_kept_(plan.frames() + static_cast<size_t>(thread_count(execution))),
        planes_([&plan] { return make_light(plan); }),
        distorted_([this, execution] { return std::make_unique<Maker>(plan_.distorted, execution); }),
        reference_([this, execution] { return std::make_unique<Maker>(plan_.reference, execution); }) {}

  using Kept = std::shared_ptr<const WorkspacePool<Light>::Loan>;

  // The light of these frames of one video, in order. From any thread. Throws std::bad_alloc.
  std::vector<Kept> of(std::span<const Frame* const> frames, bool is_reference) {
    std::vector<std::shared_future<Kept>> found;
    for (const Frame* const frame : frames) found.push_back(find(*frame, is_reference));
    return mapped(found, [](const std::shared_future<Kept>& each) { return each.get(); });
  }
  // Tells how many videos are scored together.
  void expect(size_t videos) {
    const std::lock_guard lock(mutex_);
    most_ = std::max(most_, videos * frames_kept_);
  }

  // What it takes for two videos.
  static int64_t bytes(const Plan& plan, const Execution& execution) {
    const auto threads = static_cast<int64_t>(thread_count(execution));
    const auto each = counted_bytes([&] { return make_light(plan); });
    const auto makers = counted_bytes([&] { return std::make_unique<Maker>(plan.distorted, execution); }) * 2;
    return 2 * (static_cast<int64_t>(plan.frames()) + threads) * each + threads * makers;
  }

 private:
  // Makes light of one frame at a time.
  struct Maker {
    Maker(const light::Conversion& conversion, const Execution& execution)
        : rows(light::Stages::of(execution), conversion), rgb(conversion.size.width, 3) {}
    light::LightRows rows;
    Plane<float> rgb;
  };
  // A frame's samples are kept as long as its light, so that no other frame has them at the same place.
  struct Entry {
    Frame frame;
    bool is_reference = false;
    std::shared_future<Kept> light = {};
  };

  static std::unique_ptr<Light> make_light(const Plan& plan) {
    auto light = std::make_unique<Light>();
    const PlaneSize size = plan.levels[0].size;
    for (Plane<float>& plane : *light) plane = Plane<float>(size.width, size.height, Pages::kLarge);
    return light;
  }

  static bool has_same_samples(const Frame& a, const Frame& b) {
    const auto same = [](const SampleView& p, const SampleView& q) {
      return p.u8.data == q.u8.data && p.u16.data == q.u16.data;
    };
    return a.index == b.index && std::ranges::equal(a.planes, b.planes, same);
  }

  // The entry that was found last is in front. What is made by one thread, others wait for.
  std::shared_future<Kept> find(const Frame& frame, bool is_reference) {
    std::promise<Kept> promise;
    std::shared_future<Kept> light;
    if (keeps_samples(frame)) {
      const std::lock_guard lock(mutex_);
      const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) {
        return entry.is_reference == is_reference && has_same_samples(entry.frame, frame);
      });
      if (known != entries_.end()) {
        entries_.splice(entries_.begin(), entries_, known);
        return known->light;
      }
      light = promise.get_future().share();
      entries_.push_front({frame, is_reference, light});
      while (entries_.size() > most_) entries_.pop_back();
    } else {
      light = promise.get_future().share();
    }
    try {
      promise.set_value(make(frame, is_reference));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
    return light;
  }

  Kept make(const Frame& frame, bool is_reference) {
    auto loan = std::make_shared<WorkspacePool<Light>::Loan>(planes_.take());
    const auto maker = (is_reference ? reference_ : distorted_).take();
    const light::RgbRow<float> rgb = {maker->rgb.row(0), maker->rgb.row(1), maker->rgb.row(2)};
    Light& light = **loan;
    const Frame readable = on_host(frame);
    maker->rows.start(readable);
    for (int y = 0; y < light[0].height(); ++y) {
      maker->rows.row(y, rgb);
      stages_.to_dkl({rgb.r, rgb.g, rgb.b}, light[0].width(), plan_.to_dkl,
                     {light[0].row(y), light[1].row(y), light[2].row(y)});
    }
    return loan;
  }

  const Plan& plan_;
  const Stages stages_;
  const size_t frames_kept_;
  std::mutex mutex_;
  size_t most_ = 2 * frames_kept_;
  WorkspacePool<Light> planes_;
  WorkspacePool<Maker> distorted_, reference_;
  std::list<Entry> entries_;  // last, since they give planes back
};

// A video's frames up to one, the oldest first.
struct Known {
  Known(const Frame& last, const std::vector<Frame>& before, bool of_reference) : is_reference(of_reference) {
    for (size_t i = before.size(); i-- > 0;) frames.push_back(&before[i]);
    frames.push_back(&last);
  }
  // The frame that stands for the one this far before the first.
  const Frame* padding(size_t distance, bool is_symmetric) const {
    const size_t last = frames.size() - 1;
    if (!is_symmetric || last == 0) return frames.front();
    const size_t at = distance % (2 * last);
    return frames[std::min(at, 2 * last - at)];
  }

  std::vector<const Frame*> frames;
  bool is_reference = false;
};

// The light of one video that the filters of a known frame take, the oldest first.
struct History {
  History(LightStore& store, const Plan& plan, const Known& known, size_t at) {
    std::vector<const Frame*> frames;
    for (size_t k = plan.frames(); k-- > 0;)
      frames.push_back(k <= at ? known.frames[at - k] : known.padding(k - at, plan.options.is_symmetric()));
    kept = store.of(frames, known.is_reference);
  }
  const Plane<float>& plane(size_t frame, size_t component) const { return (**kept[frame])[component]; }

  std::vector<LightStore::Kept> kept;
};

// One row of a picture as the eye follows it in time.
void filter_rows(const Stages& stages, const Plan& plan, const History& history, int y,
                 const Rows<float>& out) {
  const int width = plan.levels[0].size.width;
  std::vector<const float*> rows(history.kept.size());
  for (size_t k = 0; k < kComponents; ++k) {
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = history.plane(i, k).row(y);
    const bool has_change = k == kLight;
    stages.filter_row({.frames = rows,
                       .taps = plan.filters[k].data(),
                       .change = has_change ? plan.filters[kChange].data() : nullptr},
                      width, {out[k], has_change ? out[kChange] : nullptr});
  }
}

// A clip of one frame is not filtered.
void still_rows(const Plan& plan, const History& history, int y, const Rows<float>& out) {
  for (size_t k = 0; k < kComponents; ++k)
    std::copy_n(history.plane(history.kept.size() - 1, k).row(y), plan.levels[0].size.width, out[k]);
}

struct Workspace {
  Workspace(const Stages& stages, const Plan& plan) : reference(stages, plan) {}
  ReferencePicture reference;
  std::vector<std::unique_ptr<DistortedPicture>> distorted;  // as many as were ever compared at once
};

class Host final : public HostFeature {
 public:
  Host(const Plan& plan, const Execution& execution)
      : plan_(plan),
        backend_(execution.backend),
        stages_(Stages::of(execution)),
        with_heatmaps_(execution.heatmaps),
        light_(plan_, execution),
        workspaces_([this] { return std::make_unique<Workspace>(stages_, plan_); }) {}

  FrameResult score(const FramePair& frames) override {
    const FramePair* const one = &frames;
    return std::move(score_together({&one, 1}).front());
  }

  std::vector<FrameResult> score_together(std::span<const FramePair* const> pairs) override {
    light_.expect(pairs.size() + 1);
    const FramePair& first = *pairs.front();
    const Known reference(*first.reference, first.references_before, true);
    std::vector<Known> distorted;
    for (const FramePair* const pair : pairs)
      distorted.emplace_back(pair->distorted, pair->distorted_before, false);
    const size_t before = reference.frames.size() - 1;
    const auto workspace = workspaces_.take();
    std::vector<Scored> moving = compare(*workspace, reference, distorted, before, false);
    std::vector<FrameResult> results;
    for (size_t i = 0; i < pairs.size(); ++i) {
      results.push_back(frame_result(moving[i].q));
      if (before == 0) add_still(results.back(), plan_, backend_, *pairs[i]);
      if (with_heatmaps_) results.back().heatmaps.push_back(std::move(moving[i].map));
    }
    if (before == 0 || before >= plan_.opening()) return results;
    for (size_t at = 0; at < before; ++at) {
      const std::vector<Scored> ended = compare(*workspace, reference, distorted, at, false);
      for (size_t i = 0; i < pairs.size(); ++i) results[i].values.push_back(ended[i].q);
    }
    for (size_t i = 0; i < pairs.size(); ++i) results[i].values.push_back(moving[i].q);
    return results;
  }

  // q of a video of this frame alone.
  double still(const Frame& distorted, const Frame& reference) {
    const Known known(distorted, {}, false);
    return compare(*workspaces_.take(), {reference, {}, true}, {&known, 1}, 0, true).front().q;
  }

  static int64_t bytes(const Plan& plan, const Execution& execution) {
    const Stages stages = Stages::of(execution);
    return LightStore::bytes(plan, execution) +
           thread_count(execution) * counted_bytes([&] {
             auto workspace = std::make_unique<Workspace>(stages, plan);
             workspace->distorted.push_back(
                 std::make_unique<DistortedPicture>(stages, plan, workspace->reference, execution.heatmaps));
             return workspace;
           });
  }

 private:
  struct Scored {
    double q = 0;
    Plane<uint16_t> map = {};
  };

  // A known frame of all, row by row, so that what one makes of the reference is there for all.
  std::vector<Scored> compare(Workspace& workspace, const Known& known_reference,
                              std::span<const Known> known, size_t at, bool is_still) {
    const History reference(light_, plan_, known_reference, at);
    std::vector<History> distorted;
    for (const Known& each : known) distorted.emplace_back(light_, plan_, each, at);
    const size_t channels = is_still ? kStillChannels : kChannels;
    while (workspace.distorted.size() < known.size()) {
      workspace.distorted.push_back(
          std::make_unique<DistortedPicture>(stages_, plan_, workspace.reference, with_heatmaps_));
    }
    const auto put_row = [&](const History& history, int y, const Rows<float>& out) {
      if (is_still) return still_rows(plan_, history, y, out);
      filter_rows(stages_, plan_, history, y, out);
    };
    ReferencePicture& own = workspace.reference;
    const std::span pictures = std::span(workspace.distorted).first(distorted.size());
    own.start(channels);
    for (const auto& picture : pictures) picture->start(channels);
    for (int y = 0; y < plan_.levels[0].size.height; ++y) {
      put_row(reference, y, own.next());
      own.push();
      for (size_t i = 0; i < pictures.size(); ++i) {
        put_row(distorted[i], y, pictures[i]->next());
        pictures[i]->push();
      }
    }
    for (size_t level = 0; level + 1 < plan_.levels.size(); ++level) {
      own.finish(level);
      for (const auto& picture : pictures) picture->finish(level);
    }
    return mapped(pictures, [&](const auto& picture) { return scored_of(*picture, channels); });
  }

  Scored scored_of(const DistortedPicture& picture, size_t channels) const {
    Scored scored{.q = frame_quality(plan_, picture.sums(), channels)};
    if (!with_heatmaps_) return scored;
    std::vector<std::array<PlaneView<const float>, kChannels>> differences(plan_.levels.size());
    const std::array<Plane<float>, kChannels> base = picture.base_differences();
    for (size_t k = 0; k < channels; ++k) {
      for (size_t i = 0; i + 1 < differences.size(); ++i) differences[i][k] = picture.differences(i, k);
      differences.back()[k] = base[k].view();
    }
    scored.map = difference_map(plan_, channels == kStillChannels, differences);
    return scored;
  }

  const Plan plan_;
  const Backend backend_;
  const Stages stages_;
  const bool with_heatmaps_;
  LightStore light_;
  WorkspacePool<Workspace> workspaces_;
};

// Values of a frame's result: q, and q of a clip of this frame alone, or kNoStill. Then, of the second frame
// and later ones of an opening, q of all frames up to this if the clip ends with it.
constexpr double kNoStill = -1;
constexpr size_t kEnded = 2;

// The first frame waits for a second, without which it is a still; those of a longer opening for its end.
class ClipSequence final : public FrameSequence {
 public:
  explicit ClipSequence(size_t opening) : opening_(opening) {}

  std::vector<FrameValues> next(const FrameResult& result) override {
    FrameValues values = result.values;
    while (std::isnan(values.back())) values.pop_back();  // what fills rows of a shard's table
    const bool is_first = !std::exchange(is_begun_, true) && (result.if_last || values[1] != kNoStill);
    if_last_ = result.if_last;
    if (is_first || values.size() > kEnded) {
      ++waiting_;
      last_ = values;
      return values.size() == kEnded + opening_ ? finish() : std::vector<FrameValues>();
    }
    std::vector<FrameValues> complete;
    if (std::exchange(waiting_, 0) > 0) complete.push_back({jod_of(last_[0])});
    complete.push_back({jod_of(values[0])});
    return complete;
  }
  std::vector<FrameValues> finish() override {
    std::vector<FrameValues> complete;
    if (waiting_ > 0 && last_.size() == kEnded) {
      if (if_last_) last_ = if_last_();
      return {{jod_of(kStill * last_[1])}};
    }
    for (size_t i = last_.size() - std::exchange(waiting_, 0); i < last_.size(); ++i)
      complete.push_back({jod_of(last_[i])});
    return complete;
  }

 private:
  const size_t opening_;
  FrameValues last_;  // of the latest frame that waits
  std::function<FrameValues()> if_last_;
  size_t waiting_ = 0;  // frames
  bool is_begun_ = false;
};

constexpr Grade kGrades[] = {{10, "no visible difference"}, {9.995, "barely visible difference"},
                             {9, "slight difference"},      {8, "noticeable difference"},
                             {7, "annoying difference"},    {5, "very annoying"}};

constexpr MetricInfo kMetrics[] = {
    {.name = kMetricName,
     .alias = kFeatureName,
     .title = "ColorVideoVDP",
     .unit = "JOD",
     .subject = "distortion",
     .better = Better::kHigher,
     .flawless = 10,
     .noteworthy = 9,
     .noteworthy_meaning = "a slight difference or more",
     .grades = kGrades,
     .judges_hdr = true,
     .usual_top = 10,
     .explanation = "How close the clip is to the reference for a viewer of the display, with light, colour "
                    "and time: 10 for no difference; of two encodes one JOD apart three viewers in four "
                    "prefer the better one. The mean is the score of the clip; that of a frame is its share "
                    "before it is pooled.",
     .decimals = 4,
     .is_late = true,
     .mean = {averaged, score_of_mean}}};

// "ColorVideoVDP v0.5.6, 75.4 [pix/deg], Lpeak=200, ...", as its authors ask that it be reported.
std::string described(const Display& display) {
  const auto text = [](double v) { return number_text(v, {NumberStyle::Kind::kSignificant, 4}); };
  return words("ColorVideoVDP v0.5.6, {} [pix/deg], Lpeak={}, Lblack={}, Lrefl={} [cd/m^2], ({})",
               number_text(display.ppd, {NumberStyle::Kind::kSignificant, 3}), text(display.peak),
               text(display.black()), text(display.reflected()), display.name);
}

std::string_view display_by_tags(const VideoFormat& video) {
  if (video.transfer == Transfer::kPq) return "standard_hdr_pq";
  return video.transfer == Transfer::kHlg ? "standard_hdr_hlg" : kDisplayNames[1];
}

// The transfer function that video for the display has.
bool is_made_for(const VideoFormat& video, const Display& display) {
  switch (video.transfer) {
    case Transfer::kPq:
      return display.curve == Curve::kPq;
    case Transfer::kHlg:
      return display.curve == Curve::kHlg;
    case Transfer::kUnspecified:
      return true;
    default:
      return display.curve == Curve::kSrgb;
  }
}

Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  Resolution resolution;
  const VideoFormat& video = formats.distorted;
  if (set.get_text("display") == kDisplayNames[0]) set.resolve("display", display_by_tags(video));
  if (set.get_real("fps") <= 0) {
    const bool is_known = video.frame_rate > 0;
    const double rate = is_known ? std::min(video.frame_rate, kHighestRate) : kAssumedFrameRate;
    set.resolve("fps", number_text(rate, {NumberStyle::Kind::kShortest}));
    resolution.notes.push_back(words("cvvdp: fps={} ({})",
                                     number_text(rate, {NumberStyle::Kind::kSignificant, 5}),
                                     is_known ? "from the stream" : "assumed"));
  }
  const Options options = options_of<Cvvdp>(set);
  const Display display = display_of(options);
  resolution.notes.push_back(described(display));
  if (options.matrix == "auto" && video.matrix == Matrix::kUnspecified)
    resolution.notes.emplace_back("cvvdp: matrix=bt709 (assumed)");
  for (const VideoFormat* const each : {&video, formats.reference ? &*formats.reference : nullptr}) {
    if (each == nullptr || is_made_for(*each, display)) continue;
    resolution.warnings.push_back(
        {.text = words("{} is {}, which the display {} does not show: cvvdp takes it for the display's.",
                       each->name, to_string(each->transfer), display.name),
         .open_option = "display"});
  }
  return resolution;
}

// What its authors ask that reports say, too.
std::vector<std::pair<std::string, std::string>> reading(const OptionSet& set, const VideoFormat& video) {
  const Options options = options_of<Cvvdp>(set);
  const Display display = display_of(options);
  std::vector<std::pair<std::string, std::string>> words;
  for (auto& word : light::in_words(reading_of(options, video), video)) {
    if (word.first != "transfer" && word.first != "primaries") words.push_back(std::move(word));
  }
  const auto put = [&](const char* name, double value) {
    words.emplace_back(name, number_text(value, {NumberStyle::Kind::kSignificant, 4}));
  };
  words.emplace_back("display", display.name);
  put("ppd", display.ppd);
  put("peak", display.peak);
  put("black", display.black());
  put("reflection", display.reflected());
  return words;
}

std::vector<HeatmapInfo> heatmaps(const OptionSet&, const VideoFormats& formats) {
  return {{.scale = 0,
           .width = formats.distorted.width,
           .height = formats.distorted.height,
           .score_weight = kJodPerLevel}};
}

FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  return {.fixed = Host::bytes(plan_of<Cvvdp>(set, formats), execution)};
}

}  // namespace

FrameResult frame_result(double q) { return {.values = {q, kNoStill}}; }

void add_still(FrameResult& result, const Plan& plan, Backend backend, const FramePair& frames) {
  const auto values = [plan, backend, q = result.values[0], distorted = frames.distorted,
                       reference = frames.reference.value()]() -> FrameValues {
    const ExactFloats exact;
    return {q, Host(plan, {.backend = backend}).still(distorted, reference)};
  };
  if (keeps_samples(frames.distorted) && keeps_samples(*frames.reference)) {
    result.if_last = values;
  } else {
    result.values = values();
  }
}

std::unique_ptr<HostFeature> make_host_feature(const Plan& plan, const Execution& execution) {
  return std::make_unique<Host>(plan, execution);
}

std::unique_ptr<FrameSequence> Cvvdp::make_sequence(const Options& options) {
  return std::make_unique<ClipSequence>(
      options.is_symmetric() ? static_cast<size_t>(filter_frames(options.fps)) : 1);
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Cvvdp, Host>({
      .name = kFeatureName,
      .summary = "ColorVideoVDP: visible differences in light, colour and time on a display, in JOD",
      .publication = {.citation =
                          "Mantiuk, Hanji, Ashraf, Asano, Chapiro: ColorVideoVDP: A visual difference "
                          "predictor for image, video and display distortions. ACM Transactions on "
                          "Graphics 43 (4), 2024",
                      .doi = "10.1145/3658144"},
      .metrics = kMetrics,
      .resolve = resolve,
      .reading = reading,
      .heatmap_option = "heatmaps_path",
      .heatmaps = heatmaps,
      .shares_reference = true,
      .memory = memory,
  });
  return kInfo;
}

}  // namespace vq::cvvdp
