package dev.semel.testkit.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.Time;
import dev.semel.testkit.ScaledTime;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A client in this process. It keeps entries in memory, also when it is killed. It may have a {@link Flaw}. */
class SmallClient implements ClientDriver {

    private static final double SPEED = 20;
    private static final int TIMEOUT_MILLIS = 2_000;
    private static final JsonMapper MAPPER = new JsonMapper();

    private final Set<Flaw> flaws;
    private final ScaledTime time = new ScaledTime(Instant.now(), SPEED, Duration.ZERO);
    private final List<Stored> entries = new ArrayList<>();
    private @Nullable Session session;

    SmallClient(Flaw... flaws) {
        this.flaws = EnumSet.noneOf(Flaw.class);
        this.flaws.addAll(List.of(flaws));
    }

    private boolean has(Flaw flaw) {
        return flaws.contains(flaw);
    }

    private static String mint() {
        return UUID.randomUUID().toString();
    }

    /** An entry. Guarded by the client. */
    private final class Stored {

        private final String id = mint();
        private final Request request;
        private final String lane;
        private String key = has(Flaw.SENDS_WITH_ONE_KEY_FOR_ALL) ? "key" : mint();
        private String clientTxId = mint();
        private String status = "pending";
        private String error = "";
        private int tries;
        private @Nullable Instant firstSentAt;
        private Instant dueAt = Instant.MIN;

        Stored(Request request) {
            this.request = request;
            this.lane = has(Flaw.IGNORES_LANES) ? id : request.lane();
        }

        Entry shown() {
            return new Entry(id, key, clientTxId, request.lane(), status, error);
        }

        boolean isOlderThan(Duration life) {
            return firstSentAt != null && firstSentAt.plus(life).isBefore(time.instant());
        }
    }

    /** From a start to a stop or kill. */
    private final class Session {

        private final URI api;
        private final Set<String> lanes = new HashSet<>();
        private final Set<Socket> sockets = new HashSet<>();
        private String token = "";

        Session(URI api) {
            this.api = api;
        }

        boolean isCurrent() {
            return session == this;
        }

        /** Starts a thread for each lane that has none. */
        void startLanes() {
            for (Stored entry : entries) {
                if (lanes.add(entry.lane)) {
                    int threads = has(Flaw.SENDS_AHEAD_IN_LANES) ? 2 : 1;
                    for (int ahead = 0; ahead < threads; ahead++) {
                        int place = ahead;
                        Time.threads().execute(() -> send(entry.lane, place));
                    }
                }
            }
        }

