/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.device.host.HostPlacement;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.transport.shm.MemfdSegments.Exports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Which kind of segment two ranks use: the first that they can share. Any thread. */
final class SegmentKinds implements AutoCloseable {
    private final Device device;
    /** Whose memory segments are: the device itself, if it is the host. */
    private final Device host;
    private final Map<SegmentKind, SegmentSource> sources = new EnumMap<>(SegmentKind.class);

    SegmentKinds(ProxyConfig config, Device device, Exports exports) {
        this.device = device;
        this.host = device.attributes().kind().equals(Devices.HOST) ? device : host(config);
        SegmentKind wanted = config.get(ShmOptions.SEGMENT);
        if (wanted != SegmentKind.FILE) {
            sources.put(SegmentKind.MEMFD, new MemfdSegments(host, device, exports));
        }
        if (wanted != SegmentKind.MEMFD) {
            String folder = config.get(ShmOptions.DIRECTORY);
            Path path = folder.isEmpty() ? FileSegments.DEV_SHM : Path.of(folder);
            SegmentFile.reap(path);
            sources.put(SegmentKind.FILE, new FileSegments(device, path));
        }
    }

    private static Device host(ProxyConfig config) {
        Platform platform = Platform.find();
        return new HostDevice(0, platform, HostPlacement.of(platform, config));
    }

    /** Empty if there is a kind that both ranks can use. The other rank comes to the same answer. */
    String whyNot(PeerInfo self, PeerInfo peer) {
        if (host != device && !device.capabilities().contains(DeviceCapability.HOST_REGISTRATION)) {
            return device.name() + " has no " + DeviceCapability.HOST_REGISTRATION + ", and so its kernels do not reach"
                    + " memory that processes share";
        }
        return choose(self, peer) != SegmentKind.AUTO ? "" : sources.entrySet().stream()
                .map(entry -> entry.getKey().name().toLowerCase(Locale.ROOT) + ": "
                        + entry.getValue().whyNot(self, peer))
                .collect(Collectors.joining("; "));
    }

    /** The kind of this rank's segment; AUTO if there is none. */
    SegmentKind choose(PeerInfo self, PeerInfo peer) {
        return sources.entrySet().stream().filter(entry -> entry.getValue().whyNot(self, peer).isEmpty())
                .map(Map.Entry::getKey).findFirst().orElse(SegmentKind.AUTO);
    }

    Segment make(SegmentKind kind, long bytes, int peer) {
        return source(kind).make(bytes, peer);
    }

    /** As {@link SegmentSource#open}. */
    MappedSegment open(SegmentAddress address, long bytes, Duration timeout) {
        return source(address.kind()).open(address, bytes, timeout);
    }

    private SegmentSource source(SegmentKind kind) {
        SegmentSource source = sources.get(kind);
        if (source == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "SHM segment is a " + kind + ", but "
                    + ShmOptions.SEGMENT + " allows " + sources.keySet() + " here; set it alike at all ranks");
        }
        return source;
    }

    /** Whether memory that peers register can be read here: not if kernels are a GPU's. */
    boolean sharesRegistered() {
        return host == device;
    }

    String describe() {
        return "segments: " + sources.values().stream().map(SegmentSource::describe)
                .collect(Collectors.joining(", or "));
    }

    /** Unmaps what is left of segments. */
    @Override
    public void close() {
        if (host != device) {
            host.close();
        }
    }
}
