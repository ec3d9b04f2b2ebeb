/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.dump;

import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Event;
import io.proxyrt.core.diagnosis.Reason;

/** What events mean, in words. */
public final class EventText {
    private EventText() {
    }

    /**
     * Says what its number, rank, channel and connection do not.
     *
     * @param event of any type
     * @return a clause for people; may be empty
     */
    public static String tell(Event event) {
        return switch (event.type()) {
            case FETCHED, DONE -> event.value() + " bytes";
            case BEGUN -> event.value() + " steps";
            case FAILED -> ProxyResult.of(event.detail()) + ", " + event.value() + " steps done";
            case STALLED -> "has not moved for 1 s, " + event.value() + " steps done";
            case RESUMED -> "after " + event.value() + " ms";
            case ERROR -> ProxyResult.of(event.detail()).toString();
            case CONNECTED, CLOSED -> event.detail() == Direction.RECV.ordinal() ? "receives" : "sends";
            case CALLED -> OpWord.describe(event.connection(), event.value());
            case WAITS -> "nothing has moved for " + event.value() + " ms";
            case STUCK -> "nothing has moved for " + event.value() + " ms: " + reason(event.detail());
            case STARTED, ENDED, NONE -> "";
        };
    }

    private static String reason(int code) {
        Reason[] all = Reason.values();
        return code < all.length ? all[code].label() : "an unknown reason";
    }
}
