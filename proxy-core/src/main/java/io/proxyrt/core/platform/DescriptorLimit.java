/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

/** Tells when what cannot be had is a file descriptor: then no other advice helps. */
public final class DescriptorLimit {
    private static final String OF_PROCESS = "Too many open files";
    private static final String OF_HOST = "Too many open files in system";

    private DescriptorLimit() {
    }

    /**
     * What to do about a failure of the JDK.
     *
     * @param failure   of a file, a socket or a selector
     * @param otherwise the advice if descriptors are not the reason; may be empty
     * @return to follow the failure's own text; empty, or begins with a semicolon
     */
    public static String advice(Throwable failure, String otherwise) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String text = String.valueOf(cause.getMessage());
            if (text.contains(OF_HOST)) {
                return "; this host has no file descriptor left, raise fs.file-max";
            }
            if (text.contains(OF_PROCESS)) {
                return "; this process has no file descriptor left, raise its limit (ulimit -n)";
            }
        }
        return otherwise;
    }
}
