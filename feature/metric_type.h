// A metric as a type: what it says of itself, from which describe() makes its entry in the registry.
//
//   struct Xpsnr {
//     using Options = XpsnrOptions;                // with defaults
//     static constexpr auto kOptions = option_table<Options>({...});
//     using Plan = XpsnrPlan;                      // what is constant over two videos
//     static Plan make_plan(const Options&, const VideoFormats&);  // throws as FeatureInfo::check
//     // The names of its metrics. The options that differ from their defaults are added to each name. If
//     // that is not right for all of them, the type has metric_names() instead of names().
//     static std::vector<std::string> names(const Options&);
//     static std::vector<std::string> metric_names(const OptionSet&);
//     // It may also have functions named as members of FeatureInfo. needs_reference (without it, a
//     // reference is needed), planes, neighbours, bounded_luma, needs_every_frame and make_sequence take
//     // the options, as reach does; aggregates takes the plan and the totals, score_ends the plan and a
//     // place, and result_bytes, for FeatureMemory::each_result, the plan.
//   };
//
// It runs on the host as a HostFeature that is made of a plan and an Execution, and on devices as a
// DeviceWork (describe_device() in feature/device_feature.h).
//
// This header brings what most sources of feature/ include, and device_feature.h what most of those for
// devices do; none includes it again.
#pragma once

#include <bit>
#include <cmath>
#include <initializer_list>

#include "core/error.h"
#include "core/frame.h"
#include "core/metric.h"
#include "core/options.h"
#include "core/plane.h"
#include "core/text.h"
#include "core/worker_pool.h"
#include "feature/feature.h"
#include "feature/simd_targets.h"

namespace vq {

namespace vulkan {
struct DevicePlane;
}

// An option, and the member of Options that takes its value. The member's type and value give the option its
// kind and default; if the member is a word, the option is a choice. An option without a member, such as a
// path, has its kind in `spec`.
template <typename Options>
struct MemberOption {
  using Member = std::variant<std::monostate, bool Options::*, int Options::*, double Options::*,
                              std::string_view Options::*>;

  constexpr MemberOption() = default;
  constexpr MemberOption(Member of, const OptionSpec& facts) : member(of), spec(facts) {}
  // `names`: the name and its alias, "-" if it is no part of metrics' names; or the name alone.
  constexpr MemberOption(Member of, std::string_view names, double min, double max, std::string_view help)
      : member(of) {
    const size_t space = std::min(names.find(' '), names.size());
    const std::string_view alias = names.substr(std::min(space + 1, names.size()));
    spec = {.name = names.substr(0, space),
            .alias = alias == "-" ? "" : alias,
            .min = min,
            .max = max,
            .in_metric_name = alias != "-",
            .help = help};
  }
  constexpr MemberOption(Member of, std::string_view names, std::string_view help)
      : MemberOption(of, names, 0, 0, help) {}
  constexpr MemberOption(Member of, std::string_view names, std::span<const std::string_view> choices,
                         std::string_view help)
      : MemberOption(of, names, help) {
    spec.choices = choices;
  }

  Member member = {};
  OptionSpec spec = {};
};

template <typename Options, size_t count>
class OptionTable {
 public:
  constexpr explicit OptionTable(const MemberOption<Options> (&rows)[count]) : rows_(std::to_array(rows)) {
    for (size_t i = 0; i < count; ++i) {
      specs_[i] = rows[i].spec;
      std::visit([&spec = specs_[i]](auto member) { set_default(spec, member); }, rows[i].member);
    }
  }
  constexpr std::span<const OptionSpec> specs() const { return specs_; }
  Options values(const OptionSet& set) const {
    Options options;
    for (const MemberOption<Options>& row : rows_)
      std::visit([&](auto member) { set_value(options, member, row.spec, set.value(row.spec.name)); },
                 row.member);
    return options;
  }

 private:
  static constexpr void set_default(OptionSpec&, std::monostate) {}
  template <typename T>
  static constexpr void set_default(OptionSpec& spec, T Options::*member) {
    if constexpr (std::is_same_v<T, std::string_view>) {
      spec.kind = OptionKind::kChoice;
      spec.default_text = Options().*member;
    } else {
      spec.kind = std::is_same_v<T, bool>  ? OptionKind::kBool
                  : std::is_same_v<T, int> ? OptionKind::kInt
                                           : OptionKind::kReal;
      spec.default_number = static_cast<double>(Options().*member);
    }
  }
  static void set_value(Options&, std::monostate, const OptionSpec&, const OptionValue&) {}
  template <typename T>
  static void set_value(Options& options, T Options::*member, const OptionSpec& spec,
                        const OptionValue& value) {
    if constexpr (sizeof(Options) < sizeof(T)) {
      // Options is too small for such a member, so no row has one; the code below would be warned of.
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      // Takes the word of the table, which outlives the option set.
      for (const auto words : {spec.choices, spec.own_choices})
        for (const std::string_view word : words)
          if (word == std::get<std::string>(value)) options.*member = word;
    } else {
      options.*member = std::get<T>(value);
    }
  }

