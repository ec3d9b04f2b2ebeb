/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import io.proxyrt.cli.trace.JobTrace;
import io.proxyrt.cli.trace.JobTrace.Pair;
import io.proxyrt.cli.trace.OpSpan;
import io.proxyrt.cli.trace.RankTrace;
import io.proxyrt.cli.trace.RankTrace.Call;
import io.proxyrt.cli.trace.RankTrace.Mark;
import io.proxyrt.cli.trace.Track;
import io.proxyrt.cli.trace.Track.Place;
import io.proxyrt.cli.why.WhyView;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Writes what a page shows, for the page's script; within an element of it, so that nothing ends that. */
final class ReportData {
    private final Report report;
    private final JsonGenerator json;
    private final long fromNs;

    private ReportData(Report report, JsonGenerator json) {
        this.report = report;
        this.json = json;
        this.fromNs = report.trace().fromNs();
    }

    /** What could be a tag, or an entity, in no text. */
    private static final class NoMarkup extends CharacterEscapes {
        private static final long serialVersionUID = 1;
        private final int[] codes = CharacterEscapes.standardAsciiEscapesForJSON();

        NoMarkup() {
            codes['<'] = CharacterEscapes.ESCAPE_STANDARD;
            codes['>'] = CharacterEscapes.ESCAPE_STANDARD;
            codes['&'] = CharacterEscapes.ESCAPE_STANDARD;
        }

        @Override
        public int[] getEscapeCodesForAscii() {
            return codes.clone();
        }

        @Override
        public SerializableString getEscapeSequence(int character) {
            return null;
        }
    }

    static void write(Report report, Writer writer) throws IOException {
        JsonFactory factory = new JsonFactory();
        factory.setCharacterEscapes(new NoMarkup());
        try (JsonGenerator json = factory.createGenerator(writer)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            new ReportData(report, json).write();
        }
    }

    private void write() throws IOException {
        JobTrace trace = report.trace();
        Map<OpSpan, Integer> numbers = new IdentityHashMap<>();
        json.writeStartObject();
        json.writeStringField("begins", trace.begins().toString());
        writeTexts("notes", report.lines());
        json.writeArrayFieldStart("ranks");
        for (RankTrace rank : trace.ranks()) {
            writeRank(rank, numbers);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("arrows");
        for (Pair pair : trace.pairs()) {
            json.writeStartArray();
            json.writeNumber(numbers.get(trace.send(pair)));
            json.writeNumber(numbers.get(trace.recv(pair)));
            json.writeEndArray();
        }
        json.writeEndArray();
        writeWhy();
        writeCounters();
        if (report.perf().isPresent()) {
            json.writeFieldName("perf");
            report.perf().get().write(json);
        }
        if (report.machine().isPresent()) {
            json.writeStringField("topology", "data:image/svg+xml;base64," + Base64.getEncoder()
                    .encodeToString(report.machine().get().svg().getBytes(StandardCharsets.UTF_8)));
        }
        json.writeEndObject();
    }

    private void writeRank(RankTrace rank, Map<OpSpan, Integer> numbers) throws IOException {
        json.writeStartObject();
        json.writeStringField("job", rank.job());
        json.writeNumberField("rank", rank.rank());
        json.writeNumberField("nRanks", rank.nRanks());
        json.writeNumberField("pid", rank.pid());
        json.writeStringField("process", rank.process());
        json.writeStringField("failure", rank.failure());
        Map<OpSpan, Place> places = Track.of(rank.ops());
        Map<Track, Integer> tracks = new TreeMap<>();
        places.values().forEach(place -> tracks.put(place.track(), 0));
        int next = 0;
        for (Map.Entry<Track, Integer> track : tracks.entrySet()) {
            track.setValue(next++);
        }
        writeTexts("tracks", tracks.keySet().stream().map(Track::title).toList());
        json.writeArrayFieldStart("ops");
        for (OpSpan op : rank.ops()) {
            if (places.containsKey(op)) {
                numbers.put(op, numbers.size());
                writeOp(op, places.get(op), tracks.get(places.get(op).track()));
            }
        }
        json.writeEndArray();
        json.writeArrayFieldStart("calls");
        for (Call call : rank.calls()) {
            json.writeStartArray();
            writeTime(call.timeNs());
            json.writeString(call.title());
            json.writeString(call.communicator());
            json.writeBoolean(call.isKnownEnded());
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeArrayFieldStart("marks");
        for (Mark mark : rank.marks()) {
            json.writeStartArray();
            writeTime(mark.startNs());
            writeTime(mark.endNs());
            json.writeString(mark.what());
            json.writeString(mark.thread());
            json.writeBoolean(mark.isMoment());
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void writeOp(OpSpan op, Place place, int track) throws IOException {
        json.writeStartArray();
        writeTime(place.startNs());
        writeTime(place.endNs());
        json.writeNumber(track);
        json.writeNumber(op.opCount());
        json.writeNumber(op.peer());
        json.writeNumber(op.channel());
        json.writeString(op.way().verb());
        json.writeString(op.state().name().toLowerCase(Locale.ROOT));
        json.writeNumber(op.bytes().orElse(-1));
        json.writeString(op.way().transport());
        json.writeNumber(op.waitedNs() / 1e3);
        json.writeBoolean(op.isCut());
        json.writeEndArray();
    }

    private void writeWhy() throws IOException {
        json.writeArrayFieldStart("why");
        for (WhyView.Entry job : report.why().map(WhyView::jobs).orElse(List.of())) {
            json.writeStartObject();
            json.writeStringField("job", job.job());
            json.writeStringField("reason", job.reason());
            json.writeStringField("sentence", job.sentence() + job.late().map(late -> "; " + late.sentence())
                    .orElse(""));
            json.writeArrayFieldStart("waits");
            for (WhyView.Wait wait : job.waits()) {
                json.writeStartArray();
                json.writeNumber(wait.from());
                json.writeNumber(wait.to());
                json.writeString(wait.what());
                json.writeNumber(wait.stillSeconds());
                json.writeEndArray();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void writeCounters() throws IOException {
        json.writeObjectFieldStart("counters");
        writeNumbers("atMs", report.counters().atMs());
        json.writeArrayFieldStart("rows");
        for (CounterSamples.Row row : report.counters().rows()) {
            json.writeStartObject();
            json.writeStringField("job", row.job());
            json.writeNumberField("rank", row.rank());
            json.writeStringField("name", row.name());
            json.writeStringField("kind", row.kind().name());
            writeNumbers("values", row.values());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void writeTexts(String name, List<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    private void writeNumbers(String name, List<Long> numbers) throws IOException {
        json.writeArrayFieldStart(name);
        for (long number : numbers) {
            json.writeNumber(number);
        }
        json.writeEndArray();
    }

    /** In microseconds since the beginning. */
    private void writeTime(long ns) throws IOException {
        json.writeNumber(BigDecimal.valueOf(ns - fromNs, 3));
    }
}
