// Texts of the help.
#pragma once

#include "cli/commands/flags.h"
#include "feature/feature.h"

namespace vq::cli {

// "cambi 1.2.3" and the end of the line.
std::string version_text();

// Printed for a call without arguments, and at the start of --help.
inline constexpr const char* kShortHelp =
    "cambi measures video quality: VMAF, PSNR, SSIMULACRA 2, banding and more.\n"
    "\n"
    "Usage:\n"
    "  cambi -r REFERENCE -d DISTORTED     VMAF and banding (CAMBI); flags as those of vmaf\n"
    "  cambi VIDEO                         banding alone: 0 is none, from 5 on it is slightly annoying\n"
    "  cambi compare A B ... -r REFERENCE  rank encodes, or reports of them\n"
    "\n"
    "Often used:\n"
    "  -o, --output FILE                   write a report: .json, .xml, .csv or .sub; - is standard output\n"
    "  --html FILE                         write a page with curves and the worst frames\n"
    "  --model auto                        VMAF, by the model that suits the reference; or name a model\n"
    "  --feature NAME                      PSNR, SSIMULACRA 2, CAMBI or another metric\n"
    "  --heatmaps DIR                      write pictures of where the banding is (with --heatmap-format)\n"
    "  --fail-below EXPR                   exit with code 7 if, for example, 'vmaf<93' or 'vmaf:p5<80'\n"
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
// All of it for programs: topics and subcommands with their flags, and the names of features and models.
std::string help_json(std::span<const Subcommand> subcommands);
// The features, in groups.
std::string feature_list(size_t columns = 0);
// The flags that set the feature's options; empty if it has none.
std::string flags_of_feature(const FeatureInfo& info, size_t columns = 0);

}  // namespace vq::cli
