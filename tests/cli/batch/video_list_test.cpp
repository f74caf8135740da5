// Which videos a batch has, what their reports are called, and what they are compared with.
#include <sys/stat.h>

#include "cli/batch/video_list.h"
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

class VideoListTest : public FolderTest {
 protected:
  using Folder::made;
  std::string made(const std::string& name) const {
    fs::create_directories(fs::path(in_folder(name)).parent_path());
    return made(name, name);
  }

  static std::vector<std::string> names(const VideoList& list) {
    std::vector<std::string> names;
    for (const ListedVideo& video : list.videos) names.push_back(video.name);
    return names;
  }

  static VideoListRequest asked(const std::vector<std::string>& paths,
                                const std::vector<std::string>& lists = {},
                                const std::string& reference_folder = {}, const std::string& root = {}) {
    VideoListRequest request{.paths = paths, .lists = lists, .reference_folder = {}, .root = {}};
    if (!reference_folder.empty()) request.reference_folder = reference_folder;
    if (!root.empty()) request.root = root;
    return request;
  }
  static VideoList of(const std::vector<std::string>& paths) { return list_videos(asked(paths)); }
  static void expect_refusal(const VideoListRequest& request, ErrorKind kind,
                             std::initializer_list<std::string_view> parts = {}) {
    vq::test::expect_error(kind, parts, [&] { list_videos(request); });
  }
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
  for (const char* name : {"s1/e10.mkv", "s1/e2.MKV", "s2/e1.mp4", "poster.png", "s1/e2.srt", ".hidden.mkv",
                           ".cache/e3.mkv", "raw.yuv", "README"}) {
    made(name);
  }
  const VideoList list = of({in_folder("")});
  EXPECT_THAT(names(list), ElementsAre("s1/e2.MKV", "s1/e10.mkv", "s2/e1.mp4"));
  EXPECT_EQ(list.other_files, 4);
  EXPECT_EQ(list.videos[0].bytes, 9);
  EXPECT_EQ(fs::path(list.videos[0].path).filename(), "e2.MKV");
  VideoListRequest raw = asked({in_folder("")});
  raw.may_be_raw = true;
  EXPECT_THAT(names(list_videos(raw)), ElementsAre("raw.yuv", "s1/e2.MKV", "s1/e10.mkv", "s2/e1.mp4"));
}

TEST_F(VideoListTest, NamesAreBelowWhatAllShare) {
  const std::string a = made("x/s1/a.mkv"), b = made("y/s1/a.mkv"), odd = made("y/any.name");
  EXPECT_THAT(names(of({a})), ElementsAre("a.mkv"));
  EXPECT_THAT(names(of({a, b})), ElementsAre("x/s1/a.mkv", "y/s1/a.mkv"));
  EXPECT_THAT(names(of({in_folder("x/s1/"), in_folder("y")})), ElementsAre("x/s1/a.mkv", "y/s1/a.mkv"));
  EXPECT_THAT(names(of({in_folder("y/../y/./s1"), odd})), ElementsAre("any.name", "s1/a.mkv"));
  VideoListRequest rooted = asked({a}, {}, {}, in_folder("."));
  EXPECT_THAT(names(list_videos(rooted)), ElementsAre("x/s1/a.mkv"));
  rooted.root = in_folder("y");
  expect_refusal(rooted, ErrorKind::kUsage, {a, in_folder("y")});
}

TEST_F(VideoListTest, AFileOfTwoNamesIsScoredOnce) {
  const std::string a = made("a.mkv");
  fs::create_hard_link(a, in_folder("b.mkv"));
  fs::create_symlink("a.mkv", in_folder("c.mkv"));
  const VideoList list = of({in_folder(""), a});
  EXPECT_THAT(names(list), ElementsAre("a.mkv"));
  EXPECT_THAT(list.remarks,
              ElementsAre(HasSubstr("b.mkv is the same file as"), HasSubstr("c.mkv is the same file as")));
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
  VideoListRequest request = asked({in_folder("")});
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
    expect_refusal(asked({in_folder("shut")}), ErrorKind::kInput);
  }
  fs::permissions(in_folder("shut"), fs::perms::owner_all);
}

