/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.transport.net.IbOptions.Family;
import java.util.function.IntFunction;

/**
 * Which GID of a port to use, by NCCL's rules.
 *
 * @param fixed         index that the user names; negative if it is to be chosen
 * @param routableIndex of InfiniBand ports that are routable
 * @param roceVersion   preferred
 * @param family        preferred
 * @param range         preferred
 */
record GidChoice(int fixed, int routableIndex, int roceVersion, Family family, Subnet range) {
    /** The greatest index that a path of verbs can name. */
    static final int MAX_INDEX = 255;

    /** Looks at a port's table, from index 0 on. */
    int choose(VerbsPort port, IntFunction<Gid> table) {
        if (fixed >= 0) {
            return fixed;
        }
        if (port.linkLayer() == VerbsPort.INFINIBAND) {
            return routableIndex < port.gids() && flid(table.apply(routableIndex)) != 0 ? routableIndex : 0;
        }
        int chosen = 0;
        Gid current = table.apply(0);
        for (int i = 1; i < port.gids() && i <= MAX_INDEX; i++) {
            Gid candidate = table.apply(i);
            if (isBetter(candidate, current)) {
                chosen = i;
                current = candidate;
            }
        }
        return chosen;
    }

    /** The right family first; then a valid address of the right version. */
    private boolean isBetter(Gid candidate, Gid current) {
        if (candidate.isZero() || family(candidate) != family || !range.contains(candidate)) {
            return false;
        }
        if (family(current) != family) {
            return true;
        }
        return isValid(candidate) && version(candidate) == roceVersion
                && (version(current) != roceVersion || !isValid(current));
    }

    private static boolean isValid(Gid gid) {
        return !gid.isZero() && !gid.isLinkLocal();
    }

    private static Family family(Gid gid) {
        return gid.isIpv4() ? Family.AF_INET : Family.AF_INET6;
    }

    private static int version(Gid gid) {
        return gid.kind() == Gid.Kind.ROCE_V2 ? 2 : 1;
    }

    /** The LID by which routers of InfiniBand reach a port; 0 if it has none. */
    static int flid(Gid gid) {
        return (int) (gid.high() >>> 16 & 0xffff);
    }

    /** Whether ports with these GIDs reach each other by LID. */
    static boolean isSameSubnet(Gid one, Gid other) {
        return (one.high() & 0xffff) == (other.high() & 0xffff);
    }
}
