// The help, the manual page and the completions tell of the flags that the parser knows, and of no other.
#include "cli/commands/help.h"

#include <regex>

#include "cli/inputs/feature_flags.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

// What the build made of one of the templates in docs/.
std::string document_path(const std::string& name) {
  return std::filesystem::path(cambi_program()).parent_path() / "docs" / name;
}

std::string printed_help(std::vector<std::string> words) {
  words.push_back("--help");
  return test::run_well(words).out;
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  std::set<std::string> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it)
    found.insert((*it)[1].str());
  return found;
}

// Long flags as the help declares them, at the start of a line or after the short form.
std::set<std::string> flags_of(const std::string& help) {
  return matches(help, R"((?:\n  |\n  -\w, )(--[\w-]+))");
}

std::vector<Flag> flags_of_a_run() {
  std::vector<Flag> flags;
  for (const Topic& topic : topics()) flags.insert(flags.end(), topic.flags.begin(), topic.flags.end());
  return flags;
}

std::set<std::string> names_of(const std::vector<Flag>& flags) {
  std::set<std::string> names;
  for (const Flag& flag : flags) names.emplace(flag.name);
  return names;
}

// Those of a subcommand, with a run's where it takes them.
std::set<std::string> names_of(const Subcommand& subcommand) {
  std::set<std::string> names = names_of({subcommand.flags.begin(), subcommand.flags.end()});
  if (subcommand.takes_run_flags) names.merge(names_of(flags_of_a_run()));
  names.insert("--help");
  return names;
}

std::string on_one_line(std::string_view text) {
  return std::regex_replace(std::string(text), std::regex("\\s+"), " ");
}

// With their short names, types and meanings, however lines are broken.
void expect_flags(const std::string& help, std::span<const Flag> flags) {
  for (const Flag& own : flags) {
    const Flag flag = whole(own);
    const std::string start = flag.short_name.empty() ? " " : words(" {}, ", flag.short_name),
                      type = flag.type.empty() ? "" : words(" {}", flag.type);
    EXPECT_THAT(on_one_line(help), HasSubstr(words("{}{}{} {}", start, flag.name, type, flag.help)));
  }
}

// How all of it is laid out is in tests/program/messages/help.txt, for some topics and subcommands.
TEST(Help, HasEveryFlagUnderOneTopicOrFeature) {
  const std::string overview = "\n" + printed_help({});
  std::multiset<std::string> shown;
  for (const Topic& topic : topics()) {
    if (topic.name.empty()) continue;
    const std::string name(topic.name);
    EXPECT_THAT(overview, HasSubstr("\n  " + name + "  "));
    EXPECT_EQ(find_subcommand(name), nullptr) << "help of the topic cannot be had";
    const std::string text = test::run_program({"help", name}).out;
    EXPECT_THAT(text, HasSubstr(topic.help.substr(1)));
    EXPECT_THAT(text, HasSubstr(topic.text));
    expect_flags(text, topic.flags);
    for (const std::string& flag : flags_of(text)) shown.insert(flag);
  }
  std::set<std::string> of_features;  // features may share a flag
  for (const FeatureInfo* info : features())
    of_features.merge(flags_of(test::run_program({"features", std::string(info->name)}).out));
  shown.insert(of_features.begin(), of_features.end());
  const std::set<std::string> known = names_of(flags_of_a_run());
  EXPECT_THAT(shown, ElementsAreArray(known));
  EXPECT_GT(known.size(), 50U);
}

TEST(Help, HasEverySubcommandWithItsFlags) {
  const std::string overview = printed_help({});
  for (const Subcommand& subcommand : subcommands()) {
    const std::string name(subcommand.name);
    EXPECT_THAT(overview, HasSubstr("\n  " + name));
    if (!subcommand.topic.empty()) {
      EXPECT_THAT(test::run_program({"help", std::string(subcommand.topic)}).out, HasSubstr("\n  " + name));
    }
    if (name == "help") continue;  // whose help is that of the program
    const std::string text = printed_help({name});
    EXPECT_EQ(flags_of(text), names_of({subcommand.flags.begin(), subcommand.flags.end()}));
    expect_flags(text, subcommand.flags);
    EXPECT_THAT(text, HasSubstr(subcommand.help.substr(1)));
    const std::string_view arguments = subcommand.arguments;
    const auto first = arguments.substr(0, std::min(arguments.find(" -- "), arguments.find(" [-- ")));
    EXPECT_THAT(on_one_line(text) + " ", HasSubstr(words("Usage: cambi {} {}", name, first)));
    EXPECT_THAT(on_one_line(text), HasSubstr(on_one_line(subcommand.details)));
  }
}

