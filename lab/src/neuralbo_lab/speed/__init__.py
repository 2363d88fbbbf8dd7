"""Speed and quality as ratios, measured in one run: `neuralbo lab speed NAME`."""
