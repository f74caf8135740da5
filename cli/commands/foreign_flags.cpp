#include "cli/commands/foreign_flags.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/text.h"
#include "feature/feature.h"

namespace vq::cli {
namespace {

using Words = std::vector<std::string>;

struct Tool {
  std::string_view name;
  std::string_view computes;  // flags for what it computes unless told otherwise; empty: as cambi
};

enum class Value { kNone, kOne };

// Our words for another program's flag. In `ours`, % is its value and ~ its value in lower case; empty:
// nothing is needed.
struct ForeignFlag {
  std::string_view names;  // "-s,--source"
  Value value;
  std::string_view ours;
};

constexpr Tool kFilter = {"FFmpeg's filter libvmaf", ""};
constexpr ForeignFlag kFilterFlags[] = {
    {"--log_path", Value::kOne, "-o %"},
    {"--log_fmt", Value::kOne, "--%"},
    {"--n_threads", Value::kOne, "--threads %"},
    {"--n_subsample", Value::kOne, "--subsample %"},
    {"--model_path", Value::kOne, "--model path=%"},
    {"--pool", Value::kOne, ""},  // reports have every mean
    {"--phone_model,--enable_transform", Value::kNone, "--model vmaf_v0.6.1:enable_transform"},
    {"--ts_sync_mode,--eof_action,--shortest,--repeatlast", Value::kOne, ""},
};

constexpr Tool kFfmpeg = {"ffmpeg", ""};
constexpr std::string_view kInputFlag = "-i", kGraphFlags = "-lavfi,-filter_complex,-vf,-filter:v";
constexpr ForeignFlag kFfmpegFlags[] = {
    {kInputFlag, Value::kOne, ""},  // see ffmpeg_command()
    {kGraphFlags, Value::kOne, ""},
    {"-f,-r,-loglevel,-v,-threads,-map,-c:v,-pix_fmt", Value::kOne, ""},
    {"-y,-an,-sn,-hide_banner,-nostats,-nostdin,-stats", Value::kNone, ""},
    {"-frames:v,-vframes", Value::kOne, "--frame_cnt %"},
};

constexpr Tool kAbAv1 = {"ab-av1", "--model vmaf_v0.6.1:scaled"};
constexpr std::string_view kOptionsFlag = "--vmaf", kScaleFlag = "--vmaf-scale";
constexpr ForeignFlag kAbAv1Flags[] = {
    {kOptionsFlag, Value::kOne, ""},              // options of the filter: see options_of_filter()
    {kScaleFlag, Value::kOne, ""},                // see command_of()
    {"--vmaf-fps,--xpsnr-fps", Value::kOne, ""},  // frames are paired by number
    {"--reference-vfilter", Value::kOne, ""},
};

constexpr Tool kFfvship = {"FFVship", "--feature ssimulacra2"};
constexpr std::string_view kBrightnessFlag = "--intensity-target";
constexpr ForeignFlag kFfvshipFlags[] = {
    {"-s,--source", Value::kOne, "-r %"},
    {"-e,--encoded", Value::kOne, "-d %"},
    {"-m,--metric", Value::kOne, "--feature ~"},
    {"--json", Value::kOne, "-o %"},
    {"--every", Value::kOne, "--subsample %"},
    {"--encoded-offset", Value::kOne, "--align auto"},
    {"-t", Value::kOne, "--threads %"},
    {"-g", Value::kOne, ""},
    {"--gpu-id", Value::kOne, "--device %"},
    {"--list-gpu", Value::kNone, ""},
    {kBrightnessFlag, Value::kOne, ""},  // see with_brightness()
    {"--source-index,--encoded-index,--cache-index,--live-score-output", Value::kOne, ""},
};

constexpr Tool kSsimulacra2 = {"ssimulacra2_rs", "--feature ssimulacra2"};
constexpr ForeignFlag kSsimulacra2Flags[] = {
    {"-f,--frame-threads", Value::kOne, "--threads %"},
    {"-i,--increment", Value::kOne, "--subsample %"},
    {"--start-frame", Value::kOne, "--start %"},
    {"--frames-to-compare", Value::kOne, "--frame_cnt %"},
    {"-g,--graph", Value::kNone, "--html scores.html"},
    {"-v,--verbose", Value::kNone, ""},
    {"--src-matrix,--src-transfer,--src-primaries,--dst-matrix,--dst-transfer,--dst-primaries", Value::kOne,
     ""},
};

struct Language {
  Tool tool;
  std::span<const ForeignFlag> flags;
};
// A flag of several is taken for one of the first that has it.
constexpr std::array<Language, 5> kLanguages = {{{kFilter, kFilterFlags},
                                                 {kFfmpeg, kFfmpegFlags},
                                                 {kAbAv1, kAbAv1Flags},
                                                 {kFfvship, kFfvshipFlags},
                                                 {kSsimulacra2, kSsimulacra2Flags}}};

std::string underscored(std::string_view name) {
  std::string text(name);
  std::replace(text.begin() + std::min<std::ptrdiff_t>(2, std::ssize(text)), text.end(), '-', '_');
  return text;
}

bool is_one_of(std::string_view name, std::string_view names) {
  for (size_t start = 0; start <= names.size();) {
    const size_t end = std::min(names.find(',', start), names.size());
    if (underscored(names.substr(start, end - start)) == underscored(name)) return true;
    start = end + 1;
  }
  return false;
}

const ForeignFlag* find_in(const Language& language, std::string_view name) {
  const auto found = std::find_if(language.flags.begin(), language.flags.end(),
                                  [&](const ForeignFlag& flag) { return is_one_of(name, flag.names); });
  return found == language.flags.end() ? nullptr : &*found;
}

void add(std::string& command, const std::string& typed) {
  if (!typed.empty()) command += " " + typed;
}

std::string filled(std::string_view ours, const std::string& value) {
  std::string text;
  for (const char c : ours)
    text += c == '%' ? shell_word(value) : c == '~' ? lower_case(value) : std::string(1, c);
  return text;
}

bool is_feature(std::string_view name) {
  return std::any_of(features().begin(), features().end(), [&](const FeatureInfo* info) {
    return info->name == name || (!info->alias.empty() && info->alias == name);
  });
}

// Flags for a word such as "--psnr", which is how several programs name what they compute; empty for others.
// ab-av1's --vmaf takes options of the filter, such as n_threads=4.
std::string metric_flag(const Words& typed, size_t i) {
  if (!typed[i].starts_with("--")) return {};
  const std::string name = underscored(typed[i]).substr(2);
  const bool has_options =
      i + 1 < typed.size() && !typed[i + 1].starts_with('-') && typed[i + 1].find('=') != std::string::npos;
  if (name == "vmaf") return has_options ? "" : "--model auto";
  return is_feature(name) ? "--feature " + name : "";
}

// "log_fmt=json:n_threads=4" of the filter, as flags of this program.
std::string options_of_filter(std::string_view options) {
  std::string command;
  while (!options.empty()) {
    size_t end = 0;
    while (end < options.size() && (options[end] != ':' || (end > 0 && options[end - 1] == '\\'))) ++end;
    const std::string option(options.substr(0, end));
    options.remove_prefix(std::min(end + 1, options.size()));
    const size_t equals = std::min(option.find('='), option.size());
    std::string key = option.substr(0, equals), value = option.substr(std::min(equals + 1, option.size()));
    std::erase(value, '\'');
    if (key == "model" || key == "feature") {
      std::erase(value, '\\');
      for (size_t bar = 0; !value.empty(); value.erase(0, bar + 1)) {
        bar = std::min(value.find('|'), value.size() - 1);
        std::string one = value.substr(0, value[bar] == '|' ? bar : bar + 1);
        if (key == "feature" && one.starts_with("name=")) {
          one.erase(0, 5);
          if (const size_t colon = one.find(':'); colon != std::string::npos) one[colon] = '=';
        }
        add(command, words("--{} {}", key, shell_word(one)));
      }
    } else if (key == "psnr" || key == "ssim" || key == "ms_ssim") {
      if (value != "0") add(command, "--feature " + key);
    } else if (const ForeignFlag* const flag = find_in({kFilter, kFilterFlags}, "--" + key)) {
      if (value != "0" || flag->value == Value::kOne) add(command, filled(flag->ours, value));
    }
  }
  return command;
}

// The command for the first filter of a graph that compares.
std::string filter_command(const std::string& graph, bool& is_swapped) {
  constexpr std::pair<std::string_view, std::string_view> kFilters[] = {
      {"libvmaf", ""}, {"xpsnr", "--feature xpsnr"}, {"psnr", "--feature psnr"}, {"ssim", "--feature ssim"}};
  for (const auto& [name, ours] : kFilters) {
    const size_t at = graph.find(name);
    if (at == std::string::npos) continue;
    is_swapped = graph.substr(0, at).ends_with("[1:v][0:v]") || graph.substr(0, at).ends_with("[1][0]");
    if (!ours.empty()) return std::string(ours);
    size_t begin = at + name.size();
    if (graph.substr(begin).starts_with("_cuda")) begin += 5;
    const bool has_options = begin < graph.size() && graph[begin] == '=';
    const std::string options =
        has_options ? options_of_filter(std::string_view(graph).substr(
                          begin + 1, std::min(graph.find_first_of(";[,", begin), graph.size()) - begin - 1))
                    : "";
    const bool has_model = options.find("--model") != std::string::npos;
    return (has_model ? "" : "--model vmaf_v0.6.1") + (has_model ? options.substr(1) : options);
  }
  return "--model vmaf_v0.6.1";
}

struct Call {
  std::string name;                  // of a flag; empty: another word
  std::string word;                  // as given; of a metric's flag what stands for it here
  std::optional<std::string> value;  // behind "=", or the next word if the flag takes one
};

// Reads a command line as another program does.
std::vector<Call> calls_of(const Language& language, const Words& typed) {
  std::vector<Call> calls;
  for (size_t i = 0; i < typed.size(); ++i) {
    const std::string& word = typed[i];
    if (const std::string metric = metric_flag(typed, i); !metric.empty()) {
      calls.push_back({.name = {}, .word = metric, .value = {}});
      continue;
    }
    const size_t equals = word.starts_with("--") ? std::min(word.find('='), word.size()) : word.size();
    Call call{.name = word.substr(0, equals), .word = word, .value = {}};
    const ForeignFlag* const flag = word.starts_with('-') ? find_in(language, call.name) : nullptr;
    if (flag == nullptr) {
      call.name.clear();
      call.word = shell_word(word);
    } else if (equals < word.size()) {
      call.value = word.substr(equals + 1);
    } else if (flag->value == Value::kOne && i + 1 < typed.size()) {
      call.value = typed[++i];
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

// The first input is the distorted video, unless labels say otherwise.
std::string ffmpeg_command(const Words& typed, std::string command) {
  Words inputs, others;
  std::string filter;
  bool is_swapped = false, has_metric = false;
  for (const Call& call : calls_of({kFfmpeg, kFfmpegFlags}, typed)) {
    const std::string value = call.value.value_or("");
    if (call.name == kInputFlag) inputs.push_back(value);
    if (!call.name.empty() && is_one_of(call.name, kGraphFlags)) filter = filter_command(value, is_swapped);
    const ForeignFlag* const flag = find_in({kFfmpeg, kFfmpegFlags}, call.name);
    if (flag != nullptr && !flag->ours.empty()) others.push_back(filled(flag->ours, value));
    if (call.name.empty() && call.word.starts_with("--")) others.push_back(call.word);
    has_metric = has_metric || call.word.starts_with("--model ") || call.word.starts_with("--feature ");
  }
  if (filter.empty() && !has_metric) filter = "--model vmaf_v0.6.1";
  if (is_swapped && inputs.size() > 1) std::swap(inputs[0], inputs[1]);
  add(command, "-r " + (inputs.size() > 1 ? shell_word(inputs[1]) : "REFERENCE"));
  add(command, "-d " + (inputs.empty() ? "DISTORTED" : shell_word(inputs[0])));
  add(command, filter);
  for (const std::string& other : others) add(command, other);
  return command;
}

// FFVship's white for Butteraugli is brighter than the default here.
std::string with_brightness(std::string command, const std::vector<Call>& calls) {
  constexpr std::string_view kButteraugli = "--feature butteraugli";
  std::string nits = "203";
  for (const Call& call : calls) {
    if (call.name == kBrightnessFlag) nits = shell_word(call.value.value_or(nits));
  }
  const size_t at = command.find(kButteraugli);
  return at == std::string::npos ? command : command.insert(at + kButteraugli.size(), "=intensity=" + nits);
}

// Two videos without flags are the source and what was made of it.
std::string command_of(const Language& language, const Words& typed, std::string command) {
  if (language.tool.name == kFfmpeg.name) return ffmpeg_command(typed, command);
  size_t videos = 0;
  bool wants_vmaf = false;
  const bool names_both = language.tool.name == kSsimulacra2.name;
  const std::vector<Call> calls = calls_of(language, typed);
  for (const Call& call : calls) {
    const std::string value = call.value.value_or("");
    if (call.name == kOptionsFlag) {
      command += options_of_filter(value);
      wants_vmaf = true;
    } else if (call.name == kScaleFlag) {
      if (value != "auto") add(command, "--model vmaf_v0.6.1");
      if (value != "auto" && value != "none") add(command, "--scale-to " + shell_word(value));
    } else if (call.name.empty()) {
      const bool is_video = names_both && !call.word.starts_with('-') && videos < 2;
      add(command, (!is_video ? "" : videos++ == 0 ? "-r " : "-d ") + call.word);
    } else {
      add(command, filled(find_in(language, call.name)->ours, value));
    }
  }
  const bool has_model =
      command.find(" --model") != std::string::npos || command.find(" -m ") != std::string::npos;
  const bool has_feature = command.find(" --feature") != std::string::npos && !wants_vmaf;
  if (!has_model && !has_feature) add(command, std::string(language.tool.computes));
  return language.tool.name == kFfvship.name ? with_brightness(command, calls) : command;
}

// Whether a metric's flag, such as "--psnr", asks for one that compares with a reference.
bool measures_pairs(std::string_view flag) {
  const std::string name = underscored(flag).substr(2);
  if (!is_feature(name)) return true;
  const FeatureInfo& info = find_feature(name);
  return info.needs_reference(OptionSet(info.options));
}

bool is_own(std::span<const Flag* const> flags, std::string_view name) {
  return std::any_of(flags.begin(), flags.end(), [&](const Flag* flag) {
    return underscored(flag->name) == underscored(name) || (!name.empty() && flag->short_name == name);
  });
}

bool takes_value(std::span<const Flag* const> flags, std::string_view name) {
  return std::any_of(flags.begin(), flags.end(), [&](const Flag* flag) {
    return !flag->type.empty() && (underscored(flag->name) == underscored(name) || flag->short_name == name);
  });
}

// The command with flags of this program for those of metrics. Two videos without flags are the reference and
// what was made of it.
std::string with_metrics(std::span<const Flag* const> flags, const Words& typed, std::string command) {
  Words videos, others;
  bool has_reference = false, has_distorted = false, compares = false;
  for (size_t i = 0; i < typed.size(); ++i) {
    const std::string metric = metric_flag(typed, i), &word = typed[i];
    if (!word.starts_with('-')) {
      videos.push_back(shell_word(word));
      continue;
    }
    others.push_back(metric.empty() ? shell_word(word) : metric);
    compares = compares || (!metric.empty() && measures_pairs(word));
    has_reference = has_reference || word == "-r" || word.starts_with("--reference");
    has_distorted = has_distorted || word == "-d" || word.starts_with("--distorted");
    if (metric.empty() && takes_value(flags, word) && i + 1 < typed.size())
      others.back() += " " + shell_word(typed[++i]);
  }
  const bool is_run = command == "cambi", lacks_reference = compares && !has_reference;
  if (is_run && videos.size() == 2 && !has_reference) {
    videos = {words("-r {}", videos[0]), words("-d {}", videos[1])};
  } else if (is_run && lacks_reference && videos.size() < 2) {
    if (videos.empty() && !has_distorted) videos = {"DISTORTED"};
    videos = {"-r REFERENCE" + (videos.empty() ? "" : " -d " + videos[0])};
  } else if (lacks_reference) {
    videos.push_back("-r REFERENCE");
  }
  for (const std::string& video : videos) add(command, video);
  for (const std::string& other : others) add(command, other);
  return command;
}

// Advice for commands of ab-av1 that take an encoder.
std::string after_encoding(const Words& typed) {
  std::string source = "SOURCE", least = "95";
  for (size_t i = 0; i + 1 < typed.size(); ++i) {
    if (is_one_of(typed[i], "-i,--input")) source = shell_word(typed[i + 1]);
    if (typed[i] == "--min-vmaf") least = shell_word(typed[i + 1]);
  }
  const std::string model = words(" {}", kAbAv1.computes);
  if (typed[0] == "sample-encode")
    return words("Encode {}, then: cambi -r {} -d ENCODE{}", source, source, model);
  return words("Encode {} at several CRFs, then: cambi compare ENCODE ENCODE ... -r {}{} --target vmaf:{}",
               source, source, model, least);
}
constexpr std::string_view kEncodingCommands = "crf-search,sample-encode,auto-encode";

// A command line of another program: what follows these words.
struct ForeignCommand {
  std::string_view word;
  Language language;
  std::string_view computes;
};
constexpr ForeignCommand kCommands[] = {{"vmaf", {kAbAv1, kAbAv1Flags}, kAbAv1.computes},
                                        {"xpsnr", {kAbAv1, kAbAv1Flags}, "--feature xpsnr"},
                                        {"video", {kSsimulacra2, kSsimulacra2Flags}, kSsimulacra2.computes},
                                        {"image", {kSsimulacra2, kSsimulacra2Flags}, kSsimulacra2.computes}};

[[noreturn]] void refuse(const std::string& what, const Language& language, const std::string& command) {
  throw Error(ErrorKind::kUsage, words("\"{}\" belongs to {}. With cambi: {}", printable(what),
                                       language.tool.name, printable(command, 1000)));
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  const bool is_text = printable(word, word.npos) == word;
  std::string quoted;
  for (const char c : word) {
    if (c == '\'')
      quoted += is_text ? "'\\''" : "\\'";
    else if (c == '\\' && !is_text)
      quoted += "\\\\";
    else
      quoted += c;
  }
  return is_text ? "'" + quoted + "'" : "$'" + printable(quoted, quoted.npos) + "'";
}

void refuse_foreign_command(const std::vector<std::string>& typed) {
  if (!typed.empty() && is_one_of(typed[0], kEncodingCommands)) {
    throw Error(ErrorKind::kUsage, words("\"{}\" belongs to ab-av1, which encodes; cambi scores encodes. {}",
                                         typed[0], printable(after_encoding(typed), 1000)));
  }
  for (const auto& [word, language, computes] : kCommands) {
    if (typed.empty() || typed[0] != word) continue;
    const Language named = {{language.tool.name, computes}, language.flags};
    refuse(typed[0], named, command_of(named, {typed.begin() + 1, typed.end()}, "cambi"));
  }
}

void refuse_foreign_flags(std::span<const Flag* const> flags, const std::vector<std::string>& typed,
                          const std::string& command) {
  std::string metric;  // the first of its flags
  for (size_t i = 0; i < typed.size() && typed[i] != "--"; ++i) {
    const std::string& word = typed[i];
    const std::string name = word.substr(0, word.starts_with("--") ? word.find('=') : word.npos);
    if (!word.starts_with('-') || is_own(flags, name)) {
      if (takes_value(flags, word)) ++i;
      continue;
    }
    if (!metric_flag(typed, i).empty()) {
      if (metric.empty()) metric = word;
      continue;
    }
    for (const Language& language : kLanguages) {
      if (find_in(language, name) == nullptr) continue;
      refuse(name, language, command_of(language, typed, command));
    }
  }
  if (metric.empty()) return;
  throw Error(ErrorKind::kUsage, words("unknown flag \"{}\". Try: {}", metric,
                                       printable(with_metrics(flags, typed, command), 1000)));
}

}  // namespace vq::cli
