"""Spack recipe. In a clone:

    spack repo add share/package/spack
    spack dev-build waitprof@main ^mpich    # or ^openmpi, ...

The repository also has recipes of what Spack lacks; if the system has it, name it as an external in packages.yaml.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
from pathlib import Path

from spack.package import *

try:  # from Spack 1.0 on
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:  # before, they come with spack.package
    pass


class Waitprof(CMakePackage):
    """Records unmodified MPI programs and says who made whom wait, and what fixing it is worth."""

    git = str(Path(__file__).resolve().parents[5])  # the clone that this file is in

    license("BSD-3-Clause")

    version("main", branch="main")

    conflicts("%gcc@:10")
    conflicts("%clang@:13")
    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    # A backend for this one; for others: waitdiag backend build --mpicc PATH.
    depends_on("mpi@3.1:")
    depends_on("otf2@3:")
    depends_on("libunwind")
    depends_on("elfutils")
    depends_on("boost@1.74:")
    depends_on("eigen@3.3:")
    depends_on("tbb")
    depends_on("zlib-api")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("tomlplusplus")
    depends_on("pugixml")
    depends_on("protozero")
    depends_on("libarchive")
    # Pages (--html) are built in if esbuild, which Spack does not have, is found in PATH.

    generator("ninja")

    def cmake_args(self):
        mpi = self.spec["mpi"]
        # Of several MPIs with one prefix, Debian's /usr, each has its own wrapper; mpicc is that of any of them.
        own = f"{mpi.mpicc}.{mpi.name}"
        mpicc = own if os.path.exists(own) else mpi.mpicc
        return [
            self.define("WAITPROF_BUILD_TESTS", False),
            self.define("WAITPROF_BUILD_EXAMPLES", False),
            # Whichever MPI it is: of another's wrapper no backend is made.
            self.define("WAITPROF_MPICC", mpicc),
            self.define("WAITPROF_OPENMPI_MPICC", mpicc),
        ]

    def setup_run_environment(self, env):
        for directory in (self.prefix.lib, self.prefix.lib64):
            library = join_path(directory, "libwaitprof.so")
            if os.path.exists(library):
                env.set("WAITPROF_LIBRARY", library)
