/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.List;

/** Which measurements are made, in which groups. */
public interface Plan {
    /**
     * All of it.
     *
     * @return in the order of one round
     */
    List<Group> groups();
}
