#!/usr/bin/env bash
# multi-gpu-mpi for bench.sh, which calls a program by its path: $MPI_PROGRAM, by $MPIRUN, with
# $MPI_RANKS ranks. Open MPI runs nothing for root unless it is told twice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec "$MPIRUN" -n "$MPI_RANKS" "$MPI_PROGRAM" "$@"
