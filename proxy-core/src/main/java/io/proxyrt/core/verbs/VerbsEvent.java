/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

/**
 * Something that happened to a device: {@code ibv_async_event}.
 *
 * @param type      as {@code ibv_event_type} numbers it
 * @param port      whose event it is; 0 if it is not of a port
 * @param queuePair number of the queue pair whose event it is; 0 if it is not of one
 */
public record VerbsEvent(int type, int port, int queuePair) {
    /** {@code IBV_EVENT_CQ_ERR}, of a completion queue. */
    public static final int CQ_ERR = 0;
    /** {@code IBV_EVENT_QP_FATAL}, of a queue pair. */
    public static final int QP_FATAL = 1;
    /** {@code IBV_EVENT_QP_REQ_ERR}, of a queue pair that cannot take what the peer sends. */
    public static final int QP_REQ_ERR = 2;
    /** {@code IBV_EVENT_QP_ACCESS_ERR}, of a queue pair whose peer tried what it may not. */
    public static final int QP_ACCESS_ERR = 3;
    /** {@code IBV_EVENT_DEVICE_FATAL}, of the device. */
    public static final int DEVICE_FATAL = 8;
    /** {@code IBV_EVENT_PORT_ACTIVE}. */
    public static final int PORT_ACTIVE = 9;
    /** {@code IBV_EVENT_PORT_ERR}: it went down. */
    public static final int PORT_ERR = 10;
    /** {@code IBV_EVENT_GID_CHANGE}, of a port. */
    public static final int GID_CHANGE = 18;

    private static final int SRQ_ERR = 14;

    private static final String[] NAMES = {"CQ_ERR", "QP_FATAL", "QP_REQ_ERR", "QP_ACCESS_ERR", "COMM_EST",
        "SQ_DRAINED", "PATH_MIG", "PATH_MIG_ERR", "DEVICE_FATAL", "PORT_ACTIVE", "PORT_ERR", "LID_CHANGE",
        "PKEY_CHANGE", "SM_CHANGE", "SRQ_ERR", "SRQ_LIMIT_REACHED", "QP_LAST_WQE_REACHED", "CLIENT_REREGISTER",
        "GID_CHANGE", "WQ_FATAL"};

    /**
     * An event of a port, or of the device.
     *
     * @param type as {@code ibv_event_type} numbers it
     * @param port 0 if it is not of a port
     */
    public VerbsEvent(int type, int port) {
        this(type, port, 0);
    }

    /**
     * The event's name.
     *
     * @return such as {@code PORT_ERR}
     */
    public String name() {
        return type >= 0 && type < NAMES.length ? NAMES[type] : "event " + type;
    }

    /**
     * Whether traffic that is under way is lost with it.
     *
     * @return true for a device, port, queue or queue pair that failed
     */
    public boolean isFatal() {
        return switch (type) {
            case CQ_ERR, QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR, DEVICE_FATAL, PORT_ERR, SRQ_ERR -> true;
            default -> false;
        };
    }
}
