/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.peers;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.runtime.TransportVerdict;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/** Writes what {@link PeersReport} prints for programs: all ranks, and what each says of each other. */
final class PeersJson {
    private PeersJson() {
    }

    static void write(Path file, List<RankView> views) {
        try (Writer writer = Files.newBufferedWriter(file);
                JsonGenerator json = new JsonFactory().createGenerator(writer)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter());
            json.writeStartObject();
            json.writeArrayFieldStart("ranks");
            for (RankView view : views) {
                writeRank(json, view);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("choices");
            for (RankView view : views) {
                for (int peer = 0; peer < views.size(); peer++) {
                    if (peer != view.info().rank()) {
                        writeChoice(json, view, peer);
                    }
                }
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot write " + file + ": " + e, e);
        }
    }

    private static void writeRank(JsonGenerator json, RankView view) throws IOException {
        PeerProcess process = view.info().process();
        json.writeStartObject();
        json.writeNumberField("rank", view.info().rank());
        json.writeStringField("host", view.host());
        json.writeStringField("hostId", HexFormat.of().toHexDigits(process.hostHash()));
        json.writeNumberField("pid", process.pid());
        json.writeStringField("processId", HexFormat.of().toHexDigits(process.id()));
        json.writeNumberField("uid", process.uid());
        json.writeNumberField("shmId", process.shmId());
        json.writeNumberField("netId", process.netId());
        json.writeStringField("service", view.info().service().toString());
        json.writeStringField("uds", view.info().uds());
        json.writeEndObject();
    }

    private static void writeChoice(JsonGenerator json, RankView view, int peer) throws IOException {
        json.writeStartObject();
        json.writeNumberField("rank", view.info().rank());
        json.writeNumberField("peer", peer);
        json.writeStringField("chosen", view.chosen(peer));
        json.writeArrayFieldStart("transports");
        for (TransportVerdict verdict : view.verdicts().get(peer)) {
            json.writeStartObject();
            json.writeStringField("name", verdict.name());
            json.writeBooleanField("isChosen", verdict.isChosen());
            json.writeStringField("whyNot", verdict.whyNot());
            json.writeStringField("how", verdict.how());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
