// SPDX-License-Identifier: Apache-2.0
// The main of every GoogleTest that runs without mpiexec.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
