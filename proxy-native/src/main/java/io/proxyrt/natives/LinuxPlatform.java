/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import io.proxyrt.core.UserRedOp;
import io.proxyrt.core.platform.Descriptors;
import io.proxyrt.core.platform.Futex;
import io.proxyrt.core.platform.HostPages;
import io.proxyrt.core.platform.NativeCopy;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.Poller;
import io.proxyrt.core.platform.SocketOwner;
import io.proxyrt.core.platform.StreamSocket;
import io.proxyrt.core.platform.UnixSockets;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Linux on x86-64 and AArch64. */
public final class LinuxPlatform implements Platform {
    private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");
    /** All that the classes beside this one link. */
    private static final List<String> FUNCTIONS =
            List.of("syscall", "prctl", "sched_getaffinity", "sched_setaffinity", "sched_setscheduler",
                    "memfd_create", "ftruncate", "fcntl", "open", "statx", "close", "socket", "bind", "listen",
                    "fchmod", "accept4", "connect", "sendmsg", "recvmsg", "getsockopt", "setsockopt", "geteuid",
                    "epoll_create1", "epoll_ctl", "epoll_wait", "eventfd", "read", "write", "poll", "getsockname",
                    "getpeername", "mmap", "munmap", "madvise", "fallocate", "memcpy");

    /** For {@link java.util.ServiceLoader}. */
    public LinuxPlatform() {
    }

    @Override
    public String name() {
        return "linux";
    }

    /** Asks about native access before anything that is restricted, or the JVM would print a warning. */
    @Override
    public String whyNot() {
        return whyNot(System.getProperty("os.name"), System.getProperty("os.arch"), LinuxPlatform.class.getModule());
    }

    static String whyNot(String system, String architecture, Module module) {
        if (!system.equals("Linux") || !ARCHITECTURES.contains(architecture)) {
            return "proxy-native knows Linux on amd64 and aarch64, and this is " + system + " on " + architecture;
        }
        if (!module.isNativeAccessEnabled()) {
            return "native access is not enabled; start Java with --enable-native-access="
                    + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
        }
        return missing();
    }

    @Override
    public Futex futex(MemorySegment word) {
        return LinuxFutex.of(word);
    }

    @Override
    public Optional<Runnable> processBarrier() {
        return LinuxMembarrier.find();
    }

    @Override
    public BitSet processCpus() {
        return LinuxScheduler.processCpus();
    }

    @Override
    public BitSet threadCpus() {
        return LinuxScheduler.threadCpus();
    }

    @Override
    public void bindThread(BitSet cpus) {
        LinuxScheduler.bindThread(cpus);
    }

    @Override
    public void nameThread(String name) {
        LinuxPrctl.nameThread(name);
    }

    @Override
    public void realtimePriority(int priority) {
        LinuxScheduler.realtimePriority(priority);
    }

    @Override
    public void timerSlack(long ns) {
        LinuxPrctl.timerSlack(ns);
    }

    @Override
    public void timeSlice(long ns) {
        LinuxSchedAttr.timeSlice(ns);
    }

    @Override
    public Descriptors descriptors() {
        return LinuxDescriptors.INSTANCE;
    }

    @Override
    public Optional<NativeCopy> copy() {
        return Optional.of(LinuxCopy.INSTANCE);
    }

    @Override
    public UserRedOp.Function reduction(MemorySegment function) {
        return new CReductionFunction(function);
    }

    @Override
    public HostPages pages() {
        return LinuxPages.INSTANCE;
    }

    @Override
    public UnixSockets unixSockets() {
        return LinuxUnixSockets.INSTANCE;
    }

    @Override
    public Optional<StreamSocket> streamSocket(InetSocketAddress local, InetSocketAddress remote) {
        return LinuxStreamSocket.find(local, remote);
    }

    @Override
    public Optional<SocketOwner> socketOwner(InetSocketAddress socket, InetSocketAddress peer) {
        return LinuxSocketDiag.find(socket, peer);
    }

    @Override
    public Poller poller() {
        return new LinuxPoller();
    }

    @Override
    public boolean await(int number, boolean isWrite, long maxNs) {
        return LinuxPoller.await(number, isWrite, maxNs);
    }

    @Override
    public int userId() {
        return LinuxUnixSockets.userId();
    }

    private static String missing() {
        for (String function : FUNCTIONS) {
            if (!CLibrary.has(function)) {
                return "the C library has no " + function;
            }
        }
        return "";
    }
}
