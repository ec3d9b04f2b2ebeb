/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.contender.OpsContender;

/** What a consumer does after a poll that brought nothing. */
enum Wait {
    SPIN {
        @Override
        void await(OpsContender contender) {
            Thread.onSpinWait();
        }
    },
    YIELD {
        @Override
        void await(OpsContender contender) {
            Thread.yield();
        }
    },
    PARK {
        @Override
        void await(OpsContender contender) {
            contender.await();
        }
    };

    abstract void await(OpsContender contender);
}
