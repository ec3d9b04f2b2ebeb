/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.proxyrt.cli.about.Host;
import io.proxyrt.cli.about.Version;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;

/**
 * Keeps the results in a file, together with where they were got. Written anew after every row, so that it holds what
 * there is even if the process is killed.
 */
final class JsonReport implements PerfReport {
    private final Path file;
    private final ProxyConfig config;
    private final int nRanks;
    private final Instant started = Instant.now();
    private final List<Row> rows = new ArrayList<>();
    private PerfPlan plan;
    private List<String> devices = List.of();
    private PerfResult result;
    private String status = "running";
    private String error;

    JsonReport(Path file, ProxyConfig config, int nRanks) {
        this.file = file;
        this.config = config;
        this.nRanks = nRanks;
    }

    private record Row(long sizeBytes, long count, PerfPlan.Variant variant, List<Measurement> measurements) {
    }

    @Override
    public void begin(PerfPlan plan, List<String> devices) {
        this.plan = plan;
        this.devices = devices;
        write();
    }

    @Override
    public void beginRow(long sizeBytes, long count, PerfPlan.Variant variant) {
        rows.add(new Row(sizeBytes, count, variant, new ArrayList<>()));
    }

    @Override
    public void measured(Measurement measurement) {
        List<Measurement> measurements = rows.getLast().measurements();
        measurements.add(measurement);
        if (measurements.size() == 2) {
            write();
        }
    }

    @Override
    public void end(PerfResult result) {
        this.result = result;
        this.status = result.failures() == 0 ? "ok" : "wrong data";
        write();
    }

    @Override
    public void failed(String reason) {
        status = "failed";
        error = reason;
        write();
    }

    private void write() {
        // A new file: in a folder such as /tmp, another user may have put a link where its name can be foretold.
        Path temporary = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".part");
        try {
            Files.writeString(temporary, text(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            try {
                Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot write " + file + ": " + e, e);
        }
    }

    private String text() throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter());
            json.writeStartObject();
            json.writeStringField("status", status);
            if (error != null) {
                json.writeStringField("error", error);
            }
            writeEnvironment(json);
            if (plan != null) {
                writePlan(json);
            }
            json.writeArrayFieldStart("rows");
            for (Row row : rows) {
                writeRow(json, row);
            }
            json.writeEndArray();
            if (result != null) {
                json.writeNumberField("outOfBounds", result.failures());
                json.writeNumberField("avgBusBandwidth", result.busBw());
            }
            json.writeEndObject();
        }
        return text.append('\n').toString();
    }

    private void writeEnvironment(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("environment");
        json.writeStringField("proxyrt", Version.text());
        json.writeStringField("started", started.toString());
        json.writeStringField("host", Host.name());
        json.writeStringField("os", System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch"));
        json.writeStringField("cpu", Host.cpu());
        json.writeNumberField("cores", Runtime.getRuntime().availableProcessors());
        json.writeStringField("java", System.getProperty("java.vm.name") + " " + Runtime.version() + " ("
                + System.getProperty("java.vendor") + ")");
        json.writeStringField("javaOptions", Objects.requireNonNullElse(System.getenv("PROXYRT_JAVA_OPTS"), ""));
        json.writeNumberField("ranks", nRanks);
        json.writeArrayFieldStart("devices");
        for (String device : devices) {
            json.writeString(device);
        }
        json.writeEndArray();
        json.writeObjectFieldStart("options");
        for (ProxyConfig.Setting setting : config.settings()) {
            json.writeStringField(setting.option().key(), setting.value().toString());
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    private void writePlan(JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("plan");
        json.writeStringField("collective", plan.collective().label());
        json.writeNumberField("minBytes", plan.sizes().minBytes());
        json.writeNumberField("maxBytes", plan.sizes().maxBytes());
        json.writeStringField("step", plan.sizes().stepText());
        json.writeNumberField("warmup", plan.loops().warmup());
        json.writeNumberField("iterations", plan.loops().iterations());
        json.writeNumberField("aggregate", plan.loops().aggregate());
        json.writeNumberField("checks", plan.loops().checks());
        json.writeStringField("average", plan.average().name().toLowerCase(Locale.ROOT));
        json.writeNumberField("jitWarmupMs", plan.jitWarmup().toMillis());
        json.writeEndObject();
    }

    private static void writeRow(JsonGenerator json, Row row) throws IOException {
        json.writeStartObject();
        json.writeNumberField("size", row.sizeBytes());
        json.writeNumberField("count", row.count());
        json.writeStringField("type", row.variant().type().label());
        json.writeStringField("redop", row.variant().op() == null ? "none" : row.variant().op().label());
        json.writeNumberField("root", row.variant().root());
        for (int i = 0; i < row.measurements().size(); i++) {
            Measurement measurement = row.measurements().get(i);
            json.writeObjectFieldStart(i == 0 ? "outOfPlace" : "inPlace");
            json.writeNumberField("timeUs", measurement.micros());
            json.writeNumberField("algBw", measurement.algBw());
            json.writeNumberField("busBw", measurement.busBw());
            if (measurement.wrong() == Measurement.UNCHECKED) {
                json.writeNullField("wrong");
            } else {
                json.writeNumberField("wrong", measurement.wrong());
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }
}
