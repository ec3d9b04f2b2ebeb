/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// The kernels' end of a connection, and waiting for the other end. A block's threads all know the same of it; the first
// of them alone looks at the words of the connection, and stores them.

/// As Protocol numbers them.
enum Protocol { LL, LL128, SIMPLE };

/// As CollFunction numbers them.
enum Function { BROADCAST = 0, REDUCE = 1, ALL_GATHER = 2, REDUCE_SCATTER = 3, ALL_REDUCE = 4 };

/// Beside the protocols that are direct: what a warp stores at once is seen at once.
static const u64 WHOLE_LINES = 1 << 8;

/// What a wait is for, and why it ends without, as LaunchStatus reads them.
enum Awaited { CREDIT = 1, DATA = 2, LINES = 3 };
enum Reason { ABORTED = 1, EXPIRED = 2, DISAGREED = 3 };

/// Memory that a peer registered, as this rank's device reaches it; an entry of PlaceTable, in the host's memory.
struct Place {
    u64 handle;
    u8* address;
    u64 bytes;
};

/// As PlaceTable has them, and where it looks.
static const u32 PLACES = 1024;
static const u32 PLACE_PROBES = 16;

/// As RecvMem: of a step whose data the sender put into the receiver's own memory. A byte for each slot says so.
static const u8 MODE_PTR = 2;
static const u64 MODES = 8;
/// As SendMem: where the receiver says which memory that is to be: step, handle, ptr, bytes.
static const u64 OFFER = 64;
/// Of a table that may have changed.
static const u64 ANY_VERSION = ~(u64) 0;

/// In device memory; ConnectionTable fills it in when it is connected. Its counts persist from launch to launch.
struct Connection {
    u64 step;
    u64 lines;
    u64 seen;
    u64 peer;
    u8* sendMem;
    u8* recvMem;
    u8* buffers[3];
    u64 stepBytes[3];
    u64 directProtocols;
    u64 isShared;
    /// Of the first in the table: a launch gave up. What it should have moved is missing, so no later one moves any.
    u64 isBroken;
    /// Of the first in the table: how many blocks of the launch under way have ended.
    u64 retired;
    /// What the peer registered; null if data are sent by slots alone.
    const Place* places;
    /// Slots, as bits, of which the receiver was told last that the data are in its own memory.
    u64 placed;
    /// What the peer offered last, and the version of the table that had it.
    Place known;
    u64 knownVersion;
};

/// In the host's memory, one for each block: whether it moves, what it waits for, and why it gave up.
struct alignas(64) Status {
    u64 moves;
    u64 launch;
    u64 reason;
    u64 awaited;
    u64 step;
    u64 peer;
    u64 reserved[2];
};

/// What all launches need.
struct Launch {
    Connection* connections;
    Status* status;
    const u64* abortWord;
    u64 number;
    u64 limitNs;
};

/// What the first thread of a block tells the others; and who gives up, the others. One that is a slice ahead may do so
/// while others look for the slice before: so slices take turns.
struct Shared {
    u64 headSeen;
    u64 tailSeen;
    u64 sendOffset;
    u64 recvOffset;
    u64 recvModes;
    u8* sendPlace;
    u64 sendPlaceBytes;
    u64 sendVersion;
    u64 isOver[2];
};

/// So many words before the blocks' is the number of the last launch that is complete.
static const u64 DONE_WORDS = 16;
static const u64 LL_LINE = 16;
static const u64 LL_DATA = 8;
static const u64 LL128_LINE = 128;
static const u64 LL128_DATA = 120;
static const u32 LL128_THREADS = 8;
static const u32 SPINS_BEFORE_PAUSE = 64;
static const u32 SPINS_BETWEEN_CHECKS = 1024;

struct Side {
    Connection* connection;
    u64 step;
    u64 lines;
    u64 seen;
    u8* buffer;
    u64 stepBytes;
    u64 first;
    u64 placed;
    /// Of a receive that offered a place: modes of all slots.
    u64 modes;
    /// Of a send: what the receiver offered, once that was seen; and the version of PlaceTable, 0 if none is looked for.
    u8* place;
    u64 placeBytes;
    u64 version;
    u32 stamp;
    bool isUsed;
    bool isDirect;
    bool isShared;
    bool isOffering;
    bool hasWholeLines;

