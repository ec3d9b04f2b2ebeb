/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/** Whether the host device's memory has huge pages. */
public enum HugePages {
    /** It has the system's ordinary ones. */
    OFF,
    /** The system is asked for them, and gives them as far as it has them. */
    TRANSPARENT,
    /**
     * So it is, and shareable memory gets those that the administrator has set aside, or there is none. It is rounded
     * up to them; what is smaller than one has ordinary pages.
     */
    RESERVED
}
