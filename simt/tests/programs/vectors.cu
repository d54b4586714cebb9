/* Sizes and alignments of CUDA's vector types, loads of them, __ldg, a few bit tricks. */
#define LAYOUT(type, size, alignment) EXPECT(sizeof(type) == size && alignof(type) == alignment)

__global__ void sum(const int *in, const float *f, int *out, float4 *fout)
{
    const int4 *vectors = reinterpret_cast<const int4 *>(in);
    int4 v = vectors[threadIdx.x], w = __ldg(&vectors[threadIdx.x]);
    int2 halves = make_int2(v.x + v.y, v.z + v.w);
    out[threadIdx.x] = halves.x + halves.y + (v.w == w.w) + __ldg(in);
    float2 pair = reinterpret_cast<const float2 *>(f)[threadIdx.x];
    fout[threadIdx.x] = make_float4(pair.x, pair.y, pair.x + pair.y, __ldg(f + threadIdx.x));
}

__global__ void bits(int *out)
{
    out[0] = __popc(0xf0f0u) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clz(0) == 32 &&
             __ffs(8) == 4 && __ffs(0) == 0 && __brev(1u) == 0x80000000u &&
             __umulhi(1u << 31, 6u) == 3u && __float_as_int(1.0f) == 0x3f800000 &&
             __int_as_float(0x40000000) == 2.0f && min(-1, 2) == -1 && max(1u, 2u) == 2u &&
             min(1.5f, 2.5f) == 1.5f && warpSize == 32;
}

int main()
{
    LAYOUT(char1, 1, 1); LAYOUT(char2, 2, 2); LAYOUT(char3, 3, 1); LAYOUT(uchar4, 4, 4);
    LAYOUT(short3, 6, 2); LAYOUT(ushort4, 8, 8); LAYOUT(int1, 4, 4); LAYOUT(int2, 8, 8);
    LAYOUT(int3, 12, 4); LAYOUT(int4, 16, 16); LAYOUT(uint4, 16, 16); LAYOUT(float2, 8, 8);
    LAYOUT(float3, 12, 4); LAYOUT(float4, 16, 16); LAYOUT(double2, 16, 16);
    LAYOUT(longlong2, 16, 16); LAYOUT(dim3, 12, 4);
    int values[256], *in = device<int>(256), *out = device<int>(64);
    float floats[256], *f = device<float>(256);
    float4 *fout = device<float4>(64);
    for (int i = 0; i < 256; i++)
        values[i] = 1000 + i, floats[i] = 0.5f * i;
    EXPECT((size_t)in % 256 == 0 && (size_t)out % 256 == 0);
    OK(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(f, floats, sizeof floats, cudaMemcpyHostToDevice));
    sum<<<1, 64>>>(in, f, out, fout);
    int *o = host(out, 64);
    float4 *fo = host(fout, 64);
    for (int i = 0; i < 64; i++) {
        EXPECT(o[i] == 4 * 1000 + 16 * i + 6 + 1 + 1000);
        EXPECT(fo[i].x == i && fo[i].y == i + 0.5f && fo[i].z == 2 * i + 0.5f);
        EXPECT(fo[i].w == 0.5f * i);
    }
    bits<<<1, 1>>>(out);
    EXPECT(*host(out, 1) == 1);
}
