# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The part that the consumers share: a program on the host engine.
add_executable(consumer ../main.cpp)
target_compile_definitions(consumer PRIVATE THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP)
target_link_libraries(consumer PRIVATE hindsight::hindsight)
