// Bad input: memory, other limits, and locales. Allocations and threads that fail are in tests/reliability.
#include <sys/resource.h>

#include "tests/support/bad_input.h"
#include "tests/support/comma_locale.h"

namespace vq::cli::test {
namespace {

using BadInputLimits = BadInputTest;

// A frame of 16K, all black: a hole of a file.
std::string large_video(const std::string& path) {
  write_file(path, "YUV4MPEG2 W16384 H8192 F24:1 Cmono\nFRAME\n");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) + 16384 * 8192);
  return path;
}

TEST_F(BadInputLimits, LittleAddressSpace) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need an address space of their own";
  const std::string video = large_video(in_folder("large.y4m"));
  const auto limit = [] {
    const rlimit small{rlim_t{400} << 20, rlim_t{400} << 20};
    setrlimit(RLIMIT_AS, &small);
  };
  const auto before = state();
  for (const char* more : {"--quiet", "--max-memory=100G"}) {
    for (const int threads : {1, 4}) {
      const ProgramResult result = run({video, more, "--window-size", "31"}, threads, {.prepare = limit});
      EXPECT_EQ(result.code, 8) << result.err;
      EXPECT_EQ(message_lines(result.err).errors.size(), 1U) << result.err;
      EXPECT_EQ(state(), before);
    }
  }
}

// Threads get stacks that are large enough all the same.
TEST_F(BadInputLimits, LittleStack) {
  const auto limit = [] {
    const rlimit small{rlim_t{64} << 10, rlim_t{64} << 10};
    setrlimit(RLIMIT_STACK, &small);
  };
  const std::string video = made("small.y4m", y4m_video({}));
  const Words words = {"-r", video, "-d", video, "--model", "auto", "-q", "-o", in_folder("stack.json")};
  run_well(words, {.prepare = limit});
}

TEST_F(BadInputLimits, DecimalPointsInEveryLocale) {
  const CommaLocale locale;
  const std::string video = made("a.y4m", y4m_video({.frames = 1}));
  const ProgramOptions german{.environment = {{"LC_ALL", locale.name()}, {"LOCPATH", locale.folder()}}};
  const Words words = {video, "--feature", "cambi=topk=0.25"};
  EXPECT_EQ(scored(words, {}, german), scored(words));
  refused({{video, "--feature", "cambi=topk=0,25"}, 1, {"topk", "0,25"}}, german);
  EXPECT_THAT(run(words, 1, german).out, HasSubstr("cambi_topk_0.25"));
}

}  // namespace
}  // namespace vq::cli::test
