"""In what all our studies of 004 differ from the document."""

SMALL = (
    "The networks are our presets nomu_fast, deep_ensemble_fast and mc_dropout_fast, of a "
    "hundredth of the document's weights and less; hoegger-full-size has those of the document."
)
MAXIMIZER = (
    "Rows whose names do not end in /grid maximize their criterion by L-BFGS from many starts, "
    "not on the document's {points}: a regret can be lower than the lowest of any grid point."
)
MAXIMIZER_5D = (
    "DIRECT has 5000 evaluations, not 20000; rows that are not called so maximize by L-BFGS from "
    "many starts."
)
OURS = "gp, brvfl4{more} are ours; the document does not have them."
STARTS = "Start points are drawn anew: the document's are not printed."
SCALES = (
    "Values are scaled by the true maxima of the functions; what the document did is not said, "
    "and its public code has other numbers for {functions} (004 12.1)."
)
