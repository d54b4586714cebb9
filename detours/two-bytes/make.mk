# Others do not know elements whose sum is of another type.
TYPES_two-bytes := half bfloat16
OWN_two-bytes := TYPE=half
