/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.peers;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.TransportVerdict;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What one rank says of all.
 *
 * @param info     its own
 * @param host     the name of its host
 * @param verdicts what came of each transport, by peer; empty for itself
 */
record RankView(PeerInfo info, String host, List<List<TransportVerdict>> verdicts) {
    /** The transport it chose for a peer; empty if none can. */
    String chosen(int peer) {
        return verdicts.get(peer).stream().filter(TransportVerdict::isChosen).map(TransportVerdict::name).findFirst()
                .orElse("");
    }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            byte[] encoded = info.encode();
            out.writeShort(encoded.length);
            out.write(encoded);
            out.writeUTF(host);
            out.writeShort(verdicts.size());
            for (List<TransportVerdict> row : verdicts) {
                out.writeByte(row.size());
                for (TransportVerdict verdict : row) {
                    out.writeUTF(verdict.name());
                    out.writeUTF(verdict.whyNot());
                    out.writeBoolean(verdict.isChosen());
                    out.writeUTF(verdict.how());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static RankView decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            PeerInfo info = PeerInfo.decode(in.readNBytes(in.readUnsignedShort()));
            String host = in.readUTF();
            List<List<TransportVerdict>> verdicts = new ArrayList<>();
            for (int peers = in.readUnsignedShort(); peers > 0; peers--) {
                List<TransportVerdict> row = new ArrayList<>();
                for (int transports = in.readUnsignedByte(); transports > 0; transports--) {
                    row.add(new TransportVerdict(in.readUTF(), in.readUTF(), in.readBoolean(), in.readUTF()));
                }
                verdicts.add(row);
            }
            return new RankView(info, host, verdicts);
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "what a rank says of its peers is broken: "
                    + bytes.length + " bytes", e);
        }
    }
}
