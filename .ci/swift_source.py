"""Swift source as the checks read it: code apart from comments, and the types that a file declares.

This is a scanner, not a parser: it knows comments, string and regular expression literals, braces and declarations.
"""

import re

# What may begin a comment or a literal, or matter inside an interpolation. `#*` takes the hashes of raw literals along.
OPENING = re.compile(r'//|/\*|#*"""|#*"|#+/|/|[()]')

# A bare `/` begins a regular expression where an operand is due, and divides everywhere else.
OPERAND_IS_DUE = re.compile(r"(?:^|[(,=:\[{;&|]|\b(?:return|in|try|case|where))\s*$")
BARE_REGEX = re.compile(r"/(?![\s/*])(?:[^/\\\n]|\\.)*/")

TYPE_KEYWORDS = "struct|class|enum|actor|protocol|typealias"
# Where a declaration names a type. `class func` and `class var` are members.
TYPE_DECLARATION = re.compile(
    rf"\b(?:{TYPE_KEYWORDS}|associatedtype)\s+(?!func\b|var\b|let\b|subscript\b)`?([A-Za-z_]\w*)"
)
EXTENSION = re.compile(r"\bextension\s+([A-Za-z_][\w.]*)")
FUNCTION = re.compile(r"\bfunc\s+`?([A-Za-z_]\w*)")
GENERIC_PARAMETERS = re.compile(rf"\b(?:{TYPE_KEYWORDS}|func)\s+`?\w+`?\s*<([^<>]*)>|\binit[?!]?\s*<([^<>]*)>")


class SwiftSource:
    """The text of a file, split into `code` and `comments`: as long as the text, blank where the other one is."""

    def __init__(self, text):
        self.text = text
        self._is_comment = bytearray(len(text))
        self._is_literal = bytearray(len(text))
        self._scan(0, is_interpolation=False)
        self.code = self._keep(lambda i: not self._is_comment[i] and not self._is_literal[i])
        self.comments = self._keep(lambda i: self._is_comment[i])

    @property
    def lines(self):
        return self.text.split("\n")

    @property
    def code_lines(self):
        return self.code.split("\n")

    @property
    def comment_lines(self):
        return self.comments.split("\n")

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    # Declarations

    def top_level_types(self):
        """The names of the types declared outside every brace."""
        return {name for name, _ in self.top_level_type_lines()}

    def top_level_type_lines(self):
        """The names of these types, with the lines on which they are declared."""
        return [(match[1], self.line_of(match.start())) for match in self._at_top_level(TYPE_DECLARATION)]

    def inner_types(self):
        """The names that mean a type inside this file only: nested types, associated types, generic parameters."""
        top_level = {match.start() for match in self._at_top_level(TYPE_DECLARATION)}
        names = {match[1] for match in TYPE_DECLARATION.finditer(self.code) if match.start() not in top_level}
        for match in GENERIC_PARAMETERS.finditer(self.code):
            for parameter in (match[1] or match[2]).split(","):
                names.update(re.findall(r"^\s*(?:each\s+|let\s+)?(\w+)", parameter))
        return names

    def extended_types(self):
        """The types that the file extends, as they are written: `Foo` or `Foo.Bar`."""
        return {match[1] for match in EXTENSION.finditer(self.code)}

    def top_level_functions(self):
        return {match[1] for match in self._at_top_level(FUNCTION)}

    def _at_top_level(self, pattern):
        depth, position = 0, 0
        for match in pattern.finditer(self.code):
            between = self.code[position : match.start()]
            depth += between.count("{") - between.count("}")
            position = match.start()
            if depth == 0:
                yield match

    # Scanning

    def _keep(self, wanted):
        return "".join(c if c == "\n" or wanted(i) else " " for i, c in enumerate(self.text))

    def _scan(self, position, is_interpolation):
        """Marks comments and literals from `position` on; returns where the interpolation, or the file, ends."""
        open_parentheses = 0
        while match := OPENING.search(self.text, position):
            token, start = match[0], match.start()
            position = match.end()
            if token == "//":
                position = self._mark(self._is_comment, start, self._index_of("\n", start))
            elif token == "/*":
                position = self._mark(self._is_comment, start, self._end_of_block_comment(start))
            elif token.endswith('"'):
                position = self._string(start, token)
            elif token.endswith("/"):
                position = self._regex(start, token)
            elif token == "(":
                open_parentheses += 1
            elif is_interpolation and open_parentheses == 0:
                return start
            else:
                open_parentheses -= 1
        return len(self.text)

    def _string(self, start, opening):
        """Marks a string literal without the code of its interpolations; returns where it ends."""
        hashes = "#" * opening.count("#")
        quotes = opening[len(hashes) :]
        ends = re.compile(
            rf"{re.escape(quotes + hashes)}|\\{hashes}\(|\\{hashes}." + ("" if quotes == '"""' else r"|\n"), re.S
        )
        literal_start, position = start, start + len(opening)
        while match := ends.search(self.text, position):
            position = match.end()
            if match[0].endswith("("):
                self._mark(self._is_literal, literal_start, position)
                literal_start = position = self._scan(position, is_interpolation=True)
            elif match[0] == "\n" or not match[0].startswith("\\"):
                return self._mark(self._is_literal, literal_start, position)
        return self._mark(self._is_literal, literal_start, len(self.text))

    def _regex(self, start, opening):
        if opening == "/":
            line_start = self.text.rfind("\n", 0, start) + 1
            match = BARE_REGEX.match(self.text, start) if OPERAND_IS_DUE.search(self.text[line_start:start]) else None
            return self._mark(self._is_literal, start, match.end()) if match else start + 1
        closing = "/" + opening[:-1]
        end = self._index_of(closing, start + len(opening))
        return self._mark(self._is_literal, start, min(end + len(closing), len(self.text)))

    def _end_of_block_comment(self, start):
        depth = 0
        for match in re.compile(r"/\*|\*/").finditer(self.text, start):
            depth += 1 if match[0] == "/*" else -1
            if depth == 0:
                return match.end()
        return len(self.text)

    def _index_of(self, wanted, start):
        index = self.text.find(wanted, start)
        return len(self.text) if index < 0 else index

    def _mark(self, marks, start, end):
        marks[start:end] = b"\1" * (end - start)
        return end
