/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankGroup;
import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.counters.EventRing;
import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.jfr.CollectiveEvent;
import io.proxyrt.core.jfr.Jfr;
import io.proxyrt.core.jfr.StuckEvent;
import io.proxyrt.core.jfr.TuningEvent;
import java.time.Duration;

/** What a communicator tells Flight Recorder: its calls, until their data are there; how it chooses; why it waits. */
final class CallRecording {
    private final CommunicatorParts parts;
    private final LaunchPlanner planner;

    CallRecording(CommunicatorParts parts, LaunchPlanner planner) {
        this.parts = parts;
        this.planner = planner;
    }

    /** The calls of a group, which begin now; the last of its collectives has this number. */
    RecordedCalls begin(CallGroup group, long lastNumber) {
        RecordedCalls calls = new RecordedCalls();
        int works = 0;
        for (int i = 0; i < group.noted(); i++) {
            CollectiveEvent event = begin(group.word(i), group.bytes(i), EventRing.NO_PEER);
            event.number = lastNumber - group.noted() + 1 + i;
            boolean isWork = works < group.works() && group.bytes(i) > 0 && group.work(works).word() == group.word(i);
            calls.add(event, isWork ? group.work(works++) : null);
        }
        assert works == group.works() : works + " of " + group.works();
        for (int i = 0; i < group.messages(); i++) {
            Message message = group.message(i);
            if (message.isCompared) {
                CollectiveEvent event = begin(OpWord.MESSAGE, message.part.bytes(),
                        parts.setup.group().jobRank(message.peer));
                event.function = (message.isSend ? CollFunction.SEND : CollFunction.RECV).name();
                calls.add(event, null);
            }
        }
        return calls;
    }

    private CollectiveEvent begin(long word, long bytes, int peer) {
        CollectiveEvent event = new CollectiveEvent();
        event.begin();
        DataType type = OpWord.type(word);
        event.rank = parts.proxy.rank();
        event.job = parts.proxy.counters().job();
        event.communicator = parts.setup.group().name();
        event.function = OpWord.function(word).name();
        event.count = OpWord.count(word, bytes);
        event.type = type == null ? null : type.name();
        event.reduction = OpWord.reduction(word);
        event.bytes = bytes;
        event.peer = peer;
        return event;
    }

    /** The communicator is ready, or chooses in another way from now on. */
    void chosen() {
        if (Jfr.recordsTuning() && parts.rings.length > 0) {
            TuningEvent event = new TuningEvent();
            event.rank = parts.proxy.rank();
            event.job = parts.proxy.counters().job();
            event.communicator = parts.setup.group().name();
            event.choice = planner.describe();
            event.commit();
        }
    }

    /** A rank of the group waits in vain. */
    static void stuck(RankGroup group, String job, Diagnosis found, long ms) {
        if (Jfr.recordsStuck()) {
            StuckEvent event = new StuckEvent();
            event.rank = group.jobRank(group.rank());
            event.job = job;
            event.communicator = group.name();
            event.culprit = found.culprits().getFirst();
            event.reason = found.reason().label();
            event.stillNs = Duration.ofMillis(ms).toNanos();
            event.sentence = found.sentence();
            event.commit();
        }
    }
}
