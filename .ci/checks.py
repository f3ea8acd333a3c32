#!/usr/bin/env python3
"""Checks of the project's structure that neither the compiler nor the formatter makes.

Each check is one function that yields problems; `CHECKS` at the end lists them.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict, namedtuple
from pathlib import Path

sys.dont_write_bytecode = True
from swift_source import SwiftSource  # noqa: E402

LIBRARY = "Sources/NetKit"
LAYERS = ".ci/layers.json"
MAXIMUM_LINES = 400
MAXIMUM_COLUMNS = 120

Problem = namedtuple("Problem", "path line text")


class Project:
    """The files below a root folder. Paths are relative to it, with `/`."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self._sources = {}

    def swift_files(self, *folders):
        found = [path for folder in folders for path in (self.root / folder).rglob("*.swift")]
        return sorted(path.relative_to(self.root).as_posix() for path in found)

    def c_files(self, folder):
        found = [path for suffix in ("h", "c") for path in (self.root / folder).rglob(f"*.{suffix}")]
        return sorted(path.relative_to(self.root).as_posix() for path in found)

    def comment_lines(self, path):
        """The lines of a file without its code; of a C file, only those that begin with `//`."""
        if path.endswith(".swift"):
            return self.source(path).comment_lines
        lines = (self.root / path).read_text(encoding="utf-8").split("\n")
        return [line if line.lstrip().startswith("//") else "" for line in lines]

    def source(self, path):
        if path not in self._sources:
            self._sources[path] = SwiftSource((self.root / path).read_text(encoding="utf-8"))
        return self._sources[path]

    def files(self):
        """What git tracks or would add; outside git, everything but build products."""
        listed = self._git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        if listed is None:
            every = (path.relative_to(self.root) for path in self.root.rglob("*"))
            return sorted(path.as_posix() for path in every if not {".git", ".build"} & set(path.parts))
        return sorted(set(listed.split("\0")) - {""})

    def _git(self, *arguments):
        # The checkout may belong to another user than the one who runs the gate.
        command = ["git", "-c", "safe.directory=*", "-C", str(self.root)]
        try:
            top = subprocess.run([*command, "rev-parse", "--show-toplevel"], capture_output=True, text=True)
            if top.returncode != 0 or Path(top.stdout.strip()).resolve() != self.root:
                return None
            return subprocess.run([*command, *arguments], capture_output=True, text=True, check=True).stdout
        except FileNotFoundError:
            return None


def layers(project):
    """A folder of the library names only types of the folders that layers.json lets it use, and no arrow runs back.

    A layer is a folder with everything below it that is no layer of its own: `HTTP/Values` stands beside `HTTP`. `Policies/*`
    makes each folder in `Policies` a layer with the same rights. What the check cannot see: a type that is only inferred,
    members, operators and free functions. A name is left alone where it could mean something else: when two layers declare
    it, when it follows a dot, or when the using layer, or one that it may use, has a nested type, an associated type or a
    generic parameter of that name.
    """
    written = json.loads((project.root / LAYERS).read_text(encoding="utf-8"))
    paths = [path[len(LIBRARY) + 1 :] for path in project.swift_files(LIBRARY)]
    folders = sorted({path.rpartition("/")[0] for path in paths} - {""})

    def expanded(name):
        if not name.endswith("/*"):
            return {name}
        parent = name[:-1]
        return {parent + folder[len(parent) :].split("/")[0] for folder in folders if folder.startswith(parent)}

    table = {}
    for name, allowed in written.items():
        for unknown in sorted(set(allowed) - set(written)):
            if not any(other.endswith("/*") and unknown.startswith(other[:-1]) for other in written):
                text = f"{name} may use {unknown}, which the table does not know: add it or mend its name"
                yield Problem(LAYERS, 1, text)
        usable = set().union(*(expanded(other) for other in allowed))
        for layer in expanded(name):
            table[layer] = usable
    if circle := _circle(table):
        yield Problem(LAYERS, 1, f"{' uses '.join(circle)}: arrows run one way, so turn one round or move a type")

    files = defaultdict(list)
    for path in paths:
        parts = path.split("/")[:-1]
        names = ["/".join(parts[:length]) for length in range(len(parts), 0, -1)]
        layer = next((name for name in names if name in table), None)
        if layer:
            files[layer].append(f"{LIBRARY}/{path}")
        elif parts:
            text = f"the folder {'/'.join(parts)} has no layer: add it to {LAYERS} or move the file"
            yield Problem(f"{LIBRARY}/{path}", 1, text)

    homes, inner = defaultdict(set), defaultdict(set)
    for layer, paths in files.items():
        for path in paths:
            inner[layer] |= project.source(path).inner_types()
            for name in project.source(path).top_level_types():
                homes[name].add(layer)

    for layer in sorted(files):
        usable = {layer, *table[layer]}
        ambiguous = set().union(*(inner[other] for other in usable))
        forbidden = {
            name: next(iter(declaring))
            for name, declaring in homes.items()
            if len(declaring) == 1 and not declaring & usable and name not in ambiguous
        }
        if not forbidden:
            continue
        use = re.compile(r"(?:(?<![.\w])|\bNetKit\.)(" + "|".join(sorted(forbidden)) + r")\b")
        for path in files[layer]:
            source = project.source(path)
            for match in use.finditer(source.code):
                use_of = f"{layer} uses {match[1]} of {forbidden[match[1]]}"
                text = f"{use_of}, which its layer may not: move one or use a seam"
                yield Problem(path, source.line_of(match.start()), text)


