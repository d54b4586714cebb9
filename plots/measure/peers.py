"""What one would call instead: the sums of PyTorch, CuPy, cuBLAS and CUB by its Python package, on the
arrays of our programs. One that is not installed is left out, with a line."""

import ctypes
import ctypes.util
import functools
import glob
import importlib.metadata
import os
import shutil

from plots.measure.machine import row_of

REPS, WARM_UP, FLUSHES = 31, 15, 4  # so often the cache is emptied: that is what calls hide behind
PERIOD = 2**24  # as common/input.h: larger arrays repeat the first elements
TWO_BYTES = "half", "bfloat16"


@functools.cache
def values(numpy, type):
    """The first elements of our inputs: with seed 1, for other types than int --uniform."""
    libc = ctypes.CDLL(None)
    libc.srand(1)
    drawn = numpy.fromiter(iter(libc.rand, -1), numpy.int64, PERIOD)
    if type == "int":
        return (drawn & 0xFF).astype(numpy.int32)
    return (drawn >> 7 & 0xFFFFFF) / 16777216.0


class Arrays:
    """Memory and events are PyTorch's; all else works on its arrays, on the default stream."""

    def __init__(self, torch, numpy):
        self.torch = torch
        l2 = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 64 << 20)
        self.buffer = torch.zeros(4 * l2 // 4, dtype=torch.int32, device="cuda")
        self.types = {"int": torch.int32, "float": torch.float32, "double": torch.float64,
                      "half": torch.float16, "bfloat16": torch.bfloat16}
        self.numpy = numpy

    def input(self, type, n):
        """The array, and its exact sum; that of ints as 32 bits hold it."""
        period = self.torch.from_numpy(values(self.numpy, type)).to("cuda").to(self.types[type])
        whole, rest = divmod(n, PERIOD)
        exact = period.to(self.torch.int64 if type == "int" else self.torch.float64)
        # a sum over a period is exact in a double: see common/reference.c
        total = whole * exact.sum().item() + exact[:rest].sum().item()
        return (period.repeat(-(-n // PERIOD))[:n],
                (total + 2**31) % 2**32 - 2**31 if type == "int" else total)

    def time(self, call):
        """(ms of each repetition, the results): between events, behind an empty cache."""
        times, results = [], []
        for rep in range(WARM_UP + REPS):
            begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            for _ in range(FLUSHES):
                self.buffer.sum()
            begin.record()
            result = call()
            end.record()
            end.synchronize()
            if rep >= WARM_UP:
                times.append(begin.elapsed_time(end))
                results.append(result.item())
        return times, results


# ---- the peers: each takes the arrays and gives its version and, of an input, what to call ----

def torch_sum(arrays):
    """Of two bytes as floats; of ints the result has 64 bits."""
    torch = arrays.torch
    return f"PyTorch {torch.__version__}", lambda x, type: (
        (lambda: torch.sum(x, dtype=torch.float32)) if type in TWO_BYTES else lambda: torch.sum(x))


def cupy_sum(arrays):
    import cupy

    def of(x, type):
        shared = cupy.from_dlpack(x)
        dtype = cupy.float32 if type == "half" else None
        return lambda: cupy.sum(shared, dtype=dtype)
    return f"CuPy {cupy.__version__}", of


def cublas_asum(arrays):
    """The sum of absolute values, which these are."""
    places = os.path.dirname(os.path.realpath(shutil.which("nvcc") or "")) + "/../lib64/libcublas.so*"
    library = ctypes.CDLL((sorted(glob.glob(places)) or [ctypes.util.find_library("cublas")])[0])
    handle, version = ctypes.c_void_p(), ctypes.c_int()
    assert library.cublasCreate_v2(ctypes.byref(handle)) == 0
    library.cublasGetVersion_v2(handle, ctypes.byref(version))
    library.cublasSetPointerMode_v2(handle, 1)  # the result stays on the GPU

    def of(x, type):
        call = {"float": library.cublasSasum_v2, "double": library.cublasDasum_v2}[type]
        out = x.new_empty(1)

        def asum():
            assert call(handle, len(x), ctypes.c_void_p(x.data_ptr()), 1,
                        ctypes.c_void_p(out.data_ptr())) == 0
            return out
        return asum
    number = version.value
    return f"cuBLAS {number // 10000}.{number // 100 % 100}.{number % 100}", of


def cuda_compute(arrays):
    import cuda.compute

    def of(x, type):
        out, zero = x.new_empty(1), x.new_zeros(1).cpu().numpy()

        def reduce():
            cuda.compute.reduce_into(d_in=x, d_out=out, op=cuda.compute.OpKind.PLUS,
                                     num_items=len(x), h_init=zero)
            return out
        return reduce
    return f"cuda.compute {importlib.metadata.version('cuda-cccl')}", of


PEERS = {  # of which types
    "torch.sum": (torch_sum, "int float double half bfloat16"),
    "cupy.sum": (cupy_sum, "int float double half"),
    "cublas asum": (cublas_asum, "float double"), "cuda.compute": (cuda_compute, "int float double")}


def peer_rows(target, sizes):
    """Lines of all that are here, with our own programs beside them, one size after the other."""
    import numpy
    import torch

    arrays, here = Arrays(torch, numpy), {}
    for name, (peer, types) in PEERS.items():
        try:
            here[name] = (*peer(arrays), types.split())
        except Exception as why:  # whatever a library that is not there, or not whole, says
            target.say(f"leaving out {name}: {str(why).partition(chr(10))[0]}")
    yield "name,library,type,n,reps,median_ms,min_ms,result,expected,sums"
    for type in arrays.types:
        own = target.build(f"TYPE={type}", *(["two-bytes", "cub"] if type in TWO_BYTES else
                                             ["single-pass", "cub"]))
        for size in sizes:
            target.say(f"{type}, n = {size}")
            for program in own:
                row = row_of(program, "-n", size, *["--uniform"] * (type != "int"))
                yield ",".join([row["name"], row["library"], type, *(row[column] for column in (
                    "n", "reps", "median_ms", "min_ms", "result", "expected")), ""])
            x, expected = arrays.input(type, int(row["n"]))
            for name, (library, call_of, types) in here.items():
                if type not in types:
                    continue
                try:
                    times, results = arrays.time(call_of(x, type))
                except Exception as why:
                    target.failed = True
                    target.say(f"leaving out {name}: {str(why).partition(chr(10))[0]}")
                    continue
                yield ",".join(map(str, [
                    name, library, type, len(x), REPS, f"{sorted(times)[REPS // 2]:.6f}",
                    f"{min(times):.6f}", results[0], expected, len(set(results))]))
            del x
