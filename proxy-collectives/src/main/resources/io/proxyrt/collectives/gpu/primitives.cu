/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// NCCL's primitives, on one slice: data come from a slot, from the user, or from both and are reduced; they go to a
// slot, to the user, or to both.

/// What a slice is made of: together they are NCCL's recvReduceCopySend and all that is less. PLACE: the receiver takes
/// what is sent as it is, and so it may go to where it offered a place.
enum Move { RECV = 1, SEND = 2, OWN = 4, OUT = 8, PLACE = 16 };

static const u32 COPY_LOADS = 8;
static const u32 REDUCE_LOADS = 4;
static const u32 ELEMENT_LOADS = 8;
static const u32 LL128_LOADS = 4;

/// Copies what is whole units. Loops have no conditions in them but for what is left, so that all loads of a thread are on
/// their way before its first store.
template <typename Unit>
__device__ inline u64 copyUnits(const u8* from, u8* to, u8* also, u64 bytes) {
    const Unit* in = (const Unit*) from;
    u64 units = bytes / sizeof(Unit);
    u64 stride = blockDim.x;
    u64 i = threadIdx.x;
    for (; i + (COPY_LOADS - 1) * stride < units; i += COPY_LOADS * stride) {
        Unit unit[COPY_LOADS];
#pragma unroll
        for (u32 k = 0; k < COPY_LOADS; k++) {
            unit[k] = in[i + k * stride];
        }
#pragma unroll
        for (u32 k = 0; k < COPY_LOADS; k++) {
            ((Unit*) to)[i + k * stride] = unit[k];
            if (also != 0) {
                ((Unit*) also)[i + k * stride] = unit[k];
            }
        }
    }
    for (; i < units; i += stride) {
        Unit unit = in[i];
        ((Unit*) to)[i] = unit;
        if (also != 0) {
            ((Unit*) also)[i] = unit;
        }
    }
    return units * sizeof(Unit);
}

/// The largest unit that all addresses are multiples of, then the bytes that are left.
__device__ __attribute__((noinline)) void copyBytes(const u8* from, u8* to, u8* also, u64 bytes) {
    u64 places = (u64) from | (u64) to | (u64) also;
    u64 done = (places & 15) == 0 ? copyUnits<Pack>(from, to, also, bytes)
            : (places & 7) == 0 ? copyUnits<u64>(from, to, also, bytes)
            : (places & 3) == 0 ? copyUnits<u32>(from, to, also, bytes)
            : (places & 1) == 0 ? copyUnits<u16>(from, to, also, bytes) : 0;
    copyUnits<u8>(from + done, to + done, also == 0 ? also : also + done, bytes - done);
}

typedef Step::Codec::Bits Element;

template <typename F>
__device__ inline Pack reduceUnit(Pack a, Pack b, u32 nRanks, u64 scalars) {
    Pack pack = {reduceWord<F>(a.low, Own::apply(b.low, scalars), nRanks),
            reduceWord<F>(a.high, Own::apply(b.high, scalars), nRanks)};
    return pack;
}

template <typename F>
__device__ inline Element reduceUnit(Element a, Element b, u32 nRanks, u64 scalars) {
    return F::apply(a, (Element) Own::apply(b, scalars), nRanks);
}

/// Reduces what is whole units, in rounds as copyUnits; b is this rank's own.
template <typename F, u32 LOADS, typename Unit>
__device__ inline void reduceUnits(const Unit* a, const Unit* b, Unit* to, Unit* also, u64 units, u32 nRanks,
        u64 scalars) {
    u64 stride = blockDim.x;
    u64 i = threadIdx.x;
    for (; i + (LOADS - 1) * stride < units; i += LOADS * stride) {
        Unit left[LOADS];
        Unit right[LOADS];
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
            left[k] = a[i + k * stride];
            right[k] = b[i + k * stride];
        }
#pragma unroll
        for (u32 k = 0; k < LOADS; k++) {
            left[k] = reduceUnit<F>(left[k], right[k], nRanks, scalars);
            to[i + k * stride] = left[k];
            if (also != 0) {
                also[i + k * stride] = left[k];
            }
        }
    }
    for (; i < units; i += stride) {
        Unit unit = reduceUnit<F>(a[i], b[i], nRanks, scalars);
        to[i] = unit;
        if (also != 0) {
            also[i] = unit;
        }
    }
}

