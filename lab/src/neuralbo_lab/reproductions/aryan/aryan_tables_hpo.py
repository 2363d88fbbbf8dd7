"""Aryan (2020), Tables 4.11 to 4.13, 5.1, 6.2 to 6.4: validation error after 50 evaluations.

Aryan (2020), Sec. 4.4.2, 5.4 and 6.8. No problem of ours stands for their columns: we do not have
the data.
"""

from neuralbo_lab.claims.printed_tables import PrintedTable
from neuralbo_lab.reproductions.aryan.aryan_names import BASELINES, CONDITIONAL, LEARNT, NETWORKS
from neuralbo_lab.reproductions.aryan.aryan_tables import Columns, cells_of, printed_table

_METHODS = LEARNT | BASELINES | CONDITIONAL | NETWORKS

_TABLE_4_11 = """\
BRVFL1        | 2.0287e-2 ± 8.6405e-3 | 5.9018e-2 ± 7.7218e-3 | 1.6597e-1 ± 1.0822e-2
BRVFL2        | 1.9607e-2 ± 8.1780e-3 | 5.8747e-2 ± 7.6693e-3 | 1.7345e-1 ± 2.4775e-2
BRVFL3        | 3.2476e-2 ± 1.2293e-2 | 5.2432e-2 ± 5.5952e-5 | 1.6608e-1 ± 1.5268e-2
BRVFL4        | 3.2638e-2 ± 1.2371e-2 | 5.2441e-2 ± 6.5810e-5 | 1.6572e-1 ± 1.0659e-2
BOHAMIANN     | 1.8896e-2 ± 7.6396e-3 | 5.3460e-2 ± 9.8911e-4 | 1.7832e-1 ± 1.4038e-2
GP            | 1.5349e-2 ± 1.2611e-3 | 5.2382e-2             | 1.6707e-1 ± 5.8834e-3
GP_mcmc       | 1.5127e-2 ± 4.4707e-4 | 5.2382e-2 ± 5.0742e-7 | 1.6194e-1 ± 6.9072e-3
Random Forest | 4.4614e-2 ± 1.6035e-1 | 5.2912e-2 ± 2.2700e-3 | 1.6203e-1 ± 5.4784e-3
Random Search | 1.5754e-2 ± 1.4833e-3 | 5.2382e-2 ± 6.9149e-7 | 1.6928e-1 ± 9.1168e-3
"""

_TABLE_4_12 = """\
BRVFL1        | 1.4896e-1 ± 6.2342e-4 | 2.8692e-1 ± 2.9132e-3 | 4.3942e-2 ± 6.5744e-3
BRVFL2        | 1.4911e-1 ± 1.1029e-3 | 2.8671e-1 ± 3.0866e-3 | 4.3070e-2 ± 6.2588e-3
BRVFL3        | 1.4882e-1 ± 9.1561e-4 | 2.8354e-1 ± 1.6313e-3 | 4.2939e-2 ± 5.7651e-3
BRVFL4        | 1.4852e-1 ± 1.0830e-3 | 2.8386e-1 ± 2.1194e-3 | 4.8070e-2 ± 2.3188e-2
BOHAMIANN     | 1.4961e-1 ± 7.8405e-4 | 2.8608e-1 ± 2.1377e-3 | 5.5965e-2 ± 1.1644e-2
GP            | 1.4921e-1 ± 8.6069e-4 | 2.8734e-1 ± 3.0183e-3 | 4.9495e-2 ± 1.0114e-2
GP_mcmc       | 1.4911e-1 ± 6.4692e-4 | 2.8508e-1 ± 2.8941e-3 | 4.4366e-2 ± 6.9121e-3
Random Forest | 1.4883e-1 ± 1.1818e-3 | 2.8352e-1 ± 2.3782e-3 | 4.7895e-2 ± 1.0485e-2
Random Search | 1.4927e-1 ± 9.0122e-4 | 2.8505e-1 ± 2.1943e-3 | 6.6122e-2 ± 2.4308e-2
"""

