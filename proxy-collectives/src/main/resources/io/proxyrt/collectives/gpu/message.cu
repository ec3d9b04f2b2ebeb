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

/// False if the launch has given up.
__device__ inline bool runMessage(Block& block, const Message& message, u64 channel, int move) {
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
    Side& side = move & SEND ? block.send : block.recv;
    side.open(block.launch->connections + message.first + 2 * channel, block.protocol);
    block.start(1, move, (u32) (message.how >> 32));
    __syncthreads();
    u64 stepBytes = block.dataBytes();
    u64 at = 0;
    do {
        u64 length = least(stepBytes, bytes - at);
        if (!block.run(move, message.buffer + offset + at, message.buffer + offset + at, length)) {
            return false;
        }
        at += length;
    } while (at < bytes);
    block.finish();
    return true;
}

/// One launch of messages out, in, or both; its parameters are those of MessageArguments. The first each way are among
/// them, the others in a list in the host's memory, those in before those out.
extern "C" __global__ void __launch_bounds__(512) proxyrtMessage(Connection* connections, Status* status,
        const u64* abortWord, u64 number, u64 limitNs, u64 recvFirst, u8* recvBuffer, u64 recvBytes,
        u64 recvHow, u64 recvLlBytes, u64 sendFirst, u8* sendBuffer, u64 sendBytes, u64 sendHow,
        u64 sendLlBytes, const Message* more, u64 moreRecvs, u64 moreSends, u64 recvBlocks, u64 sendBlocks) {
    __shared__ Shared shared;
    if (blockIdx.x >= recvBlocks + sendBlocks) {
        return;
    }
    Launch launch = {connections, status, abortWord, number, limitNs};
    Block block;
    block.open(launch, &shared, SIMPLE);
    bool isRecv = blockIdx.x < recvBlocks;
    int move = isRecv ? RECV | OUT : SEND | OWN;
    u64 channel = isRecv ? blockIdx.x : blockIdx.x - recvBlocks;
    Message message = {isRecv ? recvFirst : sendFirst, isRecv ? recvBuffer : sendBuffer,
            isRecv ? recvBytes : sendBytes, isRecv ? recvHow : sendHow, isRecv ? recvLlBytes : sendLlBytes};
    const Message* next = isRecv ? more : more + moreRecvs;
    const Message* end = next + (isRecv ? moreRecvs : moreSends);
    while (runMessage(block, message, channel, move) && next != end) {
        message = *next++;
        // What the message before has saved of its connection may be this one's.
        __syncthreads();
    }
}