template <typename F>
__device__ __attribute__((noinline)) void reduceBytes(const u8* a, const u8* b, u8* to, u8* also, u64 bytes,
        u32 nRanks, u64 scalars) {
    u64 places = (u64) a | (u64) b | (u64) to | (u64) also;
    u64 done = 0;
    if ((places & 15) == 0) {
        reduceUnits<F, REDUCE_LOADS>((const Pack*) a, (const Pack*) b, (Pack*) to, (Pack*) also, bytes / sizeof(Pack),
                nRanks, scalars);
        done = bytes & ~(u64) 15;
    } else if ((places & (sizeof(Element) - 1)) == 0) {
        // Aligned to its elements alone.
        reduceUnits<F, ELEMENT_LOADS>((const Element*) a, (const Element*) b, (Element*) to, (Element*) also,
                bytes / sizeof(Element), nRanks, scalars);
        done = bytes & ~(u64) (sizeof(Element) - 1);
    }
    for (u64 at = done + 8 * threadIdx.x; at < bytes; at += 8 * blockDim.x) {
        u64 left = bytes - at;
        u64 own = Own::apply(loadBytes(b + at, left), scalars);
        u64 word = reduceWord<F>(loadBytes(a + at, left), own, nRanks);
        storeBytes(to + at, left, word);
        if (also != 0) {
            storeBytes(also + at, left, word);
        }
    }
}

/// This rank's own, which nothing is reduced with.
__device__ inline void copyOwn(const u8* own, u8* to, u8* also, u64 bytes, u64 scalars) {
    if (Own::SCALES) {
        reduceBytes<OwnAlone>(own, own, to, also, bytes, 0, scalars);
    } else {
        copyBytes(own, to, also, bytes);
    }
}

/// What goes to the user's buffer is the last of its reductions.
__device__ inline u64 reduceLine(int move, u64 received, u64 own, u32 nRanks) {
    return move & OUT ? reduceWord<Last>(received, own, nRanks) : reduceWord<Step>(received, own, nRanks);
}

/// The last steps before flags come round fill their slots: what a direct receiver looks for stays as it is.
__device__ inline u64 cleanLl(const Side& send, u64* to, u64 lines, u64 flag) {
    if ((send.lineStep(LL) & 0x7ffffff8u) != 0x7ffffff8u) {
        return lines * LL_LINE;
    }
    u64 written = lines == 0 && send.isDirect ? 1 : lines;
    for (u64 i = written + threadIdx.x; i < send.stepBytes / LL_LINE; i += blockDim.x) {
        Pack line = {flag, flag};
        storeLine(to + 2 * i, line);
    }
    return send.stepBytes;
}

/// Which bytes of the user a thread's part of a line of LL128 has; in the last of a line, the flag takes half of it.
struct UnitBytes {
    u64 at;
    u64 low;
    u64 high;

    __device__ inline UnitBytes(u64 unit, u64 bytes) {
        bool isLast = unit % LL128_THREADS == LL128_THREADS - 1;
        at = unit / LL128_THREADS * LL128_DATA + unit % LL128_THREADS * sizeof(Pack);
        low = at < bytes ? bytes - at : 0;
        high = isLast || low < 8 ? 0 : low - 8;
    }

    __device__ inline Pack loadOwn(const u8* own, u64 scalars) const {
        Pack pack = {Own::apply(loadBytes(own + at, low), scalars), Own::apply(loadBytes(own + at + 8, high), scalars)};
        return pack;
    }

    __device__ inline void store(u8* out, Pack pack) const {
        storeBytes(out + at, low, pack.low);
        storeBytes(out + at + 8, high, pack.high);
    }
};

/// Where lines are not seen as one, without the flag.
__device__ inline void storeUnit(const Side& side, u64 unit, Pack pack, u64 flag) {
    bool isLast = unit % LL128_THREADS == LL128_THREADS - 1;
    u64* to = (u64*) (side.lineSlot(LL128) + unit * sizeof(Pack));
    if (side.hasWholeLines) {
        pack.high = isLast ? flag : pack.high;
        storeLine(to, pack);
        return;
    }
    to[0] = pack.low;
    if (!isLast) {
        to[1] = pack.high;
    }
}

