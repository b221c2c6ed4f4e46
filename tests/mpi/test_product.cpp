// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "mpi/product.hpp"

namespace lapwing::mpi {
namespace {

TEST(Product, IsTheVersionWithoutThePackage) {
  EXPECT_EQ(product_of("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n"
                       "MPICH ABI:\t14:2:2\nMPICH Device:\tch4:ucx\nMPICH configure:\t--prefix=/usr\n"),
            "MPICH 4.0.2 ch4:ucx");
  EXPECT_EQ(
      product_of("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022"),
      "Open MPI v4.1.4");
  EXPECT_EQ(product_of("Intel(R) MPI Library 2021.13 for Linux* OS\n"),
            "Intel(R) MPI Library 2021.13 for Linux* OS");
  EXPECT_EQ(product_of(""), "");
}

TEST(Transport, IsWhatTheUserHasChosen) {
  unsetenv("UCX_TLS");
  unsetenv("OMPI_MCA_btl");
  const std::string before = chosen_transport();
  setenv("UCX_TLS", "tcp,self", 1);
  EXPECT_NE(chosen_transport(), before);
  EXPECT_NE(chosen_transport().find("UCX_TLS=tcp,self"), std::string::npos);
  setenv("OMPI_MCA_btl", "tcp", 1);
  EXPECT_NE(chosen_transport().find("UCX_TLS=tcp,self OMPI_MCA_btl=tcp"), std::string::npos);
  unsetenv("UCX_TLS");
  unsetenv("OMPI_MCA_btl");
}

}  // namespace
}  // namespace lapwing::mpi
