/* Rows with a pitch, managed memory, hints that change nothing. */
__global__ void slices(char *p, size_t pitch, int height)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    ((int *)(p + (z * height + y) * pitch))[x] += 100 * z + 10 * y + x;
}

int main()
{
    const int w = 5, h = 3, d = 4;
    int in[d][h][w], out[d][h][w], *managed;
    char *p;
    size_t pitch, row = w * sizeof(int);
    for (int i = 0; i < w * h * d; i++)
        in[0][0][i] = 1000;
    OK(cudaMallocPitch(&p, &pitch, row, h * d));
    EXPECT(pitch >= row && pitch % 512 == 0);
    OK(cudaMemset2D(p, pitch, 0, row, h * d));
    slices<<<1, dim3(w, h, d)>>>(p, pitch, h);
    OK(cudaMemcpy2D(out, row, p, pitch, row, h * d, cudaMemcpyDeviceToHost));
    EXPECT(out[0][0][0] == 0 && out[3][2][4] == 324 && out[1][0][3] == 103);
    EXPECT(cudaMemcpy2D(out, 4, p, pitch, 8, 1, cudaMemcpyDeviceToHost) ==
           cudaErrorInvalidPitchValue);
    EXPECT(cudaMemcpy2D(out, 8, p, 4, 8, 1, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
    OK(cudaMemcpy2DAsync(p, pitch, in, row, row, h * d, cudaMemcpyHostToDevice, 0));
    OK(cudaMemset2D(p, pitch, 0, 8, 2));
    OK(cudaMemcpy2D(out, row, p, pitch, row, h * d, cudaMemcpyDeviceToHost));
    EXPECT(out[0][1][1] == 0 && out[0][1][2] == 1000 && out[0][2][0] == 1000);

    OK(cudaFuncSetCacheConfig(slices, cudaFuncCachePreferL1));
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    OK(cudaMallocManaged(&managed, 64));
    OK(cudaMemPrefetchAsync(managed, 64, cudaCpuDeviceId, 0));
    OK(cudaThreadSynchronize());
}
