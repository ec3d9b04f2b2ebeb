/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

/**
 * Something that carries ops of 128 bytes from several posting threads to one consuming thread, in the order of each
 * poster. The same harness drives all of them; one JVM runs one of them, so that its calls stay monomorphic.
 */
public interface OpsContender extends AutoCloseable {
    /** Ops under way at most, for each poster; a queue that all share has room for those of all. */
    int PER_POSTER = 2048;
    /** Most ops that a poll takes, as in RCCL. */
    int LIMIT = 16;

    /** The posting end of one thread. */
    interface Poster extends AutoCloseable {
        /**
         * Posts the next ops of a template, as many as fit, and makes them visible together if the contender can.
         *
         * @param template gives the ops' contents
         * @param count    how many are wanted
         * @return how many fitted; 0 to count
         */
        int post(OpTemplate template, int count);

        @Override
        default void close() {
        }
    }

    /**
     * Makes a posting end.
     *
     * @param producer 0 to producers - 1; called by its own thread
     * @return for that thread
     */
    Poster poster(int producer);

    /**
     * Takes some ops, copying each out of the contender's memory. Consuming thread.
     *
     * @param sink gets them
     * @return how many there were
     */
    int poll(OpSink sink);

    /**
     * Sleeps until something may have been posted. Consuming thread, of a contender that was made to park.
     */
    void await();

    /**
     * Waits as {@link #await()} does, but not much longer than asked for where the contender can end a wait by itself.
     *
     * @param maxNs longest wait, in nanoseconds
     */
    default void await(long maxNs) {
        await();
    }

    /** Ends an {@link #await()}, now and for good. Any thread. */
    void wakeup();

    @Override
    default void close() {
    }
}
