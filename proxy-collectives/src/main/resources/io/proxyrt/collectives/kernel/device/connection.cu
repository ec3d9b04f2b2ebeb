/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// The kernels' end of a connection, and waiting for the other end. A block's threads all know the same of it; the first
// of them alone looks at the words of the connection, and stores them.

/// As Protocol numbers them.
enum Protocol { LL, LL128, SIMPLE };

/// What a wait was for, and why it ended, as DeviceFailure reads it.
enum Awaited { CREDIT = 1, DATA = 2, LINES = 3 };
enum Reason { ABORTED = 1, EXPIRED = 2 };

/// In device memory; filled in by ConnectionDescriptor when it is connected. What counts persists between launches.
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
    u64 reserved[2];
};

/// In the host's memory, one for each block: whether it moves, and what stopped it, as StatusDescriptor has it.
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

/// What the first thread of a block tells the others.
struct Shared {
    u64 headSeen;
    u64 tailSeen;
    u64 sendOffset;
    u64 recvOffset;
    u64 isOver;
};

static const u64 STEPS = 8;
static const u32 SPINS_BEFORE_PAUSE = 64;
static const u32 SPINS_BETWEEN_CHECKS = 1024;

struct Side {
    Connection* connection;
    u64 step;
    u64 lines;
    u64 seen;
    u8* buffer;
    u64 stepBytes;
    bool isUsed;
    bool isDirect;
    bool isShared;

    __device__ inline void open(Connection* of, u32 protocol) {
        connection = of;
        step = of->step;
        lines = of->lines;
        seen = of->seen;
        buffer = of->buffers[protocol];
        stepBytes = of->stepBytes[protocol];
        isUsed = true;
        isDirect = (of->directProtocols >> protocol & 1) != 0;
        isShared = of->isShared != 0 && protocol == SIMPLE;
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

    __device__ inline u64 pooledOffset() const {
        return loadRelaxed(size() - 1) >> 32;
    }

    /// On a direct connection lines are counted by themselves, as LinePrimitives says.
    __device__ inline u64 lineStep(u32 protocol) const {
        return protocol == LL && isDirect ? lines : step;
    }

    __device__ inline u8* lineSlot(u32 protocol) const {
        return buffer + lineStep(protocol) % STEPS * stepBytes;
    }

    /// The proxy rounds its base up alike.
    __device__ inline void roundUp(u64 chunkSteps) {
        step = (step + chunkSteps - 1) / chunkSteps * chunkSteps;
    }

    __device__ inline void save() {
        connection->step = step;
        connection->lines = lines;
        connection->seen = seen;
    }
};

/// A wait that will have ended when the launch's limit is over, or when the host wants it to.
struct Wait {
    const Launch* launch;
    u64 begunNs;
    u32 spins;

    __device__ inline explicit Wait(const Launch& of) : launch(&of), begunNs(0), spins(0) {}

    /// Why it has to end; 0 if it has not.
    __device__ inline u64 turn() {
        if (++spins % SPINS_BETWEEN_CHECKS == 1) {
            u64 now = clockNs();
            begunNs = begunNs == 0 ? now : begunNs;
            if (loadRelaxed(launch->abortWord) != 0) {
                return ABORTED;
            }
            if ((i64) (now - begunNs) > (i64) launch->limitNs) {
                return EXPIRED;
            }
        }
        if (spins > SPINS_BEFORE_PAUSE) {
            pauseSpin();
        }
        return 0;
    }
};

/// The first failure of a launch stays; the reason comes last.
__device__ inline void fail(const Launch& launch, const Side& side, u64 reason, u64 awaited) {
    Status* status = launch.status + blockIdx.x;
    if (loadRelaxed(&status->reason) != 0) {
        return;
    }
    storeRelaxed(&status->launch, launch.number);
    storeRelaxed(&status->awaited, awaited);
    storeRelaxed(&status->step, side.step);
    storeRelaxed(&status->peer, side.connection->peer);
    storeRelease(&status->reason, reason);
}

/// Until a word of the connection is at least so much: what it had then; false if it never is.
__device__ inline bool awaitWord(const Launch& launch, Side& side, const u64* word, u64 needed, u64 awaited) {
    Wait wait(launch);
    side.seen = loadAcquire(word);
    while ((i64) (side.seen - needed) < 0) {
        u64 reason = wait.turn();
        if (reason != 0) {
            fail(launch, side, reason, awaited);
            return false;
        }
        side.seen = loadAcquire(word);
    }
    return true;
}
