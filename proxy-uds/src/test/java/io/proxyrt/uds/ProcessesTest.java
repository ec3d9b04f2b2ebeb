/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.core.service.UdsClient;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** More than one process. */
class ProcessesTest {
    private static final String NOBODY = "65534";

    /** Gets a descriptor of handle 5, adds one to what is there, sends one back, and waits to be killed. */
    static final class Child {
        private Child() {
        }

        public static void main(String[] args) throws Exception {
            UdsService own = Rig.endpoint(SocketsKind.valueOf(args[0]), 9, Rig.SECRET, new FakeHandler());
            try (UdsClient client = own.connect(args[1], Rig.PATIENCE, null)) {
                OwnedFd fd = client.getFd(Rig.PATIENCE, null, 5).getFirst();
                Rig.write(fd, Rig.read(fd) + 1);
                OwnedFd mine = Rig.DESCRIPTORS.memfd("child", 4096);
                Rig.write(mine, 99);
                System.out.println("number " + client.queryFd(Rig.PATIENCE, null, List.of(mine))[0]);
                System.in.read();
            } catch (ProxyException e) {
                System.out.println(e.getMessage());
            }
            own.onClose();
        }
    }

    /** Says which sockets it uses. */
    static final class Describing {
        private Describing() {
        }

        public static void main(String[] args) {
            UdsService own = Rig.endpoint(SocketsKind.valueOf(args[0]), 9, Rig.SECRET, new FakeHandler());
            System.out.println(own.describe());
            own.onClose();
        }
    }

    /** Has no descriptor left when a peer connects, and some again later. */
    static final class Starving {
        private Starving() {
        }

        public static void main(String[] args) {
            FakeHandler handler = new FakeHandler();
            handler.export(5);
            Rig rig = new Rig(SocketsKind.valueOf(args[0]));
            UdsService service = rig.open(1, handler);
            UdsClient good = rig.connect(rig.open(0, new FakeHandler()), service);
            DescriptorLimit.advice(new IOException(), "");
            starve(rig, service, good, 20);
            starve(rig, service, good, 1);
            rig.close();
            System.out.println("closed");
        }

        /** First with some left, for the classes, which take descriptors to load. */
        private static void starve(Rig rig, UdsService service, UdsClient good, int left) {
            List<OwnedFd> all = new ArrayList<>();
            ProxyException failure = null;
            while (failure == null) {
                try {
                    all.add(Rig.DESCRIPTORS.memfd("x", 1));
                } catch (ProxyException e) {
                    failure = e;
                }
            }
            for (int i = 0; i < left; i++) {
                all.removeLast().close();
            }
            RawPeer waiting = rig.raw(service);
            String said = "got it";
            try {
                good.getFd(Rig.PATIENCE, rig::turn, 5).getFirst().close();
                good.getFd(Rig.PATIENCE, rig::turn, 6);
            } catch (ProxyException e) {
                said = e.getMessage().replaceFirst(".* failed: ", "");
            }
            all.forEach(OwnedFd::close);
            waiting.shakeHands(3, JobSecret.of(Rig.SECRET));
            good.getFd(Rig.PATIENCE, rig::turn, 5).getFirst().close();
            waiting.close();
            rig.await(() -> service.peers() == 1);
            System.out.println(said + "; " + service.refusals().count() + " refused, " + service.refusals().last());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JUNIXSOCKET", "NATIVE"})
    void shouldLetPeersWaitWhileItHasNoDescriptorLeft(SocketsKind kind) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "prlimit limits the child's descriptors");
        try (ChildJvm child = new ChildJvm(List.of("/usr/bin/prlimit", "--nofile=256:256"), true, List.of(),
                ChildJvm.classPath(), Starving.class, kind.name())) {
            List<String> said = child.rest();

            assertEquals(3, said.size(), said::toString);
            assertEquals("no export has handle 6; 0 refused, ", said.getFirst());
            assertTrue(said.get(1).startsWith("cannot duplicate file descriptor"), said::toString);
            assertTrue(said.get(1).contains("; 1 refused, a connection that cannot be accepted: "), said::toString);
            assertEquals("closed", said.getLast());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JUNIXSOCKET", "NATIVE"})
    void shouldShareMemoryWithAnotherProcessAndNoticeItsDeath(SocketsKind kind) throws Exception {
        FakeHandler handler = new FakeHandler();
        OwnedFd exported = handler.export(5);
        UdsService service = Rig.endpoint(kind, 1, Rig.SECRET, handler);
        Driven driven = new Driven(service);
        try (ChildJvm child = new ChildJvm(List.of(), true, List.of(), ChildJvm.classPath(), Child.class, kind.name(),
                service.address())) {
            String said = child.line();

            assertEquals("number " + handler.received.getFirst().number(), said);
            assertEquals(6, Rig.read(exported));
            assertEquals(99, Rig.read(handler.received.getFirst()));
            assertEquals(List.of(), handler.gone);
        }
        long deadline = System.nanoTime() + Rig.PATIENCE.toNanos();
        while (handler.gone.isEmpty() && System.nanoTime() - deadline < 0) {
            Thread.yield();
        }
        assertEquals(9, handler.gone.getFirst().rank());
        assertEquals(99, Rig.read(handler.received.getFirst()));
        driven.close();
        handler.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"JUNIXSOCKET", "NATIVE"})
    void shouldRefuseAnotherUserUnlessItIsListed(SocketsKind kind, @TempDir Path directory) throws Exception {
        assumeTrue(Rig.PLATFORM.userId() == 0 && Files.isExecutable(Path.of("/usr/bin/setpriv")),
                "only root can be another user");
        String classPath = ChildJvm.copiedClassPath(directory);
        FakeHandler handler = new FakeHandler();
        handler.export(5);
        assertTrue(sayOfNobody(kind, classPath, handler, "").contains("for this process user " + NOBODY
                + " is not admitted; list it in proxyrt.uds.allow.uids if it shall be"));
        assertEquals(List.of(), handler.askers);
        assertTrue(sayOfNobody(kind, classPath, handler, "7," + NOBODY).startsWith("number "));
        handler.close();
    }

