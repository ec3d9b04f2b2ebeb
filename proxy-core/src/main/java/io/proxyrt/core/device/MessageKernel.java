/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.ProxyException;
import java.util.List;

/**
 * A kernel of the host that moves messages, all at once, each as fast as its connection lets it: a group of sends and
 * receives, as in an all-to-all. Launched as often as one likes, but not before it has retired; then it moves messages
 * of the same memory again, and allocates nothing.
 */
public final class MessageKernel implements HostKernel {
    private final MessageSteps[] messages;

    /**
     * A kernel.
     *
     * @param messages to move, at most one for each end of a connection, and of no other kernel
     */
    public MessageKernel(List<MessageSteps> messages) {
        this.messages = messages.toArray(MessageSteps[]::new);
    }

    @Override
    public int doWork() {
        int moved = 0;
        for (MessageSteps message : messages) {
            moved += message.advance();
        }
        return moved;
    }

    @Override
    public boolean isDone() {
        return firstLeft() == null;
    }

    @Override
    public void onRetired(boolean isDropped) {
        for (MessageSteps message : messages) {
            message.restart();
        }
    }

    @Override
    public ProxyException whyHopeless() {
        for (MessageSteps message : messages) {
            ProxyException why = message.whyHopeless();
            if (why != null) {
                return why;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        MessageSteps first = firstLeft();
        return messages.length + " messages, " + (first == null ? "all moved" : "the first that is left: " + first);
    }

    private MessageSteps firstLeft() {
        for (MessageSteps message : messages) {
            if (!message.isDone()) {
                return message;
            }
        }
        return null;
    }
}
