/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Whose parts a call has at this switch: of the ranks behind it, in their order. Confined to the group's thread. */
final class Parts {
    private final int[] ranks;
    private final Link[] owners;
    private long begin;
    private long end;

    private record Seat(int rank, Link owner) {
    }

    /** Of all connections of a group. */
    Parts(List<Link> links) {
        final List<Seat> seats = links.stream().flatMap(Parts::seats).sorted(Comparator.comparingInt(Seat::rank))
                .toList();
        ranks = seats.stream().mapToInt(Seat::rank).toArray();
        owners = seats.stream().map(Seat::owner).toArray(Link[]::new);
    }

    private static Stream<Seat> seats(Link link) {
        return Arrays.stream(link.ranks()).mapToObj(rank -> new Seat(rank, link));
    }

    int[] ranks() {
        return ranks;
    }

    Link owner(int index) {
        return owners[index];
    }

    /** How much of a range of a reduce-scatter's outcome is a connection's. */
    long bytes(Call call, Link owner, long from, long to) {
        long bytes = 0;
        for (long at = from; find(call, owner, at, to); at = end) {
            bytes += end - begin;
        }
        return bytes;
    }

    /** Looks for a connection's next bytes in a range of a reduce-scatter's outcome. */
    boolean find(Call call, Link owner, long from, long to) {
        long at = 0;
        for (int i = 0; i < ranks.length && at < to; i++) {
            final long part = call.part(ranks[i]);
            begin = Math.max(at, from);
            end = Math.min(at + part, to);
            if (owners[i] == owner && begin < end) {
                return true;
            }
            at += part;
        }
        return false;
    }

    /** Of what was found. */
    long begin() {
        return begin;
    }

    long end() {
        return end;
    }
}
