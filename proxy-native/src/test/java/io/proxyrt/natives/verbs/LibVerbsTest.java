/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.natives.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The library itself, where no RDMA is: reasons are given, and a tree that looks like sysfs has it list and open a
 * device that is none, and answers every question with zeros.
 */
class LibVerbsTest {
    private static final Path MODULE = Path.of("/sys/class/infiniband_verbs");
    /** A /dev with a device for verbs, of the mode {@code $0}, seen by this process alone. */
    private static final String OWN_DEV = "mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3"
            + " && mknod -m 666 /dev/random c 1 8 && mknod -m 666 /dev/urandom c 1 9 && mkdir -m 755 /dev/infiniband"
            + " && mknod -m $0 /dev/infiniband/uverbs0 c 1 3 && exec \"$@\"";

    @TempDir
    private Path folder;

    /** Lists, opens and asks. */
    static final class Child {
        private Child() {
        }

        public static void main(String[] args) {
            Verbs verbs = new LibVerbs();
            System.out.println("devices " + verbs.devices());
            if (verbs.devices().isEmpty()) {
                return;
            }
            try (VerbsContext context = verbs.open(verbs.devices().getFirst())) {
                System.out.println("opened " + context.device() + " " + context.pciPath());
                System.out.println(context.gid(1, 0).kind() + ", " + context.gid(1, 1));
                context.protectionDomain().close();
            } catch (ProxyException e) {
                System.out.println(e.result() + " " + e.getMessage());
            }
        }
    }

    @Test
    void shouldSayThatThereIsNoLibrary() {
        Verbs verbs = new LibVerbs("libnosuchverbs.so.9");

        assertTrue(verbs.whyNot().startsWith("libnosuchverbs.so.9 cannot be loaded; install it"), verbs.whyNot());
        assertRefused(verbs.whyNot(), verbs::devices);
        assertRefused(verbs.whyNot(), () -> verbs.open("mlx5_0"));
    }

    @Test
    void shouldSayThatALibraryHasNoVerbs() {
        Verbs verbs = new LibVerbs("libc.so.6");

        assertTrue(verbs.whyNot().startsWith("libc.so.6 without ibv_get_device_list, "), verbs.whyNot());
        assertRefused(verbs.whyNot(), verbs::devices);
    }

    @Test
    void shouldBeFound() {
        assertEquals("libibverbs.so.1", Verbs.find().name());
        assertEquals(new LibVerbs().whyNot(), Verbs.find().whyNot());
    }

    @Test
    void shouldSayThatTheKernelHasNoVerbs() {
        assumeInstalled();
        assumeFalse(Files.exists(MODULE), "this kernel has verbs");

        ProxyException failure = assertThrows(ProxyException.class, () -> new LibVerbs().devices());
        assertEquals(ProxyResult.SYSTEM_ERROR, failure.result());
        assertTrue(failure.getMessage().startsWith("cannot list RDMA devices: ENOSYS (38): ")
                && failure.getMessage().contains("modprobe ib_uverbs"), failure.getMessage());
    }

    /** libibverbs leaves out devices that have no file. */
    @Test
    void shouldListNoDeviceThatHasNoFile() throws Exception {
        assumeInstalled();
        assumeFalse(Files.exists(Path.of("/dev/infiniband")), "this host has RDMA");

        assertEquals("devices []", child(List.of()).getFirst());
    }

    @Test
    void shouldOpenWhatLooksLikeADevice() throws Exception {
        assumeInstalled();
        assumeOwnDev();

        List<String> lines = child(List.of("unshare", "-m", "sh", "-c", OWN_DEV, "666"));
        assertEquals("devices [rxe0]", lines.get(0));
        assertEquals("opened rxe0 " + folder.resolve("pci").toRealPath(), lines.get(1));
        assertEquals("ROCE_V1, ::ffff:10.0.0.1", lines.get(2));
        assertEquals(3, lines.size(), lines.toString());
    }

    @Test
    void shouldSayThatAUserMayNotOpenADevice() throws Exception {
        assumeInstalled();
        assumeOwnDev();
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "setpriv is not installed");

