/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.config.ProxyConfig;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * What a rank wants of its link to the root.
 *
 * @param silenceMillis how long either side may be silent; 0 for what the root was opened with
 * @param resumeMillis  how long a connection that broke may take to come back; 0 if its end is the rank's
 */
record LinkTerms(int silenceMillis, int resumeMillis) {
    static final LinkTerms NONE = new LinkTerms(0, 0);
    static final int BYTES = 2 * Integer.BYTES;
    /** Of the network that comes with the runtime, if it is there: links and data connections come back alike. */
    private static final String RESUME = "proxyrt.net.socket.resume";

    static LinkTerms of(ProxyConfig config) {
        final int silence = config.isSet(BootstrapOptions.SILENCE_TIMEOUT)
                ? millis(config.get(BootstrapOptions.SILENCE_TIMEOUT)) : 0;
        final int resume = config.settings().stream().filter(setting -> setting.option().key().equals(RESUME))
                .findAny().map(setting -> millis((Duration) setting.value())).orElse(0);
        return new LinkTerms(silence, resume);
    }

    private static int millis(Duration duration) {
        return (int) Math.min(Deadline.millis(duration), BootstrapConfig.MAX_SILENCE.toMillis());
    }

    static LinkTerms read(MessageReader in) {
        return new LinkTerms(in.readIntMillis(), in.readIntMillis());
    }

    void put(ByteBuffer out) {
        out.putInt(silenceMillis).putInt(resumeMillis);
    }

    boolean isResumable() {
        return resumeMillis > 0;
    }

    /** What the root grants: what was wanted, as far as it makes sense with these limits. */
    LinkTerms within(BootstrapConfig config) {
        final long least = 2 * config.heartbeatInterval().toMillis();
        final long wanted = silenceMillis > 0 ? silenceMillis : config.silenceLimit().toMillis();
        return new LinkTerms((int) Math.max(least, wanted), resumeMillis);
    }
}