    __device__ inline void open(Connection* of, u32 protocol) {
        connection = of;
        step = of->step;
        lines = of->lines;
        seen = of->seen;
        first = step;
        stamp = 0;
        buffer = of->buffers[protocol];
        stepBytes = of->stepBytes[protocol];
        isUsed = true;
        isDirect = (of->directProtocols >> protocol & 1) != 0;
        isShared = of->isShared != 0 && protocol == SIMPLE;
        placed = of->placed;
        modes = 0;
        place = 0;
        placeBytes = 0;
        version = 0;
        isOffering = false;
        hasWholeLines = HAS_WARPS && blockDim.x % LL128_WARP == 0 && (of->directProtocols & WHOLE_LINES) != 0;
    }

    __device__ inline u64* head() const {
        return (u64*) connection->sendMem;
    }

    __device__ inline u64* tail() const {
        return (u64*) connection->recvMem;
    }

    /// The size of a slot in connFifo; its offset lies before it.
    __device__ inline u64* size() const {
        return (u64*) (connection->recvMem + 64 + step % STEPS * 24 + 8);
    }

    __device__ inline u64* modeWord() const {
        return (u64*) (connection->recvMem + MODES);
    }

    /// Whether the sender put the step where this rank offered it a place; once tail was seen.
    __device__ inline bool isPlaced() const {
        return (u8) (modes >> step % STEPS * 8) == MODE_PTR;
    }

    /// Says whether the step is placed, before tail.
    __device__ inline void placeStep(bool isPlacing) {
        u64 slot = (u64) 1 << step % STEPS;
        if (((placed & slot) != 0) != isPlacing) {
            *((volatile u8*) modeWord() + step % STEPS) = isPlacing ? MODE_PTR : 0;
            placed ^= slot;
        }
    }

    __device__ inline u64* offerWords() const {
        return (u64*) (connection->sendMem + OFFER);
    }

    /// Offers the sender a place for what it sends as it is; once begun. The sender knows its memory by the handle.
    __device__ inline void offer(u64 handle, u64 ptr, u64 bytes) {
        u64* words = offerWords();
        storeRelaxed(words + 1, handle);
        storeRelaxed(words + 2, ptr);
        storeRelaxed(words + 3, bytes);
        storeRelease(words, first + 1);
    }

    __device__ inline u64 pooledOffset() const {
        return loadRelaxed(size() - 1) >> 32;
    }

    /// On a direct connection lines are counted by themselves, as LinePrimitives says.
    __device__ inline u64 lineStep(u32 protocol) const {
        return protocol == LL && isDirect ? lines : step;
    }

    /// Bytes of the user that a step carries.
    __device__ inline u64 dataBytes(u32 protocol) const {
        return protocol == SIMPLE ? stepBytes
                : protocol == LL ? stepBytes / LL_LINE * LL_DATA : stepBytes / LL128_LINE * LL128_DATA;
    }

    /// What comes by lines of a kernel's own is looked for in them.
    __device__ inline bool waitsForTail(u32 protocol) const {
        return protocol == SIMPLE || !isDirect;
    }

    __device__ inline u8* lineSlot(u32 protocol) const {
        return buffer + lineStep(protocol) % STEPS * stepBytes;
    }

    /// The proxy rounds its base up alike. The operation's first step says whose it is.
    __device__ inline void begin(u64 chunkSteps, u32 operation) {
        step = (step + chunkSteps - 1) / chunkSteps * chunkSteps;
        first = step;
        stamp = operation;
    }

    __device__ inline volatile u32* stampWord() const {
        return (volatile u32*) (connection->recvMem + 16) + step % STEPS;
    }

    /// Where kernels reach each other's lines, these say whose they are; a proxy looks at flags alone.
    __device__ inline u32 lineStamp() const {
        return isDirect ? stamp : 0;
    }

    __device__ inline void next(u32 protocol) {
        step++;
        lines += protocol == LL && isDirect ? 1 : 0;
    }

    __device__ inline void save() {
        connection->step = step;
        connection->lines = lines;
        connection->seen = seen;
        connection->placed = placed;
    }
};

/// The stream puts launches in order, and so what one tells the next.
__device__ inline bool isBroken(const Launch& launch) {
    return loadRelaxed(&launch.connections->isBroken) != 0;
}