        List<String> lines = child(List.of("unshare", "-m", "sh", "-c", OWN_DEV, "600", "setpriv", "--reuid=65534",
                "--regid=65534", "--clear-groups"));
        assertEquals("SYSTEM_ERROR cannot open RDMA device rxe0, /dev/infiniband/uverbs0: EACCES (13); let this user"
                + " read and write the file, and in a container allow the device", lines.get(1));
    }

    @Test
    void shouldAdviseWhereAMemoryLimitIsLow() {
        String message = IbvErrors.register("5 bytes with mlx5_0", 12).getMessage();

        assertTrue(message.matches("cannot register 5 bytes with mlx5_0: ENOMEM \\(12\\): the limit of locked memory"
                + " may be too low, it is (unlimited|[0-9]+ bytes; raise it \\(ulimit -l unlimited\\))"), message);
        assertEquals(ProxyResult.REMOTE_ERROR, IbvErrors.modify("queue pair 1", 110).result());
        assertEquals(ProxyResult.SYSTEM_ERROR, IbvErrors.modify("queue pair 1", 22).result());
        assertEquals(ProxyResult.INVALID_ARGUMENT, IbvErrors.dmaBuf("5 bytes", 95).result());
        assertEquals(ProxyResult.INVALID_ARGUMENT, IbvErrors.dmaBuf("5 bytes", 93).result());
    }

    @Test
    void shouldReadTheKindsOfAddressesFromSysfs() throws IOException {
        tree();
        SysfsDevice device = new SysfsDevice(folder.resolve("class/infiniband/rxe0"));

        assertEquals(Gid.Kind.ROCE_V1, device.gidKind(1, 0));
        assertEquals(Gid.Kind.ROCE_V2, device.gidKind(1, 1));
        assertEquals(Gid.Kind.IB, device.gidKind(1, 2));
        write("class/infiniband/rxe0/ports/1/link_layer", "InfiniBand");
        assertEquals(Gid.Kind.IB, device.gidKind(1, 0));
        assertEquals("", new SysfsDevice(folder.resolve("none")).pciPath());
    }

    private List<String> child(List<String> prefix) throws Exception {
        tree();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> command = new ArrayList<>(List.of("env", "SYSFS_PATH=" + folder));
        command.addAll(prefix);
        try (ChildJvm child = new ChildJvm(command, List.of(ChildJvm.NATIVE_ACCESS), Child.class)) {
            return child.rest();
        }
    }

    private void tree() throws IOException {
        write("class/infiniband_verbs/abi_version", "6");
        write("class/infiniband_verbs/uverbs0/ibdev", "rxe0");
        write("class/infiniband_verbs/uverbs0/dev", "1:3");
        write("class/infiniband_verbs/uverbs0/abi_version", "2");
        write("class/infiniband/rxe0/node_type", "1: CA");
        write("class/infiniband/rxe0/node_guid", "0200:5eff:fe00:0001");
        write("class/infiniband/rxe0/ports/1/link_layer", "Ethernet");
        write("class/infiniband/rxe0/ports/1/gids/0", "fe80:0000:0000:0000:0000:00ff:fe00:0001");
        write("class/infiniband/rxe0/ports/1/gids/1", "0000:0000:0000:0000:0000:ffff:0a00:0001");
        write("class/infiniband/rxe0/ports/1/gid_attrs/types/0", "IB/RoCE v1");
        write("class/infiniband/rxe0/ports/1/gid_attrs/types/1", "RoCE v2");
        Files.createDirectories(folder.resolve("pci"));
        Path device = folder.resolve("class/infiniband/rxe0/device");
        Files.deleteIfExists(device);
        Files.createSymbolicLink(device, folder.resolve("pci"));
    }

    private void write(String name, String content) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content + "\n");
    }

    private static void assumeInstalled() {
        assumeTrue(new LibVerbs().whyNot().isEmpty(), () -> new LibVerbs().whyNot());
    }

    private static void assumeOwnDev() throws IOException, InterruptedException {
        Process trial = new ProcessBuilder("unshare", "-m", "sh", "-c", OWN_DEV, "666", "true")
                .redirectErrorStream(true).start();
        boolean isDone = trial.waitFor(30, TimeUnit.SECONDS);
        assumeTrue(isDone && trial.exitValue() == 0, "this user may not make a /dev of its own");
    }

    private static void assertRefused(String why, Runnable call) {
        ProxyException failure = assertThrows(ProxyException.class, call::run);
        assertEquals(ProxyResult.SYSTEM_ERROR, failure.result());
        assertEquals(why, failure.getMessage());
        assertFalse(why.isEmpty());
    }
}
