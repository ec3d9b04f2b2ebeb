/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// Words that kernels, proxies and peers share, and the lines of LL. NVRTC, hipRTC and a host's C++ compiler take this
// source: it includes nothing, and whatever is NVIDIA's own has a portable form beside it.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

static const u64 STEPS = 8;
static const u32 LL128_WARP = 32;

/// What tells an operation's steps from another's, as OpWord, LlLines and Ll128Lines say; 0 says nothing.
__device__ inline u32 stampAt(u32 stamp, u64 step) {
    u32 mixed = stamp + (u32) step * 0x9e3779b9u;
    return stamp == 0 ? 0 : mixed == 0 ? 1 : mixed;
}

/// For the second flag of a step's first line of LL.
__device__ inline u32 markOf(u32 stamp) {
    return stamp == 0 ? 0 : (stamp & ~8u) | 16;
}

/// Whether that line is there, and is of another operation.
__device__ inline bool isForeignLine(u32 first, u32 second, u32 flag, u32 mark) {
    return first == flag && second != (flag ^ mark) && second != 0 && ((second ^ flag) & 8) == 0;
}

__device__ inline u64 flag128(u64 step, u32 stamp) {
    return (step + 1) ^ (u64) stamp << 40;
}

__device__ inline bool isForeign128(u64 seen, u64 flag) {
    return seen != flag && (seen ^ flag) << 24 == 0;
}

/// What a thread loads and stores at once.
struct alignas(16) Pack {
    u64 low;
    u64 high;
};

#if defined(__CUDA_ARCH__)

__device__ inline u64 loadAcquire(const u64* word) {
    u64 value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

__device__ inline u64 loadRelaxed(const u64* word) {
    u64 value;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
}

__device__ inline void storeRelaxed(u64* word, u64 value) {
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
}

/// Two words at once; each of them is whole.
__device__ inline Pack loadLine(const u64* line) {
    Pack pack;
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(pack.low), "=l"(pack.high) : "l"(line) : "memory");
    return pack;
}

__device__ inline void storeLine(u64* line, Pack pack) {
    asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};"
                 : : "l"(line), "l"(pack.low), "l"(pack.high) : "memory");
}

/// Whether a warp stores, and loads, a line of 128 bytes as one, if the memory lets it.
static const bool HAS_WARPS = __CUDA_ARCH__ >= 700;

__device__ inline bool anyOfWarp(bool is) {
    return __any_sync(0xffffffffu, is);
}

__device__ inline u64 clockNs() {
    u64 ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

#else

__device__ inline u64 loadAcquire(const u64* word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

__device__ inline u64 loadRelaxed(const u64* word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

__device__ inline void storeRelaxed(u64* word, u64 value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

__device__ inline Pack loadLine(const u64* line) {
    Pack pack = {loadRelaxed(line), loadRelaxed(line + 1)};
    return pack;
}

__device__ inline void storeLine(u64* line, Pack pack) {
    storeRelaxed(line, pack.low);
    storeRelaxed(line + 1, pack.high);
}

static const bool HAS_WARPS = false;

__device__ inline bool anyOfWarp(bool is) {
    return is;
}

/// The device's clock goes about once a nanosecond: near enough for a limit.
__device__ inline u64 clockNs() {
    return (u64) clock64();
}

#endif

/// All that this thread did or saw, and what others of its block did before the last barrier, comes before the store.
__device__ inline void storeRelease(u64* word, u64 value) {
    __threadfence_system();
    storeRelaxed(word, value);
}

__device__ inline void pauseSpin() {
#if defined(__AMDGCN__)
    __builtin_amdgcn_s_sleep(1);
#else
    __nanosleep(20);
#endif
}

__device__ inline u64 least(u64 a, u64 b) {
    return a < b ? a : b;
}

/// What there is of something wanted, if that is anything.
__device__ inline u64 clip(i64 available, u64 wanted) {
    return available < 0 ? 0 : least((u64) available, wanted);
}

__device__ inline u64 ceilDiv(u64 a, u64 b) {
    return (a + b - 1) / b;
}

__device__ inline u64 alignUp(u64 bytes) {
    return (bytes + 15) & ~(u64) 15;
}

/// The first bytes of what may lie anywhere, as a word filled up with zeros.
__device__ inline u64 loadBytes(const u8* from, u64 bytes) {
    if (bytes >= 8 && ((u64) from & 7) == 0) {
        return *(const u64*) from;
    }
    if (bytes >= 8 && ((u64) from & 3) == 0) {
        return ((const u32*) from)[0] | (u64) ((const u32*) from)[1] << 32;
    }
    u64 word = 0;
    for (u64 i = 0; i < 8 && i < bytes; i++) {
        word |= (u64) from[i] << 8 * i;
    }
    return word;
}

__device__ inline void storeBytes(u8* to, u64 bytes, u64 word) {
    if (bytes >= 8 && ((u64) to & 7) == 0) {
        *(u64*) to = word;
        return;
    }
    if (bytes >= 8 && ((u64) to & 3) == 0) {
        ((u32*) to)[0] = (u32) word;
        ((u32*) to)[1] = (u32) (word >> 32);
        return;
    }
    for (u64 i = 0; i < 8 && i < bytes; i++) {
        to[i] = (u8) (word >> 8 * i);
    }
}
