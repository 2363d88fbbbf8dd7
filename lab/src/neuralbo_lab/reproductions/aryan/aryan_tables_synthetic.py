"""Aryan (2020), Tables 4.2 to 4.9: mean ± standard deviation of the regret at 200 evaluations.

Aryan (2020), Sec. 4.4.1. Tables 4.2 to 4.5 have RVFL networks with a fixed prior, 4.6 to 4.9 those
with a learnt one. The baselines are printed in both, with the same numbers.
"""

from neuralbo_lab.reproductions.aryan.aryan_names import BASELINES, FIXED, LEARNT
from neuralbo_lab.reproductions.aryan.aryan_tables import printed_table

_FIXED_4_2 = """\
BRVFL1 | 7.85 ± 1.35e1   | 2.86e-3 ± 2.19e-3 | 7.44e-3 ± 7.20e-3
BRVFL2 | 6.71 ± 1.28e1   | 2.52e-3 ± 1.73e-3 | 6.71e-3 ± 6.29e-3
BRVFL3 | 3.89e3 ± 4.07e3 | 4.16e-3 ± 4.02e-3 | 1.08e-2 ± 8.10e-3
BRVFL4 | 3.64e3 ± 3.70e3 | 3.70e-3 ± 2.74e-3 | 1.60e-2 ± 1.27e-2
ERVFL1 | 1.53e2 ± 1.39e2 | 9.09e-2 ± 7.78e-2 | 3.86e-2 ± 2.78e-2
ERVFL2 | 1.84e2 ± 1.67e2 | 6.14e-2 ± 4.72e-2 | 5.12e-2 ± 3.65e-2
ERVFL3 | 4.94e3 ± 3.22e3 | 3.90e-2 ± 3.89e-2 | 2.76e-2 ± 2.08e-2
ERVFL4 | 3.73e3 ± 3.03e3 | 3.73e-2 ± 2.75e-2 | 2.63e-2 ± 2.16e-2
"""
_LEARNT_4_6 = """\
BRVFL1 | 2.71e-1 ± 1.89e-1 | 9.54e-4 ± 6.57e-4 | 3.01e-4 ± 3.78e-4
BRVFL2 | 3.88e-1 ± 2.24e-1 | 8.66e-4 ± 9.85e-4 | 1.92e-4 ± 2.28e-4
BRVFL3 | 1.33e-3 ± 1.29e-3 | 1.29e-3 ± 9.35e-4 | 1.60e-3 ± 1.52e-3
BRVFL4 | 1.41e-3 ± 1.44e-3 | 1.11e-3 ± 6.61e-4 | 1.61e-3 ± 1.56e-3
ERVFL1 | 2.27e2 ± 2.06e2   | 4.54e-1 ± 3.50e-1 | 2.33e-1 ± 1.46e-1
ERVFL2 | 2.30e2 ± 2.73e2   | 4.19e-1 ± 3.35e-1 | 3.44e-1 ± 2.68e-1
ERVFL3 | 4.91e1 ± 4.39e1   | 2.86e-1 ± 2.22e-1 | 7.27e-2 ± 5.55e-2
ERVFL4 | 4.00e1 ± 4.36e1   | 3.03e-1 ± 2.49e-1 | 6.68e-2 ± 7.83e-2
"""
_BASELINES_4_2 = """\
Bohamiann    | 3.31e-1 ± 2.16e-1 | 1.40e-3 ± 2.73e-3 | 1.99e-3 ± 2.36e-3
GP           | 1.60e1 ± 8.72e1   | 5.16e-2 ± 2.82e-1 | 4.42e-2 ± 2.29e-1
GP_mcmc      | 1.75e2 ± 9.58e2   | 2.61e-5 ± 3.46e-5 | 2.78e-5 ± 3.30e-5
RandomForest | 1.54e1 ± 1.42e1   | 4.52e-2 ± 8.22e-2 | 3.16e-2 ± 1.00e-1
RandomSearch | 9.68e1 ± 8.06e1   | 2.28e-1 ± 2.16e-1 | 9.18e-2 ± 7.62e-2
"""

