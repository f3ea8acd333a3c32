#!/usr/bin/env python3
"""Compares NetKit with AsyncHTTPClient over loopback, and prints a table in Markdown.

    NETKIT_PEERS=/path/to/peers ./compare.py [ROUNDS [LOAD]]

The folder needs a checkout of AsyncHTTPClient at a release, named `async-http-client`; what that depends on is resolved
by the package manager. nginx and openssl have to be installed. Each round runs every contender once, in a random order
and in a process of its own; the table has the medians of the ratios within a round. With LOAD, only the loads whose names
contain it are run.
"""

import datetime
import json
import os
import pathlib
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SCRATCH = HERE.parents[2] / ".build" / "peers"
SMALL = json.dumps({"id": 42, "name": "Ada", "tags": ["one", "two", "three"], "note": "x" * 160})
LARGE = 100 << 20
DEFAULT_BURST = "10,000 at once, AsyncHTTPClient with its default"
CONFIGURATION = """
worker_processes 1;
pid nginx.pid;
error_log error.log warn;
worker_rlimit_nofile 65536;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  sendfile on; tcp_nopush on; tcp_nodelay on;
  keepalive_timeout 300s; keepalive_requests 100000000;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  server {{
    listen 127.0.0.1:{plain} backlog=4096;
    listen 127.0.0.1:{tls} ssl backlog=4096;
    listen 127.0.0.1:{http2} ssl http2 backlog=4096;
    ssl_certificate certificate.pem;
    ssl_certificate_key key.pem;
    http2_max_concurrent_streams 256;
    root .;
    location = /small {{
      default_type application/json;
      add_header Cache-Control "no-store";
      add_header X-Request-Id $request_id;
      add_header Vary "Accept-Encoding";
      return 200 '{small}';
    }}
  }}
}}
"""


def fail(message):
    sys.exit(f"error: {message}")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def start_server(folder):
    """Starts nginx in a folder, and returns the process and the base URLs."""
    plain, tls, http2 = free_ports(3)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        + ["-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
        check=True,
        capture_output=True,
    )
    with open(folder / "large", "wb") as large:
        for _ in range(LARGE >> 20):
            large.write(random.randbytes(1 << 20))
    text = CONFIGURATION.format(plain=plain, tls=tls, http2=http2, small=SMALL)
    (folder / "nginx.conf").write_text(("user root;\n" if os.geteuid() == 0 else "") + text)
    # In a session of its own, as a service manager starts it: the scheduler shares the cores among sessions first.
    server = subprocess.Popen(
        [find_server(), "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log", "-g", "daemon off;"],
        start_new_session=True,
    )
    time.sleep(0.5)
    if server.poll() is not None:
        fail(f"nginx does not start: {(folder / 'error.log').read_text()}")
    return server, {
        "plain": f"http://127.0.0.1:{plain}",
        "tls": f"https://localhost:{tls}",
        "http2": f"https://localhost:{http2}",
    }


def find_server():
    return shutil.which("nginx") or shutil.which("/usr/sbin/nginx") or fail("nginx is not installed")


def loads(bases):
    """The rows of the table: title, URL, callers, seconds, and the form for NetKit's columns and for the peer."""
    rows = []
    for wire, callers in [("plain", 1), ("plain", 16), ("plain", 64), ("plain", 256), ("tls", 64), ("http2", 64)]:
        name = {"plain": "", "tls": ", TLS", "http2": ", HTTP/2"}[wire]
        title = f"{callers} caller{'s' if callers > 1 else ''}{name}"
        rows.append((title, bases[wire] + "/small", callers, 0.5, ("get", "buffered"), "get"))
    rows.append(("10,000 at once", bases["plain"] + "/small", 10_000, 0, ("get", "buffered"), "get"))
    rows.append((DEFAULT_BURST, bases["plain"] + "/small", 10_000, 0, ("get", "buffered"), "get"))
    rows.append(("100 MB, chunk by chunk", bases["plain"] + "/large", 1, 0.5, ("download",), "download"))
    rows.append(("100 MB in memory", bases["plain"] + "/large", 1, 0.5, ("collect",), "collect"))
    rows.append(("100 MB sent from a file", bases["sink"], 1, 0.5, ("upload",), "upload"))
    return rows


