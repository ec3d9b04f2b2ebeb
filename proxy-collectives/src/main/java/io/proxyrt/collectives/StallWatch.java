/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.diagnosis.Reason;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Says whom all wait for when nothing has moved for a while. The thread that waits looks, which costs it nothing as
 * long as anything moves. It sees the ranks of this host.
 */
final class StallWatch {
    private static final Logger LOG = Subsystem.COLL.logger();
    /** What takes longer may be of interest to others. */
    private static final long NOTED_NS = Duration.ofMillis(250).toNanos();

    private final String name;
    private final long thresholdNs;
    private final boolean isAborting;
    private final Supplier<Optional<Diagnosis>> look;
    private final Notes notes;
    private volatile Consumer<String> listener = sentence -> { };
    private boolean isTold;
    private boolean isNoted;
    private long notedMs;

    /** Where others can see it. */
    interface Notes {
        /** Nothing has moved for so long. */
        void standing(long ms);

        /** Something has, after so long at least. */
        void resumed(long ms);

        /** Nothing has moved for so long, for a reason that a rank owes. */
        void stuck(Diagnosis found, long ms);
    }

    /** Tells once for each stall. */
    StallWatch(String name, Duration threshold, boolean isAborting, Supplier<Optional<Diagnosis>> look, Notes notes) {
        this.name = name;
        this.thresholdNs = threshold.isZero() ? Long.MAX_VALUE : threshold.toNanos();
        this.isAborting = isAborting;
        this.look = look;
        this.notes = notes;
    }

    static StallWatch of(ProxyConfig config, String name, Supplier<Optional<Diagnosis>> look, Notes notes) {
        return new StallWatch(name, config.get(CollectivesOptions.STALL), config.get(CollectivesOptions.STALL_ABORT),
                look, notes);
    }

    /** Who is told each sentence. */
    void onStall(Consumer<String> newListener) {
        listener = newListener;
    }

    /**
     * Nothing has moved for so long; the thread that waits.
     *
     * @return what has to end the communicator; null if nothing has to
     */
    ProxyException look(long standstillNs) {
        note(standstillNs);
        if (standstillNs < thresholdNs) {
            isTold = false;
            return null;
        }
        if (isTold) {
            return null;
        }
        isTold = true;
        return tell(standstillNs / 1_000_000);
    }

    private void note(long standstillNs) {
        if (isNoted != standstillNs >= NOTED_NS) {
            isNoted = !isNoted;
            if (isNoted) {
                notedMs = standstillNs / 1_000_000;
                notes.standing(notedMs);
            } else {
                notes.resumed(notedMs);
            }
        }
    }

    private ProxyException tell(long ms) {
        Diagnosis found = diagnosis().orElse(null);
        if (found == null || found.reason() == Reason.NONE) {
            return null;
        }
        String text = name + ": nothing has moved for " + ms + " ms: " + found.sentence();
        notes.stuck(found, ms);
        LOG.warn("{}", text);
        listener.accept(text);
        return isAborting ? new ProxyException(ProxyResult.TIMEOUT, text) : null;
    }

    /** Why nothing moves, behind a colon; empty if it is not known. */
    String why() {
        return diagnosis().map(Diagnosis::why).filter(text -> !text.isEmpty()).map(text -> ": " + text).orElse("");
    }

    /** Files that cannot be read are no reason to fail in another way. */
    private Optional<Diagnosis> diagnosis() {
        try {
            return look.get();
        } catch (ProxyException e) {
            LOG.debug("{}: it is not known why nothing moves: {}", name, e.getMessage());
            return Optional.empty();
        }
    }
}
