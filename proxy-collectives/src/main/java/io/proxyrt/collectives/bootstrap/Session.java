/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.bootstrap;

import io.proxyrt.core.JobSecret;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Queue;

/**
 * A rank's connection that the root has accepted.
 *
 * @param selector has the one key
 * @param link     the connection
 * @param key      its key
 * @param config   the limits that the root named
 * @param secret   of the job
 * @param early    what came right behind the root's answer
 */
record Session(Selector selector, Link link, SelectionKey key, BootstrapConfig config, JobSecret secret,
        Queue<Message> early) implements AutoCloseable {
    @Override
    public void close() {
        link.close();
        try {
            selector.close();
        } catch (IOException e) {
            BootstrapRoot.LOG.debug("closing a selector failed", e);
        }
    }
}
