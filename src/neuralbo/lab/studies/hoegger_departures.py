"""In what all our studies of 004 differ from the document."""

MACHINERY = ("Rows of the document that have mean width or Dynamic C are not run yet: N/A.",)
MAXIMIZER = (
    "The criterion is maximized by L-BFGS from many starts, not on the document's {points}: a "
    "regret can be lower than the lowest of any grid point."
)
MAXIMIZER_5D = (
    "The criterion is maximized by L-BFGS from many starts, not by DIRECT with 20000 evaluations."
)
OURS = "gp, brvfl4{more} are ours; the document does not have them."
STARTS = "Start points are drawn anew: the document's are not printed."
SCALES = (
    "Values are scaled by the true maxima of the functions; what the document did is not said, "
    "and its public code has other numbers for {functions} (004 12.1)."
)