/// What a block does its slices with.
struct Block {
    const Launch* launch;
    Shared* shared;
    Side recv;
    Side send;
    u32 protocol;
    u32 nRanks;
    u64 scalars;
    u64 moves;

    __device__ inline void open(const Launch& of, Shared* with, u32 how) {
        launch = &of;
        shared = with;
        protocol = how;
        nRanks = 0;
        scalars = 0;
        recv = Side();
        send = Side();
        moves = 0;
        if (threadIdx.x == 0) {
            shared->isOver[0] = 0;
            shared->isOver[1] = 0;
        }
    }

    /// Bytes of the user that a step carries.
    __device__ inline u64 dataBytes() const {
        return send.isUsed ? send.dataBytes(protocol) : recv.dataBytes(protocol);
    }

    /// Rounds the counts up, and gives credits back that rounding skips. The host's kernels say which connections.
    __device__ inline void start(u64 chunkSteps, int move, u32 stamp) {
        if (move & SEND) {
            send.begin(chunkSteps, stamp);
        }
        if (move & RECV) {
            u64 before = recv.step;
            recv.begin(chunkSteps, stamp);
            if (threadIdx.x == 0 && (!recv.isDirect || recv.step != before)) {
                storeRelaxed(recv.head(), recv.step);
            }
        }
    }

    /// Offers the sender a place for what it sends as it is. What an earlier launch saw of tail it saw of modes, too: both
    /// are looked at anew.
    __device__ inline void offer(u64 handle, u64 ptr, u64 bytes) {
        recv.isOffering = handle != 0 && recv.isDirect && protocol == SIMPLE;
        if (recv.isOffering) {
            recv.seen = recv.step;
            if (threadIdx.x == 0) {
                recv.offer(handle, ptr, bytes);
            }
        }
    }

    /// Looks for such an offer of the receiver.
    __device__ inline void take(u64 version) {
        send.version = send.connection->places != 0 && protocol == SIMPLE ? version : 0;
    }

    /// Counts persist, unless the launch has failed: then no launch follows.
    __device__ inline void finish() {
        if (threadIdx.x == 0) {
            if (send.isUsed) {
                send.save();
            }
            if (recv.isUsed) {
                recv.save();
            }
        }
    }

    /// One slice; false if the other end did not do its part in time. What is sent goes to so much behind the beginning of
    /// the receiver's buffer.
    __device__ inline bool run(int move, const u8* own, u8* out, u64 bytes, u64 at) {
        if (!acquire(move)) {
            return false;
        }
        // On its way while the data are moved: over a bus it takes its time.
        u32 said = threadIdx.x == 0 && hears(move) ? *recv.stampWord() : 0;
        u64 wire = bytes;
        if (protocol == SIMPLE) {
            runSimple(move, own, out, bytes, at);
        } else if (protocol == LL) {
            wire = runLl(move, own, out, bytes);
        } else {
            wire = runLl128(move, own, out, bytes);
        }
        if (said != 0 && recv.stamp != 0 && said != stampAt(recv.stamp, recv.step)) {
            Wait(*launch, recv, DATA).disagree();
            giveUp();
        }
        return post(move, wire, isPlacing(move, bytes, at));
    }

    /// Whether a stamp came with the slice; where lines are direct they have it in their flags.
    __device__ inline bool hears(int move) const {
        return (move & RECV) && recv.waitsForTail(protocol) && recv.step == recv.first;
    }

    /// Until the slots are there. What all threads know suffices more often than not with lines.
    __device__ inline bool acquire(int move) {
        bool needsHead = (move & SEND) && (i64) (send.seen + STEPS - send.step) < 1;
        bool needsTail = (move & RECV) && recv.waitsForTail(protocol) && (i64) (recv.seen - recv.step) < 1;
        bool needsOffset = (move & SEND) && send.isShared || (move & RECV) && recv.isShared;
        bool needsPlace = (move & PLACE) && send.version != 0 && send.place == 0;
        if (!needsHead && !needsTail && !needsOffset && !needsPlace) {
            return true;
        }
        if (threadIdx.x == 0) {
            bool isReady = (!needsHead || awaitWord(*launch, send, send.head(), send.step + 1 - STEPS, CREDIT))
                    && (!needsTail || awaitTail());
            if (needsPlace) {
                lookForOffer();
            }
            tell(move, isReady);
        }
        __syncthreads();
        if (move & SEND) {
            send.seen = shared->headSeen;
            send.place = shared->sendPlace;
            send.placeBytes = shared->sendPlaceBytes;
            send.version = shared->sendVersion;
        }
        if (move & RECV) {
            recv.seen = shared->tailSeen;
            recv.modes = shared->recvModes;
        }
        return !isOver();
    }

