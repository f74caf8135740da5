#include "cli/commands/flags.h"

#include <iterator>

#include "cli/commands/flag_setters.h"
#include "cli/commands/help.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {

// The flags of a run that subcommands take: see Subcommand.
constexpr FlagRole kPlanRoles[] = {FlagRole::kScoring, FlagRole::kAccepting, FlagRole::kRunning},
                   kShardRoles[] = {FlagRole::kRunning},
                   kMergeRoles[] = {FlagRole::kReporting, FlagRole::kTelling};
// kOutputs: of selftest; fingerprint takes all but the last, bench all but the last two.
constexpr std::string_view
    kOutputs[] = {"--output", "--json",  "--xml",      "--csv",    "--csv-plain", "--sub",
                  "--html",   "--quiet", "--progress", "--github", "--junit"},
    kNotOfBench[] = {"--crop",  "--crop-ref", "--align",     "--pair",
                     "--start", "--end",      "--subsample", "--trace"},
    kNotOfCompare[] = {"--stream-scores", "--segments", "--segments-output", "--scenes",
                       "--scenes-from",   "--trace",    "--heatmaps",        "--histograms"},
    kOfMerge[] = {"--compare-anyway"},
    kNotOfFingerprint[] = {"--distorted", "--reference",      "--stream-ref", "--fps-ref",
                           "--align",     "--frame_skip_ref", "--pair",       "--crop-ref",
                           "--strict",    "--compare-anyway", "--model",      "--no_prediction",
                           "--aom_ctc",   "--nflx_ctc",       "--feature",    "--trace"},
    kNotOfMerge[] = {"--stream-scores", "--progress", "--confidence", "--tolerance", "--seed"},
    kOfPlan[] = {"--output", "--quiet"}, kOfShard[] = {"--quiet", "--progress", "--compare-anyway"},
    kNotOfSubmit[] = {"--stream-scores", "--confidence", "--tolerance", "--seed"}, kTrace[] = {"--trace"};
constexpr std::span<const std::string_view> kOfSelftest = kOutputs, kOfFingerprint = kOfSelftest.first(10),
                                            kOfBench = kOfSelftest.first(9);
constexpr std::string_view
    kOfSearch[] = {"--output", "--json", "--quiet", "--seed"},
    kNotOfSearch[] = {
        "--distorted",       "--reference",    "--stream-ref",    "--fps-ref",  "--frame_cnt",
        "--start",           "--end",          "--subsample",     "--align",    "--frame_skip_ref",
        "--frame_skip_dist", "--pair",         "--crop",          "--crop-ref", "--film-grain",
        "--strict",          "--allow-damage", "--no_prediction", "--trace",    "--sandbox"};
constexpr std::string_view kMergeOtherwise = "is settled by the plan, or has no use here.";

constexpr Flag kAlignFlags[] = {
    of_run("--width"),
    of_run("--height"),
    of_run("--pixel_format"),
    of_run("--bitdepth"),
    of_run("--stream"),
    of_run("--stream-ref"),
    Flag("--window", "1..2000", "largest shift to search for, in frames; default: 240"),
    Flag("--frames", "N", "number of frames of each video to examine; 0: all; default: 1500"),
    Flag("--output -o", "FILE", "write the result as JSON; - is standard output"),
    Flag("--json", "", "write the result as JSON to standard output, or to the file of --output"),
    of_run("--sandbox"),
    Flag("--quiet -q", "", "print nothing but the result of --output or --json"),
};

constexpr Flag kBatchFlags[] = {
    Flag("--reports", "DIR", "the folder for the reports; created if it does not exist")
        .in_manual("It receives NAME.json for each video, where NAME is the video's path below the common "
                   "folder, and summary.json, summary.csv and index.html for all videos."),
    Flag("--list", "FILE",
         "also score the videos listed in FILE: one path per line, or a video, a tab and its reference; - is "
         "standard input")
        .repeated(),
    Flag("--reference-dir", "DIR",
         "compare each video with the reference of the same relative path there, with any extension")
        .in_manual("A video without exactly one such reference is an error before anything is scored."),
    Flag("--root", "DIR", "name reports, and find references, by the paths below DIR")
        .in_manual("Default: the deepest common folder of the given videos. With a fixed root, names do not "
                   "depend on which videos are given."),
    Flag("--formats", "html,csv,xml,sub,segments,chapters,scenes",
         "additional outputs for each video besides its JSON report; html: its page"),
    Flag("--jobs", "N",
         "number of videos to score at the same time; 0: chosen by their sizes and the number of cores; "
         "default: 0"),
    Flag("--force", "", "score videos again even if their reports are up to date"),
    Flag("--ignore-failed", "", "exit with the code of the videos that were scored, if there are any"),
};

