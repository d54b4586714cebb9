# What it is about: the sums of ints are the same in any order.
OWN_cub-reproducible := TYPE=float
