// Lists of videos and names of files with bytes that are no text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/batch/video_list.h"
#include "core/error.h"
#include "core/text.h"
#include "tests/support/bad_input.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

class ListBytes : public testing::Test {
 protected:
  std::string in_folder(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string list(const std::string& text) const {
    write_file(in_folder("list.txt"), text);
    return in_folder("list.txt");
  }
  TemporaryFolder folder_;
};

TEST_F(ListBytes, NulBytesAreRefused) {
  for (const std::string& text : {"a.mp4\0b.mp4\0"s, "a.mp4\0b.mp4\n"s, "a.mp4\nb.mp4\n\0"s,
                                  "\xFF\xFE"
                                  "a\0.\0"s}) {
    try {
      read_video_list(list(text));
      ADD_FAILURE() << printable(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
    }
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
  nlohmann::json summary;
  for (const char* const state : {"scored", "kept"}) {
    const ProgramResult run =
        run_program({"batch", in_folder("v"), "--reports", in_folder("reports"), "--quiet"});
    ASSERT_EQ(run.code, 0) << run.err;
    summary = nlohmann::json::parse(read_file(in_folder("reports/summary.json")));
    EXPECT_EQ(summary.at("videos").at(0).at("state"), state);
  }
  EXPECT_TRUE(fs::exists(in_folder("reports/" + summary.at("videos").at(0).at("report").get<std::string>())));
  // Another file whose name looks the same in JSON.
  fs::copy(clip("static_640x360_8b.mp4"), in_folder("v/x\xFE.mp4"));
  ASSERT_EQ(run_program({"batch", in_folder("v"), "--reports", in_folder("reports"), "--quiet"}).code, 0);
  summary = nlohmann::json::parse(read_file(in_folder("reports/summary.json")));
  EXPECT_NE(summary.at("videos").at(0).at("report"), summary.at("videos").at(1).at("report"));
  // And one that is called so.
  fs::copy(clip("static_640x360_8b.mp4"), in_folder("v/x\\xff.mp4"));
  EXPECT_EQ(run_program({"batch", in_folder("v"), "--reports", in_folder("reports"), "--quiet"}).code, 1);
}

}  // namespace
}  // namespace vq::cli::test
