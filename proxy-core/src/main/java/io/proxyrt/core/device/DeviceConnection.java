/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import java.lang.foreign.MemorySegment;

/**
 * What a kernel knows of a connection: RCCL's {@code ncclConnInfo}. Its step counter persists from kernel to kernel and
 * belongs to the thread that runs them.
 */
public final class DeviceConnection {
    /** Slots of a connection: {@code NCCL_STEPS}. */
    public static final int STEPS = 8;
    private static final int ALL_PROTOCOLS = (1 << Protocol.values().length) - 1;

    private final SendMem sendMem;
    private final RecvMem recvMem;
    private final MemorySegment[] buffers;
    private final long[] stepBytes = new long[Protocol.values().length];
    private final boolean isShared;
    private final int directProtocols;
    private PeerMemory peerMemory;
    private KernelAddresses addresses;
    private long step;
    private Copier copier = Copier.JVM;
    private String peerName = "its peer";
    private boolean isProxied;
    private volatile ProxyException loss;
    private volatile ProxyException failure;

    private DeviceConnection(SendMem sendMem, RecvMem recvMem, boolean isShared, int directProtocols,
            MemorySegment... buffers) {
        this.sendMem = sendMem;
        this.recvMem = recvMem;
        this.isShared = isShared;
        this.directProtocols = directProtocols;
        this.buffers = buffers;
        for (int i = 0; i < buffers.length; i++) {
            stepBytes[i] = buffers[i] == null ? 0 : buffers[i].byteSize() / STEPS;
        }
    }

    /**
     * A connection with buffers of its own.
     *
     * @param sendMem its head
     * @param recvMem its tail and connFifo
     * @param ll      buffer of {@link #STEPS} slots for LL; null if it has none
     * @param ll128   the same for LL128
     * @param simple  the same for Simple
     * @return owned by the caller
     */
    public static DeviceConnection dedicated(SendMem sendMem, RecvMem recvMem, MemorySegment ll, MemorySegment ll128,
            MemorySegment simple) {
        return new DeviceConnection(sendMem, recvMem, false, 0, ll, ll128, simple);
    }

    /**
     * A connection whose Simple slots lie in a pool with those of others: the proxy says where.
     *
     * @param sendMem   its head
     * @param recvMem   its tail and connFifo
     * @param ll        buffer of {@link #STEPS} slots for LL; null if it has none
     * @param pool      all of it
     * @param stepBytes of a slot
     * @return owned by the caller
     */
    public static DeviceConnection shared(SendMem sendMem, RecvMem recvMem, MemorySegment ll, MemorySegment pool,
            long stepBytes) {
        DeviceConnection connection = new DeviceConnection(sendMem, recvMem, true, 0, ll, null, pool);
        connection.stepBytes[Protocol.SIMPLE.ordinal()] = stepBytes;
        return connection;
    }

    /**
     * A connection whose slots both ranks' kernels reach, so that they need no proxy between them: the sender stores
     * tail, or flags in lines, where the receiver polls them, and the receiver stores head where the sender does.
     *
     * @param sendMem in memory that both reach
     * @param recvMem in memory that both reach
     * @param ll      buffer of {@link #STEPS} slots for LL that both reach; null if it has none
     * @param ll128   the same for LL128
     * @param simple  the same for Simple
     * @return owned by the caller
     */
    public static DeviceConnection direct(SendMem sendMem, RecvMem recvMem, MemorySegment ll, MemorySegment ll128,
            MemorySegment simple) {
        return new DeviceConnection(sendMem, recvMem, false, ALL_PROTOCOLS, ll, ll128, simple);
    }

    /**
     * A connection in whose Simple protocol a proxy copies between the kernels' slots, while LL and LL128 are direct.
     *
     * @param sendMem its head, which the kernels of both ranks reach
     * @param recvMem its tail and connFifo, which this rank's kernel and its proxy reach
     * @param ll      buffer of {@link #STEPS} slots for LL that both ranks reach; null if it has none
     * @param ll128   the same for LL128
     * @param simple  buffer of this rank's kernel
     * @return owned by the caller
     */
    public static DeviceConnection copyEngine(SendMem sendMem, RecvMem recvMem, MemorySegment ll, MemorySegment ll128,
            MemorySegment simple) {
        return new DeviceConnection(sendMem, recvMem, false, ALL_PROTOCOLS & ~(1 << Protocol.SIMPLE.ordinal()), ll,
                ll128, simple);
    }

    /**
     * Whether steps of a protocol go from kernel to kernel. Then only the peer's kernel stores head and tail, and
     * a receiver that finds the flags of lines need not wait for tail.
     *
     * @param protocol whose slots
     * @return false if a proxy stands between
     */
    public boolean isDirect(Protocol protocol) {
        return (directProtocols & 1 << protocol.ordinal()) != 0;
    }

