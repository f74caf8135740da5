// What the help of the program says after the flags.
#pragma once

namespace vq::cli {

inline constexpr const char* kHelpFooter =
    "Subcommands, as the first word (cambi SUBCOMMAND --help says more):\n"
    "  compare A B ...     rank reports or videos, with a page of their curves over each other\n"
    "  devices             list the GPUs\n"
    "  diff A.json B.json  compare every score of two reports\n"
    "  features [NAME]     list the features, or the options of one with ranges and defaults\n"
    "  gate VIDEO          compare the backends on this machine\n"
    "  info FILE           say what the decoder sees\n"
    "  report RUN.json     make the page of a saved report\n"
    "\n"
    "Examples:\n"
    "  cambi show.mkv                                    score a video by itself\n"
    "  cambi show.mkv --html show.html                   and make a page to look at\n"
    "  cambi -r master.mov -d show.mkv --full-ref        and tell what the master has already\n"
    "  cambi show.mkv --heatmaps maps --heatmap-format png,video\n"
    "                                                    see where the banding is\n"
    "  cambi show.mkv --enc 1920x1080@8 --crop auto      encoded at another size; without black bars\n"
    "  cambi show.mkv -q -o run.json --extended --fail-above 'p95>5'\n"
    "                                                    in a pipeline: code 7 where it is too much\n"
    "  cambi -r ref.y4m -d dist.y4m -n --feature cambi=eotf=pq --json -o -\n"
    "                                                    as vmaf is run\n"
    "\n"
    "Exit codes: 0 done, 1 command line, 2 input, 3 inputs do not fit, 4 backend, 5 output, 6 input ended "
    "early,\n"
    "7 a limit was crossed, 8 memory, 70 a defect of this program, 130 interrupted. See also: man cambi\n";

}  // namespace vq::cli
