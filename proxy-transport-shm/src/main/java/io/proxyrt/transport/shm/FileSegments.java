/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.core.platform.MappedFile;
import io.proxyrt.core.progress.PeerInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Segments in files that only their user can open. A file's space is really taken before it is mapped, for a
 * process that touches a page which a full file system cannot give dies of SIGBUS. Its name goes as soon as both ranks
 * have mapped it. Unlike a memfd it cannot be kept from shrinking, so processes of the same user have to be trusted not
 * to cut it.
 */
final class FileSegments implements SegmentSource {
    static final Path DEV_SHM = Path.of("/dev/shm");

    private final Device device;
    private final Path folder;

    FileSegments(Device device, Path folder) {
        this.device = device;
        this.folder = folder;
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        String other = "rank " + peer.rank();
        if (self.process().uid() != peer.process().uid()) {
            return other + " belongs to another user, who cannot open files of this one";
        }
        if (folder.equals(DEV_SHM) && self.process().shmId() == 0) {
            return "there is no " + DEV_SHM + " here; set " + ShmOptions.DIRECTORY + " to a folder in memory, or take "
                    + "transport NET";
        }
        if (folder.equals(DEV_SHM) && self.process().shmId() != peer.process().shmId()) {
            return other + " sees another /dev/shm; let containers share it, or set " + ShmOptions.DIRECTORY
                    + " to a folder in memory that both see";
        }
        return "";
    }

    @Override
    public Segment make(long bytes, int peer) {
        Path path = folder.resolve(SegmentFile.newName());
        MappedFile file = create(path, bytes);
        try {
            return new Made(new Mapped(path, file, device.register(file.segment())));
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Looks first, so as not to fill up what others need. */
    private MappedFile create(Path path, long bytes) {
        String space;
        Exception why = null;
        try {
            long free = Files.getFileStore(folder).getUsableSpace();
            space = free + " bytes are free";
            if (free >= bytes) {
                return MappedFile.create(path, bytes);
            }
        } catch (IOException e) {
            space = e.toString();
            why = e;
        } catch (ProxyException e) {
            space = String.valueOf(e.getCause());
            why = e;
        }
        throw new ProxyException(ProxyResult.SYSTEM_ERROR, "SHM cannot make a segment of " + bytes + " bytes in "
                + folder + ": " + space + DescriptorLimit.advice(why, "; give it more space (of a container by "
                + "--shm-size), lower proxyrt.buffer.bytes or the number of channels, or set " + ShmOptions.SEGMENT
                + "=memfd"), why);
    }

    @Override
    public MappedSegment open(SegmentAddress address, long bytes, Duration timeout) {
        Path path = folder.resolve(SegmentFile.checked(address.place()));
        try {
            if (!SegmentFile.isOwn(path)) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, "SHM segment " + path + " is no file of this user");
            }
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "SHM segment " + path + " of a peer cannot be looked "
                    + "at: " + e + DescriptorLimit.advice(e, "; do both ranks have the same " + ShmOptions.DIRECTORY
                    + "?"), e);
        }
        MappedFile file = MappedFile.open(path, bytes);
        try {
            return new Mapped(path, file, device.register(file.segment()));
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    @Override
    public String describe() {
        try {
            return "files in " + folder + " (" + (Files.getFileStore(folder).getUsableSpace() >> 20) + " MiB free)";
        } catch (IOException e) {
            return "no files in " + folder + ": " + e;
        }
    }

    /** A mapped file, and what the device knows of it. */
    private record Mapped(Path path, MappedFile file, DeviceMemory memory) implements MappedSegment {
        @Override
        public void seal() {
            file.removeName();
        }

        @Override
        public void close() {
            memory.close();
            file.close();
        }
    }

    private record Made(Mapped mapped) implements Segment {
        @Override
        public DeviceMemory memory() {
            return mapped.memory;
        }

        @Override
        public SegmentAddress address() {
            return new SegmentAddress(SegmentKind.FILE, mapped.path.getFileName().toString(), 0);
        }

        @Override
        public void seal() {
            mapped.seal();
        }

        @Override
        public void close() {
            mapped.close();
        }
    }
}
