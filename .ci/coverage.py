#!/usr/bin/env python3
"""Line coverage of the library, from the JSON that `swift test --enable-code-coverage` exports."""

import argparse
import json
import sys
from pathlib import Path

LIBRARY = "Sources/NetKit"
MINIMUM_PERCENT = 90.0
WORST_FILES = 10


def percent(covered, count):
    return 100 * covered / count if count else 100.0


def main():
    parser = argparse.ArgumentParser(description=f"Fails when less than {MINIMUM_PERCENT} % of {LIBRARY} is covered.")
    parser.add_argument("json", type=Path, help="what `swift test --show-codecov-path` names")
    parser.add_argument(
        "--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the checkout (this one)"
    )
    arguments = parser.parse_args()

    library = arguments.root.resolve() / LIBRARY
    lines = {}
    for file in json.loads(arguments.json.read_text(encoding="utf-8"))["data"][0]["files"]:
        path = Path(file["filename"])
        if library in path.parents:
            summary = file["summary"]["lines"]
            lines[path.relative_to(library).as_posix()] = (summary["covered"], summary["count"])

    covered, count = (sum(numbers) for numbers in zip(*lines.values())) if lines else (0, 0)
    if not count:
        sys.exit(f"no line of {LIBRARY} is in {arguments.json}: was it made by the tests of this checkout?")
    print(f"{LIBRARY}: {percent(covered, count):.2f} % of {count} lines in {len(lines)} files are covered")
    print("the least covered files:")
    for path in sorted(lines, key=lambda path: (percent(*lines[path]), path))[:WORST_FILES]:
        missed = lines[path][1] - lines[path][0]
        print(f"  {percent(*lines[path]):6.2f} %  {missed:4} lines missed  {path}")
    if percent(covered, count) < MINIMUM_PERCENT:
        sys.exit(f"coverage is below {MINIMUM_PERCENT} %")


if __name__ == "__main__":
    main()
