"""The producer against real Apache Kafka with TLS and SASL: `ktrial produce` writes, kcat reads back from the listener without."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from harness import KTRIAL, Cluster, OldBroker, check, lines, main, run

PASSWORD = "keystore-secret"
USER, USER_PASSWORD = "alice", "alice-secret"
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


def openssl(*arguments):
    return run(["openssl", *arguments])


class Certificates:
    """An authority and what it signed, in a folder of their own: NAME.key, NAME.crt, NAME.pem (both), NAME.p12."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="ktrial-certificates-")
        self.authority("ca")
        self.authority("other-ca")
        self.issue("broker", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.issue("elsewhere", "subjectAltName=DNS:broker.elsewhere")
        self.issue("expired", "subjectAltName=DNS:localhost,IP:127.0.0.1", dates=("20200101000000Z", "20200201000000Z"))
        self.issue("client", "subjectAltName=DNS:client")
        self.issue("stranger", "subjectAltName=DNS:stranger", authority="other-ca")
        openssl("pkcs12", "-export", "-nokeys", "-in", self.path("ca.crt"), "-out", self.path("ca.p12"), "-passout", f"pass:{PASSWORD}")
        openssl("pkcs8", "-topk8", "-in", self.path("client.key"), "-out", self.path("client.enc"), "-passout", f"pass:{PASSWORD}")
        self.join("client.enc.pem", "client.enc", "client.crt")
        # The store that a Java program would have.
        run(["keytool", "-importcert", "-noprompt", "-alias", "ca", "-file", self.path("ca.crt"), "-keystore", self.path("java.p12"),
             "-storetype", "PKCS12", "-storepass", PASSWORD])
        run(["keytool", "-importcert", "-noprompt", "-alias", "ca", "-file", self.path("ca.crt"), "-keystore", self.path("java.jks"),
             "-storetype", "JKS", "-storepass", PASSWORD])

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        with open(self.path(name), encoding="ascii") as file:
            return file.read()

    def join(self, name, *parts):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write("".join(self.text(part) for part in parts))

    def authority(self, name):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-days", "30",
                "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.crt"))

    def issue(self, name, extension, authority="ca", dates=None):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.csr"))
        with open(self.path(f"{name}.ext"), "w", encoding="ascii") as file:
            file.write(extension + "\n")
        if dates is None:
            openssl("x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.path(f"{authority}.crt"), "-CAkey", self.path(f"{authority}.key"),
                    "-CAcreateserial", "-days", "30", "-extfile", self.path(f"{name}.ext"), "-out", self.path(f"{name}.crt"))
        else:  # only `openssl ca` takes dates of the past
            with open(self.path("index.txt"), "w", encoding="ascii"):
                pass
            with open(self.path("ca.cnf"), "w", encoding="ascii") as file:
                file.write(f"[ca]\ndefault_ca=d\n[d]\ndatabase={self.path('index.txt')}\nnew_certs_dir={self.folder}\nrand_serial=yes\n"
                           "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
            openssl("ca", "-batch", "-config", self.path("ca.cnf"), "-in", self.path(f"{name}.csr"), "-cert", self.path(f"{authority}.crt"),
                    "-keyfile", self.path(f"{authority}.key"), "-startdate", dates[0], "-enddate", dates[1],
                    "-extfile", self.path(f"{name}.ext"), "-notext", "-out", self.path(f"{name}.crt"))
        self.join(f"{name}.pem", f"{name}.key", f"{name}.crt")
        openssl("pkcs12", "-export", "-inkey", self.path(f"{name}.key"), "-in", self.path(f"{name}.crt"), "-out", self.path(f"{name}.p12"),
                "-passout", f"pass:{PASSWORD}")


def login_module(mechanism):
    name = "plain.Plain" if mechanism == "PLAIN" else "scram.Scram"
    return f"org.apache.kafka.common.security.{name}LoginModule"


class SecureCluster(Cluster):
    """One broker with more listeners than the plain one: NAME -> the port of that listener."""

    LISTENERS = ("SSL", "MUTUAL", "ELSEWHERE", "EXPIRED", "SASL_PLAINTEXT", "SASL_SSL", "RENEWED")
    SASL = ("SASL_PLAINTEXT", "SASL_SSL", "RENEWED")
    SESSION_MS = 2_000  # of the last one

    def __init__(self, certificates):
        super().__init__(1)
        self.certificates = certificates

    def __enter__(self):
        # The ports are drawn by the base class, and settings are made from them.
        plain = self.kafka

        def kafka(command, *arguments):
            if command == "start":
                self.ports = {name: self.port + 1 + index for index, name in enumerate(self.LISTENERS)}
                arguments = (*arguments, *self.listener_settings())
            return plain(command, *arguments)

        self.kafka = kafka
        super().__enter__()
        for mechanism in MECHANISMS[1:]:  # one a command: two in one are refused
            self.tool("org.apache.kafka.tools.ConfigCommand", "--bootstrap-server", self.bootstrap(), "--alter", "--entity-type", "users",
                      "--entity-name", USER, "--add-config", f"{mechanism}=[password={USER_PASSWORD}]")
        return self

    def listener_settings(self):
        protocols = {name: "SSL" for name in self.LISTENERS} | {
            "SASL_PLAINTEXT": "SASL_PLAINTEXT", "SASL_SSL": "SASL_SSL", "RENEWED": "SASL_PLAINTEXT"}
        listeners = [f"PLAINTEXT://127.0.0.1:{self.port}", f"CONTROLLER://127.0.0.1:{self.port + 100}"]
        listeners += [f"{name}://127.0.0.1:{port}" for name, port in self.ports.items()]
        keys = {"SSL": "broker", "MUTUAL": "broker", "ELSEWHERE": "elsewhere", "EXPIRED": "expired", "SASL_SSL": "broker"}
        settings = [f"listeners={','.join(listeners)}",
                    "listener.security.protocol.map=" + ",".join(
                        f"{name}:{protocol}" for name, protocol in {"PLAINTEXT": "PLAINTEXT", "CONTROLLER": "PLAINTEXT", **protocols}.items())]
        for name, key in keys.items():
            prefix = f"listener.name.{name.lower()}.ssl"
            settings += [f"{prefix}.keystore.type=PEM", f"{prefix}.keystore.location={self.pkcs8(key)}"]
        settings += ["listener.name.mutual.ssl.client.auth=required", "listener.name.mutual.ssl.truststore.type=PEM",
                     f"listener.name.mutual.ssl.truststore.location={self.certificates.path('ca.crt')}"]
        settings.append(f"sasl.enabled.mechanisms={','.join(MECHANISMS)}")
        for name in self.SASL:
            prefix = f"listener.name.{name.lower()}"
            settings += [f"{prefix}.plain.sasl.jaas.config={login_module('PLAIN')} required user_{USER}=\"{USER_PASSWORD}\";"]
            for mechanism in MECHANISMS[1:]:
                settings += [f"{prefix}.{mechanism.lower()}.sasl.jaas.config={login_module(mechanism)} required;"]
        settings += [f"listener.name.renewed.{mechanism.lower()}.connections.max.reauth.ms={self.SESSION_MS}" for mechanism in MECHANISMS]
        return settings

    def pkcs8(self, name):
        return self.certificates.path(f"{name}.pem")

    def at(self, listener):
        return f"127.0.0.1:{self.ports[listener]}"


_shared = None


def shared():
    """One broker and its certificates for all tests: none disturbs it."""
    global _shared
    if _shared is None:
        certificates = Certificates()
        _shared = (SecureCluster(certificates).__enter__(), certificates)
    return _shared


def produce(bootstrap, topic, values, *settings, check_status=True):
    properties = [word for setting in settings for word in ("-X", setting)]
    return run([KTRIAL, "produce", "-b", bootstrap, "-t", topic, *properties], stdin=("\n".join(values) + "\n").encode(),
               check_status=check_status)


def with_tls(certificates, *settings):
    return ("security.protocol=SSL", "ssl.truststore.type=PEM", f"ssl.truststore.location={certificates.path('ca.crt')}", *settings)


def with_sasl(mechanism, *settings, protocol="SASL_PLAINTEXT", password=USER_PASSWORD):
    return (f"security.protocol={protocol}", f"sasl.mechanism={mechanism}",
            f"sasl.jaas.config={login_module(mechanism)} required username=\"{USER}\" password=\"{password}\";", *settings)


def with_both(certificates, mechanism, **options):
    return with_sasl(mechanism, "ssl.truststore.type=PEM", f"ssl.truststore.location={certificates.path('ca.crt')}", protocol="SASL_SSL",
                     **options)


def arrives(topic, listener, settings, count=2_000):
    cluster, _ = shared()
    cluster.topic(topic, 1, 1)
    values = lines(count, topic)
    produce(cluster.at(listener), topic, values, *settings)
    check([value for _, _, value in cluster.read(topic)] == values, f"{topic}: what was read back is not what was written")


def is_refused(listener, settings, *words):
    """Ends at once, and not with the time for metadata, with a text that has these words."""
    cluster, _ = shared()
    start = time.monotonic()
    result = produce(cluster.at(listener), "orders", ["lost"], "max.block.ms=50000", *settings, check_status=False)
    text = result.stderr.decode()
    check(time.monotonic() - start < 20, f"it took {time.monotonic() - start:.1f} s: {text}")
    check(result.returncode in (1, 2), f"status {result.returncode}: {text}")
    for word in words:
        check(word in text, f"no {word!r} in: {text}")
    check(PASSWORD not in text and "secret" not in text, f"a password is shown: {text}")


def records_go_over_tls_byte_for_byte():
    cluster, certificates = shared()
    cluster.topic("bytes", 1, 1)
    values = ["", "x", "y" * 100_000, "", "z" * 900_000, *lines(20_000)]
    produce(cluster.at("SSL"), "bytes", values, *with_tls(certificates))
    check([value for _, _, value in cluster.read("bytes")] == values, "what was read back is not what was written")


def both_versions_of_tls_are_spoken():
    _, certificates = shared()
    for version in ("TLSv1.2", "TLSv1.3"):
        arrives(f"version-{version}", "SSL", with_tls(certificates, f"ssl.enabled.protocols={version}"))
    arrives("suite", "SSL", with_tls(certificates, "ssl.cipher.suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"))


def trust_stores_are_pem_or_pkcs12():
    _, certificates = shared()
    for name in ("ca.p12", "java.p12"):
        arrives(f"store-{name}", "SSL", ("security.protocol=SSL", f"ssl.truststore.location={certificates.path(name)}",
                                         f"ssl.truststore.password={PASSWORD}"))
    one_line = certificates.text("ca.crt").replace("\n", " ")
    arrives("store-text", "SSL", ("security.protocol=SSL", "ssl.truststore.type=PEM", f"ssl.truststore.certificates={one_line}"))
    is_refused("SSL", ("security.protocol=SSL", f"ssl.truststore.location={certificates.path('java.jks')}", f"ssl.truststore.password={PASSWORD}"),
               "java.jks", "JKS", "-deststoretype PKCS12")


def a_client_shows_its_certificate():
    _, certificates = shared()
    arrives("own-pem", "MUTUAL", with_tls(certificates, "ssl.keystore.type=PEM", f"ssl.keystore.location={certificates.path('client.pem')}"))
    arrives("own-encrypted", "MUTUAL", with_tls(
        certificates, "ssl.keystore.type=PEM", f"ssl.keystore.location={certificates.path('client.enc.pem')}", f"ssl.key.password={PASSWORD}"))
    arrives("own-p12", "MUTUAL", with_tls(
        certificates, "ssl.keystore.type=PKCS12", f"ssl.keystore.location={certificates.path('client.p12')}", f"ssl.keystore.password={PASSWORD}"))


def a_broker_that_refuses_the_client_is_an_error_at_once():
    _, certificates = shared()
    is_refused("MUTUAL", with_tls(certificates), "the peer refused", "ssl.keystore")
    is_refused("MUTUAL", with_tls(certificates, "ssl.keystore.type=PEM", f"ssl.keystore.location={certificates.path('stranger.pem')}"),
               "the peer refused", "ssl.keystore")


def a_certificate_that_is_wrong_is_an_error_at_once_that_says_why():
    _, certificates = shared()
    is_refused("EXPIRED", with_tls(certificates), "certificate has expired, on Feb  1 00:00:00 2020 GMT")
    is_refused("ELSEWHERE", with_tls(certificates), "IP address mismatch", "DNS:broker.elsewhere")
    is_refused("SSL", ("security.protocol=SSL", "ssl.truststore.type=PEM", f"ssl.truststore.location={certificates.path('other-ca.crt')}"),
               "nothing in ssl.truststore vouches for it")
    is_refused("SSL", ("security.protocol=SSL",), "nothing in ssl.truststore vouches for it")


def without_identification_the_host_does_not_matter():
    _, certificates = shared()
    arrives("any-host", "ELSEWHERE", with_tls(certificates, "ssl.endpoint.identification.algorithm="))


def a_plain_listener_is_told_as_one():
    cluster, certificates = shared()
    cluster.topic("plain", 1, 1)
    result = produce(cluster.bootstrap(), "plain", ["lost"], "max.block.ms=3000", *with_tls(certificates), check_status=False)
    check(result.returncode == 1 and b"TLS" in result.stderr, result.stderr.decode())


def librdkafkas_names_work_in_its_profile():
    cluster, certificates = shared()
    cluster.topic("rdkafka", 1, 1)
    run([KTRIAL, "produce", "--profile", "librdkafka-2", "-b", cluster.at("SSL"), "-t", "rdkafka", "-X", "security.protocol=ssl",
         "-X", f"ssl.ca.location={certificates.path('ca.crt')}"], stdin=b"paid\n")
    check([value for _, _, value in cluster.read("rdkafka")] == ["paid"], "it did not arrive")


def every_mechanism_works_with_tls_and_without():
    _, certificates = shared()
    for mechanism in MECHANISMS:
        arrives(f"sasl-{mechanism}", "SASL_PLAINTEXT", with_sasl(mechanism))
        arrives(f"sasl-ssl-{mechanism}", "SASL_SSL", with_both(certificates, mechanism))


def a_wrong_password_is_an_error_at_once():
    _, certificates = shared()
    for mechanism in MECHANISMS:
        is_refused("SASL_PLAINTEXT", with_sasl(mechanism, password="another-secret"), "SASL_AUTHENTICATION_FAILED", "the broker refused")
        is_refused("SASL_SSL", with_both(certificates, mechanism, password="another-secret"), "SASL_AUTHENTICATION_FAILED")


def a_listener_of_another_kind_is_told_as_one():
    _, certificates = shared()
    is_refused("SSL", with_both(certificates, "PLAIN"), "wants no SASL")


def a_session_that_ends_is_renewed_while_records_flow():
    cluster, _ = shared()
    for mechanism in ("PLAIN", "SCRAM-SHA-512"):
        topic = f"renewed-{mechanism}"
        cluster.topic(topic, 1, 1)
        values = lines(7_000, topic)
        properties = [word for setting in with_sasl(mechanism, "linger.ms=0", "batch.size=0") for word in ("-X", setting)]
        with subprocess.Popen([KTRIAL, "produce", "-v", "-b", cluster.at("RENEWED"), "-t", topic, *properties], stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE) as producer:
            for value in values:  # for three sessions and a half
                producer.stdin.write(f"{value}\n".encode())
                producer.stdin.flush()
                time.sleep(cluster.SESSION_MS * 3.5 / 1000 / len(values))
            _, log = producer.communicate(timeout=60)
        check(producer.returncode == 0, log.decode())
        check([value for _, _, value in cluster.read(topic)] == values, "what was read back is not what was written")
        lost = [line for line in log.decode().splitlines() if "connection" in line.lower() and ("lost" in line or "closed the" in line)]
        check(not lost, f"connections were lost: {lost[:3]}")


class OldSecureBroker(OldBroker):
    """A broker of an old release with a listener of SASL and TLS beside its plain one."""

    def __init__(self, version, certificates):
        self.certificates = certificates
        super().__init__(version)

    @property
    def settings(self):
        listeners = f"PLAINTEXT://127.0.0.1:{self.port},SASL_PLAINTEXT://127.0.0.1:{self.port + 2},SASL_SSL://127.0.0.1:{self.port + 3}"
        settings = [f"listeners={listeners}", f"advertised.listeners={listeners}", "sasl.enabled.mechanisms=PLAIN", "ssl.keystore.type=PKCS12",
                    f"ssl.keystore.location={self.certificates.path('broker.p12')}", f"ssl.keystore.password={PASSWORD}",
                    f"ssl.key.password={PASSWORD}"]
        return settings + [f"listener.name.{name}.plain.sasl.jaas.config={login_module('PLAIN')} required user_{USER}=\"{USER_PASSWORD}\";"
                           for name in ("sasl_plaintext", "sasl_ssl")]

    @settings.setter
    def settings(self, _):
        pass


def old_releases_have_it_too():
    _, certificates = shared()
    for version in ("2.0.1", "2.8.2", "3.9.1"):
        with OldSecureBroker(version, certificates) as broker:
            for number, settings in ((2, with_sasl("PLAIN")), (3, with_both(certificates, "PLAIN"))):
                topic, values = f"old-{number}", lines(1_000)
                produce(f"127.0.0.1:{broker.port + number}", topic, values, *settings)
                result = run(["kcat", "-C", "-b", broker.bootstrap(), "-t", topic, "-o", "beginning", "-e", "-q"])
                check(result.stdout.decode().splitlines() == values, f"{version}, {topic}: what was read back is not what was written")


if __name__ == "__main__":
    try:
        status = main([
            records_go_over_tls_byte_for_byte,
            both_versions_of_tls_are_spoken,
            trust_stores_are_pem_or_pkcs12,
            a_client_shows_its_certificate,
            a_broker_that_refuses_the_client_is_an_error_at_once,
            a_certificate_that_is_wrong_is_an_error_at_once_that_says_why,
            without_identification_the_host_does_not_matter,
            a_plain_listener_is_told_as_one,
            librdkafkas_names_work_in_its_profile,
            every_mechanism_works_with_tls_and_without,
            a_wrong_password_is_an_error_at_once,
            a_listener_of_another_kind_is_told_as_one,
            a_session_that_ends_is_renewed_while_records_flow,
            old_releases_have_it_too,
        ])
    finally:
        if _shared is not None:
            _shared[0].__exit__()
            shutil.rmtree(_shared[1].folder, ignore_errors=True)
    sys.exit(status)