def measure(program, form, seconds, callers, url, folder, connections):
    words = [program, form, str(seconds), str(callers), url]
    environment = {**os.environ, "PEER_CONNECTIONS": str(connections)}
    if url.startswith("https"):
        words.append(str(folder / "certificate.pem"))
    if form == "upload":
        words.append(str(folder / "large"))
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=120)
    if done.returncode != 0:
        fail(f"{program} {form}: {done.stdout}{done.stderr}")
    result = json.loads(done.stdout)
    if result["failed"]:
        fail(f"{program} {form} at {callers} callers: {result['failed']} calls failed")
    # The sink responds with "ok".
    size = {"small": len(SMALL), "large": LARGE}.get(url.rpartition("/")[2], 2)
    if result["bytes"] != result["calls"] * size:
        fail(f"{program} {form}: {result['bytes']} bytes instead of {size} for each of {result['calls']} calls")
    return result


def version_of_peer(peers):
    checkout = pathlib.Path(peers) / "async-http-client"
    if not checkout.is_dir():
        fail(f"{checkout} is not there")
    tag = subprocess.run(["git", "-C", checkout, "describe", "--tags"], capture_output=True, text=True).stdout.strip()
    resolved = json.loads((HERE / "Package.resolved").read_text())["pins"]
    nio = next((pin["state"]["version"] for pin in resolved if pin["identity"] == "swift-nio"), "unknown")
    return f"AsyncHTTPClient {tag or 'unknown'} with SwiftNIO {nio}"


def ratio(rounds, kind, value):
    own = [each[kind] for each in rounds]
    peer = [each["peer"] for each in rounds]
    return statistics.median(value(one) / value(other) for one, other in zip(own, peer))


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    load = sys.argv[2] if len(sys.argv) > 2 else ""
    peers = os.environ.get("NETKIT_PEERS") or fail("NETKIT_PEERS names no folder with a checkout of the peer")
    build = ["swift", "build", "-c", "release", "--package-path", HERE, "--scratch-path", SCRATCH]
    subprocess.run(build, check=True, stdout=sys.stderr)
    programs = SCRATCH / "release"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server, bases = start_server(folder)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        sink = subprocess.Popen([programs / "Sink"], **pipes, start_new_session=True)
        bases["sink"] = f"http://127.0.0.1:{sink.stdout.readline().strip()}/"
        try:
            rows = [row for row in loads(bases) if load in row[0]]
            results = {row[0]: [{} for _ in range(rounds)] for row in rows}
            for number in range(rounds):
                print(f"round {number + 1} of {rounds}", file=sys.stderr)
                jobs = [(row, form) for row in rows for form in (*row[4], "peer")]
                random.shuffle(jobs)
                for (title, url, callers, seconds, _, peer_form), form in jobs:
                    is_peer = form == "peer"
                    program = programs / ("AsyncHTTPClientPeer" if is_peer else "NetKitPeer")
                    # Its default of 8 connections would make the peer wait; at 10,000 it gets as many as NetKit has.
                    connections = 8 if title == DEFAULT_BURST else min(max(8, callers), 256)
                    result = measure(
                        program, peer_form if is_peer else form, seconds, callers, url, folder, connections
                    )
                    results[title][number][form] = result
        finally:
            server.terminate()
            server.wait()
            sink.communicate()
    print_table(results, rounds, peers)


def print_table(results, rounds, peers):
    rate = lambda result: result["calls"] / result["seconds"]
    cpu = lambda result: result["cpu"] / result["calls"]
    print(f"{datetime.date.today()}, {version_of_peer(peers)}, {os.cpu_count()} cores, {rounds} rounds:\n")
    print("| load | calls a second: streamed | buffered | CPU for a call: streamed | buffered | peak memory |")
    print("|---|---|---|---|---|---|")
    for title, runs in results.items():
        streamed = next((form for form in ("get", "download", "upload") if form in runs[0]), None)
        buffered = next((form for form in ("buffered", "collect") if form in runs[0]), None)
        text = lambda form, value: f"{ratio(runs, form, value):.2f}" if form else "–"
        memory = ratio(runs, streamed or buffered, lambda result: result["peak"])
        print(
            f"| {title} | {text(streamed, rate)} | {text(buffered, rate)} | {text(streamed, cpu)} "
            f"| {text(buffered, cpu)} | {memory:.2f} |"
        )


main()
