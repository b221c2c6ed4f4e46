# SPDX-License-Identifier: Apache-2.0
# Included by tools/costs in front of a project: each command of the build goes through it, and leaves its processor
# time in costs.tsv of the tree.
set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE "${LAPWING_COSTS} ${CMAKE_BINARY_DIR}/costs.tsv <OBJECT>")
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "${LAPWING_COSTS} ${CMAKE_BINARY_DIR}/costs.tsv -")
set_property(GLOBAL PROPERTY RULE_LAUNCH_CUSTOM "${LAPWING_COSTS} ${CMAKE_BINARY_DIR}/costs.tsv -")
