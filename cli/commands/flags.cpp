#include "cli/commands/flags.h"

#include <CLI/CLI.hpp>

#include <iterator>

#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "feature/feature.h"

namespace vq::cli {

std::vector<std::string> choices_of(const Flag& flag) {
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  std::vector<std::string> typed;
  for (const std::string_view word : fields(flag.type, '|')) {
    if (word.empty() || !std::ranges::all_of(word, is_plain)) return {};
    typed.emplace_back(word);
  }
  return typed;
}

namespace {

std::string underscored(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

// Words of other programs, and what says the same here. docs/other-tools.md has whole commands.
struct ForeignWord {
  std::string_view theirs, ours;
};
constexpr ForeignWord kForeignWords[] = {
    // ffmpeg, and its filter libvmaf
    {"-i", "-r REFERENCE -d DISTORTED"},
    {"-lavfi", "--model NAME, --feature NAME"},
    {"-filter_complex", "--model NAME, --feature NAME"},
    {"-frames:v", "--frame_cnt N"},
    {"--log_path", "-o FILE"},
    {"--log_fmt", "-o FILE.json, FILE.xml or FILE.csv"},
    {"--n_threads", "--threads N"},
    {"--n_subsample", "--subsample N"},
    {"--model_path", "--model path=FILE"},
    {"--phone_model", "--model vmaf_v0.6.1:enable_transform"},
    {"--enable_transform", "--model vmaf_v0.6.1:enable_transform"},
    {"--pool", "-o FILE, which has every mean"},
    // libvmaf's program
    {"--feature vmaf", "--model version=NAME, or --model auto (see: cambi models)"},
    {"--feature float_adm", "--feature adm"},
    {"--feature float_motion", "--feature motion"},
    {"--feature float_psnr", "--feature psnr"},
    {"--feature float_vif", "--feature vif"},
    {"--feature motion_v2", "--feature motion"},
    {"--backend gpu", "--backend vulkan"},
    {"--backend cuda", "--backend vulkan"},
    {"--backend hip", "--backend vulkan"},
    {"--backend sycl", "--backend vulkan"},
    // ab-av1
    {"vmaf", "cambi -r REFERENCE -d DISTORTED --model vmaf_v0.6.1:scaled"},
    {"xpsnr", "cambi -r REFERENCE -d DISTORTED --feature xpsnr"},
    {"crf-search", "cambi search SOURCE --target vmaf:95 -- ffmpeg -i {in} -crf {crf} {out}"},
    {"auto-encode", "cambi compare ENCODE ENCODE ... -r SOURCE --target vmaf:95"},
    {"sample-encode", "cambi -r SOURCE -d ENCODE"},
    {"--vmaf", "--model auto"},
    {"--vmaf_scale", "--scale-to WxH"},
    // FFVship
    {"-s", "-r"},
    {"--source", "-r"},
    {"-e", "-d"},
    {"--encoded", "-d"},
    {"--metric", "--feature NAME"},
    {"--every", "--subsample N"},
    {"--encoded_offset", "--align auto"},
    {"-t", "--threads N"},
    {"--gpu_id", "--device N"},
    {"--list_gpu", "cambi devices"},
    {"--intensity_target", "--feature butteraugli=intensity=NITS"},
    // ssimulacra2_rs
    {"video", "cambi -r REFERENCE -d DISTORTED --feature ssimulacra2"},
    {"image", "cambi -r REFERENCE -d DISTORTED --feature ssimulacra2"},
    {"-f", "--threads N"},
    {"--frame_threads", "--threads N"},
    {"--increment", "--subsample N"},
    {"--start_frame", "--start N"},
    {"--frames_to_compare", "--frame_cnt N"},
    {"--graph", "--html FILE"},
};

// Null if there is none of that long name.
const Flag* find_flag(const std::vector<const Flag*>& flags, const std::string& name) {
  const auto found = std::ranges::find_if(
      flags, [&](const Flag* flag) { return underscored(std::string(flag->name)) == underscored(name); });
  return found == flags.end() ? nullptr : *found;
}

Error unknown_flag(const std::vector<const Flag*>& flags, const std::string& word,
                   std::string_view subcommand) {
  const std::string name = word.substr(0, word.starts_with("--") ? word.find('=') : word.npos);
  std::string ours = own_words(name);
  if (subcommand == "report" && name == "--html") ours = "-o FILE.html";
  const std::string feature = name.starts_with("--") ? underscored(name.substr(2)) : "";
  for (const FeatureInfo* info : features()) {
    if (!feature.empty() && (feature == info->name || feature == info->alias))
      ours = words("--feature {}", feature);
  }
  const auto names = mapped(flags, [](const Flag* flag) { return std::string(flag->name); });
  const std::string near = name.starts_with("--") ? nearest(name, names) : "";
  return usage_error("unknown flag \"{}\".{}", printable(name),
                     !ours.empty()        ? words(" Use: {}", ours)
                     : !near.empty()      ? words(" Did you mean \"{}\"?", near)
                     : subcommand.empty() ? " See: cambi --help"
                                          : words(" See: cambi help {}", subcommand));
}

// Spells long flags as in their rows, with what follows "=" as a word of its own. CLI11 does not take - and _
// for the same, and takes the next word if nothing follows "=".
std::vector<std::string> spelled(const std::vector<const Flag*>& flags,
                                 const std::vector<std::string>& typed) {
  std::vector<std::string> spelled;
  const auto dashes = std::ranges::find(typed, "--");
  for (auto word = typed.begin(); word != dashes; ++word) {
    const size_t equals = word->find('=');
    const Flag* const flag = word->starts_with("--") ? find_flag(flags, word->substr(0, equals)) : nullptr;
    spelled.emplace_back(flag == nullptr ? *word : flag->name);
    if (flag == nullptr || equals == word->npos) continue;
    if (flag->type.empty()) throw usage_error("{} takes no value.", flag->name);
    spelled.push_back(word->substr(equals + 1));
  }
  spelled.insert(spelled.end(), dashes, typed.end());
  return spelled;
}

// The parser's words for a fault, in those of this program.
Error reworded(const CLI::ParseError& error) {
  std::string message = error.what();
  std::ranges::replace(message, '\n', ' ');
  const size_t colon = message.find(": 1 required ");  // "--threads: 1 required N missing"
  if (colon != std::string::npos) {
    const std::string flag = message.substr(0, colon);
    message = words("{} needs a value.", flag);
    if (flag == "--height") message += " (-h is the height of raw video, as in vmaf; for help: cambi --help)";
  }
  return usage_error(printable(message, 300));
}

using Declared = std::map<const CLI::Option*, const Flag*>;

Declared declare(const std::vector<const Flag*>& flags, CLI::App& app) {
  Declared declared;
  for (const Flag* flag : flags) {
    if (flag->name == "--help") continue;
    std::string names(flag->name);
    if (!flag->short_name.empty()) names += words(",{}", flag->short_name);
    CLI::Option* const option =
        flag->type.empty()
            ? app.add_flag(names)
            : app.add_option(names)->type_name(std::string(flag->type))->allow_extra_args(false);
    declared[option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)] = flag;
  }
  return declared;
}

// A file that is named twice was meant twice. vmaf takes the last of its inputs.
void refuse_second_file(const Flag& flag, const std::vector<GivenFlag>& given) {
  if (!flag.names_path() || flag.name == "--reference" || flag.name == "--distorted") return;
  if (std::ranges::any_of(given, [&](const GivenFlag& other) { return other.flag == &flag; }))
    throw usage_error("{} was given twice, and takes one {}", flag.name,
                      flag.type == "DIR" ? "folder." : "file.");
}

// The flags that were given, in that order.
std::vector<GivenFlag> given_flags(const CLI::App& app, const Declared& declared) {
  std::vector<GivenFlag> given;
  std::map<const CLI::Option*, size_t> used;
  for (const CLI::Option* option : app.parse_order()) {
    const auto found = declared.find(option);
    if (found == declared.end()) continue;  // --help
    const Flag* const flag = found->second;
    std::string text = option->results().at(used[option]++);
    if (flag->names_path()) text = text_of(path_of(text));
    if (!flag->may_repeat) refuse_second_file(*flag, given);
    if (!flag->may_repeat) std::erase_if(given, [&](const GivenFlag& other) { return other.flag == flag; });
    given.push_back({flag, std::move(text)});
  }
  return given;
}

}  // namespace

const std::string* ParsedArguments::find(std::string_view name) const {
  const auto found = std::find_if(flags.rbegin(), flags.rend(),
                                  [&](const GivenFlag& given) { return given.flag->name == name; });
  return found == flags.rend() ? nullptr : &found->text;
}

std::optional<std::string> ParsedArguments::text(std::string_view name) const {
  const std::string* const found = find(name);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

int64_t ParsedArguments::number(std::string_view name, const IntRange& range, int64_t otherwise) const {
  const std::string* const found = find(name);
  return found == nullptr ? otherwise : int_value(std::string(name), *found, range);
}

std::string own_words(const std::string& foreign) {
  const std::string name =
      foreign.starts_with("--") ? words("--{}", underscored(foreign.substr(2))) : foreign;
  const auto found = std::ranges::find(kForeignWords, name, &ForeignWord::theirs);
  return found == std::end(kForeignWords) ? "" : std::string(found->ours);
}

ParsedArguments parse_words(const std::vector<const Flag*>& flags, const std::vector<std::string>& typed,
                            std::string_view subcommand) {
  CLI::App app;
  app.set_help_flag("--help");
  app.allow_extras();  // arguments, as they are: CLI11 would take "[a,b]" for a list
  const Declared declared = declare(flags, app);
  const std::vector<std::string> words = spelled(flags, typed);
  std::vector<const char*> all = {"cambi"};
  for (const std::string& word : words) all.push_back(word.c_str());
  ParsedArguments parsed{.original = typed};
  try {
    app.parse(static_cast<int>(all.size()), all.data());
    parsed.flags = given_flags(app, declared);
  } catch (const CLI::CallForHelp&) {
    return {.asks_for_help = true};
  } catch (const CLI::ParseError& error) {
    throw reworded(error);
  }
  bool may_be_flag = true;
  for (const std::string& word : app.remaining()) {
    if (may_be_flag && word.starts_with('-') && word != "-" && word != "--")
      throw unknown_flag(flags, word, subcommand);
    if (may_be_flag && word == "--")
      may_be_flag = false;
    else  // what follows -- can be another program's
      parsed.arguments.push_back(may_be_flag ? text_of(path_of(word)) : word);
  }
  return parsed;
}

}  // namespace vq::cli
