// The fingerprint through the program: against its definition, computed a second time, on every backend.
#include "tests/fingerprint/pictures.h"
#include "tests/support/report_test.h"

namespace vq::fingerprint {
namespace {

using namespace cli::test;
using nlohmann::json;
using test::DecodedPlane;

std::string cell(std::istringstream& line) {
  std::string text;
  std::getline(line, text, '|');
  const size_t first = text.find_first_not_of(" `"), last = text.find_last_not_of(" `");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Rows with / between them.
DecodedPlane parse_plane(const std::string& text, int bit_depth) {
  std::vector<std::vector<int>> rows;
  std::istringstream row_texts(text);
  for (std::string row_text; std::getline(row_texts, row_text, '/');) {
    std::istringstream samples(row_text);
    rows.emplace_back(std::istream_iterator<int>(samples), std::istream_iterator<int>());
  }
  DecodedPlane plane(static_cast<int>(rows.at(0).size()), static_cast<int>(rows.size()), bit_depth);
  plane.fill([&](int x, int y) { return rows[static_cast<size_t>(y)].at(static_cast<size_t>(x)); });
  return plane;
}

TEST(FingerprintHash, EqualsTheTestVectorsOfItsDefinition) {
  std::ifstream document(testdata("../docs/fingerprint.md"));
  int count = 0;
  for (std::string text; std::getline(document, text);) {
    if (text.size() < 4 || !text.starts_with("| ") || !std::isdigit(static_cast<unsigned char>(text[2])))
      continue;
    std::istringstream line(text);
    cell(line);
    const int bit_depth = std::stoi(cell(line));
    std::istringstream planes(cell(line));
    std::vector<DecodedPlane> picture;
    for (std::string plane; std::getline(planes, plane, ';');)
      picture.push_back(parse_plane(plane, bit_depth));
    EXPECT_EQ(test::hash_of(picture, bit_depth), cell(line)) << text;
    ++count;
  }
  EXPECT_EQ(count, 9);
}

std::string script() { return "/usr/bin/python3 " + testdata("../tests/fingerprint/fingerprint.py"); }

TEST(FingerprintScript, EqualsTheTestVectorsOfTheDefinition) {
  EXPECT_EQ(lines_of(output_of(script() + " vectors " + testdata("../docs/fingerprint.md"))).size(), 9U);
}

struct Clip {
  const char* name;
  int bit_depth;
  const char *luma, *chroma;
};
constexpr Clip kClips[] = {{"textured_417x235_8b.mkv", 8, "417x235", "209x118"},
                           {"colour_640x360_10b_waves_ref.mkv", 10, "640x360", "320x180"},
                           {"colour_357x355_8b_ref.mkv", 8, "357x355", "179x178"},
                           {"textured_480x270_16b.mkv", 16, "480x270", "240x135"},
                           {"small_256x144_8b.mp4", 8, "256x144", "128x72"}};

json frames_of(const std::string& video, const Words& more) {
  return cli::test::report_of_run({video, "--extended"}, {"fingerprint"}, more)
      .value("frames", json::array());
}

Words hashes_of(const std::string& video, const Words& more) {
  Words hashes;
  for (const json& frame : frames_of(video, more))
    hashes.push_back(frame.at("texts").items().begin().value());
  return hashes;
}

// FFmpeg unpacks the video, and the script that comes with the definition hashes it.
TEST(FingerprintProgram, EqualsTheDefinitionOnClips) {
  const TemporaryFolder folder;
  for (const Clip& clip : kClips) {
    const std::string video = testdata("clips/") + clip.name, raw = folder.path() + "/raw.yuv";
    output_of("ffmpeg -v error -y -i " + video + " -frames:v 2 -f rawvideo " + raw);
    const std::string chroma = clip.chroma;
    for (const bool all : {false, true}) {
      if (all && chroma.empty()) continue;
      std::string command =
          script() + " video " + raw + " " + std::to_string(clip.bit_depth) + " " + clip.luma;
      if (!chroma.empty()) command += (all ? " " : " +") + chroma + (all ? " " : " +") + chroma;
      const Words expected = lines_of(output_of(command));
      ASSERT_GT(expected.size(), 0U) << clip.name;
      for (const char* const backend : {"cpu", "scalar"}) {
        EXPECT_EQ(hashes_of(video, {"--frame_cnt", "2", "--planes", all ? "all" : "y", "--backend", backend}),
                  expected)
            << clip.name << ", " << backend;
      }
    }
  }
}

TEST(FingerprintProgram, OfACropIsThatOfSuchAPicture) {
  const TemporaryFolder folder;
  const std::string cropped = folder.path() + "/cropped.y4m",
                    video = testdata("clips/textured_417x235_8b.mkv");
  output_of("ffmpeg -v error -y -i " + video + " -vf crop=101:50:14:6:exact=1 -pix_fmt yuv420p -strict -1 " +
            cropped);
  EXPECT_EQ(hashes_of(video, {"--crop", "101:50:14:6", "--planes", "all"}),
            hashes_of(cropped, {"--planes", "all"}));
}

}  // namespace
}  // namespace vq::fingerprint
