/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.op.ProxyOpEncoder;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.MessageType;
import io.proxyrt.core.service.message.RegisterRequest;
import io.proxyrt.core.service.message.StartRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** What hostile callers say: the same for the same seed. */
final class FrameSource {
    private static final int LONGEST_BODY = 300;
    private static final int IDENTITIES = 64;

    private final Random random;

    FrameSource(long seed) {
        random = new Random(seed);
    }

    int upTo(int most) {
        return random.nextInt(1, most + 1);
    }

    boolean oneOf(int count) {
        return random.nextInt(count) == 0;
    }

    PeerId insider() {
        return new PeerId(Siege.INSIDER_RANK, random.nextInt(IDENTITIES));
    }

    byte[] noise() {
        byte[] noise = new byte[upTo(LONGEST_BODY)];
        random.nextBytes(noise);
        return noise;
    }

    MessageType type() {
        return MessageType.of(upTo(MessageType.values().length));
    }

    /** A frame as it should be, with a body that may be one of its type. */
    byte[] request(long callId, long... connections) {
        MessageType type = type();
        return RawCaller.request(type, callId, id(connections), body(type, connections));
    }

    /** One of those given, or any. */
    long id(long... connections) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> (long) random.nextInt(4) << 32 | random.nextInt(20);
            case 2 -> random.nextLong();
            default -> connections.length == 0 ? random.nextInt(100) : connections[random.nextInt(connections.length)];
        };
    }

    ByteBuffer body(MessageType type, long... connections) {
        if (oneOf(3)) {
            return ByteBuffer.wrap(noise());
        }
        return switch (type) {
            case INIT -> new InitRequest(oneOf(2) ? ScriptedTransport.ID : random.nextInt(),
                    oneOf(2) ? Direction.SEND : Direction.RECV, random.nextInt()).encode();
            case START -> new StartRequest(random.nextLong(), ops(connections)).encode();
            case REGISTER -> new RegisterRequest(RegisterRequest.Source.values()[random.nextInt(2)],
                    oneOf(2) ? random.nextInt(1 << 12) : random.nextLong(), random.nextLong() >> random.nextInt(64),
                    random.nextLong() >> random.nextInt(64)).encode();
            case SHARED_INIT -> ByteBuffer.allocate(4).putInt(random.nextInt()).flip();
            case DEREGISTER -> ByteBuffer.allocate(8).putLong(random.nextInt(10)).flip();
            // A good one is not answered as long as the runtime lives, and those who ask count answers.
            case WATCH -> ByteBuffer.wrap(noise());
            default -> oneOf(2) ? ByteBuffer.allocate(0) : ByteBuffer.wrap(noise());
        };
    }

    /** The body of a Start: each op is for that connection. */
    ByteBuffer start(long connection) {
        List<ProxyOpEncoder> ops = ops(connection);
        ops.forEach(op -> op.connection(connection));
        return new StartRequest(random.nextLong(), ops).encode();
    }

    /** Ops whose connection may be right, and whose other fields are whatever they are. */
    private List<ProxyOpEncoder> ops(long... connections) {
        List<ProxyOpEncoder> ops = new ArrayList<>();
        for (int count = upTo(4); count > 0; count--) {
            byte[] bytes = new byte[ProxyOpEncoder.BYTES];
            random.nextBytes(bytes);
            ProxyOpEncoder op = ProxyOpEncoder.get(ByteBuffer.wrap(bytes)).connection(id(connections));
            ops.add(oneOf(2) ? op : op.nsteps(upTo(8)).sliceSteps(1).chunkSteps(upTo(4)).nbytes(upTo(1 << 20)));
        }
        return ops;
    }

    /** Bits of ids and body turned: the frame stays one. */
    byte[] turned(byte[] request) {
        byte[] turned = request.clone();
        for (int count = random.nextInt(4); count > 0; count--) {
            turned[random.nextInt(8, turned.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return turned;
    }

    /** Anything may have happened to it. */
    byte[] mutant(byte[] frame) {
        byte[] mutant = frame.clone();
        ByteBuffer fields = ByteBuffer.wrap(mutant);
        switch (random.nextInt(7)) {
            case 0 -> mutant[random.nextInt(mutant.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> fields.putInt(0, random.nextInt() >> random.nextInt(32));
            case 2 -> fields.put(4, (byte) random.nextInt());
            case 3 -> fields.put(random.nextInt(5, 8), (byte) random.nextInt());
            case 4 -> fields.putInt(4 * random.nextInt(mutant.length / 4), random.nextInt());
            case 5 -> mutant = Arrays.copyOf(mutant, random.nextInt(mutant.length));
            default -> mutant = joined(mutant, noise());
        }
        return mutant;
    }

    static byte[] joined(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
        Arrays.stream(parts).forEach(all::put);
        return all.array();
    }
}