TEST(Help, BreaksLongLinesBetweenWords) {
  for (const Topic& topic : topics())
    EXPECT_THAT(matches("\n" + help_of(topic, subcommands()), "\n([^\n]{121,})"), IsEmpty());
  for (const Subcommand& subcommand : subcommands())
    EXPECT_THAT(matches("\n" + help_of(subcommand), "\n([^\n]{121,})"), IsEmpty());
}

TEST(FlagTable, IsFilledIn) {
  for (const Flag& flag : flags_of_a_run()) {
    EXPECT_TRUE(flag.name.starts_with("--") && flag.set != nullptr && !flag.help.empty()) << flag.name;
    EXPECT_FALSE(flag.help.ends_with('.') || (flag.help[0] >= 'A' && flag.help[0] <= 'Z' &&
                                              flag.name != "--device" && flag.name != "--feature"))
        << flag.name;
  }
  EXPECT_EQ(names_of(flags_of_a_run()).size(), flags_of_a_run().size());
}

TEST(FlagTable, SubcommandsTakeFlagsOfARun) {
  for (const Subcommand& subcommand : subcommands()) {
    for (const auto& names : {subcommand.also, subcommand.but}) {
      for (const std::string_view name : names) EXPECT_NE(find_run_flag(name), nullptr) << name;
    }
  }
}

TEST(FlagTable, ChoicesAreThoseOfTheType) {
  const auto of = [](std::string_view type) { return choices_of(Flag("", type, "")); };
  EXPECT_THAT(of("auto|bt1886|vmaf-v1"), ElementsAreArray({"auto", "bt1886", "vmaf-v1"}));
  for (const char* type : {"", "N", "1..17|max", "png,video", "auto|", "|auto", "W:H|auto"})
    EXPECT_THAT(of(type), IsEmpty()) << type;
}

