// Files whose end is missing, cut at any byte: no frame gets a wrong content or a wrong number, and where the
// container or the stream says how much there was, the run says what is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>

#include "tests/support/bad_input.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

enum class Declaration {
  kLength,  // it says how long it is: whatever is missing is an error
  kNone,    // frames that are missing as a whole cannot be known
};

struct CutCase {
  const char* file;
  Declaration declaration;
  size_t frames;
  const char* options;  // of the encoder and the muxer
  const char* size = "128x96";
};

constexpr const char* kX264 = "-c:v libx264 -g 12 -bf 3 -threads 1 ";
constexpr const char* kX265 =
    "-c:v libx265 -x265-params keyint=12:bframes=3:log-level=none:pools=1:frame-threads=1 ";

const CutCase kCases[] = {
    {"x265.hevc", Declaration::kNone, 24, kX265},
    {"x265.ts", Declaration::kNone, 24, kX265},
    {"x264.ts", Declaration::kNone, 24, kX264},
    {"x264.h264", Declaration::kNone, 24, kX264},
    {"mpeg2.m2v", Declaration::kNone, 24, "-c:v mpeg2video -g 12 -bf 2"},
    {"ffv1.nut", Declaration::kLength, 24, "-c:v ffv1 -level 1 -g 5"},
    {"raw.dv", Declaration::kLength, 5, "-pix_fmt yuv420p -c:v dvvideo -f rawvideo", "720x576"},
    {"x264.mkv", Declaration::kLength, 24, kX264},
    {"vp9.webm", Declaration::kLength, 24, "-c:v libvpx-vp9 -g 12 -deadline realtime -cpu-used 8"},
    {"mpeg4.avi", Declaration::kLength, 24, "-c:v mpeg4 -g 12 -bf 2"},
    {"x264.flv", Declaration::kLength, 24, kX264},
    {"wmv2.asf", Declaration::kLength, 24, "-c:v wmv2 -g 12"},
    {"mpeg2.mxf", Declaration::kLength, 24, "-c:v mpeg2video -g 12 -bf 0"},
    {"rv20.rm", Declaration::kLength, 24, "-c:v rv20 -g 12"},
    {"faststart.mp4", Declaration::kLength, 24, "-c:v libx264 -g 12 -bf 3 -threads 1 -movflags +faststart"},
    {"fragments.mp4", Declaration::kLength, 24,
     "-c:v libx264 -g 12 -bf 3 -threads 1 -movflags +frag_keyframe+empty_moov+default_base_moof"},
    {"mpeg2.gxf", Declaration::kLength, 6, "-c:v mpeg2video -g 6 -bf 2", "720x576"},
    {"dv.gxf", Declaration::kLength, 5, "-c:v dvvideo", "720x576"},
    {"video.roq", Declaration::kLength, 24, "-r 30 -pix_fmt yuvj444p -c:v roqvideo", "128x128"},
};

std::vector<uint8_t> encoded(const CutCase& test, const std::string& folder) {
  const std::string path = folder + "/" + test.file;
  test::run_ffmpeg(std::string("-f lavfi -i testsrc2=s=") + test.size +
                   ":r=25,noise=alls=6:allf=t:all_seed=7 -frames:v " + std::to_string(test.frames) +
                   " -pix_fmt yuv420p " + test.options + " " + path);
  return file_bytes(path);
}

class CutInput : public testing::TestWithParam<CutCase> {
 protected:
  test::TemporaryFolder folder_;
};

std::vector<size_t> places_to_cut(size_t size) {
  std::vector<size_t> places = {size - 1, size - 3, size - 188, size / 31 * 29, size / 31 * 28};
  std::mt19937 random(1);
  while (places.size() < 12) places.push_back(size / 5 + random() % (size * 4 / 5));
  return places;
}

