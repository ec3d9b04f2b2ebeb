/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.function.Predicate;

/** What was found last; who asks for the same meanwhile waits for it, and nothing else does. Any thread. */
final class Recent<K, V> {
    static final int MOST = 64;

    private final Map<K, FutureTask<V>> values = new LinkedHashMap<>(MOST, 0.75f, true);
    private final Predicate<V> isKept;

    Recent() {
        this(found -> true);
    }

    /** That forgets what holds for those alone that waited for it. */
    Recent(Predicate<V> isKept) {
        this.isKept = isKept;
    }

    /** Finds it, unless it is remembered; what the finder throws is not. */
    V get(K key, Function<K, V> finder) {
        FutureTask<V> task = task(key, finder);
        boolean isRight = false;
        try {
            task.run();
            V found = task.get();
            isRight = isKept.test(found);
            return found;
        } catch (InterruptedException e) {
            isRight = true;
            Thread.currentThread().interrupt();
            throw new ProxyException(ProxyResult.INVALID_USAGE, "interrupted while another thread finds out"
                    + " the topology of this host", e);
        } catch (ExecutionException e) {
            throw rethrown(e.getCause());
        } finally {
            if (!isRight) {
                forget(key, task);
            }
        }
    }

    /** Has no effect on one that runs, or ran. */
    private FutureTask<V> task(K key, Function<K, V> finder) {
        synchronized (values) {
            FutureTask<V> task = values.computeIfAbsent(key, wanted -> new FutureTask<>(() -> finder.apply(wanted)));
            if (values.size() > MOST) {
                values.remove(values.keySet().iterator().next());
            }
            return task;
        }
    }

    private void forget(K key, FutureTask<V> task) {
        synchronized (values) {
            values.remove(key, task);
        }
    }

    private static RuntimeException rethrown(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (RuntimeException) failure;
    }
}