  std::array<MemberOption<Options>, count> rows_;
  std::array<OptionSpec, count> specs_;
};
template <typename Options, size_t count>
constexpr OptionTable<Options, count> option_table(const MemberOption<Options> (&rows)[count]) {
  return OptionTable<Options, count>(rows);
}

// The options of a metric that has none.
struct NoOptions {};

template <typename Metric>
typename Metric::Options options_of(const OptionSet& set) {
  if constexpr (std::is_same_v<typename Metric::Options, NoOptions>) {
    return {};
  } else {
    return Metric::kOptions.values(set);
  }
}

template <typename Metric>
typename Metric::Plan plan_of(const OptionSet& set, const VideoFormats& formats) {
  return Metric::make_plan(options_of<Metric>(set), formats);
}

// The bytes of the workspaces that Maker makes of a plan, one for each thread of the execution.
template <typename Maker, typename Plan>
int64_t workspace_bytes(const Plan& plan, const Execution& execution) {
  return thread_count(execution) * counted_bytes([&] { return Maker::make_workspace(plan); });
}

// The bytes of a result of the metric, if it says that they are many.
template <typename Metric>
int64_t result_bytes(const typename Metric::Plan& plan) {
  if constexpr (requires { Metric::result_bytes(plan); }) return Metric::result_bytes(plan);
  return 0;
}

// Makes the entry of a metric in the registry. `info` has its name, its summary and its metrics, and the
// members that few metrics set. If Host has `make_workspace(plan)`, the memory that the host needs is that of
// its threads' workspaces.
template <typename Metric, typename Host>
FeatureInfo describe(FeatureInfo info) {
  using Options = typename Metric::Options;
  using Plan = typename Metric::Plan;
  using Totals = std::span<const double>;
  if constexpr (!std::is_same_v<Options, NoOptions>) info.options = Metric::kOptions.specs();
  info.metric_names = [](const OptionSet& set) {
    if constexpr (requires { Metric::metric_names(set); }) {
      return Metric::metric_names(set);
    } else {
      std::vector<std::string> names = Metric::names(options_of<Metric>(set));
      for (std::string& name : names) name = set.metric_name(name);
      return names;
    }
  };
  info.needs_reference = [](const OptionSet& set) {
    if constexpr (requires(Options options) { Metric::needs_reference(options); }) {
      return Metric::needs_reference(options_of<Metric>(set));
    } else {
      return true;
    }
  };
  if constexpr (requires(Options options) { Metric::planes(options); })
    info.planes = [](const OptionSet& set) { return Metric::planes(options_of<Metric>(set)); };
  if constexpr (requires(Options options) { Metric::neighbours(options); })
    info.neighbours = [](const OptionSet& set) { return Metric::neighbours(options_of<Metric>(set)); };
  if constexpr (requires(Options options) { Metric::bounded_luma(options); })
    info.bounded_luma = [](const OptionSet& set) { return Metric::bounded_luma(options_of<Metric>(set)); };
  if constexpr (requires(Options options) { Metric::needs_every_frame(options); })
    info.needs_every_frame = [](const OptionSet& set) {
      return Metric::needs_every_frame(options_of<Metric>(set));
    };
  if constexpr (requires(Options options) { Metric::make_sequence(options); })
    info.make_sequence = [](const OptionSet& set) { return Metric::make_sequence(options_of<Metric>(set)); };
  if constexpr (requires(Plan plan, Totals totals) { Metric::aggregates(plan, totals); })
    info.aggregates = [](const OptionSet& set, const VideoFormats& formats, Totals totals) {
      return Metric::aggregates(plan_of<Metric>(set, formats), totals);
    };
  if constexpr (requires(Options options) { Metric::reach(options); })
    info.reach = [](const OptionSet& set) { return Metric::reach(options_of<Metric>(set)); };
  if constexpr (requires(Plan plan, size_t place) { Metric::score_ends(plan, place); })
    info.score_ends = [](const OptionSet& set, const VideoFormats& formats, size_t place) {
      return Metric::score_ends(plan_of<Metric>(set, formats), place);
    };
  info.check = [](const OptionSet& set, const VideoFormats& formats) { plan_of<Metric>(set, formats); };
  if constexpr (requires(Plan plan) { Host::make_workspace(plan); })
    info.memory = [](const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
      const Plan plan = plan_of<Metric>(set, formats);
      return FeatureMemory{.fixed = workspace_bytes<Host>(plan, execution),
                           .each_result = result_bytes<Metric>(plan)};
    };
  info.make = [](const OptionSet& set, const VideoFormats& formats,
                 const Execution& execution) -> std::unique_ptr<HostFeature> {
    return std::make_unique<Host>(plan_of<Metric>(set, formats), execution);
  };
  return info;
}

// A metric that people know by a shorter name.
constexpr MetricInfo with_alias(MetricInfo metric, std::string_view alias) {
  metric.alias = alias;
  return metric;
}

// A host's feature that is made of its plan, with Stages as VQ_STAGES makes them.
template <typename Plan, typename Stages>
class PlannedHost : public HostFeature {
 public:
  PlannedHost(const Plan& plan, const Execution& execution) : plan_(plan), stages_(Stages::of(execution)) {}

