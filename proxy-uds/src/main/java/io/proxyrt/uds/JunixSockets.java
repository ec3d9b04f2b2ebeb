/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.core.platform.Leftovers;
import io.proxyrt.core.platform.PrivateDirectory;
import io.proxyrt.core.platform.UnixSockets;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.newsclub.net.unix.AFSocket;
import org.newsclub.net.unix.AFSocketCapability;
import org.newsclub.net.unix.AFUNIXSelectorProvider;
import org.newsclub.net.unix.AFUNIXServerSocketChannel;
import org.newsclub.net.unix.AFUNIXSocketAddress;
import org.newsclub.net.unix.AFUNIXSocketChannel;
import org.newsclub.net.unix.AFUNIXSocketCredentials;
import org.newsclub.net.unix.FileDescriptorCast;

/**
 * junixsocket's channels: it opens, binds, connects, accepts, asks for credentials and closes. Bytes and descriptors go
 * by the platform over its sockets, since junixsocket 2.10 loses what it has no room for, open: 60 descriptors fit, and
 * a peer that sends 61 makes it leak them. Nor does it close them on exec; and it closes a channel under its owner when
 * the peer is gone, or when an interrupted thread comes by.
 */
final class JunixSockets implements UnixSockets {
    private static final String UNPACK_FOLDER = "org.newsclub.net.unix.library.tmpdir";

    private final UnixSockets transfer;
    private final String name;

    private JunixSockets(UnixSockets transfer, String name) {
        this.transfer = transfer;
        this.name = name;
    }

    /** Whether it may load its library. */
    static boolean isPermitted() {
        return AFSocket.class.getModule().isNativeAccessEnabled();
    }

