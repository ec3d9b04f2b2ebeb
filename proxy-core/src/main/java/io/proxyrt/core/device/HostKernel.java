/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.ProxyException;

/**
 * A program of the host device. A GPU's kernel spins on control words; this one returns instead, and is called again:
 * so one thread can run it and the proxy in turn. Confined to the thread that runs its stream, from
 * {@link HostStream#launch} until it is done.
 */
public interface HostKernel {
    /**
     * Goes on as far as the control words allow. Bounded; never blocks.
     *
     * @return greater than 0 if anything moved
     * @throws io.proxyrt.core.ProxyException if what a peer says makes no sense; the stream ends then
     */
    int doWork();

    /**
     * Whether it has finished.
     *
     * @return true once nothing is left
     */
    boolean isDone();

    /**
     * Called once when it leaves the stream, done or dropped; it may be launched again from here on.
     *
     * @param isDropped true if it did not finish
     */
    void onRetired(boolean isDropped);

    /**
     * Why what it waits for will never come: {@link DeviceConnection#whyNoSteps} or {@link
     * DeviceConnection#whyNoCredit} of a connection without which it cannot go on. Asked when nothing has moved for a
     * while; if it says so, {@link #doWork} is called once more, for a peer that is gone may have done its part, and
     * then this again.
     *
     * @return null while it may go on
     */
    default ProxyException whyHopeless() {
        return null;
    }

    /**
     * What it does and what it waits for. Any thread, while it runs: so it tells what it can see, and changes nothing.
     *
     * @return one line for people
     */
    @Override
    String toString();
}
