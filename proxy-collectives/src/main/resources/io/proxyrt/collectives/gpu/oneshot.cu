/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// Small collectives in which all ranks send to all others by lines of LL, and which take one shot or two: NCCL's
// AllReduce_AGxLL_R, AllGather_LL, ReduceScatter_LL, AllReduce_RSxLL_AG. What comes is reduced in the order of ranks, as
// all do. All connections are direct. A block for each share of the parts.

static const int MOST_SHOTS = 8;

/// What a collective consists of, as OneShot numbers it.
enum Shot {
    /// A rank sends each other one that rank's part; else all of them the same.
    SCATTER = 1,
    /// What comes is reduced.
    REDUCE_ALL = 2,
    /// Each rank gets a part from each: what was sent to it, or what those have reduced, by a second shot.
    GATHER = 4
};

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
    u64 how;
    /// From part to part, and of a part; in two shots of all parts, the last of which may be shorter.
    u64 stride;
    u64 bytes;

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

    __device__ inline bool isTwice() const {
        return (how & REDUCE_ALL) && (how & GATHER);
    }

    __device__ inline u64 steps() const {
        return isTwice() ? 2 : 1;
    }

    /// How much of a part lies from there on, at most.
    __device__ inline u64 length(int part, u64 at, u64 most) const {
        u64 size = isTwice() ? clip((i64) (bytes - part * stride), stride) : bytes;
        return clip((i64) (size - at), most);
    }

    /// One share of all parts; false if another rank did not do its part in time.
    __device__ inline bool run(const u8* own, u8* out, u64 at, u64 most) {
        if (!acquire()) {
            return false;
        }
        const u8* mine = own + at + (how & SCATTER ? rank * stride : 0);
        u8* result = out + at + (how & GATHER ? rank * stride : 0);
        for (int i = 1; i < nRanks; i++) {
            int peer = (rank + i) % nRanks;
            send(shots->send[peer], own + at + (how & SCATTER ? peer * stride : 0), length(peer, at, most));
        }
        u64 left = length(rank, at, most);
        if (!(how & REDUCE_ALL)) {
            keep(mine, result, left);
        } else if (!reduce(mine, result, left)) {
            return post();
        }
        if (how & GATHER) {
            gather(out + at, at, most);
        }
        return post();
    }

    __device__ inline bool acquire() {
        for (int peer = threadIdx.x; peer < nRanks; peer += blockDim.x) {
            Side& send = shots->send[peer];
            if (peer != rank && (i64) (send.seen + STEPS - send.step) < (i64) steps()
                    && !awaitWord(*block.launch, send, send.head(), send.step + steps() - STEPS, CREDIT)) {
                block.giveUp();
            }
        }
        __syncthreads();
        return !block.isOver();
    }

    __device__ inline void send(const Side& to, const u8* own, u64 left) {
        u64 lines = ceilDiv(left, LL_DATA);
        for (u64 i = threadIdx.x; i < lines; i += blockDim.x) {
            put(to, i, load(i, own, left));
        }
        end(to, lines);
    }

    __device__ inline void put(const Side& to, u64 i, u64 word) {
        u64 flag = flagOf(to);
        u64 mark = i == 0 ? (u64) markOf(to.lineStamp()) << 32 : 0;
        Pack line = {(u32) word | flag, word >> 32 | (flag ^ mark)};
        storeLine((u64*) to.lineSlot(LL) + 2 * i, line);
    }

    __device__ inline u64 flagOf(const Side& to) const {
        return (u64) (u32) (to.lineStep(LL) + 1) << 32;
    }

    __device__ inline void end(const Side& to, u64 lines) {
        if (lines == 0 && threadIdx.x == 0) {
            put(to, 0, 0);
        }
        cleanLl(to, (u64*) to.lineSlot(LL), lines, flagOf(to));
    }

    __device__ inline u64 load(u64 line, const u8* own, u64 left) const {
        return Own::apply(loadBytes(own + line * LL_DATA, left - line * LL_DATA), block.scalars);
    }

    /// This rank's part, unless it is where it belongs.
    __device__ inline void keep(const u8* own, u8* out, u64 left) const {
        for (u64 i = threadIdx.x; own != out && i * LL_DATA < left; i += blockDim.x) {
            storeBytes(out + i * LL_DATA, left - i * LL_DATA, load(i, own, left));
        }
    }

    /// Lines of this rank's part; in two shots each goes to all others as soon as it is there.
    __device__ inline bool reduce(const u8* own, u8* out, u64 left) {
        u64 lines = ceilDiv(left, LL_DATA);
        for (u64 i = threadIdx.x; i < lines; i += blockDim.x) {
            u64 sum;
            if (!sumOf(i, own, left, sum)) {
                return false;
            }
            storeBytes(out + i * LL_DATA, left - i * LL_DATA, sum);
            for (int peer = 0; isTwice() && peer < nRanks; peer++) {
                if (peer != rank) {
                    put(second(shots->send[peer]), i, sum);
                }
            }
        }
        for (int peer = 0; isTwice() && peer < nRanks; peer++) {
            if (peer != rank) {
                end(second(shots->send[peer]), lines);
            }
        }
        return true;
    }

    /// A line of all ranks; false if one does not come.
    __device__ inline bool sumOf(u64 i, const u8* own, u64 left, u64& sum) {
        for (int peer = 0; peer < nRanks; peer++) {
            u64 word;
            if (peer == rank) {
                word = load(i, own, left);
            } else if (!receive(shots->recv[peer], i, word)) {
                return false;
            }
            sum = peer == 0 ? word
                    : peer < nRanks - 1 ? reduceWord<Step>(sum, word, nRanks) : reduceWord<Last>(sum, word, nRanks);
        }
        return true;
    }

    /// The same end one shot later.
    __device__ inline Side second(const Side& first) const {
        Side later = first;
        later.next(LL);
        return later;
    }

    __device__ inline void gather(u8* out, u64 at, u64 most) {
        for (int i = 1; i < nRanks; i++) {
            int peer = (rank + nRanks - i) % nRanks;
            Side from = isTwice() ? second(shots->recv[peer]) : shots->recv[peer];
            u64 left = length(peer, at, most);
            for (u64 line = threadIdx.x; line * LL_DATA < left; line += blockDim.x) {
                u64 word;
                if (!receive(from, line, word)) {
                    return;
                }
                storeBytes(out + peer * stride + line * LL_DATA, left - line * LL_DATA, word);
            }
        }
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
                storeRelaxed(recv.head(), recv.step + steps());
                for (u64 i = 0; i < steps(); i++) {
                    recv.next(LL);
                    shots->send[peer].next(LL);
                }
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

/// A block's share of all parts.
__device__ inline void runOneShot(OneShot& shot, Connection* connections, const u8* own, u8* out, u64 from, u64 share,
        u32 stamp) {
    if (isBroken(*shot.block.launch)) {
        return;
    }
    shot.open(connections, stamp);
    u64 step = shot.dataBytes();
    for (u64 at = 0; at < share; at += step) {
        if (!shot.run(own, out, from + at, least(step, share - at))) {
            return;
        }
    }
    shot.save();
}

/// One launch of a collective in one shot or two; its parameters are those of OneShotArguments.
extern "C" __global__ void __launch_bounds__(512) proxyrtOneShot(Connection* connections, Status* status,
        const u64* abortWord, u64 number, u64 limitNs, u64 how, u64 ranks, u64 first, const u8* sendBuffer,
        u8* recvBuffer, u64 bytes, u64 stride, u64 share, u64 scalar, const u8* scalarMemory) {
    __shared__ Shared shared;
    __shared__ Shots shots;
    Launch launch = {connections, status, abortWord, number, limitNs};
    OneShot shot;
    shot.block.open(launch, &shared, LL);
    shot.block.scalars = Own::load(scalar, scalarMemory);
    shot.shots = &shots;
    shot.rank = (int) (ranks & 0xffffffff);
    shot.nRanks = (int) (ranks >> 32);
    shot.how = how & 0xff;
    shot.stride = stride;
    shot.bytes = bytes;
    // Of the longest part.
    u64 part = shot.isTwice() ? least(bytes, stride) : bytes;
    u64 from = least(part, blockIdx.x * share);
    if (from < part) {
        runOneShot(shot, connections + first + 2 * blockIdx.x * shot.nRanks, sendBuffer, recvBuffer, from,
                least(share, part - from), (u32) (how >> 32));
    }
    retire(launch);
}
