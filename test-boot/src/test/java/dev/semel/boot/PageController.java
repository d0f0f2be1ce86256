package dev.semel.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.once.Once.UnknownOutcomeException;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;

/** Handlers of forms, files and pages. */
@Controller
class PageController {

    private final Charges charges;

    PageController(Charges charges) {
        this.charges = charges;
    }

    @GetMapping("/forms/token")
    @ResponseBody
    String token(CsrfToken token) {
        return token.getToken();
    }

    @RequestMapping(
            path = "/{policy}/forms",
            method = {RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH})
    @ResponseBody
    String transfer(@RequestParam String to, @RequestParam int cents) {
        return charges.charge(to) + " for " + cents;
    }

    @PostMapping("/{policy}/files")
    @ResponseBody
    String upload(@RequestParam String order, @RequestParam MultipartFile file) throws IOException {
        return charges.charge(order) + " with " + file.getOriginalFilename() + " of " + file.getBytes().length + " bytes";
    }

    @PostMapping("/{policy}/include")
    void include(@RequestBody String order, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        response.getWriter().print(charges.charge(order));
        request.getRequestDispatcher("/fragment").include(request, response);
        response.getWriter().print(".");
    }

    @PostMapping("/{policy}/forward")
    String forward(@RequestBody String order) {
        charges.charge(order);
        return "forward:/fragment";
    }

    @PostMapping("/{policy}/entity")
    ResponseEntity<Map<String, String>> entity(@RequestBody String order) {
        return ResponseEntity.created(URI.create("/orders/" + order)).body(Map.of("paid", charges.charge(order)));
    }

    @PostMapping("/{policy}/flushed")
    void flushed(@RequestBody String order, HttpServletResponse response) throws IOException {
        byte[] text = charges.charge(order).getBytes(UTF_8);
        response.setContentType(MediaType.TEXT_PLAIN_VALUE);
        response.setContentLength(text.length);
        response.getOutputStream().write(text);
        response.flushBuffer();
    }

    @PostMapping("/{policy}/missing")
    void missing(@RequestBody String order, HttpServletResponse response) throws IOException {
        charges.charge(order);
        response.sendError(HttpServletResponse.SC_NOT_FOUND, "There is no such order");
    }

    @PostMapping("/{policy}/gone")
    void gone(@RequestBody String order) {
        charges.charge(order);
        throw new ResponseStatusException(HttpStatus.GONE, "The order was cancelled");
    }

    /** Ends with an exception after which it is unknown whether the charge happened. */
    @PostMapping("/{policy}/unclear/{cause}")
    void unclear(@RequestBody String order, @PathVariable Unclear cause) throws Exception {
        charges.charge(order);
        throw cause.exception();
    }

    /** Ends with an ordinary exception. */
    @PostMapping("/{policy}/broken")
    void broken(@RequestBody String order) {
        throw new IllegalStateException(charges.charge(order));
    }

    /** Exceptions that leave open whether the effect of a handler has happened. */
    enum Unclear {
        INTERRUPTED,
        INTERRUPTED_IO,
        WRAPPED_INTERRUPTION,
        WRAPPED_ERROR,
        WRAPPED_UNKNOWN,
        TWICE_WRAPPED_ERROR;

        Exception exception() {
            return switch (this) {
                case INTERRUPTED -> new InterruptedException("shutdown");
                case INTERRUPTED_IO -> new InterruptedIOException("shutdown");
                case WRAPPED_INTERRUPTION -> new IllegalStateException(new InterruptedException("shutdown"));
                case WRAPPED_ERROR -> new IllegalStateException(new StackOverflowError());
                case WRAPPED_UNKNOWN -> new IllegalStateException(new UnknownOutcomeException("no response", null));
                case TWICE_WRAPPED_ERROR ->
                        new CompletionException(new ExecutionException(new OutOfMemoryError("for a test")));
            };
        }
    }
}
