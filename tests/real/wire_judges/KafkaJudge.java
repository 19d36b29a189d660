import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.Readable;
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
      boolean isFrame = kind.equals("request") || kind.equals("response");
      try {
        JsonNode understood = isFrame ? readFrame(line, ours) : records().read(kind, ours);
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
        ByteBuffer theirs = isFrame ? writeFrame(line) : records().write(kind, line.get("json"));
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

  /** What judges bytes that are no frames. A class of its own, because its imports are not in all releases of the client. */
  interface RecordsJudge {
    JsonNode read(String kind, ByteBuffer bytes) throws Exception;

    ByteBuffer write(String kind, JsonNode json) throws Exception;
  }

  private static RecordsJudge records() throws Exception {
    return (RecordsJudge) Class.forName("KafkaRecordsJudge").getConstructor().newInstance();
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
  private static void putRecords(ProduceRequestData data, JsonNode body) throws Exception {
    int t = 0;
    for (ProduceRequestData.TopicProduceData topic : data.topicData()) {
      int p = 0;
      for (ProduceRequestData.PartitionProduceData partition : topic.partitionData()) {
        ObjectNode node = (ObjectNode) body.get("topicData").get(t).get("partitionData").get(p++);
        if (partition.records() == null) continue;
        // By name: the class has moved from one package to another.
        ByteBuffer buffer = (ByteBuffer) partition.records().getClass().getMethod("buffer").invoke(partition.records());
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        node.put("records", Base64.getEncoder().encodeToString(bytes));
      }
      t++;
    }
  }

  private static ByteBuffer bytesOf(Message message, short version) {
    ObjectSerializationCache cache = new ObjectSerializationCache();
    ByteBuffer bytes = ByteBuffer.allocate(message.size(cache, version));
    message.write(new ByteBufferAccessor(bytes), cache, version);
    return bytes.flip();
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
      headerBytes = bytesOf(data, api(line).requestHeaderVersion(version));
    } else {
      ResponseHeaderData data = new ResponseHeaderData().setCorrelationId(header.get("correlationId").intValue());
      headerBytes = bytesOf(data, api(line).responseHeaderVersion(version));
    }
    ByteBuffer bodyBytes = bytesOf(body, version);
    ByteBuffer frame = ByteBuffer.allocate(4 + headerBytes.remaining() + bodyBytes.remaining());
    frame.putInt(headerBytes.remaining() + bodyBytes.remaining()).put(headerBytes).put(bodyBytes).flip();
    return frame;
  }
}
