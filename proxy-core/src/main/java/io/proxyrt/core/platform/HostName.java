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

/** This host's name, without asking the network if that can be avoided. */
public final class HostName {
    private HostName() {
    }

    /**
     * The name for people.
     *
     * @return without the domain
     */
    public static String get() {
        return full().replaceFirst("\\..*", "");
    }

    /**
     * The name as the kernel has it, by which hosts are told apart.
     *
     * @return with the domain, if it was set so; "localhost" if the system does not tell
     */
    public static String full() {
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
