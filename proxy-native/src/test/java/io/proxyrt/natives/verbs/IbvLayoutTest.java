/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.ReceiveRequest;
import io.proxyrt.core.verbs.ScatterGather;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.core.verbs.VerbsEvent;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.core.verbs.WorkCompletion;
import io.proxyrt.natives.gpu.HeaderValues;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Numbers and offsets of the binding, and of core's requests and completions, are those of libibverbs' header. */
class IbvLayoutTest {
    private static final String TABLE = "/io/proxyrt/natives/verbs/rdma-core-44.txt";
    private static final Path HEADERS = Path.of("/usr/include");
    private static final long MARK = 0x1122_3344_5566_7788L;
    private static final int INT_MARK = 0x1122_3344;

    @TempDir
    private Path folder;

    private Map<String, Long> table;
    private final Set<String> checked = new HashSet<>();

    @Test
    void shouldHaveTheValuesOfTheHeader() throws IOException {
        table = HeaderValues.table(TABLE);

        checkDevices();
        checkQueuePairs();
        checkMasks();
        checkSends();
        checkReceivesAndCompletions();
        checkNames();
        assertEquals(table.keySet(), checked);
    }

    @Test
    void shouldReadTheHeaderAsACompilerDoes() throws IOException, InterruptedException {
        assumeTrue(Files.exists(HEADERS.resolve("infiniband/verbs.h")), "libibverbs-dev is not installed");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/cc")), "there is no C compiler, /usr/bin/cc");
        Map<String, Long> values = HeaderValues.table(TABLE);

        assertEquals(values, HeaderValues.compiled(folder, HEADERS, List.of("infiniband/verbs.h"), values.keySet()));
    }

    private void checkDevices() {
        offset("ibv_device", "name", IbvLayout.DEVICE_NAME);
        offset("ibv_device", "dev_name", IbvLayout.DEVICE_DEV_NAME);
        offset("ibv_device", "ibdev_path", IbvLayout.DEVICE_IBDEV_PATH);
        offset("ibv_context", "ops.poll_cq", IbvLayout.CONTEXT_POLL_CQ);
        offset("ibv_context", "ops.post_send", IbvLayout.CONTEXT_POST_SEND);
        offset("ibv_context", "ops.post_recv", IbvLayout.CONTEXT_POST_RECV);
        offset("ibv_context", "async_fd", IbvLayout.CONTEXT_ASYNC_FD);
        check("sizeof(struct ibv_device_attr)", IbvLayout.DEVICE_ATTR_BYTES);
        offset("ibv_device_attr", "fw_ver", IbvLayout.FW_VER);
        offset("ibv_device_attr", "node_guid", IbvLayout.NODE_GUID);
        offset("ibv_device_attr", "max_mr_size", IbvLayout.MAX_MR_SIZE);
        offset("ibv_device_attr", "vendor_id", IbvLayout.VENDOR_ID);
        offset("ibv_device_attr", "max_qp", IbvLayout.MAX_QP);
        offset("ibv_device_attr", "max_qp_wr", IbvLayout.MAX_QP_WR);
        offset("ibv_device_attr", "max_sge", IbvLayout.MAX_SGE);
        offset("ibv_device_attr", "max_cqe", IbvLayout.MAX_CQE);
        offset("ibv_device_attr", "max_mr", IbvLayout.MAX_MR);
        offset("ibv_device_attr", "max_qp_rd_atom", IbvLayout.MAX_QP_RD_ATOM);
        offset("ibv_device_attr", "phys_port_cnt", IbvLayout.PHYS_PORT_CNT);
        check("sizeof(struct ibv_port_attr)", IbvLayout.PORT_ATTR_BYTES);
        offset("ibv_port_attr", "state", IbvLayout.PORT_STATE);
        offset("ibv_port_attr", "active_mtu", IbvLayout.ACTIVE_MTU);
        offset("ibv_port_attr", "gid_tbl_len", IbvLayout.GID_TBL_LEN);
        offset("ibv_port_attr", "max_msg_sz", IbvLayout.MAX_MSG_SZ);
        offset("ibv_port_attr", "lid", IbvLayout.LID);
        offset("ibv_port_attr", "active_width", IbvLayout.ACTIVE_WIDTH);
        offset("ibv_port_attr", "active_speed", IbvLayout.ACTIVE_SPEED);
        offset("ibv_port_attr", "link_layer", IbvLayout.LINK_LAYER);
        check("sizeof(union ibv_gid)", IbvLayout.GID_BYTES);
        offset("ibv_mr", "lkey", IbvLayout.MR_LKEY);
        offset("ibv_mr", "rkey", IbvLayout.MR_RKEY);
    }

