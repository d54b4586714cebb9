"""What the tutorial's Python knows: the programs and what their header comments say, and the formats
of all measured and counted data. Whatever draws, shows or tests reads through it."""
