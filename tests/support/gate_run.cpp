#include "tests/support/gate_run.h"

#include <bit>

#include "core/synthetic_frame.h"
#include "feature/extractor.h"
#include "tests/support/stored_frame.h"

namespace vq::test {
namespace {

FeatureRequest request_of(const std::string& text, bool has_maps) {
  const size_t end = text.find('=');
  const FeatureInfo& info = find_feature(text.substr(0, end));
  FeatureRequest request = {.info = &info, .options = OptionSet(info.options), .asked_by = AskedBy::kUser};
  for (size_t at = end; at < text.size();) {
    const size_t equals = text.find('=', at + 1), next = std::min(text.find(':', equals), text.size());
    request.options.set(text.substr(at + 1, equals - at - 1), text.substr(equals + 1, next - equals - 1));
    at = next;
  }
  request.heatmaps = has_maps && info.heatmaps != nullptr;
  request.histograms = has_maps && info.histograms != nullptr;
  return request;
}

VideoFormat format_of(const GateRun& run, bool is_reference) {
  return {.name = is_reference ? "reference" : "distorted",
          .width = run.size.width,
          .height = run.size.height,
          .bit_depth = is_reference ? run.reference_depth : run.depth,
          .chroma = run.chroma};
}

void spoil(Frame& frame) {
  if (frame.luma().is_u8() || frame.bit_depth == 16) return;
  const PlaneView<const uint16_t>& luma = frame.luma().u16;
  const_cast<uint16_t&>(luma.row(luma.height / 3)[luma.width - 2]) = 0xFFFF;
}

// A picture of film is followed by one of bands. Some frames repeat the one before.
GateVideo make_video(const GateRun& run, bool is_reference, const std::vector<int>& repeats) {
  GateVideo video = {.format = format_of(run, is_reference), .frames = {}};
  int64_t picture = 0;
  for (int64_t i = 0; i < run.frames; ++i) {
    if (!contains(repeats, i)) ++picture;
    const Synthetic film = is_reference ? Synthetic::kFilm : Synthetic::kSoftFilm;
    const Synthetic bands = is_reference ? Synthetic::kTextured : Synthetic::kBanded;
    video.frames.push_back(
        synthetic_frame(picture % 2 == 1 ? film : bands, video.format, picture, kMaxPlanes));
    video.frames.back().index = i;
    if (i == run.spoilt) spoil(video.frames.back());
  }
  return video;
}

void mark_repeats(std::vector<Frame>& frames) {
  RepeatFinder finder;
  for (Frame& frame : frames) finder.mark(frame);
}

// In the forms that decoders on devices leave, most of them in the one that has to be unpacked.
void share(std::vector<Frame>& frames, const std::shared_ptr<vulkan::Device>& device) {
  const auto pools = vulkan::shared_pictures_of({device});
  if (pools.empty()) throw Error(ErrorKind::kInternal, "the device shares no memory");
  for (size_t i = 0; i < frames.size(); ++i)
    frames[i] = shared_copy(frames[i], *pools.front(), device, i % 3 != 2);
}

void place(std::vector<Frame>& frames, const FeatureExtractor& extractor, const GateWay& way) {
  if (way.place == Place::kHost) return;
  if (way.place == Place::kDevice) return share(frames, way.device);
  const std::shared_ptr<FrameStore> store = extractor.frame_store();
  if (store == nullptr) throw Error(ErrorKind::kInternal, "the device has no store");
  for (size_t i = 0; i < frames.size(); ++i) {
    if (way.place == Place::kStore || i % 3 != 1) frames[i] = stored_copy(frames[i], *store);
  }
}

// What counts: of frames that are not reported nobody asks for the results of features that have no need of
// them, and extractors leave there what they like.
class Kept final : public ScoreSink {
 public:
  Kept(const std::vector<FeatureRequest>& requests, std::vector<GateRow>& rows)
      : requests_(requests), rows_(rows) {}

  void scored(const FrameScores& scores) override {
    GateRow& row = rows_.emplace_back();
    row.frame = scores.frame;
    row.is_reported = scores.is_reported;
    for (size_t i = 0; i < scores.results.size(); ++i) {
      const FrameResult& result = scores.results[i];
      std::vector<uint64_t>& values = row.values.emplace_back();
      row.texts.emplace_back();
      if (!scores.is_reported && !needs_every_frame(requests_.at(i))) continue;
      for (const double value : result.values_if_last()) values.push_back(std::bit_cast<uint64_t>(value));
      for (const double tally : result.tallies) values.push_back(std::bit_cast<uint64_t>(tally));
      for (const std::vector<uint32_t>& bins : result.histograms)
        values.insert(values.end(), bins.begin(), bins.end());
      for (const Plane<uint16_t>& map : result.heatmaps) {
        for (int y = 0; y < map.height(); ++y)
          values.insert(values.end(), map.row(y), map.row(y) + map.width());
      }
      row.texts.back() = result.texts;
    }
  }

