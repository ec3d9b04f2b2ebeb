/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.core.ProxyResult;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the other ranks see of a fault: a row of the table in docs/transports.md for one of its columns.
 *
 * @param fault  of rank 1
 * @param api    what the ranks are written against
 * @param result of the exception at each other rank; null if there is none, and the job goes on
 * @param words  all of which are in its message; {@code PID} stands for rank 1's process
 * @param after  how long after the fault, for the table
 */
record FaultCell(Fault fault, Api api, ProxyResult result, List<String> words, String after) {
    /** What ranks are written against. */
    enum Api { COMMUNICATOR, PROXY_STATE }

    private static final String BOTH = "INVALID_USAGE that says what both ranks call";
    private static final String NOT_CONNECTED = "nothing: they are not connected";
    private static final String NOT_CHECKED = "what kernels of one's own check";

    /** The cells that are tried here; {@code ThreadLimitTest} of proxy-collectives has ranks without threads. */
    static Stream<FaultCell> all() {
        return Arrays.stream(Fault.values()).filter(fault -> fault != Fault.THREADS)
                .flatMap(fault -> Arrays.stream(Api.values()).map(api -> of(fault, api))).filter(Objects::nonNull);
    }

    /** Returns null for what is not tried. */
    private static FaultCell of(Fault fault, Api api) {
        boolean isComm = api == Api.COMMUNICATOR;
        return switch (fault) {
            case KILL -> failed(fault, api, "at once", "rank 1 (pid PID");
            case STOP_3S -> new FaultCell(fault, api, null, List.of(), "");
            case STOP -> failed(fault, api, isComm ? "`coll.silence.timeout`" : "`peer.silence.timeout`",
                    "rank 1 (pid PID");
            case LEAVE, HEAP -> failed(fault, api, "at once", "rank 1 (pid PID");
            case THREADS -> isComm ? failed(fault, api, "at once", "rank 1 (pid PID") : null;
            case DESCRIPTORS -> isComm ? failed(fault, api, "at once", "rank 1 (pid PID") : null;
            case MEMORY -> isComm ? new FaultCell(fault, api, ProxyResult.SYSTEM_ERROR, List.of("rank 1"), "at once")
                    : null;
            case NEVER -> isComm ? new FaultCell(fault, api, ProxyResult.TIMEOUT, List.of("rank 1", "step"),
                    "`coll.timeout`") : null;
            case OTHER -> isComm ? new FaultCell(fault, api, ProxyResult.INVALID_USAGE,
                    List.of("rank 1", "all_gather", "all_reduce"), "at once") : null;
            case SIZE -> isComm ? new FaultCell(fault, api, ProxyResult.INVALID_USAGE,
                    List.of("rank 1", "16384", "8192"), "at once") : null;
        };
    }

    private static FaultCell failed(Fault fault, Api api, String after, String... words) {
        return new FaultCell(fault, api, ProxyResult.REMOTE_ERROR, List.of(words), after);
    }

    /** All rows of the table. */
    static String table() {
        return Arrays.stream(Fault.values()).map(fault -> "| " + fault.text() + " | "
                + Arrays.stream(Api.values()).map(api -> text(fault, api)).collect(Collectors.joining(" | ")) + " |\n")
                .collect(Collectors.joining());
    }

    private static String text(Fault fault, Api api) {
        FaultCell cell = of(fault, api);
        if (cell == null) {
            return fault == Fault.NEVER ? "nothing; `dump()` names rank and step"
                    : fault == Fault.OTHER || fault == Fault.SIZE ? NOT_CHECKED : NOT_CONNECTED;
        }
        if (cell.result == null) {
            return "nothing";
        }
        String what = cell.result == ProxyResult.INVALID_USAGE ? BOTH : cell.result + " that names rank 1";
        return what + (cell.words.stream().anyMatch(word -> word.contains("PID")) ? ", pid and reason" : "")
                + ", " + cell.after;
    }

    @Override
    public String toString() {
        return fault + " " + api;
    }
}