_FIXED_4_3 = """\
BRVFL1 | 2.79e3 ± 2.84e3 | 2.32e-3 ± 2.04e-3 | 1.16 ± 6.11e-1
BRVFL2 | 3.05e3 ± 3.02e3 | 2.14e-3 ± 1.58e-3 | 1.05 ± 3.97e-1
BRVFL3 | 3.18e3 ± 3.26e3 | 1.76e-3 ± 9.45e-4 | 7.51e-1 ± 2.94e-1
BRVFL4 | 3.11e3 ± 3.27e3 | 1.91e-3 ± 1.43e-3 | 7.83e-1 ± 3.34e-1
ERVFL1 | 3.36e2 ± 4.50e2 | 2.87e-3 ± 1.70e-3 | 1.18 ± 4.90e-1
ERVFL2 | 2.81e2 ± 3.79e2 | 2.93e-3 ± 2.48e-3 | 1.27 ± 4.34e-1
ERVFL3 | 1.88e3 ± 1.77e3 | 1.95e-3 ± 1.61e-3 | 6.92e-1 ± 2.68e-1
ERVFL4 | 1.66e3 ± 1.66e3 | 1.82e-3 ± 1.22e-3 | 7.41e-1 ± 2.83e-1
"""
_LEARNT_4_7 = """\
BRVFL1 | 8.64 ± 1.12e1   | 1.77e-3 ± 1.00e-3 | 6.97e-1 ± 3.22e-1
BRVFL2 | 1.10e1 ± 1.06e1 | 1.81e-3 ± 9.05e-4 | 6.32e-1 ± 2.32e-1
BRVFL3 | 9.44 ± 1.73e1   | 1.39e-2 ± 9.47e-3 | 7.50e-1 ± 3.30e-1
BRVFL4 | 1.10e1 ± 2.16e1 | 1.17e-2 ± 8.19e-3 | 7.34e-1 ± 3.50e-1
ERVFL1 | 5.53e1 ± 3.84e1 | 1.96e-1 ± 1.33e-1 | 3.66e-1 ± 1.19e-1
ERVFL2 | 3.43e1 ± 2.80e1 | 2.11e-1 ± 1.09e-1 | 3.46e-1 ± 1.35e-1
ERVFL3 | 7.34 ± 5.33     | 5.80e-3 ± 3.56e-3 | 2.87e-1 ± 8.19e-2
ERVFL4 | 7.72 ± 7.28     | 4.06e-3 ± 2.68e-3 | 2.61e-1 ± 8.63e-2
"""
_BASELINES_4_3 = """\
Bohamiann    | 4.91 ± 8.20     | 5.63e-4 ± 1.40e-3 | 5.22e-2 ± 5.56e-2
GP           | 6.34 ± 1.27e1   | 6.20e-2 ± 8.18e-2 | 5.17e-2 ± 6.83e-2
GP_mcmc      | 2.85 ± 9.35     | 5.41e-7 ± 1.41e-6 | 1.22e-1 ± 1.50e-1
RandomForest | 3.07e1 ± 3.39e1 | 1.97e-1 ± 7.25e-1 | 1.48e-1 ± 8.84e-2
RandomSearch | 1.26e1 ± 1.12e1 | 1.49e-1 ± 1.08e-1 | 1.01 ± 3.34e-1
"""

