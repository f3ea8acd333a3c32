#!/usr/bin/env python3
"""Compiles the likeliest wrong names against the built module, and compares the messages with those that are expected.

    guesses.py <folder of the build's products>

The modules of other clients that a guess imports are in guesses/neighbors, with the names that matter only.

A line of guesses/*.swift with `// error: <text>` has to be refused with a message that contains the text. Any other error
is a problem. `--write` writes the messages of the compiler into the lines, to be read and checked by a person.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent / "guesses"
EXPECTED = re.compile(r"\s*// error: (.*)$")


def build_neighbors(folder):
    """Builds the modules of other clients into a folder."""
    for source in sorted((FOLDER / "neighbors").glob("*.swift")):
        command = ["swiftc", "-emit-module", "-swift-version", "6", "-module-name", source.stem, str(source)]
        subprocess.run([*command, "-o", str(folder / f"{source.stem}.swiftmodule")], check=True)


def compiler(products):
    """The command that compiles against the built modules, without the files."""
    command = ["swiftc", "-typecheck", "-swift-version", "6", "-I", str(products / "Modules")]
    root = Path(__file__).resolve().parent.parent
    maps = [*products.glob("CNetKit*.build/module.modulemap"), *root.glob("Sources/*/include/module.modulemap")]
    for one in maps:
        command += ["-Xcc", f"-fmodule-map-file={one}"]
    # The headers of one target include those of another.
    for headers in root.glob("Sources/*/include"):
        command += ["-Xcc", f"-I{headers}"]
    return command


def messages(path, products, neighbors):
    """The messages of the compiler by line."""
    command = [*compiler(products), "-I", str(neighbors), str(path)]
    output = subprocess.run(command, capture_output=True, text=True).stderr
    found = {}
    for line in output.splitlines():
        match = re.match(r"(.*?):(\d+):\d+: error: (.*)$", line)
        if match and Path(match[1]).name == path.name:
            found.setdefault(int(match[2]), []).append(match[3])
        elif match or line.startswith("error:"):
            raise SystemExit(f"the guesses could not be compiled: {line}")
    return found


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    with tempfile.TemporaryDirectory() as neighbors:
        build_neighbors(Path(neighbors))
        check(Path(arguments[0]), Path(neighbors))


def check(products, neighbors):
    problems, count = [], 0
    for path in sorted(FOLDER.glob("*.swift")):
        found = messages(path, products, neighbors)
        lines = path.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines, 1):
            match = EXPECTED.search(line)
            texts = found.get(number, [])
            if "--write" in sys.argv:
                lines[number - 1] = EXPECTED.sub("", line) + (f"  // error: {texts[0]}" if texts else "")
            elif match:
                count += 1
                if not any(match[1] in text for text in texts):
                    problems.append(f"{path.name}:{number}: expected “{match[1]}”, the compiler said: {texts or 'nothing'}")
            elif texts:
                problems.append(f"{path.name}:{number}: refused, and no message is expected: {texts}")
        if "--write" in sys.argv:
            path.write_text("\n".join(lines), encoding="utf-8")
    for problem in problems:
        print(problem)
    if problems or ("--write" not in sys.argv and count == 0):
        raise SystemExit(f"{len(problems)} of {count} messages are not as expected")
    print(f"{count} wrong names, each with the message that is expected")


if __name__ == "__main__":
    main()
