/* Copies in every direction; memory that is freed comes back. */
int main()
{
    int values[100], back[100] = {}, *p, *q, *managed;
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
    OK(cudaMemcpy(q, p, sizeof values, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(q + 50, p, 50 * sizeof(int), cudaMemcpyDefault));
    OK(cudaMemcpy(back, q, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 100; i++)
        EXPECT(back[i] == i % 50);
    OK(cudaMemcpy(back, values, sizeof back, cudaMemcpyHostToHost));
    EXPECT(back[99] == 99);
    OK(cudaMemset(q, 0x11, 4));
    OK(cudaMemcpyAsync(back, q, 8, cudaMemcpyDeviceToHost));
    OK(cudaDeviceSynchronize());
    EXPECT(back[0] == 0x11111111 && back[1] == 1);
    OK(cudaMallocManaged(&managed, sizeof values));
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
}
