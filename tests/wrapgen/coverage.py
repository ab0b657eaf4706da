# SPDX-License-Identifier: BSD-3-Clause
"""No function of the installed MPI is forgotten: every function is in exactly one list, and wrapped."""

import os
import re
import unittest

import installed
from installed import function_table

HANDLES = re.compile(r"\bMPI_(Comm|Request|Win|File)\b")
LOOK_UPS = "looks up what this process knows"
FUNCTIONS = installed.functions_of_mpi_h()
SPEC = installed.committed_spec()
LIBRARY = {f for f in installed.exported_functions(os.environ["TEST_MPICH"]) if f.startswith("MPI_")}


class Coverage(unittest.TestCase):
    def test_library_has_the_functions_of_mpi_h(self):
        self.assertGreater(len(LIBRARY), 400)
        self.assertEqual(LIBRARY, set(FUNCTIONS) - set(SPEC.absent))

    def test_every_function_is_in_exactly_one_list(self):
        for function in sorted(LIBRARY):
            with self.subTest(function=function):
                self.assertEqual(len(SPEC.lists_with(SPEC.base_of(function))), 1)

    def test_every_function_has_an_entry(self):
        self.assertEqual(LIBRARY - set(SPEC.functions()), set())

    def test_both_halves_know_the_class_of_every_function_of_every_mpi_here(self):
        rows = function_table.classes(installed.CLASSES)
        known = function_table.functions(SPEC)
        for mpi_h in installed.headers():
            functions = installed.functions_of_mpi_h(mpi_h)
            self.assertGreater(len(functions), 400, mpi_h)
            self.assertEqual({name for name in functions if SPEC.base_of(name) not in known}, set(), mpi_h)
        self.assertEqual({meaning.call_class for meaning in known.values()}, set(rows))

    def test_classes_follow_the_roles_of_regions(self):
        """A function whose OTF2 role is message, collective, remote memory or file is in the group of that
        name."""
        rows = function_table.classes(installed.CLASSES)
        group = {"PointToPoint": "p2p", "Rma": "rma", "Atomic": "rma", "Allocate": "rma", "FileIo": "io",
                 "FileIoMetadata": "io", "Barrier": "collective", "OneToAll": "collective", "AllToOne": "collective",
                 "AllToAll": "collective", "OtherCollective": "collective"}
        roles = {**SPEC.regions, **{name: line.region_role for name, line in SPEC.calls.items()}}
        for function, role in roles.items():
            with self.subTest(function=function):
                filtered_as = rows[SPEC.meaning_of(function).call_class][2]
                self.assertEqual(filtered_as, group.get(role, filtered_as))

    def test_lists_name_only_functions_that_exist(self):
        listed = {*SPEC.functions(), *SPEC.absent}
        self.assertEqual(listed - set(FUNCTIONS) - SPEC.newer, set())
        self.assertEqual(SPEC.newer - listed, set())
        self.assertEqual(set(SPEC.elsewhere) & set(FUNCTIONS), set())

    def test_whatever_takes_a_handle_is_recorded_or_a_look_up(self):
        for function in FUNCTIONS.values():
            if not any(HANDLES.search(declaration) for declaration in function.declarations):
                continue
            with self.subTest(function=function.name):
                lists = SPEC.lists_with(SPEC.base_of(function.name))
                passes = SPEC.passthrough.get(function.name) == LOOK_UPS or function.name == "MPI_File_c2f"
                self.assertIn(lists[0], ("passthrough",) if passes else ("calls", "regions"))

    def test_recorder_exports_every_function(self):
        exports = installed.exported_functions(os.environ["TEST_RECORDER"])
        others = {name for name in exports if not name.startswith("MPI_")}
        self.assertEqual(exports - others, set(SPEC.functions()))
        fortran = {f for f in installed.undefined_functions(os.environ["TEST_MPICHFORT"]) if f.startswith("PMPI_")}
        passing = {*SPEC.passthrough, *SPEC.without_mpi}
        unrecorded = {f for f in fortran if SPEC.base_of(f.removeprefix("P")) in passing}
        self.assertGreater(len(fortran), 200)
        self.assertEqual(fortran - unrecorded - exports, set())
        allowed = re.compile(r"PMPI_\w+|waitprof_\w+|__cyg_profile_func_(enter|exit)|ompt_start_tool")
        self.assertEqual({name for name in others if not allowed.fullmatch(name)}, set())


if __name__ == "__main__":
    unittest.main()
