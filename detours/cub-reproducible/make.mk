# Ints have the same bits in any order.
TYPES_cub-reproducible := float double
OWN_cub-reproducible := TYPE=float
