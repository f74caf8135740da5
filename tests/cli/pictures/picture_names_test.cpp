#include "cli/pictures/picture_files.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

class PictureNamesTest : public ::testing::Test {
 protected:
  std::string base_of(const PictureOrigin& origin, std::vector<std::string> reserved = {}) const {
    const std::string base = picture_base({folder_.path(), std::move(reserved)}, origin);
    EXPECT_EQ(fs::path(base).parent_path(), folder_.path());
    return fs::path(base).filename();
  }
  void put(const std::string& name, const std::string& content) const {
    test::write_file(folder_.path() + "/" + name, content);
  }
  test::TemporaryFolder folder_;
};

TEST_F(PictureNamesTest, TellVideoMetricAndFrame) {
  EXPECT_EQ(base_of(picture_origin("dir/show.x264.mkv", "cambi")), "show.x264.cambi");
  EXPECT_EQ(base_of(picture_origin("show", "cambi_eotf_pq")), "show.cambi_eotf_pq");
  EXPECT_EQ(base_of(picture_origin("-", "cambi")), "stdin.cambi");
  EXPECT_EQ(picture_path("maps/show.cambi", 156), "maps/show.cambi.f000156.png");
  EXPECT_EQ(picture_path("show.cambi", 12345678), "show.cambi.f12345678.png");
  EXPECT_EQ(picture_path("show.cambi", 7, PictureKind::kReference), "show.cambi.f000007.reference.png");
  EXPECT_EQ(picture_path("show.cambi", 7, PictureKind::kDistorted), "show.cambi.f000007.distorted.png");
}

TEST_F(PictureNamesTest, LeaveRoomForWhatFollows) {
  const std::string long_stem(255, 'x');
  EXPECT_EQ(base_of(picture_origin(long_stem, "cambi")).size(), 200U);
  EXPECT_THAT(base_of(picture_origin(long_stem, "cambi")), ::testing::EndsWith("x.cambi"));
  EXPECT_EQ(base_of(picture_origin("a", std::string(300, 'm'))).size(), 200U);
  // Half a character is left out: each of these has three bytes.
  std::string wide;
  for (int i = 0; i < 80; ++i) wide += "\u20ac";
  EXPECT_EQ(base_of(picture_origin(wide, "cambi")).size(), 3U * 64 + 6);
}

TEST_F(PictureNamesTest, TheMarkTellsVideosOfOneNameApart) {
  fs::create_directories(folder_.path() + "/a");
  fs::create_directories(folder_.path() + "/b");
  put("a/show.mkv", "");
  put("b/show.mkv", "");
  const auto mark = [&](const std::string& video) {
    return picture_origin(folder_.path() + video, "cambi").mark;
  };
  EXPECT_NE(mark("/a/show.mkv"), mark("/b/show.mkv"));
  EXPECT_EQ(mark("/a/show.mkv"), mark("/b/../a/show.mkv"));
}

TEST_F(PictureNamesTest, APlainPictureOfAnotherVideoIsNotReplacedEither) {
  for (const char* name : {"show.cambi.f000001.reference.png", "show.cambi.f000001.distorted.partial.png"}) {
    put(name, "of another");
    EXPECT_EQ(base_of(picture_origin("show.mkv", "cambi")), "show-2.cambi") << name;
    fs::remove(folder_.path() + "/" + name);
  }
}

TEST_F(PictureNamesTest, WhatAnotherVideoLeftIsNotReplaced) {
  const PictureOrigin origin = picture_origin("show.mkv", "cambi");
  put("show.cambi.f000001.png", "head " + origin.mark + std::string(9000, ' '));
  put("show.cambi.mp4", std::string(9000, ' ') + origin.mark + " tail");
  put("show.cambi.json", "no picture");
  put("show.cambi.f1.png", "nor this");
  EXPECT_EQ(base_of(origin), "show.cambi");
  put("show.cambi.f000002.partial.png", "somebody's");
  EXPECT_EQ(base_of(origin), "show-2.cambi");
  fs::create_symlink("nowhere", folder_.path() + "/show-2.cambi.mp4");
  EXPECT_EQ(base_of(origin), "show-3.cambi");
  EXPECT_EQ(base_of(origin, {"show-3.cambi.mkv", "show-3.cambi.txt"}), "show-4.cambi");
}

}  // namespace
}  // namespace vq::cli