def _circle(table):
    """The layers of a circle in the table, the first one at both ends; nothing if there is none."""
    done, path = set(), []

    def visit(layer):
        if layer in path:
            return path[path.index(layer) :] + [layer]
        if layer in done:
            return None
        path.append(layer)
        for other in sorted(table.get(layer, ())):
            if found := visit(other):
                return found
        path.pop()
        done.add(layer)
        return None

    return next((found for layer in sorted(table) if (found := visit(layer))), None)


def file_names(project):
    """A file is named after what it holds: `Foo.swift` declares or extends Foo, `Foo+Topic.swift` extends Foo.

    A free function may name its file as well: `withDeadline.swift`.
    """
    for path in project.swift_files("Sources"):
        stem = path.rsplit("/", 1)[-1][: -len(".swift")]
        if stem in {"Exports", "main", "Package"}:
            continue
        source = project.source(path)
        extended = {
            part for name in source.extended_types() for part in (name, name.split(".")[0], name.split(".")[-1])
        }
        base, plus, _ = stem.partition("+")
        if plus and base not in extended:
            yield Problem(path, 1, f"the file extends no {base}: name it after what it extends")
        elif not plus and base not in extended | source.top_level_types() | source.top_level_functions():
            yield Problem(path, 1, f"the file declares or extends no {base}: name it after what it holds")


def file_length(project):
    """A file is read in one sitting."""
    for path in project.swift_files("Sources", "Tests"):
        count = len(project.source(path).text.splitlines())
        if count > MAXIMUM_LINES:
            yield Problem(path, MAXIMUM_LINES + 1, f"{count} lines, {MAXIMUM_LINES} at most: split the file by topic")


def comment_width(project):
    """A comment is no wider than code, whose width the formatter checks; an example may be."""
    for path in project.swift_files("Sources", "Tests") + project.c_files("Sources"):
        in_code = False
        for number, line in enumerate((project.root / path).read_text(encoding="utf-8").split("\n"), 1):
            text = line.lstrip()
            in_code = text.startswith("///") and in_code ^ text.startswith("/// ```")
            if len(line) > MAXIMUM_COLUMNS and text.startswith("//") and not in_code:
                yield Problem(path, number, f"{len(line)} columns, {MAXIMUM_COLUMNS} at most: wrap the comment")


