/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import java.util.List;

/** A network of a runtime, whatever it carries: messages, or collectives. Made by a {@link NetworkProvider}. */
public interface Network extends AutoCloseable {
    /**
     * The network's name. Any thread.
     *
     * @return as {@link NetworkProvider#name()}
     */
    String name();

    /**
     * How many devices can be used. Any thread; does not change.
     *
     * @return 0 if the network is of no use here
     */
    int devices();

    /**
     * What was found on this host, for {@code proxyrt info}. Any thread.
     *
     * @return which devices are used and why, and why others are not
     */
    String describe();

    /**
     * Why the network is as it is, for {@code proxyrt info net} and {@code info collnet}. Any thread.
     *
     * @return lines of the form {@code subject: what, why; what would change it}: one for each device of the host,
     *         used or not, then one for each other choice, such as ports and engine
     */
    default List<String> explain() {
        return List.of(describe());
    }

    /** Gives back what the network holds; all that was opened with it is closed before. Idempotent. */
    @Override
    void close();
}
