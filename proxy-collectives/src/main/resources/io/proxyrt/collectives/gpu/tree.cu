/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// Collectives by trees: TreeGeometry and TreePlace once more. What comes of the children is reduced on the way up, and what
// comes of the parent goes down to all of them. An all-reduce has a block for each way of each channel, so that neither
// waits for the other; the root turns round in the first of them.

static const u32 MOST_CHILDREN = 3;
static const u64 LEAST_TREE_CHUNK = 32 << 10;
static const u64 CHUNKS_PER_LEVEL = 2;
static const u32 BRANCH_LOADS = 4;

/// A rank's place in a tree, as GpuTrees puts it in a word: its parent, and its children behind that.
struct TreePlace {
    u64 word;

    static const u64 NONE = 0xffff;

    __device__ inline u64 rank(u32 slot) const {
        return word >> 16 * slot & NONE;
    }

    __device__ inline bool isRoot() const {
        return rank(0) == NONE;
    }

    __device__ inline u32 children() const {
        u32 count = 0;
        while (count < MOST_CHILDREN && rank(1 + count) != NONE) {
            count++;
        }
        return count;
    }
};

struct TreeWork {
    u32 function;
    int nRanks;
    TreePlace place;
    /// The channel's connection with rank 0 of each way; those with other ranks are so far from each other.
    Connection* first;
    u64 stride;
    const u8* sendBuffer;
    u8* recvBuffer;
    u64 bytes;

    __device__ inline Connection* connection(u32 slot) const {
        return first + place.rank(slot) * stride;
    }

    __device__ inline u64 chunkBytes(u64 stepBytes) const {
        u64 levels = 0;
        while (1 << levels < nRanks) {
            levels++;
        }
        u64 wanted = alignUp(ceilDiv(bytes, CHUNKS_PER_LEVEL * levels));
        return least(stepBytes & ~(u64) 15, wanted < LEAST_TREE_CHUNK ? LEAST_TREE_CHUNK : wanted);
    }
};

/// A block's connections: each is the business of one thread, which tells the others here.
struct Branches {
    Side recv[MOST_CHILDREN];
    Side send[MOST_CHILDREN];
    const u8* from[MOST_CHILDREN];
    u8* to[MOST_CHILDREN];
    u64 wire[MOST_CHILDREN];
};

/// Whole units that all addresses are multiples of, so many of a thread at once.
template <typename Unit>
__device__ inline Unit ownUnit(Unit unit, u64 scalars) {
    return (Unit) Own::apply(unit, scalars);
}

template <>
__device__ inline Pack ownUnit<Pack>(Pack unit, u64 scalars) {
    Pack pack = {Own::apply(unit.low, scalars), Own::apply(unit.high, scalars)};
    return pack;
}

template <typename F>
__device__ inline Pack combine(Pack a, Pack b, u32 nRanks) {
    Pack pack = {reduceWord<F>(a.low, b.low, nRanks), reduceWord<F>(a.high, b.high, nRanks)};
    return pack;
}

template <typename F>
__device__ inline Element combine(Element a, Element b, u32 nRanks) {
    return F::apply(a, b, nRanks);
}

struct Tree {
    Block block;
    Branches* branches;
    u32 recvs;
    u32 sends;
    /// Whether what is reduced here is the outcome.
    bool isLast;

    __device__ inline void open(const TreeWork& work, bool isUp, u32 stamp) {
        u32 children = work.place.children();
        bool isRoot = work.place.isRoot();
        recvs = isUp ? children : isRoot ? 0 : 1;
        sends = !isUp ? children : isRoot ? work.function == ALL_REDUCE ? children : 0 : 1;
        isLast = isUp && isRoot;
        u32 firstRecv = isUp ? 1 : 0;
        u32 firstSend = isUp && !isRoot ? 0 : 1;
        for (u32 i = threadIdx.x; i < recvs + sends; i += blockDim.x) {
            if (i < recvs) {
                openRecv(branches->recv[i], work.connection(firstRecv + i), stamp);
            } else {
                Side& send = branches->send[i - recvs];
                send.open(work.connection(firstSend + i - recvs) + 1, block.protocol);
                send.begin(1, stamp);
            }
        }
        __syncthreads();
    }

    __device__ inline void openRecv(Side& recv, Connection* connection, u32 stamp) {
        recv.open(connection, block.protocol);
        recv.begin(1, stamp);
        if (!recv.isDirect) {
            storeRelaxed(recv.head(), recv.step);
        }
    }

    __device__ inline u64 dataBytes() const {
        return (recvs > 0 ? branches->recv : branches->send)->dataBytes(block.protocol);
    }

