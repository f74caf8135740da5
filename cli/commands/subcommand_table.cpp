#include "cli/commands/flags.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "cli/commands/arguments.h"
#include "cli/commands/flag_setters.h"
#include "cli/commands/help.h"
#include "cli/commands/subcommand.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// The flags of a run that subcommands take: see Subcommand.
constexpr FlagRole kPlanRoles[] = {FlagRole::kScoring, FlagRole::kAccepting, FlagRole::kRunning},
                   kShardRoles[] = {FlagRole::kRunning},
                   kMergeRoles[] = {FlagRole::kReporting, FlagRole::kTelling};
constexpr std::string_view kOfBench[] = {"--output", "--json", "--xml",   "--csv",     "--csv-plain",
                                         "--sub",    "--html", "--quiet", "--progress"},
                           kNotOfBench[] = {"--crop",  "--crop-ref", "--align",     "--pair",
                                            "--start", "--end",      "--subsample", "--trace"},
                           kNotOfCompare[] = {"--stream-scores", "--segments",    "--segments-output",
                                              "--scenes",        "--scenes-from", "--trace",
                                              "--heatmaps",      "--histograms"},
                           kOfFingerprint[] = {"--output", "--json", "--xml",   "--csv",      "--csv-plain",
                                               "--sub",    "--html", "--quiet", "--progress", "--github"},
                           kOfMerge[] = {"--compare-anyway"},
                           kNotOfMerge[] = {"--stream-scores", "--progress"},
                           kOfPlan[] = {"--output", "--quiet"},
                           kOfSelftest[] = {"--output",    "--json",   "--xml",  "--csv",
                                            "--csv-plain", "--sub",    "--html", "--quiet",
                                            "--progress",  "--github", "--junit"},
                           kOfShard[] = {"--quiet", "--progress", "--compare-anyway"},
                           kNotOfSubmit[] = {"--stream-scores"}, kTrace[] = {"--trace"};
constexpr std::string_view kMergeOtherwise = "is settled by the plan, or has no use here.";

constexpr Flag kAlignFlags[] = {
    {.name = "--width", .of_run = true},
    {.name = "--height", .of_run = true},
    {.name = "--pixel_format", .of_run = true},
    {.name = "--bitdepth", .of_run = true},
    {.name = "--stream", .of_run = true},
    {.name = "--stream-ref", .of_run = true},
    {.name = "--window", .type = "1..2000", .help = "largest shift to search for, in frames; default: 240"},
    {.name = "--frames",
     .type = "N",
     .help = "number of frames of each video to examine; 0: all; default: 1500"},
    {.name = "--output",
     .short_name = "-o",
     .type = "FILE",
     .help = "write the result as JSON; - is standard output"},
    {.name = "--json", .help = "write the result as JSON to standard output, or to the file of --output"},
    {.name = "--sandbox", .of_run = true},
    {.name = "--quiet", .short_name = "-q", .help = "print nothing but the result of --output or --json"},
};

constexpr Flag kBatchFlags[] = {
    {.name = "--reports",
     .type = "DIR",
     .help = "the folder for the reports; created if it does not exist",
     .manual = "It receives NAME.json for each video, where NAME is the video's path below the common "
               "folder, and summary.json, summary.csv and index.html for all videos."},
    {.name = "--list",
     .type = "FILE",
     .help = "also score the videos listed in FILE: one path per line, or a video, a tab and its reference; "
             "- is standard input",
     .may_repeat = true},
    {.name = "--reference-dir",
     .type = "DIR",
     .help = "compare each video with the reference of the same relative path there, with any extension",
     .manual = "A video without exactly one such reference is an error before anything is scored."},
    {.name = "--root",
     .type = "DIR",
     .help = "name reports, and find references, by the paths below DIR",
     .manual = "Default: the deepest common folder of the given videos. With a fixed root, names do not "
               "depend on which videos are given."},
    {.name = "--formats",
     .type = "html,csv,xml,sub,segments,chapters,scenes",
     .help = "additional outputs for each video besides its JSON report; html: its page"},
    {.name = "--jobs",
     .type = "N",
     .help = "number of videos to score at the same time; 0: chosen by their sizes and the number of cores; "
             "default: 0"},
    {.name = "--force", .help = "score videos again even if their reports are up to date"},
    {.name = "--ignore-failed",
     .help = "exit with the code of the videos that were scored, if there are any"},
};

