#include "cli/commands/subcommand_table.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "cli/commands/flag_parser.h"
#include "cli/commands/flag_setters.h"
#include "cli/commands/help.h"
#include "cli/commands/subcommand.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr Flag kAlignFlags[] = {
    {.name = "--width", .of_run = true},
    {.name = "--height", .of_run = true},
    {.name = "--pixel_format", .of_run = true},
    {.name = "--bitdepth", .of_run = true},
    {.name = "--stream", .of_run = true},
    {.name = "--stream-ref", .of_run = true},
    {.name = "--window", .type = "1..2000", .help = "largest shift to look for, in frames; default: 240"},
    {.name = "--frames", .type = "N", .help = "frames of each video to look at; 0: all; default: 1500"},
    {.name = "--output",
     .short_name = "-o",
     .type = "FILE",
     .help = "write the result as JSON; - is standard output"},
    {.name = "--json", .help = "write the result as JSON to standard output, unless --output says where"},
    {.name = "--quiet",
     .short_name = "-q",
     .help = "print nothing where --output or --json takes the result"},
};

constexpr Flag kBatchFlags[] = {
    {.name = "--reports",
     .type = "DIR",
     .help = "the folder for the reports, made where it is missing",
     .manual = "Each video has NAME.json in it, NAME being its path below the folders that all videos are "
               "in. summary.json, "
               "summary.csv and index.html are about all of them."},
    {.name = "--list",
     .type = "FILE",
     .help = "score the videos in FILE too: a path a line, or a video, a tab and its reference; - is "
             "standard input",
     .may_repeat = true},
    {.name = "--reference-dir",
     .type = "DIR",
     .help =
         "compare each video with the one of the same name there, its folders included, its extension not",
     .manual =
         "A video without a reference of its name, or with two, is an error before anything is scored."},
    {.name = "--root",
     .type = "DIR",
     .help = "name reports, and find references, by the paths below DIR",
     .manual = "Without it that is the deepest folder that all videos given are in. With it names stay the "
               "same whichever of "
               "the videos are given."},
    {.name = "--formats",
     .type = "html,csv,xml,sub,segments,chapters",
     .help = "what to write of each video beside its JSON report; html: its page"},
    {.name = "--jobs",
     .type = "N",
     .help = "videos to score at the same time; 0: as their sizes and the cores suggest; default: 0"},
    {.name = "--force", .help = "score again what has an up-to-date report"},
    {.name = "--ignore-failed", .help = "end with the exit code of the videos that were scored, if any was"},
};

constexpr Flag kBenchFlags[] = {
    {.name = "--frames",
     .type = "N",
     .help = "measure with N frames each time; default: as many as a few seconds in all allow"},
    {.name = "--backend",
     .type = "auto|cpu|scalar|hybrid|vulkan",
     .help = "measure this one alone; auto, the default: cpu, and on a GPU hybrid and vulkan"},
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
     .help = "metric to rank by; default: the first that all have. Given again: metrics to show beside it",
     .may_repeat = true},
    {.name = "--output",
     .help = "write the ranking to FILE.json, FILE.csv or FILE.md, a page to FILE.html; - is standard output",
     .of_run = true},
    {.name = "--html",
     .type = "FILE",
     .help = "write a page with the ranking, the curves over each other and frames of all side by side"},
    {.name = "--reference",
     .short_name = "-r",
     .type = "FILE",
     .help = "score every video against this one, which is decoded once; CAMBI uses it only with --full-ref"},
};

constexpr Flag kDevicesFlags[] = {
    {.name = "--json", .help = "write JSON, with the cores and the memory that a run may take"},
};

constexpr Flag kDiffFlags[] = {
    {.name = "--places", .type = "0..17", .help = "decimal places that must agree; default: 4"},
    {.name = "--junit", .type = "FILE", .help = "write how it came out as JUnit XML"},
    {.name = "--github",
     .help = "write an annotation of GitHub Actions where they differ, and a summary of the step"},
};