    /// One step of all connections; false if another rank did not do its part in time.
    __device__ inline bool run(const u8* own, u8* out, u64 bytes) {
        if (!acquire()) {
            return false;
        }
        if (block.protocol == SIMPLE) {
            runSimple(own, out, bytes);
        } else if (block.protocol == LL) {
            runLl(own, out, bytes);
        } else {
            runLl128(own, out, bytes);
        }
        return post(bytes);
    }

    __device__ inline bool acquire() {
        for (u32 i = threadIdx.x; i < recvs + sends; i += blockDim.x) {
            if (!(i < recvs ? acquireRecv(i) : acquireSend(i - recvs))) {
                block.giveUp();
            }
        }
        __syncthreads();
        return !block.isOver();
    }

    __device__ inline bool acquireSend(u32 i) {
        Side& send = branches->send[i];
        bool isReady = (i64) (send.seen + STEPS - send.step) >= 1
                || awaitWord(*block.launch, send, send.head(), send.step + 1 - STEPS, CREDIT);
        branches->to[i] = slot(send, isReady);
        return isReady;
    }

    __device__ inline bool acquireRecv(u32 i) {
        Side& recv = branches->recv[i];
        bool isReady = !recv.waitsForTail(block.protocol) || (i64) (recv.seen - recv.step) >= 1
                || awaitWord(*block.launch, recv, recv.tail(), recv.step + 1, DATA);
        branches->from[i] = slot(recv, isReady);
        return isReady && agrees(recv);
    }

    /// With its first step a sender says which operation it is of.
    __device__ inline bool agrees(const Side& recv) {
        if (!recv.waitsForTail(block.protocol) || recv.step != recv.first) {
            return true;
        }
        u32 said = *recv.stampWord();
        bool isOther = said != 0 && recv.stamp != 0 && said != stampAt(recv.stamp, recv.step);
        if (isOther) {
            Wait(*block.launch, recv, DATA).disagree();
        }
        return !isOther;
    }

    __device__ inline u8* slot(const Side& side, bool isReady) const {
        return side.isShared && isReady ? side.buffer + side.pooledOffset() : side.lineSlot(block.protocol);
    }

    /// The word of a branch with what there is.
    __device__ inline u64 reduce(u32 branch, u64 received, u64 word) const {
        return isLast && branch == recvs - 1 ? reduceWord<Last>(received, word, block.nRanks)
                : reduceWord<Step>(received, word, block.nRanks);
    }

    __device__ inline void runSimple(const u8* own, u8* out, u64 bytes) {
        u64 places = (u64) own | (u64) out;
        for (u32 i = 0; i < recvs; i++) {
            places |= (u64) branches->from[i];
        }
        for (u32 i = 0; i < sends; i++) {
            places |= (u64) branches->to[i];
        }
        u64 done = (places & 15) == 0 ? runUnits<Pack>(own, out, bytes)
                : (places & (sizeof(Element) - 1)) == 0 && sizeof(Element) > 1 ? runUnits<Element>(own, out, bytes) : 0;
        for (u64 at = done + 8 * threadIdx.x; at < bytes; at += 8 * blockDim.x) {
            runBytes(own, out, at, bytes - at);
        }
    }

    template <typename Unit>
    __device__ inline u64 runUnits(const u8* own, u8* out, u64 bytes) {
        u64 units = bytes / sizeof(Unit);
        u64 stride = blockDim.x;
        u64 i = threadIdx.x;
        for (; i + (BRANCH_LOADS - 1) * stride < units; i += BRANCH_LOADS * stride) {
            runRound<BRANCH_LOADS, Unit>((const Unit*) own, (Unit*) out, i);
        }
        for (; i < units; i += stride) {
            runRound<1, Unit>((const Unit*) own, (Unit*) out, i);
        }
        return units * sizeof(Unit);
    }