    private void checkQueuePairs() {
        offset("ibv_qp", "qp_num", IbvLayout.QP_NUM);
        check("sizeof(struct ibv_qp_init_attr)", IbvLayout.QP_INIT_ATTR_BYTES);
        offset("ibv_qp_init_attr", "send_cq", IbvLayout.INIT_SEND_CQ);
        offset("ibv_qp_init_attr", "recv_cq", IbvLayout.INIT_RECV_CQ);
        offset("ibv_qp_init_attr", "cap.max_send_wr", IbvLayout.INIT_MAX_SEND_WR);
        offset("ibv_qp_init_attr", "cap.max_recv_wr", IbvLayout.INIT_MAX_RECV_WR);
        offset("ibv_qp_init_attr", "cap.max_send_sge", IbvLayout.INIT_MAX_SEND_SGE);
        offset("ibv_qp_init_attr", "cap.max_recv_sge", IbvLayout.INIT_MAX_RECV_SGE);
        offset("ibv_qp_init_attr", "cap.max_inline_data", IbvLayout.INIT_MAX_INLINE_DATA);
        offset("ibv_qp_init_attr", "qp_type", IbvLayout.INIT_QP_TYPE);
        check("IBV_QPT_RC", IbvLayout.QPT_RC);
        check("sizeof(struct ibv_qp_attr)", IbvLayout.QP_ATTR_BYTES);
        offset("ibv_qp_attr", "qp_state", IbvLayout.QP_STATE);
        offset("ibv_qp_attr", "path_mtu", IbvLayout.PATH_MTU);
        offset("ibv_qp_attr", "dest_qp_num", IbvLayout.DEST_QP_NUM);
        offset("ibv_qp_attr", "qp_access_flags", IbvLayout.QP_ACCESS_FLAGS);
        offset("ibv_qp_attr", "ah_attr.grh.dgid", IbvLayout.AH_DGID);
        offset("ibv_qp_attr", "ah_attr.grh.sgid_index", IbvLayout.AH_SGID_INDEX);
        offset("ibv_qp_attr", "ah_attr.grh.hop_limit", IbvLayout.AH_HOP_LIMIT);
        offset("ibv_qp_attr", "ah_attr.grh.traffic_class", IbvLayout.AH_TRAFFIC_CLASS);
        offset("ibv_qp_attr", "ah_attr.dlid", IbvLayout.AH_DLID);
        offset("ibv_qp_attr", "ah_attr.sl", IbvLayout.AH_SL);
        offset("ibv_qp_attr", "ah_attr.is_global", IbvLayout.AH_IS_GLOBAL);
        offset("ibv_qp_attr", "ah_attr.port_num", IbvLayout.AH_PORT_NUM);
        offset("ibv_qp_attr", "pkey_index", IbvLayout.PKEY_INDEX);
        offset("ibv_qp_attr", "max_rd_atomic", IbvLayout.MAX_RD_ATOMIC);
        offset("ibv_qp_attr", "max_dest_rd_atomic", IbvLayout.MAX_DEST_RD_ATOMIC);
        offset("ibv_qp_attr", "min_rnr_timer", IbvLayout.MIN_RNR_TIMER);
        offset("ibv_qp_attr", "port_num", IbvLayout.PORT_NUM);
        offset("ibv_qp_attr", "timeout", IbvLayout.TIMEOUT);
        offset("ibv_qp_attr", "retry_cnt", IbvLayout.RETRY_CNT);
        offset("ibv_qp_attr", "rnr_retry", IbvLayout.RNR_RETRY);
    }