TEST_P(CutInput, GivesNoWrongFrame) {
  const std::vector<uint8_t> bytes = encoded(GetParam(), folder_.path());
  const Outcome whole = read_bytes(bytes);
  ASSERT_EQ(whole.code, 0) << whole.message;
  ASSERT_THAT(whole.crcs, SizeIs(GetParam().frames));
  EXPECT_THAT(whole.warnings, IsEmpty());
  int complete = 0;
  for (const size_t place : places_to_cut(bytes.size())) {
    SCOPED_TRACE("cut at byte " + std::to_string(place) + " of " + std::to_string(bytes.size()));
    const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(place));
    SourceOptions options;
    options.threads = 1;
    const Outcome outcome = read_bytes(cut, options);
    for (size_t i = 0; i < outcome.crcs.size(); ++i) {
      const auto number = static_cast<size_t>(outcome.indices[i]);
      ASSERT_LT(number, whole.crcs.size());
      EXPECT_EQ(outcome.crcs[i], whole.crcs[number]) << "frame " << number;
    }
    const bool has_all = outcome.crcs.size() == whole.crcs.size();
    complete += has_all ? 1 : 0;
    if (GetParam().declaration == Declaration::kLength && !has_all) {
      EXPECT_EQ(outcome.code, 6);
    }
    if (place % 3 != 0) continue;
    options.threads = 4;
    EXPECT_TRUE(read_bytes(cut, options) == outcome) << "with four threads";
    options.decoders = 2;
    EXPECT_TRUE(read_bytes(cut, options) == outcome) << "with two decoders";
  }
  EXPECT_LT(complete, 6);
}