    /**
     * Says whose it is; before kernels get it.
     *
     * @param peer      rank, channel and transport, for people
     * @param isProxied whether this rank's proxy has a part in what goes over it
     * @return this
     */
    public DeviceConnection with(String peer, boolean isProxied) {
        this.peerName = peer;
        this.isProxied = isProxied;
        return this;
    }

    /**
     * Says how data get into its slots, or out of them; before kernels get it.
     *
     * @param how of this end alone
     * @return this
     */
    public DeviceConnection with(Copier how) {
        this.copier = how;
        return this;
    }

    /**
     * How data get into its slots, or out of them; the kernels' thread only.
     *
     * @return the JVM's copy unless it was told otherwise
     */
    public Copier copier() {
        return copier;
    }

    /**
     * Who is at the other end.
     *
     * @return rank, channel and transport, for people
     */
    public String peerName() {
        return peerName;
    }

    /**
     * The rank at the other end is gone: it will store nothing more. Any thread.
     *
     * @param cause says why
     */
    public void lose(ProxyException cause) {
        loss = cause;
    }

    /**
     * The connection is done for: this rank's proxy moves nothing more over it. Any thread.
     *
     * @param cause says why
     */
    public void fail(ProxyException cause) {
        failure = cause;
    }

    /**
     * Why steps that are not here yet will never come. Who sees it looks once more: all that the peer stored before it
     * left is visible then.
     *
     * @param protocol of the steps
     * @return null if they may come; also while this rank's proxy has to say that, which fetches what the peer left
     */
    public ProxyException whyNoSteps(Protocol protocol) {
        ProxyException broken = failure;
        return broken != null || isProxied && !isDirect(protocol) ? broken : loss;
    }

    /**
     * Why no credit will come that is not here yet; as {@link #whyNoSteps}.
     *
     * @return null if it may come
     */
    public ProxyException whyNoCredit() {
        ProxyException broken = failure;
        return broken != null ? broken : loss;
    }

    /**
     * Lets kernels reach memory that the peer registered, with or without the connection; before they get it.
     *
     * @param peerMemory of the rank at the other end
     * @return this
     */
    public DeviceConnection with(PeerMemory peerMemory) {
        this.peerMemory = peerMemory;
        return this;
    }

    /**
     * Tells a GPU's kernels where everything is; before they get the connection.
     *
     * @param kernelAddresses of the same words and buffers
     * @return this
     */
    public DeviceConnection with(KernelAddresses kernelAddresses) {
        this.addresses = kernelAddresses;
        return this;
    }

    /**
     * Where a GPU's kernels find words and buffers.
     *
     * @return null if the transport serves the host device alone
     */
    public KernelAddresses addresses() {
        return addresses;
    }

    /**
     * Memory that the peer registered.
     *
     * @return null if the transport knows none
     */
    public PeerMemory peerMemory() {
        return peerMemory;
    }

    /**
     * The page with head.
     *
     * @return never null
     */
    public SendMem sendMem() {
        return sendMem;
    }

    /**
     * The page with tail and connFifo.
     *
     * @return never null
     */
    public RecvMem recvMem() {
        return recvMem;
    }

    /**
     * Whether Simple slots lie in a pool. Such a connection begins without credits.
     *
     * @return false if the connection has buffers of its own
     */
    public boolean isShared() {
        return isShared;
    }

    /**
     * The buffer of a protocol.
     *
     * @param protocol whose slots
     * @return null if the connection cannot speak it
     */
    public MemorySegment buffer(Protocol protocol) {
        return buffers[protocol.ordinal()];
    }

    /**
     * The size of a slot, including the flags of LL and LL128.
     *
     * @param protocol whose slots
     * @return bytes; 0 if the connection cannot speak it
     */
    public long stepBytes(Protocol protocol) {
        return stepBytes[protocol.ordinal()];
    }

    /**
     * Where a step's data lie in the buffer. On a shared connection only for a step that has a credit.
     *
     * @param protocol whose slots
     * @param step     absolute
     * @return bytes from the buffer's beginning
     */
    public long slotOffset(Protocol protocol, long step) {
        int slot = (int) (step % STEPS);
        return isShared && protocol == Protocol.SIMPLE ? Integer.toUnsignedLong(recvMem.offset(slot))
                : slot * stepBytes(protocol);
    }

    /**
     * The next absolute step; the kernels' thread only.
     *
     * @return counts from 0
     */
    public long step() {
        return step;
    }

    /**
     * Sets the next absolute step; the kernels' thread only.
     *
     * @param step absolute
     */
    public void step(long step) {
        assert step >= this.step : step;
        this.step = step;
    }
}