    template <u32 LOADS, typename Unit>
    __device__ inline void runRound(const Unit* own, Unit* out, u64 i) {
        Unit units[LOADS];
        const Unit* first = own != 0 ? own : (const Unit*) branches->from[0];
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
            units[k] = first[i + k * blockDim.x];
        }
        if (own != 0) {
#pragma unroll
            for (u32 k = 0; k < LOADS; k++) {
                units[k] = ownUnit(units[k], block.scalars);
            }
            for (u32 branch = 0; branch < recvs; branch++) {
                reduceRound<LOADS>(branch, units, (const Unit*) branches->from[branch] + i);
            }
        }
        if (out != 0) {
            storeRound<LOADS>(out + i, units);
        }
        for (u32 branch = 0; branch < sends; branch++) {
            storeRound<LOADS>((Unit*) branches->to[branch] + i, units);
        }
    }

    template <u32 LOADS, typename Unit>
    __device__ inline void reduceRound(u32 branch, Unit* units, const Unit* from) {
        Unit received[LOADS];
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
            received[k] = from[k * blockDim.x];
        }
        bool isOutcome = isLast && branch == recvs - 1;
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
            units[k] = isOutcome ? combine<Last>(received[k], units[k], block.nRanks)
                    : combine<Step>(received[k], units[k], block.nRanks);
        }
    }

    template <u32 LOADS, typename Unit>
    __device__ inline void storeRound(Unit* to, const Unit* units) {
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
            to[k * blockDim.x] = units[k];
        }
    }

    /// What is no whole unit, or lies anywhere.
    __device__ inline void runBytes(const u8* own, u8* out, u64 at, u64 left) {
        u64 word = own != 0 ? Own::apply(loadBytes(own + at, left), block.scalars)
                : loadBytes(branches->from[0] + at, left);
        for (u32 branch = 0; own != 0 && branch < recvs; branch++) {
            word = reduce(branch, loadBytes(branches->from[branch] + at, left), word);
        }
        if (out != 0) {
            storeBytes(out + at, left, word);
        }
        for (u32 branch = 0; branch < sends; branch++) {
            storeBytes(branches->to[branch] + at, left, word);
        }
    }

    /// A thread that gives up sends no line: the flag in it would vouch for the data.
    __device__ inline void runLl(const u8* own, u8* out, u64 bytes) {
        u64 lines = ceilDiv(bytes, LL_DATA);
        for (u64 i = threadIdx.x; i < lines; i += blockDim.x) {
            u64 word;
            if (!collectLine(i, own, bytes, word)) {
                break;
            }
            for (u32 branch = 0; branch < sends; branch++) {
                sendLine(branches->send[branch], i, word);
            }
            if (out != 0) {
                storeBytes(out + i * LL_DATA, bytes - i * LL_DATA, word);
            }
        }
        for (u32 branch = 0; branch < sends; branch++) {
            const Side& send = branches->send[branch];
            u64 wire = cleanLl(send, (u64*) send.lineSlot(LL), lines, lineFlag(send));
            if (threadIdx.x == 0) {
                branches->wire[branch] = wire;
            }
        }
    }

    __device__ inline static u64 lineFlag(const Side& send) {
        return (u64) (u32) (send.lineStep(LL) + 1) << 32;
    }

    __device__ inline bool collectLine(u64 i, const u8* own, u64 bytes, u64& word) {
        word = own == 0 ? 0 : Own::apply(loadBytes(own + i * LL_DATA, bytes - i * LL_DATA), block.scalars);
        for (u32 branch = 0; branch < recvs; branch++) {
            const Side& recv = branches->recv[branch];
            u64 received;
            if (!block.awaitLine(recv, (const u64*) recv.lineSlot(LL) + 2 * i, (u32) (recv.lineStep(LL) + 1),
                    i == 0 ? markOf(recv.lineStamp()) : 0, received)) {
                return false;
            }
            word = own == 0 ? received : reduce(branch, received, word);
        }
        return true;
    }

    __device__ inline void sendLine(const Side& send, u64 i, u64 word) {
        u64 flag = lineFlag(send);
        u64 mark = i == 0 ? (u64) markOf(send.lineStamp()) << 32 : 0;
        Pack line = {(u32) word | flag, word >> 32 | (flag ^ mark)};
        storeLine((u64*) send.lineSlot(LL) + 2 * i, line);
    }

    __device__ inline void runLl128(const u8* own, u8* out, u64 bytes) {
        u64 lines = ceilDiv(bytes, LL128_DATA);
        u64 units = lines * LL128_THREADS;
        // As many rounds for all threads of a warp.
        for (u64 first = threadIdx.x; first - threadIdx.x % LL128_WARP < units; first += LL128_LOADS * blockDim.x) {
            if (!runLine(first, units, own, out, bytes)) {
                break;
            }
        }
        for (u32 branch = 0; branch < sends; branch++) {
            if (!branches->send[branch].hasWholeLines) {
                block.storeFlags(branches->send[branch], lines);
            }
        }
        for (u32 branch = threadIdx.x; branch < sends; branch += blockDim.x) {
            branches->wire[branch] = lines * LL128_LINE;
        }
    }

    /// This thread's parts of some lines; false if they do not come.
    __device__ inline bool runLine(u64 first, u64 units, const u8* own, u8* out, u64 bytes) {
        Pack packs[LL128_LOADS];
        if (own != 0) {
#pragma unroll
            for (u32 k = 0; k < LL128_LOADS; k++) {
                packs[k] = UnitBytes(first + k * blockDim.x, bytes).loadOwn(own, block.scalars);
            }
        }
        for (u32 branch = 0; branch < recvs; branch++) {
            Pack received[LL128_LOADS];
            if (!block.awaitUnits(branches->recv[branch], first, units, received)) {
                return false;
            }
#pragma unroll
            for (u32 k = 0; k < LL128_LOADS; k++) {
                packs[k].low = own == 0 ? received[k].low : reduce(branch, received[k].low, packs[k].low);
                packs[k].high = own == 0 ? received[k].high : reduce(branch, received[k].high, packs[k].high);
            }
        }
#pragma unroll
        for (u32 k = 0; k < LL128_LOADS; k++) {
            if (first + k * blockDim.x < units) {
                storeUnits(first + k * blockDim.x, packs[k], out, bytes);
            }
        }
        return true;
    }

    __device__ inline void storeUnits(u64 unit, Pack pack, u8* out, u64 bytes) {
        if (out != 0) {
            UnitBytes(unit, bytes).store(out, pack);
        }
        for (u32 branch = 0; branch < sends; branch++) {
            const Side& send = branches->send[branch];
            storeUnit(send, unit, pack, flag128(send.step, send.lineStamp()));
        }
    }

    /// Slots change hands. A received slot was read before the barrier; what was sent is fenced before tail.
    __device__ inline bool post(u64 bytes) {
        __syncthreads();
        if (block.isOver()) {
            return false;
        }
        for (u32 i = threadIdx.x; i < recvs + sends; i += blockDim.x) {
            if (i < recvs) {
                storeRelaxed(branches->recv[i].head(), branches->recv[i].step + 1);
                branches->recv[i].next(block.protocol);
            } else {
                Side& send = branches->send[i - recvs];
                block.postSend(send, block.protocol == SIMPLE ? bytes : branches->wire[i - recvs]);
                send.next(block.protocol);
            }
        }
        block.moves++;
        if (threadIdx.x == 0) {
            storeRelaxed(&statusOf(*block.launch)->moves, block.launch->number << 24 | block.moves);
        }
        return true;
    }

    __device__ inline void save() {
        for (u32 i = threadIdx.x; i < recvs + sends; i += blockDim.x) {
            (i < recvs ? branches->recv + i : branches->send + (i - recvs))->save();
        }
    }
};

