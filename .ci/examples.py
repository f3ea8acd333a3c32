#!/usr/bin/env python3
"""Compiles the examples of the doc comments against the built modules.

    examples.py <folder of the build's products>

An example is the body of a function. examples/Prelude.swift declares the names that examples use without declaring them,
such as `client`. `…` stands for code that the reader writes. A line that begins with a period continues the name of the
documented type, a `catch` follows a `do` that is not shown, and an example with `@Test` is the body of a suite.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from guesses import compiler

ROOT = Path(__file__).resolve().parent.parent
PRELUDE = Path(__file__).parent / "examples" / "Prelude.swift"
TYPE = re.compile(r"\b(?:struct|class|actor|enum|protocol|extension) (\w+)")
IMPORTS = re.findall(r"^import .*$", PRELUDE.read_text(encoding="utf-8"), re.MULTILINE)
FILE_SCOPE = re.compile(r"extension ")


def examples():
    """Every example: its file, the number of its first line, its lines, and the declaration that it documents."""
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        lines = [line.strip() for line in path.read_text(encoding="utf-8").split("\n")]
        end = 0
        while "/// ```swift" in lines[end:]:
            start = lines.index("/// ```swift", end) + 1
            end = lines.index("/// ```", start)
            after = next(number for number in range(end, len(lines)) if not lines[number].startswith("///"))
            yield path, start + 1, [line[4:] for line in lines[start:end]], lines[after:after + 3]


def file_scope(lines):
    """The flags of the lines that have to be outside of a function."""
    flags, is_outside = [], False
    for line in lines:
        is_outside = is_outside or bool(FILE_SCOPE.match(line))
        flags.append(is_outside)
        is_outside = is_outside and not line.startswith("}")
    return flags


def source(path, first, lines, declaration):
    """The text of a file with an example, whose lines keep their numbers."""
    match = TYPE.search(" ".join(declaration))
    documented = match[1] if match else path.stem.split("+")[0]
    lines = [re.sub(r"^(?=[.])", f"_ = {documented}", line.replace("…", "standIn()")) for line in lines]
    lines = [re.sub(r"^catch\b", "do { try mayFail() } catch", line) for line in lines]
    flags = file_scope(lines)
    isolation = "@MainActor " if declaration[0].startswith("@MainActor") else ""
    opening = f"{isolation}func example() async throws {{"
    if any(line.startswith("@Test") for line in lines):
        opening = "struct Example {"
    text = [f'#sourceLocation(file: "{path.relative_to(ROOT)}", line: {first})']
    outside = [line if flag else "" for line, flag in zip(lines, flags)]
    inside = ["" if flag else line for line, flag in zip(lines, flags)]
    end = ["#sourceLocation()"]
    parts = [IMPORTS, text, outside, end, ["private enum Scope {", opening], text, inside, end, ["}", "}", ""]]
    return "\n".join(line for part in parts for line in part)


def main():
    products = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, example in enumerate(examples()):
            paths.append(Path(folder) / f"Example{number}.swift")
            paths[-1].write_text(source(*example), encoding="utf-8")
        command = [*compiler(products), "-suppress-warnings", "-wmo", str(PRELUDE), *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    problems = sorted({line for line in done.stderr.splitlines() if ": error: " in line})
    for problem in problems:
        print(problem)
    if done.returncode != 0 or not paths:
        print("" if problems else done.stderr)
        raise SystemExit(f"{len(problems)} errors in {len(paths)} examples of doc comments")
    print(f"{len(paths)} examples of doc comments compile")


if __name__ == "__main__":
    main()