TEST_F(VideoListTest, SaysWhatIsNoInput) {
  mkfifo(in_folder("pipe.mkv").c_str(), 0600);
  made("text/notes.txt");
  expect_refusal(asked({in_folder("nothing")}), ErrorKind::kInput, {in_folder("nothing")});
  expect_refusal(asked({in_folder("pipe.mkv")}), ErrorKind::kUsage,
                 {in_folder("pipe.mkv"), "neither a file nor a folder"});
  expect_refusal(asked({"-"}), ErrorKind::kUsage, {"standard input"});
  expect_refusal(asked({in_folder("text")}), ErrorKind::kInput, {in_folder("text"), "1 other file"});
  // In a folder a pipe is passed over.
  made("a.mkv");
  EXPECT_THAT(names(of({in_folder("")})), ElementsAre("a.mkv"));
}

TEST_F(VideoListTest, ListsHaveAPathALineAndPairs) {
  const std::string a = made("a b.mkv"), b = made("b.mkv"), reference = made("ref.mkv");
  write_file(in_folder("list"), a + "\t" + reference + "\r\n\n" + b + "\t" + reference + "\n" +
                                    in_folder("gone.mkv") + "\t" + reference);
  const VideoList list = list_videos(asked({}, {in_folder("list")}));
  EXPECT_THAT(names(list), ElementsAre("a b.mkv", "b.mkv"));
  EXPECT_EQ(list.videos[0].reference, reference);
  ASSERT_EQ(list.faults.size(), 1U);  // the rest is scored all the same
  EXPECT_EQ(list.faults[0].path, in_folder("gone.mkv"));
  for (const char* line : {"\tx", "x\t", "x\ty\tz"}) {
    write_file(in_folder("list"), line);
    expect_refusal(asked({}, {in_folder("list")}), ErrorKind::kInput, {"neither"});
  }
  expect_refusal(asked({}, {in_folder("no list")}), ErrorKind::kInput, {in_folder("no list")});
  // All are pairs, or none is.
  write_file(in_folder("list"), a + "\t" + reference + "\n" + b);
  expect_refusal(asked({}, {in_folder("list")}), ErrorKind::kMismatch);
}

TEST_F(VideoListTest, ReferencesAreFoundByName) {
  made("encodes/s1/e1.mp4");
  made("encodes/s1/e2.mp4");
  made("masters/s1/e1.mov");
  made("masters/s1/e2.mkv");
  made("masters/s1/e3.mkv");
  const VideoListRequest request = asked({in_folder("encodes")}, {}, in_folder("masters"));
  const VideoList list = list_videos(request);
  EXPECT_EQ(list.videos[0].reference, in_folder("masters/s1/e1.mov"));
  EXPECT_EQ(list.videos[1].reference, in_folder("masters/s1/e2.mkv"));
  EXPECT_THAT(list.remarks, ElementsAre(HasSubstr("1 reference in")));

  made("masters/s1/e1.mkv");
  expect_refusal(request, ErrorKind::kMismatch, {"s1/e1.mp4", "e1.mkv", "e1.mov"});
  fs::remove(in_folder("masters/s1/e1.mkv"));
  fs::remove(in_folder("masters/s1/e1.mov"));
  expect_refusal(request, ErrorKind::kMismatch, {"s1/e1.*", in_folder("masters")});
}

TEST_F(VideoListTest, ReferencesInTheFolderItselfAreNoVideos) {
  made("e1.mp4");
  made("masters/e1.mov");
  const VideoList list = list_videos(asked({in_folder("")}, {}, in_folder("masters")));
  EXPECT_THAT(names(list), ElementsAre("e1.mp4"));
  EXPECT_EQ(list.videos[0].reference, in_folder("masters/e1.mov"));
}

