/* Launches: kernel<<<grid, block, shared, stream>>>(arguments) as the rewriter writes it,
 *
 *     simt::launch(site, POINTER, CALL, grid, block, shared, stream)(arguments)
 *
 * POINTER is a function object that returns the kernel as a pointer. It takes simt::one_function if
 * the name alone says which function that is, simt::exactly<types> if the name and these parameters
 * do, and simt::of_variable if the name is that of a pointer. CALL calls the kernel by its name.
 *
 * Arguments are passed as in CUDA: the host makes the kernel's parameters once, as for a call by
 * value, and destroys them when the launch returns. Each thread gets a copy of their bytes, and
 * runs no constructor or destructor. A reference is passed as an address.
 *
 * cudaLaunchKernel and cudaLaunchCooperativeKernel are templates here, which know the types of the
 * parameters. The rewriter removes a cast to void * in front of the kernel; the compiler refuses
 * any other void *. */
#pragma once

#include "simt_device.h"

#include <type_traits>
#include <utility>

/* Code between a launch and its kernel has no hooks: it is not the kernel's. */
#define SIMT_UNSEEN __attribute__((no_sanitize_thread, no_sanitize_coverage))

namespace simt {

struct one_function {};
struct of_variable {};
template <class... T> struct exactly {
};

/* KERNEL's type is deduced, so that an overloaded name has none, even if one takes no arguments. */
template <class... T> auto may_throw(void (*)(T...)) -> void (*)(T...);
template <class Kernel>
auto pointer_to(one_function, Kernel *kernel) -> decltype(may_throw(kernel));
template <class... T> auto pointer_to(exactly<T...>, void (*)(T...)) -> void (*)(T...);
template <class T>
auto pointer_to(of_variable, const T &) -> std::enable_if_t<std::is_pointer<T>::value, T>;

/* Checks the arguments of a kernel that are pointers. */
template <class T> void check(const simt_site &, const T &) {}
template <class T> void check(const simt_site &site, T *const &argument)
{
    simt_argument(&site, (const void *)argument);
}

template <class T> SIMT_UNSEEN void to_device(T &parameter)
{
    if constexpr (std::is_pointer<T>::value || std::is_class<T>::value)
        simt_hand_over((void *)__builtin_addressof(parameter), sizeof parameter);
}

/* Does a function of type void(T) get the T itself? By the C++ ABI it does for references and for
 * types that are trivial for calls. Of others it gets the address, and the caller destroys them. */
template <class T>
constexpr bool is_handed_over_as_such =
    std::is_reference<T>::value ||
    (std::is_trivially_destructible<T>::value &&
     (std::is_trivially_copy_constructible<T>::value || !std::is_copy_constructible<T>::value) &&
     (std::is_trivially_move_constructible<T>::value || !std::is_move_constructible<T>::value) &&
     (std::is_copy_constructible<T>::value || std::is_move_constructible<T>::value));

/* A thread's own copy of a parameter's bytes, never destroyed. */
template <class T> struct own_bytes {
    alignas(T) char bytes[sizeof(T)];
    SIMT_UNSEEN explicit own_bytes(const T &parameter)
    {
        __builtin_memcpy(bytes, (const void *)__builtin_addressof(parameter), sizeof bytes);
    }
    SIMT_UNSEEN operator void *() { return bytes; }
    SIMT_UNSEEN T &as_such() { return *(T *)(void *)bytes; }
};

/* How a thread gets a parameter, and the function that hands it over. */
template <class T> using handed_over = std::conditional_t<is_handed_over_as_such<T>, T, void *>;
template <class T>
SIMT_UNSEEN auto hand_over(std::remove_reference_t<T> &parameter)
    -> std::conditional_t<is_handed_over_as_such<T>, T &&, own_bytes<std::remove_reference_t<T>>>
{
    if constexpr (is_handed_over_as_such<T>)
        return static_cast<T &&>(parameter);
    else
        return own_bytes<T>(parameter);
}

struct configuration {
    simt_site site;
    cudaLaunchConfig_t config;
    cudaError_t *error; /* the launch's error goes there; NULL: the program does not ask */

    /* Every thread runs thread(). argument: the launch's, to be checked. kernel: the function, or
     * NULL. */
    template <class Thread, class... T>
    void run(const void *kernel, Thread thread, const T &...argument) const
    {
        struct local {
            SIMT_UNSEEN static void run(void *p) { (*static_cast<Thread *>(p))(); }
        };
        (check(site, argument), ...);
        cudaError_t result = simt_launch(&site, kernel, &config, local::run, &thread);
        error ? void(*error = result) : simt_discard(&site, result);
    }

