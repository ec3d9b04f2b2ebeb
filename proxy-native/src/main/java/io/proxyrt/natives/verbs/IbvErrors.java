/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.ProcessLimits;
import io.proxyrt.natives.Errno;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/** What to say, and to advise, where libibverbs refuses. */
final class IbvErrors {
    private static final int EPERM = 1;
    private static final int ENOENT = 2;
    private static final int ENOMEM = 12;
    private static final int EACCES = 13;
    private static final int EFAULT = 14;
    private static final int ENOSYS = 38;
    private static final int EPROTONOSUPPORT = 93;
    private static final int EOPNOTSUPP = 95;
    private static final int ENETUNREACH = 101;
    private static final int ETIMEDOUT = 110;
    private static final int EHOSTUNREACH = 113;

    private IbvErrors() {
    }

    /** Some functions return the error, others have it in errno. */
    static int errno(int result, MemorySegment captured) {
        return result > 0 ? result : Errno.of(captured);
    }

    static ProxyException list(int errno) {
        return Errno.failure("cannot list RDMA devices", errno, errno == ENOSYS
                ? ": the kernel has no verbs for programs; load its module (modprobe ib_uverbs) and the driver of the"
                        + " device, and in a container mount /sys" : "");
    }

    /** After a file that it may not open, libibverbs looks for others, and errno is about those. */
    static ProxyException open(String device, Path file, int errno) {
        boolean isForbidden = Files.exists(file) && !(Files.isReadable(file) && Files.isWritable(file));
        int cause = isForbidden ? EACCES : errno;
        return Errno.failure("cannot open RDMA device " + device + ", " + file, cause, switch (cause) {
            case EPERM, EACCES -> "; let this user read and write the file, and in a container allow the device";
            case ENOENT -> "; in a container, give it the folder /dev/infiniband";
            default -> "";
        });
    }

    static ProxyException register(String what, int errno) {
        return Errno.failure("cannot register " + what, errno, switch (errno) {
            case ENOMEM -> lockedMemory();
            case EFAULT -> ": it is not memory that this device can reach, such as a GPU's without a driver for it";
            default -> "";
        });
    }

    /** Where a library, driver or device has no dma-bufs, the caller tries another way. */
    static ProxyException dmaBuf(String what, int errno) {
        boolean isUnknown = errno == EOPNOTSUPP || errno == EPROTONOSUPPORT;
        return isUnknown ? new ProxyException(ProxyResult.INVALID_ARGUMENT, "cannot register " + what + ": "
                + Errno.name(errno) + ", this device or its driver knows no dma-bufs") : register(what, errno);
    }

    static ProxyException create(String what, int errno) {
        return Errno.failure("cannot make " + what, errno, errno == ENOMEM
                ? ": the device has no more" + lockedMemory().replaceFirst("^:", ", or") : "");
    }

    /** A peer whose address does not resolve is the peer's failure. */
    static ProxyException modify(String what, int errno) {
        return switch (errno) {
            case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH -> new ProxyException(ProxyResult.REMOTE_ERROR, what + ": "
                    + Errno.name(errno) + ", the peer's address does not resolve; is its port up, and in this subnet?");
            default -> Errno.failure(what, errno, "");
        };
    }

    /** What locked memory is limited to, for a sentence that has begun. */
    private static String lockedMemory() {
        String limit = ProcessLimits.lockedMemory();
        return limit.isEmpty() ? "" : ": the limit of locked memory may be too low, it is " + limit
                + (limit.equals("unlimited") ? "" : " bytes; raise it (ulimit -l unlimited)");
    }
}
