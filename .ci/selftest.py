#!/usr/bin/env python3
"""Proves that the gate can fail: plants one fault for each check in a small package, and sees the check find it.

Before that, the package passes as it is.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
from checks import CHECKS, MAXIMUM_COLUMNS, MAXIMUM_LINES  # noqa: E402

CI = Path(__file__).resolve().parent

# --- A package that passes --------------------------------------------------------------------------------------------

MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "NetKit",
    products: [.library(name: "NetKit", targets: ["NetKit"])],
    targets: [
        .target(name: "NetKit"),
        .testTarget(name: "NetKitTests", dependencies: ["NetKit"]),
    ],
    swiftLanguageModes: [.v6]
)
"""
GREETING = """\
/// Says hello.
///
/// ```swift
/// print(Greeting(name: "Ada").text)
/// ```
public struct Greeting: Sendable {
    /// The text that names who is greeted.
    public let text: String

    /// Makes a greeting for a name.
    public init(name: String) {
        text = "Hello, \\(name)"
    }
}
"""
GREETING_TESTS = """\
import NetKit
import Testing

@Suite struct GreetingTests {
    @Test(arguments: ["Ada"]) func namesWhoIsGreeted(name: String) {
        #expect(Greeting(name: name).text == "Hello, Ada")
    }
}
"""
SKIPPED_NETWORK_TESTS = """\
import Testing

extension Trait where Self == ConditionTrait {
    static var needsNetworkNamespace: Self { .disabled() }
}

@Suite(.needsNetworkNamespace) struct NetworkTests {
    @Test func passes() {}
}
"""
GUIDE = "# ``NetKit``\n\nGreets.\n\n## Topics\n\n- ``Greeting``\n"
CONSUMER_MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Consumer",
    dependencies: [.package(name: "NetKit", path: "../..")],
    targets: [.executableTarget(name: "ConsumerCheck", dependencies: [.product(name: "NetKit", package: "NetKit")])]
)
"""
CONSUMER = 'import NetKit\n\nprint(Greeting(name: "Ada").text)\n'
GUESSES = """\
import NetKit

func guess() {
    print(Farewell())  // error: cannot find 'Farewell' in scope
}
"""

PRELUDE = "import NetKit\n"

PACKAGE = {
    "Package.swift": MANIFEST,
    "Sources/NetKit/Support/Greeting.swift": GREETING,
    "Sources/NetKit/NetKit.docc/NetKit.md": GUIDE,
    "Tests/NetKitTests/GreetingTests.swift": GREETING_TESTS,
    ".ci/consumer/Package.swift": CONSUMER_MANIFEST,
    ".ci/consumer/Sources/ConsumerCheck/main.swift": CONSUMER,
    ".ci/guesses/Guesses.swift": GUESSES,
    ".ci/examples/Prelude.swift": PRELUDE,
}

# What the structural checks must let pass, though it looks like a fault. It is not compiled.
NEAR_MISSES = {
    "Sources/NetKit/Client/Client.swift": "enum Client {\n    typealias Again = Retry\n}\n\nenum Schedule {}\n",
    "Sources/NetKit/Policies/Retry/Retry.swift": """\
// A comment may name Client, and say try! or @unchecked Sendable.
/// Retries.
///
/// What follows is code:
///
/// ```swift
/// anew()
/// ```
enum Retry<Client> {
    struct Schedule {}
    func text(_ client: Client) -> Schedule { "Client \\("\\(1)" + #"Client \\(2)"#) fatalError(" }
}
""",
    "Sources/NetKit/Support/Locked+Stop.swift": """\
#if os(Linux) && canImport(Glibc)
    @preconcurrency internal import struct Glibc.stat
#elseif canImport(Darwin)
    private import Darwin
#endif

extension Locked.Inner {}

