/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.devices;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceAttributes;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceLimits;
import io.proxyrt.core.platform.NetworkPort;
import io.proxyrt.core.platform.PciAddress;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes what {@link DevicesReport} prints for programs. */
public final class DevicesJson {
    private DevicesJson() {
    }

    /**
     * Writes all of it.
     *
     * @param file made anew
     * @param view of this host
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the file cannot be written
     */
    public static void write(Path file, DevicesView view) {
        try (Writer writer = Files.newBufferedWriter(file);
                JsonGenerator json = new JsonFactory().createGenerator(writer)) {
            json.setPrettyPrinter(new DefaultPrettyPrinter());
            json.writeStartObject();
            json.writeArrayFieldStart("kinds");
            for (KindView kind : view.kinds()) {
                writeKind(json, kind);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("networkPorts");
            for (NetworkPort port : view.ports()) {
                writePort(json, port);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("links");
            for (LinkView link : view.links()) {
                writeLink(json, link);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot write " + file + ": " + e, e);
        }
    }

    private static void writeKind(JsonGenerator json, KindView kind) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", kind.kind());
        json.writeStringField("version", kind.version());
        json.writeStringField("whyNot", kind.whyNot());
        json.writeArrayFieldStart("problems");
        for (String problem : kind.problems()) {
            json.writeString(problem);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("devices");
        for (DeviceView device : kind.devices()) {
            writeDevice(json, device);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void writeDevice(JsonGenerator json, DeviceView device) throws IOException {
        DeviceAttributes attributes = device.attributes();
        json.writeStartObject();
        json.writeStringField("name", device.name());
        json.writeStringField("model", attributes.model());
        json.writeStringField("architecture", attributes.architecture());
        json.writeStringField("pciId", attributes.pciId());
        json.writeNumberField("numaNode", attributes.numaNode());
        json.writeNumberField("memoryBytes", attributes.memoryBytes());
        json.writeNumberField("busGigatransfers", device.bus().gigatransfers());
        json.writeNumberField("busLanes", device.bus().lanes());
        writeLimits(json, attributes.limits());
        json.writeArrayFieldStart("capabilities");
        for (DeviceCapability capability : device.capabilities()) {
            json.writeString(capability.name());
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void writeLimits(JsonGenerator json, DeviceLimits limits) throws IOException {
        json.writeNumberField("processors", limits.processors());
        json.writeNumberField("warpSize", limits.warpSize());
        json.writeNumberField("asyncEngines", limits.asyncEngines());
        json.writeNumberField("maxBlockThreads", limits.maxBlockThreads());
        json.writeNumberField("maxSharedBytes", limits.maxSharedBytes());
        json.writeNumberField("granularityBytes", limits.granularityBytes());
    }

    private static void writePort(JsonGenerator json, NetworkPort port) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", port.name());
        json.writeBooleanField("isRdma", port.isRdma());
        json.writeStringField("pciId", port.address().map(PciAddress::toString).orElse(""));
        json.writeNumberField("numaNode", port.numaNode());
        json.writeNumberField("speedMbps", port.speedMbps());
        json.writeEndObject();
    }

    private static void writeLink(JsonGenerator json, LinkView link) throws IOException {
        json.writeStartObject();
        json.writeStringField("from", link.from());
        json.writeStringField("to", link.to());
        json.writeStringField("type", link.type().name());
        json.writeBooleanField("isPeer", link.isPeer());
        json.writeStringField("whyNot", link.whyNot());
        json.writeEndObject();
    }
}
