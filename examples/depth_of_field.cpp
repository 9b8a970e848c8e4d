// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depth of field: what lies in front of the camera's focus or behind it is blurred, the more the
// farther away. Sums over any rectangle take four reads of a summed-area table, so that the time
// does not depend on how wide a blur is. Reads the landscape of bench/data, a lake below mountains,
// and writes the picture that the README shows: as PNG where CMake found libpng, else as PPM. nvcc
// builds this for the GPU, g++ for host threads (see ten_calls.cpp).
//   ./depth_of_field [picture.ppm [height of the horizon, from 0 at the top to 1]]
#include <hindsight/image.h>

#include <cuda/std/cmath>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#if EXAMPLE_HAS_PNG
#  include <png.h>
#endif

struct picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // [height * width * 3]
};

// "P6", without comments, 255 as the highest value.
picture read_picture(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::string kind;
  int width = 0, height = 0, highest = 0;
  file >> kind >> width >> height >> highest;
  if (!file || kind != "P6" || width < 1 || height < 1 || highest != 255) return {};
  file.get();
  picture p{width, height, std::vector<std::uint8_t>(std::size_t(width) * height * 3)};
  file.read(reinterpret_cast<char*>(p.rgb.data()), std::streamsize(p.rgb.size()));
  return file ? p : picture{};
}

bool write_picture(const picture& p) {
#if EXAMPLE_HAS_PNG
  const char* const name = "depth_of_field.png";
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = unsigned(p.width);
  image.height = unsigned(p.height);
  image.format = PNG_FORMAT_RGB;
  const bool written =
      png_image_write_to_file(&image, name, 0, p.rgb.data(), p.width * 3, nullptr) != 0;
#else
  const char* const name = "depth_of_field.ppm";
  std::FILE* const file = std::fopen(name, "wb");
  if (file == nullptr) return false;
  std::fprintf(file, "P6\n%d %d\n255\n", p.width, p.height);
  const bool is_whole = std::fwrite(p.rgb.data(), 1, p.rgb.size(), file) == p.rgb.size();
  const bool written = std::fclose(file) == 0 && is_whole;  // the last bytes go out here
#endif
  if (written) std::printf("wrote %s\n", name);
  return written;
}

/// How wide a row is blurred. A plane lies below the horizon: one over its distance rises with each
/// row. Above the horizon all is far away.
struct lens {
  int height;
  float horizon, focus;  ///< rows, as parts of the height
  HINDSIGHT_HD int radius(int y) const {
    const float row = float(y) / float(height), nearness = row > horizon ? row - horizon : 0;
    return int(::cuda::std::fabs(nearness - (focus - horizon)) * 0.1f * float(height));
  }
};

struct window {
  int left, top, right, bottom;  ///< its corners lie in it
  HINDSIGHT_HD std::uint32_t count() const {
    return std::uint32_t((right - left + 1) * (bottom - top + 1));
  }
};
HINDSIGHT_HD inline window around(int x, int y, int width, int height, int radius) {
  return {x > radius ? x - radius : 0, y > radius ? y - radius : 0,
          x + radius < width ? x + radius : width - 1,
          y + radius < height ? y + radius : height - 1};
}

/// The mean of the window around each pixel.
struct blur {
  const std::uint32_t* table;
  int width;
  lens through;
  HINDSIGHT_HD std::uint8_t operator()(int i) const {
    const int x = i % width, y = i / width;
    const window w = around(x, y, width, through.height, through.radius(y));
    // Unsigned, so that sums that overflow still give the right differences.
    const std::uint32_t sum = sum_to(w.right, w.bottom) - sum_to(w.left - 1, w.bottom) -
                              sum_to(w.right, w.top - 1) + sum_to(w.left - 1, w.top - 1);
    return std::uint8_t((sum + w.count() / 2) / w.count());
  }

 private:
  HINDSIGHT_HD std::uint32_t sum_to(int x, int y) const {
    return x < 0 || y < 0 ? 0 : table[y * width + x];
  }
};

/// How many of some pixels are not what a loop over their windows gives.
int count_wrong(const picture& before, const picture& after, const lens& through) {
  int wrong = 0;
  for (int i = 0; i < before.width * before.height; i += 997) {
    const window w = around(i % before.width, i / before.width, before.width, before.height,
                            through.radius(i / before.width));
    for (int c = 0; c < 3; ++c) {
      std::uint32_t sum = 0;
      for (int y = w.top; y <= w.bottom; ++y)
        for (int x = w.left; x <= w.right; ++x)
          sum += before.rgb[std::size_t(3 * (y * before.width + x) + c)];
      wrong += after.rgb[std::size_t(3 * i + c)] != (sum + w.count() / 2) / w.count();
    }
  }
  return wrong;
}

int main(int argc, char** argv) {
  const std::string source = __FILE__;
  const std::string folder = source.substr(0, source.find_last_of('/') + 1);
  const std::string path = argc > 1 ? argv[1] : folder + "../bench/data/image.ppm";
  const picture before = read_picture(path);
  if (before.rgb.empty()) {
    std::printf("%s: no such file, or not a picture of the kind P6\n", path.c_str());
    return 1;
  }
  const int width = before.width, height = before.height, num_pixels = width * height;
  const float horizon = argc > 2 ? float(std::atof(argv[2])) : 0.62f;
  if (!(horizon > 0 && horizon < 1)) return std::puts("a horizon lies between 0 and 1"), 1;
  const lens through{height, horizon, horizon + 0.12f};

  picture after = before;
  thrust::host_vector<std::uint8_t> plane(static_cast<std::size_t>(num_pixels));
  thrust::device_vector<std::uint32_t> table(plane.size());
  thrust::device_vector<std::uint8_t> blurred(plane.size()), all_far(plane.size());
  const int num_far_pixels = int(horizon * float(height)) * width;
  int wrong = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = before.rgb[3 * i + c];
    const thrust::device_vector<std::uint8_t> channel = plane;
    hindsight::summed_area_table(hindsight::par, channel.begin(), table.begin(), std::size_t(width),
                                 std::size_t(height), std::size_t(width));
    const thrust::counting_iterator<int> first(0), last(num_pixels);
    thrust::transform(hindsight::par, first, last, blurred.begin(),
                      blur{thrust::raw_pointer_cast(table.data()), width, through});
    // Above the horizon the blur is of one width: the same in one call.
    hindsight::box_filter(hindsight::par, channel.begin(), all_far.begin(), std::size_t(width),
                          std::size_t(height), std::size_t(width), std::size_t(through.radius(0)));
    wrong += !thrust::equal(hindsight::par, blurred.begin(), blurred.begin() + num_far_pixels,
                            all_far.begin());
    plane = blurred;
    for (std::size_t i = 0; i < plane.size(); ++i) after.rgb[3 * i + c] = plane[i];
  }
  wrong += count_wrong(before, after, through);
  std::puts(wrong == 0 ? "as expected" : "WRONG");
  return write_picture(after) && wrong == 0 ? 0 : 1;
}
