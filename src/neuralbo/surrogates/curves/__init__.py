"""Learning curves: one model of all reports of all trials."""
