#include "cli/decoding/parallel/device_turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace vq::cli {
namespace {

constexpr int64_t kPictures = 4000;

// Segments of a video: the picture with which each begins, up to kPictures.
std::vector<int64_t> segments_of(int64_t length) {
  std::vector<int64_t> firsts;
  for (int64_t first = 0; first < kPictures; first += length) firsts.push_back(first);
  return firsts;
}

// The device of each picture of two videos. Each reader is ahead of the other by turns.
std::vector<std::vector<int>> devices_of_pair(DeviceTurns& turns, const std::vector<int64_t>& lengths) {
  std::vector<std::vector<int>> devices(lengths.size());
  std::vector<size_t> next(lengths.size(), 0);
  for (int64_t up_to = 0; up_to <= kPictures; up_to += 100) {
    for (size_t video = 0; video < lengths.size(); ++video) {
      const std::vector<int64_t> firsts = segments_of(lengths[video]);
      const int64_t ahead = up_to + (up_to / 100 % 2 == static_cast<int64_t>(video) ? 300 : 0);
      for (; next[video] < firsts.size() && firsts[next[video]] <= ahead; ++next[video]) {
        const int device = turns.device_for(firsts[next[video]], lengths[video]);
        devices[video].insert(devices[video].end(), static_cast<size_t>(lengths[video]), device);
      }
    }
  }
  for (std::vector<int>& each : devices) each.resize(kPictures);
  return devices;
}

double share_of_same(const std::vector<std::vector<int>>& devices) {
  int same = 0;
  for (size_t i = 0; i < kPictures; ++i) same += devices[0][i] == devices[1][i];
  return static_cast<double>(same) / kPictures;
}

TEST(DeviceTurns, PairsLieOnOneDeviceWhereSegmentsBeginTogether) {
  for (const int devices : {1, 2, 3}) {
    DeviceTurns turns(devices);
    EXPECT_EQ(share_of_same(devices_of_pair(turns, {24, 24})), 1) << devices;
  }
}

TEST(DeviceTurns, MostPairsDoWhereTheyDoNot) {
  for (const auto& lengths : {std::vector<int64_t>{24, 250}, {250, 24}, {48, 60}, {12, 240}}) {
    DeviceTurns turns(2);
    for (const int64_t length : lengths) turns.expect(length);
    const double shorter = static_cast<double>(std::min(lengths[0], lengths[1])),
                 longer = static_cast<double>(std::max(lengths[0], lengths[1]));
    EXPECT_GE(share_of_same(devices_of_pair(turns, lengths)), 1 - shorter / longer / 2)
        << shorter << ", " << longer;
  }
}

TEST(DeviceTurns, EachDeviceHasItsShare) {
  for (const int64_t length : {24, 250}) {
    DeviceTurns turns(4);
    std::map<int, int> pictures;
    const std::vector<std::vector<int>> devices = devices_of_pair(turns, {length, 24});
    for (const int device : devices.front()) ++pictures[device];
    ASSERT_EQ(pictures.size(), 4U);
    for (const auto& [device, count] : pictures) EXPECT_NEAR(count, kPictures / 4, 250) << device;
  }
}

}  // namespace
}  // namespace vq::cli