    private static String sayOfNobody(SocketsKind kind, String classPath, FakeHandler handler, String admitted)
            throws Exception {
        UdsService service = Rig.endpoint(kind, 1, Rig.SECRET, handler, "uds.allow.uids", admitted);
        Driven driven = new Driven(service);
        try (ChildJvm child = new ChildJvm(List.of("/usr/bin/setpriv", "--reuid",
                NOBODY, "--regid", NOBODY, "--clear-groups"), true, List.of("-Djava.io.tmpdir=/tmp"), classPath,
                Child.class, "NATIVE", service.address())) {
            return child.line();
        } finally {
            driven.close();
        }
    }

    @Test
    void shouldUseNativeSocketsAndSayWhyWhereJunixsocketCannotBeLoaded() throws Exception {
        List<String> said = describe(SocketsKind.AUTO, false, "-Dorg.newsclub.net.unix.library.tmpdir=/nonexistent");

        assertEquals(1, said.size());
        assertTrue(said.getFirst().startsWith("native (cannot use junixsocket: java.io.IOException: No such file or "
                + "directory; give Java a temp folder that it may write to and execute from"), said.getFirst());
    }

    @Test
    void shouldUseJunixsocketWhereItCanBeLoadedAndPrintNothingElse() throws Exception {
        assertEquals(List.of("junixsocket 2.10.1"), describe(SocketsKind.AUTO, true, "-Dx=y"));
        assertEquals(List.of("native"), describe(SocketsKind.NATIVE, true, "-Dx=y"));
    }

    @Test
    void shouldUseNativeSocketsWithoutAWordOnErrorWhereJunixsocketIsAbsent() throws Exception {
        String classPath = Stream.of(ChildJvm.classPath().split(File.pathSeparator))
                .filter(entry -> !entry.contains("junixsocket")).collect(Collectors.joining(File.pathSeparator));

        List<String> said = describe(SocketsKind.AUTO, true, "-Dx=y", classPath);
        assertEquals(1, said.size(), said::toString);
        assertTrue(said.getFirst().startsWith("native (junixsocket, which is optional, is not there: add"),
                said.getFirst());
        assertEquals(List.of("native"), describe(SocketsKind.NATIVE, true, "-Dx=y", classPath));
        String refusal = describe(SocketsKind.JUNIXSOCKET, true, "-Dx=y", classPath).getFirst();
        assertTrue(refusal.contains("ProxyException") && refusal.contains("proxyrt.uds.sockets to native"), refusal);
    }

    private static List<String> describe(SocketsKind kind, boolean isErrorMerged, String flag) throws Exception {
        return describe(kind, isErrorMerged, flag, ChildJvm.classPath());
    }

    private static List<String> describe(SocketsKind kind, boolean isErrorMerged, String flag, String classPath)
            throws Exception {
        try (ChildJvm child = new ChildJvm(List.of(), isErrorMerged, List.of(flag), classPath,
                Describing.class, kind.name())) {
            return child.rest();
        }
    }
}