    private void checkMasks() {
        check("IBV_QPS_INIT", IbvLayout.QPS_INIT);
        check("IBV_QPS_RTR", IbvLayout.QPS_RTR);
        check("IBV_QPS_RTS", IbvLayout.QPS_RTS);
        check("IBV_QPS_ERR", IbvLayout.QPS_ERR);
        check("IBV_QP_STATE", IbvLayout.MASK_STATE);
        check("IBV_QP_STATE|IBV_QP_PKEY_INDEX|IBV_QP_PORT|IBV_QP_ACCESS_FLAGS", IbvLayout.MASK_INIT);
        check("IBV_QP_STATE|IBV_QP_AV|IBV_QP_PATH_MTU|IBV_QP_DEST_QPN|IBV_QP_RQ_PSN|IBV_QP_MAX_DEST_RD_ATOMIC"
                + "|IBV_QP_MIN_RNR_TIMER", IbvLayout.MASK_RTR);
        check("IBV_QP_STATE|IBV_QP_TIMEOUT|IBV_QP_RETRY_CNT|IBV_QP_RNR_RETRY|IBV_QP_SQ_PSN|IBV_QP_MAX_QP_RD_ATOMIC",
                IbvLayout.MASK_RTS);
        check("IBV_ACCESS_LOCAL_WRITE", ProtectionDomain.LOCAL_WRITE);
        check("IBV_ACCESS_REMOTE_WRITE", ProtectionDomain.REMOTE_WRITE);
        check("IBV_ACCESS_REMOTE_READ", ProtectionDomain.REMOTE_READ);
        check("IBV_ACCESS_RELAXED_ORDERING", ProtectionDomain.RELAXED_ORDERING);
    }

