/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// Ring collectives: RingGeometry and RingWalk once more, to the byte. A block for each channel.

static const u32 MAX_CHUNK_STEPS = 4;
static const u64 MIN_SLICE_BYTES = 16 << 10;

struct Work {
    u32 function;
    int rank;
    int nRanks;
    int root;
    const u8* sendBuffer;
    u8* recvBuffer;
    u64 stride;
    u64 offset;
    u64 bytes;
    /// Bytes and offset of each rank's part, if they differ; in the host's memory.
    const u64* parts;
    /// By what handle the rank before knows the memory around the receive buffer, and where that lies there.
    u64 handle;
    u64 ptr;
    u64 offeredBytes;
    /// Of what the next rank has registered.
    u64 version;
    /// What averages divide by, which is all ranks, if these are some of them.
    u32 divisor;
    /// The first channel's connection from the rank before; that to the next one lies behind it.
    u64 first;

    __device__ inline u64 partBytes(int of) const {
        return parts == 0 ? stride : parts[2 * of];
    }

    __device__ inline u64 partOffset(int of) const {
        return parts == 0 ? of * stride : parts[2 * of + 1];
    }
};

struct Geometry {
    u64 chunkBytes;
    u64 loops;
    u32 chunkSteps;

    __device__ inline void compute(const Work& work, u64 stepBytes, u32 maxSteps) {
        u64 chunksPerLoop = work.function == ALL_REDUCE ? work.nRanks : 1;
        u64 chunk = alignUp(ceilDiv(work.bytes, chunksPerLoop));
        chunkSteps = 1;
        while (chunkSteps < maxSteps && chunk > chunkSteps * least(stepBytes, MIN_SLICE_BYTES)) {
            chunkSteps *= 2;
        }
        chunkBytes = least(chunk, chunkSteps * (stepBytes & ~(u64) 15));
        loops = ceilDiv(work.bytes, chunkBytes * chunksPerLoop);
    }
};

struct Slice {
    int move;
    u64 from;
    u64 to;
    u64 length;
};

__device__ inline int ringPlace(int position, int nRanks) {
    int place = position % nRanks;
    return place < 0 ? place + nRanks : place;
}

struct Walk {
    const Work* work;
    Geometry geometry;

    __device__ inline int stages() const {
        return work->function == ALL_REDUCE ? 2 * work->nRanks - 1
                : isPipeline() ? 1 : work->nRanks;
    }

    /// From the root along the ring, or along it to the root.
    __device__ inline bool isPipeline() const {
        return work->function == BROADCAST || work->function == REDUCE;
    }

    __device__ inline u64 sliceBytes(u64 chunkBytes) const {
        return alignUp(ceilDiv(chunkBytes, geometry.chunkSteps));
    }

    __device__ inline Slice slice(u64 loop, int stage, u32 index) const {
        return work->function == ALL_REDUCE ? allReduce(loop, stage, index) : other(loop, stage, index);
    }

    __device__ inline Slice allReduce(u64 loop, int stage, u32 index) const {
        int n = work->nRanks;
        u64 loopOffset = loop * geometry.chunkBytes * n;
        u64 remaining = work->bytes - loopOffset;
        u64 chunkBytes = least(geometry.chunkBytes, alignUp(ceilDiv(remaining, n)));
        int chunk = ringPlace(stage < n ? work->rank - 1 - stage : work->rank - (stage - n + 1), n);
        u64 size = clip((i64) (remaining - chunk * chunkBytes), chunkBytes);
        u64 step = sliceBytes(chunkBytes);
        Slice slice;
        slice.length = clip((i64) (size - index * step), step);
        slice.from = slice.length == 0 ? 0 : work->offset + loopOffset + chunk * chunkBytes + index * step;
        slice.to = slice.from;
        slice.move = stage == 0 ? SEND | OWN
                : stage < n - 1 ? RECV | OWN | SEND
                : stage == n - 1 ? RECV | OWN | OUT | SEND | PLACE
                : stage < stages() - 1 ? RECV | OUT | SEND | PLACE : RECV | OUT;
        return slice;
    }

