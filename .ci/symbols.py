#!/usr/bin/env python3
"""Sees that the symbol graph of the library holds every public type that its sources declare for this platform.

The documentation, completion and crash reports of users know a type by the module whose graph it is in.
"""

import argparse
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from swift_source import SwiftSource  # noqa: E402

LIBRARY = "Sources/NetKit"
PUBLIC_TYPE = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?:final\s+)?(?:struct|class|enum|actor|protocol)\s+(\w+)")
HIDDEN = "@_documentation(visibility: internal)"
DIRECTIVE = re.compile(r"^\s*#(if|elseif|else|endif)\b(.*)")
# What only Apple's platforms have: nothing below it is compiled on Linux, where the gate runs.
FOREIGN = re.compile(r"(?<!!)canImport\((?:Network|os|OSLog|Darwin|SwiftUI)\)")


def declared(root):
    """Where each public type is declared."""
    for path in sorted((root / LIBRARY).rglob("*.swift")):
        conditions, is_hidden = [], False
        for number, line in enumerate(SwiftSource(path.read_text(encoding="utf-8")).code_lines, 1):
            if match := DIRECTIVE.match(line):
                if match[1] != "if" and conditions:
                    conditions.pop()
                if match[1] != "endif":
                    conditions.append(match[2])
            elif (match := PUBLIC_TYPE.match(line)) and not any(FOREIGN.search(text) for text in conditions):
                if not is_hidden:
                    yield match[1], f"{path.relative_to(root).as_posix()}:{number}"
            # The attribute stands above the declaration, perhaps with others between.
            is_attribute = line.lstrip().startswith("@")
            is_hidden = is_attribute and (is_hidden or HIDDEN in line)


def main():
    parser = argparse.ArgumentParser(description="Compares the library's symbol graph with its sources.")
    parser.add_argument("graphs", type=Path, help="the folder that swift-symbolgraph-extract wrote")
    parser.add_argument(
        "--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the checkout (this one)"
    )
    arguments = parser.parse_args()
    graph = json.loads((arguments.graphs / "NetKit.symbols.json").read_text(encoding="utf-8"))
    names = {symbol["pathComponents"][-1] for symbol in graph["symbols"]}
    types = list(declared(arguments.root.resolve()))
    missing = [(name, place) for name, place in types if name not in names]
    for name, place in missing:
        print(f"{place}: the symbol graph of NetKit has no {name}: declare it in the module, not in one that it exports")
    if missing or not types:
        sys.exit(f"{len(missing)} of {len(types)} public types are missing in {arguments.graphs}")
    print(f"the symbol graph of NetKit holds all {len(types)} public types")


if __name__ == "__main__":
    main()
