"""The energy of a hydrogen molecule, by GPAW.

SPDX-License-Identifier: BSD-3-Clause
"""
from ase import Atoms
from gpaw import GPAW

molecule = Atoms("H2", positions=[[2, 2, 1.6], [2, 2, 2.4]], cell=[4, 4, 4])
molecule.calc = GPAW(mode="lcao", basis="sz(dzp)", h=0.3, txt="hydrogen.txt")
energy = molecule.get_potential_energy()
if molecule.calc.world.rank == 0:
    print(f"energy {energy:.6f} eV")