constexpr Flag kFingerprintFlags[] = {
    {.name = "--output",
     .help = "write all hashes, and what two videos have in common, to FILE.json, or the hashes to FILE.csv; "
             "- is standard output",
     .of_run = true},
};

constexpr Flag kGateFlags[] = {
    {.name = "--backends",
     .type = "LIST",
     .help = "two or more of cpu, scalar, hybrid, vulkan; default: cpu,hybrid,vulkan",
     .words = "cpu,scalar,hybrid,vulkan"},
    {.name = "--places", .type = "0..17", .help = "decimal places that must agree; default: 4"},
    {.name = "--output", .help = "write the result as JSON; - is standard output", .of_run = true},
};

constexpr Flag kInfoFlags[] = {
    {.name = "--stream", .type = "N", .help = "index of the stream in the container"},
    {.name = "--json", .help = "write JSON, with the names that FFmpeg's ffprobe has for it"},
};

constexpr Flag kModelsFlags[] = {
    {.name = "--licence", .help = "print the licence of the models instead"},
};

constexpr Flag kMergeFlags[] = {
    {.name = "--reports",
     .type = "DIR",
     .help = "a folder for the reports of all titles, named as those of batch; made where it is missing",
     .manual = "summary.json, summary.csv and index.html in it are about all of them. The page and the JSON "
               "file have the worst "
               "1000 titles, the table has all."},
    {.name = "--formats",
     .type = "html,csv,xml,sub,segments,chapters",
     .help = "what to write of each title beside its JSON report; html: its page, without pictures"},
    {.name = "--by",
     .type = "STATISTIC",
     .help = "rank the titles by mean (default), median, p95 and the like, the worst first",
     .words = "mean|median|p90|p95|p99|max|share|harmonic|min|stdev"},
    {.name = "--missing",
     .help = "merge nothing: write the shards that have no result yet, and what they take, as JSON to "
             "standard output"},
};

constexpr Flag kPlanFlags[] = {
    {.name = "--list",
     .type = "FILE",
     .help = "plan the videos in FILE too: a path a line, or a video, a tab and its reference; - is standard "
             "input",
     .may_repeat = true},
    {.name = "--reference-dir",
     .type = "DIR",
     .help =
         "compare each video with the one of the same name there, its folders included, its extension not"},
    {.name = "--root", .type = "DIR", .help = "name titles, and find references, by the paths below DIR"},
    {.name = "--results",
     .type = "DIR",
     .help = "the folder for what shards find, which all machines reach; default: PLAN.shards"},
    {.name = "--shard-frames",
     .type = "N",
     .help = "frames of a shard, as near as key frames allow; default: 3000",
     .manual = "Shorter shards lose less when a machine goes, and cost more to start; docs/cluster.md has "
               "figures."},
    {.name = "--shard-seconds", .type = "SECONDS", .help = "the same as time in the video"},
    {.name = "--shards", .type = "N", .help = "shards of each title; 1: titles are not cut"},
    {.name = "--output", .short_name = "-o", .type = "FILE", .help = "write the plan there"},
    {.name = "--ignore-failed", .help = "exit with 0 if any video is planned"},
};

constexpr Flag kShardFlags[] = {
    {.name = "--index",
     .type = "N",
     .help = "the shards to score, from 0 on: 7, 3-5, or several of these with commas",
     .manual = "Without it the first of these variables that is a number says so: SLURM_ARRAY_TASK_ID, "
               "JOB_COMPLETION_INDEX "
               "(Kubernetes), AWS_BATCH_JOB_ARRAY_INDEX, BATCH_TASK_INDEX (Google), PBS_ARRAY_INDEX, "
               "PBS_ARRAYID, and counted "
               "from 1 on LSB_JOBINDEX and SGE_TASK_ID."},
    {.name = "--each",
     .type = "N",
     .help = "let an index stand for N shards that follow each other; default: 1"},
};

