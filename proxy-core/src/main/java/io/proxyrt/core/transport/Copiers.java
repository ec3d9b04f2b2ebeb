/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.CopyChoice;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Copier;
import io.proxyrt.core.platform.NativeCopy;
import io.proxyrt.core.platform.Platform;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/** Makes the {@link Copier}s of a runtime, as {@link CoreOptions#COPY} says. Any thread. */
public final class Copiers {
    private static final Logger LOG = Subsystem.TUNING.logger();

    private final CopyChoice choice;
    private final Optional<NativeCopy> library;
    private final int rank;
    private final AtomicBoolean hasToldOfFill = new AtomicBoolean();
    private final AtomicBoolean hasToldOfDrain = new AtomicBoolean();

    /**
     * Of a rank.
     *
     * @param platform has the C library's copy
     * @param config   has the choice
     * @param rank     for the log
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the C library's is asked for, and there is none
     */
    public Copiers(Platform platform, ProxyConfig config, int rank) {
        this.choice = config.get(CoreOptions.COPY);
        this.library = choice == CopyChoice.JVM ? Optional.empty() : platform.copy();
        this.rank = rank;
        if (choice == CopyChoice.NATIVE && library.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "copy=native, but there is no C library to call: "
                    + platform.whyNot());
        }
    }

    /**
     * For one end of a connection.
     *
     * @param direction SEND if it fills memory that the peer reads
     * @param peer      for the log
     * @return for one thread at a time
     */
    public Copier of(Direction direction, String peer) {
        if (library.isEmpty()) {
            return Copier.JVM;
        }
        LibraryCopier copier = new LibraryCopier(library.get());
        return choice == CopyChoice.NATIVE ? copier
                : new MeasuringCopier(copier, (trial, bytes) -> tell(direction, peer, trial, bytes));
    }

    /** Once of each direction at INFO: with many connections there are many decisions. */
    private void tell(Direction direction, String peer, CopyTrial trial, long bytes) {
        AtomicBoolean hasTold = direction == Direction.SEND ? hasToldOfFill : hasToldOfDrain;
        boolean isFirst = !hasTold.getAndSet(true);
        LOG.atLevel(isFirst ? Level.INFO : Level.DEBUG).log("rank {} copies {} bytes {} {} by {}: {}{}", rank, bytes,
                direction == Direction.SEND ? "to" : "from", peer, trial.isNative() ? "the C library" : "the JVM",
                trial, isFirst ? "; each connection and size decides by itself" : "");
    }
}
