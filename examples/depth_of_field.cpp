// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depth of field: what lies in front of the camera's focus or behind it is blurred, the more the
// farther away. Sums over any rectangle take four reads of a summed-area table, so that the time
// does not depend on how wide a blur is. Writes a picture, which the README shows: as PNG where
// CMake found libpng, else as PPM. nvcc builds this for the GPU, g++ for host threads (see
// ten_calls.cpp).
#include <hindsight/image.h>

#include <cuda/std/cmath>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#if EXAMPLE_HAS_PNG
#  include <png.h>
#endif

constexpr int width = 640, height = 320;
constexpr float focus = 7;

struct pixel {
  float channels[3];
  float depth;
};

/// The scene: balls in a row, each farther away, on a floor of tiles.
struct scene {
  HINDSIGHT_HD pixel operator()(int i) const {
    const float x = (float(i % width) - width / 2) / height;
    const float y = (float(i / width) - height / 2) / height;
    const float length = ::cuda::std::sqrt(x * x + y * y + 1);
    const float ray[3] = {x / length, y / length, 1 / length};
    pixel nearest{{0.55f, 0.7f, 0.9f}, 40};
    if (ray[1] > 0 && 1 / ray[1] < nearest.depth) {
      const float t = 1 / ray[1];
      const int column = int(::cuda::std::floor(t * ray[0] * 1.5f));
      const int row = int(::cuda::std::floor(t * ray[2] * 1.5f));
      const float shade = ((column + row) & 1) != 0 ? 0.85f : 0.25f;
      nearest = {{shade, shade, shade * 0.9f}, t};
    }
    for (int ball = 0; ball < 7; ++ball) {
      const float center[3] = {-1.9f + 0.75f * float(ball), 0.35f, 2.6f + 1.9f * float(ball)};
      float along = 0, distance = -0.65f * 0.65f;
      for (int k = 0; k < 3; ++k) along += ray[k] * center[k];
      for (int k = 0; k < 3; ++k)
        distance += (center[k] - along * ray[k]) * (center[k] - along * ray[k]);
      const float t = along - ::cuda::std::sqrt(distance < 0 ? -distance : 0.0f);
      if (distance >= 0 || t >= nearest.depth) continue;
      const float up = (center[1] - t * ray[1]) / 0.65f, left = (center[0] - t * ray[0]) / 0.65f;
      const float light = 0.35f + 0.4f * (up > 0 ? up : 0.0f) + 0.25f * (left > 0 ? left : 0.0f);
      const float hue = float(ball) / 6;
      nearest = {
          {light * (1 - hue * 0.8f), light * (0.3f + 0.5f * hue), light * (0.2f + hue * 0.8f)}, t};
    }
    return nearest;
  }
};

struct channel_of {
  int channel;
  HINDSIGHT_HD std::uint32_t operator()(const pixel& p) const {
    const float value = p.channels[channel] * 255 + 0.5f;
    return std::uint32_t(value < 255 ? value : 255.0f);
  }
};

/// The mean over a square around each pixel, whose size is the distance from the focus.
struct blur {
  const std::uint32_t* table;
  const pixel* pixels;
  HINDSIGHT_HD std::uint8_t operator()(int i) const {
    const float away = ::cuda::std::fabs(1 / pixels[i].depth - 1 / focus);
    const int radius = int(away * 50), x = i % width, y = i / width;
    const int left = x > radius ? x - radius : 0, top = y > radius ? y - radius : 0;
    const int right = x + radius < width ? x + radius : width - 1;
    const int bottom = y + radius < height ? y + radius : height - 1;
    // Unsigned, so that sums that overflow still give the right differences.
    const std::uint32_t sum = sum_to(right, bottom) - sum_to(left - 1, bottom) -
                              sum_to(right, top - 1) + sum_to(left - 1, top - 1);
    const auto count = std::uint32_t((right - left + 1) * (bottom - top + 1));
    return std::uint8_t((sum + count / 2) / count);
  }

 private:
  HINDSIGHT_HD std::uint32_t sum_to(int x, int y) const {
    return x < 0 || y < 0 ? 0 : table[y * width + x];
  }
};

/// rgb  [height * width * 3]
bool write_picture(const std::vector<std::uint8_t>& rgb) {
#if EXAMPLE_HAS_PNG
  const char* const name = "depth_of_field.png";
  png_image picture{};
  picture.version = PNG_IMAGE_VERSION;
  picture.width = width;
  picture.height = height;
  picture.format = PNG_FORMAT_RGB;
  const bool written =
      png_image_write_to_file(&picture, name, 0, rgb.data(), width * 3, nullptr) != 0;
#else
  const char* const name = "depth_of_field.ppm";
  std::FILE* const file = std::fopen(name, "wb");
  if (file == nullptr) return false;
  std::fprintf(file, "P6\n%d %d\n255\n", width, height);
  const bool written = std::fwrite(rgb.data(), 1, rgb.size(), file) == rgb.size();
  std::fclose(file);
#endif
  if (written) std::printf("wrote %s\n", name);
  return written;
}

int main() {
  const thrust::counting_iterator<int> first(0), last(width * height);
  thrust::device_vector<pixel> pixels(width * height);
  thrust::device_vector<std::uint32_t> channel(width * height), table(width * height);
  thrust::device_vector<std::uint8_t> blurred(width * height);
  thrust::transform(hindsight::par, first, last, pixels.begin(), scene{});

  std::vector<std::uint8_t> rgb(width * height * 3);
  int sharp = 0;  // pixels in focus that kept their values
  for (int c = 0; c < 3; ++c) {
    thrust::transform(hindsight::par, pixels.begin(), pixels.end(), channel.begin(), channel_of{c});
    hindsight::summed_area_table(hindsight::par, channel.begin(), table.begin(), width, height,
                                 width);
    const blur by_depth{thrust::raw_pointer_cast(table.data()),
                        thrust::raw_pointer_cast(pixels.data())};
    thrust::transform(hindsight::par, first, last, blurred.begin(), by_depth);
    const thrust::host_vector<std::uint8_t> plane = blurred;
    const thrust::host_vector<std::uint32_t> before = channel;
    for (std::size_t i = 0; i < plane.size(); ++i) {
      rgb[3 * i + std::size_t(c)] = plane[i];
      sharp += plane[i] == before[i];
    }
  }
  const bool right = sharp > width * height / 10;
  return write_picture(rgb) && right ? 0 : 1;
}