INSTANTIATE_TEST_SUITE_P(Files, CutInput, testing::ValuesIn(kCases), [](const auto& instance) {
  std::string name = instance.param.file;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

// Two or three pictures do not tell how far apart they are, and the second to come is not the second to be
// shown.
TEST(CutShort, WithinTheFirstPicturesNoneGetsTheNumberOfAnother) {
  const test::TemporaryFolder folder;
  for (const char* file : {"x264.mkv", "x264.flv"}) {
    const std::vector<uint8_t> bytes = encoded({file, Declaration::kLength, 24, kX264}, folder.path());
    const Outcome whole = read_bytes(bytes);
    int few = 0;
    for (size_t place = bytes.size() / 6; place < bytes.size() / 3; place += 97) {
      SourceOptions options;
      options.threads = 1;
      const Outcome outcome =
          read_bytes({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(place)}, options);
      if (outcome.crcs.size() <= 4) ++few;
      for (size_t i = 0; i < outcome.crcs.size(); ++i) {
        EXPECT_EQ(outcome.crcs[i], whole.crcs.at(static_cast<size_t>(outcome.indices[i])))
            << file << " cut at byte " << place << " of " << bytes.size() << ", frame " << outcome.indices[i];
      }
    }
    EXPECT_GT(few, 3) << file;
  }
}

class WholeInput : public testing::Test {
 protected:
  Outcome piped(const std::string& options) const {
    const std::string path = folder_.path() + "/a";
    test::run_ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25 -frames:v 24 -pix_fmt yuv420p " + options + " - > " +
                     path);
    return read_bytes(file_bytes(path));
  }
  test::TemporaryFolder folder_;
};

// Their writer could not go back to fill in a length.
TEST_F(WholeInput, FilesWrittenToAPipeAreWhole) {
  for (const std::string options :
       {"-c:v mpeg4 -bf 2 -f avi", "-c:v libx264 -f matroska", "-c:v libx264 -f flv", "-c:v wmv2 -f asf",
        "-c:v rv20 -f rm", "-c:v libvpx -f ivf", "-c:v mpeg2video -bf 2 -f mxf",
        "-c:v ffv1 -level 1 -f nut"}) {
    const Outcome outcome = piped(options);
    EXPECT_EQ(outcome.code, 0) << options << ": " << outcome.message;
    EXPECT_THAT(outcome.crcs, SizeIs(24)) << options;
    EXPECT_THAT(outcome.warnings, IsEmpty()) << options;
    EXPECT_EQ(outcome.info.frames, std::nullopt) << options;
  }
}

TEST_F(WholeInput, AnEditListMayRepeatItsParts) {
  std::vector<uint8_t> bytes = file_bytes(format_path("edit_list.mp4"));
  const auto place_of = [&](const std::string& word) {
    const auto found = std::search(bytes.begin(), bytes.end(), word.begin(), word.end());
    EXPECT_NE(found, bytes.end()) << word;
    return found - bytes.begin();
  };
  // The only edit, twice more. No number in these fields takes more than two bytes.
  constexpr ptrdiff_t kEntry = 12;
  const ptrdiff_t first = place_of("elst") + 12;
  const std::vector<uint8_t> entry(bytes.begin() + first, bytes.begin() + first + kEntry);
  for (int i = 0; i < 2; ++i) bytes.insert(bytes.begin() + first, entry.begin(), entry.end());
  bytes[static_cast<size_t>(first) - 1] = 3;
  for (const char* word : {"elst", "edts", "trak", "moov"}) {
    const auto size = static_cast<size_t>(place_of(word)) - 2;
    const int grown = bytes[size] * 256 + bytes[size + 1] + 2 * static_cast<int>(kEntry);
    bytes[size] = static_cast<uint8_t>(grown >> 8);
    bytes[size + 1] = static_cast<uint8_t>(grown & 0xFF);
  }
  const Outcome outcome = read_bytes(bytes);
  EXPECT_EQ(outcome.code, 0) << outcome.message;
  EXPECT_THAT(outcome.crcs, SizeIs(60));
  EXPECT_EQ(outcome.info.frames, 60);
}

TEST_F(WholeInput, NoDurationIsLongerThanCanBeReckonedWith) {
  std::vector<uint8_t> bytes = file_bytes(format_path("h264.mkv"));
  const auto patch = [&](const std::string& text, uint64_t value, int size) {
    const std::vector<uint8_t> element = text_bytes(text);
    const auto found = std::search(bytes.begin(), bytes.end(), element.begin(), element.end());
    ASSERT_NE(found, bytes.end());
    for (int i = 0; i < size; ++i) {
      found[static_cast<ptrdiff_t>(element.size()) + i] = static_cast<uint8_t>(value >> 8 * (size - 1 - i));
    }
  };
  patch("\x2A\xD7\xB1\x83", 1, 3);                          // a tick is a nanosecond
  patch("\x44\x89\x88", std::bit_cast<uint64_t>(1e20), 8);  // of which there are so many
  const Outcome outcome = read_bytes(bytes);
  EXPECT_EQ(outcome.info.duration, 1e9);
  EXPECT_EQ(outcome.code, 6);
  EXPECT_THAT(outcome.message, HasSubstr("of 1000000000.000 s declared"));
}

// What it says of its length comes after its header, and no tag is cut.
TEST_F(WholeInput, AnFlvThatEndsBetweenTwoTagsIsTooShort) {
  const std::vector<uint8_t> bytes =
      encoded({"a.flv", Declaration::kLength, 24, "-c:v flv -g 12"}, folder_.path());
  constexpr size_t kHeader = 13, kTagHeader = 11, kTagEnd = 4;
  size_t at = kHeader;
  while (at < bytes.size() / 2) {
    at += kTagHeader + (bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) + kTagEnd;
  }
  const Outcome outcome = read_bytes({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(at)});
  EXPECT_EQ(outcome.code, 6);
  EXPECT_THAT(outcome.message, HasSubstr("of 0.960 s declared"));
}

// The container is whole, but the writer stopped before the B frames between the last two came.
TEST_F(WholeInput, AGroupOfFramesThatIsNotWholeKeepsItsNumbers) {
  const std::vector<uint8_t> bytes = encoded({"a.h264", Declaration::kNone, 24, kX264}, folder_.path());
  const Outcome whole = read_bytes(bytes);
  ASSERT_THAT(whole.crcs, SizeIs(24));
  // Every packet but the last is whole where the next one starts.
  bool met = false;
  for (size_t i = bytes.size() / 2; i + 4 < bytes.size(); ++i) {
    if (bytes[i] != 0 || bytes[i + 1] != 0 || bytes[i + 2] != 1) continue;
    const Outcome outcome = read_bytes({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(i)});
    if (outcome.indices.empty() || outcome.indices.back() + 1 == static_cast<int64_t>(outcome.indices.size()))
      continue;
    met = true;
    EXPECT_EQ(outcome.code, 0) << outcome.message;
    EXPECT_THAT(outcome.warnings, ElementsAre(HasSubstr("ends within a group of frames")));
    EXPECT_EQ(outcome.crcs.back(), whole.crcs[static_cast<size_t>(outcome.indices.back())]);
  }
  EXPECT_TRUE(met);
}

}  // namespace
}  // namespace vq::cli
