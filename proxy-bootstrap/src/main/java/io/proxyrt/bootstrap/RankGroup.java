/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Ranks that meet and talk with each other, numbered from 0: all of a job, which is a {@link Bootstrap}, or some of
 * them, of {@link RankRuntime#split} and {@link RankRuntime#shrink}. The messages of a group are its own: those of
 * another, with the same tag, are others. Thread-safe; what blocks and how it fails is as {@link Bootstrap} says.
 *
 * <p>A job fails as a whole, and all its groups with it.
 */
public sealed interface RankGroup permits Bootstrap, SubGroup {
    /**
     * This rank's number in the group.
     *
     * @return from 0
     */
    int rank();

    /**
     * How many ranks the group has.
     *
     * @return at least 1
     */
    int nRanks();

    /**
     * The number in the job of one of the group's ranks.
     *
     * @param rank in the group
     * @return in the job
     * @throws ProxyException {@code INVALID_ARGUMENT} for a rank there is not
     */
    int jobRank(int rank);

    /**
     * Which group it is.
     *
     * @return for people, such as {@code split 2 of job 1a2b3c4d}
     */
    String name();

    /**
     * Who this rank is.
     *
     * @return for people, such as {@code rank 5} of a job, or {@code rank 5, 1 of split 2 of job 1a2b3c4d}
     */
    String self();

    /**
     * Whether these are all ranks of the job.
     *
     * @return true for a {@link Bootstrap}
     */
    boolean isWhole();

    /**
     * Gives everybody's blob to everybody.
     *
     * @param mine    this rank's blob, copied; may be empty, and of another length at each rank
     * @param timeout how long to wait for the other ranks
     * @return a blob of each rank, by rank; the caller's own
     * @throws ProxyException as {@link Bootstrap#allGather}
     */
    byte[][] allGather(byte[] mine, Duration timeout);

    /**
     * Waits until all ranks have called it.
     *
     * @param timeout how long to wait for the other ranks
     * @throws ProxyException as {@link #allGather}
     */
    void barrier(Duration timeout);

    /**
     * Sends a blob to one rank. Does not block.
     *
     * @param peer the destination; may be this rank
     * @param tag  any number, for the receiver to tell blobs apart
     * @param blob copied; may be empty
     * @throws ProxyException as {@link Bootstrap#send}
     */
    void send(int peer, int tag, byte[] blob);

    /**
     * Waits for the next blob of one rank with this tag, and says now and then that it still waits.
     *
     * @param peer    the source; may be this rank
     * @param tag     as sent
     * @param timeout how long to wait
     * @param onWait  gets the nanoseconds waited so far, about four times a second; in the calling thread
     * @return the blob; the caller's own
     * @throws ProxyException as {@link Bootstrap#receive(int, int, Duration, LongConsumer)}
     */
    byte[] receive(int peer, int tag, Duration timeout, LongConsumer onWait);

    /**
     * Gives blobs with a tag to a listener from now on.
     *
     * @param tag      as sent
     * @param listener as of {@link Bootstrap#listen}
     */
    void listen(int tag, BiConsumer<Integer, byte[]> listener);

    /**
     * Asks to be told of the job's failure, once, unless the group was left before.
     *
     * @param listener as of {@link Bootstrap#onFailure}
     */
    void onFailure(Consumer<ProxyException> listener);

    /**
     * The job's first failure.
     *
     * @return empty while all is well
     */
    Optional<ProxyException> failure();

    /**
     * Says what to tell of a failure that this rank has seen, and tells the other ranks of the job.
     *
     * @param local what was seen here
     * @return what to throw, as of {@link Bootstrap#verdict}
     */
    ProxyException verdict(ProxyException local);

    /**
     * Whether any other rank has left the group, which is no failure by itself.
     *
     * @return false while all are there, as far as this rank was told
     */
    boolean isAnyGone();

    /**
     * Declares this rank failed, to all ranks of the job.
     *
     * @param reason as of {@link Bootstrap#abort}
     */
    void abort(String reason);
}
