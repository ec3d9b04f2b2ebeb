/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.StreamTurns;

/**
 * Waits for kernels of the host, and runs them meanwhile, in modes with threads in turns with the stream's. The runtime
 * ends them, and its dump has them.
 */
final class HostWaiter extends StreamWaiter {
    private final HostStream stream;
    private final StreamTurns turns;

    HostWaiter(CommunicatorParts parts, HostStream stream, IdleStrategy idle) {
        super(parts, idle);
        this.stream = stream;
        this.turns = stream.turns();
    }

    @Override
    int drive() {
        return isInvoker ? driveStreams() + super.drive() : turns.drive();
    }

    /** Other streams of the runtime have no thread either, and what they carry may be what peers wait for. */
    private int driveStreams() {
        int moved = turns.drive();
        return moved > 0 ? moved : proxy.streams().drive(stream);
    }

    /** A kernel begins when it is launched, also where the caller's thread runs it: what it sends is on its way. */
    @Override
    void launched() {
        super.launched();
        if (isInvoker) {
            turns.drive();
        } else {
            turns.launched();
        }
    }

    @Override
    void begin() {
        if (!isInvoker) {
            turns.claim();
        }
    }

    @Override
    void end() {
        if (!isInvoker) {
            turns.release();
        }
    }

    @Override
    long outstanding() {
        return stream.outstanding();
    }

    @Override
    long moves() {
        return stream.moves();
    }

    @Override
    ProxyException streamFailure() {
        return stream.failure();
    }
}