constexpr Flag kBenchFlags[] = {
    Flag("--frames", "N", "number of frames per measurement; default: enough for a few seconds in total"),
    Flag("--backend", "auto|cpu|scalar|hybrid|vulkan",
         "measure only this backend; auto, the default: cpu, and on a GPU hybrid and vulkan"),
    of_run("--output", "write the figures as JSON; - is standard output"),
};

constexpr Flag kCompareFlags[] = {
    Flag("--by", "STATISTIC",
         "rank by mean (default), median, max, p95 or another percentile, share (of frames with a noteworthy "
         "score; for CAMBI 5 or more), harmonic, stdev or min, or by size or bitrate")
        .completed_by("mean|median|p90|p95|p99|max|share|harmonic|min|stdev|size|bitrate"),
    Flag("--metric", "NAME",
         "metric to rank by; default: the first one that all runs have. If repeated: further metrics to show")
        .repeated(),
    Flag("--group", "NAME=PATTERN",
         "call the encoder of all runs whose name or path is PATTERN, in which * stands for any text, NAME; "
         "default: what the files say")
        .repeated(),
    Flag("--anchor", "NAME",
         "encoder, or curve as the table calls it, from which BD-rates are counted; default: that of the "
         "first run"),
    Flag("--target", "METRIC:VALUE",
         "name the cheapest run that reaches this score, and the bit rate at which each encoder does; the "
         "metric ranks"),
    Flag("--ladder", "WxH,...",
         "picture sizes for which to name the run on each encoder's hull; default: those of the runs"),
    Flag("--reports", "DIR",
         "keep the reports of the videos in DIR, named as by batch, and score no video again whose report is "
         "up to date"),
    of_run("--output",
           "write the ranking to FILE.json, FILE.csv or FILE.md, a page to FILE.html; - is standard output"),
    Flag("--html", "FILE", "write a page with the ranking, all curves in one plot, and frames side by side"),
    Flag("--reference -r", "FILE",
         "score every video against this one, which is decoded once; without it, banding alone ranks"),
};

constexpr Flag kDevicesFlags[] = {
    Flag("--json", "", "write JSON, with the cores and the memory that a run may take"),
    Flag("--check", "", "check all features on each GPU and write certificates as JSON"),
};

constexpr Flag kDiffFlags[] = {
    Flag("--places", "0..17", "decimal places that must agree; default: 4"),
    Flag("--junit", "FILE", "write the result as JUnit XML"),
    Flag("--github", "", "write an annotation for GitHub Actions if they differ, and a summary of the step"),
};

constexpr Flag kFingerprintFlags[] = {
    of_run(
        "--output",
        "write all hashes and the comparison to FILE.json, or the hashes to FILE.csv; - is standard output"),
};

constexpr Flag kGateFlags[] = {
    Flag("--backends", "LIST", "two or more of cpu, scalar, hybrid, vulkan; default: cpu,hybrid,vulkan")
        .completed_by("cpu,scalar,hybrid,vulkan"),
    Flag("--places", "0..17", "decimal places that must agree; default: 17, every bit"),
    of_run("--output", "write the result as JSON; - is standard output"),
};

constexpr Flag kHelpFlags[] = {
    Flag("--json", "",
         "write all flags, subcommands and topics as JSON, which the manual page and the completions are "
         "made from"),
};

constexpr Flag kInfoFlags[] = {
    Flag("--stream", "N", "index of the stream in the container"),
    Flag("--json", "", "write JSON with the field names of FFmpeg's ffprobe"),
    of_run("--sandbox"),
};

constexpr Flag kModelsFlags[] = {
    Flag("--licence", "", "print the licence of the models instead"),
};

// Flags of merge, and of submit, which calls it.
constexpr Flag kReportsOfTitles =
    Flag("--reports", "DIR",
         "the folder for the reports of all titles, named as by batch; created if it does not exist")
        .in_manual(
            "summary.json, summary.csv and index.html in it cover all titles. The page and the JSON "
            "file list the worst 1000, the table lists all.");
constexpr Flag kFormatsOfTitles =
    Flag("--formats", "html,csv,xml,sub,segments,chapters,scenes",
         "additional outputs for each title besides its JSON report; html: its page, without pictures");