// Only its owner
// writes here.
final class Counter: @unchecked Sendable {
    func stop() {
        // reason: nothing is left
        // that could go on.
        fatalError("/usr/work/ and \\(0)/root/")
    }
}
""",
    "Sources/NetKit/Support/withLimit.swift": "func withLimit() {}\n",
}

# --- Faults -----------------------------------------------------------------------------------------------------------

# A file with a text that the package does not have; `finding` is what the check has to say of it.
Fault = namedtuple("Fault", "check path text finding")

RETRY = "Sources/NetKit/Policies/Retry/Retry.swift"
HOME = "/" + "home/ada/"  # in two pieces, so that this file has no such path

STRUCTURAL_FAULTS = [
    Fault(
        "layers",
        RETRY,
        "enum Retry {}\nlet text = \"\\(Client.self)\"\n",
        f"{RETRY}:2: layers: Policies/Retry uses Client of Client",
    ),
    Fault("layers", RETRY, "enum Retry {}\nextension NetKit.Client {}\n", f"{RETRY}:2: layers: "),
    Fault("layers", "Sources/NetKit/New/Retry.swift", "enum Retry {}\n", "layers: the folder New has no layer"),
    Fault("layers", ".ci/layers.json", '{"Support": ["Suport"]}', "layers: Support may use Suport"),
    Fault(
        "layers",
        ".ci/layers.json",
        '{"Support": ["Client"], "Client": ["Policies/*"], "Policies/*": ["Support"]}',
        "layers: Client uses Policies/Retry uses Support uses Client: arrows run one way",
    ),
    Fault(
        "layers",
        "Sources/NetKit/Policies/Hedging/Hedge.swift",
        "enum Hedge {}\nlet retry = Retry<Int>()\n",
        "layers: Policies/Hedging uses Retry of Policies/Retry",
    ),
    Fault(
        "layers",
        "Sources/NetKit/HTTP/Values/Status.swift",
        "enum Status {}\nlet greeting: Schedule\n",
        "layers: HTTP/Values uses Schedule of Client",
    ),
    Fault(
        "file-names",
        "Sources/NetKitCLI/Other.swift",
        "enum Another {}\n",
        "file-names: the file declares or extends no Other",
    ),
    Fault(
        "file-names",
        "Sources/NetKit/Policies/Retry/Retry+Other.swift",
        "enum Retry {}\n",
        "file-names: the file extends no Retry",
    ),
    Fault(
        "file-length", RETRY, "enum Retry {}\n" + "\n" * MAXIMUM_LINES, f"{RETRY}:{MAXIMUM_LINES + 1}: file-length: "
    ),
    Fault(
        "conditional-imports",
        RETRY,
        "enum Retry {}\n@_exported public import Musl\n",
        f"{RETRY}:2: conditional-imports: ",
    ),
    Fault(
        "conditional-imports",
        "Tests/NetKitTests/ImportTests.swift",
        "#if !canImport(Darwin)\n    import Glibc\n#elseif canImport(Musl)\n#else\n    import CryptoKit\n#endif\n",
        "ImportTests.swift:5: conditional-imports: import CryptoKit",
    ),
    Fault(
        "conditional-types",
        RETRY,
        "#if canImport(Glibc)\n    enum Retry {}\n#endif\nlet retry: [Retry] = []\n",
        f"{RETRY}:4: conditional-types: Retry is declared inside #if",
    ),
    Fault("comment-width", RETRY, "// " + "x" * MAXIMUM_COLUMNS + "\nenum Retry {}\n", f"{RETRY}:1: comment-width: "),
    Fault("doc-abstract", RETRY, "/// What is tried again.\nenum Retry {}\n", f"{RETRY}:1: doc-abstract: "),
    Fault(
        "doc-abstract",
        "Sources/NetKitCLI/Other.swift",
        "/// Retries a call.\n///\n/// A hop begins anew.\nenum Other {}\n",
        "Other.swift:3: doc-abstract: “anew”",
    ),
    Fault(
        "doc-abstract",
        "Sources/CNetKit/include/CNetKit.h",
        "// What follows is no documentation.\nenum {\n    /// How a call ended.\n    ENDED = 1,\n};\n",
        "CNetKit.h:3: doc-abstract: the comment begins with “How”",
    ),
    Fault(
        "doc-abstract",
        "Sources/CNetKit/call.c",
        "/// Wakes whoever waits.\nvoid wake(void);\n",
        "call.c:1: doc-abstract: “whoever”",
    ),
    Fault("traps", RETRY, "enum Retry {}\nlet text = \"\\(try! stop())\"\n", f"{RETRY}:2: traps: try!"),
    Fault(
        "traps",
        RETRY,
        "// reason: of another line\n\nlet retry = precondition (false)\n",
        f"{RETRY}:3: traps: precondition ",
    ),
    Fault("traps", RETRY, "// TO" + "DO: write it\nenum Retry {}\n", f"{RETRY}:1: traps: "),
    Fault(
        "unchecked",
        RETRY,
        "// A clock.\nclass Retry: @unchecked Sendable { let lock = 1 }\n",
        f"{RETRY}:2: unchecked: ",
    ),
    Fault(
        "unchecked",
        RETRY,
        "enum Retry {}\n// lock\n" + "\n" * 6 + "nonisolated(unsafe) var a = 1\n",
        f"{RETRY}:9: unchecked: ",
    ),
    Fault("secrets-of-place", "notes.txt", f"here:\nfile://{HOME}notes\n", "notes.txt:2: secrets-of-place: "),
]

FIRST_FAULTS = [
    Fault("format", RETRY, "enum   Retry {}\n", "[Spacing]"),
    Fault("format", RETRY, "public enum Retry {}\n", "[AllPublicDeclarationsHaveDocumentation]"),
    Fault("format", RETRY, "/// Tries.\nenum Retry {\n    static let first = [1].first!\n}\n", "[NeverForceUnwrap]"),
    Fault(
        "format",
        "Tests/NetKitTests/GreetingTests.swift",
        GREETING_TESTS.replace("    @Test", "  @Test"),
        "[Indentation]",
    ),
    Fault(
        "dependencies",
        "Package.swift",
        MANIFEST.replace("    targets:", '    dependencies: [.package(path: ".ci/consumer")],\n    targets:'),
        "the package depends on: consumer",
    ),
    Fault(
        "documentation",
        "Sources/NetKit/NetKit.docc/NetKit.md",
        GUIDE + "- ``Farewell``\n",
        "'Farewell' doesn't exist at '/NetKit'",
    ),
    Fault(
        "documentation",
        "Sources/NetKit/NetKit.docc/NetKit.md",
        GUIDE.replace("- ``Greeting``", "- <doc:Greeting>"),
        "no topic lists Greeting",
    ),
    Fault(
        "documentation",
        "Sources/NetKit/NetKit.docc/NetKit.md",
        GUIDE.replace("Greets.", "Greets.\n\n[Farewell](/documentation/farewell)"),
        "documentation/netkit: /documentation/farewell leads nowhere",
    ),
    # Without a build, as if another module had it.
    Fault(
        "documentation",
        "Sources/NetKit/Support/Farewell.swift",
        GREETING.replace("Greeting", "Farewell"),
        "the symbol graph of NetKit has no Farewell",
    ),
    Fault(
        "test",
        "Tests/NetKitTests/GreetingTests.swift",
        GREETING_TESTS.replace('"Hello,', '"Bye,'),
        "Expectation failed",
    ),
    Fault("test", "Tests/NetKitTests/GreetingTests.swift", "import Testing\n", "no test ran"),
    Fault(
        "build",
        "Sources/NetKit/Support/Greeting.swift",
        GREETING.replace("text =", "let unused = 1\n        text ="),
        "[#no-usage]",
    ),
    Fault(
        "names",
        ".ci/guesses/Guesses.swift",
        GUESSES.replace("Farewell()", 'Greeting(name: "Ada").text'),
        "the compiler said: nothing",
    ),
    Fault(
        "examples",
        "Sources/NetKit/Support/Greeting.swift",
        GREETING.replace("print(Greeting", "print(Farewell"),
        "Greeting.swift:4:7: error: cannot find 'Farewell'",
    ),
]
if any(
    shutil.which("unshare") and subprocess.run(["unshare", *way, "--net", "true"], capture_output=True).returncode == 0
    for way in ([], ["--user", "--map-root-user"])
):
    FIRST_FAULTS.append(
        Fault("test", "Tests/NetKitTests/NetworkTests.swift", SKIPPED_NETWORK_TESTS, "but NetworkTests did not run")
    )
SECOND_FAULTS = [
    Fault(
        "consumer",
        ".ci/consumer/Sources/ConsumerCheck/main.swift",
        CONSUMER + "print(Farewell())\n",
        "cannot find 'Farewell'",
    ),
]

# What DocC makes of one page, as far as the search reads it.
SITE_PAGE = {"metadata": {"title": "A"}, "references": {}}
SITE_HTML = '<div id="app"></div>'
SITE = {
    "site/data/documentation/a.json": json.dumps(SITE_PAGE),
    "site/documentation/a/index.html": SITE_HTML,
    "site/index/index.json": '[{"path": "/documentation/a"}]',
    "site/search.html": "",
}


def site_fault(reference, finding):
    page = SITE_PAGE | {"references": {"a": reference}}
    return Fault("site", "site/data/documentation/a.json", json.dumps(page), finding)


SITE_FAULTS = [
    site_fault({"url": "/documentation/b"}, "documentation/a: /documentation/b leads nowhere"),
    site_fault({"url": "#b"}, "documentation/a: #b leads nowhere"),
    site_fault({"variants": [{"url": "https://example.com/a.png"}]}, "https://example.com/a.png is loaded from the network"),
    Fault("site", "site/documentation/b/index.html", SITE_HTML, "documentation/b: the page is missing in the search index"),
    Fault("site", "site/documentation/a/index.html", "<p>", "documentation/a/index.html: no search field"),
    Fault("site", "site/documentation/a/index.html", SITE_HTML + '<a href="//b.example">', "//b.example leads nowhere"),
    Fault("site", "site/index/index.json", '[{"path": "/documentation/b"}]', "the navigator: /documentation/b leads nowhere"),
    Fault("site", "site/a.css", "@import '//example.com/a.css';", "//example.com/a.css is loaded from the network"),
]

# --- Planting them ----------------------------------------------------------------------------------------------------


class Tree:
    """A package in a folder of its own, with a copy of the gate."""

    def __init__(self, folder, files):
        self.root = folder
        self.written_at = int(time.time())
        shutil.copytree(CI, folder / ".ci", ignore=shutil.ignore_patterns("consumer", "examples", "guesses", "__pycache__"))
        for path, text in files.items():
            self._write(path, text)

    def plant(self, fault):
        before = (self.root / fault.path).read_text(encoding="utf-8") if (self.root / fault.path).exists() else None
        self._write(fault.path, fault.text)
        return before

    def restore(self, fault, before):
        if before is None:
            (self.root / fault.path).unlink()
        else:
            self._write(fault.path, before)

    def run(self, *command, path=None):
        environment = dict(os.environ, PATH=path or os.environ["PATH"], NETKIT_NIGHTLY="0")
        result = subprocess.run(
            command, cwd=self.root, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        return result.returncode, result.stdout

    def _write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        # The compiler's driver tells by the whole second whether a file has changed since the last build, and a build here
        # takes less than one: each text gets a second of its own.
        self.written_at += 1
        os.utime(file, (self.written_at, self.written_at))


def expect_pass(what, result):
    status, output = result
    if status != 0:
        sys.exit(f"self-test {what}: fails without a fault:\n{output}")


def expect_finding(name, finding, result):
    status, output = result
    if status == 0 or finding not in output:
        sys.exit(
            f"self-test {name}: the planted fault is NOT found (exit status {status}, wanted: {finding}):\n{output}"
        )
    print(f"self-test {name}: the planted fault is found ({finding.strip()})", flush=True)


def test_structure(folder):
    tree = Tree(folder, PACKAGE | NEAR_MISSES)
    expect_pass("structure", tree.run(sys.executable, ".ci/checks.py"))
    for fault in STRUCTURAL_FAULTS:
        before = tree.plant(fault)
        expect_finding(fault.check, fault.finding, tree.run(sys.executable, ".ci/checks.py", fault.check))
        tree.restore(fault, before)
    if untested := set(CHECKS) - {fault.check for fault in STRUCTURAL_FAULTS}:
        sys.exit(f"self-test: no fault is planted for {', '.join(sorted(untested))}")


def test_tools(folder):
    tree = Tree(folder, {"bin/swift": "#!/bin/sh\necho 'Swift version 6.1.2 (swift-6.1.2-RELEASE)'\n"})
    (tree.root / "bin/swift").chmod(0o755)
    path = f"{tree.root}/bin:{os.environ['PATH']}"
    expect_finding("tools", "swift 6.1.2 is too old", tree.run(".ci/run", "tools", path=path))


def test_coverage(folder):
    tree = Tree(folder, {})
    file = {"filename": f"{tree.root.resolve()}/Sources/NetKit/Support/Greeting.swift"}
    for covered, other in ((90, 0), (89, 100)):
        # The second file is none of the library's: it must not lift the figure.
        files = [
            file | {"summary": {"lines": {"count": 100, "covered": covered}}},
            {
                "filename": f"{tree.root.resolve()}/Sources/NetKitCLI/main.swift",
                "summary": {"lines": {"count": 100, "covered": other}},
            },
        ]
        (tree.root / "coverage.json").write_text(json.dumps({"data": [{"files": files}]}), encoding="utf-8")
        result = tree.run(sys.executable, ".ci/coverage.py", "coverage.json")
        if other == 0:
            expect_pass("coverage", result)
        else:
            expect_finding("coverage", "coverage is below", result)
    (tree.root / "coverage.json").write_text('{"data": [{"files": []}]}', encoding="utf-8")
    expect_finding("coverage", "no line of", tree.run(sys.executable, ".ci/coverage.py", "coverage.json"))


def test_site(folder):
    tree = Tree(folder, SITE)
    command = (sys.executable, ".ci/site_search.py", "site")
    expect_pass("site", tree.run(*command))
    for fault in SITE_FAULTS:
        before = tree.plant(fault)
        expect_finding(fault.check, fault.finding, tree.run(*command))
        tree.restore(fault, before)
    expect_finding("site", "no such option: --bse", tree.run(".ci/site", "--bse", "/a"))
    expect_finding("site", "is no site, and is not empty", tree.run(".ci/site", ".ci"))


def test_steps(folder, steps, faults):
    """Runs steps of the gate itself on a package: all of them pass, and each fails on its fault."""
    tree = Tree(folder, PACKAGE)
    expect_pass(", ".join(steps), tree.run(".ci/run", *steps))
    for fault in faults:
        before = tree.plant(fault)
        status, output = tree.run(".ci/run", fault.check)
        failed = output.rstrip().endswith(f"== FAILED: {fault.check}")
        expect_finding(fault.check, fault.finding, (status if failed else 0, output))
        tree.restore(fault, before)


def main():
    # No two packages share a build folder, so two of them can be built at a time.
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(max_workers=2) as pool:
        folders = [Path(temporary) / str(number) for number in range(6)]
        first_steps = ["format", "dependencies", "build", "test", "coverage", "documentation", "names", "examples"]
        work = [
            pool.submit(test_steps, folders[0], first_steps, FIRST_FAULTS),
            pool.submit(test_structure, folders[1]),
            pool.submit(test_tools, folders[2]),
            pool.submit(test_coverage, folders[3]),
            pool.submit(test_site, folders[5]),
            pool.submit(test_steps, folders[4], ["consumer"], SECOND_FAULTS),
        ]
        for part in work:
            part.result()


if __name__ == "__main__":
    main()
