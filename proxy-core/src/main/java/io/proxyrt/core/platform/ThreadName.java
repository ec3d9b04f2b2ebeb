/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

/** The names of an agent's thread: the agent's own, and what the system keeps of it. Stateless; any thread. */
public final class ThreadName {
    private static final int MAX_BYTES = 15;
    private static final int MIN_ROLE_BYTES = 4;
    private static final String PREFIX = "proxy-";
    private static final String SHORT_PREFIX = "prx-";

    private ThreadName() {
    }

    /**
     * Shortens a thread's name to what Linux keeps of one: the role loses letters at its end, the rank no digit.
     *
     * @param name such as {@code proxy-progress-1234}
     * @return such as {@code prx-progre-1234}
     */
    public static String ofSystem(String name) {
        String ascii = name.replaceAll("[^\\x21-\\x7e]", "_");
        int dash = ascii.matches(".*-[0-9]{1,10}") ? ascii.lastIndexOf('-') : ascii.length();
        String role = ascii.substring(0, dash);
        int room = MAX_BYTES - (ascii.length() - dash);
        if (role.startsWith(PREFIX)) {
            boolean isRoomy = room >= SHORT_PREFIX.length() + MIN_ROLE_BYTES;
            role = (isRoomy ? SHORT_PREFIX : "") + role.substring(PREFIX.length());
        }
        return role.substring(0, Math.min(role.length(), room)) + ascii.substring(dash);
    }

    /**
     * Whether a thread of the system is one of a runtime's, by its name.
     *
     * @param osName of the thread, as the system has it
     * @return true also of one whose name was cut
     */
    public static boolean isOfProxy(String osName) {
        return osName.startsWith(PREFIX) || osName.startsWith(SHORT_PREFIX);
    }

    /**
     * Whether a thread of the system is the one of this name.
     *
     * @param osName of the thread, as the system has it: shortened, or cut where it could not be named
     * @param name   such as {@code proxy-progress-12}
     * @return false for another role, or another rank if the number is there
     */
    public static boolean isNameOf(String osName, String name) {
        return osName.equals(ofSystem(name)) || osName.equals(name.substring(0, Math.min(name.length(), MAX_BYTES)));
    }
}
