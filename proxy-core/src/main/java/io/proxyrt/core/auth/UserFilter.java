/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.SocketOwner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The users of this host whose processes may be peers: the own one, and those of {@link CoreOptions#ALLOW_UIDS}. Root
 * is a user like any other. Immutable; any thread.
 */
public final class UserFilter {
    private static final Path TABLES = Path.of("/proc/net");
    private static final Verdict UNKNOWN = new Verdict(false, "");
    private static final Verdict ADMITTED = new Verdict(true, "");

    private final Set<Integer> uids;
    private final boolean isOwnKnown;
    private final Platform platform;

    private UserFilter(Set<Integer> uids, boolean isOwnKnown, Platform platform) {
        this.uids = uids;
        this.isOwnKnown = isOwnKnown;
        this.platform = platform;
    }

    /**
     * What the kernel says of a peer.
     *
     * @param isKnown whether it tells whose process the peer is
     * @param refusal why that process may not be a peer; empty if it may, or if the kernel does not tell
     */
    public record Verdict(boolean isKnown, String refusal) {
        /**
         * Whether the peer has to go.
         *
         * @return true if there is a refusal
         */
        public boolean isRefusal() {
            return !refusal.isEmpty();
        }
    }

    /**
     * For this process. Reads its user from {@code /proc}; where there is none, no peer's user is known either.
     *
     * @param config names other users
     * @return the filter
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the option names what is no user's number
     */
    public static UserFilter of(ProxyConfig config) {
        Optional<Integer> own = ownUid();
        return new UserFilter(uids(config, own), own.isPresent(), Platform.find());
    }

    /**
     * For a user who is known already.
     *
     * @param config names other users
     * @param ownUid the effective user of this process
     * @return the filter
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the option names what is no user's number
     */
    public static UserFilter of(ProxyConfig config, int ownUid) {
        return new UserFilter(uids(config, Optional.of(ownUid)), true, Platform.find());
    }

    private static Set<Integer> uids(ProxyConfig config, Optional<Integer> own) {
        Set<Integer> uids = Arrays.stream(config.get(CoreOptions.ALLOW_UIDS).split(",")).map(String::strip)
                .filter(uid -> !uid.isEmpty()).map(UserFilter::uid).collect(Collectors.toSet());
        own.ifPresent(uids::add);
        return Set.copyOf(uids);
    }

    private static int uid(String text) {
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, CoreOptions.ALLOW_UIDS + ": '" + text
                    + "' is no user's number; list numbers, such as 1001,1002", e);
        }
    }

    /** The effective one, second of four: sockets are made by it. */
    private static Optional<Integer> ownUid() {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("Uid:")).findFirst()
                    .map(line -> Integer.parseUnsignedInt(line.split("\\s+")[2]));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Whether a user's processes may be peers.
     *
     * @param uid number of the user
     * @return false if it is not listed
     */
    public boolean admits(int uid) {
        return uids.contains(uid);
    }

    /**
     * What a peer of another user is told, and the log.
     *
     * @param uid that is not admitted
     * @return with the option that would admit it
     */
    public static String refusal(int uid) {
        return "user " + Integer.toUnsignedString(uid) + " is not admitted; list it in " + CoreOptions.ALLOW_UIDS
                + " if it shall be";
    }

    /**
     * Judges the other end of a TCP connection, after it has proven what it can: if that is on this host, the kernel
     * tells whose it is. Takes microseconds with a {@linkplain Platform#socketOwner platform}; without one, or if the
     * socket is gone, milliseconds, for which it reads the kernel's list of sockets.
     *
     * @param here  this end
     * @param there the other one
     * @return unknown for a peer of another host or network namespace
     */
    public Verdict judge(SocketAddress here, SocketAddress there) {
        return judge(TABLES, here, there);
    }

    Verdict judge(Path tables, SocketAddress here, SocketAddress there) {
        if (!isOwnKnown || !(here instanceof InetSocketAddress ours) || !(there instanceof InetSocketAddress theirs)
                || !isOfThisHost(ours.getAddress(), theirs.getAddress())) {
            return UNKNOWN;
        }
        return platform.socketOwner(theirs, ours).or(() -> SocketTable.find(tables, theirs, ours)).map(this::judge)
                .orElse(UNKNOWN);
    }

    private Verdict judge(SocketOwner owner) {
        if (!owner.isOpen()) {
            return new Verdict(true, "its socket is closed, and nothing tells whose it was");
        }
        return admits(owner.uid()) ? ADMITTED : new Verdict(true, refusal(owner.uid()));
    }

    private static boolean isOfThisHost(InetAddress here, InetAddress there) {
        try {
            return there.isLoopbackAddress() || there.equals(here) || NetworkInterface.getByInetAddress(there) != null;
        } catch (SocketException e) {
            return false;
        }
    }
}
