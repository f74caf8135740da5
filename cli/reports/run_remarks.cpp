#include "cli/reports/run_remarks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "cli/reports/run_rates.h"
#include "core/text.h"
#include "core/text/message_text.h"
#include "core/text/number_text.h"
#include "engine/known_metrics.h"

namespace vq::cli {
namespace {

using Runs = std::vector<NamedReport>;

constexpr size_t kMostNames = 4;

// "a, b, c and 5 more".
std::string names_text(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == kMostNames && names.size() > kMostNames + 1) {
      return text + " and " + std::to_string(names.size() - i) + " more";
    }
    text += (i == 0 ? "" : ", ") + shown_path(names[i]);
  }
  return text;
}

// "What differ: this (a, b), that (c)." with one value for each run; empty where all that are known are
// equal. An empty value is not known.
std::string differing(const Runs& runs, const std::string& what,
                      const std::function<std::string(const NamedReport&)>& value_of) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // in order of appearance
  for (const NamedReport& run : runs) {
    const std::string value = value_of(run);
    if (value.empty()) continue;
    auto group =
        std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == value; });
    if (group == groups.end()) group = groups.insert(group, {value, {}});
    group->second.push_back(run.name);
  }
  if (groups.size() < 2) return {};
  std::string text = what + " differ: ";
  for (const auto& [value, names] : groups) {
    text += (&value == &groups.front().first ? "" : "; ") + value + " (" + names_text(names) + ")";
  }
  return text + ".";
}

std::string shortest(double value, int digits) {
  return number_text(value, {NumberStyle::Kind::kSignificant, digits});
}

std::string length_text(const NamedReport& run) {
  return shown_path(run.name) + " has " + counted(static_cast<int64_t>(run.report.frames.size()), "frame");
}

std::string lengths_remark(const Runs& runs) {
  const auto [shortest_run, longest_run] = std::minmax_element(
      runs.begin(), runs.end(),
      [](const auto& a, const auto& b) { return a.report.frames.size() < b.report.frames.size(); });
  if (shortest_run->report.frames.size() == longest_run->report.frames.size()) return {};
  return "Lengths differ: " + length_text(*shortest_run) + ", " + length_text(*longest_run) +
         ". They are ranked all the same.";
}

std::string frames_text(const NamedReport& run) {
  const std::vector<int64_t>& frames = run.report.frames;
  return frames.empty() ? "" : std::to_string(frames.front()) + " to " + std::to_string(frames.back());
}

// Frames of the same number and not the same ones; where lengths differ that was said.
std::string frames_remark(const Runs& runs) {
  for (const NamedReport& run : runs) {
    if (run.report.frames.size() != runs.front().report.frames.size()) return {};
  }
  return differing(runs, "The numbers of the scored frames", frames_text);
}

template <typename Value>
std::string of_video(const NamedReport& run, const Value& value) {
  const InputFacts* const video = scored_video(run.report);
  return video == nullptr ? std::string() : value(*video);
}

std::string size_text(const NamedReport& run) {
  return of_video(run, [](const InputFacts& video) {
    return video.width <= 0 ? "" : std::to_string(video.width) + "x" + std::to_string(video.height);
  });
}

std::string rate_text(const NamedReport& run) {
  return of_video(run, [](const InputFacts& video) {
    return video.frame_rate ? shortest(*video.frame_rate, 5) + " fps" : "";
  });
}

std::string transfer_text(const NamedReport& run) {
  return of_video(run, [](const InputFacts& video) {
    return video.transfer == "unspecified" ? "" : printable(video.transfer);
  });
}

std::string reference_text(const NamedReport& run) {
  for (const InputFacts& input : run.report.run.inputs) {
    if (input.role == "reference") return shown_path(input.path.substr(input.path.find_last_of('/') + 1));
  }
  return {};
}

// Of a report that tells nothing of its run the scored area is not known.
std::string area_text(const NamedReport& run) {
  if (run.report.run.inputs.empty()) return {};
  const std::optional<CropFacts>& crop = run.report.run.crop;
  if (!crop) return "the whole picture";
  return std::to_string(crop->width) + "x" + std::to_string(crop->height) + " at " + std::to_string(crop->x) +
         ", " + std::to_string(crop->y);
}

// Where the videos are not equally long although as many frames of each were scored.
std::string durations_remark(const Runs& runs) {
  std::optional<double> least, most;
  for (const NamedReport& run : runs) {
    const InputFacts* const video = scored_video(run.report);
    if (run.report.frames.size() != runs.front().report.frames.size()) return {};
    if (video == nullptr || !video->duration) continue;
    least = std::min(least.value_or(*video->duration), *video->duration);
    most = std::max(most.value_or(*video->duration), *video->duration);
  }
  // Containers round, and some count the delay of the first frame.
  if (!least || *most - *least <= 0.2 + 0.002 * *most) return {};
  return differing(runs, "Durations of the videos", [](const NamedReport& run) {
    return of_video(run, [](const InputFacts& video) {
      return video.duration ? fixed_text(*video.duration, 1) + " s" : "";
    });
  });
}

