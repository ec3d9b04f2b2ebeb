/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.natives.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** NVML, by the functions of libnvidia-ml. It locks by itself, and counts who has begun. */
final class NvmlApi {
    static final int SUCCESS = 0;
    static final int INVALID_ARGUMENT = 2;
    static final int NOT_SUPPORTED = 3;
    static final int NO_PERMISSION = 4;
    static final int NOT_FOUND = 6;
    static final int CAP_P2P_SUPPORTED = 0;
    static final int FEATURE_ENABLED = 1;
    static final int DEVICE_TYPE_GPU = 0;
    /** Its text is the tuple of the bus in 16 bytes, in all versions. */
    static final int PCI_TEXT_BYTES = 16;
    /** Of the greatest version. */
    static final int PCI_INFO_BYTES = 68;
    static final int FI_NVLINK_GET_STATE = 165;
    static final int FI_C2C_LINK_COUNT = 170;
    static final int FI_C2C_LINK_GET_STATUS = 171;
    static final int FI_C2C_LINK_GET_MAX_BW = 172;
    static final int FIELD_BYTES = 40;
    static final int FIELD_SCOPE = 4;
    static final int FIELD_STATUS = 28;
    static final int FIELD_VALUE = 32;

    private final CFunction init;
    private final CFunction shutdown;
    private final CFunction errorString;
    private final CFunction handleByPciBusId;
    private final CFunction computeCapability;
    private final CFunction linkCapability;
    private final CFunction linkState;
    private final CFunction remotePciInfo;
    private final CFunction remoteDeviceType;
    private final CFunction fieldValues;

    NvmlApi(GpuLibrary.Symbols symbols) {
        init = symbols.need("nvmlInit_v2");
        shutdown = symbols.need("nvmlShutdown");
        errorString = symbols.need("nvmlErrorString");
        handleByPciBusId = symbols.need("nvmlDeviceGetHandleByPciBusId_v2");
        computeCapability = symbols.need("nvmlDeviceGetCudaComputeCapability");
        linkCapability = symbols.find("nvmlDeviceGetNvLinkCapability");
        linkState = symbols.find("nvmlDeviceGetNvLinkState");
        CFunction newer = symbols.find("nvmlDeviceGetNvLinkRemotePciInfo_v2");
        remotePciInfo = newer.exists() ? newer : symbols.find("nvmlDeviceGetNvLinkRemotePciInfo");
        remoteDeviceType = symbols.find("nvmlDeviceGetNvLinkRemoteDeviceType");
        fieldValues = symbols.find("nvmlDeviceGetFieldValues");
    }

    void begin() {
        check(call(init), init, "");
    }

    void end() {
        check(call(shutdown), shutdown, "");
    }

    /** Whether this version knows NVLinks at all. */
    boolean hasLinks() {
        return linkCapability.exists() && linkState.exists() && remotePciInfo.exists();
    }

    /** Empty if the GPU is not given to this process, as in a container that has others of the host. */
    OptionalLong handle(String address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(JAVA_LONG);
            int status = call(handleByPciBusId, arena.allocateFrom(address).address(), handle.address());
            if (status == NOT_FOUND || status == NO_PERMISSION) {
                return OptionalLong.empty();
            }
            check(status, handleByPciBusId, address);
            return OptionalLong.of(handle.get(JAVA_LONG, 0));
        }
    }

    /** Major and minor in one, such as 90. */
    int computeCapability(long device, String address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT, 2);
            check(call(computeCapability, device, out.address(), out.address() + Integer.BYTES), computeCapability,
                    address);
            return out.getAtIndex(JAVA_INT, 0) * 10 + out.getAtIndex(JAVA_INT, 1);
        }
    }

    /** Whether a link can carry data of peers; false also if there is none of that number. */
    boolean isPeerLink(long device, int link, String address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            int status = call(linkCapability, device, link, CAP_P2P_SUPPORTED, out.address());
            if (status == NOT_SUPPORTED || status == INVALID_ARGUMENT) {
                return false;
            }
            check(status, linkCapability, address);
            return out.get(JAVA_INT, 0) != 0;
        }
    }

    boolean isUp(long device, int link, String address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            check(call(linkState, device, link, out.address()), linkState, address);
            return out.get(JAVA_INT, 0) == FEATURE_ENABLED;
        }
    }

    /** What is at the other end, as NVML writes it. */
    String remote(long device, int link, String address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(PCI_INFO_BYTES, Long.BYTES);
            check(call(remotePciInfo, device, link, out.address()), remotePciInfo, address);
            byte[] text = out.asSlice(0, PCI_TEXT_BYTES - 1).toArray(JAVA_BYTE);
            return new String(text, StandardCharsets.ISO_8859_1).split("\0", 2)[0];
        }
    }

    /** Whether a GPU is at the other end; false also where the library does not tell. */
    boolean isRemoteGpu(long device, int link) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            return remoteDeviceType.exists() && call(remoteDeviceType, device, link, out.address()) == SUCCESS
                    && out.get(JAVA_INT, 0) == DEVICE_TYPE_GPU;
        }
    }

    /** A value of a GPU, or of one of its links; empty if this version, or this GPU, does not have it. */
    OptionalInt field(long device, int field, int link) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(FIELD_BYTES, Long.BYTES);
            value.set(JAVA_INT, 0, field);
            value.set(JAVA_INT, FIELD_SCOPE, link);
            boolean isTold = fieldValues.exists() && call(fieldValues, device, 1, value.address()) == SUCCESS
                    && value.get(JAVA_INT, FIELD_STATUS) == SUCCESS;
            return isTold ? OptionalInt.of(value.get(JAVA_INT, FIELD_VALUE)) : OptionalInt.empty();
        }
    }

    private void check(int status, CFunction function, String address) {
        if (status != SUCCESS) {
            throw new ProxyException(ProxyResult.UNHANDLED_DEVICE_ERROR, function.name()
                    + (address.isEmpty() ? "" : " of the GPU at " + address) + ": "
                    + GpuCalls.text(errorString, status) + " (" + status + ")");
        }
    }
}
