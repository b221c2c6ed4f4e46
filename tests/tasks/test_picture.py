# SPDX-License-Identifier: Apache-2.0
"""The run of a program as a picture: test_picture.py PROGRAM [LAUNCHER...]. SVG and HTML are well-formed and
have every task once in the timeline, within the drawing and in the row of its worker, and, where there are not
too many, once in the graph. Each of several ranks has a picture of its own tasks."""
import collections
import html.parser
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
ODD = 6
MOST_DRAWN = 2000


class Page(html.parser.HTMLParser):
    """The elements of a page, which must be closed in their order."""
    VOID = {"meta"}

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()


def draw(command, folder, form, tasks, workers, ranks):
    path = os.path.join(folder, "run." + form)
    done = subprocess.run([*command, str(tasks)], capture_output=True, text=True, timeout=100, check=False,
                          env=dict(os.environ, LAPWING_TASKS_TRACE=path, LAPWING_TASKS_WORKERS=workers))
    assert done.returncode == 0, done.stdout + done.stderr
    texts = []
    for rank in range(ranks):
        name = "run." + form if rank == 0 else f"run.{rank}.{form}"
        with open(os.path.join(folder, name), "rb") as made:
            texts.append(made.read().decode("utf-8"))
    return texts


def bars_of(text, workers):
    """The names of the tasks in the timeline, whose bars are where they should be; the picture's root."""
    root = tree.fromstring(text)
    assert root.tag == SVG + "svg"
    width, height = float(root.get("width")), float(root.get("height"))
    rows = {float(label.get("y")): int(label.text.split()[1]) for label in root.findall(SVG + "text")
            if re.fullmatch(r"worker \d+", label.text)}
    assert set(rows.values()) <= set(range(workers)), rows
    names = []
    for bar in root.findall(SVG + "rect"):
        if bar.find(SVG + "title") is None:
            continue
        tip = bar.find(SVG + "title").text
        left, top, wide = (float(bar.get(key)) for key in ("x", "y", "width"))
        assert 0 <= left and left + wide <= width and wide > 0 and top + 20 <= height, bar.attrib
        worker = int(re.search(r"^worker (\d+), ", tip, re.M).group(1))
        assert rows[top + 16] == worker, f"{tip} in the row of worker {rows[top + 16]}"
        names.append(tip.splitlines()[0])
    for box in root.findall(SVG + "g"):
        place = box.find(SVG + "rect")
        assert float(place.get("x")) + float(place.get("width")) <= width
        assert float(place.get("y")) + float(place.get("height")) <= height
    return names, root


def check(texts, tasks, workers):
    names = []
    for text in texts:
        more, root = bars_of(text[text.index("<svg"):], workers)
        names += more
        boxes = root.findall(SVG + "g")
        if len(more) <= MOST_DRAWN:
            assert len(boxes) == len(more) and (root.findall(SVG + "path") or len(more) < 4), len(boxes)
        else:
            assert not boxes and "is not drawn" in text
    assert len(names) == tasks + ODD, f"{len(names)} bars of {tasks + ODD} tasks"
    steps = collections.Counter(step for name in names for step in re.findall(r"'step\((\d+)\)'", name))
    assert steps == collections.Counter(map(str, range(tasks))), [step for step, count in steps.items() if count != 1]
    assert any("'a<b & \"c\" > 'd''" in name for name in names), names[:ODD]
    assert any("größer" in name for name in names), names[:ODD]
    return sorted(names)


def main(program, *launcher):
    command = [*launcher, program]
    ranks = int(launcher[-1]) if launcher else 1
    with tempfile.TemporaryDirectory() as folder:
        for tasks in (0, 40, 3000):
            for workers in ("1", "2") if not launcher else ("1",):
                names = check(draw(command, folder, "svg", tasks, workers, ranks), tasks, int(workers))
                pages = draw(command, folder, "html", tasks, workers, ranks)
                for text in pages:
                    page = Page()
                    page.feed(text)
                    page.close()
                    assert not page.open and page.seen[0] == "meta" and "svg" in page.seen, page.seen[:9]
                again = check(pages, tasks, int(workers))
                assert again == names, (again, names)
    print("pictures have all tasks")


main(*sys.argv[1:])
