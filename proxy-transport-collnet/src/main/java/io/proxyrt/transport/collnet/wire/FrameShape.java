/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import java.nio.ByteBuffer;

/** Tells a frame's length from its beginning. */
@FunctionalInterface
public interface FrameShape {
    /**
     * How long the frame is.
     *
     * @param received what is there, from 0 to its position
     * @return bytes in all, as far as is known; the whole once that many are there
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#REMOTE_ERROR} for what is no frame
     */
    int bytes(ByteBuffer received);
}
