/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.auth.Transcript;

/**
 * Which rank of a job a process says it is, how it proves that it may say so, and what it wants.
 *
 * @param credential of the job
 * @param rank       from 0
 * @param nRanks     of the job
 * @param terms      that it wants for its link
 */
record Claim(Credential credential, int rank, int nRanks, LinkTerms terms) {
    Message.Hello hello(Return back, long deadlineMillis, long leftMillis) {
        return new Message.Hello(Transcript.nonce(), rank, nRanks, Origin.own(), deadlineMillis, leftMillis, terms,
                back);
    }
}