def conditional_imports(project):
    """A module that some platform lacks is imported inside `#if canImport(...)`."""
    modules = "Glibc|Musl|FoundationNetworking|Darwin|CNetKitSystem|CNetKitCurl|OSLog|Network|CryptoKit"
    access = r"(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    kind = r"(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?"
    statement = re.compile(rf"^\s*{access}import\s+{kind}({modules})\b")
    for path in project.swift_files("Sources", "Tests"):
        for number, line, conditions in _conditional_lines(project.source(path)):
            match = statement.match(line)
            if match and not any(re.search(r"(?<!!)\bcanImport\(", condition) for condition in conditions):
                yield Problem(
                    path, number, f"import {match[1]} stands outside #if canImport({match[1]}): put it inside"
                )


def conditional_types(project):
    """A type of the library that is declared inside `#if` is used inside `#if`, as some platforms lack it."""
    homes, everywhere = {}, set()
    for path in project.swift_files(LIBRARY):
        source = project.source(path)
        conditional = {number for number, _, conditions in _conditional_lines(source) if conditions}
        for name, number in source.top_level_type_lines():
            if number in conditional:
                homes[name] = path
            else:
                everywhere.add(name)
    names = set(homes) - everywhere
    for path in project.swift_files(LIBRARY):
        source = project.source(path)
        foreign = names - source.inner_types()
        for number, line, conditions in _conditional_lines(source):
            used = () if conditions else sorted(foreign & set(re.findall(r"\w+", line)))
            for name in used:
                yield Problem(path, number, f"{name} is declared inside #if, in {homes[name]}: use it inside as well")


def _conditional_lines(source):
    """The number and the code of each line that is no directive, with the conditions around it."""
    directive = re.compile(r"^\s*#(if|elseif|else|endif)\b(.*)")
    conditions = []
    for number, line in enumerate(source.code_lines, 1):
        if match := directive.match(line):
            if match[1] != "if" and conditions:
                conditions = conditions[:-1]
            if match[1] != "endif":
                conditions = conditions + [match[2]]
        else:
            yield number, line, conditions


def traps(project):
    """The library neither traps nor leaves work undone; `// reason: …` on the line or above excuses a line."""
    in_code = re.compile(r"\btry!|\bas!|\b(?:fatalError|preconditionFailure|precondition)\s*\(|\bassertionFailure\b")
    in_comments = re.compile(r"\bTODO\b|\bFIXME\b")
    for path in project.swift_files(LIBRARY):
        source = project.source(path)
        comments = source.comment_lines
        for number, (code, comment) in enumerate(zip(source.code_lines, comments), 1):
            match = in_code.search(code) or in_comments.search(comment)
            if match and not _has_reason(source, number):
                what = match[0].rstrip("( ")
                yield Problem(path, number, f"{what} in the library: find another way, or say `// reason: …` above it")


def _has_reason(source, number):
    """Whether the line, or the comment that ends right above it, gives a reason."""
    reason = re.compile(r"//\s*reason:\s*\S")
    if reason.search(source.comment_lines[number - 1]):
        return True
    for above in range(number - 2, -1, -1):
        if source.code_lines[above].strip() or not source.comment_lines[above].strip():
            return False
        if reason.search(source.comment_lines[above]):
            return True
    return False


def unchecked(project):
    """What the compiler shall not check names its lock or its owner, on the line or in the six above."""
    claim = re.compile(r"@unchecked\s+Sendable|\bnonisolated\(unsafe\)")
    guard = re.compile(r"\b(?:locks?|locked|owners?|owned)\b", re.IGNORECASE)
    for path in project.swift_files("Sources"):
        source = project.source(path)
        for number, line in enumerate(source.code_lines, 1):
            match = claim.search(line)
            if match and not guard.search("\n".join(source.comment_lines[max(0, number - 7) : number])):
                yield Problem(path, number, f"{match[0]} without a comment that names its lock or its owner: add one")


def secrets_of_place(project):
    """No file names a folder of the machine that it was written on."""
    # A path that continues another one, or a URL's path behind a host, is no absolute path; behind `file://` it is.
    absolute = re.compile(r"(?:(?<![\w.~%/)}*-])|(?<=file://))/(?:work/|root/|home/[\w.-]+/)")
    for path in project.files():
        file = project.root / path
        if path == ".ci/checks.py" or file.is_symlink() or not file.is_file():
            continue
        content = file.read_bytes()
        if b"\0" in content[:8192]:
            continue
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            if match := absolute.search(line):
                yield Problem(
                    path, number, f"the absolute path {match[0]}…: make it relative, temporary or a parameter"
                )


def doc_abstract(project):
    """A documentation comment begins with a noun phrase or a verb, and is in plain words."""
    opening = re.compile(
        r"(?:What|Whatever|Who|Whoever|Whose|Whom|Where|Wherever|When|How|Which|Nobody|Nothing|None|Everybody|Everything"
        r"|Only|Pure|If|Because|So|As|It|They|There)\b"
    )
    words = re.compile(
        r"\b(?:[Ww]hoever|[Nn]obody|[Ss]omebody|[Aa]new|[Gg](?:o|oes|oing) by|in case that|[Dd]earest|[Ss]hall)\b"
    )
    for path in project.swift_files("Sources") + project.c_files("Sources"):
        in_comment = in_code = False
        for number, comment in enumerate(project.comment_lines(path), 1):
            text = comment.strip()
            if not text.startswith("///"):
                in_comment = in_code = False
                continue
            text = text[3:].strip()
            if text.startswith("```"):
                in_code = not in_code
            elif in_code:
                continue
            elif not in_comment and (match := opening.match(text)):
                yield Problem(
                    path, number, f"the comment begins with “{match[0]}”: begin with a noun phrase, or a verb (“Returns …”)"
                )
            elif match := words.search(text):
                yield Problem(path, number, f"“{match[0]}” in a documentation comment: use a plainer word")
            in_comment = True


CHECKS = {
    "layers": layers,
    "file-names": file_names,
    "file-length": file_length,
    "comment-width": comment_width,
    "conditional-imports": conditional_imports,
    "conditional-types": conditional_types,
    "doc-abstract": doc_abstract,
    "traps": traps,
    "unchecked": unchecked,
    "secrets-of-place": secrets_of_place,
}


def main():
    parser = argparse.ArgumentParser(description="Checks the structure of the project.")
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent, help="the checkout (this one)")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=f"any of: {', '.join(CHECKS)} (all)")
    arguments = parser.parse_args()
    if unknown := set(arguments.checks) - set(CHECKS):
        parser.error(f"no such check: {', '.join(sorted(unknown))}")
    project = Project(arguments.root)
    found = 0
    for name in arguments.checks or CHECKS:
        for problem in CHECKS[name](project):
            found += 1
            print(f"{problem.path}:{problem.line}: {name}: {problem.text}")
    if found:
        sys.exit(1)
    files = project.swift_files("Sources", "Tests")
    print(f"{len(arguments.checks or CHECKS)} checks, {len(files)} Swift files, no problem")


if __name__ == "__main__":
    main()
