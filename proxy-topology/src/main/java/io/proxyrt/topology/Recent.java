/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** What was found last; who asks for the same meanwhile waits for it. Any thread. */
final class Recent<K, V> {
    private static final int MOST = 64;

    private final Map<K, V> values = new LinkedHashMap<>(MOST, 0.75f, true);

    /** Finds it, unless it is remembered. */
    synchronized V get(K key, Function<K, V> finder) {
        V known = values.get(key);
        if (known == null) {
            known = finder.apply(key);
            values.put(key, known);
            if (values.size() > MOST) {
                values.remove(values.keySet().iterator().next());
            }
        }
        return known;
    }
}
