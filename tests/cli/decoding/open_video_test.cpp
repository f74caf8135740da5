// Sequences of pictures: which files they are, and what is read of them.
#include "cli/decoding/open_video.h"
#include "tests/support/run_program.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

class Sequence : public test::FolderTest {
 protected:
  void touch(const std::vector<std::string>& names) const {
    for (const std::string& name : names) test::write_file(in_folder(name), "x");
  }
  // The names without the folder.
  std::vector<std::string> files(const std::string& pattern) const {
    std::vector<std::string> names;
    const auto found = sequence_files(in_folder(pattern));
    if (!found) return {"(a single file)"};
    for (const std::string& file : *found) names.push_back(fs::path(file).filename().string());
    return names;
  }
  // A grey picture of one level.
  void picture(const std::string& name, int level, int width = 4) const {
    std::string text = "P5\n" + std::to_string(width) + " 3\n255\n";
    text.append(static_cast<size_t>(width) * 3, static_cast<char>(level));
    test::write_file(in_folder(name), text);
  }
  SourceOptions options(const std::string& pattern) const {
    SourceOptions options;
    options.path = in_folder(pattern);
    options.threads = 3;
    return options;
  }
  static std::vector<int> levels(VideoSource& source) {
    std::vector<int> found;
    while (const std::optional<Frame> frame = source.read()) found.push_back(frame->luma().u8.row(2)[3]);
    return found;
  }
};

TEST_F(Sequence, NumbersBeginWhereTheyBegin) {
  touch({"f0009.png", "f0010.png", "f0011.png", "f11.png", "f00011.png", "g0001.png", "f0008.jpg", "fx.png"});
  EXPECT_THAT(files("f%04d.png"), ElementsAre("f0009.png", "f0010.png", "f0011.png"));
  EXPECT_THAT(files("f%d.png"), ElementsAre("f11.png"));
  EXPECT_THAT(files("f%5d.png"), ElementsAre("f00011.png"));
  touch({"100%_7.png", "%d.png"});
  EXPECT_THAT(files("100%%_%d.png"), ElementsAre("100%_7.png"));
  EXPECT_THAT(files("%d.png"), ElementsAre("(a single file)"));  // a file of that very name
}

// What else is missing is in tests/program/messages/files.txt.
TEST_F(Sequence, MissingNumbersAreRefused) {
  touch({"f1.png", "f2.png", "f3.png", "f5.png"});
  vq::test::expect_error(ErrorKind::kInput, {"f4.png is missing"},
                         [&] { sequence_files(in_folder("f%d.png")); });
  vq::test::expect_error(ErrorKind::kInput, {"none/%d.png"},
                         [&] { sequence_files(in_folder("none/%d.png")); });
}

TEST_F(Sequence, PatternsAndFoldersAreInTheOrderOfCounting) {
  touch({"f10.png", "f9.png", "f009b.png", "f100.png", ".hidden.png", "notes.txt"});
  EXPECT_THAT(files("f*.png"), ElementsAre("f9.png", "f009b.png", "f10.png", "f100.png"));
  EXPECT_THAT(files("f?.png"), ElementsAre("f9.png"));
  EXPECT_THAT(files("."), ElementsAre("f9.png", "f009b.png", "f10.png", "f100.png"));
  fs::create_directory(in_folder("empty"));
  EXPECT_THAT(files("empty"), ElementsAre("(a single file)"));
  EXPECT_THAT(files("f9.png"), ElementsAre("(a single file)"));
  EXPECT_FALSE(sequence_files("-"));
  EXPECT_FALSE(sequence_files(""));
}

TEST_F(Sequence, NamesThatAreNoPatterns) {
  for (const char* name : {"f%04x.png", "f%d%d.png", "f%.png", "f%", "f%-3d.png", "f%100d.png", "f% d.png"})
    EXPECT_FALSE(sequence_files(in_folder(name))) << name;
}

TEST_F(Sequence, IsReadInOrderWithTheRateThatIsAskedFor) {
  for (int i = 0; i < 20; ++i) picture("f" + std::to_string(i + 95) + ".pgm", 10 * i);
  SourceOptions asked = options("f%d.pgm");
  asked.frame_rate = FrameRate{10, 1};
  const std::unique_ptr<VideoSource> source = open_video(asked);
  EXPECT_EQ(source->info().frames, 20);
  EXPECT_EQ(source->info().container, "image2");
  EXPECT_EQ(source->info().frame_rate(), 10);
  EXPECT_EQ(source->info().duration, 2);
  EXPECT_EQ(source->info().path, in_folder("f%d.pgm"));
  EXPECT_EQ(source->skip(3), 3);
  const std::optional<Frame> frame = source->read();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->index, 3);
  EXPECT_EQ(frame->timestamp, 0.3);
  EXPECT_EQ(frame->luma().u8.row(0)[0], 30);
  EXPECT_EQ(source->skip(2), 2);
  EXPECT_EQ(levels(*source).front(), 60);
  EXPECT_EQ(source->skip(5), 0);
  EXPECT_FALSE(source->read());
  FrameFinder finder(asked);
  EXPECT_EQ(finder.find(7, 0.7)->luma().u8.row(0)[0], 70);
  EXPECT_EQ(finder.find(19, 1.9)->luma().u8.row(0)[0], 190);
  EXPECT_FALSE(finder.find(20, 2.0));
}

