/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.service.UdsHandler;
import io.proxyrt.fuzz.Script;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The UDS thread's end of a session. The first byte says whether the fuzzer's peer knows the secret, the second how
 * much it reads; then come pieces, each behind its length and a number of descriptors. None of these may stay open.
 */
public final class UdsFuzz {
    private static final JobSecret SECRET = JobSecret.of("known to both of the sides".getBytes(StandardCharsets.UTF_8));
    private static final Platform PLATFORM = Platform.find();
    private static final UdsContext CONTEXT = new UdsContext(new PeerId(0, 1), SECRET, UdsSettings.of(
            ProxyConfig.builder().properties(Map.of()).environment(Map.of()).build(), 0), PLATFORM,
            Sockets.of(SocketsKind.NATIVE, PLATFORM), "@fuzz");
    private static final int INSIDER = 3;
    private static final int MOST_FDS = 20;
    private static final int FULL = 255;

    private UdsFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) {
        Script script = new Script(input);
        AtomicInteger open = new AtomicInteger();
        Exports exports = new Exports(open);
        ScriptedSocket socket = new ScriptedSocket();
        UdsService service = new UdsService(CONTEXT, exports, socket.listener(), socket);
        service.doWork();
        if ((script.nextByte() & 1) == 1) {
            shakeHands(service, socket);
        }
        int room = script.nextByte();
        socket.room(room == FULL ? Integer.MAX_VALUE : room * 4);
        while (!script.isOver()) {
            int length = 1 + script.nextByte();
            List<OwnedFd> fds = fds(open, script.nextByte() % MOST_FDS);
            socket.say(script.next(length), fds);
            service.doWork();
        }
        socket.end();
        for (int i = 0; i < 1 + input.length / 16; i++) {
            service.doWork();
        }
        service.onClose();
        socket.closeUnread();
        require(service.peers() == 0, "a peer is left");
        require(open.get() == 0, open.get() + " descriptors are left");
    }

    /** Inputs to begin with. */
    public static List<byte[]> seeds() {
        byte[] hello = UdsFrame.of(UdsFrameDescriptor.HELLO, INSIDER, 1, 0, ByteBuffer.allocate(40)).bytes().array();
        byte[] getFd = UdsFrame.of(UdsFrameDescriptor.GET_FD, INSIDER, 1, 0, UdsFrame.longs(8, 2)).bytes().array();
        byte[] unknown = UdsFrame.of(UdsFrameDescriptor.GET_FD, INSIDER, 1, 0, UdsFrame.longs(9)).bytes().array();
        byte[] queryFd = UdsFrame.of(UdsFrameDescriptor.QUERY_FD, INSIDER, 1, 2, UdsFrame.noData()).bytes().array();
        return List.of(input(0, FULL, piece(0, hello)), input(1, FULL, piece(0, getFd), piece(2, queryFd)),
                input(1, 30, piece(0, getFd), piece(0, unknown)), input(1, FULL, piece(3, queryFd)));
    }

    private static byte[] piece(int fds, byte[] frame) {
        return ByteBuffer.allocate(2 + frame.length).put((byte) (frame.length - 1)).put((byte) fds).put(frame).array();
    }

    private static byte[] input(int first, int second, byte[]... pieces) {
        ByteBuffer all = ByteBuffer.allocate(2 + Arrays.stream(pieces).mapToInt(piece -> piece.length).sum());
        all.put((byte) first).put((byte) second);
        Arrays.stream(pieces).forEach(all::put);
        return all.array();
    }

    private static void shakeHands(UdsService service, ScriptedSocket socket) {
        Transcript transcript = new Transcript(SECRET).add(CONTEXT.address());
        ByteBuffer hello = UdsFrame.of(UdsFrameDescriptor.HELLO, INSIDER, 1, 0, ByteBuffer.allocate(40)).bytes();
        transcript.add(hello);
        socket.say(hello.array(), new ArrayList<>());
        service.doWork();
        transcript.add(ByteBuffer.wrap(socket.answer()));
        ByteBuffer proof = ByteBuffer.wrap(transcript.proof(UdsFrameDescriptor.CLIENT));
        socket.say(UdsFrame.of(UdsFrameDescriptor.PROOF, INSIDER, 2, 0, proof).bytes().array(), new ArrayList<>());
        service.doWork();
        require(service.peers() == 1, "a good handshake was refused");
    }

    private static List<OwnedFd> fds(AtomicInteger open, int count) {
        List<OwnedFd> fds = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            fds.add(fd(open));
        }
        return fds;
    }

    private static OwnedFd fd(AtomicInteger open) {
        return new OwnedFd(open.incrementAndGet(), number -> open.decrementAndGet());
    }

    private static void require(boolean isSo, String fault) {
        if (!isSo) {
            throw new IllegalStateException(fault);
        }
    }

    /** Even handles are there, odd ones are not. */
    private record Exports(AtomicInteger open) implements UdsHandler {
        @Override
        public List<OwnedFd> onGetFd(PeerId peer, long[] handles) {
            if (Arrays.stream(handles).anyMatch(handle -> handle % 2 != 0)) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no such handle");
            }
            return fds(open, handles.length);
        }

        @Override
        public int[] onQueryFd(PeerId peer, List<OwnedFd> fds) {
            int[] numbers = fds.stream().mapToInt(OwnedFd::number).toArray();
            fds.forEach(OwnedFd::close);
            return numbers;
        }

        @Override
        public void onDisconnect(PeerId peer) {
            require(peer.rank() == INSIDER, "an unauthenticated process was a peer");
        }
    }
}
