/* Knows CUDA's names that the backend does not have, and finds them among tokens. */
#define _GNU_SOURCE
#include "compile/refused.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LOOK "; see \"What it takes\" in simt/README.md"

/* A name that ends with * stands for all that begin so. In order: the first that fits counts. */
struct entry {
    const char *names; /* a blank on both sides of each */
    const char *feature;
};

static const struct entry headers[] = {
    {" cooperative_groups* ", "the CPU backend has no cooperative groups"},
    {" thrust/* cub/* cuda/* nv/* cutlass/* cute/* moderngpu/* ",
     "the CPU backend has no device libraries (Thrust, CUB, libcu++)"},
    {" curand* cublas* cublasXt* cufft* cusparse* cusolver* cudnn* nvjpeg* npp* nvml* nvrtc* "
     "nccl* cutensor* nvgraph* optix* ",
     "the CPU backend has no CUDA libraries (cuBLAS, cuRAND, …)"},
    {" mma.h crt/mma.h ", "the CPU backend has no tensor cores (wmma)"},
    {" cuda_fp16* cuda_bf16* cuda_fp8* cuda_fp6* cuda_fp4* ",
     "the CPU backend has no half-precision types"},
    {" cuda_pipeline* cuda_awbarrier* ", "the CPU backend has no asynchronous copies to shared "
                                         "memory (pipelines)"},
    {" cuda_gl_interop.h cuda_egl_interop.h cuda_vdpau_interop.h cuda_d3d* ",
     "the CPU backend has no graphics"},
    {" texture_* surface_* cuda_texture_types.h cuda_surface_types.h channel_descriptor.h ",
     "the CPU backend has no textures and surfaces"},
    {" cupti* ", "the CPU backend has no interface for NVIDIA's profilers"},
    {" helper_* ", "a header of NVIDIA's samples, not of CUDA: -I FOLDER names its folder"},
};

static const struct entry words[] = {
    {" texture tex1D* tex2D* tex3D* texCubemap* cudaTexture* cudaCreateTexture* "
     "cudaDestroyTexture* cudaBindTexture* cudaUnbindTexture cudaGetTexture* cudaReadMode* "
     "cudaFilterMode* cudaAddressMode* cudaChannelFormat* cudaCreateChannelDesc cudaResource* "
     "cudaArray* cudaMallocArray cudaMalloc3DArray cudaFreeArray cudaMemcpyToArray* "
     "cudaMemcpyFromArray* cudaMemcpy2DToArray* cudaMemcpy2DFromArray* cudaMallocMipmappedArray ",
     "the CPU backend has no textures"},
    {" surface surf1D* surf2D* surf3D* surfCubemap* cudaSurface* cudaCreateSurface* "
     "cudaDestroySurface* cudaBindSurface* ",
     "the CPU backend has no surfaces"},
    {" nvcuda ", "the CPU backend has no tensor cores (wmma)"},
    {" cooperative_groups ", "the CPU backend has no cooperative groups"},
    {" cudaGraphics* cudaGL* ", "the CPU backend has no graphics"},
    {" cudaGraph* cudaStreamBeginCapture* cudaStreamEndCapture cudaStreamIsCapturing "
     "cudaStreamCapture* ",
     "the CPU backend has no graphs"},
    {" cudaLaunchCooperativeKernelMultiDevice ",
     "the CPU backend has no cooperative launches over several devices"},
    {" __cluster_dims__ cudaLaunchKernelEx* cudaLaunchConfig_t cudaLaunchAttribute* "
     "cudaOccupancyMaxActiveClusters cudaOccupancyMaxPotentialClusterSize "
     "cudaFuncAttributeNonPortableClusterSizeAllowed ",
     "the CPU backend has no clusters, and of a launch's attributes one alone"},
    {" cudaIpc* cudaImportExternal* ", "the CPU backend shares no memory with other programs"},
    {" __shfl __shfl_up __shfl_down __shfl_xor __any __all __ballot ",
     "it is gone since Volta: want its form with _sync, which takes a mask"},
    {" no_sanitize no_sanitize_thread __no_sanitize__ __no_sanitize_thread__ no_sanitize_coverage "
     "__no_sanitize_coverage__ ",
     "it would hide a kernel's accesses from the CPU backend"},
    {" __pipeline_* ", "the CPU backend has no asynchronous copies to shared memory"},
    {" cuda* ", "the CPU backend does not have it"},
    {" cu* ", "the CPU backend has no driver API, only the types of cuda.h"},
};

static bool fits(const char *names, const char *name, size_t length)
{
    for (const char *s = names; (s = strchr(s, ' ')) != NULL && s[1]; s++) {
        size_t wanted = strcspn(s + 1, " ");
        bool begins = s[wanted] == '*';
        wanted -= begins;
        if ((begins ? length >= wanted : length == wanted) && strncmp(s + 1, name, wanted) == 0)
            return true;
    }
    return false;
}

static const char *find(const struct entry *entries, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (fits(entries[i].names, name, length))
            return entries[i].feature;
    return NULL;
}

/* A path as one would name it to include it. */
static const char *include_name(const char *path)
{
    static const char folder[] = "/include/";

    for (const char *at; (at = strstr(path, folder)) != NULL;)
        path = at + sizeof folder - 1;
    return path;
}

