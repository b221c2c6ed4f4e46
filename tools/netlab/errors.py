# SPDX-License-Identifier: Apache-2.0
"""The one kind of error that netlab itself raises: a sentence for the user."""


class NetlabError(Exception):
    """An error that says what was wrong, where, and what to do about it."""
