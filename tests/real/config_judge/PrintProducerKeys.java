import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;

/** Prints the keys of the Java producer, sorted, a line each, tabs between: name, type, default, what it allows. */
public final class PrintProducerKeys {
  public static void main(String[] arguments) {
    for (ConfigDef.ConfigKey key : new TreeMap<>(ProducerConfig.configDef().configKeys()).values()) {
      String allowed = key.validator == null ? "" : key.validator.toString();
      System.out.println(String.join("\t", key.name, key.type.name().toLowerCase(), defaultOf(key), allowed));
    }
  }

  /** Empty for none, for null and for an empty list. */
  private static String defaultOf(ConfigDef.ConfigKey key) {
    if (!key.hasDefault() || key.defaultValue == null) return "";
    if (key.defaultValue instanceof List<?> list) return String.join(",", list.stream().map(Object::toString).toList());
    if (key.defaultValue instanceof Class<?> type) return type.getName();
    return key.defaultValue.toString();
  }
}
