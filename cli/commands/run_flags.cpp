#include "cli/commands/flags.h"

#include <algorithm>
#include <iterator>

#include "cli/commands/flag_setters.h"
#include "cli/inputs/feature_flags.h"
#include "feature/feature.h"

namespace vq::cli {
namespace {

constexpr Flag kInputs[] = {
    {.name = "--distorted",
     .short_name = "-d",
     .type = "FILE",
     .help = "video to score; - is standard input",
     .manual =
         "The same as VIDEO. Any container FFmpeg reads, a picture, an image sequence (f%04d.png, "
         "'shots/*.png', or a folder of pictures), y4m, or raw planar video when all of -w, -h, -p and -b "
         "are given.",
     .set = set_text<&RunOptions::distorted>},
    {.name = "--reference",
     .short_name = "-r",
     .type = "FILE",
     .help = "reference (source) video",
     .manual = "Frames are paired by number, or by time with --pair time.",
     .set = set_text<&RunOptions::reference>},
    {.name = "--width",
     .short_name = "-w",
     .type = "N",
     .help = "width of raw video",
     .set = set_as<&RunOptions::width, side_value>},
    {.name = "--height",
     .short_name = "-h",
     .type = "N",
     .help = "height of raw video",
     .set = set_as<&RunOptions::height, side_value>},
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
    {.name = "--stream",
     .type = "N",
     .help = "index of the stream in the container, of both videos",
     .manual = "Without it the best video stream of each.",
     .set = set_count<&RunOptions::stream, kMaxStream>},
    {.name = "--stream-ref",
     .type = "N",
     .help = "index of the reference's stream, if it differs",
     .needs = FlagNeeds::kReference,
     .set = set_count<&RunOptions::reference_stream, kMaxStream>},
    {.name = "--fps",
     .type = "N|N/D",
     .help = "frame rate of image sequences and raw video, which declare none",
     .manual =
         "A number such as 24 or 23.976, or a fraction such as 24000/1001. Videos that declare a frame rate "
         "keep it. Without it such frames have no times.",
     .set = set_as<&RunOptions::frame_rate, frame_rate_value>},
    {.name = "--fps-ref",
     .type = "N|N/D",
     .help = "the reference's frame rate, if it differs",
     .needs = FlagNeeds::kReference,
     .set = set_as<&RunOptions::reference_frame_rate, frame_rate_value>},
};

constexpr Flag kSampling[] = {
    {.name = "--frame_cnt",
     .type = "N",
     .help = "read at most N frames; 0: all",
     .neutral = "0",
     .set = set_c_count<&RunOptions::frame_count, kMaxFrameNumber>},
    {.name = "--start",
     .type = "POSITION",
     .help = "first frame to score: a number, HH:MM:SS.mmm or 12.5s",
     .set = set_as<&RunOptions::start, position_value>},
    {.name = "--end",
     .type = "POSITION",
     .help = "first frame not to score",
     .set = set_as<&RunOptions::end, position_value>},
    {.name = "--subsample",
     .type = "N[:spread]",
     .help = "score only frames 0, N, 2N, ...; N:spread: one frame at a varying position in each group of N",
     .manual = "Encoders spend more bits on frames at regular intervals, and N may coincide with these. "
               "N:spread chooses the same frames in every run.",
     .neutral = "1",
     .set = set_subsample},
};

constexpr Flag kAlignment[] = {
    {.name = "--align",
     .type = "auto|off|N",
     .help = "the distorted video is N frames late; auto: find N first",
     .manual = "Skips N frames of the distorted video, or of the reference if N is negative. Without the "
               "flag nothing is skipped, and a misaligned pair causes a warning; off disables the warning.",
     .needs = FlagNeeds::kReference,
     .set = set_as<&RunOptions::align, parse_align>},
    {.name = "--frame_skip_ref",
     .type = "N|TIME",
     .help = "skip the first N frames of the reference, or those before a time: 12.5s, 01:02.5",
     .needs = FlagNeeds::kReference,
     .neutral = "0",
     .set = set_skip<&RunOptions::skip_reference, &RunOptions::skip_reference_seconds>},
    {.name = "--frame_skip_dist",
     .type = "N|TIME",
     .help = "skip the first N frames of the video, or those before a time",
     .manual = "Frames are numbered from 0 after that.",
     .neutral = "0",
     .set = set_skip<&RunOptions::skip_distorted, &RunOptions::skip_distorted_seconds>},
    {.name = "--pair",
     .type = "number|time",
     .help = "compare frames of one number (default), or each with the frame of the reference that shows it "
             "at its time",
     .manual =
         "By time, videos of different or variable frame rates can be compared. Times count from the first "
         "frame of each video that is not skipped. The frame nearest in time is taken, unless one beside it "
         "is plainly more alike, as where rates were converted; frames of the reference may be compared "
         "several times or not at all. See docs/pairs.md.",
     .needs = FlagNeeds::kReference,
     .neutral = "number",
     .set = set_pairing},
};

constexpr Flag kScaling[] = {
    {.name = "--crop",
     .type = "W:H:X:Y|auto",
     .help = "score only this rectangle; auto: detect and exclude black bars",
     .manual = "The rest of the picture is ignored. Bars are searched for in the first seconds. A reference "
               "of the same size is cropped alike; auto then finds the area that both videos show.",
     .set = set_as<&RunOptions::crop, parse_crop>},
    {.name = "--crop-ref",
     .type = "W:H:X:Y|auto",
     .help = "score only this rectangle of the reference; --crop then applies to the distorted video alone",
     .manual = "For a video that was cropped from this rectangle of the reference. Both rectangles refer to "
               "the videos as decoded; --scale-to scales the cropped pictures.",
     .needs = FlagNeeds::kReference,
     .set = set_as<&RunOptions::reference_crop, parse_crop>},
    {.name = "--scale-to",
     .type = "reference|WxH",
     .help = "scale the video to its reference's size, or both to this one, before they are scored",
     .manual = "Scaling equals FFmpeg's (5.1, with accurate_rnd and bitexact) and is noted in the report's "
               "run.",
     .words = "reference",
     .set = set_scale},
    {.name = "--scale-with",
     .type = "bicubic|lanczos",
     .help = "scaling filter of --scale-to and of scaled models; default: bicubic",
     .needs = FlagNeeds::kScaling,
     .set = set_scale_kernel},
    {.name = "--score-bits",
     .type = "8..16",
     .help = "convert videos with fewer bits per sample to this depth before they are scored",
     .manual = "Samples are shifted left. VMAF v1 is meant for 10 bits, also for 8-bit videos.",
     .set = set_score_bits},
    {.name = "--film-grain",
     .type = "on|off|both",
     .help = "score with the stream's film grain, without it, or compare the two",
     .manual = "AV1, H.264, HEVC and VVC streams may describe grain that decoders add to every picture. "
               "Grain hides banding and affects every score. It is applied by default, as players do, with a "
               "warning. libavcodec adds the grain of H.264 and HEVC only to 8-bit 4:2:0 video, and the "
               "grain of FFmpeg 7 differs from that of earlier releases.",
     .set = set_film_grain},
};

constexpr Flag kPairs[] = {
    {.name = "--strict",
     .help = "fail also if the videos differ in length, or may not fit together",
     .manual =
         "Exit code 6 for different lengths, 3 if a warning says what may be wrong with the pair, such as "
         "black bars on one side. What is certainly wrong, such as another film, fails anyway.",
     .role = FlagRole::kAccepting,
     .needs = FlagNeeds::kReference,
     .set = set_true<&RunOptions::strict>},
    {.name = "--compare-anyway",
     .help = "score pairs that do not fit together: another film, shift, range, rate or shape",
     .manual =
         "Without it such a pair is refused with exit code 3. Its scores are not comparable: thresholds are "
         "not judged (exit code 3), and rankings and summaries list it last.",
     .role = FlagRole::kAccepting,
     .needs = FlagNeeds::kReference,
     .set = set_true<&RunOptions::compare_anyway>},
    {.name = "--as-stored",
     .help = "take frames as stored: neither turned by their tag nor brought to one range or matrix",
     .manual =
         "Without it, frames of phone videos are turned as players do. If the range tags differ, features "
         "that compare the videos see both in limited range, and if the matrix tags differ, the distorted "
         "video "
         "in the reference's matrix; CAMBI and others that score a single video see it unconverted. Chroma "
         "of "
         "another sampling is brought to the coarser one.",
     .role = FlagRole::kAccepting,
     .set = set_true<&RunOptions::as_stored>},
};

constexpr Flag kModels[] = {
    {.name = "--model",
     .short_name = "-m",
     .type = "MODEL",
     .help = "score with VMAF: version=NAME, path=FILE, or auto; see cambi models",
     .manual = "A pair for which no model, no feature and no flag of CAMBI is given is scored by auto and "
               "CAMBI. After that, each preceded by a colon: name=NAME of the scores (vmaf), disable_clip, "
               "enable_transform, and options for the model's features as in cambi.enc_width=1280; auto "
               "instead of the number takes it from the video. \\: \\= and \\\\ stand for the characters "
               "themselves. auto takes the model of VMAF v1 that suits the reference's size and frame rate. "
               "Features that several models share are computed once.",
     .words = "MODEL",
     .may_repeat = true,
     .set = add_model},
    {.name = "--no_prediction",
     .short_name = "-n",
     .help = "compute the models' features, but not their scores",
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

constexpr Flag kFeatures[] = {
    {.name = "--feature",
     .type = "SPEC",
     .help = "NAME[=key=value[:key=value]...], exactly as vmaf takes it",
     .manual =
         "The options, defaults and ranges are those of vmaf(1), and nothing is inferred from the video. "
         "Escape : = and \\ in a value with a backslash. The flags below set options of the requested "
         "features that have them. If none has, they set those of a model's features, with a warning.",
     .words = "FEATURE",
     .may_repeat = true,
     .set = add_features},
};

constexpr Flag kFormats[] = {
    {.name = "--output",
     .short_name = "-o",
     .type = "FILE",
     .help = "write a report, or a page for FILE.html; - is standard output",
     .manual = "FILE appears only when it is complete. A run that ends early leaves FILE unchanged and "
               "writes its results to FILE.partial (a page to FILE.partial.html).",
     .may_repeat = true,
     .set = add_output},
    {.name = "--json",
     .help = "write every report as JSON; without a format flag the file's extension decides",
     .manual = "Without -o this and the next four write to standard output.",
     .set = set_format<ReportFormat::kJson>},
    {.name = "--xml",
     .help = "write every report as XML, the default for unknown extensions",
     .set = set_format<ReportFormat::kXml>},
    {.name = "--csv",
     .help = "write every report as comma-separated values, as vmaf does",
     .set = set_format<ReportFormat::kCsv>},
    {.name = "--csv-plain",
     .help = "the same for data frames: no comma at the end of lines; with times and the models' names",
     .set = set_format<ReportFormat::kPlainCsv>},
    {.name = "--sub",
     .help = "write every report as MicroDVD subtitles",
     .set = set_format<ReportFormat::kSub>},
    {.name = "--precision",
     .type = "1..17|max",
     .help = "significant digits; max reads back to the same double",
     .manual = "By default numbers are formatted as by vmaf(1).",
     .needs = FlagNeeds::kReport,
     .set = set_as<&RunOptions::precision, parse_precision>},
    {.name = "--html",
     .type = "FILE",
     .help = "write a page with curves, statistics and the worst frames",
     .manual = "It needs no network.",
     .set = set_page},
    {.name = "--worst",
     .type = "N",
     .help = "number of worst moments to list and to picture",
     .manual = "Default: 3 in the summary, 10 in the extended report and as PNG files, 6 with pictures on "
               "the page. A moment is the worst frame of a scene, or within a second.",
     .role = FlagRole::kReporting,
     .set = set_worst},
    {.name = "--extended",
     .help = "add run metadata, timestamps, percentiles and worst moments to JSON",
     .needs = FlagNeeds::kJson,
     .set = set_true<&RunOptions::extended>},
    {.name = "--stream-scores",
     .help = "write scores as they are computed, one JSON object per line",
     .manual = "The output goes to standard output.",
     .set = set_true<&RunOptions::stream_scores>},
};

constexpr Flag kThresholds[] = {
    {.name = "--fail-above",
     .type = "EXPR",
     .help = "exit with code 7 if, for example, 'mean>5', 'p95>=8' or 'share>10%'",
     .manual = "EXPR is [METRIC:]STATISTIC>VALUE (or >=), in quotes, and is judged after all outputs are "
               "written. The statistic is mean, median, max, a percentile p0 to p100, share (of frames with "
               "a noteworthy score; for CAMBI 5 or more), harmonic, stdev or min; METRIC>VALUE refers to the "
               "mean. METRIC may be omitted if exactly one requested metric has a noteworthy level and is "
               "better when lower; otherwise name one: 'cambi:p95>5'.",
     .words = "mean>|p95>|p99>|max>|share>",
     .may_repeat = true,
     .set = add_threshold<ThresholdSide::kAbove>},
    {.name = "--fail-below",
     .type = "EXPR",
     .help =
         "exit with code 7 if, for example, 'psnr<30' or 'vmaf:p5<=80'; for metrics where higher is better",
     .manual = "METRIC may be omitted if exactly one requested metric, such as a model's score, has a "
               "noteworthy level and is better when higher.",
     .words = "mean<|p1<|p5<|min<|share<",
     .may_repeat = true,
     .set = add_threshold<ThresholdSide::kBelow>},
    {.name = "--baseline",
     .type = "FILE",
     .help =
         "thresholds with a sign are relative to this report: 'mean>+0.5', 'psnr_y:mean<-0.3', 'p95>+10%'",
     .manual = "A report of an earlier run, preferably extended and with --precision max. A percentage is "
               "relative to the earlier value; for a share it means percentage points.",
     .set = set_text<&RunOptions::baseline>},
    {.name = "--junit",
     .type = "FILE",
     .help = "write the results of the run and of each threshold as JUnit XML",
     .manual = "A failing run also writes the file, with its error.",
     .role = FlagRole::kTelling,
     .set = set_text<&RunOptions::junit>},
    {.name = "--github",
     .help = "write errors and warnings as annotations of GitHub Actions, and a summary of the step",
     .manual = "Annotations are lines on standard error; the summary is appended to the file that "
               "GITHUB_STEP_SUMMARY names.",
     .role = FlagRole::kTelling,
     .set = set_true<&RunOptions::github>},
};

constexpr Flag kSegments[] = {
    {.name = "--segments",
     .type = "[METRIC:]VALUE",
     .help =
         "list the stretches of the video that score this or worse; scenes[:[METRIC:]VALUE]: whole scenes",
     .manual = "Segments are listed in the summary, in the extended report and on the page. METRIC may be "
               "omitted if exactly one requested metric has a noteworthy level. Metrics that compare the "
               "video with a reference, such as VMAF, are judged by their mean over half a second. Without "
               "this flag, reports and pages list noteworthy segments of at least half a second: CAMBI of 5 "
               "or more, VMAF of 70 or less. scenes:[METRIC:]VALUE lists whole scenes with such a mean, "
               "scenes those whose mean is noteworthy.",
     .may_repeat = true,
     .set = set_segments},
    {.name = "--segments-until",
     .type = "VALUE",
     .help = "end a segment when scores become better than this; default: the value of --segments",
     .needs = FlagNeeds::kSegments,
     .set = set_segments_until},
    {.name = "--segments-shortest",
     .type = "N|TIME",
     .help = "leave out shorter segments, in frames or seconds: 12, 0.5s; default: 1",
     .needs = FlagNeeds::kSegments,
     .set = set_as<&RunOptions::segments_shortest, position_value>},
    {.name = "--segments-output",
     .type = "FORM:FILE",
     .help = "write segments as csv:, chapters: (FFmpeg metadata), or zones for x264:, x265:, av1an: or "
             "svt-essential:; all scenes as av1an-scenes:",
     .manual =
         "The output is the value of --zones for x264, x265 and SVT-AV1-Essential, and the file that "
         "--zones names for Av1an. SVT-AV1 and aomenc have no zones. av1an-scenes: is the file of Av1an's "
         "--scenes. Frames are counted from the first "
         "frame of the video, including skipped ones.",
     .words = "csv:|chapters:|x264:|x265:|av1an:|svt-essential:|av1an-scenes:",
     .may_repeat = true,
     .set = add_segment_output},
    {.name = "--scenes",
     .type = "FILE.csv|table",
     .help = "write the scores of each scene to a file; table: list them in the summary",
     .manual = "The file has a line for each scene and requested metric: first and last frame, times, mean, "
               "harmonic mean, minimum, p5, p95 and maximum. The table lists at most 20 scenes.",
     .words = "table",
     .may_repeat = true,
     .set = add_scenes},
    {.name = "--scenes-from",
     .type = "FILE",
     .help = "take scenes from a file instead of finding them: scenes.json of Av1an, CSV of PySceneDetect or "
             "of --scenes",
     .manual = "Frames are those of the video that is scored, from its first one on.",
     .set = set_scenes},
    {.name = "--zone-options",
     .type = "TEXT",
     .help = "encoder options of the zones; default for x264 and x265: b=1.5",
     .manual = "x265 supports only b= and q=. For av1an give the encoder and its options, as in "
               "--zone-options='svt-av1 --crf 20', for svt-essential a CRF.",
     .needs = FlagNeeds::kZones,
     .set = set_text<&RunOptions::zone_options>},
    {.name = "--zone-snap",
     .type = "N|TIME",
     .help = "extend a zone to a scene cut within this distance; 0: never; default: 1s",
     .needs = FlagNeeds::kZones,
     .set = set_as<&RunOptions::zone_snap, position_value>},
};

constexpr Flag kHeatmaps[] = {
    {.name = "--heatmaps",
     .type = "DIR",
     .help = "write pictures to this folder that show where the flaws are",
     .manual = "By default they show the worst frames. The folder is created if it does not exist. File "
               "names contain video, metric and frame, as in show.cambi.f000156.png. With a reference, "
               "show.cambi.f000156.distorted.png and .reference.png contain the plain frames, in colour.",
     .set = set_text<&RunOptions::heatmaps_folder>},
    {.name = "--heatmap-format",
     .type = "png,video,gray",
     .help = "outputs of --heatmaps: coloured pictures (default), a coloured video, raw samples",
     .manual =
         "The video includes the curve of the scores. Raw samples of all scales take some 2.7 bytes per "
         "pixel of each frame; their size is printed first, and insufficient disk space is an error.",
     .needs = FlagNeeds::kHeatmaps,
     .set = set_heatmaps<parse_heatmap_formats>},
    {.name = "--heatmap-frames",
     .type = "worst|all|A-B",
     .help = "frames to draw; default: the worst for png, all for the others",
     .needs = FlagNeeds::kHeatmaps,
     .set = set_heatmaps<parse_heatmap_frames>},
    {.name = "--heatmap-video-size",
     .type = "W|WxH",
     .help = "shrink the video's picture to fit; default: 1920x1080",
     .manual = "For a long video, the expected file size is printed early; half the width takes a quarter.",
     .needs = FlagNeeds::kHeatmaps,
     .set = set_heatmaps<parse_heatmap_video_size>},
    {.name = "--page-pictures",
     .type = "small|lossless",
     .help = "quality of the pictures on a page; default: small",
     .manual =
         "small keeps each picture within 140 kB, some of them at a lower quality, which the page says. "
         "lossless keeps every sample of pictures up to 1920x1080 and can take megabytes for each.",
     .needs = FlagNeeds::kPage,
     .set = set_page_pictures},
};

constexpr Flag kBackends[] = {
    {.name = "--backend",
     .type = "auto|cpu|scalar|hybrid|vulkan",
     .help = "backend that computes the scores, which are the same on all",
     .manual =
         "auto begins on the CPU, and GPUs join a run that takes longer than opening them; a long run begins "
         "on a GPU, and the CPU joins. A named backend never falls back to another. hybrid is vulkan with "
         "CAMBI's c-values on the CPU, for GPUs that lack what these need: see cambi devices. It is as fast "
         "as the cores.",
     .set = set_backend},
    {.name = "--device",
     .type = "N|NAME[,...]|all",
     .help = "GPUs to use: index or name, see cambi devices",
     .manual = "Several GPUs share the frames of a video; the scores are the same as on one. all: every "
               "usable GPU of the fastest type.",
     .set = set_text<&RunOptions::device>},
    {.name = "--threads",
     .type = "N",
     .help = "threads; 0: all cores",
     .set = set_c_count<&RunOptions::threads, kMaxThreads>},
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
     .help = "refuse a run that may need more memory, e.g. 4G; default: 75% of the available memory",
     .set = set_as<&RunOptions::max_memory, bytes_value>},
    {.name = "--trace",
     .type = "FILE",
     .help = "write a timeline of what each thread did, for https://ui.perfetto.dev",
     .manual = "The file is in Chrome's trace event format. docs/tracing.md explains the names in it.",
     .set = set_text<&RunOptions::trace>},
};

constexpr Flag kDecoding[] = {
    {.name = "--decoder",
     .type = "auto|software|hardware",
     .help = "decoder of the videos; auto: on the GPU that scores them, if possible",
     .manual = "Frames and scores are the same with every decoder. With auto, videos that the hardware "
               "cannot decode (codec, profile, depth, size), or fails to decode, are decoded in software, "
               "with a message; with hardware that is an error. Hardware decoders may not detect damage "
               "within a frame: see docs/decoding.md.",
     .set = set_decoder},
    {.name = "--hwaccel",
     .type = "NAME",
     .help = "decode with this hwaccel of FFmpeg, such as cuda, vaapi or vulkan",
     .manual = "Implies --decoder hardware, unless that flag says auto.",
     .set = set_hwaccel},
    {.name = "--decoders",
     .type = "N",
     .help = "number of decoders that share a video; 0: chosen automatically",
     .manual = "Each decodes a part of the video between key frames, with its share of the threads, and "
               "buffers frames in memory until they are needed. The pictures are the same. Standard input, "
               "and videos that cannot be split, use one decoder.",
     .set = set_count<&RunOptions::decoders, kMaxThreads>},
    {.name = "--allow-damage",
     .help = "skip corrupt frames instead of stopping",
     .manual = "Truncated files are scored up to their end, with a warning. The other frames keep their "
               "numbers. See DAMAGED INPUT.",
     .role = FlagRole::kAccepting,
     .set = set_true<&RunOptions::allow_damage>},
    {.name = "--sandbox",
     .help = "confine the run to the files that it was given, without network and other programs",
     .manual =
         "For videos from strangers: a flaw of a decoder then cannot be used to read or change other files. "
         "Uses Landlock and seccomp; exit code 8 if the kernel lacks one of them. Everything in the folder "
         "of an output can be written: use a folder for outputs alone. A report says in its notes what "
         "holds. See docs/security.md.",
     .set = set_true<&RunOptions::sandbox>},
};

constexpr Flag kMessages[] = {
    {.name = "--quiet",
     .short_name = "-q",
     .help = "no progress and no summary",
     .manual = "The names of written files are not printed either.",
     .set = set_true<&RunOptions::quiet>},
    {.name = "--progress",
     .type = "auto|bar|plain|json|none",
     .help = "how progress is shown",
     .manual = "Progress goes to standard error. An explicit form is shown even with -q.",
     .set = set_progress},
    {.name = "--help", .help = "print the help and exit", .manual = "So does a lone -h.", .set = set_nothing},
    {.name = "--version", .short_name = "-v", .help = "print the version and exit", .set = set_nothing},
};

constexpr std::string_view kExamples =
    "\n"
    "cambi -r master.mov -d show.mkv                   VMAF, by the model that suits the master, and "
    "banding\n"
    "cambi -r master.mov -d show.mkv --html show.html  ... and make a page of it\n"
    "cambi -r master.mov -d show.mkv --model vmaf_v0.6.1 --feature psnr,ssimulacra2\n"
    "                                                  the classic VMAF, PSNR and SSIMULACRA 2 in one pass\n"
    "cambi compare crf18.mkv crf23.mkv crf28.mkv -r master.mov --html crf.html\n"
    "                                                  rank three encodes\n"
    "cambi batch season1 --reference-dir masters --reports reports\n"
    "                                                  score a folder, again and again\n"
    "cambi -r master.mov -d show.mkv -q -o run.json --extended --fail-below 'vmaf:p5<80'\n"
    "                                                  in a pipeline: exit code 7 below a threshold\n"
    "cambi show.mkv                                    the banding of a video by itself\n"
    "cambi show.mkv --heatmaps maps                    see where the banding is\n"
    "cambi -r master.mov -d show.mkv --full-ref        what an encode adds to the banding of its master\n"
    "cambi show.mkv --enc 1920x1080@8 --crop auto      encoded at another size; without black bars\n"
    "cambi -r ref.y4m -d dist.y4m -n --feature cambi=eotf=pq --json -o -\n"
    "                                                  the same command line as vmaf\n";

constexpr Topic kTopics[] = {
    {.name = "inputs",
     .help = "videos, raw video, and streams",
     .role = FlagRole::kScoring,
     .flags = kInputs},
    {.name = "sampling", .help = "which frames are scored", .role = FlagRole::kScoring, .flags = kSampling},
    {.name = "alignment",
     .help = "which frames of two videos are compared",
     .role = FlagRole::kScoring,
     .flags = kAlignment},
    {.name = "scaling",
     .help = "rectangle, size, bit depth and film grain of the frames that are scored",
     .role = FlagRole::kScoring,
     .flags = kScaling},
    {.name = "pairs",
     .help = "pairs that differ in length, range, frame rate or shape",
     .role = FlagRole::kRunning,
     .flags = kPairs},
    {.name = "vmaf", .help = "VMAF models", .role = FlagRole::kScoring, .flags = kModels},
    {.name = "metrics",
     .help = "CAMBI, PSNR and other metrics; cambi features NAME has the flags and options of one",
     .role = FlagRole::kScoring,
     .flags = kFeatures},
    {.name = "formats", .help = "reports and pages", .role = FlagRole::kTelling, .flags = kFormats},
    {.name = "thresholds",
     .help = "gates for pipelines: exit code 7, baselines, JUnit, GitHub",
     .role = FlagRole::kReporting,
     .flags = kThresholds},
    {.name = "segments",
     .help = "scenes, stretches with bad scores, and zones for encoders",
     .role = FlagRole::kReporting,
     .flags = kSegments},
    {.name = "heatmaps",
     .help = "pictures and videos that show where the flaws are",
     .role = FlagRole::kDrawing,
     .flags = kHeatmaps},
    {.name = "backends",
     .help = "CPU, GPUs, threads and memory",
     .role = FlagRole::kRunning,
     .flags = kBackends},
    {.name = "decoding",
     .help = "decoders, hardware decoding, damaged videos, and the sandbox",
     .role = FlagRole::kRunning,
     .flags = kDecoding},
    {.name = "messages",
     .help = "progress, summary, help and version",
     .role = FlagRole::kTelling,
     .flags = kMessages},
    {.name = "cluster", .help = "scoring on several machines"},
    {.name = "examples", .help = "command lines for common tasks", .text = kExamples},
};

// Features may have flags of the same names, which then hold for each of them.
std::vector<Flag> feature_flags() {
  std::vector<Flag> flags;
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

const std::vector<Topic>& topics() {
  static const std::vector<Flag> of_features = feature_flags();
  static const std::vector<Topic> all = [] {
    std::vector<Topic> topics(std::begin(kTopics), std::end(kTopics));
    topics.push_back({.role = FlagRole::kScoring, .flags = of_features});
    return topics;
  }();
  return all;
}

const Topic* find_topic(std::string_view name) {
  const auto found =
      std::find_if(topics().begin(), topics().end(), [&](const Topic& topic) { return topic.name == name; });
  return found == topics().end() ? nullptr : &*found;
}

FlagRole role_of(const Flag& flag) {
  if (flag.role != FlagRole::kOfTopic) return flag.role;
  for (const Topic& topic : topics()) {
    const auto is_it = [&](const Flag& other) { return other.name == flag.name; };
    if (std::any_of(topic.flags.begin(), topic.flags.end(), is_it)) return topic.role;
  }
  return FlagRole::kRunning;
}

const Flag* find_run_flag(std::string_view name) {
  for (const Topic& topic : topics()) {
    for (const Flag& flag : topic.flags) {
      if (flag.name == name) return &flag;
    }
  }
  return nullptr;
}

Flag whole(const Flag& own) {
  if (!own.of_run) return own;
  Flag flag = *find_run_flag(own.name);
  flag.manual = own.manual;
  if (!own.type.empty()) flag.type = own.type;
  if (!own.help.empty()) flag.help = own.help;
  return flag;
}

}  // namespace vq::cli