 private:
  const std::vector<FeatureRequest>& requests_;
  std::vector<GateRow>& rows_;
};

std::vector<FeatureRequest> requests_of(const GateRun& run, const VideoFormats& formats) {
  std::vector<FeatureRequest> requests;
  for (const std::string& text : run.features) {
    requests.push_back(request_of(text, run.has_maps));
    requests.back().fitting = run.fitting;
    resolve(requests.back(), formats);
  }
  return requests;
}

std::unique_ptr<FeatureExtractor> make(const std::vector<FeatureRequest>& requests,
                                       const VideoFormats& formats, const GateWay& way, WorkerPool& pool,
                                       GateOutcome& outcome) {
  Execution execution = {.backend = way.backend, .pool = &pool, .time_stages = way.time_stages};
  if (way.device != nullptr) {
    std::promise<std::vector<std::shared_ptr<vulkan::Device>>> opened;
    opened.set_value({way.device});
    execution.devices.opened = opened.get_future().share();
  }
  std::unique_ptr<FeatureExtractor> extractor = make_extractor(requests, formats, execution);
  if (!way.falls_back) return extractor;
  const auto on_cpu = [&requests, formats, &pool] {
    return make_extractor(requests, formats, {.backend = Backend::kCpu, .pool = &pool});
  };
  return with_fallback(std::move(extractor),
                       {on_cpu, [&outcome](const std::string& reason) { outcome.given_up = reason; }});
}

void score(const GateRun& run, const GateWay& way, GateOutcome& outcome) {
  GateVideo distorted = run.distorted != nullptr ? *run.distorted : make_video(run, false, {3, 5});
  GateVideo reference = run.reference != nullptr ? *run.reference : make_video(run, true, {2, 3, 4, 5});
  const VideoFormats formats = {.distorted = distorted.format, .reference = reference.format};
  const std::vector<FeatureRequest> requests = requests_of(run, formats);
  WorkerPool pool(way.threads);
  const std::unique_ptr<FeatureExtractor> extractor = make(requests, formats, way, pool, outcome);
  mark_repeats(distorted.frames);
  mark_repeats(reference.frames);
  place(distorted.frames, *extractor, way);
  place(reference.frames, *extractor, way);
  PreviousFrames before(frame_needs(requests).before);
  Kept kept(requests, outcome.rows);
  for (size_t i = 0; i < std::min(distorted.frames.size(), reference.frames.size()); ++i) {
    FramePair pair = {.distorted = distorted.frames[i],
                      .reference = reference.frames[i],
                      .index = static_cast<int64_t>(i),
                      .is_reported = i % static_cast<size_t>(run.every) == 0};
    before.give(pair);
    extractor->push(pair, kept);
  }
  extractor->finish(kept);
  const BackendReport report = extractor->backend_report();
  outcome.host_stages = report.host_stages;
  outcome.bytes_uploaded = report.bytes_uploaded;
}

}  // namespace

std::string to_string(const GateRun& run) {
  std::string text;
  for (const std::string& feature : run.features) text += feature + " ";
  if (run.distorted != nullptr) return text + "on " + run.distorted->format.name;
  return text + "on " + std::to_string(run.size.width) + "x" + std::to_string(run.size.height) + " " +
         std::string(to_string(run.chroma)) + ", " + std::to_string(run.depth) + " and " +
         std::to_string(run.reference_depth) + " bits, every " + std::to_string(run.every) +
         (run.has_maps ? ", with maps" : "") + (run.spoilt >= 0 ? ", spoilt" : "");
}

bool is_left_to_host(const GateRun& run, Backend backend) {
  return std::ranges::any_of(run.features, [&](const std::string& text) {
    const std::string name = text.substr(0, text.find('='));
    const auto all = features();
    const auto info = std::ranges::find(all, name, &FeatureInfo::name);
    if (info == all.end()) return false;
    return std::find((*info)->backends.begin(), (*info)->backends.end(), backend) == (*info)->backends.end();
  });
}

GateOutcome outcome_of(const GateRun& run, const GateWay& way) {
  GateOutcome outcome;
  try {
    score(run, way, outcome);
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

std::string difference(const GateOutcome& expected, const GateOutcome& actual) {
  std::string text;
  if (expected.error != actual.error)
    text += "  ends with \"" + actual.error + "\", not \"" + expected.error + "\"\n";
  if (expected.rows.size() != actual.rows.size()) {
    text += "  " + std::to_string(actual.rows.size()) + " frames, not " +
            std::to_string(expected.rows.size()) + "\n";
  }
  for (size_t i = 0; i < std::min(expected.rows.size(), actual.rows.size()); ++i) {
    const GateRow &wanted = expected.rows[i], &found = actual.rows[i];
    if (wanted == found) continue;
    text += "  frame " + std::to_string(wanted.frame) + " differs in the features";
    for (size_t k = 0; k < std::min(wanted.values.size(), found.values.size()); ++k) {
      if (wanted.values[k] == found.values[k]) continue;
      size_t at = 0;
      while (at < wanted.values[k].size() && at < found.values[k].size() &&
             wanted.values[k][at] == found.values[k][at])
        ++at;
      text += " " + std::to_string(k) + " (from value " + std::to_string(at) + " on)";
    }
    text += "\n";
  }
  return text;
}

}  // namespace vq::test
