/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.ScatterGather;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.core.verbs.VerbsEvent;
import io.proxyrt.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Verbs of a host, with what a test wants to know of their use, and some calls that wait or fail when it says so. */
final class WatchedVerbs {
    @SuppressWarnings("restricted")
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** Queue pairs that were made. */
    final AtomicInteger queuePairs = new AtomicInteger();
    /** Their numbers, in this order. */
    final List<Integer> numbers = new CopyOnWriteArrayList<>();
    /** What the next waits for events return. */
    final Queue<VerbsEvent> events = new ConcurrentLinkedQueue<>();
    /** Transitions to RTR that began. */
    final AtomicInteger transitions = new AtomicInteger();
    /** What was registered, in this order. */
    final List<MemorySegment> registered = new CopyOnWriteArrayList<>();
    /** Devices that were closed. */
    final List<String> closed = new CopyOnWriteArrayList<>();
    /** Destroying a queue pair is refused. */
    volatile boolean isKeepingQueuePairs;
    /** Completion queues have one entry, whatever is asked for. */
    volatile boolean isTight;
    /** No completion queue of more entries is made. */
    volatile int longestQueue = Integer.MAX_VALUE;
    /** Completion queues that were made. */
    final AtomicInteger completionQueues = new AtomicInteger();
    /** What is registered by a dma-buf, whichever it is; null if devices know none. */
    volatile MemorySegment gpuMemory;
    /** Completion queues that are made lose what succeeded, as acknowledgements are lost. */
    volatile boolean isDeaf;
    /** Bytes of sends that were posted. */
    final AtomicLong posted = new AtomicLong();
    /** A port that does not answer; 0 for none. */
    volatile int silentPort;
    /** A transition to RTR takes one; null if none waits. */
    private volatile Semaphore permits;

    private final Verbs watched;

    /** Tells of failures alone. */
    private record Deaf(CompletionQueue inner) implements CompletionQueue {
        @Override
        public int poll(MemorySegment completions, int most) {
            int n = inner.poll(completions, most);
            int kept = 0;
            for (int i = 0; i < n; i++) {
                if (WorkCompletion.status(completions, i * WorkCompletion.BYTES) != WorkCompletion.SUCCESS) {
                    MemorySegment.copy(completions, i * WorkCompletion.BYTES, completions,
                            kept++ * WorkCompletion.BYTES, WorkCompletion.BYTES);
                }
            }
            return n < 0 ? n : kept;
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    WatchedVerbs(Verbs verbs) {
        this.watched = watch(Verbs.class, verbs);
    }

    Verbs verbs() {
        return watched;
    }

    /** Has transitions to RTR wait from now on, as they do while an address is being resolved. */
    void gate() {
        permits = new Semaphore(0);
    }

    void permit(int transitions) {
        permits.release(transitions);
    }

    private <T> T watch(Class<T> type, T inner) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (_, method, arguments) -> call(inner, method, arguments)));
    }

    private Object call(Object inner, Method method, Object[] arguments) throws Throwable {
        before(inner, method.getName(), arguments);
        if (method.getName().equals("awaitEvent") && !events.isEmpty()) {
            return events.remove();
        }
        if (method.getName().equals("registerDmaBuf") && gpuMemory != null) {
            refuse((int) arguments[0] < 0, "there is no dma-buf");
            return ((ProtectionDomain) inner).register(gpuMemory, (int) arguments[4]);
        }
        try {
            Object made = method.invoke(inner, arguments);
            if (inner instanceof VerbsContext context && method.getName().equals("close")) {
                closed.add(context.device());
            }
            return watched(made);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private Object watched(Object made) {
        return switch (made) {
            case VerbsContext context -> watch(VerbsContext.class, context);
            case ProtectionDomain domain -> watch(ProtectionDomain.class, domain);
            case QueuePair pair -> {
                numbers.add(pair.number());
                yield watch(QueuePair.class, pair);
            }
            case CompletionQueue queue when isDeaf -> new Deaf(queue);
            case null, default -> made;
        };
    }

    private void before(Object inner, String method, Object[] arguments) {
        switch (method) {
            case "queuePair" -> {
                queuePairs.incrementAndGet();
                arguments[0] = arguments[0] instanceof Deaf deaf ? deaf.inner() : arguments[0];
            }
            case "postSend" -> posted.addAndGet(bytes(((MemorySegment) arguments[0]).address() + (long) arguments[1]));
            case "register" -> registered.add((MemorySegment) arguments[0]);
            case "completionQueue" -> {
                refuse((int) arguments[0] > longestQueue, "cannot make a completion queue");
                completionQueues.incrementAndGet();
                arguments[0] = isTight ? 1 : arguments[0];
            }
            case "toReadyToReceive" -> {
                transitions.incrementAndGet();
                if (permits != null) {
                    permits.acquireUninterruptibly();
                }
            }
            case "port" -> refuse((int) arguments[0] == silentPort, "cannot ask for port " + silentPort);
            case "close" -> refuse(inner instanceof QueuePair && isKeepingQueuePairs, "cannot destroy a queue pair");
            default -> { }
        }
    }

    /** Of a chain of sends. */
    private static long bytes(long first) {
        long bytes = 0;
        for (long request = first; request != 0; request = SendRequest.next(ALL, request)) {
            for (int i = 0; i < SendRequest.sgeCount(ALL, request); i++) {
                bytes += ScatterGather.length(ALL, SendRequest.sges(ALL, request) + i * ScatterGather.BYTES);
            }
        }
        return bytes;
    }

    private static void refuse(boolean isRefused, String what) {
        if (isRefused) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, what + ": EIO (5)");
        }
    }
}