/// A channel's part, one way.
__device__ inline void runTree(Tree& tree, const TreeWork& work, bool isUp, u32 stamp) {
    if (isBroken(*tree.block.launch)) {
        return;
    }
    tree.open(work, isUp, stamp);
    bool isSource = isUp || work.place.isRoot();
    // What lies where it belongs is not copied.
    bool isKept = isUp ? work.place.isRoot() : !isSource || work.sendBuffer != work.recvBuffer;
    const u8* own = isSource ? work.sendBuffer : 0;
    u8* out = isKept ? work.recvBuffer : 0;
    u64 chunk = work.chunkBytes(tree.dataBytes());
    for (u64 at = 0; at < work.bytes; at += chunk) {
        if (!tree.run(own == 0 ? own : own + at, out == 0 ? out : out + at, least(chunk, work.bytes - at))) {
            return;
        }
    }
    tree.save();
}

/// One launch of a collective by trees; its parameters are those of DevicePrograms.treeArguments. Channels take turns with
/// two trees, of which a broadcast and a reduce have but one.
extern "C" __global__ void __launch_bounds__(512) proxyrtTree(Connection* connections, Status* status,
        const u64* abortWord, u64 number, u64 limitNs, u64 how, u64 ranks, u64 first, u64 stride, u64 even, u64 odd,
        const u8* sendBuffer, u8* recvBuffer, u64 bytes, u64 partBytes, u64 scalar, const u8* scalarMemory) {
    __shared__ Shared shared;
    __shared__ Branches branches;
    Launch launch = {connections, status, abortWord, number, limitNs};
    u32 function = (u32) (how & 0xff);
    u32 channels = function == ALL_REDUCE ? gridDim.x / 2 : gridDim.x;
    u32 channel = blockIdx.x % channels;
    bool isUp = function != BROADCAST && blockIdx.x < channels;
    u64 offset = least(bytes, channel * partBytes);
    TreePlace place = {channel % 2 == 0 ? even : odd};
    TreeWork work = {function, (int) ranks, place, connections + first + 2 * channel, stride, sendBuffer + offset,
            recvBuffer + offset, least(partBytes, bytes - offset)};
    Tree tree;
    tree.block.open(launch, &shared, (u32) (how >> 8 & 0xff));
    tree.block.nRanks = (u32) ranks;
    tree.block.scalars = Own::load(scalar, scalarMemory);
    tree.branches = &branches;
    // An all-reduce comes down from the root as soon as it is there.
    if (work.bytes > 0 && (isUp || function == BROADCAST || !place.isRoot())) {
        runTree(tree, work, isUp, (u32) (how >> 32));
    }
    retire(launch);
}
