/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.platform.Closing;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What several connections share, by key, with a count of users: made for the first of them, closed behind the last;
 * the next one gets a new one. Service thread.
 *
 * @param <K> what tells them apart
 * @param <V> what is shared
 */
public final class Shares<K, V extends AutoCloseable> {
    private final Map<K, Entry<V>> entries = new HashMap<>();

    /** None yet. */
    public Shares() {
    }

    private static final class Entry<V> {
        private final V value;
        private int users;

        Entry(V value) {
            this.value = value;
        }
    }

    /**
     * The right of one user to what is shared.
     *
     * @param <V> what is shared
     */
    public static final class Lease<V extends AutoCloseable> implements AutoCloseable {
        private final Map<?, Entry<V>> entries;
        private Entry<V> entry;

        private Lease(Map<?, Entry<V>> entries, Entry<V> entry) {
            this.entries = entries;
            this.entry = entry;
            entry.users++;
        }

        /**
         * What is shared.
         *
         * @return the same for all users, until this is closed
         */
        public V shared() {
            return entry.value;
        }

        /** Gives the right up, and closes what is shared with the last one. Idempotent. */
        @Override
        public void close() {
            Entry<V> left = entry;
            entry = null;
            if (left != null && --left.users == 0) {
                entries.values().remove(left);
                new Closing().add(left.value).end();
            }
        }
    }

    /**
     * Gives one more user the right.
     *
     * @param key   of what is shared
     * @param maker makes it, if it has no user yet; if it throws, nothing changes
     * @return owned by the caller
     */
    public Lease<V> acquire(K key, Supplier<V> maker) {
        Entry<V> entry = entries.get(key);
        if (entry == null) {
            entry = new Entry<>(maker.get());
            entries.put(key, entry);
        }
        return new Lease<>(entries, entry);
    }

    /**
     * What is shared.
     *
     * @param key of it
     * @return null if it has no user
     */
    public V get(K key) {
        Entry<V> entry = entries.get(key);
        return entry == null ? null : entry.value;
    }

    /**
     * How many are shared.
     *
     * @return keys that have users
     */
    public int size() {
        return entries.size();
    }
}