constexpr Flag kOrderOfTitles =
    Flag("--by", "STATISTIC", "rank the titles by mean (default), median, p95 and the like, the worst first")
        .completed_by("mean|median|p90|p95|p99|max|share|harmonic|min|stdev");

constexpr Flag kMergeFlags[] = {
    kReportsOfTitles,
    kFormatsOfTitles,
    kOrderOfTitles,
    Flag("--missing", "",
         "do not merge: list the shards without a result, and the resources they need, as JSON on standard "
         "output"),
};

constexpr Flag kPlanFlags[] = {
    Flag("--list", "FILE",
         "also plan the videos listed in FILE: one path per line, or a video, a tab and its reference; - is "
         "standard input")
        .repeated(),
    Flag("--reference-dir", "DIR",
         "compare each video with the reference of the same relative path there, with any extension"),
    Flag("--root", "DIR", "name titles, and find references, by the paths below DIR"),
    Flag("--results", "DIR",
         "the folder for the shards' results, which all machines can access; default: PLAN.shards"),
    Flag("--shard-frames", "N", "number of frames per shard, as near as key frames allow; default: 3000")
        .in_manual("Shorter shards lose less work when a machine fails, but have more start-up costs; "
                   "docs/cluster.md has figures."),
    Flag("--shard-seconds", "SECONDS", "the length of a shard in seconds of video"),
    Flag("--shards", "N", "number of shards of each title; 1: titles are not split"),
    Flag("--output -o", "FILE", "write the plan there"),
    Flag("--ignore-failed", "", "exit with 0 if any video is planned"),
};

constexpr Flag kShardFlags[] = {
    Flag("--index", "N", "the shards to score, from 0 on: 7, 3-5, or several of these with commas")
        .in_manual("Default: the first of these environment variables that is a number: SLURM_ARRAY_TASK_ID, "
                   "JOB_COMPLETION_INDEX (Kubernetes), AWS_BATCH_JOB_ARRAY_INDEX, BATCH_TASK_INDEX (Google), "
                   "PBS_ARRAY_INDEX, PBS_ARRAYID, and, counted from 1, LSB_JOBINDEX and SGE_TASK_ID."),
    Flag("--each", "N", "number of consecutive shards per index; default: 1"),
};

constexpr Flag kReportFlags[] = {
    Flag("--output -o", "FILE", "the page; - is standard output; default: RUN.html"),
    Flag("--as", "ffvship|auto-boost",
         "write the scores alone instead of a page, in the layout of FFVship's --json or of auto-boost's "
         "log; to standard output without -o"),
    Flag("--metrics", "NAME[,NAME...]", "metrics that --as writes, in this order; default: all"),
    Flag("--force", "", "replace a page even if it has pictures, which a report cannot provide"),
    of_run("--segments", "list the stretches that score this or worse, here and on the page"),
    of_run("--segments-until"),
    of_run("--segments-shortest"),
    of_run("--segments-output",
           "write segments as csv:, chapters:, x264:, x265:, av1an: or svt-essential:, scenes as "
           "av1an-scenes:; a page is then written only with -o"),
    of_run("--scenes",
           "write the scores of each scene to FILE.csv; table: list them here; a page is then written only "
           "with -o"),
    of_run("--scenes-from"),
    of_run("--zone-options"),
    of_run("--zone-snap"),
};

constexpr Flag kSearchFlags[] = {
    Flag("--target", "METRIC:VALUE", "the score that the encode is to reach: vmaf:95, cambi:3")
        .in_manual("Without --model and --feature, what the metric is of is scored; vmaf is --model auto."),
    Flag("--by", "STATISTIC", "the statistic that is to reach it: mean (default), median, p5, harmonic, min")
        .completed_by("mean|median|p5|p1|harmonic|min"),
    Flag("--crf", "LOW:HIGH", "settings to search, the best quality first; default: 10:51"),
    Flag("--step", "N", "distance of settings; default: 1"),
    Flag("--encodes", "N", "maximum number of encodes; default: 6"),
    Flag("--sample", "SECONDS",
         "length of film that an encode takes, at most a fifth of the film; default: 120"),
    Flag("--jobs", "N", "number of parts to encode at the same time; 0: one for each four cores; default: 0"),
    Flag("--keep", "DIR", "keep the scores of encoded parts in DIR, and encode no part again that is there"),
    Flag("--as", "ab-av1", "print the line of ab-av1's crf-search instead"),
    of_run("--seed", "which parts are drawn; by default the content decides"),
    of_run("--output", "write the result as JSON; - is standard output"),
    of_run("--json", "write the result as JSON to standard output, or to the file of --output"),
    of_run("--quiet", "do not report single encodes"),
};

