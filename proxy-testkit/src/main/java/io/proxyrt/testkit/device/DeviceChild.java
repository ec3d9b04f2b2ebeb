/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;

/** The other process: opens a device of the same kind, and does what it is told, a line at a time. */
public final class DeviceChild {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Device device;
    private DeviceMemory memory;

    private DeviceChild(Device device) {
        this.device = device;
    }

    /**
     * Runs until its input ends.
     *
     * @param arguments the class of a {@link DeviceFactory}
     * @throws Exception if there is no such class, or its constructor fails
     */
    public static void main(String[] arguments) throws Exception {
        DeviceFactory factory = (DeviceFactory) Class.forName(arguments[0]).getConstructor().newInstance();
        try (Device device = factory.open(1)) {
            new DeviceChild(device).run(new BufferedReader(new InputStreamReader(System.in,
                    StandardCharsets.UTF_8)));
        }
    }

    private void run(BufferedReader input) throws IOException {
        System.out.println("ready");
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            System.out.println(answer(line.split(" ")));
        }
    }

    private String answer(String... words) {
        try {
            return switch (words[0]) {
                case "importFd" -> opened(device.importFd(FdPost.receive(words[1]), Long.parseLong(words[2])));
                case "openIpc" -> opened(device.openIpc(HexFormat.of().parseHex(words[1])));
                case "allocateIpc" -> allocated(Integer.parseInt(words[1]));
                case "hash" -> Integer.toString(Arrays.hashCode(exchange(Integer.parseInt(words[1]), false)));
                case "invert" -> Integer.toString(Arrays.hashCode(exchange(Integer.parseInt(words[1]), true)));
                case "free" -> freed();
                default -> "does not know " + words[0];
            };
        } catch (ProxyException e) {
            return e.result().name();
        }
    }

    private String opened(DeviceMemory opened) {
        memory = opened;
        return Long.toString(memory.bytes());
    }

    private String allocated(int bytes) {
        memory = device.allocateIpc(bytes);
        return HexFormat.of().formatHex(device.ipcHandle(memory));
    }

    private String freed() {
        memory.close();
        return "freed";
    }

    /** Reads the memory by a copy, and writes it back, every bit inverted. */
    private byte[] exchange(int bytes, boolean isInverted) {
        try (DeviceStream stream = device.stream("proxy-child"); DeviceMemory copy = device.allocateHost(bytes)) {
            stream.copy(copy, 0, memory, 0, bytes);
            stream.synchronize(TIMEOUT);
            byte[] content = copy.segment().toArray(ValueLayout.JAVA_BYTE);
            if (isInverted) {
                for (int i = 0; i < bytes; i++) {
                    copy.segment().set(ValueLayout.JAVA_BYTE, i, (byte) ~content[i]);
                }
                stream.copy(memory, 0, copy, 0, bytes);
                stream.synchronize(TIMEOUT);
            }
            return content;
        }
    }
}
