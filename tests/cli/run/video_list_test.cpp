// Which videos a batch has, what their reports are called, and what they are compared with.
#include "cli/run/video_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "core/error.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

using test::write_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class VideoListTest : public ::testing::Test {
 protected:
  std::string in_folder(const std::string& name) const { return folder_.path() + "/" + name; }

  std::string made(const std::string& name) const {
    fs::create_directories(fs::path(in_folder(name)).parent_path());
    write_file(in_folder(name), name);
    return in_folder(name);
  }

  static std::vector<std::string> names(const VideoList& list) {
    std::vector<std::string> names;
    for (const ListedVideo& video : list.videos) names.push_back(video.name);
    return names;
  }

  static VideoList of(const std::vector<std::string>& paths) { return list_videos({.paths = paths, .lists = {}, .reference_folder = {}, .root = {}}); }

  // "KIND: message" of the Error that it throws.
  static std::string error_of(const VideoListRequest& request) {
    try {
      list_videos(request);
    } catch (const Error& error) {
      return std::to_string(error.exit_code()) + ": " + error.what();
    }
    return "no error";
  }

 private:
  const test::TemporaryFolder folder_;
};

// Root can read every folder, so while this lives root is somebody who cannot.
class AsNobody {
 public:
  AsNobody() {
    if (is_root_ && seteuid(65534) != 0) throw std::runtime_error("root cannot become nobody");
  }
  ~AsNobody() {
    if (is_root_ && seteuid(0) != 0) std::abort();
  }
  AsNobody(const AsNobody&) = delete;

 private:
  const bool is_root_ = geteuid() == 0;
};

TEST_F(VideoListTest, TakesVideosInNaturalOrder) {
  for (const char* name : {"s1/e10.mkv", "s1/e2.MKV", "s2/e1.mp4", "poster.png", "s1/e2.srt", ".hidden.mkv", ".cache/e3.mkv", "raw.yuv", "README"}) {
    made(name);
  }
  const VideoList list = of({in_folder("")});
  EXPECT_THAT(names(list), ElementsAre("s1/e2.MKV", "s1/e10.mkv", "s2/e1.mp4"));
  EXPECT_EQ(list.other_files, 4);
  EXPECT_EQ(list.videos[0].bytes, 9);
  EXPECT_EQ(fs::path(list.videos[0].path).filename(), "e2.MKV");
  VideoListRequest raw{.paths = {in_folder("")}, .lists = {}, .reference_folder = {}, .root = {}};
  raw.may_be_raw = true;
  EXPECT_THAT(names(list_videos(raw)), ElementsAre("raw.yuv", "s1/e2.MKV", "s1/e10.mkv", "s2/e1.mp4"));
}

TEST_F(VideoListTest, NamesAreBelowWhatAllShare) {
  const std::string a = made("x/s1/a.mkv"), b = made("y/s1/a.mkv"), odd = made("y/any.name");
  EXPECT_THAT(names(of({a})), ElementsAre("a.mkv"));
  EXPECT_THAT(names(of({a, b})), ElementsAre("x/s1/a.mkv", "y/s1/a.mkv"));
  EXPECT_THAT(names(of({in_folder("x/s1/"), in_folder("y")})), ElementsAre("x/s1/a.mkv", "y/s1/a.mkv"));
  EXPECT_THAT(names(of({in_folder("y/../y/./s1"), odd})), ElementsAre("any.name", "s1/a.mkv"));
  VideoListRequest rooted{.paths = {a}, .lists = {}, .reference_folder = {}, .root = in_folder(".")};
  EXPECT_THAT(names(list_videos(rooted)), ElementsAre("x/s1/a.mkv"));
  rooted.root = in_folder("y");
  EXPECT_THAT(error_of(rooted), HasSubstr("1: "));
  EXPECT_THAT(error_of(rooted), HasSubstr("is not below the root"));
}

TEST_F(VideoListTest, AFileOfTwoNamesIsScoredOnce) {
  const std::string a = made("a.mkv");
  fs::create_hard_link(a, in_folder("b.mkv"));
  fs::create_symlink("a.mkv", in_folder("c.mkv"));
  const VideoList list = of({in_folder(""), a});
  EXPECT_THAT(names(list), ElementsAre("a.mkv"));
  EXPECT_THAT(list.remarks, ElementsAre(HasSubstr("b.mkv is the same file as"), HasSubstr("c.mkv is the same file as")));
  // The same name once more is no news.
  EXPECT_TRUE(of({a, a}).remarks.empty());
}

TEST_F(VideoListTest, LinksLeadOnceIntoEachFolder) {
  made("s1/a.mkv");
  fs::create_directory_symlink("..", in_folder("s1/up"));
  fs::create_directory_symlink("loop", in_folder("loop"));
  fs::create_directory_symlink("../elsewhere", in_folder("s1/other"));
  made("elsewhere/z.mkv");
  fs::create_symlink("nowhere", in_folder("gone.mkv"));
  const VideoList list = of({in_folder("s1"), in_folder("")});
  EXPECT_THAT(names(list), ElementsAre("s1/a.mkv", "s1/other/z.mkv"));
  EXPECT_TRUE(list.remarks.empty()) << list.remarks.front();
  ASSERT_EQ(list.faults.size(), 1U);
  EXPECT_THAT(list.faults[0].path, testing::EndsWith("/gone.mkv"));
}

TEST_F(VideoListTest, FoldersThatAreWrittenToAreLeftOut) {
  made("a.mkv");
  made("maps/a.overlay.mkv");
  VideoListRequest request{.paths = {in_folder("")}, .lists = {}, .reference_folder = {}, .root = {}};
  request.left_out = {in_folder("maps/"), in_folder("not-there-yet")};
  EXPECT_THAT(names(list_videos(request)), ElementsAre("a.mkv"));
  // One that is given is meant.
  request.left_out.push_back(in_folder("."));
  EXPECT_THAT(names(list_videos(request)), ElementsAre("a.mkv"));
}

