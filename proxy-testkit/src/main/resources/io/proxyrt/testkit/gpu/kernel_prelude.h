/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * What NVRTC and hipRTC know by themselves, for a C++ compiler of the host: comes before every kernel source. A block
 * is one operating-system thread (see blocks.c), so __shared__ is what such a thread has of its own, and a warp has
 * one thread.
 */
#include "kernel_abi.h"

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)

extern "C" {
__attribute__((visibility("default"))) const kernel_calls *kernel_calls_of_driver asm("kernel_calls");
__attribute__((visibility("default"))) extern const char kernel_architecture[] = KERNEL_ARCHITECTURE;
static thread_local kernel_thread *this_kernel_thread;

__attribute__((visibility("default"))) kernel_thread **kernel_thread_slot() {
    return &this_kernel_thread;
}
}

struct dim3 {
    unsigned int x, y, z;
};

#define threadIdx (this_kernel_thread->thread)
#define blockIdx (this_kernel_thread->block)
#define blockDim (this_kernel_thread->block_size)
#define gridDim (this_kernel_thread->grid_size)
static const int warpSize = 1;

/* ---- vectors ---- */

#define KERNEL_VECTOR2(type, name, bytes) \
    struct alignas(bytes) name { type x, y; }; \
    static inline name make_##name(type x, type y) { return {x, y}; }
#define KERNEL_VECTOR4(type, name, bytes) \
    struct alignas(bytes) name { type x, y, z, w; }; \
    static inline name make_##name(type x, type y, type z, type w) { return {x, y, z, w}; }

KERNEL_VECTOR2(int, int2, 8)
KERNEL_VECTOR2(unsigned int, uint2, 8)
KERNEL_VECTOR2(float, float2, 8)
KERNEL_VECTOR2(double, double2, 16)
KERNEL_VECTOR2(long long, longlong2, 16)
KERNEL_VECTOR2(unsigned long, ulong2, 16)
KERNEL_VECTOR2(unsigned long long, ulonglong2, 16)
KERNEL_VECTOR4(unsigned char, uchar4, 4)
KERNEL_VECTOR4(int, int4, 16)
KERNEL_VECTOR4(unsigned int, uint4, 16)
KERNEL_VECTOR4(float, float4, 16)

/* ---- threads of a block, fences, clocks ---- */

static inline void __syncthreads() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    kernel_calls_of_driver->barrier();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline unsigned int kernel_block_threads() {
    return blockDim.x * blockDim.y * blockDim.z;
}

static inline int __syncthreads_count(int predicate) {
    static thread_local unsigned int count, readers;
    count += predicate != 0;
    __syncthreads();
    int seen = (int) count;
    if (++readers == kernel_block_threads()) {
        count = readers = 0;
    }
    __syncthreads();
    return seen;
}

static inline int __syncthreads_or(int predicate) {
    return __syncthreads_count(predicate) != 0;
}

static inline int __syncthreads_and(int predicate) {
    return __syncthreads_count(predicate) == (int) kernel_block_threads();
}

static inline void __syncwarp(unsigned int = ~0U) {
}

static inline void __threadfence_block() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void __threadfence_system() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Nanoseconds. A thread that asks gives way, for it is likely to wait for another. */
static inline long long clock64() {
    return (long long) kernel_calls_of_driver->clock_ns();
}

/* Of 10 ns, as on AMD's devices. */
static inline long long wall_clock64() {
    return clock64() / 10;
}

static inline void __nanosleep(unsigned int) {
    kernel_calls_of_driver->clock_ns();
}

/* ---- atomics ---- */

#define KERNEL_ATOMIC(name, builtin) \
    template <typename T> static inline T name(T *at, T value) { \
        return builtin(at, value, __ATOMIC_SEQ_CST); \
    }

KERNEL_ATOMIC(atomicAdd, __atomic_fetch_add)
KERNEL_ATOMIC(atomicSub, __atomic_fetch_sub)
KERNEL_ATOMIC(atomicAnd, __atomic_fetch_and)
KERNEL_ATOMIC(atomicOr, __atomic_fetch_or)
KERNEL_ATOMIC(atomicXor, __atomic_fetch_xor)
KERNEL_ATOMIC(atomicExch, __atomic_exchange_n)

template <typename T> static inline T atomicCAS(T *at, T expected, T value) {
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

template <typename T> static inline T atomicMax(T *at, T value) {
    T seen = __atomic_load_n(at, __ATOMIC_SEQ_CST);
    while (seen < value && !__atomic_compare_exchange_n(at, &seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return seen;
}

#define atomicAdd_system atomicAdd
#define atomicExch_system atomicExch
#define atomicCAS_system atomicCAS
#define atomicOr_system atomicOr
#define atomicMax_system atomicMax

/* ---- bits and numbers ---- */

template <typename To, typename From> static inline To kernel_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

static inline int __float_as_int(float value) { return kernel_bits<int>(value); }
static inline unsigned int __float_as_uint(float value) { return kernel_bits<unsigned int>(value); }
static inline float __int_as_float(int value) { return kernel_bits<float>(value); }
static inline float __uint_as_float(unsigned int value) { return kernel_bits<float>(value); }
static inline long long __double_as_longlong(double value) { return kernel_bits<long long>(value); }
static inline double __longlong_as_double(long long value) { return kernel_bits<double>(value); }
static inline int __clz(int value) { return value == 0 ? 32 : __builtin_clz((unsigned int) value); }
static inline int __clzll(long long value) { return value == 0 ? 64 : __builtin_clzll((unsigned long long) value); }
static inline int __popc(unsigned int value) { return __builtin_popcount(value); }
template <typename T> static inline T min(T a, T b) { return b < a ? b : a; }
template <typename T> static inline T max(T a, T b) { return a < b ? b : a; }
static inline float fminf(float a, float b) { return __builtin_fminf(a, b); }
static inline float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
static inline double fmin(double a, double b) { return __builtin_fmin(a, b); }
static inline double fmax(double a, double b) { return __builtin_fmax(a, b); }
static inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
