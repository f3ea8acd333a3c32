#!/usr/bin/env python3
"""Gives a site that DocC made a search: an index, and a field in the header of each page. Then sees that no page is missing
in the index, that no link leads nowhere, and that nothing is loaded from the network.
"""

import argparse
import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urljoin

HEADER = Path(__file__).resolve().parent / "site-header.html"
APP = '<div id="app">'
SEARCH = 'id="custom-header"'
BLOCKS = {"codeListing", "heading", "paragraph"}
ATTRIBUTE = re.compile(r'\s(?:action|href|src)="([^"]*)"')
# In styles and drawings.
REMOTE = re.compile(r"""(?:href=|src=|url\(|@import\s)\s*["']?(?:https?:)?//[^"')\s]*""")


def walk(node):
    """Every object in a JSON value."""
    if isinstance(node, dict):
        yield node
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from walk(part)


def text(node, references):
    """The words of a part of a page."""
    if isinstance(node, list):
        return "".join(text(part, references) for part in node)
    if not isinstance(node, dict):
        return ""
    if node.get("type") in {"image", "reference"}:
        target = references.get(node["identifier"], {})
        return target.get("title") or target.get("alt") or ""
    own = node.get("text") or node.get("code") or ""
    own = own if isinstance(own, str) else "\n".join(own)
    return own + text(list(node.values()), references) + (" " if node.get("type") in BLOCKS else "")


def entry(path, page):
    """What the search knows of a page: title, kind, place, path, abstract and text."""
    references, metadata = page["references"], page["metadata"]
    place = next(iter(page.get("hierarchy", {}).get("paths", [])), [])
    body = " ".join(text(section, references) for section in page.get("primaryContentSections", []))
    return [
        metadata["title"],
        metadata.get("roleHeading", "Article"),
        " › ".join(references[parent]["title"] for parent in place if parent in references),
        path,
        " ".join(text(page.get("abstract"), references).split()),
        " ".join(body.split()),
    ]


class Site:
    def __init__(self, root, base):
        self.root, self.base = root, base.rstrip("/") + "/"
        files = sorted((root / "data").rglob("*.json"))
        names = (file.relative_to(root / "data").with_suffix("").as_posix() for file in files)
        self.pages = {name: json.loads(file.read_text(encoding="utf-8")) for name, file in zip(names, files)}
        self.anchors = {
            name: {part["anchor"] for part in walk(page) if "anchor" in part} for name, page in self.pages.items()
        }
        html = {file.parent.relative_to(root).as_posix(): file for file in sorted(root.rglob("index.html"))}
        self.html = {name: file for name, file in html.items() if name != "."}

    def add_search(self):
        """Writes the index and the headers, and returns the paths in the index."""
        entries = [entry(name, page) for name, page in self.pages.items()]
        index = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
        (self.root / "search-index.json").write_text(index, encoding="utf-8")
        # The renderer shows this template above each page.
        links = (
            f'<a href="{self.base}{name}/">{page["metadata"]["title"]}</a>'
            for name, page in self.pages.items()
            if name.count("/") == 1
        )
        header = HEADER.read_text(encoding="utf-8").replace("{{LINKS}}", "".join(links)).replace("{{BASE}}", self.base)
        for file in self.html.values():
            file.write_text(file.read_text(encoding="utf-8").replace(APP, header + APP), encoding="utf-8")
        return {path for _, _, _, path, _, _ in entries}

    def leads_somewhere(self, url, start=""):
        """Whether a link of a page leads to a page and, if it has one, to an anchor there, or to a file."""
        path, _, anchor = urljoin(f"/{start}", url).partition("#")
        path = unquote(path).strip("/")
        if path in self.pages:
            return (self.root / path / "index.html").is_file() and (not anchor or anchor in self.anchors[path])
        return (self.root / path).is_file()

    def problems(self, found):
        """What is wrong, where `found` are the paths in the search index."""
        for name in sorted(set(self.html) - found):
            yield f"{name}: the page is missing in the search index"
        for name, page in self.pages.items():
            for reference in page["references"].values():
                loaded = [variant["url"] for variant in reference.get("variants", [])]
                for url in [reference["url"]] if "url" in reference else loaded:
                    is_remote = re.match(r"(?:\w+:|//)", url)
                    if is_remote and url in loaded:
                        yield f"{name}: {url} is loaded from the network"
                    elif not is_remote and not self.leads_somewhere(url, name):
                        yield f"{name}: {url} leads nowhere"
        for item in walk(json.loads((self.root / "index/index.json").read_text(encoding="utf-8"))):
            if "path" in item and not self.leads_somewhere(item["path"]):
                yield f"the navigator: {item['path']} leads nowhere"
        for name, file in self.html.items():
            page = file.read_text(encoding="utf-8")
            if SEARCH not in page:
                yield f"{name}/index.html: no search field"
            for url in ATTRIBUTE.findall(page):
                if not url.startswith(self.base) or not self.leads_somewhere(url[len(self.base) - 1 :]):
                    yield f"{name}/index.html: {url} leads nowhere"
        for file in sorted(self.root.rglob("*.css")) + sorted(self.root.rglob("*.svg")):
            for match in REMOTE.finditer(file.read_text(encoding="utf-8")):
                yield f"{file.relative_to(self.root)}: {match[0]} is loaded from the network"


def main():
    parser = argparse.ArgumentParser(description="Adds a search to a site that DocC made, and checks the site.")
    parser.add_argument("site", type=Path, help="the folder of the site")
    parser.add_argument("base", nargs="?", default="/", help="the path of the site on its server (/)")
    arguments = parser.parse_args()
    site = Site(arguments.site, arguments.base)
    found = site.add_search()
    problems = list(site.problems(found))
    for problem in problems:
        print(problem)
    if problems or not found:
        sys.exit(f"{len(problems)} problems in the {len(found)} pages of the site")
    print(f"{len(found)} pages, each in the search index, and no link leads nowhere")


if __name__ == "__main__":
    main()
