#!/usr/bin/env python3
"""The memory that a waiting call holds in the frames of async functions, from a binary with its symbols.

The temporaries of a function that is inlined into an async one lie in its frame, and every waiting call holds them. An
`@inline(never)` on what comes before and after the wait keeps them on the stack.
"""

import re
import struct
import subprocess
import sys

# What a call with default settings passes until it waits for its response, and how often.
PATH = {
    "HTTPClient.send(_:options:)": 1,
    "closure #1 in HTTPClient.send(_:options:)": 1,
    "Pipeline.send(_:context:)": 1,
    "Next.callAsFunction(_:_:)": 4,
    "protocol witness for Interceptor.intercept(_:context:next:) in conformance RedirectInterceptor": 1,
    "protocol witness for Interceptor.intercept(_:context:next:) in conformance RetryInterceptor": 1,
    "protocol witness for Interceptor.intercept(_:context:next:) in conformance AttemptBoundary": 1,
    "protocol witness for Interceptor.intercept(_:context:next:) in conformance ChainEnd": 1,
    "Pipeline.transmit(_:context:)": 1,
    "CurlTransport.send(_:context:)": 1,
    "CurlTransfer.run()": 1,
    "closure #1 in CurlTransfer.run()": 1,
}
MOST_BYTES = 2_700


def output(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def sections(binary):
    """The address, the offset and the size of each section."""
    line = re.compile(r"\s*\[\s*\d+\]\s+\S+\s+\S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)")
    found = map(line.match, output("readelf", "-SW", binary).splitlines())
    return [[int(number, 16) for number in each.groups()] for each in found if each]


def frames(binary):
    """The size of the frame of each async function, by its name."""
    symbols = [line.split() for line in output("nm", binary).splitlines()]
    pointers = [(int(words[0], 16), words[2]) for words in symbols if len(words) == 3 and words[2].endswith("Tu")]
    names = output("swift", "demangle", "--simplified", "--compact", text="\n".join(name for _, name in pointers))
    table = sections(binary)
    sizes = {}
    with open(binary, "rb") as file:
        for (address, _), name in zip(pointers, names.splitlines()):
            start, offset, _ = next(each for each in table if each[0] <= address < each[0] + each[2])
            # An async function pointer has the distance to the code, then the size of the frame.
            file.seek(offset + address - start + 4)
            sizes[name.removeprefix("async function pointer to ")] = struct.unpack("<I", file.read(4))[0]
    return sizes


def main():
    sizes = frames(sys.argv[1])
    missing = [name for name in PATH if name not in sizes]
    if missing:
        sys.exit(f"error: no async function is called {missing[0]}: name those of a call's path in .ci/frames.py")
    total = sum(sizes[name] * count for name, count in PATH.items())
    print(f"a waiting call holds in async frames: {total} bytes (at most {MOST_BYTES})")
    if total > MOST_BYTES:
        for name in sorted(PATH, key=lambda name: -sizes[name]):
            print(f"{sizes[name]:6} {name}", file=sys.stderr)
        sys.exit("error: a waiting call holds more than .ci/frames.py allows")


main()
