#include "cli/commands/help.h"

#include <algorithm>

#include "cli/commands/run_flags.h"
#include "core/text/fit_text.h"

namespace vq::cli {
namespace {

constexpr size_t kMostWidth = 120;  // of a line
constexpr size_t kLeastWidth = 30;

// How wide lines are, and how far what an entry means may be indented; where the entry's name is longer, that
// starts on a line of its own.
struct Measure {
  size_t width, indent;

  // Of a terminal of so many columns; 0: none.
  explicit Measure(size_t columns)
      : width(columns == 0 ? kMostWidth : std::clamp(columns, kLeastWidth, kMostWidth)),
        indent(width < 80 ? width / 4 : 36) {}
};

constexpr const char* kFooter =
    "\n"
    "Examples:\n"
    "  cambi show.mkv                                    score a video\n"
    "  cambi show.mkv --html show.html                   ... and make a page of it\n"
    "  cambi -r master.mov -d show.mkv --full-ref        ... and measure the banding already in the master\n"
    "  cambi -r master.mov -d show.mkv --model auto      VMAF, by the model that suits the master\n"
    "  cambi -r master.mov -d show.mkv --feature cambi --feature psnr\n"
    "                                                    banding and PSNR in one pass\n"
    "  cambi show.mkv --heatmaps maps                    see where the banding is\n"
    "  cambi compare crf18.mkv crf23.mkv crf28.mkv       rank three encodes\n"
    "  cambi batch season1 --reports reports             score a folder, again and again\n"
    "  cambi show.mkv --enc 1920x1080@8 --crop auto      encoded at another size; without black bars\n"
    "  cambi show.mkv -q -o run.json --extended --fail-above 'p95>5'\n"
    "                                                    in a pipeline: exit code 7 above a threshold\n"
    "  cambi -r ref.y4m -d dist.y4m -n --feature cambi=eotf=pq --json -o -\n"
    "                                                    vmaf-compatible call\n"
    "\n"
    "Exit codes: 0 done, 1 command line, 2 input, 3 inputs do not fit, 4 backend, 5 output, 6 input ended "
    "early,\n"
    "7 a threshold was crossed, 8 memory or another limit, 70 internal error, 130 interrupted,\n"
    "141 nobody read standard output, and there was no other result.\n"
    "See also: man cambi\n";

struct Entry {
  std::string name, meaning;
};

// Breaks lines between words, from `column` on; all but the first line are indented.
std::string wrapped(const std::string& text, size_t column, size_t indent, size_t width) {
  std::string lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (start > 0 && column + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (start > 0) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
    start = end + 1;
  }
  return lines + "\n";
}

std::string list_of(const std::vector<Entry>& entries, size_t indent, size_t width) {
  std::string lines;
  for (const auto& [name, meaning] : entries) {
    std::string line = "  " + name;
    const bool fits = line.size() + 1 <= indent;
    line += fits ? std::string(indent - line.size(), ' ') : "\n" + std::string(indent, ' ');
    lines += line + wrapped(meaning, indent, indent, width);
  }
  return lines;
}

std::vector<Entry> entries_of(std::span<const Flag> flags) {
  std::vector<Entry> entries;
  for (const Flag& own : flags) {
    Entry& entry = entries.emplace_back();
    Flag flag = own.of_run ? *find_run_flag(own.name) : own;
    if (!own.help.empty()) flag.help = own.help;
    if (!flag.short_name.empty()) entry.name = std::string(flag.short_name) + ", ";
    entry.name += flag.name;
    if (!flag.type.empty()) entry.name += " " + std::string(flag.type);
    entry.meaning = std::string(flag.help) + (flag.may_repeat ? "; may repeat" : "");
  }
  return entries;
}

// Just as far as the longest name needs, and two blanks.
size_t indent_of(const std::vector<Entry>& entries, const Measure& measure) {
  size_t longest = 0;
  for (const Entry& entry : entries) longest = std::max(longest, entry.name.size());
  return std::min(longest + 4, measure.indent);
}

std::string call_of(const Subcommand& subcommand) {
  return std::string(subcommand.name) + (subcommand.arguments.empty() ? "" : " ") +
         std::string(subcommand.arguments);
}

std::string sentence(std::string text) {
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + ".";
}

}  // namespace

std::string full_help(std::span<const Subcommand> subcommands, size_t columns) {
  const Measure measure(columns);
  std::string text =
      "Measures video quality on the CPU and on the GPU: banding (CAMBI, the default), VMAF, and other "
      "metrics.\n"
      "\n"
      "Usage: cambi [flags] VIDEO\n"
      "       cambi [flags] -r REFERENCE -d DISTORTED\n"
      "       cambi SUBCOMMAND [arguments]\n";
  for (const FlagGroup& group : run_flags()) {
    text += "\n" + std::string(group.heading) + ":\n" +
            list_of(entries_of(group.flags), measure.indent, measure.width);
  }
  std::vector<Entry> entries;
  for (const Subcommand& subcommand : subcommands)
    entries.push_back({call_of(subcommand), std::string(subcommand.help)});
  text += "\nSubcommands, as the first argument (cambi help SUBCOMMAND says more):\n";
  return fit_text(text + list_of(entries, indent_of(entries, measure), measure.width) + kFooter, columns);
}

std::string help_of(const Subcommand& subcommand, size_t columns) {
  const Measure measure(columns);
  std::string text = sentence(std::string(subcommand.help)) + "\n\nUsage: cambi " + call_of(subcommand) +
                     (subcommand.flags.empty() ? "" : " [flags]") + "\n";
  if (!subcommand.details.empty())
    text += "\n" + wrapped(std::string(subcommand.details), 0, 0, measure.width);
  const std::vector<Entry> entries = entries_of(subcommand.flags);
  if (!entries.empty()) text += "\nFlags:\n" + list_of(entries, indent_of(entries, measure), measure.width);
  if (subcommand.takes_run_flags) {
    text +=
        "\nIt also takes the flags of a scoring run that choose what is scored and how: see cambi --help.\n";
  }
  return fit_text(text, columns);
}

}  // namespace vq::cli
