/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceProvider;
import io.proxyrt.core.platform.Platform;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The devices that the modules of this process can find. Any platform thread. */
public final class Devices {
    /** The kind that is always there. */
    public static final String HOST = "host";

    private Devices() {
    }

    /**
     * All kinds but the host's own.
     *
     * @return in the order of their names
     */
    public static List<DeviceProvider> providers() {
        List<DeviceProvider> all = new ArrayList<>();
        ServiceLoader.load(DeviceProvider.class).forEach(all::add);
        all.sort((one, other) -> one.kind().compareTo(other.kind()));
        return all;
    }

    /**
     * Opens a device.
     *
     * @param name   a kind, or a kind and a number: {@code host}, {@code cuda}, {@code hip:1}; without a number it is
     *               the first one
     * @param rank   gives a host device its number, if the name does not
     * @param config of the runtime that uses it
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is no such device, with the reason
     */
    public static Device open(String name, int rank, ProxyConfig config) {
        int colon = name.indexOf(':');
        String kind = colon < 0 ? name : name.substring(0, colon);
        int number = colon < 0 ? -1 : number(name, name.substring(colon + 1));
        if (kind.equals(HOST)) {
            Platform platform = Platform.find();
            return new HostDevice(number < 0 ? rank : number, platform, HostPlacement.of(platform, config));
        }
        return provider(name, kind).open(Math.max(0, number), config);
    }

    private static DeviceProvider provider(String name, String kind) {
        List<String> known = new ArrayList<>(List.of(HOST));
        for (DeviceProvider provider : providers()) {
            if (provider.kind().equals(kind)) {
                return provider;
            }
            known.add(provider.kind());
        }
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "there is no device '" + name + "'; this process knows "
                + String.join(", ", known));
    }

    private static int number(String name, String digits) {
        try {
            int number = Integer.parseInt(digits);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Told below, with the whole name.
        }
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "device '" + name + "': what follows the colon is to be "
                + "a number, from 0");
    }
}