    /// What tail says is there lies where modes say, until this rank's head moves on.
    __device__ inline bool awaitTail() {
        bool isThere = awaitWord(*launch, recv, recv.tail(), recv.step + 1, DATA);
        recv.modes = recv.isOffering ? loadRelaxed(recv.modeWord()) : 0;
        return isThere;
    }

    /// An offer of memory that is not registered, or not so much of, is none.
    __device__ inline void lookForOffer() {
        const u64* words = send.offerWords();
        if (loadAcquire(words) != send.first + 1) {
            return;
        }
        u64 ptr = loadRelaxed(words + 2);
        u64 bytes = loadRelaxed(words + 3);
        Place place = knownPlace(send.connection, send.version, loadRelaxed(words + 1));
        bool holds = bytes <= place.bytes && ptr <= place.bytes - bytes;
        send.place = holds ? place.address + ptr : 0;
        send.placeBytes = bytes;
        send.version = holds ? send.version : 0;
    }

    __device__ inline void tell(int move, bool isReady) {
        if (move & SEND) {
            shared->headSeen = send.seen;
            shared->sendOffset = send.isShared && isReady ? send.pooledOffset() : send.step % STEPS * send.stepBytes;
            shared->sendPlace = send.place;
            shared->sendPlaceBytes = send.placeBytes;
            shared->sendVersion = send.version;
        }
        if (move & RECV) {
            shared->tailSeen = recv.seen;
            shared->recvOffset = recv.isShared && isReady ? recv.pooledOffset() : recv.step % STEPS * recv.stepBytes;
            shared->recvModes = recv.modes;
        }
        if (!isReady) {
            giveUp();
        }
    }

    __device__ inline u8* sendSlot() const {
        return send.buffer + (send.isShared ? shared->sendOffset : send.step % STEPS * send.stepBytes);
    }

    __device__ inline u8* recvSlot() const {
        return recv.buffer + (recv.isShared ? shared->recvOffset : recv.step % STEPS * recv.stepBytes);
    }

    __device__ inline bool isPlacing(int move, u64 bytes, u64 at) const {
        return (move & PLACE) && send.place != 0 && bytes <= send.placeBytes && at <= send.placeBytes - bytes;
    }

    __device__ inline void runSimple(int move, const u8* own, u8* out, u64 bytes, u64 at) {
        bool isPlaced = (move & RECV) && recv.isPlaced();
        u8* kept = (move & OUT) && !isPlaced ? out : 0;
        u8* sent = !(move & SEND) ? 0 : isPlacing(move, bytes, at) ? send.place + at : sendSlot();
        u8* to = sent != 0 ? sent : kept;
        u8* also = sent != 0 ? kept : 0;
        const u8* received = isPlaced ? out : move & RECV ? recvSlot() : 0;
        if (to == 0) {
            return;
        }
        if (!(move & RECV)) {
            copyOwn(own, to, also, bytes, scalars);
        } else if (!(move & OWN)) {
            copyBytes(received, to, also, bytes);
        } else if (move & OUT) {
            reduceBytes<Last>(received, own, to, also, bytes, nRanks, scalars);
        } else {
            reduceBytes<Step>(received, own, to, also, bytes, nRanks, scalars);
        }
    }

    __device__ inline bool isOver() const {
        return *(volatile u64*) &shared->isOver[moves & 1] != 0;
    }

    __device__ inline void giveUp() {
        *(volatile u64*) &shared->isOver[moves & 1] = 1;
    }

    /// Whether a wait for lines goes on; if not, all threads of the block will know.
    __device__ inline bool goesOn(Wait& wait, bool isForeign) {
        if (isForeign) {
            wait.disagree();
        } else if (!isOver() && wait.goesOn()) {
            return true;
        }
        giveUp();
        return false;
    }

