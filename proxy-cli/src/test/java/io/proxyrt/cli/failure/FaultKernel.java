/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.HostKernel;

/** A kernel of a user's own: some steps out, and some in. */
final class FaultKernel implements HostKernel {
    private final DeviceConnection sending;
    private final DeviceConnection receiving;
    private final long sendEnd;
    private final long recvEnd;
    private final int stepBytes;

    FaultKernel(DeviceConnection sending, DeviceConnection receiving, int steps, int stepBytes) {
        this.sending = sending;
        this.receiving = receiving;
        this.sendEnd = sending.step() + steps;
        this.recvEnd = receiving.step() + steps;
        this.stepBytes = stepBytes;
    }

    @Override
    public int doWork() {
        return send() + receive();
    }

    private int send() {
        long step = sending.step();
        if (step == sendEnd || sending.sendMem().head() + DeviceConnection.STEPS <= step) {
            return 0;
        }
        sending.recvMem().size((int) (step % DeviceConnection.STEPS), stepBytes);
        sending.recvMem().tail(step + 1);
        sending.step(step + 1);
        return 1;
    }

    private int receive() {
        long step = receiving.step();
        if (step == recvEnd || receiving.recvMem().tail() <= step) {
            return 0;
        }
        receiving.sendMem().head(step + 1);
        receiving.step(step + 1);
        return 1;
    }

    @Override
    public boolean isDone() {
        return sending.step() == sendEnd && receiving.step() == recvEnd;
    }

    @Override
    public ProxyException whyHopeless() {
        ProxyException why = sending.step() < sendEnd ? sending.whyNoCredit() : null;
        return why == null && receiving.step() < recvEnd ? receiving.whyNoSteps(Protocol.SIMPLE) : why;
    }

    @Override
    public void onRetired(boolean isDropped) {
    }

    @Override
    public String toString() {
        return "a kernel of " + (sendEnd - sending.step()) + " steps out and " + (recvEnd - receiving.step()) + " in";
    }
}