_TABLE_4_13 = """\
BRVFL1        | 1.6938e-2 ± 7.6159e-4 | 1.7729e-2 ± 1.0232e-3 | 8.3931e-3 ± 1.5176e-2
BRVFL2        | 1.6960e-2 ± 6.4255e-4 | 1.7908e-2 ± 1.2213e-3 | 4.5599e-3 ± 9.1412e-3
BRVFL3        | 1.6876e-2 ± 6.1069e-4 | 1.8445e-2 ± 2.0566e-3 | 1.5174e-3 ± 1.4230e-3
BRVFL4        | 1.8994e-2 ± 8.0493e-3 | 1.8396e-2 ± 3.9608e-3 | 1.5971e-3 ± 1.3639e-3
BOHAMIANN     | 1.8313e-2 ± 1.5784e-3 | 2.0971e-2 ± 2.9924e-3 | 1.5116e-2 ± 1.8334e-2
GP            | 1.7609e-2 ± 1.1851e-3 | 1.8099e-2 ± 1.2732e-3 | 2.4774e-2 ± 3.1478e-2
GP_mcmc       | 1.7380e-2 ± 1.2299e-3 | 1.7973e-2 ± 1.5034e-3 | 7.8420e-3 ± 1.3995e-2
Random Forest | 1.9257e-2 ± 4.7268e-3 | 1.8276e-2 ± 1.9074e-3 | 1.4926e-2 ± 3.2396e-2
Random Search | 1.7830e-2 ± 1.5579e-3 | 2.0373e-2 ± 2.5240e-3 | 1.2285e-2 ± 1.4672e-2
"""

# The problems are its rows, as printed.
_TABLE_5_1 = """\
problem            | BOHAMIANN  | BOHAMIANN_cl | GP         | GP_cl     | RF        | RF_cl
cnn-cifar10        | 0.174359   | 0.162855     | 0.166174   | 0.168873  | 0.161916  | 0.161756
paramnet-adult     | 0.149523   | 0.148949     | 0.149375   | 0.149323  | 0.148769  | 0.149287
paramnet-higgs     | 0.285667   | 0.284689     | 0.287129   | 0.289287  | 0.283275  | 0.285095
paramnet-letter    | 0.0548847  | 0.0487449    | 0.0479195  | 0.0513795 | 0.0459634 | 0.0489597
paramnet-mnist     | 0.018125   | 0.017715     | 0.01766    | 0.01799   | 0.01772   | 0.017765
paramnet-optdigits | 0.0205953  | 0.0197506    | 0.0179002  | 0.0205149 | 0.018222  | 0.019469
paramnet-poker     | 0.00813595 | 0.00225279   | 0.00735737 | 0.0149929 | 0.0016057 | 0.00583595
svm-mnist          | 0.0174945  | 0.0150458    | 0.0150458  | 0.0150458 | 0.0150458 | 0.0150458
wideresnet2d       | 0.054226   | 0.052382     | 0.052382   | 0.052382  | 0.052382  | 0.052382
"""

_TABLE_6_2 = """\
IVBNN        | 1.66e-1 ± 1.38e-2 | 1.49e-1 ± 9.74e-4 | 2.85e-1 ± 2.98e-3
Bohamiann    | 1.75e-1 ± 1.40e-2 | 1.49e-1 ± 9.79e-4 | 2.86e-1 ± 2.69e-3
GP           | 1.65e-1 ± 5.82e-3 | 1.49e-1 ± 5.52e-4 | 2.87e-1 ± 3.59e-3
GP_mcmc      | 1.63e-1 ± 5.53e-3 | 1.49e-1 ± 9.22e-4 | 2.85e-1 ± 2.73e-3
RandomForest | 1.70e-1 ± 1.66e-2 | 1.49e-1 ± 9.69e-4 | 2.84e-1 ± 3.32e-3
RandomSearch | 1.68e-1 ± 5.20e-3 | 1.49e-1 ± 9.93e-4 | 2.85e-1 ± 1.67e-3
"""