const char *refused_header(const char *path)
{
    size_t count = sizeof headers / sizeof *headers;
    const char *name = include_name(path), *base = strrchr(name, '/');
    const char *feature = find(headers, count, name, strlen(name));

    return feature || !base ? feature : find(headers, count, base + 1, strlen(base + 1));
}

/* ---- words ---- */

/* cudaX and cuX with a capital letter: CUDA's own, unless the source declares it. */
static bool has_cuda_name(const struct token *t)
{
    const char *s = t->text;
    size_t prefix = t->length > 4 && strncmp(s, "cuda", 4) == 0 ? 4 : 2;

    return t->kind == WORD && t->length > prefix && strncmp(s, "cu", 2) == 0 &&
           isupper((unsigned char)s[prefix]);
}

/* The tokens of a program, and of what its precompiled headers hold. */
struct texts {
    const struct token *t, *names;
    int count, name_count;
};

/* Does a system header, the backend's own among them, hold the word? */
static bool is_known(const struct texts *texts, const struct token *word)
{
    for (int i = 1; i < texts->count; i++)
        if (texts->t[i].system && same_text(&texts->t[i], word))
            return true;
    for (int i = 1; i < texts->name_count; i++)
        if (texts->names[i].system && same_text(&texts->names[i], word))
            return true;
    return false;
}

/* Words in front of a name that is used, not declared. */
static const char before_uses[] =
    " return else do case goto throw new delete sizeof operator const static extern volatile "
    "inline register constexpr typename co_return co_await co_yield ";

/* Does the source declare what is called as the word at i? */
static bool is_declared(const struct token *t, int count, int word)
{
    for (int i = 1; i < count; i++) {
        if (t[i].system || !same_text(&t[i], &t[word]))
            continue;
        int before = previous(t, i);
        if (t[before].kind == WORD && !is_word(t, before, before_uses))
            return true;
        if (is(t, before, "*&>") && is(t, next(t, i), "(=;,)["))
            return true;
    }
    return false;
}

static bool is_member(const struct token *t, int i)
{
    int before = previous(t, i);
    return is(t, before, ".:") || (is(t, before, ">") && is(t, before - 1, "-"));
}

static const char *refused_word(const struct texts *texts, int i)
{
    const struct token *t = texts->t;
    bool driver = t[i].length > 2 && isupper((unsigned char)t[i].text[2]);
    bool cuda = has_cuda_name(&t[i]);
    const char *feature = find(words, sizeof words / sizeof *words, t[i].text, t[i].length);

    bool attribute = feature && memmem(t[i].text, t[i].length, "no_sanitize", 11); /* [[gnu::…]] */
    if (!feature || (is_member(t, i) && !attribute))
        return NULL;
    if (cuda ? is_known(texts, &t[i]) : strncmp(t[i].text, "cu", 2) == 0)
        return NULL;
    if (cuda && driver && !is(t, next(t, i), "("))
        return NULL;
    if (is_word(t, i, " texture surface ") && !is(t, next(t, i), "<"))
        return NULL;
    bool own = !is_word(t, i, " __cluster_dims__ ") && is_declared(t, texts->count, i);
    return own ? NULL : feature;
}

/* Inline assembly is PTX, or the CPU's own, whose accesses nobody would see. A declaration may name
 * what the linker calls it so. */
static bool is_assembly(const struct token *t, int i)
{
    return is_word(t, i, " asm __asm __asm__ ") && !is(t, previous(t, i), ")]") &&
           !(t[previous(t, i)].kind == WORD && is(t, next(t, i), "("));
}

/* ---- all of it ---- */

static char *message(const char *name, size_t length, const char *feature)
{
    size_t room = length + strlen(feature) + sizeof LOOK + 8;
    char *text = resize(NULL, room);

    snprintf(text, room, "%.*s: %s" LOOK, (int)length, name, feature);
    return text;
}

static bool same_file(const struct token *a, const struct token *b)
{
    return a->file_length == b->file_length &&
           strncmp(a->file, b->file, (size_t)a->file_length) == 0;
}

/* A refused header that was found begins at i: where it was asked for, and its path. What a system
 * header's macro expands to is no such header, in whatever file of the program. */
static char *entered(const struct token *t, int i, int *at)
{
    char path[4096];
    size_t length = (size_t)t[i].file_length;

    if (!t[i].system || same_file(&t[i], &t[i - 1]) || length >= sizeof path)
        return NULL;
    memcpy(path, t[i].file, length);
    path[length] = '\0';
    const char *feature = refused_header(path), *name = include_name(path);
    if (!feature)
        return NULL;
    for (*at = i; *at > 1 && t[*at].system;)
        --*at;
    bool asked_for = *at > 1 && !same_file(&t[i], &t[*at]);
    return asked_for ? message(name, strlen(name), feature) : NULL;
}

char *refused(const struct token *t, int count, const struct token *names, int name_count, int *at)
{
    const struct texts texts = {t, names, count, name_count};
    char *found = NULL;

    for (int i = 1; i < count - 1 && !found; i++) {
        const char *feature;
        *at = i;
        if (t[i].system)
            found = entered(t, i, at);
        else if (t[i].kind == WORD && is_assembly(t, i))
            found = message("asm", 3, "the CPU backend has no inline PTX, and no other assembly");
        else if (t[i].kind == WORD && (feature = refused_word(&texts, i)) != NULL)
            found = message(t[i].text, t[i].length, feature);
    }
    return found;
}
