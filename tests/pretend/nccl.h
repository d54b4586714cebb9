/* NCCL as far as the multi-gpu programs need it, for the CPU backend and the GPUs of several_gpus.h.
 *
 * Between the ranks of one process a reduction is done here, at the end of the group in which every
 * rank has called for it once, as NCCL demands. With PRETEND_MPI the ranks are MPI's, and MPI
 * carries everything out. */
#ifndef PRETEND_NCCL_H
#define PRETEND_NCCL_H

#include "several_gpus.h"

#include <cassert>
#include <vector>

static elem_t value_at(const void *device_memory)
{
    elem_t value;
    CHECK(cudaDeviceSynchronize()); /* it is read in no GPU's stream */
    CHECK(cudaMemcpy(&value, device_memory, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void set_value_at(void *device_memory, elem_t value)
{
    CHECK(cudaMemcpy(device_memory, &value, sizeof value, cudaMemcpyHostToDevice));
}

enum ncclResult_t { ncclSuccess };
enum ncclRedOp_t { ncclSum };
enum ncclDataType_t { ncclChar, ncclInt32, ncclFloat32, ncclFloat64 };

#define ncclGetErrorString(result) "pretended"

#ifdef PRETEND_MPI

#include <mpi.h>

struct ncclUniqueId {
    char text[128];
};
typedef ncclUniqueId *ncclComm_t;

static const MPI_Datatype pretend_types[] = {MPI_CHAR, MPI_INT, MPI_FLOAT, MPI_DOUBLE};

static ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    memset(id->text, 'x', sizeof id->text);
    return ncclSuccess;
}

static ncclResult_t ncclCommInitRank(ncclComm_t *comm, int, ncclUniqueId id, int)
{
    assert(id.text[127] == 'x');
    *comm = new ncclUniqueId(id);
    return ncclSuccess;
}

#define ncclGroupStart() ncclSuccess
#define ncclGroupEnd()   ncclSuccess

static int pretend_rank()
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static ncclResult_t pretended(int status)
{
    assert(status == MPI_SUCCESS);
    return ncclSuccess;
}

static ncclResult_t ncclSend(const void *from, size_t n, ncclDataType_t type, int peer, ncclComm_t,
                             cudaStream_t)
{
    return pretended(MPI_Send(from, n, pretend_types[type], peer, 0, MPI_COMM_WORLD));
}

/* By way of the host: what MPI itself stored in device memory the backend would not see. */
static ncclResult_t ncclRecv(void *to, size_t n, ncclDataType_t type, int peer, ncclComm_t,
                             cudaStream_t)
{
    std::vector<elem_t> host(n);
    int status = MPI_Recv(host.data(), n, pretend_types[type], peer, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE);
    CHECK(cudaMemcpy(to, host.data(), n * sizeof(elem_t), cudaMemcpyHostToDevice));
    return pretended(status);
}

static ncclResult_t ncclBroadcast(const void *from, void *to, size_t n, ncclDataType_t type,
                                  int root, ncclComm_t, cudaStream_t)
{
    assert(from == to);
    return pretended(MPI_Bcast(to, n, pretend_types[type], root, MPI_COMM_WORLD));
}

static ncclResult_t ncclReduce(const void *from, void *to, size_t n, ncclDataType_t type,
                               ncclRedOp_t, int root, ncclComm_t, cudaStream_t)
{
    elem_t mine = value_at(from), sum = 0;
    assert(n == 1);
    pretended(MPI_Reduce(&mine, &sum, 1, pretend_types[type], MPI_SUM, root, MPI_COMM_WORLD));
    if (pretend_rank() == root)
        set_value_at(to, sum);
    return ncclSuccess;
}

#else

struct pretend_rank {
    int rank, ranks;
};
typedef pretend_rank *ncclComm_t;

static int ranks_left = -1; /* that have not called for the group's reduction yet; -1: no group */
static elem_t total;
static elem_t *result;

static ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
{
    for (int i = 0; i < count; i++) {
        assert(0 <= devices[i] && devices[i] < atoi(getenv("PRETEND_GPUS")));
        for (int j = 0; j < i; j++)
            assert(devices[i] != devices[j]);
        comms[i] = new pretend_rank{i, count};
    }
    return ncclSuccess;
}

static ncclResult_t ncclGroupStart()
{
    assert(ranks_left == -1);
    ranks_left = 0;
    return ncclSuccess;
}

static ncclResult_t ncclReduce(const void *from, void *to, size_t n, ncclDataType_t, ncclRedOp_t,
                               int root, ncclComm_t comm, cudaStream_t)
{
    assert(ranks_left >= 0 && n == 1);
    if (ranks_left == 0)
        ranks_left = comm->ranks, total = 0;
    ranks_left--;
    total += value_at(from);
    if (comm->rank == root)
        result = (elem_t *)to;
    return ncclSuccess;
}

static ncclResult_t ncclGroupEnd()
{
    assert(ranks_left == 0);
    ranks_left = -1;
    set_value_at(result, total);
    return ncclSuccess;
}

#endif
#endif
