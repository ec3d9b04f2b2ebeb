/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.topology.xml.XmlDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SystemXmlTest {
    private static final String CPU = "<cpu numaid=\"0\"/>";
    @TempDir
    private Path folder;

    @Test
    void shouldKeepWhatNcclKnowsAndNothingElse() {
        SystemXml xml = SystemXml.parse("x", "<!-- mine --><system version=\"2\" name='a \"b\" &amp; c'>\n"
                + "<cpu numaid=\"0\" new=\"1\"><pci busid=\"0000:01:00.0\"/>"
                + "<fan speed=\"3\"><cpu/></fan></cpu></system>");
        assertEquals("""
                <system version="2" name="a &quot;b&quot; &amp; c">
                  <cpu numaid="0" new="1">
                    <pci busid="0000:01:00.0"/>
                  </cpu>
                </system>
                """, xml.text());
        assertEquals(SystemXml.Dialect.RCCL, xml.dialect());
        assertEquals(xml, SystemXml.parse("y", xml.text()));
        assertNotEquals(xml, SystemXml.parse("x", system(1, CPU)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "<system version='3'/> | INVALID_USAGE | x is of version 3; 1 (NCCL) and 2 (RCCL) are taken",
        "<system version='-1'/> | INVALID_USAGE | version -1",
        "<system/> | INVALID_ARGUMENT | without version",
        "<system version='two'/> | INVALID_ARGUMENT | version=\"two\"",
        "<system version='99999999999999999999'/> | INVALID_ARGUMENT | a number in",
        "<graphs version='1'/> | INVALID_ARGUMENT | begins with <graphs>",
        "<system version='1'> | INVALID_ARGUMENT | no whole XML document",
        "<system version='1'><cpu></system> | INVALID_ARGUMENT | no whole XML document",
        "<system version='1'/><system version='1'/> | INVALID_ARGUMENT | no whole XML document",
        "<system version='1' version='1'/> | INVALID_ARGUMENT | no whole XML document",
        "<system version='1'>text</system> | INVALID_ARGUMENT | text between elements",
        "<system version='1'>&amp;</system> | INVALID_ARGUMENT | text between elements",
        "<system version='1'>&lol;</system> | INVALID_ARGUMENT | x",
        "<system version='1' name='a&#10;b'/> | INVALID_ARGUMENT | line 1, has a control character in name of <system>",
        "<system version='1' name='\u009b2J'/> | INVALID_ARGUMENT | a control character in name of <system>",
        "<system version='1' name='\u202e'/> | INVALID_ARGUMENT | a control character in name of <system>",
        "<system version='&lol;'/> | INVALID_ARGUMENT | x",
        "'' | INVALID_ARGUMENT | no whole XML document"})
    void shouldRefuseWhatIsNoSystem(String text, ProxyResult result, String message) {
        assertRefused(result, message, text);
    }

    @Test
    void shouldKeepNcclsLimits() {
        String limit = "x".repeat(XmlDocument.MAX_VALUE);
        assertEquals(limit, SystemXml.parse("x", system(1, "<cpu numaid=\"0\" arch=\"" + limit + "\"/>")).root()
                .child("cpu").orElseThrow().attributes().get("arch"));
        assertRefused(ProxyResult.INVALID_ARGUMENT, "more than 255 characters, arch of <cpu>",
                system(1, "<cpu numaid=\"0\" arch=\"x" + limit + "\"/>"));
        assertRefused(ProxyResult.INVALID_ARGUMENT, "more than 512 elements in one <system>",
                system(1, CPU.repeat(XmlDocument.MAX_CHILDREN + 1)));
        StringBuilder attributes = new StringBuilder();
        for (int i = 0; i <= XmlDocument.MAX_ATTRIBUTES; i++) {
            attributes.append(" a").append(i).append("=\"\"");
        }
        assertRefused(ProxyResult.INVALID_ARGUMENT, "more than 16 attributes in one <cpu>",
                system(1, "<cpu" + attributes + "/>"));
        assertRefused(ProxyResult.INVALID_ARGUMENT, "more than 8192 elements", system(1,
                ("<cpu>" + "<pci/>".repeat(500) + "</cpu>").repeat(17)));
    }

    @Test
    void shouldRefuseWhatIsTooDeep() {
        assertEquals(XmlDocument.MAX_DEPTH, SystemXml.parse("x", deep(XmlDocument.MAX_DEPTH)).root().size());
        assertRefused(ProxyResult.INVALID_ARGUMENT, "deeper than 64", deep(XmlDocument.MAX_DEPTH + 1));
        assertRefused(ProxyResult.INVALID_ARGUMENT, "x", deep(100_000));
        assertRefused(ProxyResult.INVALID_ARGUMENT, "x", system(1, "<fan>".repeat(10_000) + "</fan>".repeat(10_000)));
    }

    private static String deep(int elements) {
        int below = elements - 2;
        return system(1, "<cpu numaid=\"0\">" + "<pci>".repeat(below) + "</pci>".repeat(below) + "</cpu>");
    }

    @Test
    void shouldExpandNoEntities() throws IOException {
        String bomb = "<!DOCTYPE system [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
                + "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]><system version=\"1\" name=\"&c;\"/>";
        assertRefused(ProxyResult.INVALID_ARGUMENT, "x", bomb);
        Path secret = Files.writeString(folder.resolve("secret"), "1");
        assertRefused(ProxyResult.INVALID_ARGUMENT, "x", "<!DOCTYPE system [<!ENTITY s SYSTEM \"" + secret.toUri()
                + "\">]><system version=\"1\">&s;</system>");
        assertRefused(ProxyResult.INVALID_ARGUMENT, "x", "<!DOCTYPE system SYSTEM \"" + secret.toUri()
                + "\"><system version=\"1\"/>");
    }

    @Test
    void shouldSayWhatIsWrongWithAFile() throws Exception {
        assertFileRefused(ProxyResult.SYSTEM_ERROR, folder.resolve("absent.xml"));
        assertFileRefused(ProxyResult.SYSTEM_ERROR, folder);
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        assertFileRefused(ProxyResult.SYSTEM_ERROR, pipe);
        assertFileRefused(ProxyResult.INVALID_ARGUMENT, Files.write(folder.resolve("latin.xml"),
                new byte[] {(byte) 0xe4}));
        assertFileRefused(ProxyResult.INVALID_ARGUMENT, Files.write(folder.resolve("large.xml"),
                new byte[XmlDocument.MAX_BYTES + 1]));
        assertFileRefused(ProxyResult.INVALID_ARGUMENT, Files.writeString(folder.resolve("cut.xml"),
                Models.own("xgmi-8-all").text().substring(0, 3000)));
    }

    @Test
    void shouldWriteAFile() {
        SystemXml xml = Models.own("dual-port");
        Path file = folder.resolve("written.xml");
        xml.write(file);
        assertEquals(xml, SystemXml.read(file));
        assertEquals(ProxyResult.SYSTEM_ERROR, assertThrows(ProxyException.class, () -> xml.write(folder)).result());
    }

    private static void assertFileRefused(ProxyResult result, Path file) {
        ProxyException e = assertThrows(ProxyException.class, () -> SystemXml.read(file));
        assertEquals(result, e.result(), e::getMessage);
        assertTrue(e.getMessage().contains(file.toString()), e::getMessage);
    }

    static void assertRefused(ProxyResult result, String message, String text) {
        ProxyException e = assertThrows(ProxyException.class, () -> SystemXml.parse("x", text));
        assertEquals(result, e.result(), e::getMessage);
        assertTrue(e.getMessage().contains(message), e::getMessage);
    }

    static String system(int version, String content) {
        return "<system version=\"" + version + "\">" + content + "</system>";
    }
}
