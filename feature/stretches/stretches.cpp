#include "feature/stretches/stretches.h"

namespace vq::stretches {
namespace {

light::LumaReading reading_of(const Options& options, const VideoFormat& video) {
  return light::luma_reading_of(options.range, options.transfer, video);
}

// cd/m2 of luma from 0 to 1: BT.1702's display of standard range has a white of 200.
double luminance_of(light::Curve curve, double v) {
  if (curve == light::Curve::kPq) return 100 * light::light_of_pq(v);
  if (curve == light::Curve::kHlg) return 1000 * std::pow(light::hlg_light(v), 1.2);
  return 200 * std::pow(v, 2.4);
}

bool is_step(int64_t dark, int64_t bright) {
  if (bright <= dark) return false;
  if (dark < 160 * kUnit) return bright - dark >= 20 * kUnit;
  return 17 * (bright - dark) >= bright + dark;
}

// Finds stretches of frames that stay the same as FFmpeg's freezedetect does, whose figures these are: a
// frame is compared with the last one that differed. A stretch begins with that one, so that a frame waits
// for those behind it until it is known whether they are enough.
class Freezes {
 public:
  // The values of the frames so far but those that wait, in order, with the frames of the present stretch.
  std::vector<FrameValues> next(FrameValues values, double since, int64_t shortest) {
    const bool is_same = taken_ > 0 && since == since_;
    std::vector<FrameValues> known;
    if (taken_ > 0 && taken_ - first_ >= shortest) is_open_ = true;
    if (is_open_ || !is_same) known = finish();
    if (!is_same) {
      is_open_ = false;
      first_ = taken_;
      since_ = since;
    }
    waiting_.push_back(std::move(values));
    ++taken_;
    return known;
  }
  // The values of those that wait: no frame follows.
  std::vector<FrameValues> finish() {
    std::vector<FrameValues> known;
    for (int64_t frame = taken_ - std::ssize(waiting_); FrameValues & values : waiting_) {
      values.push_back(is_open_ ? static_cast<double>(++frame - first_) : 0);
      known.push_back(std::move(values));
    }
    waiting_.clear();
    return known;
  }

 private:
  std::vector<FrameValues> waiting_;
  int64_t taken_ = 0, first_ = 0;  // of the present stretch
  double since_ = 0;
  bool is_open_ = false;  // the stretch is long enough
};

// Counts changes of cells within the last second.
class Sequence final : public FrameSequence {
 public:
  explicit Sequence(bool freezes) {
    if (freezes) freezes_.emplace();
  }

  std::vector<FrameValues> next(const FrameResult& result) override {
    const auto window = static_cast<int64_t>(result.values[0]);
    const std::span<const double> cells = std::span(result.values).subspan(4);
    for (size_t i = 0; i < cells.size(); ++i) {
      const auto luminance = static_cast<int64_t>(cells[i]);
      if (taken_ == 0) {
        cells_.push_back({.changes = CellChanges(luminance), .frames = {}});
        continue;
      }
      Cell& cell = cells_[i];
      if (cell.changes.put(luminance)) cell.frames.push_back(taken_);
      while (!cell.frames.empty() && cell.frames.front() <= taken_ - window) cell.frames.pop_front();
    }
    ++taken_;
    FrameValues values = {result.values[1], rate()};
    if (!freezes_) return {std::move(values)};
    return freezes_->next(std::move(values), result.values[3], static_cast<int64_t>(result.values[2]));
  }
  std::vector<FrameValues> finish() override {
    return freezes_ ? freezes_->finish() : std::vector<FrameValues>();
  }

  std::vector<std::optional<double>> at_once(const FrameResult& result, int64_t) const override {
    std::vector<std::optional<double>> known = {result.values[1]};
    known.resize(freezes_ ? 3 : 2);
    return known;
  }

 private:
  struct Cell {
    CellChanges changes;
    std::deque<int64_t> frames;  // that completed the changes of the last second
  };

