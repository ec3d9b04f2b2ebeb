/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.device.HostKernel;
import java.util.function.Consumer;

/** A kernel of the host that does nothing: once it has retired, all that was launched before it has. */
final class CompletionKernel implements HostKernel {
    private final Consumer<Boolean> onRetired;
    private boolean isDone;

    /** The listener hears whether it was dropped; on the thread that runs the stream. */
    CompletionKernel(Consumer<Boolean> onRetired) {
        this.onRetired = onRetired;
    }

    @Override
    public int doWork() {
        isDone = true;
        return 1;
    }

    @Override
    public boolean isDone() {
        return isDone;
    }

    @Override
    public void onRetired(boolean isDropped) {
        onRetired.accept(isDropped);
    }

    @Override
    public String toString() {
        return "completion of what was launched";
    }
}