    __device__ inline Slice other(u64 loop, int stage, u32 index) const {
        u64 loopOffset = loop * geometry.chunkBytes;
        u64 most = least(work->bytes - loopOffset, geometry.chunkBytes);
        int of = ringPlace(work->function == ALL_GATHER ? work->rank - stage : work->rank - 1 - stage, work->nRanks);
        u64 size = isPipeline() ? most : clip((i64) (work->partBytes(of) - work->offset - loopOffset), most);
        u64 step = sliceBytes(most);
        Slice slice;
        slice.length = clip((i64) (size - index * step), step);
        slice.from = work->offset + loopOffset + index * step;
        slice.to = slice.from;
        if (work->function == ALL_GATHER) {
            slice.to += work->partOffset(of);
            slice.move = stage == 0 ? PLACE | copySend(work->partOffset(work->rank))
                    : stage < stages() - 1 ? RECV | OUT | SEND | PLACE : RECV | OUT;
        } else if (work->function == REDUCE_SCATTER) {
            slice.from += work->partOffset(of);
            slice.move = stage == 0 ? SEND | OWN : stage < stages() - 1 ? RECV | OWN | SEND : RECV | OWN | OUT;
        } else if (work->function == REDUCE) {
            slice.move = work->rank == work->root ? RECV | OWN | OUT
                    : ringPlace(work->rank - 1, work->nRanks) == work->root ? SEND | OWN : RECV | OWN | SEND;
        } else {
            slice.move = work->rank == work->root ? copySend(0)
                    : ringPlace(work->rank + 1, work->nRanks) == work->root ? RECV | OUT : RECV | OUT | SEND;
        }
        if (slice.length == 0) {
            slice.from = 0;
            slice.to = 0;
        }
        return slice;
    }

    /// What lies where it belongs is not copied.
    __device__ inline int copySend(u64 own) const {
        return work->sendBuffer == work->recvBuffer + own ? SEND | OWN : SEND | OWN | OUT;
    }
};

__device__ inline bool walkRing(Block& block, const Walk& walk) {
    const Work* work = walk.work;
    int stages = walk.stages();
    for (u64 loop = 0; loop < walk.geometry.loops; loop++) {
        for (int stage = 0; stage < stages; stage++) {
            for (u32 index = 0; index < walk.geometry.chunkSteps; index++) {
                Slice slice = walk.slice(loop, stage, index);
                if (!block.run(slice.move, work->sendBuffer + slice.from, work->recvBuffer + slice.to, slice.length,
                        slice.to)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/// A channel's part.
__device__ inline void runRing(const Launch& launch, Shared* shared, const Work& work, u64 how, u64 scalars) {
    if (work.nRanks == 1) {
        u64 begin = work.partOffset(0);
        copyOwn(work.sendBuffer + work.offset + (work.function == REDUCE_SCATTER ? begin : 0),
                work.recvBuffer + work.offset + (work.function == ALL_GATHER ? begin : 0), 0, work.bytes, scalars);
        return;
    }
    if (isBroken(launch)) {
        return;
    }
    Block block;
    block.open(launch, shared, (u32) (how >> 8 & 0xff));
    block.nRanks = work.divisor;
    block.scalars = scalars;
    Connection* connection = launch.connections + work.first + 2 * blockIdx.x;
    block.recv.open(connection, block.protocol);
    block.send.open(connection + 1, block.protocol);
    Walk walk;
    walk.work = &work;
    walk.geometry.compute(work, block.dataBytes(), block.protocol == SIMPLE ? MAX_CHUNK_STEPS : 1);
    int move = walk.isPipeline() ? walk.slice(0, 0, 0).move : RECV | SEND;
    block.start(walk.geometry.chunkSteps, move, (u32) (how >> 32));
    block.offer(move & RECV ? work.handle : 0, work.ptr, work.offeredBytes);
    block.take(work.version);
    __syncthreads();
    if (walkRing(block, walk)) {
        block.finish();
    }
}

/// One launch of a ring collective; its parameters are those of CollectiveArguments.
extern "C" __global__ void __launch_bounds__(512) proxyrtRing(Connection* connections, Status* status,
        const u64* abortWord, u64 number, u64 limitNs, u64 how, u64 ranks, u64 root, const u8* sendBuffer,
        u8* recvBuffer, u64 bytes, u64 partBytes, const u64* parts, u64 scalar, const u8* scalarMemory, u64 handle,
        u64 ptr, u64 offeredBytes, u64 version, u64 first) {
    __shared__ Shared shared;
    Launch launch = {connections, status, abortWord, number, limitNs};
    Work work = {(u32) (how & 0xff), (int) (ranks & 0xffffffff), (int) (ranks >> 32), (int) (root & 0xffffffff), sendBuffer,
            recvBuffer, bytes, least(bytes, blockIdx.x * partBytes), 0, parts, handle, ptr,
            offeredBytes, version, (u32) (root >> 32), first};
    work.bytes = least(partBytes, bytes - work.offset);
    if (work.bytes > 0) {
        runRing(launch, &shared, work, how, Own::load(scalar, scalarMemory));
    }
    retire(launch);
}
