/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// All-reduce in one shot, NCCL's AllReduce_AGxLL_R: each rank sends what it has to all others by lines of LL, and reduces
// what comes in the order of ranks, as all do. All connections are direct. A block for each part of the data.

static const int MOST_SHOTS = 8;

/// A block's connections with all ranks: those of a rank are the business of one thread, which tells the others here.
struct Shots {
    Side recv[MOST_SHOTS];
    Side send[MOST_SHOTS];
};

struct OneShot {
    Block block;
    Shots* shots;
    int rank;
    int nRanks;

    __device__ inline void open(Connection* connections, u32 stamp) {
        for (int peer = threadIdx.x; peer < nRanks; peer += blockDim.x) {
            if (peer != rank) {
                shots->recv[peer].open(connections + 2 * peer, LL);
                shots->send[peer].open(connections + 2 * peer + 1, LL);
                shots->recv[peer].begin(1, stamp);
                shots->send[peer].begin(1, stamp);
            }
        }
        __syncthreads();
    }

    __device__ inline u64 dataBytes() const {
        return shots->send[rank == 0 ? 1 : 0].stepBytes / LL_LINE * LL_DATA;
    }

    /// One step of all connections; false if another rank did not do its part in time.
    __device__ inline bool run(const u8* own, u8* out, u64 bytes) {
        if (!acquire()) {
            return false;
        }
        u64 lines = ceilDiv(bytes, LL_DATA);
        for (int i = 1; i < nRanks; i++) {
            send(shots->send[(rank + i) % nRanks], own, bytes, lines);
        }
        for (u64 i = threadIdx.x; i < lines && reduce(i, own, out, bytes); i += blockDim.x) {
        }
        return post();
    }

    __device__ inline bool acquire() {
        for (int peer = threadIdx.x; peer < nRanks; peer += blockDim.x) {
            Side& send = shots->send[peer];
            if (peer != rank && (i64) (send.seen + STEPS - send.step) < 1
                    && !awaitWord(*block.launch, send, send.head(), send.step + 1 - STEPS, CREDIT)) {
                block.giveUp();
            }
        }
        __syncthreads();
        return !block.isOver();
    }

    __device__ inline void send(const Side& to, const u8* own, u64 bytes, u64 lines) {
        u64* slot = (u64*) to.lineSlot(LL);
        u64 flag = (u64) (u32) (to.lineStep(LL) + 1) << 32;
        u64 mark = (u64) markOf(to.lineStamp()) << 32;
        for (u64 i = threadIdx.x; i < lines; i += blockDim.x) {
            u64 word = load(i, own, bytes);
            Pack line = {(u32) word | flag, word >> 32 | (i == 0 ? flag ^ mark : flag)};
            storeLine(slot + 2 * i, line);
        }
        cleanLl(to, slot, lines, flag);
    }

    __device__ inline u64 load(u64 line, const u8* own, u64 bytes) const {
        return Own::apply(loadBytes(own + line * LL_DATA, bytes - line * LL_DATA), block.scalars);
    }

    /// A line of all ranks; false if one does not come.
    __device__ inline bool reduce(u64 i, const u8* own, u8* out, u64 bytes) {
        u64 sum = 0;
        for (int peer = 0; peer < nRanks; peer++) {
            u64 word;
            if (peer == rank) {
                word = load(i, own, bytes);
            } else if (!receive(shots->recv[peer], i, word)) {
                return false;
            }
            sum = peer == 0 ? word
                    : peer < nRanks - 1 ? reduceWord<Step>(sum, word, nRanks) : reduceWord<Last>(sum, word, nRanks);
        }
        storeBytes(out + i * LL_DATA, bytes - i * LL_DATA, sum);
        return true;
    }

    __device__ inline bool receive(const Side& from, u64 i, u64& word) {
        return block.awaitLine(from, (const u64*) from.lineSlot(LL) + 2 * i, (u32) (from.lineStep(LL) + 1),
                i == 0 ? markOf(from.lineStamp()) : 0, word);
    }

    /// Slots change hands: all were read before the barrier.
    __device__ inline bool post() {
        __syncthreads();
        if (block.isOver()) {
            return false;
        }
        for (int peer = threadIdx.x; peer < nRanks; peer += blockDim.x) {
            if (peer != rank) {
                Side& recv = shots->recv[peer];
                storeRelaxed(recv.head(), recv.step + 1);
                recv.next(LL);
                shots->send[peer].next(LL);
            }
        }
        block.moves++;
        if (threadIdx.x == 0) {
            storeRelaxed(&statusOf(*block.launch)->moves, block.launch->number << 24 | block.moves);
        }
        return true;
    }

    __device__ inline void save() {
        for (int peer = threadIdx.x; peer < nRanks; peer += blockDim.x) {
            if (peer != rank) {
                shots->recv[peer].save();
                shots->send[peer].save();
            }
        }
    }
};

/// A block's part.
__device__ inline void runOneShot(OneShot& shot, Connection* connections, const u8* own, u8* out, u64 bytes, u32 stamp) {
    if (isBroken(*shot.block.launch)) {
        return;
    }
    shot.open(connections, stamp);
    u64 step = shot.dataBytes();
    for (u64 at = 0; at < bytes; at += step) {
        if (!shot.run(own + at, out + at, least(step, bytes - at))) {
            return;
        }
    }
    shot.save();
}

/// One launch of an all-reduce in one shot; its parameters are those of OneShotArguments.
extern "C" __global__ void __launch_bounds__(512) proxyrtOneShot(Connection* connections, Status* status,
        const u64* abortWord, u64 number, u64 limitNs, u64 stamp, u64 ranks, u64 first, const u8* sendBuffer,
        u8* recvBuffer, u64 bytes, u64 partBytes, u64 scalar, const u8* scalarMemory) {
    __shared__ Shared shared;
    __shared__ Shots shots;
    Launch launch = {connections, status, abortWord, number, limitNs};
    u64 offset = least(bytes, blockIdx.x * partBytes);
    OneShot shot;
    shot.block.open(launch, &shared, LL);
    shot.block.scalars = Own::load(scalar, scalarMemory);
    shot.shots = &shots;
    shot.rank = (int) (ranks & 0xffffffff);
    shot.nRanks = (int) (ranks >> 32);
    if (offset < bytes) {
        runOneShot(shot, connections + first + 2 * blockIdx.x * shot.nRanks, sendBuffer + offset, recvBuffer + offset,
                least(partBytes, bytes - offset), (u32) stamp);
    }
    retire(launch);
}
