#!/usr/bin/env python3
"""Draws the recording of the tour that the README shows, from what the tour says.

    swift run netkit tour | .ci/recording.py

A test compares the lines of the picture with those of the tour, so that the picture is drawn again when they change.
"""

import sys
from html import escape
from pathlib import Path

PICTURE = Path(__file__).resolve().parent.parent / "Sources/NetKit/NetKit.docc/Resources/tour.svg"
# The parts that are shown, by the beginnings of their titles.
PARTS = ("2.", "3.", "5.", "7.", "A new process")
WIDTH, LEFT, TOP, LINE, SECONDS = 860, 20, 46, 18, 0.35
COLORS = {"title": "#7fd7e8", "text": "#d8dee9", "prompt": "#a3d977"}
STYLE = f"""\
    text {{ font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }}
    .title {{ fill: {COLORS["title"]}; font-weight: bold }}
    .text {{ fill: {COLORS["text"]} }}
    .prompt {{ fill: {COLORS["prompt"]} }}
    @media (prefers-reduced-motion: no-preference) {{
        text {{ animation: show 0.2s both }}
        @keyframes show {{ from {{ opacity: 0 }} }}
    }}"""


def shown(lines):
    """The lines of the parts that are shown."""
    is_shown = False
    for line in lines:
        if line and not line.startswith(" ") and not line.startswith("100 %"):
            is_shown = line.startswith(PARTS)
        if is_shown and line:
            yield line


def main():
    lines = list(shown(sys.stdin.read().splitlines()))
    if not lines:
        sys.exit("the tour said nothing that the picture shows: pipe the output of `netkit tour` into this command")
    rows = [("prompt", "$ swift run netkit tour")]
    for line in lines:
        rows.append(("text" if line.startswith((" ", "100 %")) else "title", line))
    texts, top = [], TOP
    for number, (kind, line) in enumerate(rows):
        top += LINE * (1.6 if kind == "title" else 1) if number else 0
        delay = f"{number * SECONDS:.2f}s"
        texts.append(
            f'    <text x="{LEFT}" y="{top:g}" class="{kind}" style="animation-delay: {delay}">{escape(line)}</text>'
        )
    height = round(top + LINE)
    body = "\n".join(texts)
    PICTURE.write_text(
        f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">
    <title>What netkit tour prints: a retry, one token refresh for ten callers, a download that resumes, and requests that survive a kill</title>
    <style>
{STYLE}
    </style>
    <rect width="{WIDTH}" height="{height}" rx="8" fill="#1d2129"/>
    <circle cx="22" cy="18" r="5" fill="#ff6159"/><circle cx="40" cy="18" r="5" fill="#ffbd2e"/><circle cx="58" cy="18" r="5" fill="#28c941"/>
{body}
</svg>
""",
        encoding="utf-8",
    )
    print(f"{PICTURE.name}: {len(rows)} lines")


if __name__ == "__main__":
    main()