__device__ inline Status* statusOf(const Launch& launch) {
    return launch.status + blockIdx.x;
}

/// All threads of a block have done their part. The last block tells the host; a graph's launch has no number to tell.
__device__ inline void retire(const Launch& launch) {
    __syncthreads();
    if (threadIdx.x != 0) {
        return;
    }
    if (gridDim.x > 1) {
        __threadfence_system();
        if (atomicAdd(&launch.connections->retired, (u64) 1) + 1 < gridDim.x) {
            return;
        }
        launch.connections->retired = 0;
    }
    if (launch.number != 0) {
        storeRelease((u64*) launch.status - DONE_WORDS, launch.number);
    }
}

/// A wait that will have ended when the launch's limit is over, or when the host wants it to. A long one is told to it.
struct Wait {
    const Launch& launch;
    const Side& side;
    u64 awaited;
    u64 begunNs;
    u32 spins;

    __device__ inline Wait(const Launch& of, const Side& at, u64 what)
        : launch(of), side(at), awaited(what), begunNs(0), spins(0) {}

    /// Whether to look once more.
    __device__ inline bool goesOn() {
        spins++;
        if (spins % SPINS_BETWEEN_CHECKS == 0 && isOver()) {
            return false;
        }
        if (spins > SPINS_BEFORE_PAUSE) {
            pauseSpin();
        }
        return true;
    }

    __device__ inline bool isOver() {
        u64 now = clockNs();
        if (begunNs == 0) {
            begunNs = now;
            tell(awaited);
        }
        u64 reason = loadRelaxed(launch.abortWord) != 0 ? ABORTED
                : (i64) (now - begunNs) > (i64) launch.limitNs ? EXPIRED : 0;
        if (reason != 0) {
            giveUp(reason);
        }
        return reason != 0;
    }

    __device__ inline void giveUp(u64 reason) {
        storeRelaxed(&launch.connections->isBroken, 1);
        storeRelease(&statusOf(launch)->reason, reason);
    }

    /// What came is part of another operation than this rank's.
    __device__ inline void disagree() {
        tell(awaited);
        giveUp(DISAGREED);
    }

    __device__ inline void tell(u64 what) {
        Status* status = statusOf(launch);
        storeRelaxed(&status->launch, launch.number);
        storeRelaxed(&status->step, side.step);
        storeRelaxed(&status->peer, side.connection->peer);
        storeRelaxed(&status->awaited, what);
    }

    __device__ inline void end() {
        if (begunNs != 0) {
            storeRelaxed(&statusOf(launch)->awaited, 0);
        }
    }
};

/// Until a word of the connection is at least so much: what it had then; false if it never is.
__device__ inline bool awaitWord(const Launch& launch, Side& side, const u64* word, u64 needed, u64 awaited) {
    Wait wait(launch, side, awaited);
    side.seen = loadAcquire(word);
    while ((i64) (side.seen - needed) < 0) {
        if (!wait.goesOn()) {
            return false;
        }
        side.seen = loadAcquire(word);
    }
    wait.end();
    return true;
}

/// The memory that a peer gave a handle, which is not to be trusted; no bytes if there is none. The host may change the
/// table meanwhile: no handle is given twice, and so what lies between two looks at it is of one entry.
__device__ inline Place findPlace(const Place* places, u64 handle) {
    for (u32 i = 0; i < PLACE_PROBES && handle != 0; i++) {
        const Place* place = places + (handle + i) % PLACES;
        if (loadAcquire(&place->handle) == handle) {
            Place found = {handle, (u8*) loadAcquire((const u64*) &place->address), loadAcquire(&place->bytes)};
            if (loadRelaxed(&place->handle) == handle) {
                return found;
            }
        }
    }
    Place none = {handle, 0, 0};
    return none;
}

/// The same. All blocks look over the bus one after the other: so each remembers what it found as long as nothing was
/// taken from the table; but a graph does not know that.
__device__ inline Place knownPlace(Connection* connection, u64 version, u64 handle) {
    if (version != ANY_VERSION && connection->knownVersion == version && connection->known.handle == handle) {
        return connection->known;
    }
    connection->known = findPlace(connection->places, handle);
    connection->knownVersion = version;
    return connection->known;
}
