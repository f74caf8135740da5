#include "cli/reports/baseline.h"

#include <algorithm>

#include "cli/reports/report_reader.h"
#include "cli/text/message_text.h"
#include "core/text.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

using FeatureFacts = decltype(RunFacts::features)::value_type;

// Where files go changes no score.
bool is_path(const std::string& feature, const std::string& option) {
  for (const FeatureInfo* info : features()) {
    if (info->name != feature) continue;
    for (const OptionSpec& spec : info->options) {
      if (spec.name == option) return spec.kind == OptionKind::kPath;
    }
  }
  return false;
}

std::string size_text(int width, int height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

std::string place_text(const std::optional<CropFacts>& crop) {
  if (!crop) return "the whole picture";
  return size_text(crop->width, crop->height) + " at " + std::to_string(crop->x) + ", " +
         std::to_string(crop->y);
}

// Without a part of its own the reference is scored as the video is.
std::string reference_place(const RunFacts& run) {
  return place_text(run.reference_crop ? run.reference_crop : run.crop);
}

class Remarks {
 public:
  Remarks(const Baseline& baseline, const Report& report) : baseline_(baseline), report_(report) {}

  std::vector<std::string> all() {
    const Report& old = baseline_.report;
    compare_frames(old);
    // Without an extended report nothing more is known.
    if (old.run.inputs.empty() || report_.run.inputs.empty()) return std::move(remarks_);
    if (!old.run.complete) add("is of a run that ended early");
    compare("scored", place_text(old.run.crop), place_text(report_.run.crop));
    if (old.run.reference_crop || report_.run.reference_crop) {
      compare("scored, of the reference,", reference_place(old.run), reference_place(report_.run));
    }
    if (!old.run.crop && !report_.run.crop) {
      compare("is of", size_text(old.width, old.height), size_text(report_.width, report_.height));
    }
    for (const FeatureFacts& feature : report_.run.features) compare_options(feature);
    for (const ModelFacts& model : report_.run.models) compare_scaling(model);
    return std::move(remarks_);
  }

 private:
  void add(const std::string& what) {
    remarks_.push_back("the baseline " + shown_path(baseline_.path) + " " + what + ".");
  }

  void compare(const std::string& verb, const std::string& old, const std::string& now) {
    if (old != now) add(verb + " " + old + ", this run " + now);
  }

  void compare_frames(const Report& old) {
    const std::vector<int64_t>&before = old.frames, &now = report_.frames;
    if (before.size() != now.size()) {
      add("has " + counted(static_cast<int64_t>(before.size()), "frame") + ", this run " +
          std::to_string(now.size()));
    } else if (before != now) {
      add("scored other frames, from " + std::to_string(before.front()) + " to " +
          std::to_string(before.back()));
    }
  }

  void compare_options(const FeatureFacts& feature) {
    const auto& all = baseline_.report.run.features;
    const auto is_it = [&](const FeatureFacts& other) { return other.first == feature.first; };
    const auto found = std::find_if(all.begin(), all.end(), is_it);
    // A feature that is given twice has the options in its metrics' names.
    if (found == all.end() || std::count_if(all.begin(), all.end(), is_it) > 1) return;
    for (const auto& [option, value] : feature.second) {
      const auto same = [&name = option](const auto& other) { return other.first == name; };
      const auto other = std::find_if(found->second.begin(), found->second.end(), same);
      if (other == found->second.end() || other->second == value || is_path(feature.first, option)) continue;
      add("has " + feature.first + " with " + option + "=" + printable(other->second) + ", this run with " +
          option + "=" + printable(value));
    }
  }

  void compare_scaling(const ModelFacts& model) {
    const auto place = [](const ModelFacts& facts) {
      return facts.scored_at.empty() ? "the video's own size" : facts.scored_at;
    };
    for (const ModelFacts& old : baseline_.report.run.models) {
      if (old.name == model.name)
        compare("scored " + printable(model.name) + " at", place(old), place(model));
    }
  }

  const Baseline& baseline_;
  const Report& report_;
  std::vector<std::string> remarks_;
};

}  // namespace

Baseline read_baseline(const std::string& path, std::function<bool()> stopped) {
  return {path, to_report(read_report(path, std::move(stopped)))};
}

std::vector<std::string> remarks_on_baseline(const Baseline& baseline, const Report& report) {
  return Remarks(baseline, report).all();
}

}  // namespace vq::cli
