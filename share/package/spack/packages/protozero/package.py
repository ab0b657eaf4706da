"""Spack's own packages do not have it.

SPDX-License-Identifier: BSD-3-Clause
"""
from spack.package import *

try:  # from Spack 1.0 on
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:  # before, they come with spack.package
    pass


class Protozero(CMakePackage):
    """Reads and writes protocol buffers. Headers only."""

    homepage = "https://github.com/mapbox/protozero"
    git = "https://github.com/mapbox/protozero.git"

    license("BSD-2-Clause")

    version("1.8.1", tag="v1.8.1", commit="89a55ad2962cca3adbe8383a4b6d9a8411352ef2")
    version("1.7.1", tag="v1.7.1", commit="f379578a3f7c8162aac0ac31c2696de09a5b5f93")

    depends_on("c", type="build")
    depends_on("cxx", type="build")

    generator("ninja")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False), self.define("WERROR", False)]
