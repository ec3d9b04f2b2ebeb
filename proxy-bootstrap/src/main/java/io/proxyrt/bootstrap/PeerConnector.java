/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.ConnectionEnd;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * Connects a runtime with those of other ranks: knows who they are, and passes the connect infos through the bootstrap.
 * One thread at a time.
 */
public final class PeerConnector {
    /** Of the job's connections for messages, of which a network's proxy has several share their slots. */
    private static final int MESSAGES = 1;
    /** Of a part's; behind those of all others. */
    private static final int OWN_MESSAGES = 255;

    private final ProxyState proxy;
    private final RankGroup group;
    private final PeerTable infos;
    /** All that were made. */
    private final List<Connector> made = new ArrayList<>();
    private int[] adapters = {ConnectorRequest.ANY_ADAPTER};

    private PeerConnector(ProxyState proxy, RankGroup group, PeerTable infos) {
        this.proxy = proxy;
        this.group = group;
        this.infos = infos;
    }

    /**
     * The connIndex of connections for messages. A network's proxy has those of a job share a queue, in which one would
     * wait for another communicator's: so a part of the job has its own.
     *
     * @return for {@link LinkId}, equal at all ranks of the group
     */
    public int messageConnIndex() {
        return group.isWhole() ? MESSAGES : OWN_MESSAGES;
    }

    /**
     * Which of the connections between two ranks, and by what; equal at both.
     *
     * @param transport its name, or empty for the first that can carry it
     * @param channel   of the job, from 0 to 127
     * @param connIndex 0 for a connection with slots of its own, as collectives use; 1 for point-to-point, where NET
     *                  has several share theirs; up to 254 for what else there is between two ranks; 255 for
     *                  point-to-point of a part of the job, where none shares slots
     */
    public record LinkId(String transport, int channel, int connIndex) {
        private static final int CHANNELS = 128;
        private static final int CONN_INDICES = 256;

