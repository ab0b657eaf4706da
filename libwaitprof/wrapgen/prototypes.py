# SPDX-License-Identifier: BSD-3-Clause
"""Reads the prototypes of all MPI_* functions from the installed mpi.h, after the C preprocessor."""

import dataclasses
import re
import subprocess

ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
PROTOTYPE = re.compile(r"(?:^|[;{}])\s*(?:extern\s+)?(\w[\w\s*]*?[\s*])(MPI_\w+)\s*\(([^()]*)\)\s*(?=;)")
CHOICE_BUFFER = re.compile(r"(const )?void ?\*(?!\*)")
PARAMETER = re.compile(r"(?P<name>\w+)\s*(?:\[\d*\]\s*)*$")


@dataclasses.dataclass(frozen=True)
class Function:
    name: str  # with MPI_
    result: str
    declarations: tuple[str, ...]  # "const void *buf", ...
    parameters: tuple[str, ...]  # "buf", ...
    variadic: bool

    @property
    def short(self) -> str:
        return self.name.removeprefix("MPI_")

    @property
    def signature(self) -> str:
        return ", ".join(self.declarations) if self.declarations else "void"

    @property
    def has_choice_buffer(self) -> bool:
        """Whether it takes data of any type (MPI 4.0, 2.5.5): an address and the data stored there."""
        addresses = any(CHOICE_BUFFER.match(declaration) for declaration in self.declarations)
        return addresses and any("MPI_Datatype" in declaration for declaration in self.declarations)


class PrototypeError(Exception):
    pass


def preprocess(compiler: str, include_dirs: list[str]) -> str:
    command = [compiler, "-E", "-P", "-xc", "-DMPICH_SKIP_MPICXX", *(f"-I{d}" for d in include_dirs), "-"]
    return subprocess.run(command, input="#include <mpi.h>\n", text=True, check=True, capture_output=True).stdout


def parse(preprocessed: str) -> dict[str, Function]:
    """MPI_* functions by name, sorted."""
    text = " ".join(ATTRIBUTE.sub(" ", preprocessed).split())
    functions = {}
    for result, name, arguments in PROTOTYPE.findall(text):
        if result.startswith("typedef"):
            continue
        declarations = [a.strip() for a in arguments.split(",")]
        variadic = declarations[-1] == "..."
        if variadic or declarations == ["void"] or declarations == [""]:
            declarations.pop()
        names = []
        for declaration in declarations:
            found = PARAMETER.search(declaration)
            if not found or found["name"] == declaration:
                raise PrototypeError(f"mpi.h: {name}: cannot find the name of parameter '{declaration}'")
            names.append(found["name"])
        functions[name] = Function(name, result.strip(), tuple(declarations), tuple(names), variadic)
    if "MPI_Send" not in functions:
        raise PrototypeError("mpi.h: no prototype of MPI_Send found: is this an MPI header?")
    return dict(sorted(functions.items()))