constexpr Flag kBenchFlags[] = {
    {.name = "--frames",
     .type = "N",
     .help = "number of frames per measurement; default: enough for a few seconds in total"},
    {.name = "--backend",
     .type = "auto|cpu|scalar|hybrid|vulkan",
     .help = "measure only this backend; auto, the default: cpu, and on a GPU hybrid and vulkan"},
    {.name = "--output", .help = "write the figures as JSON; - is standard output", .of_run = true},
};

constexpr Flag kCompareFlags[] = {
    {.name = "--by",
     .type = "STATISTIC",
     .help = "rank by mean (default), median, max, p95 or another percentile, share (of frames with a "
             "noteworthy score; for CAMBI 5 or more), harmonic, stdev or min, or by size or bitrate",
     .words = "mean|median|p90|p95|p99|max|share|harmonic|min|stdev|size|bitrate"},
    {.name = "--metric",
     .type = "NAME",
     .help =
         "metric to rank by; default: the first one that all runs have. If repeated: further metrics to show",
     .may_repeat = true},
    {.name = "--group",
     .type = "NAME=PATTERN",
     .help =
         "call the encoder of all runs whose name or path is PATTERN, in which * stands for any text, NAME; "
         "default: what the files say",
     .may_repeat = true},
    {.name = "--anchor",
     .type = "NAME",
     .help = "encoder, or curve as the table calls it, from which BD-rates are counted; default: that of the "
             "first run"},
    {.name = "--target",
     .type = "METRIC:VALUE",
     .help =
         "name the cheapest run that reaches this score, and the bit rate at which each encoder does; the "
         "metric ranks"},
    {.name = "--ladder",
     .type = "WxH,...",
     .help = "picture sizes for which to name the run on each encoder's hull; default: those of the runs"},
    {.name = "--reports",
     .type = "DIR",
     .help =
         "keep the reports of the videos in DIR, named as by batch, and score no video again whose report "
         "is up to date"},
    {.name = "--output",
     .help = "write the ranking to FILE.json, FILE.csv or FILE.md, a page to FILE.html; - is standard output",
     .of_run = true},
    {.name = "--html",
     .type = "FILE",
     .help = "write a page with the ranking, all curves in one plot, and frames side by side"},
    {.name = "--reference",
     .short_name = "-r",
     .type = "FILE",
     .help = "score every video against this one, which is decoded once; without it, banding alone ranks"},
};

constexpr Flag kDevicesFlags[] = {
    {.name = "--json", .help = "write JSON, with the cores and the memory that a run may take"},
    {.name = "--check", .help = "check all features on each GPU and write certificates as JSON"},
};

constexpr Flag kDiffFlags[] = {
    {.name = "--places", .type = "0..17", .help = "decimal places that must agree; default: 4"},
    {.name = "--junit", .type = "FILE", .help = "write the result as JUnit XML"},
    {.name = "--github",
     .help = "write an annotation for GitHub Actions if they differ, and a summary of the step"},
};

constexpr Flag kFingerprintFlags[] = {
    {.name = "--output",
     .help =
         "write all hashes and the comparison to FILE.json, or the hashes to FILE.csv; - is standard output",
     .of_run = true},
};

constexpr Flag kGateFlags[] = {
    {.name = "--backends",
     .type = "LIST",
     .help = "two or more of cpu, scalar, hybrid, vulkan; default: cpu,hybrid,vulkan",
     .words = "cpu,scalar,hybrid,vulkan"},
    {.name = "--places", .type = "0..17", .help = "decimal places that must agree; default: 17, every bit"},
    {.name = "--output", .help = "write the result as JSON; - is standard output", .of_run = true},
};

constexpr Flag kHelpFlags[] = {
    {.name = "--json",
     .help = "write all flags, subcommands and topics as JSON, which the manual page and the completions are "
             "made from"},
};

constexpr Flag kInfoFlags[] = {
    {.name = "--stream", .type = "N", .help = "index of the stream in the container"},
    {.name = "--json", .help = "write JSON with the field names of FFmpeg's ffprobe"},
    {.name = "--sandbox", .of_run = true},
};

constexpr Flag kModelsFlags[] = {
    {.name = "--licence", .help = "print the licence of the models instead"},
};

