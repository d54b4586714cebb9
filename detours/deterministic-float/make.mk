# Sums of floats are what it is about.
TYPES_deterministic-float := float
OWN_deterministic-float := TYPE=float
