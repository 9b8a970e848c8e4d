# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The part that both consumers share: a program on the host engine and, if asked for, one on the GPU.
add_executable(consumer ../main.cpp)
target_compile_definitions(consumer PRIVATE THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP)
target_link_libraries(consumer PRIVATE hindsight::hindsight)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  add_executable(consumer_cuda ../main.cu)
  target_link_libraries(consumer_cuda PRIVATE hindsight::hindsight)
endif()
