"""Spack recipe for a clone: copy this file to packages/waitprof of a repository of your own, then, in the clone,
`spack dev-build waitprof@main`.

SPDX-License-Identifier: BSD-3-Clause
"""
from spack.package import *

try:  # from Spack 1.0 on
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:  # before, they come with spack.package
    pass


class Waitprof(CMakePackage):
    """Records unmodified MPI programs and says who made whom wait, and what fixing it is worth."""

    license("BSD-3-Clause")

    version("main")

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
    depends_on("boost")
    depends_on("eigen@3.3:")
    depends_on("intel-oneapi-tbb")
    depends_on("zlib-api")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("tomlplusplus")
    depends_on("pugixml")
    # Headers only, and not in every Spack: as an external in packages.yaml, or by a recipe of your own.
    depends_on("protozero")
    depends_on("libarchive")
    # Pages (--html) are built in if esbuild, which Spack does not have, is found in PATH.

    generator("ninja")

    def cmake_args(self):
        mpicc = self.spec["mpi"].mpicc
        return [
            self.define("WAITPROF_BUILD_TESTS", False),
            self.define("WAITPROF_BUILD_EXAMPLES", False),
            self.define("WAITPROF_MPICC", mpicc),
            self.define("WAITPROF_OPENMPI_MPICC", mpicc),
        ]

    def setup_run_environment(self, env):
        for directory in (self.prefix.lib, self.prefix.lib64):
            if directory.startswith(self.prefix) and find(directory, "libwaitprof.so", recursive=False):
                env.set("WAITPROF_LIBRARY", join_path(directory, "libwaitprof.so"))