    /// The word of a line once it has the flag, and in its second one the mark; false if it never has.
    __device__ inline bool awaitLine(const Side& from, const u64* line, u32 flag, u32 mark, u64& word) {
        Wait wait(*launch, from, LINES);
        Pack pack = loadLine(line);
        while ((u32) (pack.low >> 32) != flag || (u32) (pack.high >> 32) != (flag ^ mark)) {
            // Only first lines of direct connections have marks, and only of them is known what was there before.
            if (!goesOn(wait, mark != 0
                    && isForeignLine((u32) (pack.low >> 32), (u32) (pack.high >> 32), flag, mark))) {
                return false;
            }
            pack = loadLine(line);
        }
        wait.end();
        word = (u32) pack.low | pack.high << 32;
        return true;
    }

    __device__ inline bool awaitFlag(const Side& from, const u64* flag) {
        Wait wait(*launch, from, LINES);
        u64 wanted = flag128(from.step, from.lineStamp());
        u64 seen = loadAcquire(flag);
        while (seen != wanted) {
            if (!goesOn(wait, isForeign128(seen, wanted))) {
                return false;
            }
            seen = loadAcquire(flag);
        }
        wait.end();
        return true;
    }

    /// A thread that gives up sends no line: the flag in it would vouch for the data.
    __device__ inline u64 runLl(int move, const u8* own, u8* out, u64 bytes) {
        u64 lines = ceilDiv(bytes, LL_DATA);
        const u64* in = (const u64*) recv.lineSlot(LL);
        u64* to = (u64*) send.lineSlot(LL);
        u32 inFlag = (u32) (recv.lineStep(LL) + 1);
        u64 toFlag = (u64) (u32) (send.lineStep(LL) + 1) << 32;
        u32 inMark = markOf(recv.lineStamp());
        u64 toMark = (u64) markOf(send.lineStamp()) << 32;
        for (u64 i = threadIdx.x; i < lines; i += blockDim.x) {
            u64 left = bytes - i * LL_DATA;
            u64 word = move & OWN ? Own::apply(loadBytes(own + i * LL_DATA, left), scalars) : 0;
            if (move & RECV) {
                u64 received;
                if (!awaitLine(recv, in + 2 * i, inFlag, i == 0 ? inMark : 0, received)) {
                    return 0;
                }
                word = move & OWN ? reduceLine(move, received, word, nRanks) : received;
            }
            if (move & SEND) {
                Pack line = {(u32) word | toFlag, word >> 32 | (i == 0 ? toFlag ^ toMark : toFlag)};
                storeLine(to + 2 * i, line);
            }
            if (move & OUT) {
                storeBytes(out + i * LL_DATA, left, word);
            }
        }
        if ((move & SEND) && lines == 0 && send.isDirect && threadIdx.x == 0) {
            Pack line = {toFlag, toFlag ^ toMark};
            storeLine(to, line);
        }
        return move & SEND ? cleanLl(send, to, lines, toFlag) : 0;
    }

    /// Each thread has 16 bytes of a line of 128, the last of eight the flag in the second half of it.
    __device__ inline u64 runLl128(int move, const u8* own, u8* out, u64 bytes) {
        u64 lines = ceilDiv(bytes, LL128_DATA);
        u64 units = lines * LL128_THREADS;
        // As many rounds for all threads of a warp.
        for (u64 first = threadIdx.x; first - threadIdx.x % LL128_WARP < units; first += LL128_LOADS * blockDim.x) {
            if (!runUnits(move, first, units, own, out, bytes)) {
                break;
            }
        }
        if ((move & SEND) && !send.hasWholeLines) {
            storeFlags(send, lines);
        }
        return lines * LL128_LINE;
    }

    /// Data first, then a fence, then all flags, where no reader is promised that a line is seen as one.
    __device__ inline void storeFlags(const Side& to, u64 lines) {
        __threadfence_system();
        __syncthreads();
        u64* flags = (u64*) (to.lineSlot(LL128) + LL128_LINE) - 1;
        u64 flag = flag128(to.step, to.lineStamp());
        for (u64 i = threadIdx.x; i < lines && !isOver(); i += blockDim.x) {
            storeRelaxed(flags + i * (LL128_LINE / sizeof(u64)), flag);
        }
    }