constexpr Flag kReportFlags[] = {
    {.name = "--output",
     .short_name = "-o",
     .type = "FILE",
     .help = "the page; - is standard output; default: RUN.html"},
    {.name = "--force", .help = "replace a page that shows more than a report can"},
    {.name = "--segments",
     .help = "list the stretches that score as bad as this or worse, here and on the page",
     .of_run = true},
    {.name = "--segments-until", .of_run = true},
    {.name = "--segments-shortest", .of_run = true},
    {.name = "--segments-output",
     .help =
         "write segments as csv:, chapters:, x264:, x265:, av1an: or svt-essential:; then no page without -o",
     .of_run = true},
    {.name = "--zone-options", .of_run = true},
    {.name = "--zone-snap", .of_run = true},
};

constexpr Flag kSubmitFlags[] = {
    {.name = "--engine",
     .type = "slurm|local",
     .help = "who scores the shards: Slurm (default), or this machine with all its cores and GPUs"},
    {.name = "--reports",
     .type = "DIR",
     .help = "as for merge: the folder for the reports and the ranked page"},
    {.name = "--formats",
     .type = "html,csv,xml,sub,segments,chapters",
     .help = "as for merge: what to write of each title beside its JSON report"},
    {.name = "--by",
     .type = "STATISTIC",
     .help = "as for merge: rank the titles by mean (default), median, p95 and the like",
     .words = "mean|median|p90|p95|p99|max|share|harmonic|min|stdev"},
    {.name = "--gpus",
     .type = "N",
     .help = "GPUs for each task; default: 0",
     .manual = "With --engine local all GPUs of the machine are used without it."},
    {.name = "--tasks",
     .type = "N",
     .help = "tasks of the job array at most; then each scores several shards; 0: as many as the cluster "
             "takes; default: 0"},
    {.name = "--at-once",
     .type = "N",
     .help = "tasks, or on this machine shards, to run at the same time; 0: as many as there is room for; "
             "default: 0"},
    {.name = "--wait",
     .help = "show progress over all shards and end with the merge's exit code",
     .manual = "After Ctrl-C the jobs go on. --engine local always waits."},
    {.name = "--dry-run", .help = "print the shell script that would hand over the jobs, and do nothing"},
};

int run_help(const ParsedArguments& words, Messages& messages);
int run_version(const ParsedArguments& words, Messages& messages);

