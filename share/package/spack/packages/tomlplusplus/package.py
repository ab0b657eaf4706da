"""Spack's own packages do not have it before Spack 1.0.

SPDX-License-Identifier: BSD-3-Clause
"""
from spack.package import *

try:  # from Spack 1.0 on
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:  # before, they come with spack.package
    pass


class Tomlplusplus(CMakePackage):
    """Reads TOML. Headers only."""

    homepage = "https://marzer.github.io/tomlplusplus"
    git = "https://github.com/marzer/tomlplusplus.git"

    license("MIT")

    version("3.4.0", tag="v3.4.0", commit="30172438cee64926dc41fdd9c11fb3ba5b2ba9de")
    version("3.3.0", tag="v3.3.0", commit="c635f218c0aefc801d9748841930365e54fe3089")

    depends_on("cxx", type="build")
    depends_on("cmake@3.14:", type="build")

    generator("ninja")