TEST_F(VideoListTest, TwoVideosOfOneReferenceAreTold) {
  made("e1.mp4");
  made("e1.mkv");
  made("masters/e1.mov");
  const VideoList list = list_videos(asked({in_folder("")}, {}, in_folder("masters")));
  EXPECT_THAT(names(list), ElementsAre("e1.mkv", "e1.mp4"));
  EXPECT_THAT(list.remarks, ElementsAre(HasSubstr("is the reference of several videos")));
}

// Lists of videos and names of files with bytes that are no text.

using namespace std::string_literals;

class ListBytes : public FolderTest {
 protected:
  std::string list(const std::string& text) const { return made("list.txt", text); }
};

TEST_F(ListBytes, NulBytesAreRefused) {
  for (const std::string& text : {"a.mp4\0b.mp4\0"s, "a.mp4\0b.mp4\n"s, "a.mp4\nb.mp4\n\0"s,
                                  "\xFF\xFE"
                                  "a\0.\0"s}) {
    vq::test::expect_error(ErrorKind::kInput, {}, [&] { read_video_list(list(text)); });
  }
}

TEST_F(ListBytes, AByteOrderMarkIsNoPartOfThePath) {
  const std::vector<ListLine> lines =
      read_video_list(list("\xEF\xBB\xBF"
                           "a.mp4\r\n\xEF\xBB\xBF"
                           "b.mp4\n"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].video, "a.mp4");
  EXPECT_EQ(lines[1].video,
            "\xEF\xBB\xBF"
            "b.mp4")
      << "behind the first line it is text";
}

TEST(EscapedText, LeavesUtf8AsItIs) {
  EXPECT_EQ(escaped_text("\xC3\xA4\xF0\x9F\x98\x80 a\\b\n"), "\xC3\xA4\xF0\x9F\x98\x80 a\\b\n");
  EXPECT_EQ(escaped_text("x\xFF.mp4"), "x\\xff.mp4");
  EXPECT_EQ(escaped_text("\xC3(\xE4\xBD\xED\xA0\x80\xC0\xAF"), "\\xc3(\\xe4\\xbd\\xed\\xa0\\x80\\xc0\\xaf");
  for (const char* const text : {"\xFF", "\xC3", "a\xE4\xBD", "\xED\xA0\x80"}) EXPECT_FALSE(is_utf8(text));
  EXPECT_TRUE(is_utf8("\xC3\xA4\xE4\xBD\xA0"));
}

TEST_F(ListBytes, AVideoWhoseNameIsNotUtf8IsUpToDateTheSecondTime) {
  fs::create_directory(in_folder("v"));
  fs::copy(clip("static_640x360_8b.mp4"), in_folder("v/x\xFF.mp4"));
  json summary;
  for (const char* const state : {"scored", "kept"}) {
    run_well({"batch", in_folder("v"), "--reports", in_folder("reports"), "--quiet"});
    summary = read_json(in_folder("reports/summary.json"));
    EXPECT_EQ(summary.at("videos").at(0).at("state"), state);
  }
  EXPECT_TRUE(fs::exists(in_folder("reports/" + summary.at("videos").at(0).at("report").get<std::string>())));
  // Another file whose name looks the same in JSON.
  fs::copy(clip("static_640x360_8b.mp4"), in_folder("v/x\xFE.mp4"));
  ASSERT_EQ(run_program({"batch", in_folder("v"), "--reports", in_folder("reports"), "--quiet"}).code, 0);
  summary = read_json(in_folder("reports/summary.json"));
  EXPECT_NE(summary.at("videos").at(0).at("report"), summary.at("videos").at(1).at("report"));
  // And one that is called so.
  fs::copy(clip("static_640x360_8b.mp4"), in_folder("v/x\\xff.mp4"));
  EXPECT_EQ(run_program({"batch", in_folder("v"), "--reports", in_folder("reports"), "--quiet"}).code, 1);
}

}  // namespace

}  // namespace vq::cli::test