constexpr Flag kMergeFlags[] = {
    {.name = "--reports",
     .type = "DIR",
     .help = "the folder for the reports of all titles, named as by batch; created if it does not exist",
     .manual = "summary.json, summary.csv and index.html in it cover all titles. The page and the JSON file "
               "list the worst 1000, the table lists all."},
    {.name = "--formats",
     .type = "html,csv,xml,sub,segments,chapters,scenes",
     .help = "additional outputs for each title besides its JSON report; html: its page, without pictures"},
    {.name = "--by",
     .type = "STATISTIC",
     .help = "rank the titles by mean (default), median, p95 and the like, the worst first",
     .words = "mean|median|p90|p95|p99|max|share|harmonic|min|stdev"},
    {.name = "--missing",
     .help = "do not merge: list the shards without a result, and the resources they need, as JSON on "
             "standard output"},
};

constexpr Flag kPlanFlags[] = {
    {.name = "--list",
     .type = "FILE",
     .help = "also plan the videos listed in FILE: one path per line, or a video, a tab and its reference; - "
             "is standard input",
     .may_repeat = true},
    {.name = "--reference-dir",
     .type = "DIR",
     .help = "compare each video with the reference of the same relative path there, with any extension"},
    {.name = "--root", .type = "DIR", .help = "name titles, and find references, by the paths below DIR"},
    {.name = "--results",
     .type = "DIR",
     .help = "the folder for the shards' results, which all machines can access; default: PLAN.shards"},
    {.name = "--shard-frames",
     .type = "N",
     .help = "number of frames per shard, as near as key frames allow; default: 3000",
     .manual = "Shorter shards lose less work when a machine fails, but have more start-up costs; "
               "docs/cluster.md has figures."},
    {.name = "--shard-seconds", .type = "SECONDS", .help = "the length of a shard in seconds of video"},
    {.name = "--shards", .type = "N", .help = "number of shards of each title; 1: titles are not split"},
    {.name = "--output", .short_name = "-o", .type = "FILE", .help = "write the plan there"},
    {.name = "--ignore-failed", .help = "exit with 0 if any video is planned"},
};

constexpr Flag kShardFlags[] = {
    {.name = "--index",
     .type = "N",
     .help = "the shards to score, from 0 on: 7, 3-5, or several of these with commas",
     .manual = "Default: the first of these environment variables that is a number: SLURM_ARRAY_TASK_ID, "
               "JOB_COMPLETION_INDEX (Kubernetes), AWS_BATCH_JOB_ARRAY_INDEX, BATCH_TASK_INDEX (Google), "
               "PBS_ARRAY_INDEX, PBS_ARRAYID, and, counted from 1, LSB_JOBINDEX and SGE_TASK_ID."},
    {.name = "--each", .type = "N", .help = "number of consecutive shards per index; default: 1"},
};

constexpr Flag kReportFlags[] = {
    {.name = "--output",
     .short_name = "-o",
     .type = "FILE",
     .help = "the page; - is standard output; default: RUN.html"},
    {.name = "--as",
     .type = "ffvship|auto-boost",
     .help = "write the scores alone instead of a page, in the layout of FFVship's --json or of auto-boost's "
             "log; to standard output without -o"},
    {.name = "--metrics",
     .type = "NAME[,NAME...]",
     .help = "metrics that --as writes, in this order; default: all"},
    {.name = "--force", .help = "replace a page even if it has pictures, which a report cannot provide"},
    {.name = "--segments",
     .help = "list the stretches that score this or worse, here and on the page",
     .of_run = true},
    {.name = "--segments-until", .of_run = true},
    {.name = "--segments-shortest", .of_run = true},
    {.name = "--segments-output",
     .help = "write segments as csv:, chapters:, x264:, x265:, av1an: or svt-essential:, scenes as "
             "av1an-scenes:; a page is then written only with -o",
     .of_run = true},
    {.name = "--scenes",
     .help = "write the scores of each scene to FILE.csv; table: list them here; a page is then written only "
             "with -o",
     .of_run = true},
    {.name = "--scenes-from", .of_run = true},
    {.name = "--zone-options", .of_run = true},
    {.name = "--zone-snap", .of_run = true},
};