TEST(FlagTable, FlagsOfFeaturesAgreeWithTheirOptions) {
  const std::regex stated(R"(default: ([\w.]*\w))");
  int compared = 0;
  for (const FeatureInfo* info : features()) {
    for (const FeatureFlag& flag : own_flags(*info)) {
      const auto is_it = [&](const OptionSpec& spec) { return spec.name == flag.option; };
      const auto spec = std::ranges::find_if(info->options, is_it);
      if (spec == info->options.end()) continue;
      if (spec->kind == OptionKind::kChoice) {
        std::set<std::string_view> choices(spec->choices.begin(), spec->choices.end());
        choices.insert(spec->own_choices.begin(), spec->own_choices.end());
        const std::vector<std::string> offered = choices_of(Flag("", flag.type, ""));
        EXPECT_THAT(std::set<std::string>(offered.begin(), offered.end()), ElementsAreArray(choices))
            << flag.name;
      } else if (spec->kind == OptionKind::kPath) {
        EXPECT_EQ(flag.type, "FILE") << flag.name;
      } else if (spec->kind != OptionKind::kBool) {
        const std::string help(flag.help);
        std::smatch match;
        EXPECT_TRUE(std::regex_search(help, match, stated)) << flag.name;
        EXPECT_EQ(match[1], spec->default_text_form()) << flag.name;
        if (spec->allowed.empty()) {
          EXPECT_EQ(flag.type, spec->range_text()) << flag.name;
        }
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 5);
}

// With its short name and its help.
void expect_in_manual(const std::string& text, const Flag& flag) {
  const std::string name =
      (flag.short_name.empty() ? "" : std::string(flag.short_name) + ", ") + std::string(flag.name);
  EXPECT_THAT(text, HasSubstr("\n " + name));
  EXPECT_THAT(text, HasSubstr(flag.help.substr(1)));
}

TEST(Manual, HasEveryFlagAndSubcommandWithItsHelp) {
  const std::string command = "MANWIDTH=1000 man --warnings -E UTF-8 -l -P cat " + document_path("cambi.1");
  EXPECT_EQ(test::output_of(command + " 2>&1 >/dev/null"), "");
  const std::string page = test::output_of(command);
  const std::string text = std::regex_replace(page, std::regex(" +"), " ");
  std::set<std::string> declared = matches(text, R"(\n (?:-\w, )?(--[\w-]+))"),
                        known = names_of(flags_of_a_run());
  for (const Subcommand& subcommand : subcommands()) {
    known.merge(names_of(subcommand));
    EXPECT_THAT(text, HasSubstr("\n cambi " + std::string(subcommand.name) +
                                (subcommand.arguments.empty() ? "" : " ") +
                                std::string(subcommand.arguments) + "\n"));
    EXPECT_THAT(text, HasSubstr(subcommand.help.substr(1)));
    EXPECT_THAT(text, HasSubstr(subcommand.details));
    // What a row of a run's flag leaves out is as there, and looked at below.
    for (const Flag& flag : subcommand.flags) {
      if (!flag.of_run) {
        expect_in_manual(text, flag);
      } else if (!flag.help.empty()) {
        EXPECT_THAT(text, HasSubstr(flag.help.substr(1))) << flag.name;
      }
    }
  }
  EXPECT_EQ(declared, known);
  for (const Flag& flag : flags_of_a_run()) expect_in_manual(text, flag);
}

// What bash offers for a command line whose last word is being written, in a folder without files. The words
// are those that readline breaks the line into.
std::string completed(const std::string& words, const std::string& line = "${COMP_WORDS[*]}") {
  const test::TemporaryFolder empty;
  return test::output_of("bash -c 'source " + document_path("cambi") + "; cd " + empty.path() +
                         "; COMP_WORDS=(" + words + "); COMP_LINE=\"" + line +
                         "\"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cambi; echo ${COMPREPLY[*]}'");
}

TEST(Completion, BashOffersEveryFlagAndSubcommand) {
  EXPECT_EQ(matches(completed("cambi --"), "(\\S+)"), names_of(flags_of_a_run()));
  std::set<std::string> names;
  for (const Subcommand& subcommand : subcommands()) {
    names.emplace(subcommand.name);
    const std::string name(subcommand.name);
    EXPECT_EQ(matches(completed("cambi " + name + " --"), "(\\S+)"), names_of(subcommand)) << name;
  }
  for (const Topic& topic : topics()) {
    if (!topic.name.empty()) names.emplace(topic.name);
  }
  EXPECT_EQ(matches(completed("cambi help \"\""), "(\\S+)"), names);
  std::set<std::string> known;
  for (const FeatureInfo* info : features()) known.emplace(info->name);
  EXPECT_EQ(matches(completed("cambi features \"\""), "(\\S+)"), known);
  EXPECT_EQ(matches(completed("cambi a.mkv --feature \"\""), "(\\S+)"), known);
}

TEST(Completion, BashOffersWhatAFlagTakes) {
  EXPECT_EQ(completed("cambi --heatmap-f"), "--heatmap-format --heatmap-frames\n");
  EXPECT_EQ(completed("cambi a.mkv --eotf p"), "pq\n");
  EXPECT_EQ(completed("cambi a.mkv --crop \"\""), "auto\n");
  EXPECT_EQ(completed("cambi a.mkv --model vmaf_b"), "vmaf_b_v0.6.3\n");
  EXPECT_EQ(completed("cambi a.mkv --model a"), "auto\n");
  EXPECT_EQ(completed("cambi a.mkv --fail-above p9"), "p95> p99>\n");
  EXPECT_EQ(completed("cambi a.mkv --heatmap-format png,v"), "png,video\n");
  EXPECT_EQ(completed("cambi a.mkv --heatmaps " + testdata("cli")), testdata("clips\n"));
  EXPECT_EQ(completed("cambi a.mkv --threads \"\""), "\n");
  EXPECT_EQ(completed("cambi compa"), "compare\n");
  EXPECT_EQ(completed("cambi compare --b"), "--bitdepth --baseline --backend --by\n");
  EXPECT_EQ(completed("cambi diff --"), "--places --junit --github --help\n");
  EXPECT_THAT(completed("cambi " + testdata("clips/dusk_9")), HasSubstr("dusk_960x540_10b_hlg.mp4"));
}

TEST(Completion, BashPutsWordsTogetherThatReadlineBreaks) {
  EXPECT_EQ(completed("cambi a.mkv --backend = v", "cambi a.mkv --backend=v"), "vulkan\n");
  EXPECT_EQ(completed("cambi a.mkv --crop =", "cambi a.mkv --crop="), "auto\n");
  EXPECT_EQ(completed("cambi --heatmap-format = png,v", "cambi --heatmap-format=png,v"), "png,video\n");
  EXPECT_EQ(completed("cambi a.mkv --model version = vmaf_b", "cambi a.mkv --model version=vmaf_b"),
            "vmaf_b_v0.6.3\n");
  EXPECT_EQ(completed("cambi --model = version = vmaf_b", "cambi --model=version=vmaf_b"), "vmaf_b_v0.6.3\n");
  EXPECT_EQ(completed("cambi --output = ver", "cambi --output=ver"), "\n");
  EXPECT_EQ(completed("cambi compare a : b.mkv --b", "cambi compare a:b.mkv --b"),
            "--bitdepth --baseline --backend --by\n");
  // Where readline breaks at spaces alone.
  EXPECT_EQ(completed("cambi --backend=v"), "--backend=vulkan\n");
  EXPECT_EQ(completed("cambi a.mkv --model version=vmaf_b"), "version=vmaf_b_v0.6.3\n");
}

// What zsh is told of a command line: the arguments of _arguments, one a line.
std::string zsh_arguments(const std::string& words) {
  return test::output_of(
      "zsh -f -c 'compdef() { }; _describe() { }; _arguments() { print -rl -- \"$@\" }; words=(" + words +
      "); CURRENT=$#words; source " + document_path("_cambi") + "'");
}

TEST(Completion, ZshIsToldOfEveryFlag) {
  const char* const pattern = R"((?:^|\n)(?:\*|\([^)]*\))?(--[\w-]+)=?\[)";
  EXPECT_EQ(matches(zsh_arguments("cambi a.mkv"), pattern), names_of(flags_of_a_run()));
  for (const Subcommand& subcommand : subcommands()) {
    const std::string name(subcommand.name), told = zsh_arguments("cambi " + name + " a");
    EXPECT_EQ(matches(told, pattern), names_of(subcommand)) << name;
  }
  EXPECT_THAT(zsh_arguments("cambi a.mkv"),
              HasSubstr("\n--eotf=[transfer function of the display]:eotf:(auto bt1886 pq hlg)\n"));
  EXPECT_THAT(zsh_arguments("cambi a.mkv"), HasSubstr("\n--full-ref["));
  EXPECT_THAT(zsh_arguments("cambi a.mkv"), HasSubstr(":model:(auto neg vmaf_4k_v0.6.1 "));
  const std::string compare = zsh_arguments("cambi compare a");
  EXPECT_THAT(compare, HasSubstr("\n*-o[write the ranking to "));
  EXPECT_THAT(compare, Not(HasSubstr("-o[write a report there")));
  EXPECT_THAT(compare, Not(HasSubstr("--output=[write a report there")));
}

TEST(Help, OftenUsedFlagsAreFlags) {
  const std::set<std::string> brief = matches(kShortHelp, R"((--[a-z][\w-]+))");
  EXPECT_GT(brief.size(), 5U);
  EXPECT_THAT(names_of(flags_of_a_run()), IsSupersetOf(brief));
}

}  // namespace
}  // namespace vq::cli
