/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.transport.collnet.wire.ClientHandshake;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.Hello;
import io.proxyrt.transport.collnet.wire.WireCredential;
import java.time.Duration;

/**
 * The switch that a participant connects with, and as what.
 *
 * @param isEmbedded whether participant 0 has it
 * @param address    where it is
 * @param credential towards it
 * @param group      of the participants
 * @param nRanks     how many they are
 * @param rank       place among them
 * @param name       of the runtime, for the messages of others
 */
record SwitchTarget(boolean isEmbedded, SwitchAddress address, WireCredential credential, GroupId group, int nRanks,
        int rank, String name) {
    /** What it is called in messages. */
    String network() {
        return (isEmbedded ? "embedded switch " : "switch ") + address;
    }

    /** Of one that waits for the others for so long. */
    ClientHandshake handshake(Duration patience) {
        return new ClientHandshake(credential, Hello.ofParticipant(group, nRanks, rank, patience, name));
    }
}