constexpr Flag kSubmitFlags[] = {
    Flag("--engine", "slurm|local",
         "where shards are scored: Slurm (default), or this machine with all its cores and GPUs"),
    kReportsOfTitles,
    kFormatsOfTitles,
    kOrderOfTitles,
    Flag("--gpus", "N", "number of GPUs per task; default: 0")
        .in_manual("With --engine local, all GPUs of the machine are used by default."),
    Flag("--tasks", "N",
         "maximum number of tasks of the job array, each of which may score several shards; 0: the cluster's "
         "limit; default: 0"),
    Flag("--at-once", "N",
         "maximum number of tasks (with --engine local, shards) at the same time; 0: no limit but the "
         "resources; default: 0"),
    Flag("--wait", "", "show progress over all shards and exit with the merge's code")
        .in_manual("After Ctrl-C the jobs continue. --engine local always waits."),
    Flag("--dry-run", "", "print the shell script that would submit the jobs, and do nothing else"),
};

static int run_help(const ParsedArguments& typed, Messages& messages);
static int run_version(const ParsedArguments& typed, Messages& messages);

constexpr Subcommand kSubcommands[] = {
    Subcommand("align", "REFERENCE DISTORTED", "find shifted, dropped and repeated frames", kAlignFlags,
               run_align)
        .taking(2, 2, "FILE", "a reference and a distorted video")
        .everyday()
        .listed_by("alignment")
        .in_detail("It recommends flags that compensate for the differences. Exit code 7 if the pair is "
                   "shifted, has dropped or repeated frames, different black bars or different pictures; 0 "
                   "if it is aligned or the alignment cannot be determined."),
    Subcommand("batch", "VIDEO|FOLDER ...", "score many videos, with a report of each and an overview page",
               kBatchFlags, run_batch)
        .taking(0, SIZE_MAX, "FILE", "a video or a folder")
        .everyday()
        .with_run_flags()
        .in_detail(
            "Folders are searched for videos by their extensions. A video whose report is up to date (the "
            "same file, by size and time, the same options, the same version) is not scored again, so the "
            "same command resumes an interrupted batch. A video that fails does not stop the others; the "
            "exit code is that of the first that failed, unless --ignore-failed is given; otherwise 3 if a "
            "video does not fit its reference, 7 if a video crosses a threshold."),
    Subcommand("bench", "[VIDEO]", "measure how fast this machine scores a video, and name the bottleneck",
               kBenchFlags)
        .taking(0, 1, "FILE")
        .with_run_flags(kPlanRoles, kOfBench, kNotOfBench)
        .in_detail(
            "For each backend of the machine it prints the time and memory traffic of every stage, compared "
            "with a copy of the same number of bytes; the frames per second for decoding, uploading, "
            "scoring, and the whole run from the file to a report; and a sentence that names the bottleneck. "
            "Without a video it uses synthetic pictures of 1920x1080 and 3840x2160, and decodes nothing. "
            "Exit code 4 if a backend fails; the others are still shown."),
    Subcommand("compare", "A B ...", "rank reports or videos, with a page of their curves", kCompareFlags,
               run_compare)
        .taking(1, SIZE_MAX, "FILE", "at least two reports or videos")
        .everyday()
        .with_run_flags({}, {}, kNotOfCompare)
        .in_detail(
            "The best comes first. A, B, ... are JSON reports, or videos, which are scored with the given "
            "flags; a comparison's own JSON stands for its runs, if it was made of reports or with "
            "--reports. With --film-grain both, each video is scored twice. If a video fails, those scored "
            "before are ranked, files get .partial names, and the exit code is that of the failure. "
            "--fail-above, --fail-below and --baseline apply to every run, with exit code 7 if one crosses a "
            "threshold. --worst is the number of moments that the page shows side by side."),
    Subcommand("devices", "", "list the GPUs", kDevicesFlags, run_devices)
        .listed_by("backends")
        .in_detail("For a GPU that cannot be used, or only with --backend hybrid, it says what is missing."),
    Subcommand("diff", "A.json B.json", "compare every score of two reports", kDiffFlags, run_diff)
        .taking(2, 2, "FILE.json", "two reports")
        .everyday()
        .in_detail("Exit code 7 if they differ."),
    Subcommand("features", "[NAME]", "list the features, or the options of one with ranges and defaults", {},
               run_features)
        .taking(0, 1, "FEATURE")
        .everyday()
        .listed_by("metrics"),
    Subcommand("fingerprint", "VIDEO ...",
               "list the hash of each frame, or compare two videos by their hashes", kFingerprintFlags,
               run_fingerprint)
        .taking(1, SIZE_MAX, "FILE", "a video")
        .with_run_flags(kPlanRoles, kOfFingerprint, kNotOfFingerprint,
                        "is of no use for fingerprints. To compare two videos: cambi fingerprint A B; for "
                        "metrics: cambi VIDEO --feature fingerprint ...")
        .in_detail("Prints one line per frame: hash, number, time in seconds and video. For two videos it "
                   "prints instead the number of frames that differ, the first of them, and whether one "
                   "video is a shifted copy of the other; exit code 7 if they differ. Hashes cover the luma, "
                   "or with --planes all all planes, and are equal if all samples are equal."),
    Subcommand("help", "[SUBCOMMAND|TOPIC]", "print the help, or the help of a subcommand or a topic",
               kHelpFlags, run_help)
        .taking(0, 1, "SUBJECT"),
    Subcommand("info", "FILE ...", "describe videos as the decoder sees them", kInfoFlags, run_info)
        .taking(1, SIZE_MAX, "FILE", "a video")
        .everyday()
        .listed_by("inputs")
        .in_detail("Properties have this program's names, followed in brackets by those of FFmpeg's ffprobe "
                   "if they differ."),
    Subcommand("merge", "PLAN.json", "make the reports of a plan from the results of its shards", kMergeFlags,
               run_merge)
        .taking(1, 1, "FILE.json", "a plan")
        .listed_by("cluster")
        .with_run_flags(kMergeRoles, kOfMerge, kNotOfMerge, kMergeOtherwise)
        .in_detail("-o FILE writes the report of a plan's only title, as a single run does; --reports DIR "
                   "writes reports of any number of titles and a summary. merge takes the flags of a run "
                   "that select outputs, and --compare-anyway; those that select scores belong to plan. Exit "
                   "code 6 if shards are missing or failed: standard error lists them, and FILE.partial gets "
                   "the frames before the first of these. Exit code 7 if a threshold is crossed."),
    Subcommand("models", "", "list the built-in VMAF models and their purposes", kModelsFlags, run_models)
        .everyday()
        .listed_by("vmaf")
        .in_detail("Use one with --model version=NAME, or let --model auto choose."),
    Subcommand("plan", "VIDEO|FOLDER ...",
               "split videos into shards that machines of a cluster score independently", kPlanFlags,
               run_plan)
        .taking(0, SIZE_MAX, "FILE", "a video or a folder")
        .listed_by("cluster")
        .with_run_flags(kPlanRoles, kOfPlan, {},
                        "selects outputs; give it to merge: cambi merge PLAN.json ...")
        .in_detail("Reads the packets of each video once, without decoding, and writes a plan: a file with "
                   "which `cambi shard` scores any shard on any machine, and `cambi merge` makes the reports "
                   "that a single run would have written. Folders are searched as by batch. A video that "
                   "cannot be split exactly is a single shard; an unreadable video is reported, skipped, and "
                   "determines the exit code."),
    Subcommand("report", "RUN.json", "make the page of a saved report", kReportFlags, run_report)
        .taking(1, 1, "FILE.json", "a JSON report")
        .everyday()
        .listed_by("formats")
        .in_detail(
            "A report written with --extended gives the fullest page. Segments are determined by the flags "
            "given here. A page with pictures is replaced only with --force, because a report has no "
            "pictures; without -o, the same applies to any file that is not the page of a run."),
    Subcommand("search", "MASTER -- COMMAND", "find the highest CRF that reaches a score, by encoding parts",
               kSearchFlags, run_search)
        .taking(2, SIZE_MAX, "FILE", "a video and, after --, the command that encodes")
        .everyday()
        .with_run_flags(kPlanRoles, kOfSearch, kNotOfSearch, "has no use in a search.")
        .in_detail("In the words of COMMAND, {in} stands for a y4m file with a part of MASTER, {crf} for the "
                   "setting, and {out} for the file to write; no shell is involved. Parts are drawn at "
                   "random, and each encode takes others, so that six of a fifth of the film see all of it. "
                   "A higher setting must mean a worse picture. Exit code 7 if no setting reaches the "
                   "target, 2 if the command fails."),
    Subcommand("selftest gate", "VIDEO", "check that the backends of this machine find the same scores",
               kGateFlags, run_gate)
        .taking(0, SIZE_MAX, "FILE", "a video")
        .with_run_flags(kPlanRoles, kOfSelftest, kTrace)
        .in_detail("It scores a video, or with -r REFERENCE -d DISTORTED a pair, on several backends and "
                   "compares every metric of every frame with the first backend's. Exit code 7 if a backend "
                   "differs, 4 if one is not available. cambi gate is the same."),
    Subcommand("shard", "PLAN.json", "score one shard of a plan", kShardFlags, run_shard_command)
        .taking(1, 1, "FILE.json", "a plan")
        .listed_by("cluster")
        .with_run_flags(kShardRoles, kOfShard, {}, "is settled by the plan.")
        .in_detail("Writes its result into the plan's folder of results when it is complete; a shard with a "
                   "result there is not scored again. The same shard may run twice at once. A video that "
                   "changed since the plan was made is an error, code 2. shard takes the flags that affect "
                   "how a run is computed, such as --threads and --backend, and --compare-anyway, without "
                   "which a pair that does not fit ends the shard with code 3."),
    Subcommand("submit", "PLAN [-- OPTION ...]", "score a plan on a cluster with Slurm, or on this machine",
               kSubmitFlags)
        .taking(1, SIZE_MAX, "FILE.json", "a plan")
        .listed_by("cluster")
        .with_run_flags(kMergeRoles, kOfMerge, kNotOfSubmit, kMergeOtherwise)
        .in_detail("PLAN is a file made by cambi plan. A job array scores the remaining shards, one per "
                   "task, with the cores and memory that the plan estimates, and a dependent job merges "
                   "them. The ids of both jobs are printed. Options after -- are passed to sbatch for both, "
                   "such as --partition=long. Finished shards are not scored again, so the same command "
                   "resumes after a failure. submit also takes the flags of merge."),
    Subcommand("version", "", "print the version", {}, run_version),
};

