# SPDX-License-Identifier: Apache-2.0
"""`lapwing reproduce`: the tables and figures of five papers, measured here and judged by a program."""
