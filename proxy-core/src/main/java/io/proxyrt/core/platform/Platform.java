/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.UserRedOp;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * What the runtime wants of the operating system and Java does not offer. Found by {@link ServiceLoader}; the runtime
 * works without one. Loading a provider, its {@link #name()} and its {@link #whyNot()} call nothing native; every other
 * method may only be called if {@link #whyNot()} is empty. Any thread; what concerns a thread concerns the calling one,
 * which has to be a platform thread.
 */
public interface Platform {
    /**
     * The platform to use here: one that works is looked for once.
     *
     * @return the first that works; else one that does not, whose {@link #whyNot()} has the reason and whose other
     *         methods throw {@link ProxyResult#INVALID_USAGE}
     */
    static Platform find() {
        Platform known = FoundPlatform.known();
        if (known != null) {
            return known;
        }
        Platform refused = new NoPlatform("none", "no module provides " + Platform.class.getName()
                + "; add proxy-native to the module path or the class path");
        for (Platform platform : ServiceLoader.load(Platform.class)) {
            String reason = platform.whyNot();
            if (reason.isEmpty()) {
                return FoundPlatform.keep(platform);
            }
            refused = new NoPlatform(platform.name(), reason);
        }
        return refused;
    }

    /**
     * What it is for.
     *
     * @return such as {@code linux}
     */
    String name();

    /**
     * Whether it works here.
     *
     * @return empty if it does; else one line: why not, and what to do
     */
    String whyNot();

    /**
     * Makes a word one that threads, of other processes too, can wait on and wake each other by.
     *
     * @param word four bytes, aligned, of a mapped file or of native memory; stays the caller's, who unmaps it only
     *             when no thread {@linkplain Futex#await awaits} it any more
     * @return with nothing to close
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is not such a word,
     *                        {@link ProxyResult#SYSTEM_ERROR} if the system refuses it
     */
    Futex futex(MemorySegment word);

    /**
     * A memory barrier that one thread pays for all: once it has run, every other thread of this process has passed a
     * full barrier somewhere between its beginning and its end. So of two sides that each store one word and then load
     * the other's, the frequent one can do without.
     *
     * @return takes microseconds, does not block, allocates nothing; empty if the system has none
     */
    Optional<Runnable> processBarrier();

    /**
     * The CPUs that this process may use.
     *
     * @return by number; the caller's
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system does not say
     */
    BitSet processCpus();

    /**
     * The CPUs that the calling thread may use.
     *
     * @return by number; the caller's
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system does not say
     */
    BitSet threadCpus();

    /**
     * Keeps the calling thread on some CPUs.
     *
     * @param cpus by number; those that this host lacks are left out
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if none is left
     */
    void bindThread(BitSet cpus);

    /**
     * Sets the calling thread's name as tools of the system show it.
     *
     * @param name 15 bytes at most
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is longer
     */
    void nameThread(String name);

    /**
     * Lets the calling thread run before all that have no real-time priority, first in, first out; threads that it
     * starts have none.
     *
     * @param priority 1 to 99
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if that is not permitted
     */
    void realtimePriority(int priority);

    /**
     * Sets how much later than asked for the calling thread's timed waits may end.
     *
     * @param ns nanoseconds, at least 1
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    void timerSlack(long ns);

    /**
     * Lets the calling thread run in turns as short as this: woken beside a thread with longer ones, it need not wait
     * for the end of that one's turn. Its share of the CPUs stays what it was.
     *
     * @param ns nanoseconds, at least 1; the system has bounds of its own
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses, or does not know such a thing
     */
    void timeSlice(long ns);

    /**
     * File descriptors, and memory that has one.
     *
     * @return the same every time
     */
    Descriptors descriptors();

    /**
     * The C library's copy.
     *
     * @return the same every time; empty if the platform has none
     */
    default Optional<NativeCopy> copy() {
        return Optional.empty();
    }

    /**
     * Pages of memory.
     *
     * @return the same every time
     */
    default HostPages pages() {
        throw new ProxyException(ProxyResult.INVALID_USAGE, "the platform " + name() + " knows no pages of memory");
    }

    /**
     * Unix sockets that carry descriptors.
     *
     * @return the same every time
     */
    default UnixSockets unixSockets() {
        throw new ProxyException(ProxyResult.INVALID_USAGE, "the platform " + name() + " has no Unix sockets");
    }

    /**
     * Another descriptor of a TCP connection of this process, which a channel of Java's has: a channel keeps its own to
     * itself, but no two connections have the same two ends. Takes as long as looking at every open descriptor takes.
     *
     * @param local  the channel's own address, as the system says
     * @param remote the peer's
     * @return owned by the caller; empty if there is no such connection, or the platform cannot tell
     */
    default Optional<StreamSocket> streamSocket(InetSocketAddress local, InetSocketAddress remote) {
        return Optional.empty();
    }

    /**
     * Whose a socket of this network namespace is, of this process or another.
     *
     * @param socket its own address
     * @param peer   that it is connected to
     * @return takes microseconds, however many sockets there are; empty if there is no such socket, or the platform
     *         cannot tell
     */
    default Optional<SocketOwner> socketOwner(InetSocketAddress socket, InetSocketAddress peer) {
        return Optional.empty();
    }

    /**
     * Waits for descriptors.
     *
     * @return a new one, owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there are no more descriptors
     */
    default Poller poller() {
        throw new ProxyException(ProxyResult.INVALID_USAGE, "the platform " + name() + " cannot wait for descriptors");
    }

    /**
     * Waits for one descriptor.
     *
     * @param number  stays the caller's
     * @param isWrite whether for room; else for bytes
     * @param maxNs   longest wait, 0 to only look; it may end early for no reason
     * @return true if there is something to be done, be it to notice that the peer is gone
     */
    default boolean await(int number, boolean isWrite, long maxNs) {
        throw new ProxyException(ProxyResult.INVALID_USAGE, "the platform " + name() + " cannot wait for descriptors");
    }

    /**
     * A C function that reduces for a user: {@code void f(const void *in, void *inout, int64_t count, int type)}.
     *
     * @param function where it is, for as long as it is called
     * @return calls it
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if this platform calls none
     */
    default UserRedOp.Function reduction(MemorySegment function) {
        throw new ProxyException(ProxyResult.INVALID_USAGE, "the platform " + name() + " calls no C functions");
    }

    /**
     * Whom this process acts for.
     *
     * @return the effective user's number
     */
    default int userId() {
        throw new ProxyException(ProxyResult.INVALID_USAGE, "the platform " + name() + " knows no users");
    }
}
