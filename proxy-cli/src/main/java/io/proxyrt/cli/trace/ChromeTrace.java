/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import io.proxyrt.cli.trace.JobTrace.Pair;
import io.proxyrt.cli.trace.RankTrace.Call;
import io.proxyrt.cli.trace.RankTrace.Mark;
import io.proxyrt.cli.trace.Track.Place;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Version;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Writes a trace in the form of Chrome's trace events, which Perfetto and chrome://tracing open: a process for each
 * rank; in it a thread for what each communicator was asked for, one for waits and errors, and one for each channel and
 * direction; arrows from what sends to what receives.
 */
public final class ChromeTrace {
    private static final int ERRORS = 1;
    private static final int FIRST_CALLS = 2;

    private final JobTrace trace;
    private final JsonGenerator json;
    private final long fromNs;
    private final List<Map<OpSpan, Place>> places;
    private final List<Integer> processes = new ArrayList<>();
    private int waits;

    private ChromeTrace(JobTrace trace, JsonGenerator json) {
        this.trace = trace;
        this.json = json;
        this.fromNs = trace.fromNs();
        this.places = trace.ranks().stream().map(rank -> Track.of(rank.ops())).toList();
        Map<String, Integer> jobs = numbers(jobs(trace));
        Set<Integer> taken = new HashSet<>();
        for (RankTrace rank : trace.ranks()) {
            int process = jobs.get(rank.job()) * RankTrace.MAX_RANKS + rank.rank();
            while (!taken.add(process)) {
                process += jobs.size() * RankTrace.MAX_RANKS;
            }
            processes.add(process);
        }
    }

    /**
     * Writes a document, an event a line.
     *
     * @param trace  all that is in it
     * @param writer which stays open
     * @throws IOException if it cannot be written
     */
    public static void write(JobTrace trace, Writer writer) throws IOException {
        try (JsonGenerator json = new JsonFactory().createGenerator(writer)) {
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            json.setPrettyPrinter(new MinimalPrettyPrinter());
            new ChromeTrace(trace, json).write();
        }
    }

    private static List<String> jobs(JobTrace trace) {
        return trace.ranks().stream().map(RankTrace::job).distinct().toList();
    }

    private static Map<String, Integer> numbers(List<String> names) {
        Map<String, Integer> numbers = new LinkedHashMap<>();
        names.forEach(name -> numbers.putIfAbsent(name, numbers.size()));
        return numbers;
    }