        private void send(String lane, int ahead) {
            try {
                for (Stored next = next(lane, ahead); next != null; next = next(lane, ahead)) {
                    send(next);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Waits until an entry of a lane is due. Returns null at the end of the session. */
        private @Nullable Stored next(String lane, int ahead) throws InterruptedException {
            synchronized (SmallClient.this) {
                while (isCurrent()) {
                    Stored head = entries.stream()
                            .filter(entry -> entry.lane.equals(lane) && !entry.status.equals("confirmed"))
                            .skip(ahead)
                            .findFirst()
                            .orElse(null);
                    boolean isStopped = has(Flaw.STOPS_ALL_LANES)
                            && entries.stream().anyMatch(entry -> entry.status.equals("failed"));
                    if (head == null || !head.status.equals("pending") || isStopped) {
                        SmallClient.this.wait();
                    } else if (head.dueAt.isAfter(time.instant())) {
                        double millis =
                                Duration.between(time.instant(), head.dueAt).toMillis() / SPEED;
                        SmallClient.this.wait((long) millis + 1);
                    } else {
                        return head;
                    }
                }
                return null;
            }
        }

        private void send(Stored entry) {
            try {
                if (entry.isOlderThan(SmallApi.KEY_LIFE)
                        && !has(Flaw.SENDS_BLINDLY_AFTER_THE_LIFE_OF_KEYS)
                        && isDecidedByLookup(entry)) {
                    return;
                }
                synchronized (SmallClient.this) {
                    entry.firstSentAt = entry.firstSentAt == null ? time.instant() : entry.firstSentAt;
                    entry.key = has(Flaw.MINTS_A_KEY_FOR_EACH_TRY) ? mint() : entry.key;
                    entry.clientTxId = has(Flaw.MINTS_TRANSACTION_IDS_FOR_EACH_TRY) ? mint() : entry.clientTxId;
                }
                Message response = exchange(
                        entry.request.method(),
                        entry.request.endpoint(),
                        entry.request.payload(),
                        "Idempotency-Key: " + entry.key + "\r\nX-Client-Tx-Id: " + entry.clientTxId + "\r\n");
                decide(entry, response);
            } catch (IOException | RuntimeException e) {
                end(entry, has(Flaw.FAILS_WITHOUT_A_RESPONSE) ? "failed" : "pending", "no response");
            }
        }

        /** Returns the token, a new one after it was rejected. */
        private String token() throws IOException {
            synchronized (SmallClient.this) {
                if (!token.isEmpty()) {
                    return token;
                }
            }
            Message response = exchange("POST", "/v1/dev/token", "{\"user\":\"ann\"}", "", "none");
            String fresh = MAPPER.readTree(response.text()).get("token").stringValue();
            synchronized (SmallClient.this) {
                token = fresh;
            }
            return fresh;
        }

        private void reject() {
            synchronized (SmallClient.this) {
                token = "";
            }
        }

        /** Asks the API for the outcome of an earlier attempt. Returns false if the entry has to be sent. */
        private boolean isDecidedByLookup(Stored entry) throws IOException {
            Message found = exchange("GET", "/v1/idempotency/" + entry.key + "?endpoint=x", "", "");
            if (found.status() == 200) {
                end(entry, "confirmed", "");
                return true;
            }
            if (found.status() == 401) {
                reject();
            } else if (!entry.isOlderThan(SmallApi.TOMBSTONE_LIFE)
                    || has(Flaw.SENDS_BLINDLY_AFTER_THE_LIFE_OF_TOMBSTONES)) {
                return false;
            }
            end(entry, found.status() == 401 ? "pending" : "failed", "expired");
            return true;
        }

        private void decide(Stored entry, Message response) throws IOException {
            int status = response.status();
            boolean isProven = !response.header("Idempotency-Replayed").isEmpty()
                    || response.header("X-Client-Tx-Id").equals(entry.clientTxId);
            if (status == 401) {
                reject();
                end(entry, has(Flaw.FAILS_ON_401) ? "failed" : "pending", "401");
            } else if (status / 100 == 2 && (isProven || (status == 200 && has(Flaw.CONFIRMS_ON_ANY_200)))) {
                end(entry, "confirmed", "");
            } else if (status / 100 == 3 && has(Flaw.FOLLOWS_REDIRECTS)) {
                Message followed = exchange("GET", response.header("Location"), "", "");
                end(entry, followed.status() == 200 ? "confirmed" : "pending", "followed");
            } else if (isFinal(status, response) && (isProven || (status == 403 && has(Flaw.FAILS_ON_ANY_403)))) {
                boolean isRetried = has(Flaw.RETRIES_WHAT_IS_FINAL) && entry.tries < 4;
                end(entry, isRetried ? "pending" : "failed", status + " " + response.text());
            } else {
                if (response.text().contains("outcome_unknown")
                        && has(Flaw.SENDS_AGAIN_WHEN_THE_OUTCOME_IS_UNKNOWN_WITH_A_NEW_KEY)) {
                    entry.key = mint();
                }
                end(entry, "pending", String.valueOf(status), response.header("Retry-After"));
            }
        }

        private boolean isFinal(int status, Message response) {
            String body = response.text();
            boolean isUnknown = body.contains("outcome_unknown");
            boolean isTemporary = Set.of(408, 425, 429).contains(status)
                    || response.hasHeader("Retry-After")
                    || body.contains("in_progress")
                    || (isUnknown && !has(Flaw.FAILS_WHEN_THE_OUTCOME_IS_UNKNOWN));
            return status / 100 == 4 && !isTemporary;
        }

        private void end(Stored entry, String status, String error) {
            end(entry, status, error, "");
        }

        private void end(Stored entry, String status, String error, String retryAfter) {
            synchronized (SmallClient.this) {
                if (isCurrent()) {
                    entry.tries++;
                    entry.status = status;
                    entry.error = error;
                    entry.dueAt = time.instant().plus(pause(entry, retryAfter));
                    SmallClient.this.notifyAll();
                }
            }
        }

        private Duration pause(Stored entry, String retryAfter) {
            if (has(Flaw.RETRIES_AT_ONCE)) {
                return Duration.ofMillis(100);
            }
            Duration backoff = Duration.ofSeconds(1L << Math.min(5, entry.tries - 1));
            Duration asked = retryAfter.isEmpty() || has(Flaw.IGNORES_RETRY_AFTER) ? Duration.ZERO : parse(retryAfter);
            return backoff.compareTo(asked) > 0 ? backoff : asked;
        }

        private Duration parse(String retryAfter) {
            if (has(Flaw.READS_NO_DATES) && !retryAfter.matches("[0-9]+")) {
                return Duration.ZERO;
            }
            try {
                return retryAfter.matches("[0-9]+")
                        ? Duration.ofSeconds(Long.parseLong(retryAfter))
                        : Duration.between(
                                time.instant(), Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(retryAfter)));
            } catch (DateTimeParseException e) {
                return Duration.ZERO;
            }
        }

        private Message exchange(String method, String target, String payload, String headers) throws IOException {
            return exchange(method, target, payload, headers, token());
        }

        private Message exchange(String method, String target, String payload, String headers, String token)
                throws IOException {
            URI to = api.resolve(target);
            try (Socket socket = new Socket(to.getHost(), to.getPort())) {
                synchronized (SmallClient.this) {
                    if (!isCurrent()) {
                        throw new IOException("The session has ended");
                    }
                    sockets.add(socket);
                }
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(TIMEOUT_MILLIS);
                byte[] body = payload.getBytes(UTF_8);
                String head = method + " " + target + " HTTP/1.1\r\nHost: " + to.getAuthority()
                        + "\r\nAuthorization: Bearer "
                        + token + "\r\n" + headers + "Content-Type: application/json\r\nContent-Length: " + body.length
                        + "\r\n\r\n";
                socket.getOutputStream().write(head.getBytes(UTF_8));
                socket.getOutputStream().write(body);
                Message response = Message.read(new BufferedInputStream(socket.getInputStream()), true);
                if (response == null) {
                    throw new IOException("No response");
                }
                return response;
            }
        }

        void end() {
            for (Socket socket : sockets) {
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    @Override
    public synchronized void start(URI api) {
        session = new Session(api);
        session.startLanes();
    }

    @Override
    public synchronized void stop() {
        if (session != null) {
            session.end();
        }
        session = null;
        notifyAll();
    }

    @Override
    public synchronized void kill() {
        stop();
        if (has(Flaw.LOSES_ENTRIES_WHEN_KILLED) && !entries.isEmpty()) {
            entries.remove(entries.size() - 1);
        }
        if (has(Flaw.KEEPS_KEYS_IN_MEMORY_ONLY)) {
            entries.forEach(entry -> entry.key = mint());
        }
    }

    @Override
    public synchronized String add(Request request) {
        Stored added = new Stored(request);
        entries.add(added);
        if (session != null) {
            session.startLanes();
        }
        notifyAll();
        return added.id;
    }

    @Override
    public synchronized List<Entry> entries() {
        return entries.stream().map(Stored::shown).toList();
    }

    @Override
    public synchronized void retry(String id) {
        entries.stream()
                .filter(entry -> entry.id.equals(id) && entry.status.equals("failed"))
                .forEach(entry -> {
                    entry.status = "pending";
                    entry.dueAt = Instant.MIN;
                });
        notifyAll();
    }

    @Override
    public synchronized void discard(String id) {
        entries.removeIf(entry -> entry.id.equals(id));
        notifyAll();
    }

    @Override
    public synchronized boolean advance(Duration step) {
        time.advance(step);
        notifyAll();
        return true;
    }

    @Override
    public InstantSource clock() {
        return time;
    }

    @Override
    public double speed() {
        return SPEED;
    }

    @Override
    public void close() {
        stop();
    }
}
