/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * Where commands ask a runtime for ranks of other hosts: {@code proxyrt why} is in no job, and the runtime is. A look
 * takes a system call; a question, a thread for as long as the other hosts take.
 */
public final class Mailbox implements AutoCloseable {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    /** A question that is not whole by then was left by a command that was killed. */
    private static final Duration STALE = Duration.ofSeconds(10);

    private final int rank;
    private final int nRanks;
    private final Path asked;
    private final Path told;
    private final RemoteRanks remote;
    private final AtomicBoolean isBusy = new AtomicBoolean();
    private boolean isClosed;

    /**
     * That of a runtime.
     *
     * @param rank      of it
     * @param nRanks    of its job
     * @param directory its folder
     * @param remote    the way to the others
     */
    public Mailbox(int rank, int nRanks, RuntimeDirectory directory, RemoteRanks remote) {
        this.rank = rank;
        this.nRanks = nRanks;
        this.asked = directory.asked();
        this.told = directory.told();
        this.remote = remote;
    }

    /** Looks for a question, now and then. Does not block. */
    public void look() {
        if (remote == RemoteRanks.NONE || isBusy.get() || !Files.exists(asked, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            Question question = Question.read(asked);
            Files.deleteIfExists(asked);
            begin(question);
        } catch (ProxyException | IOException e) {
            drop(e);
        }
    }

    private void begin(Question question) {
        isBusy.set(true);
        try {
            Thread.ofPlatform().daemon().name("proxyrt-look-" + rank).start(() -> answer(question));
        } catch (OutOfMemoryError e) {
            isBusy.set(false);
            LOGGER.warn("rank {} has no thread that would ask other hosts for proxyrt why: {}", rank, e.getMessage());
        }
    }

    /** One that is just being written is read with the next look. */
    private void drop(Exception why) {
        try {
            if (Files.getLastModifiedTime(asked, LinkOption.NOFOLLOW_LINKS).toInstant().plus(STALE)
                    .isBefore(Instant.now())) {
                LOGGER.debug("rank {} drops a question that is none: {}", rank, why.getMessage());
                Files.deleteIfExists(asked);
            }
        } catch (IOException e) {
            LOGGER.debug("rank {} cannot drop a question: {}", rank, e.getMessage());
        }
    }

    private void answer(Question question) {
        try {
            RemoteAnswers answers = RemoteAnswers.ask(remote, question.ranks().stream()
                    .filter(other -> other >= 0 && other < nRanks && other != rank).distinct().toList());
            put(question, answers);
        } catch (ProxyException e) {
            LOGGER.debug("rank {} cannot answer a question: {}", rank, e.getMessage());
        } finally {
            isBusy.set(false);
        }
    }

    private synchronized void put(Question question, RemoteAnswers answers) {
        if (!isClosed) {
            question.answer(told, answers);
        }
    }

    /** Nothing is put any more. */
    @Override
    public synchronized void close() {
        isClosed = true;
    }
}
