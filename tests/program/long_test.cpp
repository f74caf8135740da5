// What takes long or much room: large pictures, large files, much memory.

#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

using LongBadInput = BadInputTest;

constexpr int64_t kMebibyte = int64_t{1} << 20;

TEST_F(LongBadInput, LargePicturesScoreAsByTheScalarStages) {
  const auto large = [this](int width) {
    return made("large_" + std::to_string(width) + ".y4m",
                y4m_video({.width = width, .height = 4320, .frames = 1, .chroma = "400"}));
  };
  for (const Words& words : {Words{clip("sky_4096x2160_8b.mp4")},
                             {clip("sky_7680x4320_8b.mp4")},
                             {large(8192)},
                             {large(8192), "--high-res-speedup", "2160"},
                             {large(7680), "--window-size", "127", "--precision", "max"}}) {
    const json report = scored(words);
    EXPECT_GT(scores_of(report)[0], 0);
    EXPECT_EQ(scored(joined(words, {"--backend", "scalar"})), report) << words[0];
  }
}

TEST_F(LongBadInput, LargePicturesInSmallFiles) {
  run_ffmpeg("-f lavfi -i color=gray:s=16000x16000 -frames:v 1 -pix_fmt gray " + in_folder("a.png"));
  ASSERT_LT(std::filesystem::file_size(in_folder("a.png")), 1000000U);
  for (const int threads : {1, 4}) {
    const ProgramResult result = run({in_folder("a.png")}, threads);
    EXPECT_THAT(std::vector<int>({3, 8}), Contains(result.code)) << result.err;
    expect_peak_below(512 * kMebibyte, result);
  }
}

// A digest of a file of any size.
uint64_t digest_of(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  std::vector<uint64_t> block(1 << 16);
  uint64_t digest = 0;
  while (const size_t count = std::fread(block.data(), 1, block.size() * sizeof block[0], file.get())) {
    for (size_t i = 0; i < (count + 7) / 8; ++i)
      digest = (digest ^ block[i]) * 0x9E3779B97F4A7C15U + (digest >> 29);
  }
  return digest;
}

TEST_F(LongBadInput, HeatmapsBeyondFourGibibytes) {
  const VideoShape shape{.width = 3840, .height = 2160, .frames = 262, .chroma = "400"};
  constexpr int kRun = 24;  // equal frames, which cost no more than their heatmaps
  const std::string maps = in_folder("maps"), finest = maps + "/cambi_heatmap_scale_0_3840x2160_16b.gray";
  std::vector<uint64_t> first;
  for (const char* threads : {"1", "8"}) {
    RunningProgram program(
        {"-", "-q", "-o", out(), "--heatmaps", maps, "--heatmap-format", "gray", "--threads", threads});
    program.write_input(y4m_header(shape));
    std::string picture;
    for (int i = 0; i < shape.frames; ++i) {
      if (i % kRun == 0) picture = "FRAME\n" + frame_bytes(shape, i);
      program.write_input(picture);
    }
    program.close_input();
    const ProgramResult result = program.wait();
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(std::filesystem::file_size(finest), uint64_t{3840} * 2160 * 2 * 262);
    std::vector<uint64_t> digests;
    for (const auto& entry : state()) {
      if (entry.first.ends_with(".gray")) digests.push_back(digest_of(in_folder(entry.first)));
    }
    ASSERT_THAT(digests, SizeIs(5));
    if (first.empty()) first = digests;
    EXPECT_EQ(digests, first);
    std::filesystem::remove_all(maps);
  }
}

// The number of kibibytes that the system says of a process, as bytes.
int64_t memory_of(const RunningProgram& program, const std::string& key) {
  const std::string status = read_file("/proc/" + std::to_string(program.id()) + "/status");
  const size_t at = status.find(key + ":");
  return at == std::string::npos ? 0 : std::stoll(status.substr(at + key.size() + 1)) * 1024;
}

class LongMemory : public BadInputTest, public ::testing::WithParamInterface<const char*> {
 protected:
  // How much larger a program was at the end than after `early` bytes of the input.
  int64_t growth(const std::string& input, size_t early) const {
    RunningProgram program({"-", "-o", out(), "--threads", GetParam(), "-q"});
    program.write_input(std::string_view(input).substr(0, early));
    const int64_t before = memory_of(program, "VmRSS");
    // All but the last bytes, so that the program is still there to be looked at.
    program.write_input(std::string_view(input).substr(early, input.size() - early - 100));
    const int64_t after = std::max(memory_of(program, "VmRSS"), memory_of(program, "VmHWM"));
    program.write_input(std::string_view(input).substr(input.size() - 100));
    program.close_input();
    EXPECT_EQ(program.wait().code, 0);
    EXPECT_THAT(read_json(out()).at("frames"), SizeIs(2000));
    std::printf("%s threads: %.2f MiB after 100 frames, %.2f MiB at most\n", GetParam(),
                static_cast<double>(before) / kMebibyte, static_cast<double>(after) / kMebibyte);
    return after - before;
  }
};

