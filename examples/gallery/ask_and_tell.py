"""Ask and tell: four experiments a day.

Somebody else makes the experiments. `ask(4)` gives four different settings for a day; in the
evening their results are told. What was asked for and not yet told is pending, and nothing near to
it is asked for again. One experiment is broken: its result is told as None.
"""

import math

import neuralbo as nb


def experiment(params: dict[str, float]) -> float | None:
    """Return the yield of a reaction, in percent; None if the vessel broke."""
    heat, hours = params["heat"], params["hours"]
    if heat > 95 and hours > 7:
        return None
    made = 1 - math.exp(-hours * math.exp((heat - 70) / 12) / 4)
    lost = 1 - math.exp(-hours * math.exp((heat - 95) / 7) / 5)
    return 100 * made * (1 - lost)


def main(n_trials: int = 24) -> nb.Optimizer:
    space = {"heat": nb.Real(20, 110), "hours": nb.Real(0.5, 10)}
    opt = nb.Optimizer(space, direction="maximize", seed=0)
    for day in range(n_trials // 4):
        plan = opt.ask(4)
        for params in plan:
            opt.tell(params, experiment(params))
        print(f"day {day + 1}: best yield {opt.best.value:.1f} %")
    best = opt.best.params
    print(f"{best['heat']:.0f} degrees for {best['hours']:.1f} hours")
    return opt


if __name__ == "__main__":
    main()
