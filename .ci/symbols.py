#!/usr/bin/env python3
"""Sees that the symbol graph of a library holds every public type that its sources declare for this platform, and that a
topic of its documentation lists each of them that is not nested.

The documentation, completion and crash reports of users know a type by the module whose graph it is in. A type in no topic
is found by searching only.
"""

import argparse
import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from swift_source import SwiftSource  # noqa: E402

PUBLIC_TYPE = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?:final\s+)?(?:struct|class|enum|actor|protocol)\s+(\w+)")
HIDDEN = "@_documentation(visibility: internal)"
DIRECTIVE = re.compile(r"^\s*#(if|elseif|else|endif)\b(.*)")
# What only Apple's platforms have: nothing below it is compiled on Linux, where the gate runs.
FOREIGN = re.compile(r"(?<!!)canImport\((?:Network|os|OSLog|Darwin|SwiftUI)\)")
TYPES = {f"swift.{kind}" for kind in ("struct", "class", "enum", "actor", "protocol")}
TOPIC = re.compile(r"^- ``(\w+)``\s*$", re.MULTILINE)


def declared(root, module):
    """Where each public type is declared."""
    for path in sorted((root / "Sources" / module).rglob("*.swift")):
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


def unlisted(root, module, symbols):
    """The types that are in no topic."""
    pages = (root / "Sources" / module).rglob("*.docc/**/*.md")
    listed = {name for page in pages for name in TOPIC.findall(page.read_text(encoding="utf-8"))}
    paths = (symbol["pathComponents"] for symbol in symbols if symbol["kind"]["identifier"] in TYPES)
    return sorted({path[0] for path in paths if len(path) == 1} - listed)


def main():
    parser = argparse.ArgumentParser(description="Compares a library's symbol graph with its sources and topics.")
    parser.add_argument("module", help="the library")
    parser.add_argument("graphs", type=Path, help="the folder that swift-symbolgraph-extract wrote")
    parser.add_argument(
        "--root", type=Path, default=Path(__file__).resolve().parent.parent, help="the checkout (this one)"
    )
    arguments = parser.parse_args()
    root, module = arguments.root.resolve(), arguments.module
    symbols = json.loads((arguments.graphs / f"{module}.symbols.json").read_text(encoding="utf-8"))["symbols"]
    names = {symbol["pathComponents"][-1] for symbol in symbols}
    types = list(declared(root, module))
    missing = [(name, place) for name, place in types if name not in names]
    for name, place in missing:
        print(f"{place}: the symbol graph of {module} has no {name}: declare it in the module, not in one that it exports")
    absent = unlisted(root, module, symbols)
    for name in absent:
        print(f"Sources/{module}: no topic lists {name}: add it to one of {module}.docc/{module}.md")
    if missing or not types:
        sys.exit(f"{len(missing)} of {len(types)} public types are missing in {arguments.graphs}")
    if absent:
        sys.exit(f"{len(absent)} public types of {module} are in no topic")
    print(f"the symbol graph of {module} holds all {len(types)} public types, and each that is not nested is in a topic")


if __name__ == "__main__":
    main()
