#include "cli/commands/collected_flags.h"

#include <algorithm>
#include <cstring>

#include "cli/commands/feature_spec.h"
#include "cli/output/standard_streams.h"
#include "cli/pages/page_assets.h"
#include "cli/text/argument_values.h"
#include "cli/text/message_text.h"
#include "core/error.h"
#include "core/text.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

void collect_raw(CollectedFlags& flags) {
  const std::pair<const char*, const std::string&> given[] = {
      {"-w", flags.width}, {"-h", flags.height}, {"-p", flags.pixel_format}, {"-b", flags.bit_depth}};
  std::string missing;
  for (const auto& [name, text] : given) {
    if (text.empty()) missing += std::string(missing.empty() ? "" : ", ") + name;
  }
  if (missing.size() == std::strlen("-w, -h, -p, -b")) return;
  RawFormat raw;
  if (!flags.width.empty()) raw.width = side_value("--width", flags.width);
  if (!flags.height.empty()) raw.height = side_value("--height", flags.height);
  if (!missing.empty())
    throw Error(ErrorKind::kUsage, "raw video needs -w, -h, -p and -b; missing: " + missing + ".");
  constexpr Chroma kChromas[] = {Chroma::k400, Chroma::k420, Chroma::k422, Chroma::k444};
  raw.chroma = kChromas[choice_value("--pixel_format", flags.pixel_format, {"400", "420", "422", "444"})];
  const std::vector<std::string> depths = {"8", "9", "10", "12", "14", "16"};
  raw.bit_depth = std::stoi(depths[choice_value("--bitdepth", flags.bit_depth, depths)]);
  flags.arguments.raw = raw;
}

void collect_inputs(CollectedFlags& flags, bool several) {
  RunOptions& a = flags.arguments;
  const std::vector<std::string>& words = flags.positionals;
  if (words.size() > 1 && !several) {
    throw Error(ErrorKind::kUsage, "two videos, \"" + printable(words[0]) + "\" and \"" + printable(words[1]) +
                                       "\", but not which is the reference. Use -r REFERENCE -d DISTORTED, or "
                                       "rank them with: cambi compare A B");
  }
  if (!words.empty() && !a.distorted.empty()) {
    throw Error(ErrorKind::kUsage, "\"" + printable(words[0]) + "\" and -d \"" + printable(a.distorted) +
                                       "\" both name the video to score.");
  }
  if (!words.empty()) a.distorted = words[0];
  if (a.distorted.empty()) {
    throw Error(ErrorKind::kUsage, "no video to score. Try: cambi VIDEO, or cambi -r REFERENCE -d DISTORTED");
  }
  if (a.reference && a.reference->empty())
    throw Error(ErrorKind::kUsage, "--reference: the path is empty.");
  a.subsample = std::max<int64_t>(a.subsample, 1);
  collect_raw(flags);
}

std::string own_flags_given(const CollectedFlags& flags) {
  if (flags.full_ref) return "--full-ref";
  if (!flags.profile.empty()) return "--profile";
  if (!flags.encode.empty()) return "--enc";
  if (!flags.source.empty()) return "--src";
  return flags.own_flags.empty() ? "" : flags.own_flags.front();
}

// The feature that flags describe: the profile first, then what is said one by one.
FeatureRequest own_feature(CollectedFlags& flags) {
  if (!flags.profile.empty()) {
    choice_value("--profile", flags.profile, {"vmaf-v1"});
    flags.own.try_emplace("cambi_high_res_speedup", "1080");
    flags.own.try_emplace("cambi_vis_lum_threshold", "0.06");
    flags.own.try_emplace("cambi_max_val", "17");
  }
  if (!flags.encode.empty()) {
    const SizeText size = size_value("--enc", flags.encode);
    flags.own["enc_width"] = size.width;
    flags.own["enc_height"] = size.height;
    if (!size.bits.empty()) flags.own["enc_bitdepth"] = size.bits;
  }
  if (!flags.source.empty()) {
    const SizeText size = size_value("--src", flags.source);
    if (!size.bits.empty()) throw Error(ErrorKind::kUsage, "--src takes a size without a bit depth.");
    flags.own["src_width"] = size.width;
    flags.own["src_height"] = size.height;
  }
  FeatureRequest request{&find_feature("cambi"), OptionSet(find_feature("cambi").options)};
  for (const auto& [option, text] : flags.own) request.options.set(option, text);
  if (flags.full_ref) request.options.set("full_ref", "true");
  return request;
}

