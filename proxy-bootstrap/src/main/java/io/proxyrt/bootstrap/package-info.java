/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The rendezvous of a job's ranks, before and beside the data path: who takes part, small blobs from all ranks to
 * all, and the news that a rank is gone.
 *
 * <p>A collective stack of one's own stands on {@link io.proxyrt.bootstrap.RankRuntime}: a membership, a runtime that
 * has the job's secret and hears of failures, and connections with other ranks. {@code io.proxyrt.bootstrap.launch} has
 * what launchers tell.
 *
 * <p>The shape is a star. One {@link io.proxyrt.bootstrap.BootstrapRoot}, in rank 0's process or in a
 * launcher's, holds one TCP connection to each rank's {@link io.proxyrt.bootstrap.Bootstrap}; a
 * {@link io.proxyrt.bootstrap.UniqueId} says where the root listens and which job it serves. A star gives what
 * a ring cannot: one place that knows at any time who is there, who is awaited, and who has died. It moves all bytes
 * through one place, which counts where the blobs of many ranks go to all of them: in jobs of 512 ranks and more the
 * root sends those to a few, which pass them on down a tree, and itself only to ranks that do not get them that way.
 *
 * <p>What holds at all times:
 * <ul>
 * <li>Every wait has a deadline, and a deadline that passes names the ranks that were missing: the root enforces the
 *     deadlines of rounds and of joining, for it alone knows who has not come.</li>
 * <li>A connection that ends without a goodbye is a death, told to all other ranks by number. Both sides send
 *     heartbeats, so a stopped process, a dead host and a cut cable, which send no end of stream, are found too.
 *     Where a rank wants its link to be resumed ({@code net.socket.resume}), it dials again when the connection breaks,
 *     and both sides repeat what the other has not got; then a connection's end is a death when that time is over, or
 *     when the process is on this host and has ended.</li>
 * <li>The first failure is the job's failure. It completes every waiter, and every later call, of every rank; the job
 *     does not recover, it is to be ended.</li>
 * <li>A round (an all-gather or a barrier) that passes its deadline fails for all ranks alike, those that come late
 *     included, and leaves the job alive: ranks never disagree about how a round ended.</li>
 * <li>Nothing that an unauthenticated peer sends harms the job. Frames are bounded before they are allocated, a
 *     connection that is not a rank of this job is closed and logged once. Those that have not authenticated are
 *     bounded in number and time, and the address that has most of them loses its oldest; accepting never stops.</li>
 * </ul>
 *
 * <p>Threads: the root runs one daemon thread, each rank another; all sockets are non-blocking and each is touched by
 * its own thread alone. Callers' threads hand over frames and wait on conditions, so they can be interrupted at any
 * time without harm to the connection.
 *
 * <p>Both sides of a connection prove that they know the unique id and the secret, which never travel. A process of
 * another user of the host is refused where the kernel tells. What is said afterwards is neither secret nor signed: an
 * attacker who can change packets on the way can take a connection over, and learns no secret of the job by it.
 *
 * <p>The wire format is drawn in {@code BootstrapDescriptor}.
 */
package io.proxyrt.bootstrap;

