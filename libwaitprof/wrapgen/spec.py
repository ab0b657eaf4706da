# SPDX-License-Identifier: BSD-3-Clause
"""Reads the tables of libwaitprof/spec: what each MPI function means, in roles and never in positions."""

import dataclasses
import pathlib

ROLES = (
    "Barrier OneToAll AllToOne AllToAll OtherCollective PointToPoint Function Rma Atomic "
    "FileIo FileIoMetadata Allocate"
).split()


class SpecError(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Meaning:
    """What recorder and analyser know about a function, whatever its arguments."""

    call_class: str = "other"  # of call_classes.spec
    kind: str = "OtherMpi"  # CallKind of the analyser
    mode: str = "Standard"  # SendMode


@dataclasses.dataclass(frozen=True)
class Hook:
    name: str
    region_role: str
    meaning: Meaning
    roles: tuple[str, ...]  # in the order of the C++ struct
    optional: frozenset[str]
    replaced: frozenset[str]  # the hook gives MPI its own argument
    facts: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Line:
    """One function of mpi_calls.spec."""

    where: str  # "mpi_calls.spec:12"
    function: str
    hook: Hook
    arguments: dict[str, tuple[str, ...]]  # role -> names the parameter may have
    facts: dict[str, str]
    region_role: str
    meaning: Meaning


@dataclasses.dataclass
class Spec:
    calls: dict[str, Line] = dataclasses.field(default_factory=dict)
    regions: dict[str, str] = dataclasses.field(default_factory=dict)  # function -> region role
    passthrough: dict[str, str] = dataclasses.field(default_factory=dict)  # function -> reason
    absent: dict[str, str] = dataclasses.field(default_factory=dict)
    elsewhere: dict[str, str] = dataclasses.field(default_factory=dict)  # another MPI has it: function -> reason
    handwritten: dict[str, str] = dataclasses.field(default_factory=dict)  # function -> where it is listed
    without_mpi: dict[str, str] = dataclasses.field(default_factory=dict)  # function -> where it is listed
    large_count: dict[str, str] = dataclasses.field(default_factory=dict)  # MPI_Function_c -> where it is listed
    newer: set[str] = dataclasses.field(default_factory=set)  # of all these, what MPI libraries may be too old for
    meanings: dict[str, Meaning] = dataclasses.field(default_factory=dict)  # of the functions that no hook records

    def lists_with(self, function: str) -> list[str]:
        """Names of the lists that contain the function: exactly one in a sound spec."""
        lists = ("calls", "regions", "passthrough", "absent", "elsewhere", "handwritten", "without_mpi")
        return [name for name in lists if function in getattr(self, name)]

    def functions(self) -> list[str]:
        """All functions that we export and that some MPI may have, sorted."""
        return sorted({*self.calls, *self.regions, *self.passthrough, *self.handwritten, *self.without_mpi, *self.large_count})
    def meaning_of(self, function: str) -> Meaning:
        return self.calls[function].meaning if function in self.calls else self.meanings.get(function, Meaning())

    def base_of(self, function: str) -> str:
        """The listed name: large-count twins (MPI_Send_c) follow their base function."""
        base = function.removesuffix("_c")
        return base if base != function and not self.lists_with(function) else function


def read(calls: pathlib.Path, region_only: pathlib.Path) -> Spec:
    spec = Spec()
    hooks: dict[str, Hook] = {}
    with_siblings: dict[str, str] = {}  # hook -> role of the request
    for where, words in lines_of(calls):
        if words[0] == "@hook":
            hook = parse_hook(where, words[1:])
            hooks[hook.name] = hook
        elif words[0] == "@siblings":
            if len(words) != 3 or words[1] not in hooks:
                raise SpecError(f"{where}: expected '@siblings Hook role', after the hook")
            with_siblings[words[1]] = words[2]
        elif words[0] == "@newer":
            spec.newer.update(words[1:])
        elif words[0] in ("@handwritten", "@without_mpi", "@large_count"):
            add(spec, where, words[0][1:], {name: where for name in words[1:]})
        else:
            siblings = siblings_of(words, with_siblings[words[1]]) if words[1] in with_siblings else []
            for function in (words, *siblings):
                add(spec, where, "calls", {function[0]: parse_function(where, function, hooks)})
    target, value, meaning = "", "", Meaning()
    for where, words in lines_of(region_only):
        if words[0].startswith("@"):
            meaning, words = take_meaning(Meaning(), words)
            target, value = words[0][1:], " ".join(words[1:])
            if target == "region":
                target, value = "regions", known_role(where, value)
            elif target not in ("passthrough", "absent", "elsewhere"):
                raise SpecError(f"{where}: unknown section '{words[0]}'")
        else:
            add(spec, where, target, {name: value for name in words})
            spec.meanings.update({name: meaning for name in words})
    return spec


def take_meaning(meaning: Meaning, words: list[str]) -> tuple[Meaning, list[str]]:
    """The meaning, changed by the words class:..., kind:... and mode:..., and the remaining words."""
    fields = {"class": "call_class", "kind": "kind", "mode": "mode"}
    said = {fields[word.split(":")[0]]: word.split(":")[1] for word in words if word.split(":")[0] in fields and ":" in word}
    others = [word for word in words if ":" not in word or word.split(":")[0] not in fields]
    return dataclasses.replace(meaning, **said), others


def lines_of(path: pathlib.Path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield f"{path.name}:{number}", line.split()


def add(spec: Spec, where: str, target: str, entries: dict) -> None:
    for function, value in entries.items():
        if spec.lists_with(function):
            raise SpecError(f"{where}: {function} is listed twice")
        getattr(spec, target)[function] = value


def siblings_of(words: list[str], request: str) -> list[list[str]]:
    """The lines of the nonblocking and of the persistent form of a blocking function."""
    function, *meaning = words
    meaning = [word for word in meaning if not word.startswith("kind:")] + ["kind:OtherMpi"]
    without_role = [word for word in meaning if not word.startswith("role:")]
    nonblocking = "MPI_I" + function.removeprefix("MPI_").lower()
    return [[nonblocking, *meaning, request],
            [f"{function}_init", *without_role, request, "persistent:true", "role:Function"]]


def known_role(where: str, role: str) -> str:
    if role not in ROLES:
        raise SpecError(f"{where}: unknown region role '{role}'; roles are: {' '.join(ROLES)}")
    return role


def parse_hook(where: str, words: list[str]) -> Hook:
    meaning, words = take_meaning(Meaning(), words)
    if len(words) < 3 or words[2] != ":":
        raise SpecError(f"{where}: expected '@hook Name RegionRole [class:...] [kind:...] : roles | facts'")
    roles, _, facts = " ".join(words[3:]).partition("|")
    return Hook(
        name=words[0],
        region_role=known_role(where, words[1]),
        meaning=meaning,
        roles=tuple(r.strip("*?") for r in roles.split()),
        optional=frozenset(r.strip("*?") for r in roles.split() if r.endswith("?")),
        replaced=frozenset(r.strip("*?") for r in roles.split() if r.startswith("*")),
        facts=tuple(facts.split()),
    )


def parse_function(where: str, words: list[str], hooks: dict[str, Hook]) -> Line:
    function, hook_name, *rest = words
    if hook_name not in hooks:
        raise SpecError(f"{where}: {function}: no hook '{hook_name}'; hooks are: {' '.join(hooks)}")
    hook = hooks[hook_name]
    meaning, rest = take_meaning(hook.meaning, rest)
    arguments, facts = {}, {}
    for word in rest:
        if ":" in word:
            fact, value = word.split(":", 1)
            facts[fact] = value
        else:
            role, _, parameters = word.partition("=")
            arguments[role] = tuple((parameters or role).split("|"))
    region_role = known_role(where, facts.pop("role", hook.region_role))
    complain_about(where, function, "role", set(arguments) - set(hook.roles), hook.roles)
    complain_about(where, function, "fact", set(facts) - set(hook.facts), hook.facts)
    missing = [r for r in hook.roles if r not in arguments and r not in hook.optional]
    if missing:
        raise SpecError(f"{where}: {function}: hook {hook.name} needs the role(s) {' '.join(missing)}")
    return Line(where, function, hook, arguments, facts, region_role, meaning)


def complain_about(where: str, function: str, what: str, unknown: set[str], known: tuple[str, ...]) -> None:
    if unknown:
        raise SpecError(f"{where}: {function}: unknown {what} '{min(unknown)}'; known: {' '.join(known)}")


def parameter_of(line: Line, role: str, parameters: tuple[str, ...]) -> str:
    """The real parameter that plays the role."""
    for name in line.arguments[role]:
        if name in parameters:
            return name
    wanted = "|".join(line.arguments[role])
    raise SpecError(
        f"{line.where}: {line.function}: role '{role}' wants parameter '{wanted}'; "
        f"the parameters are: {' '.join(parameters)}"
    )
