/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.VerbsPort;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What an end of a connection tells the other one, over the control connection.
 *
 * @param isFailingOver whether it keeps the connection when queue pairs fail; both ends' word holds
 * @param isSplit       whether each message goes by all queue pairs; the sender's word holds
 * @param serviceLevel  of both directions; the sender's word holds
 * @param trafficClass  of both directions; the sender's word holds
 * @param address       of the memory that the other end may write to, {@link ClearToSend#BYTES}
 * @param ports         of the device
 * @param pairs         numbers of the queue pairs
 */
record EndInfo(boolean isFailingOver, boolean isSplit, int serviceLevel, int trafficClass, long address,
        List<Port> ports, List<Integer> pairs) {
    static final int MAX_BYTES = 2048;
    private static final int MAX_NAME_BYTES = 64;
    private static final int MAX_NUMBER = 0xff_ffff;
    private static final int MAX_LID = 0xffff;
    private static final int MAX_SERVICE_LEVEL = 15;
    private static final int MAX_TRAFFIC_CLASS = 255;
    private static final int MAX_MTU = 5;
    private static final int SPLIT = 1;
    private static final int FAILING_OVER = 2;

    /**
     * A port of an end.
     *
     * @param name    for people
     * @param address how it is reached
     * @param rkey    of the memory that the other end may write to
     */
    record Port(String name, IbAddress address, int rkey) {
        private void put(ByteBuffer out) {
            byte[] text = name.getBytes(StandardCharsets.UTF_8);
            int length = Math.min(text.length, MAX_NAME_BYTES);
            out.putInt(length).put(text, 0, length).putInt(address.mtu()).putInt(address.linkLayer())
                    .putInt(address.lid()).putLong(address.gid().high()).putLong(address.gid().low()).putInt(rkey);
        }

        private static Port get(ByteBuffer in) {
            byte[] text = new byte[checked(in.getInt(), 0, MAX_NAME_BYTES, "bytes of a name")];
            in.get(text);
            int mtu = checked(in.getInt(), 1, MAX_MTU, "as MTU");
            int layer = checked(in.getInt(), VerbsPort.INFINIBAND, VerbsPort.ETHERNET, "as link layer");
            int lid = checked(in.getInt(), 0, MAX_LID, "as LID");
            Gid gid = new Gid(in.getLong(), in.getLong(), Gid.Kind.IB);
            return new Port(PeerText.line(new String(text, StandardCharsets.UTF_8)),
                    new IbAddress(mtu, layer, lid, 0, gid), in.getInt());
        }
    }

    ByteBuffer encode() {
        int flags = (isSplit ? SPLIT : 0) | (isFailingOver ? FAILING_OVER : 0);
        ByteBuffer out = ByteBuffer.allocate(MAX_BYTES).putInt(flags).putInt(serviceLevel).putInt(trafficClass)
                .putLong(address).putInt(ports.size());
        ports.forEach(port -> port.put(out));
        out.putInt(pairs.size());
        pairs.forEach(out::putInt);
        return out.flip();
    }

    /**
     * Reads what a peer says.
     *
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if it cannot be meant
     */
    static EndInfo decode(ByteBuffer in) {
        try {
            int flags = checked(in.getInt(), 0, SPLIT | FAILING_OVER, "as flags");
            int serviceLevel = checked(in.getInt(), 0, MAX_SERVICE_LEVEL, "as service level");
            int trafficClass = checked(in.getInt(), 0, MAX_TRAFFIC_CLASS, "as traffic class");
            long address = in.getLong();
            List<Port> ports = new ArrayList<>();
            for (int left = checked(in.getInt(), 1, IbDevice.MAX_PORTS, "ports"); left > 0; left--) {
                ports.add(Port.get(in));
            }
            List<Integer> pairs = new ArrayList<>();
            for (int left = checked(in.getInt(), 1, PairPlan.MAX_PAIRS, "queue pairs"); left > 0; left--) {
                pairs.add(checked(in.getInt(), 0, MAX_NUMBER, "as number of a queue pair"));
            }
            checked(in.remaining(), 0, 0, "bytes too many");
            return new EndInfo((flags & FAILING_OVER) != 0, (flags & SPLIT) != 0, serviceLevel, trafficClass, address,
                    List.copyOf(ports), List.copyOf(pairs));
        } catch (BufferUnderflowException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "what it says of its end is cut short", e);
        }
    }

    private static int checked(int value, int least, int most, String what) {
        if (value < least || value > most) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "it says " + value + " " + what);
        }
        return value;
    }
}