    /**
     * Loads junixsocket.
     *
     * @param transfer sends and receives
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} with the reason, if it cannot be loaded
     */
    static UnixSockets load(UnixSockets transfer) {
        // Asked first: junixsocket itself would print a stack trace.
        if (!isPermitted()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot use junixsocket: native access is not enabled "
                    + "for it; start Java with --enable-native-access=org.newsclub.net.unix, or set "
                    + UdsOptions.SOCKETS + " to native");
        }
        try {
            unpackPrivately();
            if (AFSocket.supports(AFSocketCapability.CAPABILITY_FILE_DESCRIPTORS)
                    && AFSocket.supports(AFSocketCapability.CAPABILITY_UNSAFE)) {
                return new JunixSockets(transfer, "junixsocket " + AFSocket.getVersion());
            }
            throw unusable("it cannot pass descriptors here", null);
        } catch (IOException | UncheckedIOException | UnsupportedOperationException | LinkageError e) {
            throw unusable(reason(e), e);
        }
    }

    /**
     * It writes its library to the temp folder, with the rights that the umask leaves, and then runs it. So it gets a
     * folder that others cannot enter, unless the user chose one.
     */
    private static synchronized void unpackPrivately() throws IOException {
        if (System.getProperty(UNPACK_FOLDER) != null) {
            AFSocket.ensureSupported();
            return;
        }
        Path folder = Leftovers.make(JunixSockets::makeFolder);
        try {
            System.setProperty(UNPACK_FOLDER, folder.toString());
            AFSocket.ensureSupported();
        } finally {
            System.clearProperty(UNPACK_FOLDER);
            Leftovers.remove(folder);
        }
    }

    private static Path makeFolder() {
        try {
            Path folder = Files.createTempDirectory("proxyrt-");
            Leftovers.add(folder, () -> removeUnpacked(folder));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void removeUnpacked(Path folder) {
        try (PrivateDirectory unpacked = PrivateDirectory.find(folder).orElse(null)) {
            if (unpacked != null) {
                unpacked.deleteFiles(Set.copyOf(unpacked.names()));
                unpacked.removeIfEmpty();
            }
        }
    }

    @Override
    public String name() {
        return name;
    }

    /** The folder of a path keeps others out until the mode is set. */
    @Override
    public Listener listen(String address, int backlog) {
        SocketAddress target = socketAddress(address);
        AFUNIXServerSocketChannel channel = null;
        try {
            channel = AFUNIXSelectorProvider.provider().openServerSocketChannel();
            channel.bind(target, backlog);
            if (!address.startsWith("@")) {
                Files.setPosixFilePermissions(Path.of(address), PosixFilePermissions.fromString("rw-------"));
            }
            channel.configureBlocking(false);
            return new JunixListener(channel, number(channel.getFileDescriptor()), transfer);
        } catch (IOException e) {
            closeAfter(channel, e);
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot listen at " + address + ": " + e
                    + DescriptorLimit.advice(e, ""), e);
        }
    }

    @Override
    public Socket connect(String address) {
        SocketAddress target = socketAddress(address);
        AFUNIXSocketChannel channel = null;
        try {
            channel = AFUNIXSelectorProvider.provider().openSocketChannel();
            channel.configureBlocking(false);
            if (connect(channel, target)) {
                return new JunixSocket(channel, transfer);
            }
            channel.close();
            return null;
        } catch (IOException e) {
            closeAfter(channel, e);
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "cannot connect to " + address + ": " + e
                    + "; is that process still there, and does it listen for this user?", e);
        }
    }

    @Override
    public Socket borrow(int number) {
        return transfer.borrow(number);
    }

    private static SocketAddress socketAddress(String address) {
        byte[] path = address.getBytes(StandardCharsets.UTF_8);
        if (path.length < 2 || path.length > MAX_ADDRESS_BYTES || address.indexOf(0) >= 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a Unix socket's address has 2 to "
                    + MAX_ADDRESS_BYTES + " bytes, none of them zero; '" + address + "' has " + path.length);
        }
        if (path[0] == '@') {
            path[0] = 0;
        }
        try {
            return AFUNIXSocketAddress.of(path);
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no address of a Unix socket: " + address, e);
        }
    }

    /** Not interrupted meanwhile, for that would close the channel. */
    private static boolean connect(AFUNIXSocketChannel channel, SocketAddress target) throws IOException {
        boolean isInterrupted = Thread.interrupted();
        try {
            return channel.connect(target);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Not interrupted meanwhile, for that would close the channel, with which the service is gone. */
    private static AFUNIXSocketChannel accept(AFUNIXServerSocketChannel channel) throws IOException {
        boolean isInterrupted = Thread.interrupted();
        try {
            return channel.accept();
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static int number(FileDescriptor descriptor) throws IOException {
        return FileDescriptorCast.using(descriptor).as(Integer.class);
    }

    private static void closeAfter(java.nio.channels.Channel channel, IOException cause) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private static ProxyException unusable(String reason, Throwable cause) {
        return new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot use junixsocket: " + reason + "; give Java a temp "
                + "folder that it may write to and execute from (-Djava.io.tmpdir=, or for junixsocket alone "
                + "-D" + UNPACK_FOLDER + "=), and --enable-native-access=org.newsclub.net.unix; or set "
                + UdsOptions.SOCKETS + " to native", cause);
    }

    /** junixsocket suppresses the reason of each way that it tried; the file system's says most. */
    private static String reason(Throwable failure) {
        if (failure instanceof IOException) {
            return failure.toString();
        }
        Throwable root = failure.getCause() == null ? failure : failure.getCause();
        for (Throwable tried : root.getSuppressed()) {
            boolean isUnpacked = tried instanceof UnsatisfiedLinkError
                    && !tried.getMessage().contains("java.library.path");
            if (tried instanceof IOException || tried instanceof IllegalCallerException || isUnpacked) {
                return tried.toString();
            }
        }
        return root.toString();
    }

    private static ProxyException failure(String what, IOException e) {
        return new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot " + what + ": " + e
                + DescriptorLimit.advice(e, ""), e);
    }

    private static void close(java.nio.channels.Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw failure("close a socket", e);
        }
    }

    /** Owns the channel that listens. */
    private record JunixListener(AFUNIXServerSocketChannel channel, int number, UnixSockets transfer)
            implements Listener {
        @Override
        public Socket accept() {
            AFUNIXSocketChannel accepted = null;
            try {
                accepted = JunixSockets.accept(channel);
                if (accepted == null) {
                    return null;
                }
                accepted.configureBlocking(false);
                return new JunixSocket(accepted, transfer);
            } catch (IOException e) {
                closeAfter(accepted, e);
                throw failure("accept a connection", e);
            }
        }

        @Override
        public void close() {
            JunixSockets.close(channel);
        }
    }

    /** Owns one connection's channel. */
    private static final class JunixSocket implements Socket {
        private final AFUNIXSocketChannel channel;
        private final int number;
        private final Socket transfer;

        JunixSocket(AFUNIXSocketChannel channel, UnixSockets transfer) throws IOException {
            this.channel = channel;
            this.number = JunixSockets.number(channel.getFileDescriptor());
            this.transfer = transfer.borrow(number);
        }

        @Override
        public int number() {
            return number;
        }

        @Override
        public Credentials peer() {
            try {
                AFUNIXSocketCredentials credentials = channel.getPeerCredentials();
                return new Credentials((int) Math.max(0, credentials.getPid()), (int) credentials.getUid(),
                        (int) credentials.getGid());
            } catch (IOException e) {
                throw failure("ask who is at the other end of a socket", e);
            }
        }

        @Override
        public int send(ByteBuffer bytes, List<OwnedFd> fds) {
            return transfer.send(bytes, fds);
        }

        @Override
        public int receive(ByteBuffer bytes, Consumer<OwnedFd> fds) {
            return transfer.receive(bytes, fds);
        }

        @Override
        public void close() {
            JunixSockets.close(channel);
        }
    }
}