  // Half of the largest number of changes that more than a quarter of the cells have.
  double rate() const {
    std::vector<size_t> counts = mapped(cells_, [&](const Cell& cell) { return cell.frames.size(); });
    std::ranges::sort(counts, std::greater());
    return static_cast<double>(counts[counts.size() / 4]) / 2;
  }

  std::vector<Cell> cells_;
  int64_t taken_ = 0;
  std::optional<Freezes> freezes_;
};

class StretchesHost final : public PlannedHost<Plan, Stages> {
 public:
  using PlannedHost::PlannedHost;

  FrameResult score(const FramePair& frames) override {
    const SampleView& luma = frames.distorted.luma();
    const auto [width, height] = plan_.size;
    std::vector<CellSum> cells(kCells);
    for (int j = 0; j < kRows; ++j) {
      for (int y = cell_start(j, height, kRows); y < cell_start(j + 1, height, kRows); ++y) {
        for (int i = 0; i < kColumns; ++i) {
          const int first = cell_start(i, width, kColumns), end = cell_start(i + 1, width, kColumns);
          RowPart part{.count = end - first};
          if (luma.is_u8()) part.u8 = luma.u8.row(y) + first;
          if (!luma.is_u8()) part.u16 = luma.u16.row(y) + first;
          const CellSum sum = stages_.row_sum(part, plan_);
          CellSum& cell = cells[static_cast<size_t>(j * kColumns + i)];
          cell.luminance += sum.luminance;
          cell.black += sum.black;
        }
      }
    }
    return frame_result(plan_, cells, frames);
  }
};

constexpr MetricInfo kMetrics[] = {
    {.name = "black_share",
     .title = "black share",
     .subject = "black pictures",
     .better = Better::kLower,
     .flawless = 0,
     .noteworthy = 0.98,
     .noteworthy_meaning = "a black picture",
     .judges_hdr = true,
     .usual_top = 1,
     .explanation = "The share of the picture's luma that is black."},
    {.name = "flash_rate",
     .title = "flashes a second",
     .subject = "flashes",
     .better = Better::kLower,
     .flawless = 0,
     .noteworthy = 3.5,
     .noteworthy_meaning = "more than three flashes a second",
     .explanation =
         "Flashes of luminance within the last second on more than a quarter of the picture, by the rule of "
         "ITU-R BT.1702, simplified. It is no certified test, and says nothing of red flashes and of "
         "patterns.",
     .decimals = 1},
    {.name = "frozen_run",
     .title = "frozen frames in a row",
     .subject = "frozen pictures",
     .better = Better::kLower,
     .flawless = 0,
     .noteworthy = 1,
     .noteworthy_meaning = "a frozen picture",
     .judges_hdr = true,
     .explanation =
         "How many frames up to this one show the same picture, if they are enough for a freeze, else 0.",
     .decimals = 0,
     .counts_frames = true,
     .is_late = true}};

}  // namespace

Plan Stretches::make_plan(const Options& options, const VideoFormats& formats) {
  const VideoFormat& video = formats.distorted;
  const light::LumaReading luma = reading_of(options, video);
  const int codes = 1 << video.bit_depth;
  const double rate = video.frame_rate > 0 ? video.frame_rate : kAssumedFrameRate;
  Plan plan{.size = {video.width, video.height},
            .luminance = {},
            .black = static_cast<uint32_t>(luma.black + options.black_level * luma.span),
            .window = static_cast<int>(std::max(std::floor(std::min(rate, 1e6) + 0.5), 1.0)),
            .noise = options.noise};
  // Times are whole microseconds.
  const auto microseconds = [](double seconds) { return std::floor(seconds * 1e6 + 0.5); };
  const double shortest = microseconds(std::max(options.freeze, 0.0));
  plan.freeze = static_cast<int64_t>(shortest / 1e6 * rate);
  while (microseconds(static_cast<double>(plan.freeze) / rate) < shortest) ++plan.freeze;
  for (int code = 0; code < codes; ++code) {
    const double v = std::clamp(static_cast<double>(code - luma.black) / luma.span, 0.0, 1.0);
    plan.luminance.push_back(static_cast<uint32_t>(std::floor(kUnit * luminance_of(luma.curve, v) + 0.5)));
  }
  return plan;
}

bool CellChanges::put(int64_t luminance) {
  if (!is_rising_.value_or(false)) low_ = std::min(low_, luminance);
  if (is_rising_.value_or(true)) high_ = std::max(high_, luminance);
  if (is_rising_ != true && is_step(low_, luminance)) {
    is_rising_ = true;
    high_ = luminance;
    return true;
  }
  if (is_rising_ != false && is_step(luminance, high_)) {
    is_rising_ = false;
    low_ = luminance;
    return true;
  }
  return false;
}

FrameResult frame_result(const Plan& plan, const std::vector<CellSum>& cells, const FramePair& frames) {
  const auto [width, height] = plan.size;
  uint64_t black = 0;
  const auto found = std::ranges::find(frames.freezes, plan.noise, &Freeze::noise);
  const int64_t since = found == frames.freezes.end() ? frames.distorted.index : found->since;
  FrameResult result{.values = {static_cast<double>(plan.window), 0, static_cast<double>(plan.freeze),
                                static_cast<double>(since)}};
  for (int j = 0; j < kRows; ++j) {
    for (int i = 0; i < kColumns; ++i) {
      const CellSum& cell = cells[static_cast<size_t>(j * kColumns + i)];
      const auto columns = cell_start(i + 1, width, kColumns) - cell_start(i, width, kColumns),
                 rows = cell_start(j + 1, height, kRows) - cell_start(j, height, kRows);
      black += cell.black;
      if (columns == 0 || rows == 0) continue;
      const uint64_t samples = static_cast<uint64_t>(columns) * static_cast<uint64_t>(rows);
      result.values.push_back(static_cast<double>(cell.luminance / samples));
    }
  }
  result.values[1] = static_cast<double>(black) / (static_cast<double>(width) * height);
  return result;
}

std::vector<std::string> Stretches::metric_names(const OptionSet& set) {
  OptionSet others = set, freeze = set;
  for (const OptionSpec& spec : set.specs()) {
    const bool is_of_freeze = spec.name == "freeze" || spec.name == "noise";
    (is_of_freeze ? others : freeze).resolve(spec.name, OptionSet(set.specs()).text(spec.name));
  }
  std::vector<std::string> names = {others.metric_name("black_share"), others.metric_name("flash_rate")};
  if (freezes(options_of<Stretches>(set))) names.push_back(freeze.metric_name("frozen_run"));
  return names;
}

std::unique_ptr<FrameSequence> Stretches::make_sequence(const Options& options) {
  return std::make_unique<Sequence>(freezes(options));
}

std::unique_ptr<HostFeature> make_host_feature(const Plan& plan, const Execution& execution) {
  return std::make_unique<StretchesHost>(plan, execution);
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Stretches, StretchesHost>(
      {.name = kFeatureName,
       .summary = "black and frozen pictures and flashes, whose stretches are segments",
       .publication = {.citation = "ITU-R BT.1702: Guidance for the reduction of photosensitive epileptic "
                                   "seizures caused by television, 2023"},
       .metrics = kMetrics,
       .reading =
           [](const OptionSet& set, const VideoFormat& video) {
             const light::LumaReading luma = reading_of(options_of<Stretches>(set), video);
             return std::vector<std::pair<std::string, std::string>>{
                 {"range", luma.is_full_range ? "full" : "limited"},
                 {"transfer", std::string(to_string(luma.curve))}};
           },
       .reads_luma = true});
  return kInfo;
}

}  // namespace vq::stretches