constexpr Flag kSubmitFlags[] = {
    {.name = "--engine",
     .type = "slurm|local",
     .help = "where shards are scored: Slurm (default), or this machine with all its cores and GPUs"},
    {.name = "--reports",
     .type = "DIR",
     .help = "as for merge: the folder for the reports and the ranked page"},
    {.name = "--formats",
     .type = "html,csv,xml,sub,segments,chapters,scenes",
     .help = "as for merge: additional outputs for each title besides its JSON report"},
    {.name = "--by",
     .type = "STATISTIC",
     .help = "as for merge: rank the titles by mean (default), median, p95 and the like",
     .words = "mean|median|p90|p95|p99|max|share|harmonic|min|stdev"},
    {.name = "--gpus",
     .type = "N",
     .help = "number of GPUs per task; default: 0",
     .manual = "With --engine local, all GPUs of the machine are used by default."},
    {.name = "--tasks",
     .type = "N",
     .help = "maximum number of tasks of the job array, each of which may score several shards; 0: the "
             "cluster's limit; default: 0"},
    {.name = "--at-once",
     .type = "N",
     .help = "maximum number of tasks (with --engine local, shards) at the same time; 0: no limit but the "
             "resources; default: 0"},
    {.name = "--wait",
     .help = "show progress over all shards and exit with the merge's code",
     .manual = "After Ctrl-C the jobs continue. --engine local always waits."},
    {.name = "--dry-run", .help = "print the shell script that would submit the jobs, and do nothing else"},
};

int run_help(const ParsedArguments& typed, Messages& messages);
int run_version(const ParsedArguments& typed, Messages& messages);

