package dev.semel.testkit.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.document.Transactions.WriteConflictException;
import dev.semel.once.Lease;
import dev.semel.once.Once;
import dev.semel.once.Once.LeasedOperation;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.once.Outcome;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Quota;
import dev.semel.store.Response;
import dev.semel.store.StoreException;
import dev.semel.store.Time;
import dev.semel.store.spi.OnceStore;
import dev.semel.testkit.crash.Acknowledgement.How;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The process that is killed. It calls operations one after another in several threads, and prints a line on standard output when one
 * has completed. Each line is a single write, so a kill never leaves half a line. The process ends after the last operation, or when its
 * parent process ends.
 */
public final class CrashWorker {

    static final String OPENING = "opening";
    static final String OPEN = "open";

    private static final int FAILED = 3;

    /** Pause before a retry if the store is unavailable. */
    private static final Duration BREATH = Duration.ofMillis(5);

    private final Workload workload;
    private final Once once;
    private final EffectFile effects;
    private final FileOutputStream out;
    private final AtomicLong next;
    private final long last;
    private final boolean asksAgain;

    private CrashWorker(Arguments arguments, OnceStore store, EffectFile effects, FileOutputStream out) {
        OnceSettings settings = OnceSettings.DEFAULTS
                .withQuota(Quota.NONE)
                .withRetention(Duration.ofDays(365))
                .withLease(arguments.lease);
        this.workload = new Workload(arguments.seed, store);
        this.once = new Once(store, Time.system(), settings, OnceListener.NONE);
        this.effects = effects;
        this.out = out;
        this.next = new AtomicLong(arguments.first);
        this.last = arguments.last;
        this.asksAgain = arguments.asksAgain;
    }

    /**
     * The arguments of the process.
     *
     * @param asksAgain whether to retry, because there are other workers or the store may be unavailable for a while
     */
    record Arguments(
            String opener,
            Path folder,
            long seed,
            long first,
            long last,
            int callers,
            Duration lease,
            boolean asksAgain) {

        List<String> toList() {
            return List.of(
                    opener,
                    folder.toString(),
                    Long.toString(seed),
                    Long.toString(first),
                    Long.toString(last),
                    Integer.toString(callers),
                    Long.toString(lease.toMillis()),
                    Boolean.toString(asksAgain));
        }

        static Arguments of(String[] words) {
            return new Arguments(
                    words[0],
                    Path.of(words[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(words[3]),
                    Long.parseLong(words[4]),
                    Integer.parseInt(words[5]),
                    Duration.ofMillis(Long.parseLong(words[6])),
                    Boolean.parseBoolean(words[7]));
        }
    }

    static Path store(Path folder) {
        return folder.resolve("store");
    }

    static Path effects(Path folder) {
        return folder.resolve("effects");
    }

    /** Runs a worker. {@link CrashRun} starts it. */
    public static void main(String[] words) throws Exception {
        Arguments arguments = Arguments.of(words);
        endWithParent();
        try (FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            say(out, OPENING + "\n");
            StoreOpener opener = opener(Class.forName(arguments.opener));
            try (OnceStore store = opener.open(store(arguments.folder), Time.system());
                    EffectFile effects = EffectFile.open(effects(arguments.folder))) {
                say(out, OPEN + "\n");
                new CrashWorker(arguments, store, effects, out).run(arguments.callers);
            }
        } catch (Throwable e) {
            fail(e);
        }
    }

    static StoreOpener opener(Class<?> opener) {
        try {
            return (StoreOpener) opener.getConstructor().newInstance();
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new IllegalArgumentException(
                    "Not a public class with a public constructor that opens a store: " + opener.getName(), e);
        }
    }

    /** Standard input receives no data. It ends when the parent process ends. */
    private static void endWithParent() {
        Thread watch = new Thread(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // the parent process has ended, too
            }
            Runtime.getRuntime().halt(FAILED);
        });
        watch.setDaemon(true);
        watch.start();
    }

    private static void fail(Throwable cause) {
        cause.printStackTrace();
        Runtime.getRuntime().halt(FAILED);
    }

    private static void say(FileOutputStream out, String line) throws IOException {
        out.write(line.getBytes(US_ASCII));
    }

    private void run(int callers) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            Thread thread = new Thread(this::callOneAfterAnother, "caller-" + i);
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void callOneAfterAnother() {
        try {
            for (long number = next.getAndIncrement(); number <= last; number = next.getAndIncrement()) {
                say(out, call(number).toLine());
            }
        } catch (Throwable e) {
            fail(e);
        }
    }

    private Acknowledgement call(long number) {
        Kind kind = workload.kind(number);
        while (true) {
            Outcome outcome = outcome(kind, number);
            if (outcome instanceof Outcome.Executed executed) {
                return new Acknowledgement(
                        number, kind, How.EXECUTED, executed.response().text());
            } else if (outcome instanceof Outcome.Replayed replayed) {
                return new Acknowledgement(
                        number, kind, How.REPLAYED, replayed.response().text());
            } else if (outcome instanceof Outcome.Unknown) {
                return new Acknowledgement(number, kind, How.UNKNOWN, "-");
            } else if (!isWorthAnotherTry(outcome)) {
                throw new IllegalStateException("Operation " + number + " (" + kind + ") came to " + outcome);
            }
        }
    }

    /** Returns null if the store is unavailable. */
    private @Nullable Outcome outcome(Kind kind, long number) {
        try {
            return switch (kind) {
                case ATOMIC -> once.atomic(workload.call(number), workload.atomic(number));
                case RERUN -> once.leased(workload.call(number), IfAbandoned.RERUN, leased(number));
                case FREEZE -> once.leased(workload.call(number), IfAbandoned.FREEZE, leased(number));
            };
        } catch (StoreException e) {
            if (!asksAgain || e.isCertain()) {
                throw e;
            }
            LockSupport.parkNanos(BREATH.toNanos());
            return null;
        }
    }

    private boolean isWorthAnotherTry(@Nullable Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            return failed.cause() instanceof WriteConflictException
                    || (asksAgain && failed.cause() instanceof Lease.LostException);
        }
        return asksAgain && (outcome == null || outcome instanceof Outcome.InProgress);
    }

    private LeasedOperation leased(long number) {
        return lease -> {
            effects.add(number, lease.fencingToken());
            return Response.of(leasedResponse(number, lease.fencingToken()));
        };
    }

    static String leasedResponse(long number, long fencingToken) {
        return number + "/" + fencingToken;
    }
}
