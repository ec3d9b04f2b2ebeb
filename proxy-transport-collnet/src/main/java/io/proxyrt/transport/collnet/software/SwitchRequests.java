/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.ProxyResult;
import java.util.stream.IntStream;

/**
 * The requests of a comm, and the failure that ends them. Requests are numbered as their calls, from 1, so a request is
 * refused while the one 32 before it has not been tested to its end.
 *
 * <pre>
 *  tested  ≤  complete  ≤  posted  ≤  tested + 32     (when tested in order)
 * </pre>
 */
final class SwitchRequests {
    static final int MAX = 32;

    private final String network;
    private final SwitchCall[] calls = IntStream.range(0, MAX).mapToObj(i -> new SwitchCall())
            .toArray(SwitchCall[]::new);
    private final boolean[] isOutstanding = new boolean[MAX];
    private long posted;
    private long complete;
    private ProxyResult result = ProxyResult.SUCCESS;
    private String failure = "";

    /** None yet, of a comm over a network that is called so in messages. */
    SwitchRequests(String network) {
        this.network = network;
    }

    /** Requests taken so far, and so the number of the last one. */
    long posted() {
        return posted;
    }

    /** Requests done so far: those up to this number. */
    long complete() {
        return complete;
    }

    /** The call of a request that was taken, or is about to be. */
    SwitchCall call(long request) {
        return calls[place(request)];
    }

    /** The call of the next request, to be described and then taken; null if there is no room, or nothing goes on. */
    SwitchCall next() {
        return isFailed() || isOutstanding[place(posted + 1)] ? null : call(posted + 1);
    }

    long take() {
        isOutstanding[place(++posted)] = true;
        return posted;
    }

    /** Takes note that the result of the next call is in place. */
    void completeNext() {
        assert complete < posted : complete + " of " + posted;
        complete++;
    }

    /** Whether a request was taken, is not complete, and still can be. */
    boolean isPending(long request) {
        return complete < request && request <= posted && !isFailed();
    }

    /** What {@code test} says of a request as things are. On 1 the request is over. */
    int test(long request) {
        if (request <= 0 || request > posted || request <= posted - MAX || !isOutstanding[place(request)]) {
            return refuse("request " + request + " is not outstanding with " + network);
        }
        if (request > complete) {
            return code();
        }
        isOutstanding[place(request)] = false;
        return 1;
    }

    boolean isFailed() {
        return result.isError();
    }

    /** The negated result: 0 as long as nothing failed. */
    int code() {
        return -result.code();
    }

    /** Why the last call failed, or all do from now on; empty if none did. */
    String failure() {
        return failure;
    }

    /** Fails all that is not complete, and all that is to come. The first failure stays. */
    void fail(ProxyResult newResult, String detail) {
        if (!isFailed()) {
            result = newResult;
            failure = network + ": " + detail;
        }
    }

    /** Refuses a call with unusable arguments; the comm is none the worse for it. */
    int refuse(String detail) {
        if (!isFailed()) {
            failure = detail;
        }
        return -ProxyResult.INVALID_ARGUMENT.code();
    }

    private static int place(long request) {
        return (int) request & MAX - 1;
    }
}