constexpr Subcommand kSubcommands[] = {
    {.name = "align",
     .arguments = "REFERENCE DISTORTED",
     .help = "find shifted, dropped and repeated frames",
     .details = "It recommends flags that compensate for the differences. Exit code 7 if the pair is "
                "shifted, has dropped or repeated frames, different black bars or different pictures; 0 if "
                "it is aligned or the alignment cannot be determined.",
     .topic = "alignment",
     .needs = "a reference and a distorted video",
     .least = 2,
     .most = 2,
     .completes = "FILE",
     .is_everyday = true,
     .flags = kAlignFlags,
     .run = run_align},
    {.name = "batch",
     .arguments = "VIDEO|FOLDER ...",
     .help = "score many videos, with a report of each and an overview page",
     .details = "Folders are searched for videos by their extensions. A video whose report is up to date "
                "(the same file, by size and time, the same options, the same version) is not scored again, "
                "so the same command resumes an interrupted batch. A video that fails does not stop the "
                "others; the exit code is that of the first that failed, unless --ignore-failed is given; "
                "otherwise 3 if a video does not fit its reference, 7 if a video crosses a threshold.",
     .needs = "a video or a folder",
     .most = SIZE_MAX,
     .completes = "FILE",
     .is_everyday = true,
     .takes_run_flags = true,
     .flags = kBatchFlags,
     .run = run_batch},
    {.name = "bench",
     .arguments = "[VIDEO]",
     .help = "measure how fast this machine scores a video, and name the bottleneck",
     .details = "For each backend of the machine it prints the time and memory traffic of every stage, "
                "compared with a copy of the same number of bytes; the frames per second for decoding, "
                "uploading, scoring, and the whole run from the file to a report; and a sentence that names "
                "the bottleneck. Without a video it uses synthetic pictures of 1920x1080 and 3840x2160, and "
                "decodes nothing. Exit code 4 if a backend fails; the others are still shown.",
     .most = 1,
     .completes = "FILE",
     .takes_run_flags = true,
     .roles = kPlanRoles,
     .also = kOfBench,
     .but = kNotOfBench,
     .flags = kBenchFlags},
    {.name = "compare",
     .arguments = "A B ...",
     .help = "rank reports or videos, with a page of their curves",
     .details = "The best comes first. A, B, ... are JSON reports, or videos, which are scored with the "
                "given flags; a comparison's own JSON stands for its runs, if it was made of reports or with "
                "--reports. With --film-grain both, each video is scored twice. If a video fails, those "
                "scored before are ranked, files get .partial names, and the exit code is that of the "
                "failure. --fail-above, --fail-below and --baseline apply to every run, with exit code 7 if "
                "one crosses a threshold. --worst is the number of moments that the page shows side by side.",
     .needs = "at least two reports or videos",
     .least = 1,
     .most = SIZE_MAX,
     .completes = "FILE",
     .is_everyday = true,
     .takes_run_flags = true,
     .but = kNotOfCompare,
     .flags = kCompareFlags,
     .run = run_compare},
    {.name = "devices",
     .help = "list the GPUs",
     .details = "For a GPU that cannot be used, or only with --backend hybrid, it says what is missing.",
     .topic = "backends",
     .flags = kDevicesFlags,
     .run = run_devices},
    {.name = "diff",
     .arguments = "A.json B.json",
     .help = "compare every score of two reports",
     .details = "Exit code 7 if they differ.",
     .needs = "two reports",
     .least = 2,
     .most = 2,
     .completes = "FILE.json",
     .is_everyday = true,
     .flags = kDiffFlags,
     .run = run_diff},
    {.name = "features",
     .arguments = "[NAME]",
     .help = "list the features, or the options of one with ranges and defaults",
     .topic = "metrics",
     .most = 1,
     .completes = "FEATURE",
     .is_everyday = true,
     .run = run_features},
    {.name = "fingerprint",
     .arguments = "VIDEO ...",
     .help = "list the hash of each frame, or compare two videos by their hashes",
     .details = "Prints one line per frame: hash, number, time in seconds and video. For two videos it "
                "prints instead the number of frames that differ, the first of them, and whether one video "
                "is a shifted copy of the other; exit code 7 if they differ. Hashes cover the luma, or with "
                "--planes all all planes, and are equal if all samples are equal.",
     .needs = "a video",
     .least = 1,
     .most = SIZE_MAX,
     .completes = "FILE",
     .takes_run_flags = true,
     .roles = kPlanRoles,
     .also = kOfFingerprint,
     .but = kTrace,
     .flags = kFingerprintFlags,
     .run = run_fingerprint},
    {.name = "help",
     .arguments = "[SUBCOMMAND|TOPIC]",
     .help = "print the help, or the help of a subcommand or a topic",
     .most = 1,
     .completes = "SUBJECT",
     .flags = kHelpFlags,
     .run = run_help},
    {.name = "info",
     .arguments = "FILE ...",
     .help = "describe videos as the decoder sees them",
     .details = "Properties have this program's names, followed in brackets by those of FFmpeg's ffprobe if "
                "they differ.",
     .topic = "inputs",
     .needs = "a video",
     .least = 1,
     .most = SIZE_MAX,
     .completes = "FILE",
     .is_everyday = true,
     .flags = kInfoFlags,
     .run = run_info},
    {.name = "merge",
     .arguments = "PLAN.json",
     .help = "make the reports of a plan from the results of its shards",
     .details = "-o FILE writes the report of a plan's only title, as a single run does; --reports DIR "
                "writes reports of any number of titles and a summary. merge takes the flags of a run that "
                "select outputs, and --compare-anyway; those that select scores belong to plan. Exit code 6 "
                "if shards are missing "
                "or failed: standard error lists them, and FILE.partial gets the frames before the first of "
                "these. Exit code 7 if a threshold is crossed.",
     .topic = "cluster",
     .needs = "a plan",
     .least = 1,
     .most = 1,
     .completes = "FILE.json",
     .takes_run_flags = true,
     .roles = kMergeRoles,
     .also = kOfMerge,
     .but = kNotOfMerge,
     .otherwise = kMergeOtherwise,
     .flags = kMergeFlags,
     .run = run_merge},
    {.name = "models",
     .help = "list the built-in VMAF models and their purposes",
     .details = "Use one with --model version=NAME, or let --model auto choose.",
     .topic = "vmaf",
     .is_everyday = true,
     .flags = kModelsFlags,
     .run = run_models},
    {.name = "plan",
     .arguments = "VIDEO|FOLDER ...",
     .help = "split videos into shards that machines of a cluster score independently",
     .details =
         "Reads the packets of each video once, without decoding, and writes a plan: a file with which "
         "`cambi shard` scores any shard on any machine, and `cambi merge` makes the reports that a single "
         "run would have written. Folders are searched as by batch. A video that cannot be split exactly is "
         "a single shard; an unreadable video is reported, skipped, and determines the exit code.",
     .topic = "cluster",
     .needs = "a video or a folder",
     .most = SIZE_MAX,
     .completes = "FILE",
     .takes_run_flags = true,
     .roles = kPlanRoles,
     .also = kOfPlan,
     .otherwise = "selects outputs; give it to merge: cambi merge PLAN.json ...",
     .flags = kPlanFlags,
     .run = run_plan},
    {.name = "report",
     .arguments = "RUN.json",
     .help = "make the page of a saved report",
     .details = "A report written with --extended gives the fullest page. Segments are determined by the "
                "flags given here. A page with pictures is replaced only with --force, because a report has "
                "no pictures; without -o, the same applies to any file that is not the page of a run.",
     .topic = "formats",
     .needs = "a JSON report",
     .least = 1,
     .most = 1,
     .completes = "FILE.json",
     .is_everyday = true,
     .flags = kReportFlags,
     .run = run_report},
    {.name = "selftest",
     .alias = "gate",
     .arguments = "VIDEO",
     .help = "check that the backends of this machine find the same scores",
     .details = "It scores a video, or with -r REFERENCE -d DISTORTED a pair, on several backends and "
                "compares every metric of every frame with the first backend's. Exit code 7 if a backend "
                "differs, 4 if one is not available. cambi gate is the same.",
     .needs = "a video",
     .most = SIZE_MAX,
     .completes = "FILE",
     .takes_run_flags = true,
     .roles = kPlanRoles,
     .also = kOfSelftest,
     .but = kTrace,
     .flags = kGateFlags,
     .run = run_gate},
    {.name = "shard",
     .arguments = "PLAN.json",
     .help = "score one shard of a plan",
     .details =
         "Writes its result into the plan's folder of results when it is complete; a shard with a "
         "result there is not scored again. The same shard may run twice at once. A video that "
         "changed since the plan was made is an error, code 2. shard takes the flags that affect how "
         "a run is computed, such as --threads and --backend, and --compare-anyway, without which a pair "
         "that does not fit ends the shard with code 3.",
     .topic = "cluster",
     .needs = "a plan",
     .least = 1,
     .most = 1,
     .completes = "FILE.json",
     .takes_run_flags = true,
     .roles = kShardRoles,
     .also = kOfShard,
     .otherwise = "is settled by the plan.",
     .flags = kShardFlags,
     .run = run_shard_command},
    {.name = "submit",
     .arguments = "PLAN [-- OPTION ...]",
     .help = "score a plan on a cluster with Slurm, or on this machine",
     .details = "PLAN is a file made by cambi plan. A job array scores the remaining shards, one per task, "
                "with the cores and memory that the plan estimates, and a dependent job merges them. The ids "
                "of both jobs are printed. Options after -- are passed to sbatch for both, such as "
                "--partition=long. Finished shards are not scored again, so the same command resumes after a "
                "failure. submit also takes the flags of merge.",
     .topic = "cluster",
     .needs = "a plan",
     .least = 1,
     .most = SIZE_MAX,
     .completes = "FILE.json",
     .takes_run_flags = true,
     .roles = kMergeRoles,
     .also = kOfMerge,
     .but = kNotOfSubmit,
     .otherwise = kMergeOtherwise,
     .flags = kSubmitFlags},
    {.name = "version", .help = "print the version", .run = run_version},
};

