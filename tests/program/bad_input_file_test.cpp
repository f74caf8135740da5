// Bad input: files that are cut, damaged, no videos, or worse; sizes, formats and samples.
#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "tests/support/bad_input.h"
#include "tests/support/source_test.h"

namespace vq::cli::test {
namespace {

class BadInputFile : public BadInputTest {
 protected:
  // Twenty-four frames, of which every eighth is coded for itself.
  std::string encoded(const std::string& name, const std::string& options = "") const {
    run_ffmpeg(
        "-f lavfi -i testsrc=s=320x240:r=24 -frames:v 24 -pix_fmt yuv420p -c:v libx264 -g 8 -threads 1 " +
        options + " " + in_folder(name));
    return in_folder(name);
  }
  std::string cut(const std::string& path, double share) const {
    fs::resize_file(path, static_cast<uintmax_t>(static_cast<double>(fs::file_size(path)) * share));
    return path;
  }
};

const VideoShape kShape{.frames = 8};

// What else cannot be opened is in tests/program/messages/files.txt.
TEST_F(BadInputFile, WhatHasNoPictures) {
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=24 -frames:v 0 -c:v ffv1 " + in_folder("none.nut"));
  refused({{{cut(encoded("a.mp4"), 0.6)}, 2, {"a.mp4", "moov"}}, {{in_folder("none.nut")}, 2, {"none.nut"}}});
}

// A pipe without a writer keeps no run waiting for it if the other video is not there.
TEST_F(BadInputFile, AMissingFileBesideAPipe) {
  const std::string pipe = in_folder("pipe"), missing = in_folder("none.y4m");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const ProgramOptions options{.time_limit_s = 60};
  refused({"-r", pipe, "-d", missing}, 2, {missing, "No such file"}, options);
  refused({"-r", missing, "-d", pipe}, 2, {missing, "No such file"}, options);
}

// A program that writes both videos, now this one first and now that, waits for whoever does not read.
TEST_F(BadInputFile, TwoPipesOfOneWriter) {
  const std::string reference = in_folder("reference"), distorted = in_folder("distorted");
  std::array<int, 2> pipes = {};
  for (size_t i = 0; i < 2; ++i) {
    const std::string& pipe = i == 0 ? distorted : reference;
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    pipes[i] = open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  std::atomic<bool> is_over = false;
  const auto write_all = [&](int pipe, std::string_view bytes) {
    while (!bytes.empty() && !is_over) {
      const ssize_t count = write(pipe, bytes.data(), bytes.size());
      if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
      if (count < 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  std::thread writer([&] {
    for (const int pipe : pipes) write_all(pipe, y4m_header(kShape));
    std::array<int, 2> order = pipes;
    for (int i = 0; i < kShape.frames; ++i, std::ranges::reverse(order)) {
      for (const int pipe : order) write_all(pipe, "FRAME\n" + frame_bytes(kShape, i));
    }
    for (const int pipe : pipes) close(pipe);
  });
  const auto on_one_core = [] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) _exit(126);
  };
  const ProgramResult result =
      run_program({"-r", reference, "-d", distorted, "--feature", "psnr", "-o", in_folder("r.json")},
                  {.time_limit_s = 30, .prepare = on_one_core});
  is_over = true;
  writer.join();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(read_json(in_folder("r.json")).at("frames").size(), static_cast<size_t>(kShape.frames));
}

TEST_F(BadInputFile, NoPermission) {
  const std::string video = made("a.y4m", y4m_video(kShape));
  chmod(video.c_str(), 0);
  for (const int threads : {1, 4}) {
    const ProgramResult result =
        run_program({video, "--threads", std::to_string(threads)}, {.prepare = give_up_rights});
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr(video));
    EXPECT_EQ(result.out, "");
  }
}

// How many frames a report has.
size_t frames_in(const std::string& path) { return read_json(path).at("frames").size(); }

TEST_F(BadInputFile, AFileThatShrinksWhileItIsRead) {
  const VideoShape shape{.frames = 600, .chroma = "400"};
  for (const char* threads : {"1", "4"}) {
    // Frames that all differ by their first sample only are cheap to make and dear to score.
    std::string video = y4m_header(shape);
    const std::string picture = frame_bytes(shape, 0);
    for (int i = 0; i < shape.frames; ++i) {
      video.append("FRAME\n").append(picture);
      video[video.size() - picture.size()] = static_cast<char>(60 + i % 2);
    }
    const std::string path = made("a.y4m", video);
    RunningProgram program({path, "--threads", threads, "--progress", "json", "-o", out()});
    ASSERT_TRUE(program.wait_for_error("{\"frames\": 1"));
    fs::resize_file(path, y4m_header(shape).size());
    const ProgramResult result = program.wait();
    EXPECT_FALSE(result.signalled);
    EXPECT_EQ(result.code, 6);
    EXPECT_THAT(result.err, HasSubstr(path + ": frame "));
    EXPECT_GE(frames_in(partial()), 1U);
    EXPECT_LT(frames_in(partial()), 600U);
    EXPECT_EQ(read_file(out()), kOld);
  }
}

TEST_F(BadInputFile, PairsOfDifferentSizes) {
  const std::string small = made("small.y4m", y4m_video({.width = 240, .height = 160}));
  const std::string large = made("large.y4m", y4m_video({}));
  const auto report = scored({"-r", small, "-d", large, "--full-ref", "--precision", "max"});
  const auto own = scored({small, "--precision", "max"});
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(report.at("frames")[i].at("metrics").at("cambi_source"),
              own.at("frames")[i].at("metrics").at("cambi"));
  }
  const MessageLines lines = message_lines(run({"-r", small, "-d", large, "--full-ref"}, 1).err);
  EXPECT_THAT(lines.others, Contains(AllOf(HasSubstr("240x160"), HasSubstr("320x240"))));
}

TEST_F(BadInputFile, PairsOfDifferentLengths) {
  const std::string longer = made("long.y4m", y4m_video(kShape));
  const std::string shorter = made("short.y4m", y4m_video({.frames = 5}));
  for (const bool swapped : {false, true}) {
    const Words pair = {"-r", swapped ? shorter : longer, "-d", swapped ? longer : shorter};
    EXPECT_THAT(scored(pair, {"5 of 8"}).at("frames"), SizeIs(5));
    Words strict = pair;
    strict.push_back("--strict");
    refused({strict, 6, {"short.y4m", "5", "8", "--strict"}});
  }
  // Matroska does not say how many frames there are.
  for (const char* name : {"long", "short"})
    run_ffmpeg("-i " + in_folder(std::string(name) + ".y4m") + " -c:v ffv1 " +
               in_folder(std::string(name) + ".mkv"));
  cut_short({{"-r", in_folder("long.mkv"), "-d", in_folder("short.mkv"), "--strict"},
             6,
             {"short.mkv", "5", "--strict"}},
            5);
  scored({"-r", longer, "-d", shorter, "--frame_cnt", "5", "--strict"});
}

TEST_F(BadInputFile, ASecondVideoInTheFileIsToldOf) {
  const std::string one = read_file(clip("sky_640x360_8b.mp4"));
  const std::string twice = made("twice.mp4", one + one);
  scored({twice}, {"at byte " + std::to_string(one.size())});
}

TEST_F(BadInputFile, PlaylistsAndProtocols) {
  // A pipe that nobody writes to: whoever opens it as a second file never comes back.
  const std::string trap = in_folder("trap.mkv");
  ASSERT_EQ(mkfifo(trap.c_str(), 0600), 0);
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n" + trap + "\n#EXT-X-ENDLIST\n"},
      {"a.ffconcat", "ffconcat version 1.0\nfile '" + trap + "'\n"},
      {"a.mpd",
       "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\"><Period>"
       "<AdaptationSet><Representation id=\"0\" bandwidth=\"1\" mimeType=\"video/mp4\"><BaseURL>" +
           trap + "</BaseURL></Representation></AdaptationSet></Period></MPD>\n"},
      {"a.sdp", "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"}};
  for (const auto& [name, text] : files) refused({{made(name, text)}, 2, {name}}, {.time_limit_s = 20});
  for (const std::string& text : {"concat:" + trap, "file:" + trap, std::string("data:video/mp4;base64,AAAA"),
                                  std::string("pipe:0"), in_folder("image%03d.png"),
                                  std::string("lavfi:testsrc"), std::string("subfile,,start,0,end,9,,:x")}) {
    refused({{text}, 2, {"No such file or directory"}}, {.time_limit_s = 20});
  }
}

TEST_F(BadInputFile, NoNetwork) {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(server, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(server, 8), 0);
  ASSERT_EQ(getsockname(server, reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::string url = "://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/a.mkv";
  for (const char* protocol : {"http", "tcp", "rtmp"}) {
    refused({{protocol + url}, 2, {protocol + url}}, {.time_limit_s = 20});
    const std::string list = made(
        "a.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n" + (protocol + url) + "\n#EXT-X-ENDLIST\n");
    refused({{list}, 2, {"a.m3u8"}}, {.time_limit_s = 20});
  }
  EXPECT_LT(accept(server, nullptr, nullptr), 0);  // nobody called
  close(server);
}

TEST_F(BadInputFile, Bombs) {
  const auto expect_cheap = [&](const std::string& path, const std::vector<int>& codes,
                                const std::string& said = "") {
    SCOPED_TRACE(path);
    for (const int threads : {1, 4}) {
      const ProgramResult result = run({path}, threads);
      EXPECT_THAT(codes, Contains(result.code)) << result.err;
      EXPECT_THAT(result.err, HasSubstr(said));
      expect_peak_below(int64_t{512} << 20, result);
      EXPECT_EQ(message_lines(result.err).errors.size(), 1U) << result.err;
      EXPECT_EQ(read_file(out()), kOld);
      EXPECT_FALSE(fs::exists(partial()));
    }
  };
  // 16384 x 16384 samples in a PNG of a few hundred bytes: the size is in its header, the picture is missing.
  const std::string png = std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x40\0\0\0\x40\0\x08\0\0\0\0", 29) +
                          std::string("\x2f\x9d\x7f\x27\0\0\0\x0aIDATx\x9c\x63\0\x01\0\0\x05\0\x01", 21);
  expect_cheap(made("a.png", png), {2, 3, 8});

  const auto patched = [&](const std::string& name, const std::string& word, size_t behind,
                           std::string value) {
    std::string bytes = read_file(encoded("a.mp4", "-movflags +faststart"));
    bytes.replace(bytes.find(word) + behind, value.size(), value);
    return made(name, bytes);
  };
  expect_cheap(
      patched("wide.mp4", std::string("avc1\0\0\0\0\0\0\0\1", 12), 28, std::string("\x40\0\x40\0", 4)), {3},
      "16384x16384");
  expect_cheap(patched("long.mp4", "stts", 12, "\x3B\x9A\xCA\x01"), {8}, "1000000001");

  // Encoded once: encoders for all streams at a time take longer than everything else here.
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=24 -frames:v 1 -c:v mpeg2video " + in_folder("one.nut"));
  std::string streams = "-i " + in_folder("one.nut") + " -c copy";
  for (int i = 0; i < 300; ++i) streams += " -map 0";
  for (const char* name : {"many.nut", "many.mkv", "many.mp4", "many.ts"}) {
    run_ffmpeg(streams + " " + in_folder(name));
    expect_cheap(in_folder(name), {3, 8});
  }
}

// Of every kind of output with one name, of the others with those that are hard for it.
TEST_F(BadInputFile, AwkwardNames) {
  fs::create_directory(in_folder("x"));
  for (const std::string name : {"a\"b'c<d>&.y4m", "line\nbreak.y4m", "\x1b[31mred\x1b[0m.y4m", "caf\xe9.y4m",
                                 "--help.y4m", "100%s%n.y4m", "\\x\\.y4m", "caf\xc3\xa9 \xe2\x80\xae.y4m"}) {
    SCOPED_TRACE(name);
    const std::string video = made("x/" + name, y4m_video({.width = 216, .height = 16, .frames = 1}));
    EXPECT_EQ(run({video, "--extended", "-o", out(), "-o", in_folder("r.xml"), "-o", in_folder("r.csv"), "-o",
                   in_folder("r.sub")},
                  1)
                  .code,
              0);
    EXPECT_EQ(frames_in(out()), 1U);
    write_file(out(), kOld);
    write_file(video, "no video");
    refused({{video}, 2, {}});
    fs::remove(video);
    refused({{video}, 2, {"No such file or directory"}});
  }
}

using BadInputPicture = BadInputTest;

Chroma chroma_named(const std::string& name) {
  if (name == "400") return Chroma::k400;
  if (name == "420") return Chroma::k420;
  return name == "422" ? Chroma::k422 : Chroma::k444;
}

TEST_F(BadInputPicture, StripsAreScored) {
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{
           {1920, 160}, {3840, 336}, {4000, 20}, {20, 4000}, {216, 16}, {216, 1}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    const std::string video =
        made("strip.y4m", y4m_video({.width = width, .height = height, .frames = 1, .chroma = "400"}));
    const auto cpu = scored({video, "--precision", "max"});
    EXPECT_THAT(scores_of(cpu), SizeIs(1));
    EXPECT_EQ(scored({video, "--precision", "max", "--backend", "scalar"}), cpu);
  }
}

TEST_F(BadInputPicture, ImpossibleSizes) {
  // A header and nothing but a hole behind it: what is refused is not read.
  const std::string wide = made("wide.y4m", "YUV4MPEG2 W8192 H4320 Cmono\nFRAME\n");
  fs::resize_file(wide, fs::file_size(wide) + 8192 * 4320);
  refused({wide, "--feature", "cambi=window_size=127"}, 3, {"window_size=127", "8192x4320", "255"});
}

TEST_F(BadInputPicture, EveryDepthAndChromaHasTheSameLuma) {
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    std::vector<uint32_t> first;
    for (const std::string chroma : {"400", "420", "422", "444"}) {
      SCOPED_TRACE(std::to_string(depth) + " bits, " + chroma);
      const VideoShape shape{.width = 65, .height = 47, .bit_depth = depth, .chroma = chroma};
      SourceOptions options;
      options.path = made("a.y4m", y4m_video(shape));
      const Outcome y4m = read_all(options);
      ASSERT_THAT(y4m.crcs, SizeIs(2)) << y4m.message;
      if (first.empty()) first = y4m.crcs;
      EXPECT_EQ(y4m.crcs, first);
      options.path = made("a.yuv", raw_video(shape));
      options.raw = PlanarLayout{shape.width, shape.height, depth, chroma_named(chroma)};
      EXPECT_EQ(read_all(options).crcs, first);
    }
  }
}

TEST_F(BadInputPicture, NeitherLumaNorRgbOf8Bits) {
  const std::string video = in_folder("a.nut");
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:d=0.1 -pix_fmt rgb565le -c:v rawvideo " + video);
  refused({{video}, 3, {"a.nut", "-pix_fmt"}});
}

TEST_F(BadInputPicture, SizeChangesInTheMiddle) {
  const std::string video = in_folder("a.h264"), wide = in_folder("wide.h264");
  const std::string encode = " -c:v libx264 -bf 0 -preset ultrafast ";
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=24 -frames:v 5 -pix_fmt yuv420p" + encode + video);
  run_ffmpeg("-f lavfi -i testsrc=s=480x240:r=24 -frames:v 5 -pix_fmt yuv420p" + encode + wide);
  write_file(video, read_file(video) + read_file(wide));
  cut_short({{video}, 6, {"a.h264", "frame 5", "320x240", "480x240"}}, 5);
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=24 -frames:v 5 -pix_fmt yuv444p" + encode + wide);
  write_file(video, read_file(wide) + read_file(video));
  cut_short({{video}, 6, {"a.h264", "frame 5", "yuv444p", "yuv420p"}}, 5);
}

TEST_F(BadInputPicture, SamplesBeyondTheDepth) {
  const VideoShape shape{.frames = 9, .bit_depth = 10};
  const std::string good = y4m_video(shape);
  const std::string clean = made("clean.y4m", good);
  const size_t frame = y4m_header(shape).size() + 6 * (frame_size(shape) + 6) + 6;  // of frame 6
  const auto with_sample = [&](size_t position) {
    std::string bytes = good;
    bytes[frame + 2 * position] = '\x01';
    bytes[frame + 2 * position + 1] = '\x04';
    return made("a.y4m", bytes);
  };
  const std::string luma = with_sample(320 * 7 + 5);
  cut_short({{luma}, 3, {"a.y4m", "frame 6", "x=5", "y=7", "1025", "1023"}}, 6);
  // Not scored: a reference without full_ref, and chroma.
  const auto expected = scored({clean, "--precision", "max"});
  EXPECT_EQ(scored({"-r", luma, "-d", clean, "--feature", "cambi", "--precision", "max"}), expected);
  cut_short({{"-r", luma, "-d", clean, "--full-ref"}, 3, {"a.y4m", "frame 6", "x=5", "y=7", "1025"}}, 6);
  EXPECT_EQ(scored({with_sample(320 * 240 + 3), "--precision", "max"}), expected);
}

// Bad input: streams that change, start or are damaged where nobody expects it.

class BadInputStream : public BadInputTest {};

// The first damage is not told only once hours of video behind it are decoded.
TEST_F(BadInputStream, DamageIsCountedNearTheFirstOnly) {
  const std::string video = in_folder("long.mkv");
  run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=25 -frames:v 240 -pix_fmt yuv420p -c:v ffv1 -level 3 -g 1 " +
             video);
  std::string bytes = read_file(video);
  const size_t frame = bytes.size() / 240;
  for (const size_t damaged : {2, 50, 200}) {
    char& byte = bytes[frame * damaged + frame / 2];
    byte = static_cast<char>(byte ^ 0x10);
  }
  write_file(video, bytes);
  ASSERT_EQ(run({video}, 1).code, 6);
  const size_t good = scores_of(read_json(partial())).size();
  fs::remove(partial());
  cut_short({{video}, 6, {"frame " + std::to_string(good), "2 of 100", "--allow-damage"}}, good);
  const auto report = scored({video, "--allow-damage"}, {"3 "});
  EXPECT_THAT(report.at("frames"), SizeIs(237));
}

TEST_F(BadInputStream, WhatComesBeforeTheFirstKeyFrame) {
  const std::string whole = in_folder("whole.mkv"), tail = in_folder("tail.mkv");
  // The second shows frames before the key frame that come after it.
  for (const std::string coding : {"libx264 -x264-params keyint=20:bframes=0:scenecut=0",
                                   "mpeg2video -g 20 -bf 2 -sc_threshold 1000000000"}) {
    run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=25 -frames:v 50 -pix_fmt yuv420p -c:v " + coding + " " +
               whole);
    run_ffmpeg("-i " + whole + " -ss 0.4 -c copy -copyinkf " + tail);
    const std::vector<double> expected = scores_of(scored({whole}));
    const std::vector<double> left = scores_of(scored({tail}, {"10 packets"}));
    EXPECT_THAT(left, SizeIs(::testing::AnyOf(29U, 30U)));
    EXPECT_TRUE(std::equal(left.rbegin(), left.rend(), expected.rbegin()));
    // Also of a run that is over soon.
    scored({tail, "--frame_cnt", "3"}, {"tail.mkv"});
  }
}