    /// This thread's parts of some lines; false if they do not come.
    __device__ inline bool runUnits(int move, u64 first, u64 units, const u8* own, u8* out, u64 bytes) {
        Pack packs[LL128_LOADS];
        if ((move & RECV) && !awaitUnits(recv, first, units, packs)) {
            return false;
        }
        u64 flag = flag128(send.step, send.lineStamp());
#pragma unroll
        for (u32 k = 0; k < LL128_LOADS; k++) {
            u64 unit = first + k * blockDim.x;
            if (unit < units) {
                runUnit(move, unit, packs[k], flag, own, out, bytes);
            }
        }
        return true;
    }

    __device__ inline void runUnit(int move, u64 unit, Pack pack, u64 flag, const u8* own, u8* out, u64 bytes) {
        UnitBytes at(unit, bytes);
        if (move & OWN) {
            Pack mine = at.loadOwn(own, scalars);
            pack.low = move & RECV ? reduceLine(move, pack.low, mine.low, nRanks) : mine.low;
            pack.high = move & RECV ? reduceLine(move, pack.high, mine.high, nRanks) : mine.high;
        }
        if (move & OUT) {
            at.store(out, pack);
        }
        if (move & SEND) {
            storeUnit(send, unit, pack, flag);
        }
    }

    /// What came, once the lines have their flags; false if they never have.
    __device__ inline bool awaitUnits(const Side& from, u64 first, u64 units, Pack* packs) {
        const u64* in = (const u64*) from.lineSlot(LL128);
        if (from.hasWholeLines) {
            return awaitWarp(from, in, first, units, packs);
        }
#pragma unroll
        for (u32 k = 0; k < LL128_LOADS; k++) {
            u64 unit = first + k * blockDim.x;
            if (unit < units) {
                const u64* flag = in + (unit / LL128_THREADS + 1) * (LL128_LINE / sizeof(u64)) - 1;
                if (!awaitFlag(from, flag)) {
                    return false;
                }
                packs[k].low = in[2 * unit];
                packs[k].high = in[2 * unit + 1];
            }
        }
        return true;
    }

    /// A warp loads a line as one, and so its data are there when its flag is.
    __device__ inline bool awaitWarp(const Side& from, const u64* in, u64 first, u64 units, Pack* packs) {
        Wait wait(*launch, from, LINES);
        u64 wanted = flag128(from.step, from.lineStamp());
        bool isLast = first % LL128_THREADS == LL128_THREADS - 1;
        while (true) {
            bool isMissing = false;
            bool isForeign = false;
#pragma unroll
            for (u32 k = 0; k < LL128_LOADS; k++) {
                u64 unit = first + k * blockDim.x;
                if (unit < units) {
                    packs[k] = loadLine(in + 2 * unit);
                    isMissing |= isLast && packs[k].high != wanted;
                    isForeign |= isLast && isForeign128(packs[k].high, wanted);
                }
            }
            if (!anyOfWarp(isMissing)) {
                wait.end();
                return true;
            }
            if (anyOfWarp(!goesOn(wait, isForeign))) {
                return false;
            }
        }
    }

    /// Slots change hands. A received slot was read before the barrier; what was sent is fenced before tail.
    __device__ inline bool post(int move, u64 wire, bool isPlacing) {
        __syncthreads();
        bool isLost = isOver();
        if (threadIdx.x == 0 && !isLost) {
            if (move & SEND) {
                send.placeStep(isPlacing);
                postSend(send, wire);
            }
            if (move & RECV) {
                storeRelaxed(recv.head(), recv.step + 1);
            }
            storeRelaxed(&launch->status[blockIdx.x].moves, launch->number << 24 | (moves + 1));
        }
        if (move & SEND) {
            send.next(protocol);
        }
        if (move & RECV) {
            recv.next(protocol);
        }
        moves++;
        return !isLost;
    }

    /// A reader of lines looks at every flag: a proxy is told their size, and no reader needs tail.
    __device__ inline void postSend(Side& to, u64 wire) {
        bool isStamped = to.step == to.first && (protocol == SIMPLE || !to.isDirect);
        if (isStamped) {
            *to.stampWord() = stampAt(to.stamp, to.step);
        }
        if (!to.isDirect && protocol == LL && isStamped) {
            // No tail follows: the proxy takes the stamp once it sees the size.
            storeRelease(to.size(), wire);
        } else if (!to.isDirect) {
            storeRelaxed(to.size(), wire);
        }
        if (protocol == SIMPLE || protocol == LL128 && !to.isDirect) {
            storeRelease(to.tail(), to.step + 1);
        }
    }
};