void add_missing(const Runs& runs, const ComparisonBasis& basis, std::vector<std::string>& remarks) {
  for (const NamedReport& run : runs) {
    const std::vector<double>& values = find_metric(run.report, basis.metric)->values;
    const auto missing =
        std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); });
    if (missing == 0) continue;
    remarks.push_back(shown_path(run.name) + " lacks " + std::to_string(missing) + " of " +
                      std::to_string(values.size()) + " scores, so it is ranked last.");
  }
  for (const NamedReport& run : runs) {
    if (!run.report.run.complete) remarks.push_back(shown_path(run.name) + " was not scored to its end.");
  }
}

// Where bits and scores are not of the same thing.
void add_rates(const Runs& runs, std::vector<std::string>& remarks) {
  std::vector<std::string> of_file, of_part;
  for (const NamedReport& run : runs) {
    const InputFacts* const video = scored_video(run.report);
    if (video == nullptr || !video->bit_rate) continue;
    if (video->bit_rate_of == "file") of_file.push_back(run.name);
    const std::vector<int64_t>& frames = run.report.frames;
    if (frames.empty() || !video->duration || !video->frame_rate) continue;
    const double scored = static_cast<double>(frames.back() - frames.front() + 1) / *video->frame_rate;
    if (scored < 0.9 * *video->duration) of_part.push_back(run.name);
  }
  if (!of_file.empty()) {
    remarks.push_back("The bit rate of " + names_text(of_file) +
                      " is that of the whole file, not of the video alone.");
  }
  if (!of_part.empty()) {
    remarks.push_back("Bit rates cover whole videos although only a part was scored: " + names_text(of_part) +
                      ".");
  }
}

// Runs of which every frame has the same hash as that of another.
std::string same_pictures(const Runs& runs) {
  std::map<std::vector<std::string>, std::vector<std::string>> by_hashes;
  for (const NamedReport& run : runs) {
    for (const TextSeries& series : run.report.texts) {
      if (series.name.starts_with("fingerprint")) by_hashes[series.values].push_back(run.name);
    }
  }
  for (const auto& [hashes, names] : by_hashes) {
    if (names.size() > 1) return "The pictures of " + names_text(names) + " are the same, frame by frame.";
  }
  return {};
}

std::string side_remark(const Metric& metric) {
  if (is_neutral(metric))
    return "Neither a low nor a high " + printable(metric.name) + " is better. The lowest is first.";
  if (metric_info(metric).better != Better::kNeither) return {};
  return "Whether a low or a high " + printable(metric.name) +
         " is better is not known here. The lowest is first.";
}

// Statistics of a sample say so; where the samples differ, of which runs.
std::string sample_remark(const Runs& runs) {
  const auto sample_of = [](const NamedReport& run) {
    const RunFacts& facts = run.report.run;
    return facts.subsample > 1 ? sample_text(facts.subsample, facts.sample_is_spread) : "every frame";
  };
  if (std::string text = differing(runs, "The scored samples", sample_of); !text.empty()) return text;
  return runs.front().report.run.subsample > 1
             ? "Only " + sample_of(runs.front()) + " was scored, so statistics are of these."
             : "";
}

// Runs whose scores are wrong, with the first reason.
std::string apart_remark(const Runs& runs, const ComparisonBasis& basis) {
  std::string text;
  for (const NamedReport& run : runs) {
    if (is_comparable(run, basis.metric)) continue;
    text += (text.empty() ? "" : " ") + shown_path(run.name) +
            " is not comparable, so it is last: " + run.report.run.pair_faults.front();
    if (!text.ends_with('.')) text += '.';
  }
  return text;
}

}  // namespace

std::vector<std::string> remarks_on(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  std::vector<std::string> remarks = {apart_remark(runs, basis),
                                      lengths_remark(runs),
                                      sample_remark(runs),
                                      frames_remark(runs),
                                      durations_remark(runs),
                                      differing(runs, "Frame rates", rate_text),
                                      differing(runs, "References", reference_text),
                                      differing(runs, "Picture sizes", size_text),
                                      differing(runs, "Scored areas", area_text),
                                      differing(runs, "Transfer functions", transfer_text),
                                      same_pictures(runs)};
  add_missing(runs, basis, remarks);
  add_rates(runs, remarks);
  remarks.push_back(side_remark(*find_metric(runs.front().report, basis.metric)));
  std::erase(remarks, "");
  return remarks;
}

}  // namespace vq::cli