TEST_F(BadInputStream, TagsThatChangeInTheMiddle) {
  // Written into the stream: what becomes of an encoder's options is not the same in every FFmpeg.
  const auto part = [&](const std::string& name, const std::string& tags) {
    const std::string path = in_folder(name);
    run_ffmpeg("-f lavfi -i testsrc=s=320x240:r=25 -frames:v 5 -pix_fmt yuv420p -c:v libx264 " + tags + " " +
               path);
    return read_file(path);
  };
  const std::string metadata = "-bsf:v h264_metadata=colour_primaries=1:matrix_coefficients=1:";
  const std::string sdr = part("sdr.h264", metadata + "video_full_range_flag=0:transfer_characteristics=1");
  const std::string pq = part("pq.h264", metadata + "video_full_range_flag=1:transfer_characteristics=16");
  const std::string untagged = part("untagged.h264", "");
  scored({made("both.h264", sdr + pq + sdr + pq)}, {"both.h264: from frame 5 on"});
  scored({made("same.h264", untagged + sdr + untagged)});
}

TEST_F(BadInputStream, APairMayBeOfDifferentStreams) {
  const std::string two = in_folder("two.mkv"), one = in_folder("one.mkv");
  run_ffmpeg(
      "-f lavfi -i testsrc=s=320x240:r=25:d=0.12 -f lavfi -i testsrc2=s=320x240:r=25:d=0.12 -map 0 -map 1 "
      "-pix_fmt yuv420p -c:v ffv1 " +
      two);
  run_ffmpeg("-i " + two + " -map 0:1 -c copy " + one);
  const std::string y4m = made("a.y4m", y4m_video({}));
  refused({{{"-r", one, "-d", two, "--stream", "1"}, 1, {"one.mkv", "1", "--stream-ref"}},
           {{"-r", one, "-d", two, "--stream-ref", "2"}, 1, {"one.mkv", "2"}},
           {{"-r", y4m, "-d", two, "--stream", "1"}, 1, {"a.y4m", "--stream-ref"}}});
  scored({y4m, "--stream", "0"});
  const auto pair =
      scored({"-r", one, "-d", two, "--stream", "1", "--stream-ref", "0", "--full-ref"}).at("frames");
  for (const auto& frame : pair)
    EXPECT_EQ(frame.at("metrics").at("cambi"), frame.at("metrics").at("cambi_source"));
  const auto other = scored({"-r", two, "-d", one, "--stream-ref", "0", "--full-ref"}).at("frames");
  EXPECT_EQ(other[0].at("metrics").at("cambi"), pair[0].at("metrics").at("cambi"));
  EXPECT_NE(other[0].at("metrics").at("cambi"), other[0].at("metrics").at("cambi_source"));
}

}  // namespace
}  // namespace vq::cli::test
