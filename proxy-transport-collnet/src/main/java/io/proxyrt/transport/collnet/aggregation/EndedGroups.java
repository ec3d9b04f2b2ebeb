/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.transport.collnet.wire.GroupId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Why the last groups ended, so that a participant or a child switch that comes too late is told at once, and does not
 * wait in a new group of the same name. Any thread.
 */
final class EndedGroups {
    /** A late one comes within its time limit to connect; few switches end as many groups in that time. */
    static final int MAX = 1024;
    /** With that, all of them take a megabyte at most. */
    private static final int MAX_REASON = 400;

    private final Map<GroupId, String> reasons = new LinkedHashMap<>();

    /** A group has ended; its name is never given to another one. */
    synchronized void add(GroupId id, String why) {
        reasons.put(id, why.length() > MAX_REASON ? why.substring(0, MAX_REASON) + "..." : why);
        if (reasons.size() > MAX) {
            reasons.remove(reasons.keySet().iterator().next());
        }
    }

    /** Why it ended; null if it is not among the last that did. */
    synchronized String why(GroupId id) {
        return reasons.get(id);
    }
}
