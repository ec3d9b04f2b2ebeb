/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.metrics.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.proxyrt.core.agent.Uninterruptibly;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;

/**
 * What runtimes of this process tell Flight Recorder, as meters: how long calls of communicators, ops and calls of the
 * service take, and how often something stalls, fails or breaks. It starts a recording of its own, without a file, of
 * all of them however short; so each op and each call costs the runtime an event. Meters are about a second behind.
 * Tags are {@code job} and {@code rank}, and those that are named here:
 *
 * <ul>
 * <li>{@code proxyrt.collective}, a timer: {@code function}, {@code algorithm} ({@code none} for what consists of
 *     messages, moves nothing, or was not launched), {@code failed}
 * <li>{@code proxyrt.op}, a timer: {@code transport}, {@code direction}, {@code result}
 * <li>{@code proxyrt.rpc.call}, a timer: {@code type}, {@code result}
 * <li>{@code proxyrt.stalls}, a counter of ops that did not move for a second
 * <li>{@code proxyrt.stuck}, a counter of callers that waited in vain: {@code reason}
 * <li>{@code proxyrt.errors}, a counter: {@code result}
 * <li>{@code proxyrt.reconnects}, a counter: {@code back}; without {@code job}
 * </ul>
 *
 * <p>Any thread; meters change on a thread of its own.
 */
public final class EventMeters implements MeterBinder, AutoCloseable {
    private static final String PREFIX = "io.proxyrt.";
    private static final String NONE = "none";

    private final Queue<RecordingStream> streams = new ConcurrentLinkedQueue<>();

    /** Listens to nothing before it is bound. */
    public EventMeters() {
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        RecordingStream stream = new RecordingStream();
        try {
            listen(stream, registry);
            stream.startAsync();
        } catch (RuntimeException | Error e) {
            stream.close();
            throw e;
        }
        streams.add(stream);
    }

    private static void listen(RecordingStream stream, MeterRegistry registry) {
        time(stream, "Collective", "proxyrt.collective", registry, event -> Tags.of("function",
                text(event, "function"), "algorithm", text(event, "algorithm"), "failed",
                Boolean.toString(event.getBoolean("isFailed"))));
        time(stream, "Op", "proxyrt.op", registry, event -> Tags.of("transport", text(event, "transport"), "direction",
                text(event, "direction"), "result", text(event, "result")));
        time(stream, "RpcCall", "proxyrt.rpc.call", registry, event -> Tags.of("type", text(event, "type"), "result",
                text(event, "result")));
        listen(stream, "Stall", event -> {
            if (!event.getBoolean("isOver")) {
                registry.counter("proxyrt.stalls", job(event)).increment();
            }
        });
        listen(stream, "Stuck", event -> registry.counter("proxyrt.stuck",
                job(event).and("reason", text(event, "reason"))).increment());
        listen(stream, "ProxyError", event -> registry.counter("proxyrt.errors",
                job(event).and("result", text(event, "result"))).increment());
        listen(stream, "Reconnect", event -> registry.counter("proxyrt.reconnects", rank(event).and("back",
                Boolean.toString(event.getBoolean("isBack")))).increment());
    }

    private static void time(RecordingStream stream, String type, String timer, MeterRegistry registry,
            Function<RecordedEvent, Tags> tags) {
        listen(stream, type, event -> registry.timer(timer, job(event).and(tags.apply(event)))
                .record(event.getDuration()));
    }

    private static void listen(RecordingStream stream, String type, Consumer<RecordedEvent> listener) {
        stream.enable(PREFIX + type).withoutThreshold();
        stream.onEvent(PREFIX + type, listener);
    }

    private static Tags job(RecordedEvent event) {
        return rank(event).and("job", text(event, "job"));
    }

    private static Tags rank(RecordedEvent event) {
        return Tags.of("rank", Integer.toString(event.getInt("rank")));
    }

    private static String text(RecordedEvent event, String field) {
        String text = event.getString(field);
        return text == null ? NONE : text;
    }

    /** Ends its recordings, when all events so far have reached the meters, which stay. Idempotent; blocks for that. */
    @Override
    public void close() {
        for (RecordingStream stream = streams.poll(); stream != null; stream = streams.poll()) {
            end(stream);
        }
    }

    private static void end(RecordingStream stream) {
        try (stream) {
            Uninterruptibly.run(stream::stop);
        } catch (IllegalStateException _) {
            // An operator has stopped it, as by jcmd.
            return;
        }
    }
}
