/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.contender.OpTemplate;
import io.proxyrt.bench.contender.OpsContender;

/** A thread that posts ops until the run is stopped. */
abstract class Producer {
    private final int number;
    private final OpTemplate template;

    Producer(int number) {
        this.number = number;
        this.template = new OpTemplate(number);
    }

    final long posted() {
        return template.sequence();
    }

    final OpTemplate template() {
        return template;
    }

    final void run(OpsRun run) {
        try (OpsContender.Poster poster = run.contender().poster(number)) {
            produce(run, poster);
        }
    }

    abstract void produce(OpsRun run, OpsContender.Poster poster);
}
