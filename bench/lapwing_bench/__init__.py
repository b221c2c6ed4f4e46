# SPDX-License-Identifier: Apache-2.0
"""The benchmark driver: places to run, benchmarks, statistics, tables."""
