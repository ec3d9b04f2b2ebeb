/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/**
 * Stream sockets of {@code AF_UNIX} that carry descriptors beside their bytes. None of them ever blocks, each is closed
 * on exec, and each is used by one thread at a time. An address is a path, or the name of an abstract socket behind an
 * {@code @}, whose bytes are those of the name and nothing behind them.
 */
public interface UnixSockets {
    /** What {@link Socket#send} and {@link Socket#receive} return when the peer is gone. */
    int END = -1;
    /** What {@link Socket#receive} returns when descriptors did not fit and were lost; those that fit are closed. */
    int TRUNCATED = -2;
    /** The most bytes that an address has. */
    int MAX_ADDRESS_BYTES = 107;

    /**
     * Who the kernel says that the peer was when it connected.
     *
     * @param pid 0 if it is in another pid namespace
     * @param uid effective user
     * @param gid effective group
     */
    record Credentials(int pid, int uid, int gid) {
        @Override
        public String toString() {
            return "process " + pid + " of user " + uid;
        }
    }

    /** A socket that listens. */
    interface Listener extends AutoCloseable {
        /**
         * Its descriptor, to be waited for; stays the listener's.
         *
         * @return at least 0
         */
        int number();

        /**
         * Takes a peer that waits.
         *
         * @return owned by the caller; null if none waits
         * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there are no descriptors left, say
         */
        Socket accept();

        /** Idempotent. Leaves the file of a path where it is. */
        @Override
        void close();
    }

    /** One end of a connection. */
    interface Socket extends AutoCloseable {
        /**
         * Its descriptor, to be waited for; stays the socket's.
         *
         * @return at least 0
         */
        int number();

        /**
         * Who is at the other end.
         *
         * @return not to be forged
         * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the kernel does not say
         */
        Credentials peer();

        /**
         * Sends some bytes.
         *
         * @param bytes at least one from position to limit; those that were sent are behind the position afterwards
         * @param fds   go with the first byte, if any is sent; stay the caller's
         * @return how many bytes were sent; 0 if there is no room; {@link #END}
         * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} for any other reason, such as too many descriptors
         *                        in flight
         */
        int send(ByteBuffer bytes, List<OwnedFd> fds);

        /**
         * Receives some bytes, and the descriptors that came with one of them.
         *
         * @param bytes has room for at least one
         * @param fds   gets each descriptor, which is its own from then on
         * @return how many bytes came; 0 if none did; {@link #END}; {@link #TRUNCATED}
         * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} for any other reason
         */
        int receive(ByteBuffer bytes, Consumer<OwnedFd> fds);

        /** Idempotent. */
        @Override
        void close();
    }

    /**
     * Which implementation this is.
     *
     * @return one word, or two with a version
     */
    String name();

    /**
     * Opens a socket that listens. The file of a path may be used by its owner only, from its first moment on.
     *
     * @param address of a path that does not exist, or an abstract one that is not taken
     * @param backlog how many peers may wait
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the address is too long,
     *                        {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    Listener listen(String address, int backlog);

    /**
     * Connects to a socket that listens.
     *
     * @param address where
     * @return owned by the caller; null if too many wait there already
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the address is too long,
     *                        {@link ProxyResult#REMOTE_ERROR} if no process listens there, or not to this user
     */
    Socket connect(String address);

    /**
     * Talks over a socket that was opened elsewhere.
     *
     * @param number of a non-blocking one, which stays the caller's and outlives what is returned
     * @return does nothing when closed
     */
    Socket borrow(int number);
}
