/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.platform.OwnFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Ranks that a process of this user asks a runtime of this host for, by a file in its folder; the answer is another
 * one. The process is in no job, and needs no secret of one: that it may write there says whose it is.
 *
 * @param id    random; the answer has it
 * @param ranks of the job
 */
record Question(long id, List<Integer> ranks) {
    private static final long MAGIC = 0x61736b70726f7879L;
    private static final int MAX_RANKS = 1024;
    private static final int MAX_ANSWER_BYTES = 64 << 20;
    /** A runtime looks once a second, and then asks twice. */
    private static final Duration PATIENCE = Duration.ofSeconds(4);
    private static final long POLL_NS = 20_000_000;
    /** Any may be stopped, or driven by a caller that is elsewhere. */
    private static final int MOST_RUNTIMES = 4;

    /** Copies. */
    Question {
        ranks = List.copyOf(ranks);
    }

    /**
     * Asks runtimes of a job, at once, and takes the first answer. Blocks for some seconds at most.
     *
     * @return what one of them was told; empty if no runtime answers
     */
    static Optional<RemoteAnswers> ask(List<RuntimeDirectory.Entry> runtimes, Collection<Integer> ranks) {
        Question question = new Question(new SecureRandom().nextLong(), ranks.stream().limit(MAX_RANKS).toList());
        List<RuntimeDirectory.Entry> asked = new ArrayList<>();
        try {
            return question.await(runtimes, asked);
        } finally {
            asked.forEach(question::takeBack);
        }
    }

    /** Whether no other one is there. */
    private boolean put(Path file) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(MAGIC);
            out.writeLong(id);
            put(out, ranks);
            write(file, bytes.toByteArray());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** A new file, which no other user may read. */
    private static void write(Path file, byte[] bytes) throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer all = ByteBuffer.wrap(bytes);
            while (all.hasRemaining()) {
                channel.write(all);
            }
        }
    }

    /** An answer that comes later stays until the next question, or the runtime's end. */
    private void takeBack(RuntimeDirectory.Entry runtime) {
        try {
            if (Files.exists(runtime.asked(), LinkOption.NOFOLLOW_LINKS) && read(runtime.asked()).id == id) {
                Files.deleteIfExists(runtime.asked());
            }
            if (answer(runtime.told()) != null) {
                Files.deleteIfExists(runtime.told());
            }
        } catch (IOException | ProxyException e) {
            // It is another one's by now, or the runtime has closed.
            return;
        }
    }

    /** Asks until some are asked, for another command may be about to have its answer; then until one tells. */
    private Optional<RemoteAnswers> await(List<RuntimeDirectory.Entry> runtimes, List<RuntimeDirectory.Entry> asked) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!runtimes.isEmpty() && deadline - System.nanoTime() > 0) {
            for (int i = 0; i < runtimes.size() && asked.size() < MOST_RUNTIMES; i++) {
                RuntimeDirectory.Entry runtime = runtimes.get(i);
                if (!asked.contains(runtime) && put(runtime.asked())) {
                    asked.add(runtime);
                }
            }
            Uninterruptibly.parkNanos(POLL_NS);
            for (RuntimeDirectory.Entry runtime : asked) {
                RemoteAnswers answer = answer(runtime.told());
                if (answer != null) {
                    return Optional.of(answer);
                }
            }
        }
        return Optional.empty();
    }

    /** Null while there is none to this question, or it is not whole. */
    private RemoteAnswers answer(Path file) {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(OwnFile.read(file,
                MAX_ANSWER_BYTES)))) {
            if (in.readLong() != MAGIC || in.readLong() != id) {
                return null;
            }
            Map<Integer, ImagePair> images = new LinkedHashMap<>();
            for (int left = count(in.readInt()); left > 0; left--) {
                images.put(in.readInt(), new ImagePair(image(in), image(in)));
            }
            Set<Integer> silent = Set.copyOf(ranks(in));
            return in.readLong() == MAGIC ? new RemoteAnswers(images, silent) : null;
        } catch (IOException | ProxyException e) {
            return null;
        }
    }

    private static byte[] image(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("an image of " + length + " bytes");
        }
        return in.readNBytes(length);
    }

    private static void put(DataOutputStream out, Collection<Integer> ranks) throws IOException {
        out.writeInt(ranks.size());
        for (int rank : ranks) {
            out.writeInt(rank);
        }
    }

    private static List<Integer> ranks(DataInputStream in) throws IOException {
        List<Integer> ranks = new ArrayList<>();
        for (int left = count(in.readInt()); left > 0; left--) {
            ranks.add(in.readInt());
        }
        return ranks;
    }

    private static int count(int number) throws IOException {
        if (number < 0 || number > MAX_RANKS) {
            throw new IOException(number + " ranks");
        }
        return number;
    }

    /**
     * Reads one that was put.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is none, or not whole yet;
     *                        {@link ProxyResult#SYSTEM_ERROR} if it cannot be read
     */
    static Question read(Path file) {
        byte[] bytes = OwnFile.read(file, 2 * Long.BYTES + (1 + MAX_RANKS) * Integer.BYTES);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (in.readLong() != MAGIC) {
                throw new IOException("it does not begin as one");
            }
            return new Question(in.readLong(), ranks(in));
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, file + " is no question: " + e.getMessage(), e);
        }
    }

    /**
     * Puts the answer.
     *
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be written
     */
    void answer(Path file, RemoteAnswers answers) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(MAGIC);
            out.writeLong(id);
            out.writeInt(answers.images().size());
            for (Map.Entry<Integer, ImagePair> one : answers.images().entrySet()) {
                out.writeInt(one.getKey());
                out.writeInt(one.getValue().first().length);
                out.write(one.getValue().first());
                out.writeInt(one.getValue().second().length);
                out.write(one.getValue().second());
            }
            put(out, answers.silent());
            out.writeLong(MAGIC);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try {
            Files.deleteIfExists(file);
            write(file, bytes.toByteArray());
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot write " + file + ": " + e, e);
        }
    }
}
