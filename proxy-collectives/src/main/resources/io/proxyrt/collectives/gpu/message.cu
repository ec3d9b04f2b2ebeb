/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// Messages: each direction of each channel has a block of its own, so that neither waits for the other. A block takes the
// messages of a launch one after the other: all ranks have them in an order in which each can end once those before have.

/// As MessageTable lays it out.
struct Message {
    /// Index of the connection of its first channel.
    u64 first;
    u8* buffer;
    u64 bytes;
    /// Channels, and above them what tells it from others.
    u64 how;
    u64 llBytes;

    __device__ inline u64 channels() const {
        return (u32) how;
    }
};

/// False if the launch has given up. Compiled for each direction by itself: neither has registers for the other's side.
template <int MOVE>
__device__ inline bool runMessage(Block& block, const Message& message, u64 channel) {
    if (channel >= message.channels()) {
        return true;
    }
    u64 part = alignUp(ceilDiv(message.bytes, message.channels()));
    u64 offset = least(message.bytes, channel * part);
    u64 bytes = least(part, message.bytes - offset);
    if (bytes == 0 && channel > 0) {
        return true;
    }
    if (isBroken(*block.launch)) {
        return false;
    }
    block.protocol = bytes > 0 && bytes <= message.llBytes ? LL : SIMPLE;
    Connection* connection = block.launch->connections + message.first + 2 * channel;
    if (MOVE & SEND) {
        block.send.open(connection, block.protocol);
    } else {
        block.recv.open(connection, block.protocol);
    }
    block.start(1, MOVE, (u32) (message.how >> 32));
    __syncthreads();
    u64 stepBytes = block.dataBytes();
    u64 at = 0;
    do {
        u64 length = least(stepBytes, bytes - at);
        if (!block.run(MOVE, message.buffer + offset + at, message.buffer + offset + at, length, at)) {
            return false;
        }
        at += length;
    } while (at < bytes);
    block.finish();
    return true;
}

/// A channel's part of all messages one way.
template <int MOVE>
__device__ inline void runMessages(const Launch& launch, Shared* shared, Message message, const Message* next,
        const Message* end, u64 channel) {
    Block block;
    block.open(launch, shared, SIMPLE);
    while (runMessage<MOVE>(block, message, channel) && next != end) {
        message = *next++;
        // What the message before has saved of its connection may be this one's.
        __syncthreads();
    }
}

/// One launch of messages out, in, or both; its parameters are those of MessageArguments. The first each way are among
/// them, the others in a list in the host's memory, those in before those out.
extern "C" __global__ void __launch_bounds__(512) proxyrtMessage(Connection* connections, Status* status,
        const u64* abortWord, u64 number, u64 limitNs, u64 recvFirst, u8* recvBuffer, u64 recvBytes,
        u64 recvHow, u64 recvLlBytes, u64 sendFirst, u8* sendBuffer, u64 sendBytes, u64 sendHow,
        u64 sendLlBytes, const Message* more, u64 moreRecvs, u64 moreSends, u64 recvBlocks, u64 sendBlocks) {
    __shared__ Shared shared;
    Launch launch = {connections, status, abortWord, number, limitNs};
    const Message* sends = more + moreRecvs;
    if (blockIdx.x < recvBlocks) {
        Message recv = {recvFirst, recvBuffer, recvBytes, recvHow, recvLlBytes};
        runMessages<RECV | OUT>(launch, &shared, recv, more, sends, blockIdx.x);
    } else if (blockIdx.x < recvBlocks + sendBlocks) {
        Message send = {sendFirst, sendBuffer, sendBytes, sendHow, sendLlBytes};
        runMessages<SEND | OWN>(launch, &shared, send, sends, sends + moreSends, blockIdx.x - recvBlocks);
    }
    retire(launch);
}
