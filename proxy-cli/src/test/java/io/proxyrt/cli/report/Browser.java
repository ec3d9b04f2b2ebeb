/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.report;

import io.proxyrt.cli.view.ParsedJson;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Chromium without a window, that does what it is told by the DevTools protocol, over its standard streams. */
final class Browser implements AutoCloseable {
    /** Descriptors 3 and 4 are where Chromium has the protocol. */
    private static final String PIPES = "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";

    private static final Duration DEADLINE = Duration.ofMinutes(2);

    private final Process process;
    private final OutputStream commands;
    private final InputStream answers;
    private final List<Map<String, Object>> events = new ArrayList<>();
    private String session;
    private int number;

    private Browser(Path chromium, Path profile) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", PIPES, "sh", chromium.toString(), "--headless",
                "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,1500",
                "--remote-debugging-pipe", "--user-data-dir=" + profile, "about:blank");
        for (String folder : List.of("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")) {
            builder.environment().put(folder, profile.toString());
        }
        process = builder.start();
        commands = process.getOutputStream();
        answers = new BufferedInputStream(process.getInputStream());
        // What hangs ends by then: it reads that Chromium has ended.
        process.onExit().orTimeout(DEADLINE.toSeconds(), TimeUnit.SECONDS).exceptionally(late -> {
            kill(all());
            return process;
        });
    }

    private void attach(Path page) throws IOException {
        String target = (String) send("Target.createTarget", "{\"url\": \"about:blank\"}").get("targetId");
        session = (String) send("Target.attachToTarget", "{\"targetId\": \"" + target + "\", \"flatten\": true}")
                .get("sessionId");
        for (String domain : List.of("Page", "Runtime", "Network", "Log")) {
            send(domain + ".enable", "{}");
        }
        send("Page.navigate", "{\"url\": \"" + page.toUri() + "\"}");
    }

    /** Where it is, if it is there. */
    static Optional<Path> installed() {
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> Stream.of(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable).findFirst();
    }

    static Browser open(Path chromium, Path profile, Path page) throws IOException {
        Browser browser = new Browser(chromium, profile);
        try {
            browser.attach(page);
            return browser;
        } catch (Throwable t) {
            kill(browser.all());
            throw t;
        }
    }

    /** A command's result. What happened meanwhile stays in {@link #events}. */
    @SuppressWarnings("unchecked")
    Map<String, Object> send(String method, String parameters) throws IOException {
        int id = ++number;
        String message = "{\"id\": " + id + ", \"method\": \"" + method + "\", \"params\": " + parameters
                + (session == null ? "" : ", \"sessionId\": \"" + session + "\"") + "}\0";
        commands.write(message.getBytes(StandardCharsets.UTF_8));
        commands.flush();
        while (true) {
            Map<String, Object> answer = ParsedJson.object(read());
            if (answer.get("id") instanceof BigDecimal of && of.intValueExact() == id) {
                if (answer.containsKey("error")) {
                    throw new AssertionError(method + ": " + answer);
                }
                return (Map<String, Object>) answer.get("result");
            }
            events.add(answer);
        }
    }

    private String read() throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        for (int next = answers.read(); next != 0; next = answers.read()) {
            if (next < 0) {
                throw new EOFException("Chromium has ended");
            }
            text.write(next);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /** Events of a method, as text. */
    List<String> events(String method) {
        return events.stream().filter(event -> method.equals(event.get("method"))).map(Object::toString).toList();
    }

    /** What an expression of the page is, as text. */
    @SuppressWarnings("unchecked")
    String evaluate(String expression) throws IOException {
        String escaped = expression.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ");
        Map<String, Object> answer = send("Runtime.evaluate", "{\"expression\": \"String(" + escaped + ")\"}");
        if (answer.containsKey("exceptionDetails")) {
            throw new AssertionError(expression + ": " + answer);
        }
        return (String) ((Map<String, Object>) answer.get("result")).get("value");
    }

    double number(String expression) throws IOException {
        return Double.parseDouble(evaluate(expression));
    }

    void press(String key) throws IOException {
        String text = key.length() == 1 ? ", \"text\": \"" + key + "\"" : "";
        send("Input.dispatchKeyEvent", "{\"type\": \"keyDown\", \"key\": \"" + key + "\"" + text + "}");
        send("Input.dispatchKeyEvent", "{\"type\": \"keyUp\", \"key\": \"" + key + "\"}");
    }

    /** In the middle of an element, which it brings into view. */
    void click(String id) throws IOException {
        evaluate("document.getElementById('" + id + "').scrollIntoView({block: 'center'})");
        String box = "document.getElementById('" + id + "').getBoundingClientRect()";
        click(number(box + ".x + " + box + ".width / 2"), number(box + ".y + " + box + ".height / 2"));
    }

    void click(double x, double y) throws IOException {
        for (String type : List.of("mousePressed", "mouseReleased")) {
            send("Input.dispatchMouseEvent", "{\"type\": \"" + type + "\", \"x\": " + x + ", \"y\": " + y
                    + ", \"button\": \"left\", \"clickCount\": 1}");
        }
    }

    /** It ends when no one can tell it anything any more, with all that it has started. */
    @Override
    public void close() throws IOException {
        List<ProcessHandle> all = all();
        try {
            commands.close();
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            kill(all);
            process.onExit().orTimeout(DEADLINE.toSeconds(), TimeUnit.SECONDS).join();
        }
    }

    private List<ProcessHandle> all() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    }

    private static void kill(List<ProcessHandle> all) {
        all.forEach(ProcessHandle::destroyForcibly);
    }
}