int run_help(const ParsedArguments& typed, Messages&) {
  if (typed.find("--json") != nullptr) {
    if (!typed.arguments.empty())
      throw Error(ErrorKind::kUsage, "help --json writes all of it. Drop the subject.");
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
    throw Error(ErrorKind::kUsage,
                words("help: there is no subcommand or topic \"{}\".{}", printable(name),
                      near.empty() ? " See: cambi --help" : words(" Did you mean \"{}\"?", near)));
  }
  const size_t columns = stdout_width();
  write_stdout(subcommand != nullptr ? help_of(*subcommand, columns)
               : topic != nullptr    ? help_of(*topic, kSubcommands, columns)
                                     : full_help(kSubcommands, columns));
  return 0;
}

int run_version(const ParsedArguments&, Messages&) {
  write_stdout(version_text());
  return 0;
}

}  // namespace

std::span<const Subcommand> subcommands() {
  return kSubcommands;
}

const Subcommand* find_subcommand(const std::string& name) {
  const auto found =
      std::find_if(std::begin(kSubcommands), std::end(kSubcommands), [&](const Subcommand& subcommand) {
        return !name.empty() && (name == subcommand.name || name == subcommand.alias);
      });
  return found == std::end(kSubcommands) ? nullptr : found;
}

bool takes(const Subcommand& subcommand, const Flag& flag) {
  const auto is_it = [&](std::string_view name) { return name == flag.name; };
  const auto has_it = [&](std::span<const std::string_view> names) {
    return std::any_of(names.begin(), names.end(), is_it);
  };
  const auto has_role = [&](FlagRole role) { return role == role_of(*find_run_flag(flag.name)); };
  if (has_it(subcommand.but)) return false;
  return subcommand.roles.empty() || has_it(subcommand.also) ||
         std::any_of(subcommand.roles.begin(), subcommand.roles.end(), has_role);
}

std::string nearest_subcommand(const std::string& word) {
  std::vector<std::string> names;
  for (const Subcommand& subcommand : kSubcommands) names.emplace_back(subcommand.name);
  return nearest(word, names);
}

}  // namespace vq::cli