_TABLE_6_3 = """\
IVBNN        | 4.44e-2 ± 1.12e-2 | 1.75e-2 ± 3.43e-3 | 1.83e-2 ± 1.98e-3
Bohamiann    | 5.51e-2 ± 1.43e-2 | 1.83e-2 ± 1.67e-3 | 1.98e-2 ± 1.52e-3
GP           | 4.79e-2 ± 6.12e-3 | 1.76e-2 ± 1.41e-3 | 1.82e-2 ± 1.40e-3
GP_mcmc      | 4.55e-2 ± 7.18e-3 | 1.71e-2 ± 7.78e-4 | 1.85e-2 ± 1.35e-3
RandomForest | 4.89e-2 ± 1.26e-2 | 1.80e-2 ± 3.80e-3 | 1.93e-2 ± 6.35e-3
RandomSearch | 6.16e-2 ± 1.79e-2 | 1.77e-2 ± 1.21e-3 | 2.01e-2 ± 2.12e-3
"""

_TABLE_6_4 = """\
IVBNN        | 1.37e-2 ± 4.83e-2 | 1.32e-1 ± 3.04e-1 | 5.24e-2 ± 7.66e-6
Bohamiann    | 2.00e-2 ± 2.76e-2 | 2.13e-2 ± 8.91e-3 | 5.39e-2 ± 1.14e-3
GP           | 2.06e-2 ± 2.24e-2 | 1.52e-2 ± 6.20e-4 | 5.24e-2 ± 0.00
GP_mcmc      | 8.50e-3 ± 1.16e-2 | 1.51e-2 ± 4.47e-4 | 5.24e-2 ± 6.91e-7
RandomForest | 1.67e-2 ± 4.51e-2 | 1.56e-2 ± 1.57e-3 | 5.24e-2 ± 0.00
RandomSearch | 1.73e-2 ± 2.48e-2 | 1.63e-2 ± 1.78e-3 | 5.24e-2 ± 5.07e-7
"""

_MEANS = (
    ("4.11", ("svm-MNIST", "wideresnet2d", "cnn-cifar10"), _TABLE_4_11),
    ("4.12", ("paramnet-adult", "paramnet-higgs", "paramnet-letter"), _TABLE_4_12),
    ("4.13", ("paramnet-MNIST", "paramnet-optdigits", "paramnet-poker"), _TABLE_4_13),
    ("6.2", ("CNN (CIFAR10)", "Paramnet (Adult)", "Paramnet (Higgs)"), _TABLE_6_2),
    ("6.3", ("Paramnet (Letter)", "Paramnet (Mnist)", "Paramnet (Optical Digits)"), _TABLE_6_3),
    ("6.4", ("Paramnet (Poker)", "SVM (Mnist)", "Wide Resnet (2d)"), _TABLE_6_4),
)


def _absent(names: tuple[str, ...]) -> Columns:
    return tuple((name, None) for name in names)


def _table_5_1() -> PrintedTable:
    (_, *problems), *rows = zip(*cells_of(_TABLE_5_1), strict=True)
    text = "\n".join(" | ".join(row) for row in rows)
    title = "Table 5.1: median validation error"
    return printed_table(title, _absent(tuple(problems)), text, _METHODS, "median", "value")


def _means(first: str) -> tuple[PrintedTable, ...]:
    """Return the tables of means whose numbers begin with that."""
    return tuple(
        printed_table(f"Table {number}: validation error", _absent(names), text, _METHODS,
                      "mean", "value")
        for number, names, text in _MEANS
        if number.startswith(first)
    )  # fmt: skip


RVFL_TABLES, CONDITIONAL_TABLES, IVBNN_TABLES = _means("4."), (_table_5_1(),), _means("6.")
