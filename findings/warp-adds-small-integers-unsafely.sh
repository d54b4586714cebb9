#!/usr/bin/env bash
# NVIDIA Warp 1.19.0 (Python 3.11, PTX for sm_90): in a kernel bins[i] += 1 is atomic for integers of 32 and 64 bits and
# for floats, but not for integers of 8 and 16 bits.
#
# Expected: an atomic addition for every type, since the reference of wp.atomic_add says that `arr[i] += value` calls
# it; or an error, since a direct call of wp.atomic_add with these types is one.
# Seen: for int8, uint8, int16 and uint16 the kernel loads, adds and stores without a warning, so two threads that meet
# in a bin lose a count. For int32, uint64 and float16 the PTX has an atom instruction. On the CPU Warp runs the threads
# one after the other, and the histogram is right for every type. A change to smaller bins, to save memory, therefore
# turns a correct kernel into a race that no test on the CPU shows.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
packages warp-lang==1.19.0 numpy==2.4.6

cat >histogram.py <<'CODE'
import pathlib, re
import warp as wp
def histogram(T):
    @wp.kernel(enable_backward=False, module="unique")
    def plus(bins: wp.array(dtype=T), of: wp.array(dtype=int)):
        bins[of[wp.tid()]] += T(1)
    return plus
@wp.kernel(enable_backward=False, module="unique")
def call(bins: wp.array(dtype=wp.uint8), of: wp.array(dtype=int)):
    wp.atomic_add(bins, of[wp.tid()], wp.uint8(1))
def ptx(kernel, folder):
    wp.compile_aot_module(kernel.module, device=None, arch=90, module_dir=folder, use_ptx=True)
    return next(pathlib.Path(folder).glob("*.ptx")).read_text(errors="replace")
for T in wp.int8, wp.uint8, wp.int16, wp.uint16, wp.int32, wp.uint64, wp.float16:
    kernel = histogram(T)
    changes = set(re.findall(r"\b(?:atom|red|st\.global)\.?\S*", ptx(kernel, T.__name__)))
    bins, of = wp.zeros(1, dtype=T, device="cpu"), wp.zeros(100, dtype=int, device="cpu")
    wp.launch(kernel, dim=100, inputs=[bins, of], device="cpu")
    print(f"{T.__name__}:", *sorted(changes), "and on the CPU", int(bins.numpy()[0]))
try:
    ptx(call, "call")
except RuntimeError as error:
    print("wp.atomic_add of uint8:", re.search("only work on arrays with .*?,", str(error))[0], "...")
CODE
WARP_CACHE_PATH=$work/cache "$python" histogram.py 2>log >out
grep "CPU [0-9]\|^wp" out >seen
cat >expected <<'TEXT'
int8: st.global.u8 and on the CPU 100
uint8: st.global.u8 and on the CPU 100
int16: st.global.u16 and on the CPU 100
uint16: st.global.u16 and on the CPU 100
int32: atom.global.add.u32 and on the CPU 100
uint64: atom.global.add.u64 and on the CPU 100
float16: atom.add.noftz.f16 and on the CPU 100
wp.atomic_add of uint8: only work on arrays with [u]int32, ...
TEXT
same seen expected