TEST_F(Sequence, PicturesOfOtherFormatsAreNamed) {
  picture("f1.pgm", 1);
  picture("f2.pgm", 2, 5);
  picture("f3.pgm", 3);
  const std::unique_ptr<VideoSource> source = open_video(options("f%d.pgm"));
  EXPECT_TRUE(source->read());
  vq::test::expect_error(ErrorKind::kIncomplete, {"frame 1", "f2.pgm", "5x3", "4x3", "--allow-damage"},
                         [&] { source->read(); });
  EXPECT_FALSE(source->read());
  SourceOptions lenient = options("f%d.pgm");
  lenient.allow_damage = true;
  const std::unique_ptr<VideoSource> all = open_video(lenient);
  EXPECT_THAT(levels(*all), ElementsAre(1, 3));
  EXPECT_THAT(all->report().warnings, ElementsAre(HasSubstr("f2.pgm")));
}

TEST_F(Sequence, BrokenPicturesAreNamed) {
  picture("f1.pgm", 1);
  test::write_file(in_folder("f2.pgm"), "P5\n4 3\n255\n12345");
  test::write_file(in_folder("f3.pgm"), "");
  test::write_file(in_folder("f4.pgm"), "no picture");
  const std::pair<int, const char*> broken[] = {{1, "f2.pgm"}, {2, "f3.pgm"}, {3, "f4.pgm"}};
  for (const auto& [count, name] : broken) {
    const std::unique_ptr<VideoSource> source = open_video(options("f%d.pgm"));
    source->skip(count);
    vq::test::expect_error(ErrorKind::kIncomplete, {"frame " + std::to_string(count), name},
                           [&] { source->read(); });
  }
  fs::rename(in_folder("f4.pgm"), in_folder("f0.pgm"));
  vq::test::expect_error(ErrorKind::kInput, {"f0.pgm"}, [&] { open_video(options("f%d.pgm")); });
}

TEST_F(Sequence, IsDecodedInSoftware) {
  picture("f1.pgm", 1);
  SourceOptions hardware = options("f%d.pgm");
  hardware.hardware.decoder = DecoderRequest::kHardware;
  vq::test::expect_error(ErrorKind::kBackend, {"software", "--decoder auto"}, [&] { open_video(hardware); });
}

// Frames found again are those that were read.

struct Known {
  int64_t index;
  std::optional<double> timestamp;
  uint32_t crc;
};

std::vector<Known> frames_of(const SourceOptions& options) {
  const auto video = open_video(options);
  std::vector<Known> known;
  while (const auto frame = video->read())
    known.push_back({frame->index, frame->timestamp, luma_crc(*frame)});
  return known;
}

// Every frame by itself, and every third one after the other.
void expect_found(const SourceOptions& options) {
  const std::vector<Known> known = frames_of(options);
  ASSERT_FALSE(known.empty());
  FrameFinder walker(options);
  for (size_t i = 0; i < known.size(); ++i) {
    FrameFinder finder(options);
    for (FrameFinder* const one : {&finder, &walker}) {
      if (one == &walker && i % 3 != 0) continue;
      const auto frame = one->find(known[i].index, known[i].timestamp);
      ASSERT_TRUE(frame) << options.path << " " << i;
      EXPECT_EQ(frame->index, known[i].index);
      EXPECT_EQ(luma_crc(*frame), known[i].crc) << options.path << " " << i;
    }
  }
}

TEST(FrameFinder, FindsEveryFrameOfContainers) {
  for (const char* const name :
       {"sky_640x360_8b.mp4", "sky_640x360_10b.mkv", "dusk_1280x720_8b.webm", "sky_1920x1080_8b_av1.mp4",
        "dusk_960x540_10b_hlg.mp4", "static_640x360_8b.mp4", "textured_417x235_8b.mkv"}) {
    expect_found(options_for(clip_path(name), 1));
  }
}

TEST(FrameFinder, FindsFramesOfY4mAndRawVideo) {
  const test::TemporaryFolder folder;
  const std::string y4m = test::y4m_video({.width = 32, .height = 16, .frames = 7});
  test::write_file(folder.path() + "/a.y4m", y4m);
  expect_found(options_for(folder.path() + "/a.y4m", 1));
  std::string bytes;
  for (int i = 0; i < 5; ++i) bytes += std::string(384, static_cast<char>('a' + i));
  test::write_file(folder.path() + "/a.yuv", bytes);
  SourceOptions raw = options_for(folder.path() + "/a.yuv", 1);
  raw.raw = PlanarLayout{.width = 16, .height = 16};
  expect_found(raw);
}

TEST(FrameFinder, TheTimeDecidesWhereItIsKnown) {
  const SourceOptions options = options_for(clip_path("sky_640x360_8b.mp4"), 1);
  const std::vector<Known> known = frames_of(options);
  // As of a run that skipped three frames: it counts from there.
  FrameFinder finder(options);
  const auto frame = finder.find(4, known[7].timestamp);
  ASSERT_TRUE(frame);
  EXPECT_EQ(luma_crc(*frame), known[7].crc);
  EXPECT_EQ(frame->index, 4);
}

TEST(FrameFinder, WhatIsNotThereIsNotFound) {
  const SourceOptions options = options_for(clip_path("sky_640x360_8b.mp4"), 1);
  FrameFinder finder(options);
  EXPECT_FALSE(finder.find(100, 4.0));
  EXPECT_FALSE(finder.find(100, std::nullopt));
  const double frame = *frames_of(options)[1].timestamp;
  EXPECT_FALSE(FrameFinder(options).find(3, frame * 3.5 - frame));  // between two frames
}

}  // namespace
}  // namespace vq::cli