    /** Core's setters write where the header has the fields. */
    private void checkSends() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(SendRequest.BYTES, Long.BYTES);
            check("sizeof(struct ibv_send_wr)", SendRequest.BYTES);
            SendRequest.set(m, 0, MARK, 2, 3, MARK + 1, 4);
            SendRequest.next(m, 0, MARK + 2);
            SendRequest.remote(m, 0, MARK + 3, 5);
            SendRequest.immediate(m, 0, INT_MARK);
            assertEquals(MARK, m.get(JAVA_LONG, at("ibv_send_wr", "wr_id")));
            assertEquals(MARK + 2, m.get(JAVA_LONG, at("ibv_send_wr", "next")));
            assertEquals(MARK + 1, m.get(JAVA_LONG, at("ibv_send_wr", "sg_list")));
            assertEquals(4, m.get(JAVA_INT, at("ibv_send_wr", "num_sge")));
            assertEquals(2, m.get(JAVA_INT, at("ibv_send_wr", "opcode")));
            assertEquals(3, m.get(JAVA_INT, at("ibv_send_wr", "send_flags")));
            assertEquals(0x11, m.get(JAVA_BYTE, at("ibv_send_wr", "imm_data")), "first on the wire");
            assertEquals(MARK + 3, m.get(JAVA_LONG, at("ibv_send_wr", "wr.rdma.remote_addr")));
            assertEquals(5, m.get(JAVA_INT, at("ibv_send_wr", "wr.rdma.rkey")));
            check("sizeof(struct ibv_sge)", ScatterGather.BYTES);
            ScatterGather.set(m, 0, MARK, 6, 7);
            assertEquals(MARK, m.get(JAVA_LONG, at("ibv_sge", "addr")));
            assertEquals(6, m.get(JAVA_INT, at("ibv_sge", "length")));
            assertEquals(7, m.get(JAVA_INT, at("ibv_sge", "lkey")));
        }
        check("IBV_WR_RDMA_WRITE", SendRequest.RDMA_WRITE);
        check("IBV_WR_RDMA_WRITE_WITH_IMM", SendRequest.RDMA_WRITE_WITH_IMM);
        check("IBV_WR_RDMA_READ", SendRequest.RDMA_READ);
        check("IBV_SEND_SIGNALED", SendRequest.SIGNALED);
        check("IBV_SEND_INLINE", SendRequest.INLINE);
    }

    private void checkReceivesAndCompletions() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(WorkCompletion.BYTES, Long.BYTES);
            check("sizeof(struct ibv_recv_wr)", ReceiveRequest.BYTES);
            ReceiveRequest.set(m, 0, MARK, MARK + 1);
            assertEquals(MARK, m.get(JAVA_LONG, at("ibv_recv_wr", "wr_id")));
            assertEquals(MARK + 1, m.get(JAVA_LONG, at("ibv_recv_wr", "next")));
            m.fill((byte) 1);
            ReceiveRequest.set(m, 0, MARK, MARK + 1);
            assertEquals(0, m.get(JAVA_LONG, at("ibv_recv_wr", "sg_list")));
            assertEquals(0, m.get(JAVA_INT, at("ibv_recv_wr", "num_sge")));
            check("sizeof(struct ibv_wc)", WorkCompletion.BYTES);
            m.set(JAVA_LONG, at("ibv_wc", "wr_id"), MARK);
            m.set(JAVA_INT, at("ibv_wc", "status"), 2);
            m.set(JAVA_INT, at("ibv_wc", "opcode"), 3);
            m.set(JAVA_INT, at("ibv_wc", "vendor_err"), 4);
            m.set(JAVA_INT, at("ibv_wc", "byte_len"), 5);
            m.set(JAVA_INT, at("ibv_wc", "imm_data"), Integer.reverseBytes(INT_MARK));
            m.set(JAVA_INT, at("ibv_wc", "qp_num"), 7);
            assertEquals(MARK, WorkCompletion.id(m, 0));
            assertEquals(2, WorkCompletion.status(m, 0));
            assertEquals(3, WorkCompletion.opcode(m, 0));
            assertEquals(4, WorkCompletion.vendorError(m, 0));
            assertEquals(5, WorkCompletion.length(m, 0));
            assertEquals(INT_MARK, WorkCompletion.immediate(m, 0));
            assertEquals(7, WorkCompletion.queuePair(m, 0));
        }
        check("IBV_WC_RDMA_WRITE", WorkCompletion.RDMA_WRITE);
        check("IBV_WC_RDMA_READ", WorkCompletion.RDMA_READ);
        check("IBV_WC_RECV_RDMA_WITH_IMM", WorkCompletion.RECV_RDMA_WITH_IMM);
    }

    private void checkNames() {
        check("sizeof(struct ibv_async_event)", IbvLayout.ASYNC_EVENT_BYTES);
        offset("ibv_async_event", "element", IbvLayout.EVENT_ELEMENT);
        offset("ibv_async_event", "event_type", IbvLayout.EVENT_TYPE);
        check("IBV_EVENT_LID_CHANGE", IbvLayout.EVENT_LID_CHANGE);
        check("IBV_EVENT_PKEY_CHANGE", IbvLayout.EVENT_PKEY_CHANGE);
        check("IBV_EVENT_SM_CHANGE", IbvLayout.EVENT_SM_CHANGE);
        check("IBV_EVENT_CLIENT_REREGISTER", IbvLayout.EVENT_CLIENT_REREGISTER);
        check("IBV_EVENT_PORT_ACTIVE", VerbsEvent.PORT_ACTIVE);
        check("IBV_EVENT_PORT_ERR", VerbsEvent.PORT_ERR);
        check("IBV_EVENT_GID_CHANGE", VerbsEvent.GID_CHANGE);
        check("IBV_EVENT_QP_FATAL", VerbsEvent.QP_FATAL);
        check("IBV_EVENT_DEVICE_FATAL", VerbsEvent.DEVICE_FATAL);
        check("IBV_PORT_ACTIVE", VerbsPort.ACTIVE);
        check("IBV_LINK_LAYER_INFINIBAND", VerbsPort.INFINIBAND);
        check("IBV_LINK_LAYER_ETHERNET", VerbsPort.ETHERNET);
        for (String expression : table.keySet()) {
            if (expression.startsWith("IBV_WC_") && !checked.contains(expression)) {
                checked.add(expression);
                assertEquals(expression, "IBV_WC_" + WorkCompletion.statusName(table.get(expression).intValue()));
            } else if (expression.startsWith("IBV_EVENT_") && !checked.contains(expression)) {
                checked.add(expression);
                assertEquals(expression, "IBV_EVENT_" + new VerbsEvent(table.get(expression).intValue(), 0).name());
            }
        }
        check("IBV_WC_WR_FLUSH_ERR", WorkCompletion.FLUSH_ERROR);
        check("IBV_WC_REM_ACCESS_ERR", WorkCompletion.REMOTE_ACCESS_ERROR);
        check("IBV_WC_RETRY_EXC_ERR", WorkCompletion.RETRY_EXCEEDED);
        check("IBV_WC_RNR_RETRY_EXC_ERR", WorkCompletion.RNR_RETRY_EXCEEDED);
    }

    private void offset(String structure, String field, long ours) {
        assertEquals(at(structure, field), ours, structure + "." + field);
    }

    /** Where the header has a field. */
    private long at(String structure, String field) {
        String expression = "offsetof(struct " + structure + "," + field + ")";
        checked.add(expression);
        return table.get(expression);
    }

    private void check(String expression, long ours) {
        assertEquals(table.get(expression), Long.valueOf(ours), expression);
        checked.add(expression);
    }
}
