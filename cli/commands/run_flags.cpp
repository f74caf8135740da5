#include "cli/commands/run_flags.h"

#include <algorithm>
#include <iterator>

#include "cli/commands/collected_flags.h"
#include "cli/commands/flag_setters.h"
#include "cli/inputs/feature_flags.h"
#include "feature/registry.h"

namespace vq::cli {
namespace {

constexpr Flag kInputs[] = {
    {.name = "--distorted",
     .short_name = "-d",
     .type = "FILE",
     .help = "video to score; - is standard input",
     .manual = "The same as VIDEO. Any container FFmpeg reads, y4m, or raw planar video when all of -w, -h, "
               "-p and -b are given.",
     .set = set_text<&RunOptions::distorted>},
    {.name = "--reference",
     .short_name = "-r",
     .type = "FILE",
     .help = "reference (source) video",
     .manual = "Frames are paired by number.",
     .set = set_text<&RunOptions::reference>},
    {.name = "--width",
     .short_name = "-w",
     .type = "N",
     .help = "width of raw video",
     .set = set_as<&CollectedFlags::width, side_value>},
    {.name = "--height",
     .short_name = "-h",
     .type = "N",
     .help = "height of raw video",
     .set = set_as<&CollectedFlags::height, side_value>},
    {.name = "--pixel_format",
     .short_name = "-p",
     .type = "400|420|422|444",
     .help = "chroma of raw video",
     .set = set_chroma},
    {.name = "--bitdepth",
     .short_name = "-b",
     .type = "8|9|10|12|14|16",
     .help = "bit depth of raw video, little endian",
     .set = set_bit_depth},
    {.name = "--frame_cnt",
     .type = "N",
     .help = "read at most N frames; 0: all",
     .set = set_c_count<&RunOptions::frame_count, kMaxFrameNumber>},
    {.name = "--frame_skip_ref",
     .type = "N",
     .help = "skip the first N frames of the reference",
     .set = set_c_count<&RunOptions::skip_reference, kMaxFrameNumber>},
    {.name = "--frame_skip_dist",
     .type = "N",
     .help = "skip the first N frames of the video",
     .manual = "Frames are numbered from 0 after that.",
     .set = set_c_count<&RunOptions::skip_distorted, kMaxFrameNumber>},
    {.name = "--subsample",
     .type = "N[:spread]",
     .help = "score frames 0, N, 2N, ... only; N:spread: one at another place in each N",
     .manual = "Encoders give frames at regular distances more bits than others, which N may meet. The "
               "frames of N:spread are "
               "the same in every run.",
     .set = set_subsample},
    {.name = "--start",
     .type = "POSITION",
     .help = "first frame to score: a number, HH:MM:SS.mmm or 12.5s",
     .set = set_as<&RunOptions::start, position_value>},
    {.name = "--end",
     .type = "POSITION",
     .help = "first frame not to score",
     .set = set_as<&RunOptions::end, position_value>},
    {.name = "--crop",
     .type = "W:H:X:Y|auto",
     .help = "score only this rectangle; auto: detect and exclude black bars",
     .manual = "The rest of the picture counts as if it did not exist. Bars are looked for in the first "
               "seconds. A reference of the "
               "same size is cropped alike, and auto is then what both show.",
     .set = set_as<&RunOptions::crop, parse_crop>},
    {.name = "--crop-ref",
     .type = "W:H:X:Y|auto",
     .help = "score only this rectangle of the reference; --crop is then of the video alone",
     .manual = "For a video that was cropped: its picture is that rectangle of the reference. Both "
               "rectangles are of the videos "
               "as they are decoded; --scale-to scales what is left.",
     .set = set_as<&RunOptions::reference_crop, parse_crop>},
    {.name = "--scale-to",
     .type = "reference|WxH",
     .help = "scale the video to its reference's size, or both to this one, before they are scored",
     .manual = "libswscale does it. The report's run says so.",
     .words = "reference",
     .set = set_scale},
    {.name = "--scale-with",
     .type = "bicubic|lanczos",
     .help = "what --scale-to and scaled models scale with; default: bicubic",
     .set = set_scale_kernel},
    {.name = "--score-bits",
     .type = "8..16",
     .help = "bring videos of fewer bits to so many before they are scored",
     .manual = "Samples are shifted left. VMAF v1 is meant for 10 bits, also of videos that have 8.",
     .set = set_score_bits},
    {.name = "--film-grain",
     .type = "on|off|both",
     .help = "score with the film grain that the stream describes, without, or compare the two",
     .manual = "AV1, H.264, HEVC and VVC may describe grain that decoders add to every picture. It hides "
               "banding, and every "
               "score depends on it. It is on where the flag is not given, as players show it, and then it "
               "is warned of. "
               "libavcodec adds the grain of H.264 and HEVC to 8-bit 4:2:0 video alone, and FFmpeg 7 adds "
               "other grain than "
               "releases before it.",
     .set = set_film_grain},
    {.name = "--align",
     .type = "auto|off|N",
     .help = "the distorted video is N frames late; auto: find N first",
     .manual = "N is skipped of the distorted video, or of the reference where it is negative. Without the "
               "flag nothing is "
               "skipped, and a pair that is plainly not aligned is warned of; off does without that.",
     .set = set_as<&RunOptions::align, parse_align>},
    {.name = "--stream",
     .type = "N",
     .help = "index of the stream in the container, of both videos",
     .manual = "Without it the best video stream of each.",
     .set = set_count<&RunOptions::stream, kMaxStream>},
    {.name = "--stream-ref",
     .type = "N",
     .help = "index of the reference's stream, if it differs",
     .set = set_count<&RunOptions::reference_stream, kMaxStream>},
};

constexpr Flag kOutputs[] = {
    {.name = "--output",
     .short_name = "-o",
     .type = "FILE",
     .help = "write a report there, a page for FILE.html; - is standard output",
     .manual = "It is written whole or not at all: a run that ends early leaves FILE as it was and writes "
               "what it has to FILE.partial (a page to FILE.partial.html).",
     .may_repeat = true,
     .set = add_text<&CollectedFlags::outputs>},
    {.name = "--json",
     .help = "write every report as JSON; without such a flag the file's extension decides",
     .manual = "Without -o this and the next three write to standard output.",
     .set = set_format<ReportFormat::kJson>},
    {.name = "--xml",
     .help = "write every report as XML, the default where the extension says nothing",
     .set = set_format<ReportFormat::kXml>},
    {.name = "--csv",
     .help = "write every report as comma-separated values",
     .set = set_format<ReportFormat::kCsv>},
    {.name = "--sub",
     .help = "write every report as MicroDVD subtitles",
     .set = set_format<ReportFormat::kSub>},
    {.name = "--precision",
     .type = "1..17|max",
     .help = "significant digits; max reads back to the same double",
     .manual = "Without it numbers look as those of vmaf(1).",
     .set = set_as<&RunOptions::precision, parse_precision>},
    {.name = "--html",
     .type = "FILE",
     .help = "write a page with curves, statistics and the worst frames",
     .manual = "It needs no network.",
     .set = set_text<&CollectedFlags::html>},
    {.name = "--worst",
     .type = "N",
     .help = "number of worst moments to list and to picture",
     .manual = "Without it 3 in the summary, 10 in the extended report and as PNG files, 6 with pictures on "
               "the page. A moment is the worst frame of its second.",
     .set = set_worst},
    {.name = "--fail-above",
     .type = "EXPR",
     .help = "exit with code 7 if, for example, 'mean>5', 'p95>=8' or 'share>10%'",
     .manual =
         "EXPR is [METRIC:]STATISTIC>VALUE (or >=), in quotes, and is judged after everything is "
         "written. The statistic is mean, median, max, a percentile p0 to p100, share (of frames with a "
         "noteworthy score; for CAMBI 5 or more), harmonic, stdev or min; METRIC>VALUE is one on the mean. "
         "Without "
         "METRIC it is the one that was asked for, has noteworthy scores and of which lower is better; where "
         "there "
         "are several, name one: 'cambi:p95>5'.",
     .words = "mean>|p95>|p99>|max>|share>",
     .may_repeat = true,
     .set = add_threshold<ThresholdSide::kAbove>},
    {.name = "--fail-below",
     .type = "EXPR",
     .help = "exit with code 7 if, for example, 'psnr<30' or 'vmaf:p5<=80'; where higher is better",
     .manual = "Without METRIC it is the one that was asked for, has noteworthy scores and of which higher "
               "is better, such "
               "as a model's score.",
     .words = "mean<|p1<|p5<|min<|share<",
     .may_repeat = true,
     .set = add_threshold<ThresholdSide::kBelow>},
    {.name = "--baseline",
     .type = "FILE",
     .help =
         "thresholds with a sign are relative to this report: 'mean>+0.5', 'psnr_y:mean<-0.3', 'p95>+10%'",
     .manual = "The report is one of an earlier run, best an extended one with --precision max. A percentage "
               "is one of the earlier value, of a share that many more of a hundred frames.",
     .set = set_text<&RunOptions::baseline>},
    {.name = "--junit",
     .type = "FILE",
     .help = "write how the run and each threshold came out as JUnit XML",
     .manual = "A run that fails writes the file as well, with its error.",
     .set = set_text<&RunOptions::junit>},
    {.name = "--github",
     .help = "write errors and warnings as annotations of GitHub Actions, and a summary of the step",
     .manual = "Annotations are lines on standard error; the summary is appended to the file that "
               "GITHUB_STEP_SUMMARY names.",
     .set = set_true<&RunOptions::github>},
    {.name = "--stream-scores",
     .help = "write scores as they come, one JSON object a line",
     .manual = "They go to standard output.",
     .set = set_true<&RunOptions::stream_scores>},
    {.name = "--extended",
     .help = "add run metadata, timestamps, percentiles and worst moments to JSON",
     .set = set_true<&RunOptions::extended>},
    {.name = "--quiet",
     .short_name = "-q",
     .help = "no progress and no summary",
     .manual = "It leaves out the names of the files that were written, too.",
     .set = set_true<&RunOptions::quiet>},
    {.name = "--progress",
     .type = "auto|bar|plain|json|none",
     .help = "how progress is shown",
     .manual = "Progress goes to standard error. A form that is asked for is shown with -q as well.",
     .set = set_progress},
};

constexpr Flag kSegments[] = {
    {.name = "--segments",
     .type = "[METRIC:]VALUE",
     .help = "list the stretches of the video that score as bad as this or worse",
     .manual =
         "They are in the summary, in the extended report and on the page. Without METRIC it is the "
         "one that was asked for and has noteworthy scores. What compares the video with a reference, "
         "such as VMAF, is judged by its mean over half a second. Without this flag reports and pages have "
         "those of half a second or more that are noteworthy, for CAMBI at 5 or more and for VMAF at 70 or "
         "less.",
     .may_repeat = true,
     .set = set_segments},
    {.name = "--segments-until",
     .type = "VALUE",
     .help = "let a segment go on until scores are better than this; default: where segments begin",
     .set = set_segments_until},
    {.name = "--segments-shortest",
     .type = "N|TIME",
     .help = "leave out segments of fewer frames, or less time: 12, 0.5s; default: 1",
     .set = set_as<&CollectedFlags::segments_shortest, position_value>},
    {.name = "--segments-output",
     .type = "FORM:FILE",
     .help = "write segments as csv:, chapters: (FFmpeg metadata), or zones for x264:, x265:, av1an: or "
             "svt-essential:",
     .manual =
         "Zones are the text of --zones in x264, x265 and SVT-AV1-Essential, and the file of that flag in "
         "Av1an. "
         "SVT-AV1 itself has none. Their frames are those of the video from its first one on, whatever was "
         "skipped.",
     .words = "csv:|chapters:|x264:|x265:|av1an:|svt-essential:",
     .may_repeat = true,
     .set = add_segment_output},
    {.name = "--zone-options",
     .type = "TEXT",
     .help = "what the encoder is to do in a zone; default for x264 and x265: b=1.5",
     .manual = "x265 knows no others than b= and q=. For av1an it is the encoder and its options, as in "
               "--zone-options='svt-av1 --crf 20', for svt-essential a CRF.",
     .set = set_text<&CollectedFlags::zone_options>},
    {.name = "--zone-snap",
     .type = "N|TIME",
     .help = "let a zone grow to a scene cut that is so near; 0: never; default: 1s",
     .set = set_as<&CollectedFlags::zone_snap, position_value>},
};

constexpr Flag kRunning[] = {
    {.name = "--threads",
     .type = "N",
     .help = "threads; 0: all cores",
     .set = set_c_count<&RunOptions::threads, kMaxThreads>},
    {.name = "--decoders",
     .type = "N",
     .help = "decoders that share a video; 0: as many as are of use, 1: one",
     .manual = "Each decodes a part of the video from one key frame to another, with its share of the "
               "threads, and keeps what "
               "it decodes before its turn in memory. The pictures are the same. A video that cannot be "
               "taken apart has one, "
               "and so has standard input.",
     .set = set_count<&RunOptions::decoders, kMaxThreads>},
    {.name = "--backend",
     .type = "auto|cpu|scalar|hybrid|vulkan",
     .help = "what computes the scores, which are the same on all",
     .manual = "auto takes the faster of a GPU and the CPU, which is measured once. A backend that is named "
               "never falls back to "
               "another.",
     .set = set_backend},
    {.name = "--device",
     .type = "N|NAME[,...]|all",
     .help = "GPUs to use: index or name, see cambi devices",
     .manual = "Several share the frames of a video; the scores are those of one. all: every usable GPU of "
               "the fastest type.",
     .set = set_text<&RunOptions::device>},
    {.name = "--decoder",
     .type = "auto|software|hardware",
     .help = "what decodes the videos; auto: the GPU that scores them, where it can",
     .manual = "The frames are the same, so are the scores. What hardware cannot decode (codec, profile, "
               "depth, size), or fails "
               "at, is decoded in software, and one line says so; with hardware it is an error. Damage "
               "within the data of a "
               "frame may escape hardware: see docs/decoding.md.",
     .set = set_decoder},
    {.name = "--hwaccel",
     .type = "NAME",
     .help = "decode with this hwaccel of FFmpeg, such as cuda, vaapi or vulkan",
     .manual = "Implies --decoder hardware, unless that flag says auto.",
     .set = set_hwaccel},
    {.name = "--cpumask",
     .type = "BITS",
     .help = "disable CPU instruction sets (bit mask as in vmaf)",
     .manual = "-1 disables all of them.",
     .set = set_as<&RunOptions::cpumask, mask_value>},
    {.name = "--gpumask",
     .type = "BITS",
     .help = "non-zero: do not pick a GPU automatically",
     .set = set_as<&RunOptions::gpumask, mask_value>},
    {.name = "--max-memory",
     .type = "BYTES",
     .help = "refuse a run that may need more memory, e.g. 4G; default: 75% of what is available",
     .set = set_as<&RunOptions::max_memory, bytes_value>},
    {.name = "--strict",
     .help = "fail if the videos differ in length, or if scores that compare them would be wrong",
     .manual = "Exit code 6 for lengths, 3 for scores that a warning calls wrong: frames are compared with "
               "others than their "
               "own, a range is not what its tag says.",
     .set = set_true<&RunOptions::strict>},
    {.name = "--compare-anyway",
     .help = "score pairs whose scores cannot be right: other frame rates, transfers or shapes",
     .manual = "Without it such a pair ends with exit code 3. Rankings put it last.",
     .set = set_true<&RunOptions::compare_anyway>},
    {.name = "--as-stored",
     .help = "compare full range with limited range as they are stored",
     .manual = "Without it features that compare the videos see both in limited range where their tags "
               "differ. CAMBI and "
               "others that score one video see it as it is.",
     .set = set_true<&RunOptions::as_stored>},
    {.name = "--allow-damage",
     .help = "skip corrupt frames instead of stopping",
     .manual = "What there is of a file that is cut is scored as well, with a warning. The other frames keep "
               "their numbers. See DAMAGED INPUT.",
     .set = set_true<&RunOptions::allow_damage>},
    {.name = "--help",
     .help = "print the help and exit",
     .manual = "A lone -h prints the short form.",
     .set = set_nothing},
    {.name = "--version", .short_name = "-v", .help = "print the version and exit", .set = set_nothing},
};

constexpr Flag kModels[] = {
    {.name = "--model",
     .short_name = "-m",
     .type = "MODEL",
     .help = "score with VMAF: version=NAME, path=FILE, or auto; see cambi models",
     .manual =
         "Behind that, each after a colon: name=NAME of the scores (vmaf), disable_clip, enable_transform, "
         "and options "
         "for the model's features as in cambi.enc_width=1280; auto in place of the number takes what the "
         "video has. "
         "\\: \\= and \\\\ stand for the characters themselves. auto takes the model of VMAF v1 that suits "
         "the "
         "reference's size and frame rate. Features that several models have in common are computed once.",
     .words = "MODEL",
     .may_repeat = true,
     .set = add_model},
    {.name = "--no_prediction",
     .short_name = "-n",
     .help = "compute the features of the models, but no scores of theirs",
     .manual = "Without --model it changes nothing.",
     .set = set_true<&RunOptions::no_prediction>},
    {.name = "--aom_ctc",
     .type = "v1.0|v2.0|v3.0|v4.0|v5.0|v6.0|v7.0",
     .help = "the models and features of AOM's common test conditions",
     .set = add_preset<model::aom_ctc>},
    {.name = "--nflx_ctc",
     .type = "v1.0",
     .help = "the models and features of Netflix' common test conditions",
     .set = add_preset<model::nflx_ctc>},
};

// Followed by those that the features own.
constexpr Flag kFeatures[] = {
    {.name = "--feature",
     .type = "SPEC",
     .help = "NAME[=key=value[:key=value]...], exactly as vmaf takes it",
     .manual = "The options, defaults and ranges are those of vmaf(1), and nothing is inferred from the "
               "video. Escape : = and \\ in a value with a backslash. The flags that "
               "follow set options of those that have them, and of a model's features where none does, with "
               "a warning.",
     .words = "FEATURE",
     .may_repeat = true,
     .set = add_text<&CollectedFlags::features>},
};

constexpr Flag kHeatmaps[] = {
    {.name = "--heatmaps",
     .type = "DIR",
     .help = "write pictures to this folder that show where the flaws are",
     .manual =
         "They are of the worst frames, unless the next two say otherwise. The folder is made where it "
         "is missing. Names tell video, metric and frame, as in show.cambi.f000156.png. With a reference "
         "show.cambi.f000156.distorted.png and .reference.png are beside it: the frames as they are, in "
         "grey.",
     .set = set_text<&CollectedFlags::heatmaps>},
    {.name = "--heatmap-format",
     .type = "png,video,gray",
     .help = "what --heatmaps writes: coloured pictures (default), a coloured video, raw samples",
     .manual = "The video has the curve of the scores in it. Raw samples of every scale take some 2.7 bytes "
               "for each pixel of each frame; their size is told first, and a disk without room for them is "
               "an error.",
     .set = set_heatmaps<parse_heatmap_formats>},
    {.name = "--heatmap-frames",
     .type = "worst|all|A-B",
     .help = "frames to draw; default: the worst for png, all for the others",
     .set = set_heatmaps<parse_heatmap_frames>},
    {.name = "--heatmap-video-size",
     .type = "W|WxH",
     .help = "shrink the video's picture to fit; default: 1920x1080",
     .manual = "What a long video will take is told when some of it is done; half the width takes a quarter.",
     .set = set_heatmaps<parse_heatmap_video_size>},
};

// Features may have flags of the same names, which then hold for each of them.
std::vector<Flag> feature_flags() {
  std::vector<Flag> flags(std::begin(kFeatures), std::end(kFeatures));
  for (const FeatureInfo* info : features()) {
    for (const FeatureFlag& own : own_flags(*info)) {
      const auto is_same = [&](const Flag& flag) { return flag.name == own.name; };
      if (std::any_of(flags.begin(), flags.end(), is_same)) continue;
      flags.push_back({.name = own.name, .type = own.type, .help = own.help, .set = add_feature_flag});
    }
  }
  return flags;
}

}  // namespace

const std::vector<FlagGroup>& run_flags() {
  static const std::vector<Flag> of_features = feature_flags();
  static const std::vector<FlagGroup> groups = {{"Inputs", kInputs, true}, {"Outputs", kOutputs},
                                                {"Segments", kSegments},   {"Running", kRunning},
                                                {"Models", kModels, true}, {"Features", of_features, true},
                                                {"Heatmaps", kHeatmaps}};
  return groups;
}

const Flag* find_run_flag(std::string_view name) {
  for (const FlagGroup& group : run_flags()) {
    for (const Flag& flag : group.flags) {
      if (flag.name == name) return &flag;
    }
  }
  return nullptr;
}

}  // namespace vq::cli
