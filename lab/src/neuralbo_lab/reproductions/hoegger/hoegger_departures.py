"""Where all our studies of Högger (2021) depart from it."""

SMALL = (
    "The networks are our presets nomu_fast, deep_ensemble_fast and mc_dropout_fast, of a "
    "hundredth of Högger's weights and less; hoegger-full-size has those of Högger (2021)."
)
MAXIMIZER = (
    "Rows whose names do not end in /grid maximize their criterion by L-BFGS from many starts, "
    "not on Högger's {points}: a regret can be lower than the lowest of any grid point."
)
MAXIMIZER_5D = (
    "DIRECT has 5000 evaluations, not 20000; rows that are not called so maximize by L-BFGS from "
    "many starts."
)
OURS = "gp, brvfl4{more} are ours; Högger (2021) does not have them."
STARTS = "Initial points are drawn anew: Högger's are not printed."
SCALES = (
    "Values are scaled by the true maxima of the functions; what Högger (2021) did is not said, "
    "and its public code has other numbers for {functions}."
)
