#include "cli/commands/flags.h"

#include <iterator>

#include "cli/commands/flag_setters.h"
#include "cli/inputs/feature_flags.h"
#include "feature/feature.h"

namespace vq::cli {

constexpr Flag kInputs[] = {
    Flag("--distorted -d", "FILE", "video to score; - is standard input", set_text<&RunOptions::distorted>)
        .in_manual("The same as VIDEO. Any container FFmpeg reads, a picture, an image sequence (f%04d.png, "
                   "'shots/*.png', or a folder of pictures), y4m, or raw planar video when all of -w, -h, -p "
                   "and -b are given."),
    Flag("--reference -r", "FILE", "reference (source) video", set_text<&RunOptions::reference>)
        .in_manual("Frames are paired by number, or by time with --pair time."),
    Flag("--width -w", "N", "width of raw video", set_as<&RunOptions::width, side_value>),
    Flag("--height -h", "N", "height of raw video", set_as<&RunOptions::height, side_value>),
    Flag("--pixel_format -p", "400|420|422|444", "chroma of raw video",
         set_choice<&RunOptions::chroma, Chroma::k400, Chroma::k420, Chroma::k422, Chroma::k444>),
    Flag("--bitdepth -b", "8|9|10|12|14|16", "bit depth of raw video, little endian",
         set_choice<&RunOptions::bit_depth, 8, 9, 10, 12, 14, 16>),
    Flag("--stream", "N", "index of the stream in the container, of both videos",
         set_count<&RunOptions::stream, kMaxStream>)
        .in_manual("Without it the best video stream of each."),
    Flag("--stream-ref", "N", "index of the reference's stream, if it differs",
         set_count<&RunOptions::reference_stream, kMaxStream>, FlagNeeds::kReference),
    Flag("--fps", "N|N/D", "frame rate of image sequences and raw video, which declare none",
         set_as<&RunOptions::frame_rate, frame_rate_value>)
        .in_manual("A number such as 24 or 23.976, or a fraction such as 24000/1001. Videos that declare a "
                   "frame rate keep it. Without it such frames have no times."),
    Flag("--fps-ref", "N|N/D", "the reference's frame rate, if it differs",
         set_as<&RunOptions::reference_frame_rate, frame_rate_value>, FlagNeeds::kReference),
};

constexpr Flag kSampling[] = {
    Flag("--frame_cnt", "N", "read at most N frames; 0: all",
         set_c_count<&RunOptions::frame_count, kMaxFrameNumber>)
        .neutral_at("0"),
    Flag("--start", "POSITION", "first frame to score: a number, HH:MM:SS.mmm or 12.5s",
         set_as<&RunOptions::start, position_value>),
    Flag("--end", "POSITION", "first frame not to score", set_as<&RunOptions::end, position_value>),
    Flag("--subsample", "N[:spread]",
         "score only frames 0, N, 2N, ...; N:spread: one frame at a varying position in each group of N",
         set_subsample)
        .neutral_at("1")
        .in_manual("Encoders spend more bits on frames at regular intervals, and N may coincide with these. "
                   "N:spread chooses the same frames in every run."),
};

constexpr Flag kAlignment[] = {
    Flag("--align", "auto|off|N", "the distorted video is N frames late; auto: find N first",
         set_as<&RunOptions::align, parse_align>, FlagNeeds::kReference)
        .in_manual(
            "Skips N frames of the distorted video, or of the reference if N is negative. Without the flag "
            "nothing is skipped, and a misaligned pair causes a warning; off disables the warning."),
    Flag("--frame_skip_ref", "N|TIME",
         "skip the first N frames of the reference, or those before a time: 12.5s, 01:02.5",
         set_skip<&RunOptions::skip_reference, &RunOptions::skip_reference_seconds>, FlagNeeds::kReference)
        .neutral_at("0"),
    Flag("--frame_skip_dist", "N|TIME", "skip the first N frames of the video, or those before a time",
         set_skip<&RunOptions::skip_distorted, &RunOptions::skip_distorted_seconds>)
        .neutral_at("0")
        .in_manual("Frames are numbered from 0 after that."),
    Flag("--pair", "number|time",
         "compare frames of one number (default), or each with the frame of the reference that shows it at "
         "its time",
         set_choice<&RunOptions::pairs_by_time, false, true>, FlagNeeds::kReference)
        .neutral_at("number")
        .in_manual("By time, videos of different or variable frame rates can be compared. Times count from "
                   "the first frame of each video that is not skipped. The frame nearest in time is taken, "
                   "unless one beside it is plainly more alike, as where rates were converted; frames of the "
                   "reference may be compared several times or not at all. See docs/pairs.md."),
};

constexpr Flag kScaling[] = {
    Flag("--crop", "W:H:X:Y|auto", "score only this rectangle; auto: detect and exclude black bars",
         set_as<&RunOptions::crop, parse_crop>)
        .in_manual(
            "The rest of the picture is ignored. Bars are searched for in the first seconds. A reference of "
            "the same size is cropped alike; auto then finds the area that both videos show."),
    Flag("--crop-ref", "W:H:X:Y|auto",
         "score only this rectangle of the reference; --crop then applies to the distorted video alone",
         set_as<&RunOptions::reference_crop, parse_crop>, FlagNeeds::kReference)
        .in_manual("For a video that was cropped from this rectangle of the reference. Both rectangles refer "
                   "to the videos as decoded; --scale-to scales the cropped pictures."),
    Flag("--scale-to", "reference|WxH",
         "scale the video to its reference's size, or both to this one, before they are scored", set_scale)
        .completed_by("reference")
        .in_manual("Scaling equals FFmpeg's (5.1, with accurate_rnd and bitexact) and is noted in the "
                   "report's run."),
    Flag("--scale-with", "bicubic|lanczos",
         "scaling filter of --scale-to and of scaled models; default: bicubic",
         set_choice<&RunOptions::scale_kernel, ScaleKernel::kBicubic, ScaleKernel::kLanczos>,
         FlagNeeds::kScaling),
    Flag("--score-bits", "8..16",
         "convert videos with fewer bits per sample to this depth before they are scored",
         set_count<&RunOptions::score_bits, 16, 8>)
        .in_manual("Samples are shifted left. VMAF v1 is meant for 10 bits, also for 8-bit videos."),
    Flag("--film-grain", "on|off|both", "score with the stream's film grain, without it, or compare the two",
         set_choice<&RunOptions::film_grain, FilmGrainRequest::kOn, FilmGrainRequest::kOff,
                    FilmGrainRequest::kBoth>)
        .in_manual("AV1, H.264, HEVC and VVC streams may describe grain that decoders add to every picture. "
                   "Grain hides banding and affects every score. It is applied by default, as players do, "
                   "with a warning. libavcodec adds the grain of H.264 and HEVC only to 8-bit 4:2:0 video, "
                   "and the grain of FFmpeg 7 differs from that of earlier releases."),
};

constexpr Flag kPairs[] = {
    Flag("--strict", "", "fail also if the videos differ in length, or may not fit together",
         set_true<&RunOptions::strict>, FlagRole::kAccepting, FlagNeeds::kReference)
        .in_manual(
            "Exit code 6 for different lengths, 3 if a warning says what may be wrong with the pair, such as "
            "black bars on one side. What is certainly wrong, such as another film, fails anyway."),
    Flag("--compare-anyway", "",
         "score pairs that do not fit together: another film, shift, range, rate or shape",
         set_true<&RunOptions::compare_anyway>, FlagRole::kAccepting, FlagNeeds::kReference)
        .in_manual("Without it such a pair is refused with exit code 3. Its scores are not comparable: "
                   "thresholds are not judged (exit code 3), and rankings and summaries list it last."),
    Flag("--as-stored", "",
         "take frames as stored: neither turned by their tag nor brought to one range or matrix",
         set_true<&RunOptions::as_stored>, FlagRole::kAccepting)
        .in_manual(
            "Without it, frames of phone videos are turned as players do. If the range tags differ, features "
            "that compare the videos see both in limited range, and if the matrix tags differ, the distorted "
            "video in the reference's matrix; CAMBI and others that score a single video see it unconverted. "
            "Chroma of another sampling is brought to the coarser one."),
};

constexpr Flag kModels[] = {
    Flag("--model -m", "MODEL", "score with VMAF: version=NAME, path=FILE, or auto; see cambi models",
         add_model)
        .completed_by("MODEL")
        .repeated()
        .in_manual("A pair for which no model, no feature and no flag of CAMBI is given is scored by auto "
                   "and CAMBI. After that, each preceded by a colon: name=NAME of the scores (vmaf), "
                   "disable_clip, enable_transform, and options for the model's features as in "
                   "cambi.enc_width=1280; auto instead of the number takes it from the video. \\: \\= and "
                   "\\\\ stand for the characters themselves. auto takes the model of VMAF v1 that suits the "
                   "reference's size and frame rate. Features that several models share are computed once."),
    Flag("--no_prediction -n", "", "compute the models' features, but not their scores",
         set_true<&RunOptions::no_prediction>)
        .in_manual("Without --model it changes nothing."),
    Flag("--aom_ctc", "v1.0|v2.0|v3.0|v4.0|v5.0|v6.0|v7.0",
         "the models and features of AOM's common test conditions", add_preset<model::aom_ctc>),
    Flag("--nflx_ctc", "v1.0", "the models and features of Netflix' common test conditions",
         add_preset<model::nflx_ctc>),
};

constexpr Flag kFeatures[] = {
    Flag("--feature", "SPEC", "NAME[=key=value[:key=value]...], exactly as vmaf takes it", add_features)
        .completed_by("FEATURE")
        .repeated()
        .in_manual(
            "The options, defaults and ranges are those of vmaf(1), and nothing is inferred from the video. "
            "Escape : = and \\ in a value with a backslash. The flags below set options of the requested "
            "features that have them. If none has, they set those of a model's features, with a warning."),
};

constexpr Flag kFormats[] = {
    Flag("--output -o", "FILE", "write a report, or a page for FILE.html; - is standard output", add_output)
        .repeated()
        .in_manual("FILE appears only when it is complete. A run that ends early leaves FILE unchanged and "
                   "writes its results to FILE.partial (a page to FILE.partial.html)."),
    Flag("--json", "", "write every report as JSON; without a format flag the file's extension decides",
         set_format<ReportFormat::kJson>)
        .in_manual("Without -o this and the next four write to standard output."),
    Flag("--xml", "", "write every report as XML, the default for unknown extensions",
         set_format<ReportFormat::kXml>),
    Flag("--csv", "", "write every report as comma-separated values, as vmaf does",
         set_format<ReportFormat::kCsv>),
    Flag("--csv-plain", "",
         "the same for data frames: no comma at the end of lines; with times and the models' names",
         set_format<ReportFormat::kPlainCsv>),
    Flag("--sub", "", "write every report as MicroDVD subtitles", set_format<ReportFormat::kSub>),
    Flag("--precision", "1..17|max", "significant digits; max reads back to the same double",
         set_as<&RunOptions::precision, parse_precision>, FlagNeeds::kReport)
        .in_manual("By default numbers are formatted as by vmaf(1)."),
    Flag("--html", "FILE", "write a page with curves, statistics and the worst frames", set_page)
        .in_manual("It needs no network."),
    Flag("--worst", "N", "number of worst moments to list and to picture", set_worst, FlagRole::kReporting)
        .in_manual("Default: 3 in the summary, 10 in the extended report and as PNG files, 6 with pictures "
                   "on the page. A moment is the worst frame of a scene, or within a second."),
    Flag("--extended", "", "add run metadata, timestamps, percentiles and worst moments to JSON",
         set_true<&RunOptions::extended>, FlagNeeds::kJson),
    Flag("--stream-scores", "", "write scores as they are computed, one JSON object per line",
         set_true<&RunOptions::stream_scores>)
        .in_manual("The output goes to standard output."),
};

constexpr Flag kThresholds[] = {
    Flag("--fail-above", "EXPR", "exit with code 7 if, for example, 'mean>5', 'p95>=8' or 'share>10%'",
         add_threshold<ThresholdSide::kAbove>)
        .completed_by("mean>|p95>|p99>|max>|share>")
        .repeated()
        .in_manual("EXPR is [METRIC:]STATISTIC>VALUE (or >=), in quotes, and is judged after all outputs are "
                   "written. The statistic is mean, median, max, a percentile p0 to p100, share (of frames "
                   "with a noteworthy score; for CAMBI 5 or more), harmonic, stdev or min; METRIC>VALUE "
                   "refers to the mean. METRIC may be omitted if exactly one requested metric has a "
                   "noteworthy level and is better when lower; otherwise name one: 'cambi:p95>5'."),
    Flag("--fail-below", "EXPR",
         "exit with code 7 if, for example, 'psnr<30' or 'vmaf:p5<=80'; for metrics where higher is better",
         add_threshold<ThresholdSide::kBelow>)
        .completed_by("mean<|p1<|p5<|min<|share<")
        .repeated()
        .in_manual("METRIC may be omitted if exactly one requested metric, such as a model's score, has a "
                   "noteworthy level and is better when higher."),
    Flag("--baseline", "FILE",
         "thresholds with a sign are relative to this report: 'mean>+0.5', 'psnr_y:mean<-0.3', 'p95>+10%'",
         set_text<&RunOptions::baseline>)
        .in_manual("A report of an earlier run, preferably extended and with --precision max. A percentage "
                   "is relative to the earlier value; for a share it means percentage points."),
    Flag("--confidence", "PERCENT",
         "score slices in random order until every threshold is decided with this confidence",
         set_as<&RunOptions::confidence, confidence_value>)
        .in_manual("At 99, verdicts and intervals of one run in a hundred may be wrong, whatever the film. "
                   "Without thresholds, --tolerance says when it ends. All frames are scored if that does "
                   "not suffice. Reports have the frames that were scored, and intervals in place of "
                   "statistics."),
    Flag("--tolerance", "N",
         "with --confidence: score on until every statistic is known to within N to either side",
         set_as<&RunOptions::tolerance, tolerance_value>),
    Flag("--seed", "N", "with --confidence: the order of slices; by default the content decides",
         set_as<&RunOptions::seed, seed_value>)
        .in_manual("Without it a video is always scored in the same order, so that a second run is no second "
                   "opinion."),
    Flag("--junit", "FILE", "write the results of the run and of each threshold as JUnit XML",
         set_text<&RunOptions::junit>, FlagRole::kTelling)
        .in_manual("A failing run also writes the file, with its error."),
    Flag("--github", "",
         "write errors and warnings as annotations of GitHub Actions, and a summary of the step",
         set_true<&RunOptions::github>, FlagRole::kTelling)
        .in_manual("Annotations are lines on standard error; the summary is appended to the file that "
                   "GITHUB_STEP_SUMMARY names."),
};

constexpr Flag kSegments[] = {
    Flag("--segments", "[METRIC:]VALUE",
         "list the stretches of the video that score this or worse; scenes[:[METRIC:]VALUE]: whole scenes",
         set_segments)
        .repeated()
        .in_manual("Segments are listed in the summary, in the extended report and on the page. METRIC may "
                   "be omitted if exactly one requested metric has a noteworthy level. Metrics that compare "
                   "the video with a reference, such as VMAF, are judged by their mean over half a second. "
                   "Without this flag, reports and pages list noteworthy segments of at least half a second: "
                   "CAMBI of 5 or more, VMAF of 70 or less. scenes:[METRIC:]VALUE lists whole scenes with "
                   "such a mean, scenes those whose mean is noteworthy."),
    Flag("--segments-until", "VALUE",
         "end a segment when scores become better than this; default: the value of --segments",
         set_segments_until, FlagNeeds::kSegments),
    Flag("--segments-shortest", "N|TIME",
         "leave out shorter segments, in frames or seconds: 12, 0.5s; default: 1",
         set_as<&RunOptions::segments_shortest, position_value>, FlagNeeds::kSegments),
    Flag("--segments-output", "FORM:FILE",
         "write segments as csv:, chapters: (FFmpeg metadata), or zones for x264:, x265:, av1an: or "
         "svt-essential:; all scenes as av1an-scenes:",
         add_segment_output)
        .completed_by("csv:|chapters:|x264:|x265:|av1an:|svt-essential:|av1an-scenes:")
        .repeated()
        .in_manual(
            "The output is the value of --zones for x264, x265 and SVT-AV1-Essential, and the file that "
            "--zones names for Av1an. SVT-AV1 and aomenc have no zones. av1an-scenes: is the file of Av1an's "
            "--scenes. Frames are counted from the first frame of the video, including skipped ones."),
    Flag("--scenes", "FILE.csv|table",
         "write the scores of each scene to a file; table: list them in the summary", add_scenes)
        .completed_by("table")
        .repeated()
        .in_manual("The file has a line for each scene and requested metric: first and last frame, times, "
                   "mean, harmonic mean, minimum, p5, p95 and maximum. The table lists at most 20 scenes."),
    Flag("--scenes-from", "FILE",
         "take scenes from a file instead of finding them: scenes.json of Av1an, CSV of PySceneDetect or of "
         "--scenes",
         set_scenes)
        .in_manual("Frames are those of the video that is scored, from its first one on."),
    Flag("--zone-options", "TEXT", "encoder options of the zones; default for x264 and x265: b=1.5",
         set_text<&RunOptions::zone_options>, FlagNeeds::kZones)
        .in_manual("x265 supports only b= and q=. For av1an give the encoder and its options, as in "
                   "--zone-options='svt-av1 --crf 20', for svt-essential a CRF."),
    Flag("--zone-snap", "N|TIME", "extend a zone to a scene cut within this distance; 0: never; default: 1s",
         set_as<&RunOptions::zone_snap, position_value>, FlagNeeds::kZones),
};

constexpr Flag kHeatmaps[] = {
    Flag("--heatmaps", "DIR", "write pictures to this folder that show where the flaws are",
         set_text<&RunOptions::heatmaps_folder>)
        .in_manual(
            "By default they show the worst frames. The folder is created if it does not exist. File names "
            "contain video, metric and frame, as in show.cambi.f000156.png. With a reference, "
            "show.cambi.f000156.distorted.png and .reference.png contain the plain frames, in colour."),
    Flag("--heatmap-format", "png,video,gray",
         "outputs of --heatmaps: coloured pictures (default), a coloured video, raw samples",
         set_heatmaps<parse_heatmap_formats>, FlagNeeds::kHeatmaps)
        .in_manual(
            "The video includes the curve of the scores. Raw samples of all scales take some 2.7 bytes per "
            "pixel of each frame; their size is printed first, and insufficient disk space is an error."),
    Flag("--heatmap-frames", "worst|all|A-B",
         "frames to draw; default: the worst for png, all for the others", set_heatmaps<parse_heatmap_frames>,
         FlagNeeds::kHeatmaps),
    Flag("--heatmap-video-size", "W|WxH", "shrink the video's picture to fit; default: 1920x1080",
         set_heatmaps<parse_heatmap_video_size>, FlagNeeds::kHeatmaps)
        .in_manual(
            "For a long video, the expected file size is printed early; half the width takes a quarter."),
    Flag("--page-pictures", "small|lossless", "quality of the pictures on a page; default: small",
         set_page_pictures, FlagNeeds::kPage)
        .in_manual(
            "small keeps each picture within 140 kB, some of them at a lower quality, which the page says. "
            "lossless keeps every sample of pictures up to 1920x1080 and can take megabytes for each."),
};

constexpr Flag kBackends[] = {
    Flag("--backend", "auto|cpu|scalar|hybrid|vulkan",
         "backend that computes the scores, which are the same on all", set_backend)
        .in_manual("auto begins on the CPU, and GPUs join a run that takes longer than opening them; a long "
                   "run begins on a GPU, and the CPU joins. A named backend never falls back to another. "
                   "hybrid is vulkan with CAMBI's c-values on the CPU, for GPUs that lack what these need: "
                   "see cambi devices. It is as fast as the cores."),
    Flag("--device", "N|NAME[,...]|all", "GPUs to use: index or name, see cambi devices",
         set_text<&RunOptions::device>)
        .in_manual("Several GPUs share the frames of a video; the scores are the same as on one. all: every "
                   "usable GPU of the fastest type."),
    Flag("--threads", "N", "threads; 0: all cores", set_c_count<&RunOptions::threads, kMaxThreads>),
    Flag("--cpumask", "BITS", "disable CPU instruction sets (bit mask as in vmaf)",
         set_as<&RunOptions::cpumask, mask_value>)
        .in_manual("-1 disables all of them."),
    Flag("--gpumask", "BITS", "non-zero: do not pick a GPU automatically",
         set_as<&RunOptions::gpumask, mask_value>),
    Flag("--max-memory", "BYTES",
         "refuse a run that may need more memory, e.g. 4G; default: 75% of the available memory",
         set_as<&RunOptions::max_memory, bytes_value>),
    Flag("--trace", "FILE", "write a timeline of what each thread did, for https://ui.perfetto.dev",
         set_text<&RunOptions::trace>)
        .in_manual("The file is in Chrome's trace event format. docs/tracing.md explains the names in it."),
};

constexpr Flag kDecoding[] = {
    Flag("--decoder", "auto|software|hardware",
         "decoder of the videos; auto: on the GPU that scores them, if possible", set_decoder)
        .in_manual("Frames and scores are the same with every decoder. With auto, videos that the hardware "
                   "cannot decode (codec, profile, depth, size), or fails to decode, are decoded in "
                   "software, with a message; with hardware that is an error. Hardware decoders may not "
                   "detect damage within a frame: see docs/decoding.md."),
    Flag("--hwaccel", "NAME", "decode with this hwaccel of FFmpeg, such as cuda, vaapi or vulkan",
         set_hwaccel)
        .in_manual("Implies --decoder hardware, unless that flag says auto."),
    Flag("--decoders", "N", "number of decoders that share a video; 0: chosen automatically",
         set_count<&RunOptions::decoders, kMaxThreads>)
        .in_manual("Each decodes a part of the video between key frames, with its share of the threads, and "
                   "buffers frames in memory until they are needed. The pictures are the same. Standard "
                   "input, and videos that cannot be split, use one decoder."),
    Flag("--allow-damage", "", "skip corrupt frames instead of stopping", set_true<&RunOptions::allow_damage>,
         FlagRole::kAccepting)
        .in_manual("Truncated files are scored up to their end, with a warning. The other frames keep their "
                   "numbers. See DAMAGED INPUT."),
    Flag("--sandbox", "",
         "confine the run to the files that it was given, without network and other programs",
         set_true<&RunOptions::sandbox>)
        .in_manual("For videos from strangers: a flaw of a decoder then cannot be used to read or change "
                   "other files. Uses Landlock and seccomp; exit code 8 if the kernel lacks one of them. "
                   "Everything in the folder of an output can be written: use a folder for outputs alone. A "
                   "report says in its notes what holds. See docs/security.md."),
};

constexpr Flag kMessages[] = {
    Flag("--quiet -q", "", "no progress and no summary", set_true<&RunOptions::quiet>)
        .in_manual("The names of written files are not printed either."),
    Flag("--progress", "auto|bar|plain|json|none", "how progress is shown", set_progress)
        .in_manual("Progress goes to standard error. An explicit form is shown even with -q."),
    Flag("--help", "", "print the help and exit", set_nothing).in_manual("So does a lone -h."),
    Flag("--version -v", "", "print the version and exit", set_nothing),
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
    {"inputs", "videos, raw video, and streams", FlagRole::kScoring, kInputs},
    {"sampling", "which frames are scored", FlagRole::kScoring, kSampling},
    {"alignment", "which frames of two videos are compared", FlagRole::kScoring, kAlignment},
    {"scaling", "rectangle, size, bit depth and film grain of the frames that are scored", FlagRole::kScoring,
     kScaling},
    {"pairs", "pairs that differ in length, range, frame rate or shape", FlagRole::kRunning, kPairs},
    {"vmaf", "VMAF models", FlagRole::kScoring, kModels},
    {"metrics", "CAMBI, PSNR and other metrics; cambi features NAME has the flags and options of one",
     FlagRole::kScoring, kFeatures},
    {"formats", "reports and pages", FlagRole::kTelling, kFormats},
    {"thresholds", "gates for pipelines: exit code 7, baselines, JUnit, GitHub", FlagRole::kReporting,
     kThresholds},
    {"segments", "scenes, stretches with bad scores, and zones for encoders", FlagRole::kReporting,
     kSegments},
    {"heatmaps", "pictures and videos that show where the flaws are", FlagRole::kDrawing, kHeatmaps},
    {"backends", "CPU, GPUs, threads and memory", FlagRole::kRunning, kBackends},
    {"decoding", "decoders, hardware decoding, damaged videos, and the sandbox", FlagRole::kRunning,
     kDecoding},
    {"messages", "progress, summary, help and version", FlagRole::kTelling, kMessages},
    {.name = "cluster", .help = "scoring on several machines"},
    {.name = "examples", .help = "command lines for common tasks", .text = kExamples},
};

// Features may have flags of the same names, which then hold for each of them.
static std::vector<Flag> feature_flags() {
  std::vector<Flag> flags;
  for (const FeatureInfo* info : features()) {
    for (const FeatureFlag& own : own_flags(*info)) {
      if (contains(flags, own.name, &Flag::name)) continue;
      flags.push_back(Flag(own.name, own.type, own.help, add_feature_flag));
    }
  }
  return flags;
}

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
  const auto found = std::ranges::find(topics(), name, &Topic::name);
  return name.empty() || found == topics().end() ? nullptr : &*found;
}

FlagRole role_of(const Flag& flag) {
  if (flag.role != FlagRole::kOfTopic) return flag.role;
  for (const Topic& topic : topics()) {
    if (contains(topic.flags, flag.name, &Flag::name)) return topic.role;
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
