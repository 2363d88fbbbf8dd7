"""Serve one peer over pipes: `python serve.py PEER.py`, in the environment of the peer.

A request is a line of JSON, and so is its answer. The first request makes the optimizer,

    {"axes": [{"name": "x", "kind": "real", "low": 0.0, "high": 1.0, "log": false}, ...],
     "seed": 0, "trials": 60}                                 ->  {"ready": true}

and each further one tells what is new, and asks:

    {"observed": [[{"x": 0.5}, 3.2], ...]}                        ->  {"numbers": {"x": 0.25}}

What the peer raises is answered as {"error": "..."}. What it prints goes to the standard error.
The file of a peer has a class `Peer(axes, seed, trials)` with `tell(numbers, value)`, smaller is
better, and `ask()`. It imports the peer and nothing of ours; so does this file.
"""

import importlib.util
import json
import os
import random
import sys
import traceback
from typing import Any


def peer_class(path: str) -> Any:
    """Return the class `Peer` of a file."""
    spec = importlib.util.spec_from_file_location("served_peer", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Peer


def main(path: str) -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the pipe of answers is for nothing else
    peer: Any = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if peer is None:
                random.seed(request["seed"])
                peer = peer_class(path)(request["axes"], request["seed"], request["trials"])
                answer: dict[str, Any] = {"ready": True}
            else:
                for numbers, value in request["observed"]:
                    peer.tell(numbers, value)
                answer = {"numbers": {name: float(x) for name, x in peer.ask().items()}}
        except Exception:  # whatever the peer raises is for the other side of the pipe
            answer = {"error": traceback.format_exc()[-3000:]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
