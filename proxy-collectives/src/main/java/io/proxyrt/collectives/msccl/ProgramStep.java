/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

/**
 * A step of a thread block.
 *
 * @param place        in the file, for people
 * @param kind         what it does
 * @param source       where it reads, if it does
 * @param sourceOffset its first chunk there
 * @param target       where it writes, if it does
 * @param targetOffset its first chunk there
 * @param count        chunks that follow each other; 0 if nothing is done
 * @param waitBlock    the block of this rank that it waits for; -1 if none
 * @param waitStep     the step of that block that has to be done before
 */
public record ProgramStep(String place, StepKind kind, Room source, int sourceOffset, Room target, int targetOffset,
        int count, int waitBlock, int waitStep) {
}
