/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.NvLink;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.NvidiaGpu;
import io.proxyrt.core.platform.PciAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads what NCCL's {@code ncclTopoGetXmlFromGpu} reads of each GPU. Of one thread. */
final class NvmlReading {
    private static final int HOPPER = 90;
    private static final int MOST_C2C_LINKS = 64;
    private static final int MOST_CAPABILITY = 999;
    private static final String REMOTE = "[0-9a-f:.]{1,15}";

    private final NvmlApi api;
    /** Of the GPUs that are asked about. */
    private final Set<String> names;
    private final List<NvidiaGpu> gpus = new ArrayList<>();
    /** A GPU that is lost says so of each of its links. */
    private final Set<String> problems = new LinkedHashSet<>();

    private NvmlReading(NvmlApi api, List<PciAddress> addresses) {
        this.api = api;
        this.names = addresses.stream().map(PciAddress::toString).collect(Collectors.toUnmodifiableSet());
    }

    /** Begins and ends a use of the library. */
    static NvidiaDriver.Answer of(NvmlApi api, List<PciAddress> addresses) {
        NvmlReading reading = new NvmlReading(api, addresses);
        if (reading.succeeds(api::begin)) {
            try {
                addresses.forEach(address -> reading.succeeds(() -> reading.add(address)));
            } finally {
                reading.succeeds(api::end);
            }
        }
        return new NvidiaDriver.Answer(reading.gpus, List.copyOf(reading.problems),
                !reading.gpus.isEmpty() || reading.problems.isEmpty());
    }

    private boolean succeeds(Runnable step) {
        try {
            step.run();
            return true;
        } catch (ProxyException e) {
            problems.add(e.getMessage());
            return false;
        }
    }

    private void add(PciAddress address) {
        api.handle(address.toString()).ifPresent(device -> add(address, device));
    }

    private void add(PciAddress address, long device) {
        String name = address.toString();
        int capability = api.computeCapability(device, name);
        if (capability < 10 || capability > MOST_CAPABILITY) {
            throw new ProxyException(ProxyResult.UNHANDLED_DEVICE_ERROR,
                    "the GPU at " + name + " has the compute capability " + capability + ", by NVML, which none has");
        }
        List<NvLink> links = links(device, capability, name);
        List<Integer> c2c = capability < HOPPER ? List.of() : c2c(device);
        gpus.add(new NvidiaGpu(address, capability, links, c2c.size(), c2c.isEmpty() ? 0 : c2c.getLast()));
    }

    private List<NvLink> links(long device, int capability, String name) {
        int most = mostLinks(capability);
        if (most > 0 && !api.hasLinks()) {
            problems.add("this version of NVML tells nothing of NVLinks");
            return List.of();
        }
        Map<String, NvLink> links = new LinkedHashMap<>();
        for (int i = 0; i < most; i++) {
            int link = i;
            succeeds(() -> addLink(device, link, capability, name, links));
        }
        return List.copyOf(links.values());
    }

    /** By NCCL, whose numbers are of the compute capability. */
    private static int mostLinks(int capability) {
        return capability < 60 ? 0 : capability < 70 ? 4 : capability < 80 ? 6 : capability < HOPPER ? 12 : 18;
    }

    /** To ask what a link can do also trains it, so its state is asked for afterwards. */
    private void addLink(long device, int link, int capability, String name, Map<String, NvLink> links) {
        if (!api.isPeerLink(device, link, name) || !isUp(device, link, capability, name)) {
            return;
        }
        String target = api.remote(device, link, name).toLowerCase(Locale.ROOT);
        if (!target.matches(REMOTE) || target.equals(name)) {
            throw new ProxyException(ProxyResult.UNHANDLED_DEVICE_ERROR, "NVLink " + link + " of the GPU at " + name
                    + " goes to '" + target + "', by NVML, where nothing can be");
        }
        links.merge(target, new NvLink(target, 1, names.contains(target) || api.isRemoteGpu(device, link)),
                (known, more) -> new NvLink(target, known.count() + 1, known.isGpu()));
    }

    private boolean isUp(long device, int link, int capability, String name) {
        OptionalInt state = capability < HOPPER ? OptionalInt.empty()
                : api.field(device, NvmlApi.FI_NVLINK_GET_STATE, link);
        return state.isPresent() ? state.getAsInt() == NvmlApi.FEATURE_ENABLED : api.isUp(device, link, name);
    }

    /** MB/s of each link that is up. */
    private List<Integer> c2c(long device) {
        List<Integer> speeds = new ArrayList<>();
        int count = Math.min(MOST_C2C_LINKS, api.field(device, NvmlApi.FI_C2C_LINK_COUNT, 0).orElse(0));
        for (int link = 0; link < count; link++) {
            int speed = api.field(device, NvmlApi.FI_C2C_LINK_GET_MAX_BW, link).orElse(0);
            if (speed > 0 && api.field(device, NvmlApi.FI_C2C_LINK_GET_STATUS, link).orElse(0) == 1) {
                speeds.add(speed);
            }
        }
        return speeds;
    }
}