TEST_F(VideoListTest, WhatCannotBeReadIsAFaultBelowAndAnErrorAbove) {
  made("a.mkv");
  made("shut/b.mkv");
  fs::permissions(in_folder("shut"), fs::perms::none);
  fs::permissions(in_folder(""), fs::perms(0755));
  {
    const AsNobody nobody;
    const VideoList list = of({in_folder("")});
    EXPECT_THAT(names(list), ElementsAre("a.mkv"));
    EXPECT_EQ(list.faults.size(), 1U);
    EXPECT_THAT(error_of({.paths = {in_folder("shut")}, .lists = {}, .reference_folder = {}, .root = {}}), HasSubstr("2: "));
  }
  fs::permissions(in_folder("shut"), fs::perms::owner_all);
}

TEST_F(VideoListTest, SaysWhatIsNoInput) {
  mkfifo(in_folder("pipe.mkv").c_str(), 0600);
  made("text/notes.txt");
  const auto of_path = [&](const std::string& path) { return error_of({.paths = {path}, .lists = {}, .reference_folder = {}, .root = {}}); };
  EXPECT_THAT(of_path(in_folder("nothing")), HasSubstr("2: "));
  EXPECT_THAT(of_path(in_folder("pipe.mkv")), HasSubstr("is neither a file nor a folder"));
  EXPECT_THAT(of_path("-"), HasSubstr("and not standard input"));
  EXPECT_THAT(of_path(in_folder("text")), HasSubstr("2: there is no video in"));
  EXPECT_THAT(of_path(in_folder("text")), HasSubstr("(1 other file)"));
  // In a folder a pipe is passed over.
  made("a.mkv");
  EXPECT_THAT(names(of({in_folder("")})), ElementsAre("a.mkv"));
}

TEST_F(VideoListTest, ListsHaveAPathALineAndPairs) {
  const std::string a = made("a b.mkv"), b = made("b.mkv"), reference = made("ref.mkv");
  write_file(in_folder("list"), a + "\t" + reference + "\r\n\n" + b + "\t" + reference + "\n" + in_folder("gone.mkv") + "\t" + reference);
  const VideoList list = list_videos({.paths = {}, .lists = {in_folder("list")}, .reference_folder = {}, .root = {}});
  EXPECT_THAT(names(list), ElementsAre("a b.mkv", "b.mkv"));
  EXPECT_EQ(list.videos[0].reference, reference);
  ASSERT_EQ(list.faults.size(), 1U);  // the rest is scored all the same
  EXPECT_EQ(list.faults[0].path, in_folder("gone.mkv"));
  for (const char* line : {"\tx", "x\t", "x\ty\tz"}) {
    write_file(in_folder("list"), line);
    EXPECT_THAT(error_of({.paths = {}, .lists = {in_folder("list")}, .reference_folder = {}, .root = {}}), HasSubstr("is neither")) << line;
  }
  EXPECT_THAT(error_of({.paths = {}, .lists = {in_folder("no list")}, .reference_folder = {}, .root = {}}), HasSubstr("the list cannot be opened"));
  // All are pairs, or none is.
  write_file(in_folder("list"), a + "\t" + reference + "\n" + b);
  EXPECT_THAT(error_of({.paths = {}, .lists = {in_folder("list")}, .reference_folder = {}, .root = {}}), HasSubstr("3: "));
}

TEST_F(VideoListTest, ReferencesAreFoundByName) {
  made("encodes/s1/e1.mp4");
  made("encodes/s1/e2.mp4");
  made("masters/s1/e1.mov");
  made("masters/s1/e2.mkv");
  made("masters/s1/e3.mkv");
  const VideoListRequest request{.paths = {in_folder("encodes")}, .lists = {}, .reference_folder = in_folder("masters"), .root = {}};
  const VideoList list = list_videos(request);
  EXPECT_EQ(list.videos[0].reference, in_folder("masters/s1/e1.mov"));
  EXPECT_EQ(list.videos[1].reference, in_folder("masters/s1/e2.mkv"));
  EXPECT_THAT(list.remarks, ElementsAre(HasSubstr("1 reference in")));

  made("masters/s1/e1.mkv");
  EXPECT_THAT(error_of(request), HasSubstr("3: "));
  EXPECT_THAT(error_of(request), HasSubstr("could be compared with"));
  fs::remove(in_folder("masters/s1/e1.mkv"));
  fs::remove(in_folder("masters/s1/e1.mov"));
  EXPECT_THAT(error_of(request), HasSubstr("there is no reference s1/e1.* in"));
}

TEST_F(VideoListTest, ReferencesInTheFolderItselfAreNoVideos) {
  made("e1.mp4");
  made("masters/e1.mov");
  const VideoList list = list_videos({.paths = {in_folder("")}, .lists = {}, .reference_folder = in_folder("masters"), .root = {}});
  EXPECT_THAT(names(list), ElementsAre("e1.mp4"));
  EXPECT_EQ(list.videos[0].reference, in_folder("masters/e1.mov"));
}

TEST_F(VideoListTest, TwoVideosOfOneReferenceAreTold) {
  made("e1.mp4");
  made("e1.mkv");
  made("masters/e1.mov");
  const VideoList list = list_videos({.paths = {in_folder("")}, .lists = {}, .reference_folder = in_folder("masters"), .root = {}});
  EXPECT_THAT(names(list), ElementsAre("e1.mkv", "e1.mp4"));
  EXPECT_THAT(list.remarks, ElementsAre(HasSubstr("is the reference of several videos")));
}

}  // namespace
}  // namespace vq::cli
