"""Every message of an error that a user can cause, read from the source: where, of what kind, and what it says."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "sparse_coverage"
FILLED_IN = "…"
# Beside the subclasses of SparseCoverageError: the errors of options, of the server and of what is left out while reading.
# A number says which argument is the message.
OTHERS = {
    "UsageError": 0, "BadParameter": 0, "ClickException": 0, "ToolError": 0, "NotAllowedError": 0, "StoppedError": 0,
    "BusyError": 0, "Refusal": 1, "Problem": 2, "Piece": 2,
}  # fmt: skip
# What only hands on the message of another error, which is in the list by itself.
HANDED_ON = re.compile(
    r"str\((?:error|problem|outcome\.problem|stale)\)(?:\.splitlines\(\)\[0\])?|(?:error|piece)\.cause|message|error\.detail"
    r"|str\(error\.detail\)"
    r"|found\['(?:error|disk)'\]|f['\"][^ ]*: (?:topic .*: )?\{(?:error|problem|what)\}['\"]|cause|.*\.join\(.*|problem\.\w+"
)
_MOST = 12


@dataclass(frozen=True, order=True)
class Message:
    """What an error says, with … for what is filled in, and what the message itself says is to be done."""

    area: str
    kind: str
    text: str
    remedy: str = ""


def error_classes(trees: dict[Path, ast.Module]) -> set[str]:
    """Return the names of the base of all errors and of every class below it."""
    names = {"SparseCoverageError"}
    classes = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    while more := {c.name for c in classes if names & {_name(base) for base in c.bases}} - names:
        names |= more
    return names


def messages(package: Path = PACKAGE) -> tuple[list[Message], list[str]]:
    """Return the messages, and the places whose message could not be read from the source."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(package.rglob("*.py"))}
    argument = dict.fromkeys(error_classes(trees), 0) | OTHERS
    told_by_class = _told_by_class(trees)
    found: set[Message] = set()
    unread = []
    for path, tree in trees.items():
        module = _Module(tree)
        area = path.relative_to(package).parts[0].removesuffix(".py")
        for call in module.calls:
            kind = _name(call.func)
            own = (
                kind == "__init__" and module.class_of(call) in argument
            )  # super().__init__(message) in the class of an error
            kind = module.class_of(call) if own else kind
            if kind not in argument or (own and kind in {"MissingExtraError", "ReadError"}):
                continue
            if not own and told_by_class.get(kind):
                continue
            place = 0 if own else argument[kind]
            if len(call.args) <= place:
                continue
            texts = _texts(call, kind, place, module)
            written = ast.unparse(call.args[place])
            if HANDED_ON.fullmatch(written):
                texts = [pair for pair in texts if len(re.sub(r"[…\W\d_]", "", pair[0])) > 6]
            found |= {Message(area, kind, text, remedy) for text, remedy in texts if _says_something(text)}
            handed_on = HANDED_ON.fullmatch(written) or kind in told_by_class
            if not handed_on and not any(_says_something(text) for text, _ in texts):
                unread.append(f"{path.relative_to(package)}:{call.lineno}: {kind}({written})")
    return sorted(found), unread


