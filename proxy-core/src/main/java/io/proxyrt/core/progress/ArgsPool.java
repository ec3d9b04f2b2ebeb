/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

/** Free groups, so that none is allocated in steady state. Confined to the progress thread. */
final class ArgsPool {
    private ProxyArgs free;

    ProxyArgs take() {
        ProxyArgs args = free;
        if (args == null) {
            return new ProxyArgs();
        }
        assert args.state == ProxyArgs.State.NONE && args.nsubs() == 0 : args;
        free = args.next;
        args.next = null;
        return args;
    }

    void give(ProxyArgs args) {
        args.recycle();
        args.next = free;
        free = args;
    }
}