    private void write() throws IOException {
        json.writeStartObject();
        json.writeStringField("displayTimeUnit", "ns");
        json.writeObjectFieldStart("otherData");
        json.writeStringField("program", "proxyrt " + Version.text());
        json.writeStringField("jobs", String.join(", ", jobs(trace)));
        json.writeStringField("begins", trace.begins().toString());
        json.writeArrayFieldStart("notes");
        for (String line : trace.lines()) {
            json.writeString(line);
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeArrayFieldStart("traceEvents");
        for (int i = 0; i < trace.ranks().size(); i++) {
            writeRank(i);
        }
        writeArrows();
        json.writeEndArray();
        json.writeEndObject();
    }

    private void writeRank(int index) throws IOException {
        RankTrace rank = trace.ranks().get(index);
        int pid = processes.get(index);
        name(pid, 0, "process_name", "rank " + rank.rank() + " of " + rank.nRanks()
                + (rank.job().isEmpty() ? "" : ", job " + rank.job()) + " (pid " + rank.pid() + ")");
        name(pid, 0, "process_labels", rank.process() + (rank.failure().isEmpty() ? "" : ": " + rank.failure()));
        order(pid, 0, "process_sort_index", pid);
        thread(pid, ERRORS, "errors and waits");
        Map<String, Integer> callers = numbers(rank.calls().stream().map(Call::communicator).toList());
        for (Map.Entry<String, Integer> caller : callers.entrySet()) {
            thread(pid, FIRST_CALLS + caller.getValue(), "calls of " + caller.getKey());
        }
        Set<Track> tracks = new TreeSet<>();
        places.get(index).values().forEach(place -> tracks.add(place.track()));
        for (Track track : tracks) {
            thread(pid, track.id(), track.title());
        }
        for (Call call : rank.calls()) {
            writeCall(pid, FIRST_CALLS + callers.get(call.communicator()), call);
        }
        for (Mark mark : rank.marks()) {
            if (mark.isMoment()) {
                writeMoment(pid, mark);
            } else {
                writeWait(pid, mark);
            }
        }
        for (OpSpan op : rank.ops()) {
            Place place = places.get(index).get(op);
            if (place != null) {
                writeOp(pid, place, op);
            }
        }
    }

    private void writeCall(int pid, int tid, Call call) throws IOException {
        begin("i", "call", call.title(), pid, tid, call.timeNs());
        json.writeStringField("s", "t");
        json.writeObjectFieldStart("args");
        json.writeNumberField("number", call.number());
        json.writeBooleanField("completed", call.isKnownEnded());
        end();
    }

    private void writeMoment(int pid, Mark mark) throws IOException {
        begin("i", "error", mark.what(), pid, ERRORS, mark.startNs());
        json.writeStringField("s", "p");
        json.writeObjectFieldStart("args");
        json.writeStringField("thread", mark.thread());
        end();
    }

    /** As many as there are at a time, so they have no track, but a number. */
    private void writeWait(int pid, Mark mark) throws IOException {
        for (String phase : List.of("b", "e")) {
            begin(phase, "wait", mark.what(), pid, ERRORS, phase.equals("b") ? mark.startNs() : mark.endNs());
            json.writeNumberField("id", phase.equals("b") ? ++waits : waits);
            json.writeObjectFieldStart("args");
            json.writeStringField("thread", mark.thread());
            end();
        }
    }

    private void writeOp(int pid, Place place, OpSpan op) throws IOException {
        begin("X", "op", name(op), pid, place.track().id(), place.startNs());
        time("dur", place.endNs() - place.startNs());
        json.writeObjectFieldStart("args");
        json.writeNumberField("opCount", op.opCount());
        json.writeNumberField("channel", op.channel());
        json.writeNumberField("peer", op.peer());
        json.writeStringField("direction", op.way().verb());
        json.writeStringField("transport", op.way().transport());
        json.writeStringField("connection", Long.toHexString(op.connection()));
        json.writeStringField("state", op.state().name().toLowerCase(Locale.ROOT));
        if (op.bytes().isPresent()) {
            json.writeNumberField("bytes", op.bytes().getAsLong());
        }
        json.writeNumberField("waitedMs", op.waitedNs() / 1e6);
        if (op.isCut()) {
            json.writeStringField("begins", "before the black box does");
        }
        end();
    }

    private static String name(OpSpan op) {
        boolean isSend = op.way().direction().filter(way -> way == Direction.SEND).isPresent();
        return (op.isMessage() ? "send/recv op " : "op ") + op.opCount()
                + (op.way().direction().isEmpty() ? " with rank " : isSend ? " to rank " : " from rank ") + op.peer();
    }

    /** Each begins with what sends, and ends in what receives, at a moment at which that is active. */
    private void writeArrows() throws IOException {
        int id = 0;
        for (Pair pair : trace.pairs()) {
            Place from = places.get(pair.from()).get(trace.send(pair));
            Place to = places.get(pair.to()).get(trace.recv(pair));
            arrow("s", ++id, processes.get(pair.from()), from.track(), from.startNs());
            json.writeEndObject();
            arrow("f", id, processes.get(pair.to()), to.track(),
                    Math.clamp(from.startNs(), to.startNs(), to.endNs() - 1));
            json.writeStringField("bp", "e");
            json.writeEndObject();
        }
    }

    private void arrow(String phase, int id, int pid, Track track, long ns) throws IOException {
        begin(phase, "sent", "sent", pid, track.id(), ns);
        json.writeNumberField("id", id);
    }

    private void begin(String phase, String category, String name, int pid, int tid, long ns) throws IOException {
        json.writeStartObject();
        json.writeStringField("ph", phase);
        json.writeStringField("cat", category);
        json.writeStringField("name", name);
        json.writeNumberField("pid", pid);
        json.writeNumberField("tid", tid);
        time("ts", ns - fromNs);
    }

    private void end() throws IOException {
        json.writeEndObject();
        json.writeEndObject();
    }

    /** In microseconds. */
    private void time(String field, long ns) throws IOException {
        json.writeNumberField(field, BigDecimal.valueOf(ns, 3));
    }

    private void thread(int pid, int tid, String title) throws IOException {
        name(pid, tid, "thread_name", title);
        order(pid, tid, "thread_sort_index", tid);
    }

    private void name(int pid, int tid, String what, String name) throws IOException {
        about(pid, tid, what);
        json.writeStringField(what.equals("process_labels") ? "labels" : "name", name);
        end();
    }

    private void order(int pid, int tid, String what, int index) throws IOException {
        about(pid, tid, what);
        json.writeNumberField("sort_index", index);
        end();
    }

    private void about(int pid, int tid, String what) throws IOException {
        json.writeStartObject();
        json.writeStringField("ph", "M");
        json.writeStringField("name", what);
        json.writeNumberField("pid", pid);
        json.writeNumberField("tid", tid);
        json.writeObjectFieldStart("args");
    }
}
