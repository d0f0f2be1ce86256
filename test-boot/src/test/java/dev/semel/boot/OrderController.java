package dev.semel.boot;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.nio.charset.StandardCharsets;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Charges the order in the body, in each way that Spring MVC supports. */
@RestController
@RequestMapping("/{policy}/orders")
class OrderController {

    private final Charges charges;
    private final ExecutorService background;

    OrderController(Charges charges, ExecutorService background) {
        this.charges = charges;
        this.background = background;
    }

    @PostMapping("/sync")
    String sync(@RequestBody String order) {
        return charges.charge(order);
    }

    @PostMapping("/future")
    CompletableFuture<String> future(@RequestBody String order) {
        return CompletableFuture.supplyAsync(() -> charges.charge(order), background);
    }

    @PostMapping("/failing-future")
    CompletableFuture<String> failingFuture(@RequestBody String order) {
        return CompletableFuture.supplyAsync(
                () -> {
                    throw new IllegalStateException(charges.charge(order));
                },
                background);
    }

    @PostMapping("/interrupted-future")
    CompletableFuture<String> interruptedFuture(@RequestBody String order) {
        return CompletableFuture.supplyAsync(
                () -> {
                    throw new IllegalStateException(charges.charge(order), new InterruptedException("shutdown"));
                },
                background);
    }

    @PostMapping("/deferred")
    DeferredResult<ResponseEntity<String>> deferred(@RequestBody String order) {
        return completeLater(order, new DeferredResult<>());
    }

    /** The container times the request out while the charge continues. */
    @PostMapping("/timed-out")
    DeferredResult<ResponseEntity<String>> timedOut(@RequestBody String order) {
        return completeLater(order, new DeferredResult<>(100L));
    }

    private DeferredResult<ResponseEntity<String>> completeLater(
            String order, DeferredResult<ResponseEntity<String>> result) {
        background.execute(() -> result.setResult(ResponseEntity.status(201).body(charges.charge(order))));
        return result;
    }

    @PostMapping("/callable")
    Callable<String> callable(@RequestBody String order) {
        return () -> charges.charge(order);
    }

    @PostMapping("/emitter")
    ResponseBodyEmitter emitter(@RequestBody String order) {
        return completeLater(order, new ResponseBodyEmitter());
    }

    /** The container times the request out while the charge continues. */
    @PostMapping("/timed-out-emitter")
    ResponseBodyEmitter timedOutEmitter(@RequestBody String order) {
        return completeLater(order, new ResponseBodyEmitter(300L));
    }

    private ResponseBodyEmitter completeLater(String order, ResponseBodyEmitter emitter) {
        background.execute(() -> {
            try {
                emitter.send("charge ");
                emitter.send(charges.charge(order).substring("charge ".length()));
                emitter.complete();
            } catch (IOException | RuntimeException e) {
                emitter.completeWithError(e);
            }
        });
        return emitter;
    }

    /** Refuses the order in the future. */
    @PostMapping("/refused-future")
    CompletableFuture<ResponseEntity<String>> refusedFuture(@RequestBody String order) {
        return CompletableFuture.supplyAsync(
                () -> ResponseEntity.status(404).body(charges.charge(order)), background);
    }

    @PostMapping("/stream")
    StreamingResponseBody stream(@RequestBody String order) {
        return out -> {
            out.write(charges.charge(order).getBytes(StandardCharsets.UTF_8));
            out.flush();
        };
    }
}
