// What the program says about itself, beside the flags.
#pragma once

namespace vq::cli {

// "cambi 1.2.3" and the end of the line.
const char* version_text();

// The answer to a lone -h, and to no argument at all.
inline constexpr const char* kShortHelp =
    "cambi measures banding in video: 0 is none, from about 5 on it is slightly annoying.\n"
    "\n"
    "Usage:\n"
    "  cambi VIDEO                         score a video\n"
    "  cambi -r REFERENCE -d DISTORTED     the same as vmaf is called\n"
    "  cambi compare A B ...               rank encodes, or reports of them\n"
    "\n"
    "Often used:\n"
    "  -o, --output FILE                   write a report: .json, .xml, .csv or .sub; - is standard output\n"
    "  --html FILE                         write a page with curves and the worst frames\n"
    "  --heatmaps DIR                      write pictures of where the banding is (with --heatmap-format)\n"
    "  --full-ref                          also score the reference, and the difference\n"
    "  --fail-above EXPR                   exit with code 7 if, for example, 'p95>5' or 'share>10%'\n"
    "  --crop auto                         exclude black bars\n"
    "  --start POSITION, --end POSITION    score a part: frame numbers, HH:MM:SS.mmm or 12.5s\n"
    "  --backend cpu|vulkan                compute on the CPU or on a GPU\n"
    "  -q, --quiet                         no progress, no summary\n"
    "\n"
    "Everything: cambi --help, man cambi. (-h with a number is the height of raw video, as in vmaf.)\n";

// What the full help says after the flags.
inline constexpr const char* kHelpFooter =
    "Subcommands, as the first argument (cambi help SUBCOMMAND says more):\n"
    "  compare A B ...     rank reports or videos, with a page of their curves\n"
    "  devices             list the GPUs\n"
    "  diff A.json B.json  compare every score of two reports\n"
    "  features [NAME]     list the features, or the options of one with ranges and defaults\n"
    "  gate VIDEO          compare the backends on this machine\n"
    "  help [SUBCOMMAND]   print this help, or that of a subcommand\n"
    "  info FILE           describe a video as the decoder sees it\n"
    "  report RUN.json     make the page of a saved report\n"
    "  version             print the version\n"
    "\n"
    "Examples:\n"
    "  cambi show.mkv                                    score a video\n"
    "  cambi show.mkv --html show.html                   ... and make a page of it\n"
    "  cambi -r master.mov -d show.mkv --full-ref        ... and measure the banding already in the master\n"
    "  cambi show.mkv --heatmaps maps                    see where the banding is\n"
    "  cambi compare crf18.mkv crf23.mkv crf28.mkv       rank three encodes\n"
    "  cambi show.mkv --enc 1920x1080@8 --crop auto      encoded at another size; without black bars\n"
    "  cambi show.mkv -q -o run.json --extended --fail-above 'p95>5'\n"
    "                                                    in a pipeline: exit code 7 above a threshold\n"
    "  cambi -r ref.y4m -d dist.y4m -n --feature cambi=eotf=pq --json -o -\n"
    "                                                    vmaf-compatible call\n"
    "\n"
    "Exit codes: 0 done, 1 command line, 2 input, 3 inputs do not fit, 4 backend, 5 output, 6 input ended "
    "early,\n"
    "7 a threshold was crossed, 8 memory or another limit, 70 internal error, 130 interrupted.\n"
    "See also: man cambi\n";

}  // namespace vq::cli