 protected:
  const Plan plan_;
  const Stages stages_;
};
// A PlannedHost whose threads each have a workspace that is made of the plan.
template <typename Plan, typename Stages, typename Workspace>
class WorkspaceHost : public PlannedHost<Plan, Stages> {
 public:
  WorkspaceHost(const Plan& plan, const Execution& execution)
      : PlannedHost<Plan, Stages>(plan, execution),
        workspaces_([this] { return make_workspace(this->plan_); }) {}
  static std::unique_ptr<Workspace> make_workspace(const Plan& plan) {
    return std::make_unique<Workspace>(plan);
  }

 protected:
  WorkspacePool<Workspace> workspaces_;
};

// Checks of metrics that compare a video with its reference, and the alignment of different bit depths.

// Properties of two videos of one size that a metric compares.
struct ComparedVideos {
  PlaneSize size = {};  // of their luma
  int bit_depth = 8;    // the larger of the two
  // Number of bits by which samples of each video are shifted left to reach that depth.
  int distorted_shift = 0, reference_shift = 0;
};

// Checks the two videos. `feature` is the feature's name, for messages, here and below. Throws Error: kUsage
// without a reference, kMismatch for videos of different sizes.
ComparedVideos compared_videos(std::string_view feature, const VideoFormats& formats);

// A plane of either as decoded, of any stride and alignment and without guards: nothing beyond its rows is
// read. Its samples are shifted left to the depth at which they are compared; bits above 16 are lost.
struct Samples {
  SampleView view;
  int shift = 0;
};
// The same in a device's memory, and how deep the samples are themselves.
struct Operand {
  const vulkan::DevicePlane& plane;
  int shift = 0, bit_depth = 8;
};

// These need that compared_videos() did not throw.

// Throws Error{kMismatch} if the videos' chroma subsampling differs. `else_with` is what to do instead, such
// as "enable_chroma=false", and may be empty.
void require_same_chroma(std::string_view feature, const VideoFormats& formats,
                         std::string_view else_with = {});

// Throws Error{kMismatch} if one of the videos has no chroma.
void require_chroma(std::string_view feature, const VideoFormats& formats);

// Throws Error{kMismatch} if width or height is below `shortest`.
void require_sides(std::string_view feature, const VideoFormats& formats, int shortest);

// Sets the option enable_chroma to false if a video has no chroma, and says so in `resolution`. There may be
// no reference.
void resolve_chroma(std::string_view feature, OptionSet& set, const VideoFormats& formats,
                    Resolution& resolution);

// Checks for samples above the maximum of the bit depth.

// Error{kMismatch} that names the first sample above the depth's maximum; nothing if there is none.
std::optional<Error> luma_excess(const SampleView& luma, int bit_depth);
// For features whose sums have room only for the depth's range. Throws Error{kMismatch} that names the video,
// the frame and the first luma sample above the depth's maximum.
void require_luma_in_range(const Frame& frame, const VideoFormat& video);

// A frame and its video's format.
struct VideoFrame {
  const Frame& frame;
  const VideoFormat& video;
};
// Names the sample above its depth's maximum that a device has found in one of these frames. Searches them in
// this order; their samples need not be on the host. Throws Error{kMismatch} as above, or, if no such sample
// is found, Error{kBackend} that names video and frame.
[[noreturn]] void refuse_luma(std::initializer_list<VideoFrame> frames);

}  // namespace vq