        /**
         * Checks the numbers.
         *
         * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if one is out of range
         */
        public LinkId {
            if (channel < 0 || channel >= CHANNELS || connIndex < 0 || connIndex >= CONN_INDICES) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "channel " + channel + ", connIndex " + connIndex
                        + ": must be within 0 to " + (CHANNELS - 1) + ", and 0 to " + (CONN_INDICES - 1));
            }
        }

        /** Of the connect info of a connector of that direction. */
        int tag(Direction direction) {
            return 2 * (channel * CONN_INDICES + connIndex) + direction.ordinal();
        }
    }

    /**
     * Gathers who all ranks are. Blocks until all do so.
     *
     * @param proxy   this rank's runtime
     * @param group   the ranks, such as a {@link Bootstrap}
     * @param timeout at most so long
     * @return for connections of that runtime; both stay the caller's
     * @throws ProxyException as {@link RankGroup#allGather}, or {@link ProxyResult#REMOTE_ERROR} if a rank told
     *                        nonsense
     */
    public static PeerConnector gather(ProxyState proxy, RankGroup group, Duration timeout) {
        return new PeerConnector(proxy, group,
                PeerTable.of(group.allGather(proxy.peerInfo().encode(), timeout)));
    }

    /** For connections among some of the ranks. */
    PeerConnector of(GroupSplit.Members members) {
        return new PeerConnector(proxy, members.group(), infos.some(members.ranks()));
    }

    /**
     * Says by which network adapters this rank's ends go from now on: channels take them in turn. Before it is called,
     * the transport chooses. The other end's are its own affair.
     *
     * @param inTurn numbers in {@link ProxyState#adapters()}, at least one; those near the rank's device, say
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for one there is not, or for none
     */
    public void adapters(int... inTurn) {
        int count = proxy.adapters().size();
        if (inTurn.length == 0 || Arrays.stream(inTurn).anyMatch(adapter -> adapter < 0 || adapter >= count)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + group.rank() + " is to take adapters "
                    + Arrays.toString(inTurn) + "; it has " + count);
        }
        adapters = inTurn.clone();
    }

    /**
     * What a rank told of itself.
     *
     * @param rank any, this one too
     * @return where it runs, and on which device
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for a rank there is not
     */
    public PeerInfo info(int rank) {
        Bootstrap.requireRank(rank, infos.nRanks());
        return infos.info(rank);
    }

    /**
     * Prepares one end of a connection, for callers that exchange connect infos by themselves. Does not block. What is
     * made of it names the peer by its {@linkplain RankGroup#jobRank number in the job}.
     *
     * @param direction of the data, seen from this rank
     * @param peer      the rank at the other end
     * @param link      which of the connections with that rank
     * @return to be set up
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for a rank there is not, or as {@link
     *                        ProxyState#connector}
     */
    public Connector connector(Direction direction, int peer, LinkId link) {
        int adapter = adapters[link.channel() % adapters.length];
        Connector connector = proxy.connector(new ConnectorRequest(direction, info(group.rank()), info(peer),
                link.channel(), link.connIndex(), adapter), link.transport().isEmpty() ? null : link.transport());
        made.add(connector);
        return connector;
    }

    /**
     * Connects both ways with ranks that do so too. Tells all before it waits for any: so the order does not matter,
     * and a rank that has told nothing in time is one that does not take part. Blocks until all are connected; drives
     * the runtime meanwhile if no thread does. The connect infos are messages of the bootstrap with tags from 0 on.
     *
     * @param link    which of the connections with each
     * @param timeout for the others to come, and then for each connection
     * @param onWait  as for {@link Bootstrap#receive(int, int, Duration, LongConsumer)}
     * @param peers   other ranks, each once
     * @return in the same order
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for this rank, one there is not, or one named twice;
     *                        {@link ProxyResult#TIMEOUT} naming the rank that did not come; {@link
     *                        ProxyResult#SYSTEM_ERROR} if no transport can, with the reason of each; {@link
     *                        ProxyResult#INVALID_USAGE} if the other rank names another transport; {@link
     *                        ProxyResult#REMOTE_ERROR} if a rank is gone. What was made by then closes with the runtime
     */
    public List<PeerLink> connect(LinkId link, Duration timeout, LongConsumer onWait, int... peers) {
        requireOthers(peers);
        List<Connector> connectors = new ArrayList<>();
        for (int peer : peers) {
            connectors.add(announce(Direction.SEND, peer, link, timeout));
            connectors.add(announce(Direction.RECV, peer, link, timeout));
        }
        long deadline = System.nanoTime() + Deadline.nanos(timeout);
        List<byte[]> told = new ArrayList<>();
        for (int peer : peers) {
            told.add(receive(Direction.RECV, peer, link, timeout, deadline, onWait));
            told.add(receive(Direction.SEND, peer, link, timeout, deadline, onWait));
        }
        List<ConnectionEnd> ends = ConnectionEnd.connect(proxy, connectors, told, timeout);
        List<PeerLink> links = new ArrayList<>();
        for (int i = 0; i < peers.length; i++) {
            links.add(new PeerLink(peers[i], ends.get(2 * i).of(peers[i]), ends.get(2 * i + 1).of(peers[i])));
        }
        return links;
    }

    /** Two connections with the same rank, or with itself, would take each other's connect infos. */
    private void requireOthers(int... peers) {
        BitSet named = new BitSet();
        named.set(group.rank());
        for (int peer : peers) {
            Bootstrap.requireRank(peer, infos.nRanks());
            if (named.get(peer)) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + group.rank()
                        + " is to connect with ranks " + Arrays.toString(peers) + ": each has to be another one, once");
            }
            named.set(peer);
        }
    }

    private Connector announce(Direction direction, int peer, LinkId link, Duration timeout) {
        Connector connector = connector(direction, peer, link);
        byte[] mine = proxy.await(connector.setup(), timeout, "setup of " + connector);
        group.send(peer, link.tag(direction), mine);
        return connector;
    }

    private byte[] receive(Direction theirs, int peer, LinkId link, Duration timeout, long deadlineNs,
            LongConsumer onWait) {
        try {
            return group.receive(peer, link.tag(theirs),
                    Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime())), onWait);
        } catch (ProxyException e) {
            if (e.result() != ProxyResult.TIMEOUT) {
                throw e;
            }
            throw new ProxyException(ProxyResult.TIMEOUT, "rank " + peer
                    + (group.isWhole() ? "" : " of " + group.name()) + " has not taken part within "
                    + timeout.toMillis() + " ms: does it make the same calls?", e);
        }
    }

    /** Gives back all connections there are. Returns a line for each that is not free within this time. */
    List<String> close(Duration within) {
        long deadline = System.nanoTime() + Deadline.nanos(within);
        List<CompletableFuture<Void>> closing = new ArrayList<>();
        for (Connector connector : made) {
            closing.add(close(connector));
        }
        List<String> left = new ArrayList<>();
        for (int i = 0; i < closing.size(); i++) {
            try {
                proxy.await(closing.get(i), Duration.ofNanos(Math.max(0, deadline - System.nanoTime())),
                        "close of " + made.get(i));
            } catch (ProxyException e) {
                left.add(e.getMessage());
            }
        }
        made.clear();
        return left;
    }

    private static CompletableFuture<Void> close(Connector connector) {
        try {
            return connector.connectionId() == 0 ? CompletableFuture.completedFuture(null) : connector.close();
        } catch (ProxyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