void collect_heatmaps(CollectedFlags& flags) {
  for (const std::string& flag : flags.own_flags) {
    if (!flag.starts_with("--heatmap-") || flags.own.contains("heatmaps_path")) continue;
    throw Error(ErrorKind::kUsage, flag + " needs a folder. Add --heatmaps DIR");
  }
  const auto given = [&](const char* flag) {
    return std::find(flags.own_flags.begin(), flags.own_flags.end(), flag) != flags.own_flags.end();
  };
  HeatmapWishes& wishes = flags.arguments.heatmaps;
  // Who asks for them here wants to look at them; raw maps fill a disk.
  if (given("--heatmaps") && !given("--heatmap-format")) {
    wishes.raw = false;
    wishes.png = true;
  }
  check_heatmap_wishes(wishes);
}

void collect_features(CollectedFlags& flags) {
  RunOptions& a = flags.arguments;
  for (const std::string& text : flags.features) a.features.push_back(parse_feature(text));
  if (a.features.empty()) {
    a.features.push_back(own_feature(flags));
    a.colour = flags.colour;
  } else if (const std::string own = own_flags_given(flags); !own.empty()) {
    throw Error(ErrorKind::kUsage, own +
                                       " cannot go with --feature, which is exact. Write it as an option: "
                                       "--feature cambi=key=value (see: cambi features cambi)");
  }
  collect_heatmaps(flags);
  check_metric_names(a.features);
  for (const FeatureRequest& request : a.features) {
    if (request.info->needs_reference(request.options) && !a.reference) {
      throw Error(ErrorKind::kUsage, "full reference needs a reference. Use -r REFERENCE -d DISTORTED.");
    }
  }
}

void prepare_pages(RunOptions& arguments) {
  const auto is_page = [](const OutputRequest& output) { return output.format == ReportFormat::kHtml; };
  if (std::none_of(arguments.outputs.begin(), arguments.outputs.end(), is_page)) return;
  page_assets();  // before any work: not every build has them
  arguments.heatmaps.page = true;
}

void collect_outputs(CollectedFlags& flags) {
  RunOptions& a = flags.arguments;
  // A format without a file means standard output.
  const bool implied = flags.format && flags.outputs.empty();
  if (implied) flags.outputs.emplace_back("-");
  for (const std::string& path : flags.outputs) {
    if (path.empty()) throw Error(ErrorKind::kUsage, "--output: the path is empty.");
    a.outputs.push_back({path, flags.format ? flags.format : named_format(path)});
    if (a.stream_scores && is_standard_output(path)) {
      throw Error(ErrorKind::kUsage, "--stream-scores writes to standard output, and so does " +
                                         (implied ? "a report without --output" : "--output " + shown_path(path)) +
                                         ". Give a file.");
    }
  }
  for (const std::string& text : flags.fail_above) {
    a.thresholds.push_back(parse_threshold(text, ThresholdSide::kAbove));
  }
  for (const std::string& text : flags.fail_below) {
    a.thresholds.push_back(parse_threshold(text, ThresholdSide::kBelow));
  }
  if (flags.worst >= 0) {
    a.worst = static_cast<size_t>(flags.worst);
    a.heatmaps.worst = static_cast<size_t>(flags.worst);
  }
  if (!flags.html) return prepare_pages(a);
  if (flags.html->empty()) throw Error(ErrorKind::kUsage, "--html: the path is empty.");
  a.outputs.push_back({*flags.html, ReportFormat::kHtml});
  prepare_pages(a);
}

// A flag that would change nothing was meant to.
void check_reference_flags(const RunOptions& arguments) {
  if (arguments.reference) return;
  const char* const flag = arguments.skip_reference > 0  ? "--frame_skip_ref"
                           : arguments.reference_stream ? "--stream-ref"
                           : arguments.strict           ? "--strict"
                                                        : nullptr;
  if (flag == nullptr) return;
  throw Error(ErrorKind::kUsage, std::string(flag) + " has no effect without a reference. Use -r REFERENCE -d DISTORTED.");
}

void check_device(const RunOptions& arguments) {
  const bool on_cpu = arguments.backend == Backend::kCpu || arguments.backend == Backend::kScalar;
  if (arguments.device.empty() || !on_cpu) return;
  throw Error(ErrorKind::kUsage, "--device names a GPU, but --backend " +
                                     std::string(to_string(*arguments.backend)) +
                                     " uses none. Drop one of them.");
}

}  // namespace

RunOptions complete(CollectedFlags flags, bool several) {
  collect_inputs(flags, several);
  collect_features(flags);
  collect_outputs(flags);
  check_reference_flags(flags.arguments);
  check_device(flags.arguments);
  return std::move(flags.arguments);
}

}  // namespace vq::cli