constexpr Subcommand kSubcommands[] = {
    {.name = "align",
     .arguments = "REFERENCE DISTORTED",
     .help = "find by how many frames a video is late, and frames that were dropped or repeated",
     .details = "It says which flags mend it. Exit code 7 where the pair is shifted, has dropped or repeated "
                "frames, other "
                "black bars or other pictures; 0 where it is aligned and where that cannot be told.",
     .needs = "a reference and a distorted video",
     .least = 2,
     .most = 2,
     .completes = "FILE",
     .flags = kAlignFlags,
     .run = run_align},
    {.name = "batch",
     .arguments = "VIDEO|FOLDER ...",
     .help = "score many videos, with a report of each and a page over all",
     .details = "Folders are searched for videos, which are known by their extension. A video whose report "
                "is up to date (the same "
                "file, by size and time, the same options, the same version) is not scored again, so an "
                "interrupted batch goes on "
                "with the same command. A video that fails stops no other; the exit code is then that of the "
                "first that failed, "
                "unless --ignore-failed is given, and else 7 if one crosses a threshold.",
     .needs = "a video or a folder",
     .most = SIZE_MAX,
     .completes = "FILE",
     .takes_run_flags = true,
     .flags = kBatchFlags,
     .run = run_batch},
    {.name = "bench",
     .arguments = "[VIDEO]",
     .help = "measure how fast this machine scores a video, and say what limits it",
     .details = "Of each backend that the machine has: what every stage takes and moves, beside what a copy "
                "of as many bytes would take "
                "there; how many frames a second are decoded, uploaded, scored, and all of it together from "
                "the file to a report; and "
                "in a sentence which of these limits. Without a video it measures with made-up pictures of "
                "1920x1080 and 3840x2160, "
                "and decodes nothing. Exit code 4 if a backend fails; the others are shown all the same.",
     .most = 1,
     .completes = "FILE",
     .takes_run_flags = true,
     .flags = kBenchFlags},
    {.name = "compare",
     .arguments = "A B ...",
     .help = "rank reports or videos, with a page of their curves",
     .details = "The best comes first. A, B, ... are JSON reports, or videos, which "
                "are scored with the flags given, under --film-grain both each twice. Videos that were "
                "scored before one failed are ranked, with "
                "its exit code; files get .partial names then. --fail-above, --fail-below and --baseline "
                "judge every "
                "run, with exit code 7 where one crosses a threshold. --worst says at how many moments runs "
                "are shown beside "
                "each other.",
     .needs = "at least two reports or videos",
     .least = 1,
     .most = SIZE_MAX,
     .completes = "FILE",
     .takes_run_flags = true,
     .flags = kCompareFlags,
     .run = run_compare},
    {.name = "devices",
     .help = "list the GPUs",
     .details = "For a GPU that cannot be used, or only with --backend hybrid, it says what is missing.",
     .flags = kDevicesFlags,
     .run = run_devices},
    {.name = "diff",
     .arguments = "A.json B.json",
     .help = "compare every score of two reports",
     .details = "Exit code 7 where they differ.",
     .needs = "two reports",
     .least = 2,
     .most = 2,
     .completes = "FILE.json",
     .flags = kDiffFlags,
     .run = run_diff},
    {.name = "features",
     .arguments = "[NAME]",
     .help = "list the features, or the options of one with ranges and defaults",
     .most = 1,
     .completes = "FEATURE",
     .run = run_features},
    {.name = "fingerprint",
     .arguments = "VIDEO ...",
     .help = "list the hash of each frame, or compare two videos by them",
     .details =
         "A line a frame: hash, number, time in seconds and video. Of two videos it says instead in how many "
         "frames "
         "they differ, from where on, and whether one is the other some frames later; exit code 7 where they "
         "differ. Hashes are of the luma, with --planes all of all planes, and equal where all samples are.",
     .needs = "a video",
     .least = 1,
     .most = SIZE_MAX,
     .completes = "FILE",
     .takes_run_flags = true,
     .flags = kFingerprintFlags,
     .run = run_fingerprint},
    {.name = "gate",
     .arguments = "VIDEO",
     .help = "compare the backends on this machine",
     .details =
         "It scores a video, or with -r REFERENCE -d DISTORTED a pair, on several backends and compares "
         "every metric of "
         "every frame with the first one's. Exit code 7 if a backend differs, 4 if one is not available.",
     .needs = "a video",
     .most = SIZE_MAX,
     .completes = "FILE",
     .takes_run_flags = true,
     .flags = kGateFlags,
     .run = run_gate},
    {.name = "help",
     .arguments = "[SUBCOMMAND]",
     .help = "print the help, or that of a subcommand",
     .most = 1,
     .completes = "SUBCOMMAND",
     .run = run_help},
    {.name = "info",
     .arguments = "FILE ...",
     .help = "describe videos as the decoder sees them",
     .details = "In this program's words, and in brackets those of FFmpeg's ffprobe where they differ.",
     .needs = "a video",
     .least = 1,
     .most = SIZE_MAX,
     .completes = "FILE",
     .flags = kInfoFlags,
     .run = run_info},
    {.name = "merge",
     .arguments = "PLAN.json",
     .help = "make the reports of a plan from what its shards found",
     .details = "With -o FILE the report of a plan's only title, as a single run writes it; with --reports "
                "DIR those of any number, and a "
                "summary of all. The flags of a run that say what is written are taken here, those that say "
                "what is scored by plan. "
                "Exit code 6 where shards are missing or failed: a list of them goes to standard error, and "
                "the frames before the first "
                "of these to FILE.partial. 7 where a threshold is crossed.",
     .needs = "a plan",
     .least = 1,
     .most = 1,
     .completes = "FILE.json",
     .takes_run_flags = true,
     .flags = kMergeFlags,
     .run = run_merge},
    {.name = "models",
     .help = "list the built-in VMAF models, and what each is for",
     .details = "Use one with --model version=NAME, or let --model auto choose.",
     .flags = kModelsFlags,
     .run = run_models},
    {.name = "plan",
     .arguments = "VIDEO|FOLDER ...",
     .help = "cut videos into shards that a cluster's machines score by themselves",
     .details = "Reads the packets of each video once, decodes none, and writes a plan: a file by which "
                "`cambi shard` scores any "
                "shard on any machine, and `cambi merge` makes the reports that a single run would have "
                "written. Videos are found as batch "
                "finds them. A video that cannot be cut exactly is a single shard; one that cannot be read "
                "is told, left out, and gives the exit "
                "code.",
     .needs = "a video or a folder",
     .most = SIZE_MAX,
     .completes = "FILE",
     .takes_run_flags = true,
     .flags = kPlanFlags,
     .run = run_plan},
    {.name = "report",
     .arguments = "RUN.json",
     .help = "make the page of a saved report",
     .details =
         "A report written with --extended gives the fullest page, and segments as they are asked for here, "
         "not then. A page with pictures is replaced only "
         "with --force, because a report holds none; without -o, so is any file that is not the page of "
         "a run.",
     .needs = "a JSON report",
     .least = 1,
     .most = 1,
     .completes = "FILE.json",
     .flags = kReportFlags,
     .run = run_report},
    {.name = "shard",
     .arguments = "PLAN.json",
     .help = "score one shard of a plan",
     .details = "Writes what it finds into the plan's folder of results, whole or not at all; a shard whose "
                "result is there is done. The "
                "same shard may run twice at once. A video that changed since the plan was made is an error, "
                "code 2. The flags that say "
                "how to run, such as --threads and --backend, are taken here.",
     .needs = "a plan",
     .least = 1,
     .most = 1,
     .completes = "FILE.json",
     .takes_run_flags = true,
     .flags = kShardFlags,
     .run = run_shard_command},
    {.name = "submit",
     .arguments = "PLAN [-- OPTION ...]",
     .help = "score a plan on a cluster with Slurm, or on this machine",
     .details = "PLAN is a file that cambi plan made. A job array scores what is left of its shards, a task "
                "a shard, with cores and memory "
                "as the plan estimates them, and a job that depends on it merges them. The ids of both are "
                "printed. What stands behind -- "
                "are options of sbatch, such as --partition=long, for both. Shards that are done are not "
                "scored again, so after a failure "
                "the same command does what is missing. The flags of merge are taken here.",
     .needs = "a plan",
     .least = 1,
     .most = SIZE_MAX,
     .completes = "FILE.json",
     .takes_run_flags = true,
     .flags = kSubmitFlags},
    {.name = "version", .help = "print the version", .run = run_version},
};

int run_help(const ParsedArguments& words, Messages&) {
  if (words.arguments.empty()) {
    write_stdout(full_help(kSubcommands, stdout_width()));
    return 0;
  }
  const std::string& name = words.arguments[0];
  if (const Subcommand* subcommand = find_subcommand(name)) {
    write_stdout(help_of(*subcommand, stdout_width()));
    return 0;
  }
  const std::string near = nearest_subcommand(name);
  throw Error(ErrorKind::kUsage,
              "help: there is no subcommand \"" + printable(name) + "\"." +
                  (near.empty() ? " See: cambi --help" : " Did you mean \"" + near + "\"?"));
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
  const auto found = std::find_if(std::begin(kSubcommands), std::end(kSubcommands),
                                  [&](const Subcommand& subcommand) { return name == subcommand.name; });
  return found == std::end(kSubcommands) ? nullptr : found;
}

std::string nearest_subcommand(const std::string& word) {
  std::vector<std::string> names;
  for (const Subcommand& subcommand : kSubcommands) names.emplace_back(subcommand.name);
  return nearest(word, names);
}

}  // namespace vq::cli