def _told_by_class(trees: dict[Path, ast.Module]) -> dict[str, bool]:
    """Return the classes that write their message themselves; False where another class of the same name does not."""
    told: dict[str, set[bool]] = {}
    for node in (node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        own = any(
            isinstance(call, ast.Call)
            and _name(call.func) == "__init__"
            and bool(call.args)
            and isinstance(call.args[0], ast.Constant | ast.JoinedStr | ast.BinOp)
            for call in ast.walk(node)
        )
        told.setdefault(node.name, set()).add(own)
    return {name: ways == {True} for name, ways in told.items() if True in ways and name != "MissingExtraError"}


def _texts(call: ast.Call, kind: str, place: int, module: _Module) -> list[tuple[str, str]]:
    if kind == "MissingExtraError":
        feature, extra = (module.variants(one)[0] for one in call.args[:2])
        return [
            (
                f"{feature} needs the extra [{extra}].",
                f"Install it in the folder of the source with: pip install '.[{extra}]'",
            )
        ]
    if kind == "Refusal":
        texts = [
            f"{ast.unparse(call.args[0])}: {text}" for text in module.variants(call.args[1]) if _says_something(text)
        ]
        return [(text, module.variants(call.args[2])[0] if len(call.args) > 2 else "") for text in texts]
    return [_split(text) for text in module.variants(call.args[place])]


def _says_something(text: str) -> bool:
    return len(re.sub(r"[…\W\d_]", "", text)) > 3


_VERBS = (
    "Add|Allow|Ask|Bring|Build|Call|Check|Choose|Close|Convert|Copy|Correct|Draw|Export|Fetch|Finish|Fit|Free|Fuse|Give|Import|Index|"
    "Install|Keep|Learn|Leave|Load|Look|Lower|Make|Move|Name|Open|Push|Put|Quote|Raise|Read|Recognise|Reduce|Remove|Rename|Repeat|Replace|"
    "Restore|Run|Save|Say|Search|See|Send|Set|Spell|Split|Start|Stop|Take|Try|Turn|Unpack|Upgrade|Use|Wait|With|Write"
)
_REMEDY = re.compile(
    rf"(?<=[.?)…] )(?=(?:Perhaps |Then )?(?:{_VERBS})\b|(?:There are|Known are|Installed are|The \w+ are|Ids look like|More come|"
    rf"Other \w+ (?:are|run)|Patents need|All nodes must|An encoder folder|Each line|Changing it needs|Reading it needs)\b)"
    rf"|(?<=[:;,] )(?=(?:or )?(?:{_VERBS.lower()})\b(?! (?:in|is|and) ))"
)


def _split(text: str) -> tuple[str, str]:
    """Return what a message says is wrong, and what it says is to be done."""
    for found in _REMEDY.finditer(text):
        before = text[: found.start()].strip().rstrip(",;:")
        if len(re.sub(r"\W", "", before)) > 3:
            return before, text[found.start() :].strip()
    return text.strip(), ""


class _Module:
    """A module, in which names can be looked up."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def calls(self) -> list[ast.Call]:
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]

    @cached_property
    def constants(self) -> dict[str, ast.expr]:
        """The names that the module gives a value, and the fields of those."""
        given: dict[str, ast.expr] = {}
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                given[node.targets[0].id] = node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
                given[node.target.id] = node.value
        return given

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def class_of(self, node: ast.AST) -> str:
        return next((one.name for one in self.around(node) if isinstance(one, ast.ClassDef)), "")

    def variants(self, node: ast.expr, depth: int = 4) -> list[str]:
        """Return the texts that an expression may have, with … for what is filled in."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [" ".join(node.value.replace("\n", " ").split(" "))]
        if depth:
            if isinstance(node, ast.JoinedStr):
                return self._joined([self._part(part, depth) for part in node.values])
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                return self._joined([self.variants(node.left, depth), self.variants(node.right, depth)])
            if isinstance(node, ast.IfExp):
                return [*self.variants(node.body, depth), *self.variants(node.orelse, depth)]
            if isinstance(node, ast.Name):
                return self._named(node, depth - 1)
            if isinstance(node, ast.Call):
                return self._returned(node, depth - 1)
        return [FILLED_IN]

    def _part(self, part: ast.expr, depth: int) -> list[str]:
        if isinstance(part, ast.FormattedValue):
            texts = self.variants(part.value, depth - 1)
            return texts if all(len(text.split()) > 2 for text in texts) else [FILLED_IN]
        return self.variants(part, depth)

    @staticmethod
    def _joined(parts: list[list[str]]) -> list[str]:
        return ["".join(chosen) for chosen in itertools.islice(itertools.product(*parts), _MOST)]

    def _named(self, node: ast.Name, depth: int) -> list[str]:
        for function in self.around(node):
            if not isinstance(function, ast.FunctionDef) or function.name == "__init__":
                continue
            names = [one.arg for one in function.args.args]
            if node.id in names:
                place = names.index(node.id) - (names[0] in {"self", "cls"})
                given = [
                    call.args[place]
                    for call in self.calls
                    if _name(call.func) == function.name and len(call.args) > place
                ]
            else:
                given = [
                    one.value
                    for one in ast.walk(function)
                    if isinstance(one, ast.Assign) and any(_name(target) == node.id for target in one.targets)
                ]
                given += self._looped(node.id, function)
            if given:
                return _distinct([text for one in given for text in self.variants(one, depth)])
        constant = self.constants.get(node.id)
        return self.variants(constant, depth) if constant is not None else [FILLED_IN]

    def _looped(self, name: str, function: ast.FunctionDef) -> list[ast.expr]:
        """Return the values of a dictionary that a loop gives a name: for sign, name in DICTIONARY.items()."""
        for one in ast.walk(function):
            if isinstance(one, ast.For) and isinstance(one.target, ast.Tuple) and _name(one.target.elts[-1]) == name:
                source = (
                    one.iter.func.value
                    if isinstance(one.iter, ast.Call) and isinstance(one.iter.func, ast.Attribute)
                    else one.iter
                )
                held = self.constants.get(_name(source))
                return list(held.values) if isinstance(held, ast.Dict) else []
        return []

    def _returned(self, call: ast.Call, depth: int) -> list[str]:
        if _name(call.func) == "MissingExtraError":
            return [" ".join(text) for text in _texts(call, "MissingExtraError", 0, self)]
        if isinstance(call.func, ast.Attribute) and call.func.attr == "format":
            return [re.sub(r"\{\w*\}", FILLED_IN, text) for text in self.variants(call.func.value, depth)]
        for function in ast.walk(self.tree):
            if isinstance(function, ast.FunctionDef) and function.name == _name(call.func):
                given = [one.value for one in ast.walk(function) if isinstance(one, ast.Return) and one.value]
                return _distinct([text for one in given for text in self.variants(one, depth)]) or [FILLED_IN]
        return [FILLED_IN]


def _distinct(texts: list[str]) -> list[str]:
    return list(dict.fromkeys(texts))[:_MOST]


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
