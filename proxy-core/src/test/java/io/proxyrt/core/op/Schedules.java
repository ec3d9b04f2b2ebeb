/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Runs real code in every order in which the steps of its actors can follow each other. An actor is a list of steps,
 * each of which is one that others see happen at once. A world is made afresh for each order, and the steps of the
 * order are taken again from the start, so nothing has to be undone.
 */
final class Schedules {
    private final Supplier<World> worlds;
    private long count;

    Schedules(Supplier<World> worlds) {
        this.worlds = worlds;
    }

    /** Something that acts on its own. */
    static final class Actor {
        private final String name;
        private final Deque<Step> steps = new ArrayDeque<>();

        Actor(String name) {
            this.name = name;
        }

        /** A step that can be taken as soon as it is the next. */
        Actor then(String what, Runnable action) {
            return when(what, () -> true, action);
        }

        /** A step that has to wait for something. */
        Actor when(String what, BooleanSupplier isEnabled, Runnable action) {
            steps.add(new Step(what, isEnabled, action));
            return this;
        }

        /** Puts a step in front of those to come; for use by a step. */
        void next(String what, BooleanSupplier isEnabled, Runnable action) {
            steps.addFirst(new Step(what, isEnabled, action));
        }

        /** Takes no more steps: it is dead. */
        void die() {
            steps.clear();
        }
    }

    private record Step(String what, BooleanSupplier isEnabled, Runnable action) {
    }

    /** Actors, and what has to hold. */
    interface World {
        List<Actor> actors();

        /** Called after every step. */
        void check();

        /** Called when no actor can take a step. */
        void checkEnd();
    }

    /** Takes all schedules. Returns how many there are; throws with the steps of the first that breaks a rule. */
    long explore() {
        Deque<int[]> choices = new ArrayDeque<>();
        do {
            run(choices);
            count++;
        } while (advance(choices));
        return count;
    }

    /** Takes one schedule: the choices that are given, each an index and a bound, then the first of what is there. */
    private void run(Deque<int[]> choices) {
        World world = worlds.get();
        List<String> taken = new ArrayList<>();
        try {
            var given = choices.iterator();
            for (List<Actor> ready = ready(world); !ready.isEmpty(); ready = ready(world)) {
                int[] choice = given.hasNext() ? given.next() : null;
                if (choice == null) {
                    choice = new int[] {0, ready.size()};
                    choices.addLast(choice);
                    given = List.<int[]>of().iterator();
                }
                Actor actor = ready.get(choice[0]);
                Step step = actor.steps.removeFirst();
                taken.add(actor.name + ": " + step.what);
                step.action.run();
                world.check();
            }
            world.checkEnd();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("schedule " + count + ":\n  " + String.join("\n  ", taken), e);
        }
    }

    private static List<Actor> ready(World world) {
        return world.actors().stream().filter(actor -> !actor.steps.isEmpty()
                && actor.steps.getFirst().isEnabled.getAsBoolean()).toList();
    }

    private static boolean advance(Deque<int[]> choices) {
        while (!choices.isEmpty() && choices.getLast()[0] == choices.getLast()[1] - 1) {
            choices.removeLast();
        }
        if (choices.isEmpty()) {
            return false;
        }
        choices.getLast()[0]++;
        return true;
    }
}
