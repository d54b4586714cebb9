/* GPUs of several machines: one MPI process per GPU, NCCL between them.
 *
 *     make multi-gpu-mpi && mpirun -n 2 ./multi-gpu-mpi
 *
 * Read it after multi-gpu, which drives all its GPUs from one process, so they are of one machine.
 *
 * Idea: a process, or rank, for each GPU. MPI starts the ranks, on as many machines as mpirun is
 * told, and says which is which; the data go from GPU to GPU through NCCL. Rank 0 runs the harness
 * as every step does. The others serve it: they wait for an order, carry it out, and wait again.
 *
 * How it is timed: as multi-gpu. The ranks of one machine share the word of its gate. Where there
 * are more machines, nothing is shared: the ranks then begin with an ncclBroadcast of one byte from
 * rank 0, which is in the time.
 *
 * Look at: the time, beside that of multi-gpu, at 2^10 and at 2^28. At which of them do you expect
 * to see that NCCL has two processes to talk to, and not one?
 *
 * Source: NCCL's documentation, one device per process. (MPI's calls are not checked: unless told
 * otherwise, MPI ends all ranks itself on an error.) */
#include "lab.h"

#ifdef SIMT

int main(int argc, char **argv)
{
    return lab_needs_gpu(argc, argv, "NCCL and MPI");
}

#else

#define PART
#include "../single-pass/main.cu"

#include "../multi-gpu/nccl_check.h"
#include "../multi-gpu/piece.h"

extern "C" { /* the harness is C */
#include "gate.h"
#include "kernels.h"
}

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int rank, ranks;
static ncclComm_t comm;

/* What this rank's GPU works on. On rank 0 it is the harness's memory. */
static struct {
    const elem_t *in; /* its piece, count elements */
    size_t count;
    elem_t *sum;
    char *token;        /* one byte; to get it means to begin; NULL: the gate will do */
    struct flush flush; /* not rank 0's, which the harness has */
} my;

enum order { SET_UP, REDUCE, END };

/* Rank 0 gives an order to the others. */
static void give(enum order order)
{
    MPI_Bcast(&order, sizeof order, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static enum order next_order(void)
{
    enum order order;
    MPI_Bcast(&order, sizeof order, MPI_BYTE, 0, MPI_COMM_WORLD);
    return order;
}

/* ---- orders, carried out by all ranks together ---- */

/* The ranks of a machine share its gate; job: a number that no other job here has. */
static void share_gate(MPI_Comm machine, int job)
{
    char name[32];

    snprintf(name, sizeof name, "/multi-gpu-mpi-%d", job);
    int file = shm_open(name, O_CREAT | O_RDWR, 0600);
    void *word = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(unsigned)) == 0)
        word = mmap(NULL, sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (word == MAP_FAILED) {
        perror("multi-gpu-mpi: the gate's memory");
        exit(3);
    }
    gate_share((unsigned *)word);
    MPI_Barrier(machine);
    shm_unlink(name); /* of those that share it nobody needs its name any more */
}

/* Each rank of a machine takes one of its GPUs, from number first on. False if one has too few:
 * then rank 0 has said so and ended, and its order to end is the others' next. */
static bool choose_gpu(MPI_Comm machine, int first)
{
    int local, locals, gpus, lacking;

    MPI_Comm_rank(machine, &local);
    MPI_Comm_size(machine, &locals);
    if (cudaGetDeviceCount(&gpus) != cudaSuccess)
        gpus = 0;
    lacking = locals - gpus;
    MPI_Allreduce(MPI_IN_PLACE, &lacking, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (lacking > 0 && rank == 0) {
        fprintf(stderr, "multi-gpu-mpi: a machine has %d GPU%s too few: want one a rank\n", lacking,
                lacking == 1 ? "" : "s");
        exit(2);
    }
    if (lacking <= 0)
        CHECK(cudaSetDevice((first + local) % gpus));
    return lacking <= 0;
}

/* Gives every rank its piece of all[0 … n-1]. Only rank 0 knows these two, and has memory yet. */
static void set_up(const elem_t *all, size_t n)
{
    struct {
        size_t n;
        int first_gpu, job, l2_bytes;
        ncclUniqueId id;
    } common = {};
    MPI_Comm machine;
    elem_t *copy;
    int locals;

    if (rank == 0) {
        common.n = n;
        common.job = (int)getpid();
        common.l2_bytes = attribute_of(cudaDevAttrL2CacheSize);
        CHECK(cudaGetDevice(&common.first_gpu));
        NCCL(ncclGetUniqueId(&common.id));
    }
    MPI_Bcast(&common, sizeof common, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    if (!choose_gpu(machine, common.first_gpu))
        return;
    share_gate(machine, common.job);
    NCCL(ncclCommInitRank(&comm, ranks, common.id, rank));
    MPI_Comm_size(machine, &locals);
    MPI_Allreduce(MPI_IN_PLACE, &locals, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (locals < ranks)
        CHECK(cudaMalloc(&my.token, 1));
    my.count = piece_of(common.n, rank, ranks).count;

    NCCL(ncclGroupStart());
    if (rank == 0) {
        for (int r = 1; r < ranks; r++) {
            struct piece piece = piece_of(n, r, ranks);
            NCCL(ncclSend(all + piece.begin, piece.count, NCCL_ELEM, r, comm, 0));
        }
    } else {
        CHECK(cudaMalloc(&copy, (my.count + 1) * sizeof(elem_t))); /* a piece may be empty */
        CHECK(cudaMalloc(&my.sum, sizeof(elem_t)));
        my.flush = flush_new(common.l2_bytes);
        NCCL(ncclRecv(copy, my.count, NCCL_ELEM, 0, comm, 0));
        my.in = copy;
    }
    NCCL(ncclGroupEnd());
    CHECK(cudaStreamSynchronize(0));
}

/* Enqueues one reduction of the pieces, the sum of all to my.sum on rank 0. When a rank returns,
 * all have enqueued theirs, and their GPUs have come to the gate. */
static void reduce_pieces(void)
{
    if (rank > 0) {
        flush_enqueue(&my.flush);
        gate_enqueue();
    }
    if (my.token)
        NCCL(ncclBroadcast(my.token, my.token, 1, ncclChar, 0, comm, 0));
    reduce_to(my.sum, my.in, my.count);
    NCCL(ncclReduce(my.sum, my.sum, 1, NCCL_ELEM, ncclSum, 0, comm, 0));
    if (rank > 0)
        gate_await();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- rank 0 and the others ---- */

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    if (!comm) { /* the first, untimed call; the arguments are the same in all of them */
        my.in = in, my.sum = out;
        give(SET_UP);
        set_up(in, n);
        lab_gpus(ranks, NULL, 0);
        if (ranks == 1)
            fprintf(stderr, "multi-gpu-mpi: one rank: its GPU does all the work alone\n");
    }
    give(REDUCE);
    reduce_pieces();
}

static int serve(void)
{
    for (;;) {
        switch (next_order()) {
        case SET_UP: set_up(NULL, 0); break;
        case REDUCE: reduce_pieces(); break;
        case END: return 0;
        }
    }
}

/* However a rank ends, the others end, too: by order if one can still be given. Else (an error of
 * CUDA or NCCL) they may be waiting for this one in NCCL, and MPI has to end them. */
static void end_all(int status, void *unused)
{
    (void)unused;
    if (status == 3)
        MPI_Abort(MPI_COMM_WORLD, status);
    if (rank == 0)
        give(END);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    on_exit(end_all, NULL);
    lab_uses(NCCL_NAME);
    return rank == 0 ? lab_main(argc, argv, reduce) : serve();
}

#endif
