// Texts of the help.
#pragma once

#include <span>
#include <string>

#include "cli/commands/flags.h"
#include "feature/feature.h"

namespace vq::cli {

// "cambi 1.2.3" and the end of the line.
std::string version_text();

// Printed for a call without arguments, and at the start of --help.
inline constexpr const char* kShortHelp =
    "cambi measures banding in video (0 is none, from about 5 on it is slightly annoying), VMAF, PSNR and "
    "more.\n"
    "\n"
    "Usage:\n"
    "  cambi VIDEO                         score a video\n"
    "  cambi -r REFERENCE -d DISTORTED --model auto\n"
    "                                      VMAF; flags as those of vmaf\n"
    "  cambi compare A B ...               rank encodes, or reports of them\n"
    "\n"
    "Often used:\n"
    "  -o, --output FILE                   write a report: .json, .xml, .csv or .sub; - is standard output\n"
    "  --html FILE                         write a page with curves and the worst frames\n"
    "  --model auto                        score with the VMAF model that suits the reference\n"
    "  --feature NAME                      score with CAMBI, PSNR or another metric\n"
    "  --full-ref                          also measure the banding of the reference, and the difference\n"
    "  --heatmaps DIR                      write pictures of where the banding is (with --heatmap-format)\n"
    "  --fail-above EXPR                   exit with code 7 if, for example, 'p95>5' or 'share>10%'\n"
    "  --crop auto                         exclude black bars\n"
    "  --start POSITION, --end POSITION    score a part: frame numbers, HH:MM:SS.mmm or 12.5s\n"
    "  --backend cpu|vulkan                compute on the CPU or on a GPU\n"
    "  -q, --quiet                         no progress, no summary\n"
    "  -h, --help                          print all subcommands and topics\n";

// Usage, the options often used, every subcommand and every topic. `columns`: width of the terminal; 0: none.
std::string full_help(std::span<const Subcommand> subcommands, size_t columns = 0);
std::string help_of(const Subcommand& subcommand, size_t columns = 0);
// Its flags, and those of the subcommands that name it.
std::string help_of(const Topic& topic, std::span<const Subcommand> subcommands, size_t columns = 0);
// The flags that set the feature's options; empty if it has none.
std::string flags_of_feature(const FeatureInfo& info, size_t columns = 0);

}  // namespace vq::cli
