/* Copies in every direction, rows with a pitch, hints that change nothing, a device without peers;
 * memory that is freed comes back. */
__global__ void slices(char *p, size_t pitch, int height)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    ((int *)(p + (z * height + y) * pitch))[x] += 100 * z + 10 * y + x;
}

static void rows()
{
    const int w = 5, h = 3, d = 4;
    int in[d][h][w], out[d][h][w];
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
    EXPECT(cudaMemcpy2D(out, 4, p, pitch, 8, 1, cudaMemcpyDefault) == cudaErrorInvalidPitchValue);
    EXPECT(cudaMemcpy2D(out, 8, p, 4, 8, 1, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
    OK(cudaMemcpy2DAsync(p, pitch, in, row, row, h * d, cudaMemcpyHostToDevice, 0));
    OK(cudaMemset2D(p, pitch, 0, 8, 2));
    OK(cudaMemcpy2D(out, row, p, pitch, row, h * d, cudaMemcpyDeviceToHost));
    EXPECT(out[0][1][1] == 0 && out[0][1][2] == 1000 && out[0][2][0] == 1000);

    OK(cudaFuncSetCacheConfig(slices, cudaFuncCachePreferL1));
}

int main()
{
    int values[100], back[100] = {1}, *p, *q, *managed;
    size_t before, after, total;
    for (int i = 0; i < 100; i++)
        values[i] = i;
    OK(cudaMemGetInfo(&before, &total));
    EXPECT(before == total && total > (1 << 28));
    OK(cudaMalloc(&p, sizeof values));
    OK(cudaMalloc((void **)&q, sizeof values));
    OK(cudaMemGetInfo(&after, &total));
    EXPECT(after == before - 2 * sizeof values);
    OK(cudaMemcpy(p, values, sizeof values, cudaMemcpyHostToDevice));
    OK(cudaMemcpyPeer(q, 0, p, 0, sizeof values));
    EXPECT(!cudaDeviceCanAccessPeer(back, 0, 0) && back[0] == 0 && cudaMemcpyPeer(q, 1, p, 0, 4));
    EXPECT(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessUnsupported);
    OK(cudaMemcpy(q + 50, p, 50 * sizeof(int), cudaMemcpyDefault));
    OK(cudaMemcpy(back, q, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; i++)
        EXPECT(back[i] == i % 50);
    OK(cudaMemcpy(back, values, sizeof back, cudaMemcpyHostToHost));
    EXPECT(back[99] == 99);
    OK(cudaMemset(q, 0x11, 4));
    OK(cudaMemcpyAsync(back, q, 8, cudaMemcpyDeviceToHost));
    OK(cudaThreadSynchronize());
    EXPECT(back[0] == 0x11111111 && back[1] == 1);
    OK(cudaMallocManaged(&managed, sizeof values));
    OK(cudaMemPrefetchAsync(managed, sizeof values, cudaCpuDeviceId, 0));
    managed[5] = 5;
    OK(cudaMemcpy(back, managed, sizeof back, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(managed, back, sizeof back, cudaMemcpyHostToHost));
    EXPECT(back[5] == 5);

    OK(cudaFree(q));
    OK(cudaFree(p));
    OK(cudaFree(managed));
    OK(cudaMallocHost(&p, 400));
    p[99] = 1;
    OK(cudaFreeHost(p));
    for (int i = 0; i < 300; i++) { /* together it would not fit */
        OK(cudaMalloc((void **)&q, total / 100));
        OK(cudaFree(q));
    }
    OK(cudaMemGetInfo(&after, &total));
    EXPECT(after == before);
    OK(cudaMalloc(&p, total - total / 64)); /* nothing is held back of what was freed */
    OK(cudaFree(p));
    rows();
}
