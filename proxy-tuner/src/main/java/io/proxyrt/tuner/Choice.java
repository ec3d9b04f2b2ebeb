/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

/**
 * What a call takes.
 *
 * @param way      algorithm and protocol
 * @param channels that share the work; 0 if there is nothing to share, because the rank is alone
 * @param threads  of a channel's block on a GPU; 0 with no channels
 * @param timeUs   that the model says for the way, or a tuner
 */
public record Choice(Way way, int channels, int threads, double timeUs) {
}
