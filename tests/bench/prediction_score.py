"""The predictor's score over a population of small programs: runs of 4 to 32 simulated ranks, predicted for more, against
the time that those really take.

    prediction_score.py [--ranks N] [--programs NAME,...] [--machines measured,recorded] [--keep DIR] [--composed FROM-TO]

One line per program and machine: simulated and predicted run time, error, stated range, whether the truth is inside, how
wide it is (high / low - 1). The last lines add up. --keep leaves programs, recordings and truths in a directory, where
the next run finds them: then only predictions are made anew. --composed takes programs that nobody wrote instead: phases by
chance (programs/composed.c), one for each seed.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import itertools
import json
import os
import statistics
import sys
from pathlib import Path

os.environ.setdefault("TEST_LARGE", "1")  # simulations may take long

# pylint: disable=wrong-import-position
from cluster_test import ALLREDUCE, B, HERE, ClusterTest, holds
from simulation import RECORDER, WAITDIAG, compile_program, run, why_not

SIZES = (4, 8, 16, 32)
WITHIN = 0.05
# Programs by source: name, N, steps.
POPULATION = {
    "population": (("rows_and_columns", 4096, 10), ("panels", 1024, 8), ("pencils", 64, 5), ("slabs", 64, 5), ("subsets", 100, 5),
                   ("halo", 1024, 10), ("guarded", 512, 10), ("front", 256, 5), ("uneven", 100003, 10), ("weak", 5000, 10),
                   ("conjugate_gradient", 512, 10), ("doubling", 1024, 10), ("ring", 65536, 2), ("root_works", 32768, 5),
                   ("gathered", 4096, 5), ("random_load", 1024, 10), ("random_steps", 1024, 10), ("moving_load", 1024, 10),
                   ("random_sizes", 65536, 2), ("fences", 5000, 5), ("locks", 5000, 5), ("dissemination", 512, 10),
                   ("everybody", 4096, 3), ("cannon", 1024, 3), ("columns_by_hand", 1024, 10), ("each_root", 65536, 3),
                   ("dealt", 65536, 5), ("tree", 512, 10), ("tasks", 1000, 1), ("scrambled", 2000, 10)),
    "more_shapes": (("puts_around", 1024, 10), ("epochs", 5000, 10), ("locked_puts", 5000, 10), ("binomial_bcast", 2000, 10),
                    ("ring_allreduce", 65536, 2), ("halving", 65536, 10), ("reduce_by_hand", 2000, 10),
                    ("numbered_tasks", 100, 1), ("corners", 256, 3), ("pipeline", 1000, 10), ("bucket_sort", 1000000, 3),
                    ("transposes", 100, 5), ("shrinking", 1600, 40), ("scans", 65536, 5), ("sparse", 1000, 10),
                    ("two_by_chance", 1000, 10), ("overlapped", 64, 10), ("eight_neighbours", 1024, 10), ("cycle", 2048, 5),
                    ("coupled", 65536, 10), ("in_background", 1000, 10), ("alternating", 1000, 10),
                    ("hot_rows", 1024, 10)),
    "further_shapes": (("box", 128, 10), ("levels", 1000, 10), ("red_black", 1000, 10), ("particles", 2000, 20),
                       ("second_neighbours", 500, 10), ("octants", 64, 2), ("factorisation", 2048, 32), ("times_vector", 65536, 10),
                       ("bodies", 16384, 2), ("bitonic", 262144, 3), ("sample_sort", 1000000, 3), ("pairwise", 1000000, 3),
                       ("spectral", 1024, 5), ("two_levels", 5000, 10), ("output", 1024, 12), ("bookkeeping", 100, 10),
                       ("broadcast_ahead", 1024, 8), ("writers_in_turn", 1, 5), ("mesh", 2048, 10),
                       ("mesh_of_parts", 2048, 10)),
    "multilevel": (("v_cycle", 1024, 10), ("gathered_levels", 1024, 10), ("cyclic_reduction", 1024, 10),
                   ("blocks_of_levels", 1024, 10), ("coarse_on_all", 1024, 10)),
    "kernels": (("cannon_skewed", 1000, 5), ("butterfly", 65536, 10), ("bruck", 65536, 5), ("odd_even_sort", 65536, 2),
                ("shares", 100003, 10), ("scattered_sums", 65536, 10), ("odd_and_even", 1000, 10), ("more_iterations", 1, 4), ("producers", 1000, 10), ("aggregators", 10000, 10),
                ("triangle", 1, 10), ("two_materials", 1000, 10), ("every_fourth", 1000, 12), ("longer_rows", 65536, 10),
                ("gets", 1000, 10)),
    "applications": (("stages", 1000, 3), ("buckets", 16384, 5), ("frontier", 1048576, 2), ("curve", 1000, 10),
                     ("fours", 1000, 10), ("triangular", 16384, 3), ("multipartition", 4096, 5), ("tempering", 1000, 10),
                     ("members", 1000, 10), ("server", 65536, 12), ("replies", 100, 5), ("kept_state", 65536, 10),
                     ("persistent", 65536, 10), ("synchronous", 1000, 10), ("offsets", 65536, 10), ("bisection", 1, 10)),
    "services": (("two_servers", 1000, 10), ("two_codes", 1000, 5), ("stagers", 1000, 10), ("leaders", 1000, 10),
                 ("last_deals", 1, 1), ("fewer_and_fewer", 1000, 6), ("checkers", 1000, 10), ("row_sums", 1000, 5),
                 ("directions", 1048576, 10), ("block_pipeline", 65536, 3)),
    "exchanges": (("farther", 1000, 6), ("gather_by_hand", 65536, 5), ("scatter_by_hand", 65536, 5), ("in_order", 1000, 5),
                  ("quadratic", 1000, 10), ("root_groups", 1000, 10), ("four_roots", 1000, 8), ("growing_parts", 1048576, 5),
                  ("transposed_ahead", 1048576, 5), ("whoever_first", 1000, 10),
                  ("posted_by_root", 65536, 10), ("halves_meet", 1000, 10)),
    "solvers": (("pivoted", 1024, 12), ("two_phases", 1024, 10), ("forward_and_back", 4096, 4), ("rings_of_rows", 65536, 5),
                ("double_buffered", 1000, 10), ("refined", 1000, 10), ("brigade", 2000, 8), ("leaders_by_hand", 2000, 10),
                ("folded", 2000, 10), ("tree_of_threes", 2000, 10), ("near_and_far", 1048576, 5), ("batches", 20000, 1)),
    "codes": (("atmosphere", 64, 10), ("window_halo", 64, 10), ("newton", 64, 6), ("unstructured", 1000000, 20),
              ("migration", 1000000, 10), ("by_nodes", 1000, 10), ("written_by_some", 1048576, 12)),
    "methods": (("fourier", 1000, 8), ("histogram_sort", 1000000, 3), ("transposed_cg", 131072, 1), ("multigrid", 64, 2),
                ("mutual_forces", 10000, 3), ("product", 2048, 2), ("elimination", 64, 40), ("dense_jacobi", 3000, 12),
                ("tall_factors", 64, 5)),
    "models": (("transport", 256, 4), ("quarks", 16, 8), ("molecules", 1000000, 20), ("pipelined_gradient", 1000000, 10),
               ("explicit_scheme", 1048576, 10), ("refined_mesh", 1000, 12), ("crystal_router", 1000000, 6),
               ("one_sided_plane", 2048, 10), ("farm", 600, 1)),
    "schemes": (("wavefronts", 64, 3), ("layered_product", 1024, 3), ("power_iteration", 4096, 10), ("refined_middle", 1000, 10),
                ("barrier_by_hand", 65536, 10), ("hypercube_sort", 1048576, 4), ("put_halo", 1024, 10),
                ("panels_ahead", 1024, 3), ("there_and_back", 100003, 10), ("spread_optimizer", 100003, 5),
                ("gathered_in_groups", 1000, 9), ("merged_lists", 1048576, 4), ("uneven_pencils", 60, 5)),
    "algorithms": (("edges_and_corners", 128, 6), ("runge_kutta", 1024, 6), ("regular_samples", 1048576, 3),
                   ("essential_trees", 65536, 6), ("coloured_wavefronts", 1024, 8), ("pivots_in_blocks", 2048, 24),
                   ("k_means", 100000, 10), ("hypercube_exchange", 1048576, 4), ("two_rings", 262144, 2),
                   ("snapshots", 1024, 12), ("gossip", 2000, 12), ("product_in_a_cube", 768, 3),
                   ("parallel_in_time", 1000, 6), ("overlapping_meshes", 1000, 10))}
COMPOSED = "composed"
SOURCE_OF = {COMPOSED: COMPOSED} | {name: source for source, programs in POPULATION.items() for name, _, _ in programs}


class Scores(ClusterTest):
    """Recordings, truths and predictions; each is made only once if the directory is kept."""

    def __init__(self, keep):
        super().__init__("cached")
        self.setUp()
        if keep:
            self.directory = Path(keep).resolve()
            self.directory.mkdir(parents=True, exist_ok=True)

    def cached(self, name, make):
        path = self.directory / name
        if not path.exists():
            path.write_text(json.dumps(make()))
        return json.loads(path.read_text())

    def program(self, name, *libraries):
        source = SOURCE_OF[name]
        built = self.directory / (source + ("-recorded" if libraries else ""))
        return built if built.exists() else compile_program(self.directory, HERE / f"programs/{source}.c", *libraries)

    def machine(self):
        path = self.directory / f"{B.name}.toml"
        return path if path.exists() else self.calibrate(B)

    def record(self, ranks, *arguments):
        archive = self.directory / "-".join(map(str, (*arguments, ranks)))
        if not (archive / "traces.otf2").exists():
            self.ends(B, ranks, self.program(arguments[0], *RECORDER), *arguments, options=ALLREDUCE, WAITPROF_DIR=str(archive))
        return archive

    def truth(self, ranks, *arguments):
        return self.cached("-".join(map(str, ("truth", *arguments, ranks))) + ".json", lambda: max(
            self.ends(B, ranks, self.program(arguments[0]), *arguments, options=ALLREDUCE).values()))

    def predict(self, machine, ranks, runs):
        named = ["--machine", self.machine()] if machine == "measured" else []
        done = run([WAITDIAG, "predict", *runs, *named, "--ranks", ranks, "--json", "-"], self.directory)
        return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def programs(options):
    """Name, N and steps of each."""
    if options.composed:
        first, last = map(int, options.composed.split("-"))
        return [(COMPOSED, seed, 10) for seed in range(first, last + 1)]
    wanted = options.programs.split(",") if options.programs else list(SOURCE_OF)
    return [program for program in itertools.chain(*POPULATION.values()) if program[0] in wanted]


def score(name, machine, truth, prediction):
    """Prints the line; (error, inside, width), or None for a refusal."""
    what = f"{name:20} {machine:9} {1e3 * truth:9.3f} ms"
    if isinstance(prediction, str):
        print(f"{what}  refused: {prediction[:120]}", flush=True)
        return None
    runtime, stated = prediction["runtime_s"], prediction["rescaling"].get("range_s")
    error = runtime / truth - 1
    line = f"{what} {1e3 * runtime:9.3f} ms {100 * error:+8.2f} %"
    if not stated:
        print(f"{line}  no range: {prediction['rescaling'].get('no_range', '')[:90]}", flush=True)
        return error, False, None
    inside, width = holds(stated, truth), stated[1] / stated[0] - 1
    print(f"{line}  {1e3 * stated[0]:9.3f} to {1e3 * stated[1]:9.3f} ms {'inside ' if inside else 'OUTSIDE'} "
          f"{100 * width:8.2f} % wide", flush=True)
    return error, inside, width


def summary(machine, results):
    known = [result for result in results if result]
    widths = [width for _, _, width in known if width is not None]
    near = sum(abs(error) <= WITHIN for error, _, _ in known)
    print(f"{machine}: {near} of {len(results)} within {100 * WITHIN:.0f} %, truth inside the range in "
          f"{sum(inside for _, inside, _ in known)} of {len(known)} predictions, "
          f"median width {100 * statistics.median(widths) if widths else float('nan'):.1f} %, "
          f"{len(results) - len(known)} refused")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=128)
    parser.add_argument("--programs", default="")
    parser.add_argument("--machines", default="measured,recorded")
    parser.add_argument("--keep", default="")
    parser.add_argument("--composed", default="", help="seeds, such as 1-50")
    options = parser.parse_args()
    if why_not():
        print(f"prediction_score: skipped: {why_not()}")
        return 0
    scores = Scores(options.keep)
    results = {machine: [] for machine in options.machines.split(",")}
    try:
        for name, *arguments in programs(options):
            runs = [scores.record(size, name, *arguments) for size in SIZES]
            truth = scores.truth(options.ranks, name, *arguments)
            for machine, of_machine in results.items():
                shown = f"{name} {arguments[0]}" if name == COMPOSED else name
                of_machine.append(score(shown, machine, truth, scores.predict(machine, options.ranks, runs)))
        for machine, of_machine in results.items():
            summary(machine, of_machine)
    finally:
        scores.doCleanups()
    return 0


if __name__ == "__main__":
    sys.exit(main())