TEST_P(LongMemory, DoesNotGrowOverUncompressedFrames) {
  const VideoShape shape{.frames = 2000, .chroma = "400"};
  EXPECT_LE(growth(y4m_video(shape), 110 * frame_size(shape)), 2 * kMebibyte);
}

TEST_P(LongMemory, DoesNotGrowOverCodedFrames) {
  const std::string video = in_folder("a.mkv");
  run_ffmpeg("-f lavfi -i testsrc2=s=320x240:r=24 -frames:v 2000 -pix_fmt yuv420p -c:v ffv1 " + video);
  const std::string bytes = read_file(video);
  EXPECT_LE(growth(bytes, bytes.size() / 18), 2 * kMebibyte);
}

INSTANTIATE_TEST_SUITE_P(Threads, LongMemory, ::testing::Values("1", "4"),
                         [](const auto& instance) { return std::string(instance.param); });

struct Peak {
  const char* clip;
  int64_t mebibytes;
};
class LongPeak : public BadInputTest, public ::testing::WithParamInterface<Peak> {};

// Long enough for the decoder to hold as many pictures as it ever does.
TEST_P(LongPeak, OneThreadStaysUnderTheLimit) {
  const std::string looped = in_folder(GetParam().clip);
  run_ffmpeg("-stream_loop 7 -i " + clip(GetParam().clip) + " -c copy " + looped);
  const ProgramResult result = run({looped}, 1);
  ASSERT_EQ(result.code, 0) << result.err;
  std::printf("%s: %.1f MiB at most\n", GetParam().clip, static_cast<double>(result.peak_bytes) / kMebibyte);
  EXPECT_LE(result.peak_bytes, GetParam().mebibytes * kMebibyte);
}

// The two 10-bit clips are HEVC, of which the decoder keeps five pictures, 30 and 119 MiB: without them they
// stay under 64 and 200 MiB as the others do.
INSTANTIATE_TEST_SUITE_P(Clips, LongPeak,
                         ::testing::Values(Peak{"clouds_1920x1080_10b.mp4", 64 + 30},
                                           Peak{"sky_1920x1080_8b_av1.mp4", 64},
                                           Peak{"sky_3840x2160_8b.mp4", 200},
                                           Peak{"sky_3840x2160_10b.mp4", 200 + 30},
                                           Peak{"sky_7680x4320_8b.mp4", 700}),
                         [](const auto& instance) {
                           const std::string name = instance.param.clip;
                           return name.substr(0, name.find('.'));
                         });

struct Size {
  int width, height;
  int64_t mebibytes;
};
class LongStream : public BadInputTest, public ::testing::WithParamInterface<Size> {};

TEST_P(LongStream, OneThreadStaysUnderTheLimit) {
  const Size size = GetParam();
  for (const int depth : {8, 10}) {
    const VideoShape shape{.width = size.width, .height = size.height, .frames = 12, .bit_depth = depth};
    RunningProgram program({"-", "-o", out(), "--threads", "1", "-q"});
    program.write_input(y4m_header(shape));
    const std::string pictures[] = {frame_bytes(shape, 0), frame_bytes(shape, 9)};
    for (int i = 0; i < shape.frames; ++i) {
      program.write_input("FRAME\n");
      program.write_input(pictures[i % 2]);
    }
    program.close_input();
    const ProgramResult result = program.wait();
    ASSERT_EQ(result.code, 0) << result.err;
    std::printf("%d bits: %.1f MiB at most\n", depth, static_cast<double>(result.peak_bytes) / kMebibyte);
    EXPECT_LE(result.peak_bytes, size.mebibytes * kMebibyte);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, LongStream, ::testing::Values(Size{1920, 1080, 64}, Size{3840, 2160, 200}, Size{7680, 4320, 700}),
    [](const auto& instance) { return "Height" + std::to_string(instance.param.height); });

}  // namespace
}  // namespace vq::cli::test