_FIXED_4_4 = """\
BRVFL1 | 1.21e2 ± 2.62e1 | 1.11e-2 ± 2.34e-2 | 1.72e1 ± 7.01
BRVFL2 | 1.28e2 ± 2.55e1 | 1.15e-2 ± 1.60e-2 | 1.61e1 ± 6.31
BRVFL3 | 1.04 ± 3.17e-1  | 1.09e-2 ± 1.12e-2 | 1.11 ± 8.30e-1
BRVFL4 | 1.21 ± 3.60e-1  | 1.26e-2 ± 1.36e-2 | 9.26e-1 ± 7.74e-1
ERVFL1 | 9.73e1 ± 2.05e1 | 7.30e-2 ± 6.57e-2 | 1.61e1 ± 5.36
ERVFL2 | 1.04e2 ± 1.96e1 | 9.12e-2 ± 6.43e-2 | 1.70e1 ± 4.18
ERVFL3 | 3.09e1 ± 1.98e1 | 3.81e-2 ± 3.53e-2 | 3.44 ± 2.90
ERVFL4 | 2.54e1 ± 2.42e1 | 4.44e-2 ± 4.17e-2 | 2.43 ± 2.21
"""
_LEARNT_4_8 = """\
BRVFL1 | 5.82 ± 1.55e1  | 9.77e-2 ± 2.90e-1 | 2.17 ± 2.51
BRVFL2 | 1.19 ± 2.50e-1 | 8.36e-3 ± 1.90e-2 | 3.53 ± 3.61
BRVFL3 | 1.11 ± 1.96e-1 | 3.34e-3 ± 6.83e-3 | 6.30e-1 ± 2.14e-1
BRVFL4 | 1.09 ± 2.22e-1 | 3.87e-3 ± 6.92e-3 | 6.32e-1 ± 4.03e-1
ERVFL1 | 1.54 ± 9.48e-1 | 3.29e-1 ± 3.21e-1 | 1.46e1 ± 5.91
ERVFL2 | 1.83 ± 1.17    | 2.65e-1 ± 2.03e-1 | 1.66e1 ± 6.38
ERVFL3 | 2.38 ± 4.86    | 3.08e-1 ± 1.59e-1 | 9.06 ± 5.43
ERVFL4 | 2.03 ± 1.30    | 2.29e-1 ± 1.80e-1 | 8.21 ± 4.92
"""
_BASELINES_4_4 = """\
Bohamiann    | 2.97e1 ± 9.37   | 6.13e-4 ± 7.26e-4 | 8.44e-1 ± 4.63e-1
GP           | 3.31e1 ± 4.46e1 | 7.13e-3 ± 3.77e-2 | 8.23 ± 2.36e1
GP_mcmc      | N/A             | 3.45e-6 ± 5.01e-6 | 3.44e-1 ± 3.60e-1
RandomForest | 2.69e1 ± 1.05e1 | 1.01e-1 ± 2.13e-1 | 4.53 ± 3.43
RandomSearch | 4.34e1 ± 9.55   | 2.07e-1 ± 1.31e-1 | 7.90 ± 3.82
"""

