# SPDX-License-Identifier: Apache-2.0
# What `make install` puts under PREFIX. The command finds its libraries and
# programs relative to itself, so the tree may be moved.
install(CODE "message(STATUS \"Installing Lapwing ${PROJECT_VERSION}\")")