    /* Launches this function, whose parameters have been made. */
    template <class... T>
    void run_function(void (*kernel)(T...), std::remove_reference_t<T> &...parameter) const
    {
        static_assert((sizeof(T) + ... + 0) <= 32764,
                      "the CPU backend takes kernels with at most 32764 bytes of parameters, as "
                      "nvcc does: for more want an array from cudaMalloc");
        ((std::is_reference<T>::value ? (void)0 : to_device(parameter)), ...);
        auto as_handed_over = (void (*)(handed_over<T>...))(void *)kernel;
        run((const void *)kernel, [&]() SIMT_UNSEEN { as_handed_over(hand_over<T>(parameter)...); },
            parameter...);
    }
};

/* A launch whose name says which function it is: the arguments become its parameters. With fewer
 * arguments each thread calls the kernel by its name, which adds the default arguments. */
template <class Kernel, class Call> struct launcher;

template <class... T, class Call> struct launcher<void (*)(T...), Call> {
    configuration how;
    void (*kernel)(T...);
    Call call;

    /* By a pointer to a function of the host's, nvcc's code calls that on the host. */
    void operator()(T... parameter) const
    {
        if (how.site.function && !how.error && !simt_is_kernel(how.site.function))
            kernel(static_cast<T>(parameter)...);
        else
            how.run_function<T...>(kernel, parameter...);
    }

    template <class... Args, class = std::enable_if_t<(sizeof...(Args) < sizeof...(T)) &&
                                                      std::is_invocable<Call, Args &...>::value>>
    void operator()(Args... argument) const
    {
        how.run((const void *)kernel,
                [&]() SIMT_UNSEEN { call(own_bytes<Args>(argument).as_such()...); }, argument...);
    }
};

/* A launch of an overloaded kernel, or of a template that deduces its types: only name and
 * arguments together say which function it is. Its parameters have the arguments' types if there is
 * such a function; otherwise each thread converts the arguments itself. */
template <class Pointer, class Call> struct deducing_launcher {
    configuration how;
    Pointer pointer;
    Call call;

    template <class... Args, class = std::invoke_result_t<Call, Args &...>>
    void operator()(Args... argument) const
    {
        if constexpr (std::is_invocable<const Pointer &, exactly<Args...>>::value)
            how.run_function<Args...>(pointer(exactly<Args...>()), argument...);
        else
            how.run(
                nullptr, [&]() SIMT_UNSEEN { call(own_bytes<Args>(argument).as_such()...); },
                argument...);
    }
};

template <class Pointer, class Call>
auto launch(simt_site site, Pointer pointer, Call call, dim3 grid, dim3 block, size_t shared = 0,
            cudaStream_t stream = 0)
{
    configuration how{site, {grid, block, shared, stream, nullptr, 0}, nullptr};

    if constexpr (std::is_invocable<Pointer &, of_variable>::value) {
        auto kernel = pointer(of_variable());
        how.site.function = (const void *)kernel;
        return launcher<decltype(kernel), Call>{how, kernel, call};
    } else if constexpr (std::is_invocable<Pointer &, one_function>::value) {
        auto kernel = pointer(one_function());
        return launcher<decltype(kernel), Call>{how, kernel, call};
    } else {
        return deducing_launcher<Pointer, Call>{how, pointer, call};
    }
}

/* A launch that returns its error. */
template <class... T, class... Args>
cudaError_t try_launch(simt_site site, void (*kernel)(T...), const cudaLaunchConfig_t &c,
                       Args &&...argument)
{
    using kernel_type = void (*)(T...);
    cudaError_t error = cudaSuccess;

    site.function = (const void *)kernel;
    launcher<kernel_type, kernel_type>{{site, c, &error}, kernel, kernel}(
        std::forward<Args>(argument)...);
    return error;
}

/* It gets the addresses of the arguments, which have the types of the parameters. */
template <class... T, size_t... I>
cudaError_t launch_by_address(bool cooperative, simt_site site, void (*kernel)(T...), dim3 grid,
                              dim3 block, void **arguments, size_t shared, cudaStream_t stream,
                              std::index_sequence<I...>)
{
    cudaLaunchAttribute attribute = {cudaLaunchAttributeCooperative, {}};
    attribute.val.cooperative = cooperative;
    return try_launch(site, kernel, {grid, block, shared, stream, &attribute, 1},
                      static_cast<T>(*static_cast<std::remove_reference_t<T> *>(arguments[I]))...);
}

} // namespace simt

/* A launch with attributes, and its place in the source. */
struct simt_config_at {
    const cudaLaunchConfig_t *config;
    const char *file;
    int line;
    simt_config_at(const cudaLaunchConfig_t *config, const char *file = __builtin_FILE(),
                   int line = __builtin_LINE())
        : config(config), file(file), line(line)
    {
    }
};

template <class... T, class... Args>
inline cudaError_t cudaLaunchKernelEx(simt_config_at at, void (*kernel)(T...), Args &&...argument)
{
    return simt::try_launch({"a launch", at.file, at.line}, kernel, *at.config,
                            std::forward<Args>(argument)...);
}
