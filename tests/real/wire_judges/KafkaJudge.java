import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ResponseHeader;

/**
 * The Java client of Apache Kafka as a judge of our wire code.
 *
 * <p>Reads the lines of `wire_cases emit` on standard input. For each case it decodes our bytes and compares what they mean with what we say
 * they mean; and it makes bytes of its own out of our json alone, for `wire_cases check`. Those lines go to standard output, with the
 * judgement ("ok ..." or "FAIL ...") of the first part to standard error.
 */
public final class KafkaJudge {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HexFormat HEX = HexFormat.of();

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    String text;
    while ((text = in.readLine()) != null) {
      ObjectNode line = (ObjectNode) JSON.readTree(text);
      String label = line.get("name").asText() + " v" + line.get("version") + " seed " + line.get("seed");
      ByteBuffer ours = ByteBuffer.wrap(HEX.parseHex(line.get("hex").asText()));
      String kind = line.get("kind").asText();
      try {
        JsonNode understood = kind.equals("batch") ? readBatch(ours) : kind.equals("marker") ? readMarker(ours) : readFrame(line, ours);
        // Through text, so that numbers of different Java types compare by their value.
        JsonNode wanted = line.get("json");
        if (JSON.readTree(understood.toString()).equals(wanted)) {
          System.err.println("ok " + label);
        } else {
          System.err.println("FAIL " + label + "\n  wanted: " + wanted + "\n  got:    " + understood);
        }
      } catch (Exception e) {
        System.err.println("FAIL " + label + ": " + e);
      }
      try {
        JsonNode json = line.get("json");
        ByteBuffer theirs = kind.equals("batch") ? writeBatch(json) : kind.equals("marker") ? writeMarker(json) : writeFrame(line);
        byte[] bytes = new byte[theirs.remaining()];
        theirs.get(bytes);
        line.put("other", HEX.formatHex(bytes));
      } catch (Exception e) {
        System.err.println("FAIL " + label + ", writing: " + e);
        line.put("other", "");
      }
      out.println(line);
    }
    out.flush();
  }

  // --- Frames ---

  private static Class<?> messageClass(JsonNode line, String suffix) throws ClassNotFoundException {
    return Class.forName("org.apache.kafka.common.message." + line.get("name").asText() + suffix);
  }

  private static ApiKeys api(JsonNode line) {
    String name = line.get("name").asText().replaceAll("(Request|Response)$", "");
    for (ApiKeys key : ApiKeys.values()) {
      if (key.name.equals(name)) return key;
    }
    throw new IllegalArgumentException(name);
  }

  private static JsonNode readFrame(JsonNode line, ByteBuffer frame) throws Exception {
    short version = line.get("version").shortValue();
    if (frame.getInt() != frame.remaining()) throw new IllegalStateException("the length of the frame is wrong");
    ObjectNode understood = JSON.createObjectNode();
    ObjectNode header = understood.putObject("header");
    if (line.get("kind").asText().equals("request")) {
      RequestHeader.parse(frame.duplicate());  // what a broker does first; it makes "" of a client id that is null
      RequestHeaderData parsed = new RequestHeaderData(new ByteBufferAccessor(frame), api(line).requestHeaderVersion(version));
      header.put("apiKey", parsed.requestApiKey());
      header.put("apiVersion", parsed.requestApiVersion());
      header.put("correlationId", parsed.correlationId());
      header.put("clientId", parsed.clientId());
    } else {
      ResponseHeader parsed = ResponseHeader.parse(frame, api(line).responseHeaderVersion(version));
      header.put("correlationId", parsed.correlationId());
    }
    Object data =
        messageClass(line, "Data").getConstructor(Readable.class, short.class).newInstance(new ByteBufferAccessor(frame), version);
    if (frame.hasRemaining()) throw new IllegalStateException(frame.remaining() + " bytes were not read");
    Method write = messageClass(line, "DataJsonConverter").getMethod("write", data.getClass(), short.class);
    JsonNode body = (JsonNode) write.invoke(null, data, version);
    if (data instanceof ProduceRequestData) putRecords((ProduceRequestData) data, body);
    understood.set("body", body);
    return understood;
  }

  /** The converter leaves records out. */
  private static void putRecords(ProduceRequestData data, JsonNode body) {
    int t = 0;
    for (ProduceRequestData.TopicProduceData topic : data.topicData()) {
      int p = 0;
      for (ProduceRequestData.PartitionProduceData partition : topic.partitionData()) {
        ObjectNode node = (ObjectNode) body.get("topicData").get(t).get("partitionData").get(p++);
        if (partition.records() == null) continue;
        ByteBuffer buffer = ((MemoryRecords) partition.records()).buffer();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        node.put("records", Base64.getEncoder().encodeToString(bytes));
      }
      t++;
    }
  }

  private static ByteBuffer writeFrame(JsonNode line) throws Exception {
    short version = line.get("version").shortValue();
    JsonNode header = line.get("json").get("header");
    Method read = messageClass(line, "DataJsonConverter").getMethod("read", JsonNode.class, short.class);
    Message body = (Message) read.invoke(null, line.get("json").get("body"), version);
    ByteBuffer headerBytes;
    if (line.get("kind").asText().equals("request")) {
      RequestHeaderData data = new RequestHeaderData()
          .setRequestApiKey(header.get("apiKey").shortValue())
          .setRequestApiVersion(version)
          .setCorrelationId(header.get("correlationId").intValue())
          .setClientId(header.get("clientId").isNull() ? null : header.get("clientId").asText());
      headerBytes = MessageUtil.toByteBufferAccessor(data, api(line).requestHeaderVersion(version)).buffer();
    } else {
      ResponseHeaderData data = new ResponseHeaderData().setCorrelationId(header.get("correlationId").intValue());
      headerBytes = MessageUtil.toByteBufferAccessor(data, api(line).responseHeaderVersion(version)).buffer();
    }
    ByteBuffer bodyBytes = MessageUtil.toByteBufferAccessor(body, version).buffer();
    ByteBuffer frame = ByteBuffer.allocate(4 + headerBytes.remaining() + bodyBytes.remaining());
    frame.putInt(headerBytes.remaining() + bodyBytes.remaining()).put(headerBytes).put(bodyBytes).flip();
    return frame;
  }

  // --- Record batches ---

  private static void putHex(ObjectNode node, String name, ByteBuffer bytes) {
    if (bytes == null) {
      node.putNull(name);
      return;
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    node.put(name, HEX.formatHex(copy));
  }

  private static MutableRecordBatch onlyBatch(ByteBuffer bytes) {
    MutableRecordBatch batch = null;
    for (MutableRecordBatch each : MemoryRecords.readableRecords(bytes).batches()) {
      if (batch != null) throw new IllegalStateException("more than one batch");
      batch = each;
    }
    if (batch.sizeInBytes() != bytes.limit()) throw new IllegalStateException("bytes after the batch");
    batch.ensureValid();
    return batch;
  }

  private static JsonNode readMarker(ByteBuffer bytes) {
    MutableRecordBatch batch = onlyBatch(bytes);
    if (!batch.isControlBatch() || !batch.isTransactional()) throw new IllegalStateException("not a control batch of a transaction");
    if (batch.hasProducerId() && batch.baseSequence() != RecordBatch.NO_SEQUENCE) throw new IllegalStateException("it has a sequence");
    EndTransactionMarker marker = EndTransactionMarker.deserialize(batch.iterator().next());
    ObjectNode understood = JSON.createObjectNode();
    understood.put("producerId", batch.producerId());
    understood.put("producerEpoch", batch.producerEpoch());
    understood.put("type", marker.controlType().name());
    understood.put("coordinatorEpoch", marker.coordinatorEpoch());
    understood.put("timestamp", batch.maxTimestamp());
    return understood;
  }

  private static ByteBuffer writeMarker(JsonNode json) {
    EndTransactionMarker marker =
        new EndTransactionMarker(ControlRecordType.valueOf(json.get("type").asText()), json.get("coordinatorEpoch").intValue());
    return MemoryRecords.withEndTransactionMarker(0L, json.get("timestamp").longValue(), RecordBatch.NO_PARTITION_LEADER_EPOCH,
        json.get("producerId").longValue(), json.get("producerEpoch").shortValue(), marker).buffer();
  }

  private static JsonNode readBatch(ByteBuffer bytes) {
    MutableRecordBatch batch = onlyBatch(bytes);
    ObjectNode understood = JSON.createObjectNode();
    understood.put("producerId", batch.producerId());
    understood.put("producerEpoch", batch.producerEpoch());
    understood.put("baseSequence", batch.baseSequence());
    understood.put("transactional", batch.isTransactional());
    understood.put("maxTimestamp", batch.maxTimestamp());
    understood.put("codec", batch.compressionType().name);
    ArrayNode records = understood.putArray("records");
    for (Record record : batch) {
      record.ensureValid();
      ObjectNode node = records.addObject();
      node.put("offset", record.offset());
      node.put("timestamp", record.timestamp());
      putHex(node, "key", record.key());
      putHex(node, "value", record.value());
      ArrayNode headers = node.putArray("headers");
      for (Header header : record.headers()) {
        ObjectNode pair = headers.addObject();
        pair.put("key", header.key());
        putHex(pair, "value", header.value() == null ? null : ByteBuffer.wrap(header.value()));
      }
    }
    return understood;
  }

  private static byte[] hexOrNull(JsonNode node) {
    return node.isNull() ? null : HEX.parseHex(node.asText());
  }

  private static ByteBuffer writeBatch(JsonNode json) {
    List<SimpleRecord> records = new ArrayList<>();
    for (JsonNode node : json.get("records")) {
      List<Header> headers = new ArrayList<>();
      for (JsonNode pair : node.get("headers")) {
        headers.add(new RecordHeader(pair.get("key").asText(), hexOrNull(pair.get("value"))));
      }
      records.add(new SimpleRecord(node.get("timestamp").longValue(), hexOrNull(node.get("key")), hexOrNull(node.get("value")),
          headers.toArray(new Header[0])));
    }
    return MemoryRecords.withRecords(RecordBatch.MAGIC_VALUE_V2, 0L, Compression.of(json.get("codec").asText()).build(), TimestampType.CREATE_TIME,
        json.get("producerId").longValue(), json.get("producerEpoch").shortValue(), json.get("baseSequence").intValue(),
        RecordBatch.NO_PARTITION_LEADER_EPOCH, json.get("transactional").booleanValue(), records.toArray(new SimpleRecord[0])).buffer();
  }
}
