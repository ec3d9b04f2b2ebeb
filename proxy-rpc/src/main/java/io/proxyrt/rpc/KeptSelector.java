/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;

/**
 * The platform's provider, but it keeps the selector that it opened last. The loop waits in it by itself: Netty's own
 * wait clears the interrupt flag of the thread, which may be an application's, and asks the kernel once more.
 */
final class KeptSelector extends SelectorProvider {
    private final SelectorProvider platform = SelectorProvider.provider();
    private volatile Selector selector;

    Selector selector() {
        return selector;
    }

    /** Whether Netty has put a set of its own in the place of the selected keys, as it does if it may use Unsafe. */
    boolean isKeySetReplaced() {
        return selector.selectedKeys().getClass().getModule() != Selector.class.getModule();
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        AbstractSelector opened = platform.openSelector();
        selector = opened;
        return opened;
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return platform.openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return platform.openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        return platform.openPipe();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return platform.openServerSocketChannel();
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return platform.openSocketChannel();
    }
}
