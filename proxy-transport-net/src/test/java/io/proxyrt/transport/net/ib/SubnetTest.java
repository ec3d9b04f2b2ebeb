/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.verbs.Gid;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SubnetTest {
    @ParameterizedTest
    @CsvSource({"'', 10.1.2.3, true", "10.1.0.0/16, 10.1.2.3, true", "10.1.0.0/16, 10.2.2.3, false",
        "10.1.2.3, 10.1.2.3, true", "10.1.2.3, 10.1.2.4, false", "0.0.0.0/0, 10.1.2.3, true", "::/0, 10.1.2.3, true",
        "2001:db8::/32, 2001:db8:1::1, true", "2001:db8::/32, 2001:db9::1, false",
        "2001:db8::/127, 2001:db8::1, true", "2001:db8::/128, 2001:db8::1, false", "2001:db8::/32, 10.1.2.3, false"})
    void shouldContainWhatItsPrefixSays(String subnet, String address, boolean isWithin) throws UnknownHostException {
        byte[] bytes = InetAddress.getByName(address).getAddress();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        Gid gid = bytes.length == 4 ? new Gid(0, 0xffffL << 32 | in.getInt() & 0xffffffffL, Gid.Kind.ROCE_V2)
                : new Gid(in.getLong(), in.getLong(), Gid.Kind.ROCE_V2);
        assertEquals(isWithin, Subnet.parse(subnet).contains(gid));
    }

    @ParameterizedTest
    @ValueSource(strings = {"somewhere", "10.1.0.0/33", "10.1.0.0/-1", "10.1.0.0/x", "/8", "2001:db8::/129"})
    void shouldRefuseWhatIsNoSubnet(String text) {
        assertThrows(IllegalArgumentException.class, () -> Subnet.parse(text));
    }
}
