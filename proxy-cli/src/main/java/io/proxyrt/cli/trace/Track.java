/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * A line of a rank's ops, none of which is shown to begin before the one before has ended: of a channel, of those that
 * send or receive. Of more than 4096 that are active at a time, the last line has those that are too many one after the
 * other, later than they were.
 *
 * @param channel of the communicator
 * @param verb    send, receive or unknown
 * @param lane    0, or more where several ops are active at a time
 */
public record Track(int channel, String verb, int lane) implements Comparable<Track> {
    private static final int MAX_LANES = 4096;
    private static final long AT_ONCE_NS = 1000;
    private static final int FIRST_ID = 1000;
    private static final List<String> VERBS = List.of("send", "receive", "unknown");
    private static final Comparator<Track> ORDER = Comparator.comparingInt(Track::id);

    /**
     * The same for the same track of any rank and of any trace.
     *
     * @return of no other track: a channel has 16 bits
     */
    public int id() {
        return FIRST_ID + (channel * VERBS.size() + VERBS.indexOf(verb)) * MAX_LANES + lane;
    }

    @Override
    public int compareTo(Track other) {
        return ORDER.compare(this, other);
    }

    /**
     * Its name.
     *
     * @return for people
     */
    public String title() {
        return "channel " + channel + " " + verb + (lane == 0 ? "" : " (" + (lane + 1) + ")");
    }

    /**
     * Where an op is shown.
     *
     * @param track   its track
     * @param startNs as its own; a bit later where several are of one look at the clock, so that none is in another
     * @param endNs   as well
     */
    public record Place(Track track, long startNs, long endNs) {
    }

    /**
     * Gives each op a place, but for those that wait for the one before.
     *
     * @param ops of a rank, by their beginning
     * @return by op, not by its value
     */
    public static Map<OpSpan, Place> of(List<OpSpan> ops) {
        Map<Track, List<Long>> ends = new HashMap<>();
        Map<OpSpan, Place> places = new IdentityHashMap<>();
        for (OpSpan op : ops) {
            if (op.state() != OpSpan.State.QUEUED) {
                Track first = new Track(op.channel(), op.way().verb(), 0);
                places.put(op, place(first, ends.computeIfAbsent(first, any -> new ArrayList<>()), op));
            }
        }
        return places;
    }

    private static Place place(Track first, List<Long> ends, OpSpan op) {
        int lane = 0;
        while (lane < ends.size() && ends.get(lane) - AT_ONCE_NS > op.startNs() && lane < MAX_LANES - 1) {
            lane++;
        }
        if (lane == ends.size()) {
            ends.add(Long.MIN_VALUE / 2);
        }
        long startNs = Math.max(op.startNs(), ends.get(lane));
        long endNs = Math.max(op.endNs(), startNs + 1);
        ends.set(lane, endNs);
        return new Place(new Track(first.channel, first.verb, lane), startNs, endNs);
    }
}
