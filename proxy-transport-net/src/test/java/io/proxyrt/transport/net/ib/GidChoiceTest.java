/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.Gid.Kind;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.transport.net.IbOptions.Family;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class GidChoiceTest {
    private static final Gid NONE = new Gid(0, 0, Kind.ROCE_V2);
    private static final Gid LINK_LOCAL_V1 = new Gid(0xfe80L << 48, 7, Kind.ROCE_V1);
    private static final Gid LINK_LOCAL_V2 = new Gid(0xfe80L << 48, 7, Kind.ROCE_V2);
    private static final Gid IPV6_V2 = new Gid(0x20010db8L << 32, 7, Kind.ROCE_V2);

    private static Gid ipv4(int c, int d, Kind kind) {
        return new Gid(0, 0xffff0a000000L | c << 8 | d, kind);
    }

    private static int choose(GidChoice choice, int linkLayer, Gid... table) {
        return choice.choose(new VerbsPort(VerbsPort.ACTIVE, 3, table.length, 0, 0, linkLayer, 1, 1),
                List.of(table)::get);
    }

    private static int roce(Gid... table) {
        return choose(new GidChoice(-1, 1, 2, Family.AF_INET, Subnet.parse("")), VerbsPort.ETHERNET, table);
    }

    @Test
    void shouldChooseRoceVersion2ByIpv4() {
        assertEquals(3, roce(LINK_LOCAL_V1, LINK_LOCAL_V2, ipv4(0, 1, Kind.ROCE_V1), ipv4(0, 1, Kind.ROCE_V2)));
        assertEquals(1, roce(LINK_LOCAL_V2, ipv4(0, 1, Kind.ROCE_V2)));
        assertEquals(1, roce(LINK_LOCAL_V2, ipv4(0, 1, Kind.ROCE_V2), ipv4(0, 2, Kind.ROCE_V2)));
    }

    @Test
    void shouldStayWithTheFirstWhereNothingIsBetter() {
        assertEquals(0, roce(LINK_LOCAL_V2));
        assertEquals(0, roce(LINK_LOCAL_V2, NONE, NONE));
        assertEquals(0, roce(ipv4(0, 1, Kind.ROCE_V2), LINK_LOCAL_V2));
    }

    @Test
    void shouldChooseByFamilyVersionAndSubnetThatTheUserNames() {
        Gid[] table = {LINK_LOCAL_V2, IPV6_V2, ipv4(1, 1, Kind.ROCE_V1), ipv4(2, 1, Kind.ROCE_V2),
            ipv4(3, 1, Kind.ROCE_V2)};
        assertEquals(1, choose(new GidChoice(-1, 1, 2, Family.AF_INET6, Subnet.parse("")), 2, table));
        assertEquals(2, choose(new GidChoice(-1, 1, 1, Family.AF_INET, Subnet.parse("")), 2, table));
        assertEquals(4, choose(new GidChoice(-1, 1, 2, Family.AF_INET, Subnet.parse("10.0.3.0/24")), 2, table));
        assertEquals(7, choose(new GidChoice(7, 1, 2, Family.AF_INET, Subnet.parse("")), 2, table));
    }

    /** A path has eight bits for it. */
    @Test
    void shouldChooseNoneThatAPathCannotName() {
        Gid[] table = new Gid[300];
        Arrays.fill(table, LINK_LOCAL_V2);
        table[256] = ipv4(0, 1, Kind.ROCE_V2);
        assertEquals(0, roce(table));
        table[255] = ipv4(0, 1, Kind.ROCE_V1);
        assertEquals(255, roce(table));
    }

    @Test
    void shouldTakeTheRoutableGidOfInfiniBandWhereThereIsOne() {
        GidChoice choice = new GidChoice(-1, 1, 2, Family.AF_INET, Subnet.parse(""));
        Gid plain = new Gid(0xfe80L << 48, 1, Kind.IB);
        Gid routable = new Gid(0xfec0L << 48 | 0x17L << 16 | 5, 1, Kind.IB);
        assertEquals(0, choose(choice, VerbsPort.INFINIBAND, plain));
        assertEquals(0, choose(choice, VerbsPort.INFINIBAND, plain, plain));
        assertEquals(1, choose(choice, VerbsPort.INFINIBAND, plain, routable));
        assertEquals(0x17, GidChoice.flid(routable));
        assertFalse(GidChoice.isSameSubnet(plain, routable));
        assertTrue(GidChoice.isSameSubnet(plain, plain));
    }
}
