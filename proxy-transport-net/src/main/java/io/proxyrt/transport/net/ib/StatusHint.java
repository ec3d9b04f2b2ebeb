/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

/** What the status of a work completion usually means, and what to look at. */
final class StatusHint {
    private StatusHint() {
    }

    /** Whether other queue pairs may do better: it is not for what was asked for. */
    static boolean isOfThePath(int status) {
        return switch (status) {
            case 2, 5, 12, 13, 19, 20, 21 -> true;
            default -> false;
        };
    }

    static String of(int status) {
        return switch (status) {
            case 1 -> "a message is longer than the adapter takes";
            case 2 -> "the adapter refused the work request: look at its firmware and dmesg; soft-RoCE says so where "
                    + "its interface is down";
            case 4 -> "memory of the message is not registered any more, or was freed";
            case 5 -> "the queue pair had failed before";
            case 9 -> "the peer refused what was sent: do both ends run the same version?";
            case 10 -> "the peer's memory is not registered any more, or was freed";
            case 11 -> "the peer's adapter could not carry it out: look at its dmesg";
            case 12 -> "the peer did not acknowledge in time: its process or host is gone, a link is down, or MTU, "
                    + "GID, VLAN or a firewall keep RoCE from arriving; see net.ib.timeout and net.ib.retry.count";
            case 13 -> "the peer had no receive posted";
            case 19 -> "the adapter failed: look at dmesg";
            default -> "look at dmesg of both hosts";
        };
    }
}
