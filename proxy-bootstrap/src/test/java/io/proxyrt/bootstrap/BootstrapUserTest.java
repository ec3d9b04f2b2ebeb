/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static io.proxyrt.bootstrap.Jobs.LONG;
import static io.proxyrt.bootstrap.Jobs.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.OtherUser;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Another user of the host who has got hold of the id. */
class BootstrapUserTest {
    private final WarningLog warnings = new WarningLog();

    @BeforeAll
    static void requireAnotherUser() {
        assumeTrue(OtherUser.whyNot().isEmpty(), OtherUser::whyNot);
    }

    @Test
    void shouldBeRefusedWithItsNumberWhileTheRightfulRankIsTaken() throws Exception {
        assertRefused(UniqueId.random(Jobs.loopback()));
    }

    @Test
    void shouldBeRefusedWhereTheIdFollowsFromAName() throws Exception {
        assertRefused(UniqueId.of(Jobs.loopback(), "train"));
    }

    @Test
    void shouldBeLetInIfItIsListed() throws Exception {
        try (BootstrapRoot root = root(UniqueId.random(Jobs.loopback()), Integer.toString(OtherUser.UID));
                OtherUser other = new OtherUser(root.address());
                Bootstrap bootstrap = Bootstrap.join(root.id().at(other.address()), 0, 1, LONG)) {
            bootstrap.barrier(LONG);
        }
    }

    private void assertRefused(UniqueId id) throws Exception {
        try (BootstrapRoot root = root(id, ""); OtherUser other = new OtherUser(root.address())) {
            final String refusal = "user 65534 is not admitted; list it in proxyrt.uds.allow.uids if it shall be";
            assertFails(ProxyResult.REMOTE_ERROR, () -> Bootstrap.join(root.id().at(other.address()), 0, 1,
                    Duration.ofSeconds(2)), "was not taken in", "rank 0 of 1", refusal);
            assertTrue(warnings.messages().stream().anyMatch(text -> text.contains(refusal)),
                    warnings.messages()::toString);
            Bootstrap.join(root.id(), 0, 1, LONG).close();
            assertEquals(Optional.empty(), root.failure());
        }
    }

    private BootstrapRoot root(UniqueId id, String uids) {
        final ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.ALLOW_UIDS, uids)
                .build();
        return BootstrapRoot.open(id, 1, BootstrapConfig.defaults(), Credential.of(id, config), warnings);
    }
}
