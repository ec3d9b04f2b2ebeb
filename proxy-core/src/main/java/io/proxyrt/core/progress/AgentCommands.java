/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;

/** What other threads ask of an agent, which answers between two passes. */
final class AgentCommands {
    private final Queue<Runnable> queue = new MpscUnboundedVarHandleArrayQueue<>(64);
    private final String agent;
    private final Runnable wakeup;
    private volatile boolean isClosed;

    /** The wakeup has to be a full fence, too. */
    AgentCommands(String agent, Runnable wakeup) {
        this.agent = agent;
        this.wakeup = wakeup;
    }

    /** Any thread; fails if the agent has ended. */
    <T> CompletableFuture<T> ask(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        queue.add(() -> {
            try {
                answer.complete(question.get());
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        // A full fence too: of this load of isClosed and the look at the commands in close, one sees the other.
        wakeup.run();
        if (isClosed) {
            answer.completeExceptionally(new ProxyException(ProxyResult.INVALID_USAGE, agent + " has ended"));
        }
        return answer;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** The agent's thread. Returns how many there were. */
    int run() {
        int count = 0;
        for (Runnable command = queue.poll(); command != null; command = queue.poll()) {
            command.run();
            count++;
        }
        return count;
    }

    /** The agent's thread, for the last time. */
    void close() {
        isClosed = true;
        run();
    }

    boolean isClosed() {
        return isClosed;
    }
}