static int run_help(const ParsedArguments& typed, Messages&) {
  if (typed.has("--json")) {
    if (!typed.arguments.empty()) throw usage_error("help --json writes all of it. Drop the subject.");
    write_stdout(help_json(kSubcommands));
    return 0;
  }
  const std::string name = typed.arguments.empty() ? "" : typed.arguments[0];
  const Subcommand* const subcommand = find_subcommand(name);
  const Topic* const topic = find_topic(name);
  if (!name.empty() && subcommand == nullptr && topic == nullptr) {
    std::vector<std::string> subjects;
    for (const Subcommand& known : kSubcommands) subjects.emplace_back(known.name);
    for (const Topic& known : topics()) subjects.emplace_back(known.name);
    const std::string near = nearest(name, subjects);
    throw usage_error("help: there is no subcommand or topic \"{}\".{}", printable(name),
                      near.empty() ? " See: cambi --help" : words(" Did you mean \"{}\"?", near));
  }
  const size_t columns = stdout_width();
  write_stdout(subcommand != nullptr ? help_of(*subcommand, columns)
               : topic != nullptr    ? help_of(*topic, kSubcommands, columns)
                                     : full_help(kSubcommands, columns));
  return 0;
}

static int run_version(const ParsedArguments&, Messages&) {
  write_stdout(version_text());
  return 0;
}

std::span<const Subcommand> subcommands() { return kSubcommands; }

const Subcommand* find_subcommand(const std::string& name) {
  const auto found = std::ranges::find_if(kSubcommands, [&](const Subcommand& subcommand) {
    return !name.empty() && (name == subcommand.name || name == subcommand.alias);
  });
  return found == std::end(kSubcommands) ? nullptr : found;
}

bool takes(const Subcommand& subcommand, const Flag& flag) {
  const auto is_it = [&](std::string_view name) { return name == flag.name; };
  const auto has_it = [&](std::span<const std::string_view> names) {
    return std::ranges::any_of(names, is_it);
  };
  const auto has_role = [&](FlagRole role) { return role == role_of(*find_run_flag(flag.name)); };
  if (has_it(subcommand.but)) return false;
  return subcommand.roles.empty() || has_it(subcommand.also) ||
         std::ranges::any_of(subcommand.roles, has_role);
}

std::string nearest_subcommand(const std::string& word) {
  const auto name_of = [](const Subcommand& subcommand) { return std::string(subcommand.name); };
  return nearest(word, mapped(kSubcommands, name_of));
}

}  // namespace vq::cli
