/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

/**
 * How many channels a call takes, and how many threads each has on a GPU.
 *
 * @param channels 1 or more
 * @param threads  of a block
 */
record LaunchSize(int channels, int threads) {
    /** Less channels, as long as threads would have less bytes than is worth it. */
    LaunchSize fewerChannels(long bytes, double bytesOfThread) {
        int fewer = channels;
        while (fewer > 1 && bytes < fewer * threads * bytesOfThread) {
            fewer--;
        }
        return new LaunchSize(fewer, threads);
    }

    /** Half as many threads, as long as they would have less bytes than is worth it. */
    LaunchSize fewerThreads(long bytes, double bytesOfThread) {
        int fewer = threads;
        while (fewer % 128 == 0 && bytes < channels * fewer * bytesOfThread) {
            fewer /= 2;
        }
        return new LaunchSize(channels, fewer);
    }

    /** Less channels for stars around heads: a channel less counts for more below 16, 8, 4 and 2. */
    LaunchSize fewerChannelsForHeads(long bytes, int heads, double bytesOfThread) {
        int fewer = channels;
        double share = bytesOfThread;
        for (int floor = 16; floor >= 1; floor /= 2) {
            while (fewer > floor && bytes < fewer * threads * heads * share) {
                if (fewer == floor + floor / 2) {
                    share = Math.floor(share / 2);
                }
                fewer--;
            }
        }
        return new LaunchSize(fewer, threads);
    }

    LaunchSize withChannels(int number) {
        return new LaunchSize(number, threads);
    }

    LaunchSize withThreads(int number) {
        return new LaunchSize(channels, number);
    }
}
