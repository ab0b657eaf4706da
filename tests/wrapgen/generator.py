# SPDX-License-Identifier: BSD-3-Clause
"""The generator's output for a handful of functions, and its error messages."""

import pathlib
import re
import tempfile
import unittest

import installed
from installed import function_table, prototypes, specification, wrapgen

GOLDEN = pathlib.Path(__file__).with_name("golden_wrappers.txt")
HEADER = """
int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) __attribute__((x(1,3)));
int MPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status);
int MPI_Pcontrol(const int level, ...);
double MPI_Wtime(void);
"""
HOOKS = """
@hook Send PointToPoint : count datatype dest tag comm
@hook Completion Function : count? requests index? *statuses | which
"""
SEND = "MPI_Send Send count datatype dest tag comm\n"


def generated(calls, region_only="@passthrough because\nMPI_Waitany MPI_Wtime\n", header=HEADER, **options):
    with tempfile.TemporaryDirectory() as directory:
        paths = [pathlib.Path(directory) / name for name in ("calls.spec", "regions.spec")]
        paths[0].write_text(HOOKS + calls)
        paths[1].write_text(region_only)
        spec = specification.read(*paths)
        return wrapgen.common(spec) | wrapgen.generate(prototypes.parse(header), spec, parts=1, **options)


class Generator(unittest.TestCase):
    maxDiff = None

    def test_golden_wrappers(self):
        files = wrapgen.generate(installed.functions_of_mpi_h(), installed.committed_spec(), parts=1)
        wrappers = files["wrappers_0.cpp"].split("\n\n")
        heads = ("entered_MPI_Send(", "recorded_Waitany(", "entered_MPI_Waitany(", "entered_PMPI_Waitany(",
                 "entered_MPI_Allgather_c(")
        chosen = [next(w for w in wrappers if f" {head}" in w.splitlines()[0]) for head in heads]
        self.assertEqual("\n\n".join(chosen) + "\n", GOLDEN.read_text())

    def test_entries_are_the_same_whatever_the_mpi(self):
        spec = installed.committed_spec()
        listed = re.findall(r"^  X\((\w+), (\d+)\)", wrapgen.common(spec)["entries.hpp"], re.M)
        names = [name for name, _ in listed]
        self.assertGreater(len(names), 1000)
        self.assertEqual([int(number) for _, number in listed], list(range(len(listed))))
        for name in ("MPI_Send", "PMPI_Send", "MPI_Send_c", "MPI_Comm_rank", "PMPI_Pcontrol", "MPI_Ibarrier"):
            self.assertIn(name, names)
        for name in ("PMPI_Comm_rank", "MPI_Initialized", "MPI_Comm_c2f"):
            self.assertNotIn(name, names)
        for twins in (False, True):
            files = wrapgen.generate(installed.functions_of_mpi_h(), spec, parts=1, all_twins=twins)
            rows = re.findall(r"^    (nullptr|entered_(\w+)),$", files["wrapper_table.cpp"], re.M)
            wrapped = dict(zip(names, rows))
            self.assertEqual(len(rows), len(names))
            self.assertEqual([name for name, (_, row) in wrapped.items() if row not in ("", name)], [])
            self.assertEqual([wrapped[name][1] for name in ("MPI_Send", "PMPI_Send", "PMPI_Test", "MPI_Comm_rank")],
                             ["MPI_Send", "PMPI_Send" if twins else "", "PMPI_Test", ""])

    def test_a_class_is_one_of_the_table(self):
        spec = installed.committed_spec()
        rows = function_table.classes(installed.CLASSES)
        del rows["barrier"]
        with self.assertRaisesRegex(specification.SpecError, "MPI_Barrier: unknown class 'barrier'; classes are: send "):
            function_table.table(spec, rows)

    def test_alias_finds_the_parameter_under_either_name(self):
        waitany = "MPI_Waitany Completion count requests=array_of_requests index=index|indx statuses=status\n"
        regions = "@passthrough because\nMPI_Wtime\n"
        for name in ("index", "indx"):
            files = generated(
                SEND + waitany + "@handwritten MPI_Pcontrol", regions, HEADER.replace("indx", name)
            )
            self.assertIn(f".index = {name},", files["wrappers_0.cpp"])

    def test_pmpi_twins_where_no_choice_buffer_is_passed_or_of_all(self):
        calls = SEND + "MPI_Waitany Completion requests=array_of_requests statuses=status\n@handwritten MPI_Pcontrol"
        for options, twins in (({}, {"Waitany"}), ({"all_twins": True}, {"Send", "Waitany"})):
            files = generated(calls, "@passthrough because\nMPI_Wtime\n", **options)
            self.assertEqual(set(re.findall(r"entered_PMPI_(\w+)\(", files["wrappers_0.cpp"])), twins)
            exports = files["exports.map"].split()
            self.assertIn("PMPI_Waitany;", exports)
            self.assertIn("PMPI_Send;", exports)
            self.assertNotIn("PMPI_Wtime;", exports)

    def test_linked_wrappers_call_by_name_and_are_made_only_of_what_is_recorded(self):
        files = generated(SEND + "MPI_Waitany Completion requests=array_of_requests statuses=status\n@handwritten MPI_Pcontrol",
                          "@passthrough because\nMPI_Wtime\n", linked=True)
        self.assertIn("return ::PMPI_Send(buf, count, datatype, dest, tag, comm);", files["pmpi.hpp"])
        self.assertIn("return ::PMPI_Pcontrol(level);", files["pmpi.hpp"])
        self.assertNotIn("real_mpi", files["pmpi.hpp"])
        for absent in ("PMPI_Waitany", "MPI_Wtime", "MPI_Pcontrol"):
            self.assertNotIn(f" {absent}(", files["wrappers_0.cpp"])

    def test_type_definitions_of_functions_are_no_functions(self):
        files = generated(SEND + "@handwritten MPI_Pcontrol", header=HEADER + "typedef void MPI_Handler_function(MPI_Comm*);\n")
        self.assertNotIn("Handler_function", files["pmpi.hpp"])

    def test_siblings_take_the_request_as_well(self):
        hooks = "@hook Collective AllToAll : comm request? | op persistent\n@siblings Collective request\n"
        header = "".join(f"int MPI_{name}(MPI_Comm comm{more});\n" for name, more in [
            ("Barrier", ""), ("Ibarrier", ", MPI_Request *request"),
            ("Barrier_init", ", MPI_Info info, MPI_Request *request")])
        files = generated(SEND + hooks + "MPI_Barrier Collective comm op:Barrier role:Barrier\n"
                          "@handwritten MPI_Pcontrol", header=HEADER + header)
        wrappers, calls = files["wrappers_0.cpp"], files["calls.hpp"]
        self.assertIn("Call::Ibarrier, caller, hooks::Collective{.comm = comm, .request = request, .op", wrappers)
        self.assertIn(".op = hooks::Collective::Barrier, .persistent = true}", wrappers)
        self.assertIn('{"MPI_Ibarrier", RegionRole::Barrier}', calls)
        self.assertIn('{"MPI_Barrier_init", RegionRole::Function}', calls)
        self.assert_complains("@siblings Collective request\n", "expected '@siblings Hook role'")

    def test_handwritten_function_is_exported_but_not_generated(self):
        files = generated(SEND + "@handwritten MPI_Pcontrol\n")
        self.assertNotIn("Pcontrol", files["wrappers_0.cpp"])
        self.assertIn("    MPI_Pcontrol;\n", files["exports.map"])

    def assert_complains(self, calls, *parts):
        with self.assertRaises(specification.SpecError) as caught:
            generated(calls)
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_wrong_parameter_names_line_and_real_parameters(self):
        self.assert_complains(
            "MPI_Send Send count datatype dest=destination tag comm\n@handwritten MPI_Pcontrol",
            "calls.spec:4: MPI_Send: role 'dest' wants parameter 'destination'",
            "buf count datatype dest tag comm",
        )

    def test_missing_role(self):
        self.assert_complains("MPI_Send Send count datatype tag comm\n", "calls.spec:4", "needs the role(s) dest")

    def test_unknown_role_fact_hook_and_region_role(self):
        self.assert_complains(SEND.strip() + " peer\n", "unknown role 'peer'")
        self.assert_complains(SEND.strip() + " tone:Standard\n", "unknown fact 'tone'")
        self.assert_complains("MPI_Send Sent count\n", "no hook 'Sent'", "Send Completion")
        self.assert_complains(SEND.strip() + " role:Sender\n", "unknown region role 'Sender'")

    def test_function_listed_twice(self):
        self.assert_complains(SEND + SEND, "calls.spec:5: MPI_Send is listed twice")
        self.assert_complains(SEND + "@handwritten MPI_Wtime\n", "regions.spec:2: MPI_Wtime is listed twice")

    def test_variadic_function_must_be_handwritten(self):
        self.assert_complains(SEND, "MPI_Pcontrol is variadic")


if __name__ == "__main__":
    unittest.main()