_FIXED_4_5 = """\
BRVFL1 | 1.27e3 ± 1.29e3 | 6.79e4 ± 3.19e4 | 5.67e-3 ± 3.98e-3
BRVFL2 | 1.54e3 ± 1.71e3 | 6.55e4 ± 2.94e4 | 6.63e-3 ± 3.37e-3
BRVFL3 | 1.15e3 ± 1.36e3 | 7.75e4 ± 3.58e4 | 5.43e-3 ± 3.52e-3
BRVFL4 | 1.69e3 ± 2.16e3 | 7.14e4 ± 3.28e4 | 6.45e-3 ± 4.08e-3
ERVFL1 | 1.17e2 ± 1.62e2 | 4.51e4 ± 2.05e4 | 9.72e-3 ± 4.65e-3
ERVFL2 | 1.76e2 ± 3.08e2 | 4.06e4 ± 2.01e4 | 1.07e-2 ± 5.88e-3
ERVFL3 | 9.50e2 ± 1.19e3 | 5.54e4 ± 2.55e4 | 4.87e-3 ± 2.98e-3
ERVFL4 | 7.56e2 ± 1.05e3 | 5.66e4 ± 2.45e4 | 4.34e-3 ± 2.88e-3
"""
_LEARNT_4_9 = """\
BRVFL1 | 1.33 ± 1.96     | 2.27e2 ± 3.06e2 | 3.70e-3 ± 3.96e-3
BRVFL2 | 1.42 ± 2.00     | 1.42e2 ± 2.24e2 | 2.69e-3 ± 2.56e-3
BRVFL3 | 2.95 ± 4.12     | 1.46e2 ± 1.80e2 | 3.79e-3 ± 2.49e-3
BRVFL4 | 3.02 ± 4.37     | 1.41e2 ± 1.76e2 | 3.29e-3 ± 2.10e-3
ERVFL1 | 1.03e1 ± 1.07e1 | 1.54e4 ± 1.02e4 | 7.69e-3 ± 4.44e-3
ERVFL2 | 1.11e1 ± 1.09e1 | 1.56e4 ± 9.85e3 | 9.92e-3 ± 4.53e-3
ERVFL3 | 4.38 ± 3.38     | 1.45e4 ± 9.46e3 | 3.15e-3 ± 1.78e-3
ERVFL4 | 6.23 ± 7.26     | 1.10e4 ± 7.29e3 | 3.21e-3 ± 1.97e-3
"""
_BASELINES_4_5 = """\
Bohamiann    | 8.23e-1 ± 7.76e-1 | 3.01e2 ± 2.47e2 | 3.13e-3 ± 4.13e-3
GP           | 1.00e-1 ± 2.38e-1 | 5.67e3 ± 1.41e4 | 1.36e-2 ± 4.48e-2
GP_mcmc      | 3.78e-1 ± 1.00    | 1.65e3 ± 5.75e3 | 4.86e-5 ± 7.63e-5
RandomForest | 4.25 ± 5.14       | 1.76e3 ± 1.36e3 | 4.76e-3 ± 4.85e-3
RandomSearch | 3.05 ± 2.89       | 3.05e3 ± 3.12e3 | 7.47e-3 ± 4.72e-3
"""

_PROBLEMS = {
    "Bohachevsky": "bohachevsky",
    "Branin": "branin",
    "Camelback": "camelback",
    "Goldsteinprice": "goldstein-price",
    "Hartmann3": "hartmann3",
    "Hartmann6": "hartmann6",
    "Levy10d": "aryan-levy10",
    "Levy2d": "aryan-levy2",
    "Levy5d": "aryan-levy5",
    "Rosenbrock2d": "rosenbrock2",
    "Rosenbrock5d": "rosenbrock5",
    "Sintwo": "sintwo",
}
PROBLEMS = tuple(_PROBLEMS.values())
_COLUMNS = tuple(tuple(_PROBLEMS.items())[first : first + 3] for first in (0, 3, 6, 9))
_BASELINE_ROWS = (_BASELINES_4_2, _BASELINES_4_3, _BASELINES_4_4, _BASELINES_4_5)
_FIXED_ROWS = (_FIXED_4_2, _FIXED_4_3, _FIXED_4_4, _FIXED_4_5)
_LEARNT_ROWS = (_LEARNT_4_6, _LEARNT_4_7, _LEARNT_4_8, _LEARNT_4_9)

FIXED_TABLES = tuple(
    printed_table(
        f"Table 4.{number}: regret, fixed prior", columns, rows + baselines, FIXED | BASELINES
    )
    for number, columns, rows, baselines in zip(
        (2, 3, 4, 5), _COLUMNS, _FIXED_ROWS, _BASELINE_ROWS, strict=True
    )
)
LEARNT_TABLES = tuple(
    printed_table(
        f"Table 4.{number}: regret, learnt prior", columns, rows + baselines, LEARNT | BASELINES
    )
    for number, columns, rows, baselines in zip(
        (6, 7, 8, 9), _COLUMNS, _LEARNT_ROWS, _BASELINE_ROWS, strict=True
    )
)
