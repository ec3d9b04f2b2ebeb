/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// Element-wise reductions: to the last bit what the host's kernels compute, but for which of two NaNs it is. Each program
// is compiled for one of them: KernelSource says for which, as Step, and as Last for the last of nRanks - 1.

__device__ inline float floatOf(u32 bits) {
    union { u32 bits; float value; } both;
    both.bits = bits;
    return both.value;
}

__device__ inline u32 bitsOf(float value) {
    union { float value; u32 bits; } both;
    both.value = value;
    return both.bits;
}

__device__ inline double doubleOf(u64 bits) {
    union { u64 bits; double value; } both;
    both.bits = bits;
    return both.value;
}

__device__ inline u64 bitsOf(double value) {
    union { double value; u64 bits; } both;
    both.value = value;
    return both.bits;
}

#if defined(__CUDA_ARCH__)

__device__ inline float halfToFloat(u16 half) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}

__device__ inline u16 floatToHalf(float value) {
    u16 half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}

#else

/// The bits of a half moved to a float's place are its value times 2^-112, but for infinities and NaNs.
__device__ inline float halfToFloat(u16 half) {
    u32 magnitude = half & 0x7fffu;
    u32 bits = magnitude >= 0x7c00u ? 0x7f800000u | (magnitude & 0x3ffu) << 13
                                    : bitsOf(floatOf(magnitude << 13) * floatOf(0x77800000u));
    return floatOf(bits | (half & 0x8000u) << 16);
}

/// To nearest, ties to even: a float whose last bit is a half's last bit does the rounding.
__device__ inline u16 floatToHalf(float value) {
    u32 bits = bitsOf(value);
    u32 sign = bits >> 16 & 0x8000u;
    u32 magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) {
        return (u16) (sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    }
    if (magnitude >= 0x47800000u) {
        return (u16) (sign | 0x7c00u);
    }
    if (magnitude < 0x38800000u) {
        return (u16) (sign | (bitsOf(floatOf(magnitude) + 0.5f) - 0x3f000000u));
    }
    u32 rounded = magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u);
    return (u16) (sign | rounded >> 13);
}

#endif

struct Int8 {
    typedef u8 Bits;
    typedef int Value;
    static __device__ inline Value decode(Bits bits) { return (signed char) bits; }
    static __device__ inline Bits encode(Value value) { return (Bits) value; }
};

struct Uint8 {
    typedef u8 Bits;
    typedef u32 Value;
    static __device__ inline Value decode(Bits bits) { return bits; }
    static __device__ inline Bits encode(Value value) { return (Bits) value; }
};

struct Int32 {
    typedef u32 Bits;
    typedef int Value;
    static __device__ inline Value decode(Bits bits) { return (Value) bits; }
    static __device__ inline Bits encode(Value value) { return (Bits) value; }
};

struct Uint32 {
    typedef u32 Bits;
    typedef u32 Value;
    static __device__ inline Value decode(Bits bits) { return bits; }
    static __device__ inline Bits encode(Value value) { return value; }
};

struct Int64 {
    typedef u64 Bits;
    typedef i64 Value;
    static __device__ inline Value decode(Bits bits) { return (Value) bits; }
    static __device__ inline Bits encode(Value value) { return (Bits) value; }
};

struct Uint64 {
    typedef u64 Bits;
    typedef u64 Value;
    static __device__ inline Value decode(Bits bits) { return bits; }
    static __device__ inline Bits encode(Value value) { return value; }
};

struct Half {
    typedef u16 Bits;
    typedef float Value;
    static __device__ inline Value decode(Bits bits) { return halfToFloat(bits); }
    static __device__ inline Bits encode(Value value) { return floatToHalf(value); }
};

struct Float {
    typedef u32 Bits;
    typedef float Value;
    static __device__ inline Value decode(Bits bits) { return floatOf(bits); }
    static __device__ inline Bits encode(Value value) { return bitsOf(value); }
};

struct Double {
    typedef u64 Bits;
    typedef double Value;
    static __device__ inline Value decode(Bits bits) { return doubleOf(bits); }
    static __device__ inline Bits encode(Value value) { return bitsOf(value); }
};

