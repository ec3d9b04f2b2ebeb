/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** This host's name, for people. */
public final class HostName {
    private HostName() {
    }

    /**
     * The name, without asking the network if that can be avoided.
     *
     * @return without the domain
     */
    public static String get() {
        return full().replaceFirst("\\..*", "");
    }

    private static String full() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            return ofAddress();
        }
    }

    private static String ofAddress() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
