/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// Messages: each direction of each channel has a block of its own, so that none waits for another.

struct Message {
    Connection* first;
    u8* buffer;
    u64 bytes;
    u64 channels;
    u64 llBytes;
    u32 stamp;
};

__device__ inline void runMessage(Block& block, const Message& message, u64 channel, int move) {
    u64 part = alignUp(ceilDiv(message.bytes, message.channels));
    u64 offset = least(message.bytes, channel * part);
    u64 bytes = least(part, message.bytes - offset);
    if (bytes == 0 && channel > 0 || isBroken(*block.launch)) {
        return;
    }
    block.protocol = bytes > 0 && bytes <= message.llBytes ? LL : SIMPLE;
    Side& side = move & SEND ? block.send : block.recv;
    side.open(message.first + 2 * channel, block.protocol);
    block.start(1, move, message.stamp);
    __syncthreads();
    u64 stepBytes = block.dataBytes();
    u64 at = 0;
    do {
        u64 length = least(stepBytes, bytes - at);
        if (!block.run(move, message.buffer + offset + at, message.buffer + offset + at, length)) {
            return;
        }
        at += length;
    } while (at < bytes);
    block.finish();
}

/// One launch of a message out, in, or both; its parameters are those of MessageArguments. Those in come first.
extern "C" __global__ void __launch_bounds__(512) proxyrtMessage(Connection* connections, Status* status,
        const u64* abortWord, u64 number, u64 limitNs, u64 recvFirst, u8* recvBuffer, u64 recvBytes,
        u64 recvHow, u64 recvLlBytes, u64 sendFirst, u8* sendBuffer, u64 sendBytes, u64 sendHow,
        u64 sendLlBytes) {
    __shared__ Shared shared;
    Launch launch = {connections, status, abortWord, number, limitNs};
    Block block;
    block.open(launch, &shared, SIMPLE);
    u64 receivers = (u32) recvHow;
    u64 senders = (u32) sendHow;
    if (blockIdx.x < receivers) {
        Message message = {connections + recvFirst, recvBuffer, recvBytes, receivers, recvLlBytes,
                (u32) (recvHow >> 32)};
        runMessage(block, message, blockIdx.x, RECV | OUT);
    } else if (blockIdx.x < receivers + senders) {
        Message message = {connections + sendFirst, sendBuffer, sendBytes, senders, sendLlBytes,
                (u32) (sendHow >> 32)};
        runMessage(block, message, blockIdx.x - receivers, SEND | OWN);
    }
}