struct Bfloat {
    typedef u16 Bits;
    typedef float Value;
    static __device__ inline Value decode(Bits bits) { return floatOf((u32) bits << 16); }

    static __device__ inline Bits encode(Value value) {
        u32 bits = bitsOf(value);
        bool isNan = (bits & 0x7fffffffu) > 0x7f800000u;
        return (Bits) ((isNan ? bits | 0x400000u : bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
    }
};

/// Eight bits, of which the largest number is the last but NaN, or but infinity and three NaNs. The bits of a magnitude
/// moved to a float's place are its value times a power of two.
template <u32 MANTISSA, u32 BIAS, u32 MOST, u32 NOT_A_NUMBER>
struct Float8 {
    typedef u8 Bits;
    typedef float Value;
    static const u32 SHIFT = 23 - MANTISSA;

    static __device__ inline Value decode(Bits bits) {
        u32 magnitude = bits & 0x7fu;
        u32 value = magnitude <= MOST ? bitsOf(floatOf(magnitude << SHIFT) * floatOf((254 - BIAS) << 23))
                : MOST + 1 == NOT_A_NUMBER ? 0x7fc00000u : 0x7f800000u | (magnitude - MOST - 1) << SHIFT;
        return floatOf(value | (bits & 0x80u) << 24);
    }

    /// To nearest, ties to even, and never beyond the largest: below the least normal number, a float whose last bit is
    /// this one's does the rounding.
    static __device__ inline Bits encode(Value value) {
        u32 bits = bitsOf(value);
        u32 magnitude = bits & 0x7fffffffu;
        if (magnitude > 0x7f800000u) {
            return (Bits) NOT_A_NUMBER;
        }
        u32 small = (151 - BIAS - MANTISSA) << 23;
        u32 rounded = magnitude < (128 - BIAS) << 23 ? bitsOf(floatOf(magnitude) + floatOf(small)) - small
                : (magnitude - ((127 - BIAS) << 23) + (1u << (SHIFT - 1)) - 1 + (magnitude >> SHIFT & 1u)) >> SHIFT;
        return (Bits) ((bits >> 24 & 0x80u) | (rounded < MOST ? rounded : MOST));
    }
};

template <typename T>
__device__ inline T larger(T a, T b) {
    return a >= b ? a : b;
}

template <typename T>
__device__ inline T smaller(T a, T b) {
    return a <= b ? a : b;
}

/// NaN wins, and of two zeros the positive one.
template <typename T>
__device__ inline T largerFloat(T a, T b) {
    if (a != a) {
        return a;
    }
    return a == b && a == 0 ? a + b : a >= b ? a : b;
}

/// NaN wins, and of two zeros the negative one.
template <typename T>
__device__ inline T smallerFloat(T a, T b) {
    if (a != a) {
        return a;
    }
    return a == b && a == 0 ? -(-a - b) : a <= b ? a : b;
}

__device__ inline float larger(float a, float b) { return largerFloat(a, b); }
__device__ inline double larger(double a, double b) { return largerFloat(a, b); }
__device__ inline float smaller(float a, float b) { return smallerFloat(a, b); }
__device__ inline double smaller(double a, double b) { return smallerFloat(a, b); }

template <typename C>
struct Sum {
    typedef C Codec;
    static __device__ inline typename C::Bits apply(typename C::Bits a, typename C::Bits b, u32) {
        return C::encode(C::decode(a) + C::decode(b));
    }
};

/// A product that is rounded before anything is added to it: no compiler is to make one step of both.
#if defined(__CUDA_ARCH__)
__device__ inline float times(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double times(double a, double b) { return __dmul_rn(a, b); }
#else
#pragma clang fp contract(off)
#endif

template <typename T>
__device__ inline T times(T a, T b) {
    return a * b;
}

template <typename C>
struct Product {
    typedef C Codec;
    static __device__ inline typename C::Bits apply(typename C::Bits a, typename C::Bits b, u32) {
        return C::encode(times(C::decode(a), C::decode(b)));
    }
};

template <typename C>
struct Max {
    typedef C Codec;
    static __device__ inline typename C::Bits apply(typename C::Bits a, typename C::Bits b, u32) {
        return C::encode(larger(C::decode(a), C::decode(b)));
    }
};

template <typename C>
struct Min {
    typedef C Codec;
    static __device__ inline typename C::Bits apply(typename C::Bits a, typename C::Bits b, u32) {
        return C::encode(smaller(C::decode(a), C::decode(b)));
    }
};

/// Nothing is reduced.
struct Keep {
    typedef Uint8 Codec;
    static __device__ inline u8 apply(u8 a, u8, u32) {
        return a;
    }
};

/// Nothing is reduced with what is this rank's own.
struct OwnAlone {
    typedef Uint8 Codec;
    template <typename Bits>
    static __device__ inline Bits apply(Bits, Bits b, u32) {
        return b;
    }
};

/// The last sum of floats, and its division, before it is rounded.
template <typename C>
struct Average {
    typedef C Codec;
    static __device__ inline typename C::Bits apply(typename C::Bits a, typename C::Bits b, u32 nRanks) {
        return C::encode((C::decode(a) + C::decode(b)) / (typename C::Value) nRanks);
    }
};

/// The last sum of integers, which wraps, and its division, which truncates.
template <typename C>
struct Quotient {
    typedef C Codec;
    static __device__ inline typename C::Bits apply(typename C::Bits a, typename C::Bits b, u32 nRanks) {
        return C::encode(C::decode((typename C::Bits) (a + b)) / (typename C::Value) nRanks);
    }
};

template <typename F>
__device__ inline u64 reduceWord(u64 a, u64 b, u32 nRanks) {
    typedef typename F::Codec::Bits Bits;
    u64 word = 0;
#pragma unroll
    for (u32 shift = 0; shift < 64; shift += 8 * sizeof(Bits)) {
        word |= (u64) F::apply((Bits) (a >> shift), (Bits) (b >> shift), nRanks) << shift;
    }
    return word;
}

#if __CUDA_ARCH__ >= 800

// Two at once. What is rounded to 24 digits and then to 11 or 8 is what rounding it once makes of a sum, and of a product
// of halves; not so of the smallest products of bfloats.

#define WORD_OF_HALVES(F, instruction) \
    template <> \
    __device__ inline u64 reduceWord<F>(u64 a, u64 b, u32) { \
        u32 low; \
        u32 high; \
        asm(instruction " %0, %1, %2;" : "=r"(low) : "r"((u32) a), "r"((u32) b)); \
        asm(instruction " %0, %1, %2;" : "=r"(high) : "r"((u32) (a >> 32)), "r"((u32) (b >> 32))); \
        return low | (u64) high << 32; \
    }

WORD_OF_HALVES(Sum<Half>, "add.rn.f16x2")
WORD_OF_HALVES(Product<Half>, "mul.rn.f16x2")
WORD_OF_HALVES(Max<Half>, "max.NaN.f16x2")
WORD_OF_HALVES(Min<Half>, "min.NaN.f16x2")

/// a * 1 + b.
__device__ inline u32 addBfloats(u32 a, u32 b) {
    u32 sum;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(0x3f803f80u), "r"(b));
    return sum;
}

template <>
__device__ inline u64 reduceWord<Sum<Bfloat>>(u64 a, u64 b, u32) {
    return addBfloats((u32) a, (u32) b) | (u64) addBfloats((u32) (a >> 32), (u32) (b >> 32)) << 32;
}

#endif

/// A rank's own input is what lies there.
struct AsItIs {
    static const bool SCALES = false;
    static __device__ inline u64 load(u64, const u8*) { return 0; }
    static __device__ inline u64 apply(u64 word, u64) { return word; }
};

/// A rank's own input is multiplied first, by a scalar that fills a word.
template <typename C>
struct Scaled {
    typedef typename C::Bits Bits;
    static const bool SCALES = true;

    /// Once, when the operation begins: from memory, if it is there.
    static __device__ inline u64 load(u64 scalar, const u8* memory) {
        u64 bits = memory == 0 ? scalar : loadBytes(memory, sizeof(Bits));
        u64 word = 0;
        for (u32 shift = 0; shift < 64; shift += 8 * sizeof(Bits)) {
            word |= (u64) (Bits) bits << shift;
        }
        return word;
    }

    static __device__ inline u64 apply(u64 word, u64 scalars) {
        return reduceWord<Product<C>>(word, scalars, 0);
    }
};
