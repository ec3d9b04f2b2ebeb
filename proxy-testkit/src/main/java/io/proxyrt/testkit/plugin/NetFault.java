/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.plugin;

/** What a {@link TcpNetPlugin} does wrong on purpose. One that fails leaves junk in what it should have set. */
public enum NetFault {
    /** {@code init} fails. */
    ERR_INIT,
    /** {@code devices} fails. */
    ERR_DEVICES,
    /** {@code getProperties} fails. */
    ERR_PROPERTIES,
    /** {@code listen} fails. */
    ERR_LISTEN,
    /** {@code connect} fails. */
    ERR_CONNECT,
    /** {@code accept} fails. */
    ERR_ACCEPT,
    /** {@code regMr} fails. */
    ERR_REG_MR,
    /** {@code isend} fails. */
    ERR_ISEND,
    /** {@code irecv} fails. */
    ERR_IRECV,
    /** {@code iflush} fails. */
    ERR_IFLUSH,
    /** {@code test} fails. */
    ERR_TEST,
    /** {@code closeSend}, {@code closeRecv} and {@code closeListen} fail, though they close. */
    ERR_CLOSE,
    /** {@code connect} is never done. */
    NEVER_CONNECTS,
    /** {@code accept} is never done. */
    NEVER_ACCEPTS,
    /** {@code isend} never has room. */
    NEVER_SENDS,
    /** {@code irecv} never has room. */
    NEVER_RECEIVES,
    /** {@code test} never says that a request is done. */
    NEVER_DONE,
    /** {@code test} says more bytes than were posted. */
    SIZE_TOO_LARGE,
    /** {@code test} says less than no bytes. */
    SIZE_NEGATIVE,
    /** {@code test} says no size. */
    NO_SIZE,
    /** {@code listen} succeeds without a listener. */
    NO_LISTENER,
    /** There are 0 devices. */
    NO_DEVICES,
    /** There are -3 devices. */
    NEGATIVE_DEVICES,
    /** The device wants kernels to unpack messages. */
    UNPACK_DEVICE,
    /** The device is of a type that NCCL does not have. */
    UNKNOWN_DEVICE_TYPE,
    /** Speed, connections, groups and sizes of the device cannot be. */
    SILLY_PROPERTIES,
    /** The device's {@code pciPath} is null. */
    NULL_PCI_PATH,
    /** The device's {@code name} is null. */
    NULL_NAME,
    /** The table's {@code name} is null. */
    NULL_PLUGIN_NAME,
    /** {@code init} changes the process's environment. */
    SETS_ENVIRONMENT,
    /** A thread of the plug-in logs. */
    LOGS_FROM_A_THREAD,
    /** {@code init} logs thousands of lines, and each {@code test} logs. */
    LOGS_A_FLOOD,
    /** {@code init} logs null, levels that there are not, and bytes that are no text. */
    LOGS_JUNK,
    /** Each {@code isend} calls the profiler back. */
    PROFILES
}
