# SPDX-License-Identifier: Apache-2.0
"""Sentences of comments and messages that hide their actor: those that begin with What, Who and their like.

    python3 sentences.py ROOT [FOLDER ...]     counts them, for folders that are not in DONE yet
"""
import pathlib
import re
import sys

# Folders (or files) in which no such sentence is left. A new folder is added as soon as it is done.
DONE = ["src", "bindings", "examples", "include", "tests/arrays", "tests/guard", "tests/options", "tools", "docs",
        "bench/README.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"]
SUFFIXES = {".cpp", ".hpp", ".h", ".c", ".def", ".S", ".py", ".f90", ".F90", ".inc", ".md"}
WORDS = r"What|Who|Whoever|Whatever|Nobody|Somebody|Others"
BEGINS = re.compile(rf"(?:^|(?<=[.!?:;])\s+|(?<=[.!?] \()|(?<=\n\n))({WORDS})(?![\w'])([^.?!]*[.?!]?)")
COMMENT = {
    "c": re.compile(r'"(?:[^"\\\n]|\\.)*"|(?<![\w\'])\'(?:[^\'\\\n]|\\.)+\'|//[^\n]*|/\*.*?\*/', re.DOTALL),
    "fortran": re.compile(r"""'[^'\n]*'|"[^"\n]*"|![^\n]*"""),
    "python": re.compile(r'""".*?"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*', re.DOTALL),
}


def language(path):
    if path.suffix in (".f90", ".F90", ".inc"):
        return "fortran"
    return "python" if path.suffix == ".py" else "c"


def words_of(token):
    """A comment or a string without its marks; lines are kept."""
    lines = token.split("\n")
    return "\n".join(re.sub(r'^\s*(?:///?<?|/\*+|\*+/?|!+<?|#|"+|\')\s?', "", line) for line in lines).rstrip('*/"\' ')


def passages(path, text):
    """(line, passage) for each run of comment lines, each message and, in documents, each paragraph."""
    if path.suffix == ".md":
        line = 1
        for paragraph in re.split(r"(\n\s*\n|\n(?=[-*|#] ))", text):
            yield line, paragraph.strip("-*|#> \n")
            line += paragraph.count("\n")
        return
    kind = language(path)
    run, start, end = [], 0, -2
    for match in COMMENT[kind].finditer(text):
        token, line = match.group(), text.count("\n", 0, match.start()) + 1
        if token[0] in "\"'" and not token.startswith('"""'):
            yield line, words_of(token)
            continue
        alone = text[text.rfind("\n", 0, match.start()) + 1:match.start()].strip() == ""
        if run and (line != end + 1 or not alone):
            yield start, "\n".join(run)
            run = []
        if not run:
            start = line
        run.append(words_of(token))
        end = line + token.count("\n")
    if run:
        yield start, "\n".join(run)


def findings(path):
    """(line, beginning) of each sentence that hides its actor; questions do not."""
    for line, passage in passages(path, path.read_text(errors="replace")):
        for match in BEGINS.finditer(passage):
            if not match.group(2).endswith("?"):
                yield line + passage.count("\n", 0, match.start(1)), " ".join(match.group(0).split())[:60]


def files(root, folders):
    for folder in folders:
        where = root / folder
        for path in [where] if where.is_file() else sorted(where.rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def main():
    root, folders = pathlib.Path(sys.argv[1]), sys.argv[2:] or DONE
    count = 0
    for path in files(root, folders):
        for line, beginning in findings(path):
            print(f"{path.relative_to(root)}:{line}: {beginning}")
            count += 1
    print(count)


if __name__ == "__main__":
    main()
